"""Facts about Python and NumPy for the launcher: addresses of objects and functions, and a check of NumPy's struct."""

from __future__ import annotations

import ctypes
import functools
import platform
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat.base.notices import warn_once
from eqsat.graph.dtypes import ALL

ABI = (0x1000009, 0x2000000)  # versions of NumPy's table of functions: of 1.x and of 2.x
NEW_ARRAY = 93  # place of PyArray_New in both
SET_HANDLER = 304  # place of PyDataMem_SetHandler in both
_CALLS = [
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "PyList_New",
    "PyList_SetItem",
    "Py_IncRef",
    "Py_DecRef",
    "PyObject_CallFunction",
    "PyCapsule_GetPointer",
    "PyCapsule_New",
    "PyType_GenericAlloc",
]


class Table(ctypes.Structure):
    """The launcher's struct ``python``."""

    _fields_ = [
        ("array_type", ctypes.c_void_p),
        ("descr", ctypes.c_void_p * len(ALL)),
        ("number", ctypes.c_int64 * len(ALL)),
        ("other", ctypes.c_int64 * len(ALL)),
        ("itemsize", ctypes.c_int64 * len(ALL)),
        ("none", ctypes.c_void_p),
        ("new_array", ctypes.c_void_p),
        ("set_handler", ctypes.c_void_p),
        ("calls", ctypes.c_void_p * len(_CALLS)),
    ]


def capsule_name(capsule: Any) -> str:
    """The name of a capsule: Cython gives it the C type of the function that it holds."""
    return _capsule_name()(capsule).decode()


def _capsule_name() -> Any:
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return name


def capsule_pointer(capsule: Any) -> int:
    """Address that a capsule holds."""
    name = _capsule_name()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(capsule, name(capsule)))


def _numpy_functions() -> Any:
    """NumPy's table of C functions."""
    core: Any = np._core if hasattr(np, "_core") else np.core  # type: ignore[attr-defined]
    return ctypes.cast(capsule_pointer(core._multiarray_umath._ARRAY_API), ctypes.POINTER(ctypes.c_void_p))


@functools.lru_cache(maxsize=1)
def table() -> Table | None:
    """The launcher's table for this interpreter; None, with one warning, where a check of what it relies on fails."""
    reason = refusal()
    if reason is None:
        return _table()
    warn_once(
        "layout",
        f"calls of compiled functions go through ctypes, which takes some 20 \N{MICRO SIGN}s each: {reason} "
        f"(Python {platform.python_version()}, NumPy {np.__version__})",
    )
    return None


def refusal() -> str | None:
    """The reason why the launcher cannot look into objects of Python and NumPy here; None where it can."""
    if platform.python_implementation() != "CPython":
        return f"{platform.python_implementation()} has other objects than CPython"
    if "t" in getattr(sys, "abiflags", ""):
        return "this Python has no global lock"
    if sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return "this processor is not a little-endian one of 64 bits"
    try:
        return next((reason for reason, holds in CHECKS.items() if not holds()), None)
    except (AttributeError, ValueError, OSError) as error:
        return f"a check failed ({error})"


def _table() -> Table:
    dtypes = [np.dtype(name) for name in ALL]
    api = ctypes.pythonapi
    calls = [ctypes.cast(getattr(api, name), ctypes.c_void_p).value for name in _CALLS]
    return Table(
        id(np.ndarray),
        (ctypes.c_void_p * len(ALL))(*(id(d) for d in dtypes)),
        (ctypes.c_int64 * len(ALL))(*(d.num for d in dtypes)),
        (ctypes.c_int64 * len(ALL))(*(_other(d).num for d in dtypes)),
        (ctypes.c_int64 * len(ALL))(*(d.itemsize for d in dtypes)),
        id(None),
        int(_numpy_functions()[NEW_ARRAY] or 0),
        int(_numpy_functions()[SET_HANDLER] or 0),
        (ctypes.c_void_p * len(_CALLS))(*calls),
    )


