"""cuBLAS through cffi: where it is found, and the functions of it that large products call."""

from __future__ import annotations

import ctypes
import functools
import glob
import os
import sys
from collections.abc import Iterator
from typing import Any

from eqsat.base.configuration import config

_PROTOTYPES = """
const char *cublasGetStatusString(int); int cublasGetProperty(int, int *);
int cublasCreate_v2(void **); int cublasSetAtomicsMode(void *, int); int cublasSetStream_v2(void *, void *);
int cublasSetWorkspace_v2(void *, void *, size_t);
int cublasGemmStridedBatchedEx(void *, int, int, int, int, int, const void *, const void *, int, int, long long, const void *, int, int, long long,
  const void *, void *, int, int, long long, int, int, int);
"""
_NAMES = (
    "cublasCreate_v2",
    "cublasSetAtomicsMode",
    "cublasSetStream_v2",
    "cublasSetWorkspace_v2",
    "cublasGemmStridedBatchedEx",
    "cublasGetStatusString",
)


class Functions(ctypes.Structure):
    """The addresses of the functions of a library, as library.c has them."""

    _fields_ = [(name, ctypes.c_void_p) for name in _NAMES]


class Library:
    """A library for large products: its path, its version, and its functions.

    Errors   OSError where it cannot be opened, AttributeError where a function is missing
    """

    def __init__(self, path: str) -> None:
        import cffi

        ffi = cffi.FFI()
        ffi.cdef(_PROTOTYPES)
        self.path, self._opened = path, ffi.dlopen(path)
        addresses = [int(ffi.cast("uintptr_t", ffi.addressof(self._opened, name))) for name in _NAMES]
        self.functions = Functions(*addresses)
        self.version = ".".join(str(self._property(ffi, k)) for k in range(3))

    def _property(self, ffi: Any, which: int) -> int:
        found = ffi.new("int *")
        self._opened.cublasGetProperty(which, found)
        return int(found[0])


def find_library() -> Library | None:
    """cuBLAS of a wheel, of CUDA_HOME or of the system; None where there is none, or ``config.cuda_blas`` is "off"."""
    return None if config.cuda_blas == "off" else _found()


@functools.lru_cache(maxsize=1)
def _found() -> Library | None:
    for path in _paths():
        try:
            return Library(path)
        except (OSError, AttributeError, ImportError):
            continue
    return None


def _paths() -> Iterator[str]:
    for place in sys.path:
        for pattern in ("nvidia/cu1*/lib/libcublas.so.*", "nvidia/cublas/lib/libcublas.so.*"):
            yield from sorted(glob.glob(os.path.join(place, pattern)), reverse=True)
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    yield from sorted(glob.glob(os.path.join(home, "lib64", "libcublas.so.*")), reverse=True)
    yield from ("libcublas.so.13", "libcublas.so.12")
