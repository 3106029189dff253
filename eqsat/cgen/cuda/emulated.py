"""Device texts on the processor: the same kernels, compiled as C, whose threads take turns. Right, and slow."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

from eqsat.cgen.c import prelude as of_c
from eqsat.cgen.c_files import sections
from eqsat.cgen.cuda.complex_numbers import IN_C, STRUCT
from eqsat.cgen.cuda.source import KERNEL, TYPES
from eqsat.cgen.runtime import abi
from eqsat.cgen.runtime.build import build
from eqsat.cgen.runtime.shared_object import SharedObject

WORLD, TABLE = sections(__file__, "emulated.c").values()
_PROTOTYPE = re.compile(
    r"^complex\d+_t (\w+)\(.*\n", re.MULTILINE
)  # of a function that texts have themselves
_DEVICE = re.compile(r"static __device__ (?:__forceinline__ )?")
OPTIONS = [
    "-O1",
    "-fsanitize=alignment",  # a vector at a wrong address ends a kernel, as on a GPU
    "-fsanitize-undefined-trap-on-error",
]


class _Row(ctypes.Structure):
    _fields_ = [("run", ctypes.c_void_p), ("waits", ctypes.c_int64), ("words", ctypes.c_int64)]


class _Module(ctypes.Structure):
    _fields_ = [
        ("rows", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("shared", ctypes.c_void_p),
        ("bytes", ctypes.c_int64),
    ]


class Emulated:
    """The kernels of a device text, compiled for the processor."""

    def __init__(
        self, text: str, compiler: str, directory: str | None, finish: Callable[[], Any] | None = None
    ) -> None:
        self.finish = finish  # launches of them that wait
        names = ["eq_rows", "eq_shared_from", "eq_shared_to"]
        self.object: SharedObject = build(as_c(text), compiler, OPTIONS, directory, names).object
        library = self.object.library
        first, last = library.eq_shared_from, library.eq_shared_to
        first.restype = last.restype = ctypes.c_void_p
        start, stop = first() or 0, last() or 0
        count = len(KERNEL.findall(text))
        self.module = _Module(self.object.address("eq_rows"), count, start, stop - start)

    @property
    def address(self) -> int:
        """The address by which kernels are launched."""
        return ctypes.addressof(self.module)

    def __del__(self) -> None:
        if self.finish is not None:
            self.finish()


def as_c(text: str) -> str:
    """A device text as C."""
    kernels = KERNEL.findall(text)
    own = text.removeprefix(TYPES)
    math = _PROTOTYPE.sub(
        lambda m: "" if f" {m[1]}(complex" in own else m[0], of_c.prototypes(own, frozenset())
    )
    if own.startswith(STRUCT):
        math, own = math + IN_C, own.removeprefix(STRUCT)
    body = KERNEL.sub(r"static __attribute__((noinline)) void \1(\2) {", own)
    body = _DEVICE.sub("static inline ", body).replace("__device__ ", "")
    calls = "".join(_caller(name, parameters) for name, parameters in kernels)
    rows = ", ".join(_row(own, name, parameters) for name, parameters in kernels)
    table = (
        "typedef struct { void (*run)(eq_world *, const uint64_t *); int64_t waits, words, bytes, most; } eq_row;\n"
        f'__attribute__((visibility("default"))) const eq_row eq_rows[] = {{{rows or "{0}"}}};\n'
    )
    return "".join([abi.TYPES, WORLD, math, "#define eq_apart(x) (x)\n", body, calls, table, TABLE])


def _caller(name: str, parameters: str) -> str:
    """The function that calls a kernel with words."""
    given = ", ".join(f"({kind})w[{k}]" for k, kind in enumerate(_kinds(parameters)))
    return (
        f"static void eq_call_{name}(eq_world *now, const uint64_t *w) {{ eq_now = now; {name}({given}); }}\n"
    )


def _row(text: str, name: str, parameters: str) -> str:
    """A row of the table: the function, whether its threads wait for each other, the words and the bytes that it takes, its most threads."""
    begin = text.index(f" {name}(")
    body = text[begin : text.find('extern "C"', begin) if 'extern "C"' in text[begin:] else len(text)]
    waits = int(any(word in body for word in ("__sync", "__shfl_", "__any_sync")))
    kinds = _kinds(parameters)
    size = " + ".join(f"sizeof({kind})" for kind in kinds) or "0"
    (most,) = re.findall(rf"__launch_bounds__\((\d+)\) {name}\(", text)
    return f"{{eq_call_{name}, {waits}, {len(kinds)}, {size}, {most}}}"


def _kinds(parameters: str) -> list[str]:
    """The types of parameters."""
    return [re.sub(r"\w+$", "", p.replace("__restrict__", "")).strip() for p in parameters.split(", ") if p]


def open_emulator(library: Any, backwards: bool = False, late: bool = True) -> int:
    """The address of the emulator's functions, in the library of the device."""
    library.eq_emulate.argtypes = [ctypes.c_int64, ctypes.c_int64]
    library.eq_emulate(int(backwards), int(late))
    library.eq_emulator.restype = ctypes.c_void_p
    return int(library.eq_emulator())
