"""The CUDA driver through cffi: the functions that are called, and the GPU of this process."""

from __future__ import annotations

import functools
from typing import Any

from eqsat.base.configuration import config
from eqsat.base.values import dataclass
from eqsat.errors import DeviceError

LIBRARY = "libcuda.so.1"
OLDEST = 12000  # version of the driver's functions
_PROTOTYPES = """
typedef int CUresult; typedef int CUdevice; typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext; typedef struct CUmod_st *CUmodule; typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream; typedef struct CUmemPoolHandle_st *CUmemoryPool;
CUresult cuGetProcAddress_v2(const char *, void **, int, unsigned long long, int *);
"""
# name: the type of a pointer to it
_FUNCTIONS = {
    "cuInit": "CUresult (*)(unsigned)",
    "cuDriverGetVersion": "CUresult (*)(int *)",
    "cuGetErrorName": "CUresult (*)(CUresult, const char **)",
    "cuGetErrorString": "CUresult (*)(CUresult, const char **)",
    "cuDeviceGetCount": "CUresult (*)(int *)",
    "cuDeviceGet": "CUresult (*)(CUdevice *, int)",
    "cuDeviceGetName": "CUresult (*)(char *, int, CUdevice)",
    "cuDeviceGetAttribute": "CUresult (*)(int *, int, CUdevice)",
    "cuDevicePrimaryCtxRetain": "CUresult (*)(CUcontext *, CUdevice)",
    "cuCtxSetCurrent": "CUresult (*)(CUcontext)",
    "cuModuleLoadData": "CUresult (*)(CUmodule *, const void *)",
    "cuModuleUnload": "CUresult (*)(CUmodule)",
    "cuModuleGetFunction": "CUresult (*)(CUfunction *, CUmodule, const char *)",
    "cuLaunchKernel": "CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, "
    "CUstream, void **, void **)",
    "cuStreamSynchronize": "CUresult (*)(CUstream)",
    "cuMemAllocAsync": "CUresult (*)(CUdeviceptr *, size_t, CUstream)",
    "cuMemFreeAsync": "CUresult (*)(CUdeviceptr, CUstream)",
    "cuDeviceGetDefaultMemPool": "CUresult (*)(CUmemoryPool *, CUdevice)",
    "cuMemPoolSetAttribute": "CUresult (*)(CUmemoryPool, int, void *)",
    "cuMemPoolTrimTo": "CUresult (*)(CUmemoryPool, size_t)",
    "cuMemHostAlloc": "CUresult (*)(void **, size_t, unsigned)",
    "cuMemFreeHost": "CUresult (*)(void *)",
    "cuMemAllocManaged": "CUresult (*)(CUdeviceptr *, size_t, unsigned)",
    "cuMemFree": "CUresult (*)(CUdeviceptr)",
    "cuMemcpyHtoDAsync": "CUresult (*)(CUdeviceptr, const void *, size_t, CUstream)",
    "cuMemcpyDtoHAsync": "CUresult (*)(void *, CUdeviceptr, size_t, CUstream)",
    "cuPointerGetAttribute": "CUresult (*)(void *, int, CUdeviceptr)",
    "cuStreamCreate": "CUresult (*)(CUstream *, unsigned)",
    "cuStreamBeginCapture": "CUresult (*)(CUstream, int)",
    "cuStreamEndCapture": "CUresult (*)(CUstream, void **)",
    "cuGraphInstantiateWithFlags": "CUresult (*)(void **, void *, unsigned long long)",
    "cuGraphLaunch": "CUresult (*)(void *, CUstream)",
    "cuGraphExecDestroy": "CUresult (*)(void *)",
    "cuGraphDestroy": "CUresult (*)(void *)",
    "cuMemGetInfo": "CUresult (*)(size_t *, size_t *)",
}
RELEASE_THRESHOLD = 4  # attribute of a pool: the bytes that it keeps
DEVICE_ORDINAL = 9  # attribute of a pointer: the number of its device
ATTRIBUTES = {
    "multiprocessors": 16,
    "clock_khz": 13,
    "memory_clock_khz": 36,
    "bus_bits": 37,
    "second_cache": 38,
    "major": 75,
    "minor": 76,
    "single_to_double": 87,
}


@dataclass(frozen=True)
class Gpu:
    """The GPU of this process: its number, name, architecture, attributes, and the driver's version."""

    number: int
    name: str
    arch: str
    attributes: dict[str, int]
    version: int


