"""Shared objects in the process: the launcher, segments as Python functions, matrix routines."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from eqsat.base.apart import wait_for
from eqsat.base.caller import carried
from eqsat.base.forks import Lock
from eqsat.cgen.ir.meta import Meta
from eqsat.cgen.runtime import layout
from eqsat.cgen.runtime.build import build
from eqsat.cgen.runtime.compiler_process import stop_compilers
from eqsat.cgen.runtime.convolutions import convolution
from eqsat.cgen.runtime.lapack import PRODUCT_OF, SCIPY
from eqsat.cgen.runtime.launcher import LAUNCHER, PLAIN
from eqsat.cgen.runtime.products import product
from eqsat.cgen.runtime.scipy_modules import linalg_module
from eqsat.cgen.runtime.shared_object import SharedObject
from eqsat.cgen.runtime.team import Threads
from eqsat.graph.tensor_type import TensorType

Function = Callable[..., Any]
_Tools: TypeAlias = "tuple[str, str | None]"  # the compiler and the folder of the cache
_OPEN: list[Any] = [
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.py_object,
    ctypes.py_object,
    ctypes.c_int64,
    ctypes.c_int64,
]
_GIVER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64))
LIBRARIES = {library.name: library for library in (product, convolution)}
_lock = Lock()
_launchers: dict[bool, SharedObject] = {}  # by whether they know NumPy's struct
_knowing: list[ctypes.CDLL] = []  # launchers that were given the table
_preparing: list[threading.Thread] = []


def launcher(compiler: str, directory: str | None, knows: bool | None = None) -> ctypes.CDLL:
    """The launcher of this process, compiled where the cache does not have it.

    One that does not ``know`` NumPy's struct has a way in for that; by default it knows what is known here.
    """
    knows = layout.table() is not None if knows is None else knows
    with _lock:
        found = _launchers.get(knows)
        if found is None:
            found = _launchers[knows] = _open_launcher(compiler, directory, knows)
        return found.library


def _open_launcher(compiler: str, directory: str | None, knows: bool) -> SharedObject:
    names = ["eq_open", "eq_method", "eq_start", "eq_forked", "eq_bound", "eq_blas_threads"]
    text, more = (LAUNCHER, []) if knows else (PLAIN, ["eq_plain"])
    made = build(
        text, compiler, ["-O1"], directory, names + more
    ).object  # -O2 takes twice as long, calls do not
    library = made.library
    library.eq_open.restype = ctypes.py_object
    library.eq_open.argtypes = _OPEN
    library.eq_method.restype = ctypes.c_void_p
    forked = ctypes.c_int64.in_dll(library, "eq_forked")
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: setattr(forked, "value", forked.value + 1))
    return made


def started(compiler: str, directory: str | None) -> ctypes.CDLL:
    """The launcher, which has been told where the objects and functions of Python and NumPy lie."""
    library, table = launcher(compiler, directory, True), layout.table()
    assert table is not None
    with _lock:
        if library not in _knowing:
            library.eq_start(ctypes.byref(table))
            _knowing.append(library)
    return library


def prepare(compiler: str, directory: str | None, openmp: bool, called: Sequence[tuple[str, str]]) -> None:
    """Compile in the background what the first function of a machine would wait for: the launcher, libraries.

    Those that are ``called`` are given by name and C type.
    """
    missing = [(name, ctype) for name, ctype in called if not LIBRARIES[name].is_loaded(ctype, openmp)]
    if missing or not (_launchers or _preparing):
        arguments = (compiler, directory, openmp, missing)
        thread = threading.Thread(target=carried(_prepare), args=arguments, daemon=True)
        _preparing.append(thread)
        thread.start()


def _prepare(compiler: str, directory: str | None, openmp: bool, missing: Sequence[tuple[str, str]]) -> None:
    with contextlib.suppress(Exception):  # the function that needs it meets the same error, and says so
        launcher(compiler, directory)
        for name, ctype in missing:
            LIBRARIES[name].library(ctype, compiler, directory, openmp)


def names_of(meta: Meta) -> list[str]:
    """The names that the object of a translation unit has."""
    return [f"eq_segment_{k}" for k in range(meta.segments)] + ["eq_link"] * bool(meta.blas)


def load(
    shared: SharedObject,
    meta: Meta,
    compiler: str,
    directory: str | None,
    threads: Threads,
    place: Callable[[Any], int] | None = None,
) -> list[Function]:
    """One Python function per segment of a shared object: arrays -> list of arrays, or None.

    The object stays loaded as long as one of the functions is there. ``place`` gives the address of a constant's elements where
    that is not where they lie in this process.
    """
    _wait_for_background()
    if meta.blas:
        found = (_routine(name, ctype, meta, compiler, directory) for name, ctype in meta.blas)
        pointers = (ctypes.c_void_p * (len(meta.blas) + 1))(_bound(meta, compiler, directory), *found)
        shared.library.eq_link(ctypes.byref(pointers))
    constants = (ctypes.c_void_p * (len(meta.constants) + 1))(*map(place or _data, meta.constants))
    keep = (shared, constants, meta.constants)
    make = _plain_function if layout.table() is None else _function
    tools = (compiler, directory)
    return [make(tools, shared, k, constants, keep, meta, threads) for k in range(meta.segments)]


def _wait_for_background() -> None:
    """Wait for what is compiled in the background; an interrupt ends it."""
    with contextlib.suppress(IndexError):  # other threads wait too
        while True:
            thread = _preparing.pop()
            try:
                wait_for(thread)
            except BaseException:
                stop_compilers()
                raise


def _data(constant: Any) -> int:
    """Address of a constant's elements; 0 for a Python object, which only ops in Python read."""
    return int(constant.ctypes.data) if isinstance(constant, np.ndarray) else 0


