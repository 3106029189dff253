"""What the launcher knows about Python and NumPy: addresses of objects and functions, and a check of NumPy's struct."""

from __future__ import annotations

import ctypes
import functools
import platform
import sys
import sysconfig
from typing import Any

import numpy as np

from eqsat.graph.dtypes import ALL

NEW_ARRAY = 93  # place of PyArray_New in NumPy's table of functions
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
        ("calls", ctypes.c_void_p * len(_CALLS)),
    ]


def capsule_pointer(capsule: Any) -> int:
    """Address that a capsule holds."""
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(capsule, name(capsule)))


def _new_array_address() -> int:
    core: Any = np._core if hasattr(np, "_core") else np.core  # type: ignore[attr-defined]
    table = ctypes.cast(capsule_pointer(core._multiarray_umath._ARRAY_API), ctypes.POINTER(ctypes.c_void_p))
    return int(table[NEW_ARRAY] or 0)


@functools.lru_cache(maxsize=1)
def table() -> Table | None:
    """The launcher's table for this interpreter; None where a check of what it relies on fails."""
    if platform.python_implementation() != "CPython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    if sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    try:
        result = _table()
        return result if _array_is_as_expected() and _new_array_works(result.new_array) else None
    except (AttributeError, ValueError, OSError):
        return None


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
        _new_array_address(),
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


def _number(letter: str) -> int:
    """Number of a dtype as its struct says, -1 where its byte order is not this machine's."""
    word = _words(id(np.dtype(letter)), 4)[3]
    return word >> 32 if chr(word >> 16 & 0xFF) in "=|" else -1


def _array_is_as_expected() -> bool:
    """Compare the struct of a strided array, word by word, with what NumPy says about it."""
    whole = np.zeros((4, 6), np.float32)
    part = whole[1:, ::2]
    words = _words(id(part), 9)
    return (
        words[0] & 0xFFFFFFFF == sys.getrefcount(part) - 1
        and words[1] == id(np.ndarray)
        and words[2] == part.__array_interface__["data"][0]
        and words[3] & 0xFFFFFFFF == 2
        and tuple(_words(words[4], 2)) == part.shape
        and tuple(_words(words[5], 2)) == part.strides
        and words[6] == id(whole)
        and words[7] == id(np.dtype("float32"))
        and words[8] & 0xFFFFFFFF == part.flags.num
        and _words(id(whole), 9)[8] & 0xFFFFFFFD == 0x505
        and all(_number(c) == np.dtype(c).num for c in "?bhilqBHILQfdFD")
        and chr(_words(id(np.dtype(">f4")), 4)[3] >> 16 & 0xFF) == ">"
    )


def _new_array_works(address: int) -> bool:
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
    made = kind(address)(
        np.ndarray, 2, ctypes.addressof(lengths), np.dtype("int16").num, None, None, 0, 0, None
    )
    return type(made) is np.ndarray and made.shape == (3, 2) and made.dtype is np.dtype("int16")