class Driver:
    """The functions of the driver, of which each failure is an error."""

    def __init__(self, path: str = LIBRARY) -> None:
        try:
            import cffi
        except ImportError as error:
            raise _missing(f"cffi cannot be imported: {error}") from error
        self.ffi = cffi.FFI()
        self.ffi.cdef(_PROTOTYPES)
        try:
            self.library = self.ffi.dlopen(path)
        except OSError as error:
            raise _missing(f"{path} cannot be opened") from error
        self.functions = {name: self._function(name, kind) for name, kind in _FUNCTIONS.items()}

    def _function(self, name: str, kind: str) -> Any:
        found, status = self.ffi.new("void **"), self.ffi.new("int *")
        failed = self.library.cuGetProcAddress_v2(name.encode(), found, OLDEST, 0, status)
        if failed or found[0] == self.ffi.NULL:
            raise _missing(
                f"the driver is too old: it has no {name}; version {OLDEST // 1000} or newer is needed"
            )
        return self.ffi.cast(kind, found[0])

    def address(self, name: str) -> int:
        """The address of a function."""
        return int(self.ffi.cast("uintptr_t", self.functions[name]))

    def call(self, name: str, *args: Any) -> None:
        """Call a function.

        Errors   DeviceError, with the driver's words, where it fails
        """
        status = self.functions[name](*args)
        if status:
            raise DeviceError(f"{name}: {self.words(status)}")

    def words(self, status: int) -> str:
        """The name and the text of an error of the driver."""
        found = []
        for name in ("cuGetErrorName", "cuGetErrorString"):
            text = self.ffi.new("const char **")
            if not self.functions[name](status, text) and text[0] != self.ffi.NULL:
                found.append(self.ffi.string(text[0]).decode())
        return ": ".join(found) or f"error {status}"

    def number(self, name: str, *args: Any, kind: str = "int") -> int:
        """The number that a function gives in its first argument."""
        found = self.ffi.new(f"{kind} *")
        self.call(name, found, *args)
        return int(found[0])

    def open(self, number: int) -> tuple[Gpu, Any]:
        """A GPU and its context, which torch, CuPy and JAX share."""
        self.call("cuInit", 0)
        count = self.number("cuDeviceGetCount")
        if number >= count:
            raise _missing(f"config.cuda_device is {number}, and this machine has {count}")
        place = self.number("cuDeviceGet", number)
        room = self.ffi.new("char[256]")
        self.call("cuDeviceGetName", room, 256, place)
        facts = {key: self.number("cuDeviceGetAttribute", code, place) for key, code in ATTRIBUTES.items()}
        context = self.ffi.new("CUcontext *")
        self.call("cuDevicePrimaryCtxRetain", context, place)
        self.call("cuCtxSetCurrent", context[0])
        arch = f"sm_{facts['major']}{facts['minor']}"
        name = self.ffi.string(room).decode()
        return Gpu(number, name, arch, facts, self.number("cuDriverGetVersion")), context[0]

    def pool(self, gpu: Gpu) -> Any:
        """The driver's pool of a GPU, which keeps what is given back for those who ask next."""
        found, kept = self.ffi.new("CUmemoryPool *"), self.ffi.new("uint64_t *", (1 << 64) - 1)
        self.call("cuDeviceGetDefaultMemPool", found, self.number("cuDeviceGet", gpu.number))
        self.call("cuMemPoolSetAttribute", found[0], RELEASE_THRESHOLD, kept)
        return found[0]


def _missing(reason: str) -> DeviceError:
    return DeviceError(
        f"no CUDA device ({reason})",
        hint='target="c", or config.cuda_device = "emulated" before the function is made, which is right and very slow',
    )


@functools.lru_cache(maxsize=1)
def driver() -> Driver:
    """The driver of this process.

    Errors   DeviceError, with the ways out, where there is none
    """
    return Driver()


@functools.lru_cache(maxsize=1)
def present() -> dict[str, int] | None:
    """The attributes of the GPU of this process; None where there is no driver."""
    try:
        return driver().open(wanted_number())[0].attributes
    except DeviceError:
        return None


def wanted_number() -> int:
    """The number of the GPU that the configuration names."""
    return 0 if config.cuda_device in ("auto", "emulated") else int(config.cuda_device)