def _raiser(meta: Meta) -> Function:
    def raise_error(code: int, step: int, *values: int) -> None:
        raise meta.error(code, step, values)

    return raise_error


def _function(
    tools: _Tools, shared: SharedObject, number: int, constants: Any, keep: Any, meta: Meta, threads: Threads
) -> Function:
    """A builtin function that runs a segment."""
    start = started(*tools)
    api = ctypes.PyDLL(None, handle=start._handle)
    api.eq_open.restype = ctypes.py_object
    api.eq_open.argtypes = _OPEN
    address = shared.address(f"eq_segment_{number}")
    state = api.eq_open(address, ctypes.addressof(constants), keep, _raiser(meta), *threads)
    if state is None:
        raise MemoryError("no memory for a compiled function")
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return new(start.eq_method(), state, None)  # type: ignore[no-any-return]


def _routine(name: str, ctype: str, meta: Meta, compiler: str, directory: str | None) -> int:
    """Address of a routine: of a library of ours, or of what scipy ships."""
    if name in LIBRARIES:
        return LIBRARIES[name].address(ctype, compiler, directory, meta.openmp)
    return scipy_pointer(name) if name.startswith(SCIPY) else blas_pointer(name, ctype)


def _bound(meta: Meta, compiler: str, directory: str | None) -> int:
    """Address of the launcher's function that bounds the threads of BLAS; 0 where no routine of BLAS is called."""
    if not any(name in PRODUCT_OF for name, _ in meta.blas):
        return 0
    library = launcher(compiler, directory)
    library.eq_blas_threads(*_threads_of_blas())
    return int(ctypes.cast(library.eq_bound, ctypes.c_void_p).value or 0)


def _threads_of_blas() -> tuple[Any, Any]:
    """The functions of the BLAS that scipy ships which give and set its number of threads; None where it has none."""
    library = ctypes.CDLL(linalg_module("cython_blas").__file__)
    for prefix, suffix in (("scipy_", ""), ("", ""), ("scipy_", "64_"), ("", "64_")):
        names = [f"{prefix}openblas_{verb}_num_threads{suffix}" for verb in ("get", "set")]
        if all(hasattr(library, name) for name in names):
            return getattr(library, names[0]), getattr(library, names[1])
    return None, None


def blas_pointer(name: str, ctype: str) -> int:
    """Address of a matrix routine that scipy ships."""
    letter = {"float": "s", "double": "d", "complex64_t": "c", "complex128_t": "z"}[ctype]
    table = linalg_module("cython_blas").__pyx_capi__
    if letter + name not in table:
        table = linalg_module("cython_lapack").__pyx_capi__
    return layout.capsule_pointer(table[letter + name])