def _other(dtype: Any) -> Any:
    """The second C type that has the size of a dtype, where there is one."""
    letters = {"i": "bhilq", "u": "BHILQ"}.get(dtype.kind, "")
    same = [
        np.dtype(c)
        for c in letters
        if np.dtype(c).itemsize == dtype.itemsize and np.dtype(c).num != dtype.num
    ]
    return same[0] if same else dtype


def _words(address: int, count: int) -> list[int]:
    return list((ctypes.c_int64 * count).from_address(address))


def _head(thing: Any, count: int) -> list[int]:
    """The first words of an object, which lives as long as they are read."""
    return _words(id(thing), count)


# ------------------------------------------------------------------------------------------------------ checks


def _version_is_known() -> bool:
    """NumPy's functions stand in the order of 1.x or 2.x; the first of them gives the version."""
    kind = ctypes.PYFUNCTYPE(ctypes.c_uint)
    return kind(int(_numpy_functions()[0] or 0))() in ABI


def _references_are_counted() -> bool:
    """One more reference is one more in the low half of the first word."""
    thing = np.zeros(1)
    before = _head(thing, 1)[0]
    held = [thing, thing]
    return _head(thing, 1)[0] & 0xFFFFFFFF == (before & 0xFFFFFFFF) + len(held)


def _array_is_as_expected() -> bool:
    """Compare the struct of a strided array, word by word, with what NumPy says about it."""
    whole = np.zeros((4, 6), np.float32)
    part = whole[1:, ::2]
    words = _head(part, 9)
    return (
        words[1] == id(np.ndarray)
        and words[2] == part.__array_interface__["data"][0]
        and words[3] & 0xFFFFFFFF == 2
        and tuple(_words(words[4], 2)) == part.shape
        and tuple(_words(words[5], 2)) == part.strides
        and words[6] == id(whole)
        and words[7] == id(part.dtype)
        and words[8] & 0xFFFFFFFF == part.flags.num
        and _head(whole, 9)[8] & 0xFFFFFFFD == 0x505
    )


def _dtypes_are_as_expected() -> bool:
    """The struct of a dtype says its number and its byte order; a builtin dtype is one object."""
    plain = [np.dtype(letter) for letter in "?bhilqBHILQfdFD"]
    other = np.dtype(">f4")
    return (
        all(_number(d) == d.num for d in plain)
        and all(np.zeros(0, name).dtype is np.dtype(name) for name in ALL)
        and chr(_head(other, 4)[3] >> 16 & 0xFF) == ">"
    )


def _number(dtype: Any) -> int:
    """Number of a dtype as its struct says, -1 where its byte order is not this machine's."""
    word = _head(dtype, 4)[3]
    return word >> 32 if chr(word >> 16 & 0xFF) in "=|" else -1


def _new_array_works() -> bool:
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        ctypes.py_object,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_void_p,
    )
    lengths = (ctypes.c_int64 * 2)(3, 2)
    made = kind(int(_numpy_functions()[NEW_ARRAY] or 0))(
        np.ndarray, 2, ctypes.addressof(lengths), np.dtype("int16").num, None, None, 0, 0, None
    )
    return type(made) is np.ndarray and made.shape == (3, 2) and made.dtype is np.dtype("int16")


def _handlers_are_set() -> bool:
    """The handler of memory that was set is given back when another one is."""
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)
    give = kind(int(_numpy_functions()[SET_HANDLER] or 0))
    usual = give(None)
    plain = give(id(usual))
    return capsule_pointer(usual) != 0 and type(plain) is type(usual) and give(id(usual)) is usual


CHECKS: dict[str, Callable[[], bool]] = {  # in this order: a check may rely on those before it
    "NumPy's table of C functions is of an unknown version": _version_is_known,
    "references are not counted in the first word of an object": _references_are_counted,
    "NumPy's arrays do not lie in memory as expected": _array_is_as_expected,
    "NumPy's dtypes do not lie in memory as expected": _dtypes_are_as_expected,
    "NumPy's function for new arrays does not stand where it is expected": _new_array_works,
    "NumPy's function for handlers of memory does not stand where it is expected": _handlers_are_set,
}