# --------------------------------------------------------------------------- without knowledge of NumPy's struct


class _Type(ctypes.Structure):
    _fields_ = [
        ("dtype", ctypes.c_int64),
        ("ndim", ctypes.c_int64),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
    ]


_COUNTS = ("inputs", "outputs", "numbers", "pointers", "slots", "heavy")


class _Plan(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in _COUNTS] + [
        ("given", ctypes.POINTER(_Type)),
        ("made", ctypes.POINTER(_Type)),
    ]


def _types(count: int, table: Any) -> list[TensorType]:
    from eqsat.graph.dtypes import ALL

    rows = [table[k] for k in range(count)]
    return [TensorType(ALL[r.dtype], shape=[_known(r.shape[a]) for a in range(r.ndim)]) for r in rows]


def _known(length: int) -> int | None:
    return None if length < 0 else length


def _plain_function(
    tools: _Tools, shared: SharedObject, number: int, constants: Any, keep: Any, meta: Meta, threads: Threads
) -> Function:
    """A Python function that runs a segment without looking into NumPy's struct; slower."""
    start = launcher(*tools, False)
    address = shared.address(f"eq_segment_{number}")
    plan = _Plan.from_address(address)
    given, made = _types(plan.inputs, plan.given), _types(plan.outputs, plan.made)

    def run(*arrays: Any) -> list[np.ndarray] | None:
        if len(arrays) != len(given) or not all(map(wanted, given, arrays)):
            return None
        packed = [whole_bools(np.require(a, requirements=("C", "A"))) for a in arrays]
        outputs: list[Any] = [None] * len(made)

        @_GIVER
        def give(k: int, lengths: Any) -> int:
            outputs[k] = np.empty(lengths[: made[k].ndim], made[k].dtype)
            return int(outputs[k].ctypes.data)

        data = (ctypes.c_void_p * (len(packed) + 1))(*(a.ctypes.data for a in packed))
        flat = [n for a in packed for n in a.shape]
        values = (ctypes.c_int64 * 12)()
        n = (ctypes.c_int64 * (len(flat) + 1))(*flat)
        failed = start.eq_plain(
            ctypes.c_void_p(address), constants, data, n, give, *map(ctypes.c_int64, threads), values
        )
        if failed:
            raise meta.error(values[0], values[1], tuple(values[2:12]))
        return outputs if keep else None

    return run


def wanted(kind: TensorType, array: Any) -> bool:
    """True for an array of a type, in this machine's byte order."""
    return (
        isinstance(array, np.ndarray)
        and array.dtype == kind.dtype
        and array.dtype.isnative
        and array.ndim == kind.ndim
        and all(k is None or k == n for k, n in zip(kind.shape, array.shape, strict=True))
    )


def whole_bools(array: np.ndarray) -> np.ndarray:
    """The array, where it is of bool with bytes that are 0 or 1: other bytes are true, too, but do not count as 1."""
    if array.dtype != bool or array.size == 0 or array.view(np.uint8).max() <= 1:
        return array
    return array.view(np.uint8) != 0


def tidied(arrays: Sequence[Any]) -> list[Any]:
    """Arrays copied to contiguous memory and this machine's byte order; other things as they are."""
    return [_tidy(a) if isinstance(a, np.ndarray) and a.dtype.kind in "biufc" else a for a in arrays]


def _tidy(array: np.ndarray) -> np.ndarray:
    plain = np.empty(array.shape, np.dtype(array.dtype.name))
    plain[...] = array
    return plain


def scipy_pointer(name: str) -> int:
    """Address of the C function of doubles that scipy.special offers under a name; one for several types has a number before it."""
    from scipy.special import cython_special

    table: dict[str, Any] = cython_special.__pyx_capi__
    function = name.removeprefix(SCIPY)
    doubles = re.compile(r"double \((double, )*int\b.*\)")
    for found in (function, *(f"__pyx_fuse_{k}{function}" for k in range(4))):
        if found in table and doubles.fullmatch(layout.capsule_name(table[found])):
            return layout.capsule_pointer(table[found])
    raise NotImplementedError(f"this SciPy offers no C function {function} of doubles")
