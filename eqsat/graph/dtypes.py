"""Element types: the list, their codes, and the rules by which they are combined."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.errors import DTypeError

BOOL = "bool"
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
INEXACT = FLOATS + COMPLEX
REAL = (BOOL, *SIGNED, *UNSIGNED, *FLOATS)
ALL = (*REAL, *COMPLEX)
INTEGERS = SIGNED + UNSIGNED
CODE = {name: code for code, name in enumerate(ALL)}
FIRST_FLOAT_CODE = CODE["float32"]
NAME = {np.dtype(name): name for name in ALL}
SHORT = {"bool": "bool", **{n: n.replace("uint", "u").replace("int", "i") for n in INTEGERS}}
SHORT |= {"float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128"}


def holds_all(big: str, small: str) -> bool:
    """True where every value of one dtype is a value of another; NumPy's safe casts round 64-bit integers to floats.

    >>> holds_all("float64", "int32"), holds_all("float64", "int64")
    (True, False)
    """
    rounds = big in INEXACT and small in ("int64", "uint64")
    return bool(np.can_cast(small, big, "safe")) and not rounds


def check_dtype(name: Any) -> str:
    """Name of a supported dtype; ``"floatX"`` is read from the configuration. Raises DTypeError."""
    if type(name) is str and name in CODE:
        return name
    if name == "floatX":
        return str(config.floatX)
    try:
        text = np.dtype(name).name
    except (TypeError, ValueError):  # ValueError for an object whose own dtype is not NumPy's
        text = str(name)
    if text not in CODE or name is None:
        raise DTypeError(f"unknown dtype {name!r}", among=(name, ALL), dtype=name)
    return text


@functools.cache
def promote(*names: str) -> str:
    """The smallest dtype that holds all of the given ones, by NumPy's table for arrays.

    >>> promote("int32", "float32"), promote("int8", "uint8")
    ('float64', 'int16')
    """
    return np.result_type(*(np.dtype(n) for n in names)).name


def to_float(name: str) -> str:
    """Floating dtype in which a function of a dtype is computed: 32 bits up to 16-bit integers, else 64."""
    if name in INEXACT:
        return name
    return "float32" if np.dtype(name).itemsize <= 2 else "float64"


def to_complex(name: str) -> str:
    """Complex dtype in which a dtype is computed: that of two of its floating dtype."""
    return "complex64" if to_float(name) in ("float32", "complex64") else "complex128"


def to_real(name: str) -> str:
    """Dtype of the real part of a dtype.

    >>> to_real("complex64"), to_real("int8")
    ('float32', 'int8')
    """
    return {"complex64": "float32", "complex128": "float64"}.get(name, name)


def accumulator(name: str) -> str:
    """Dtype of a sum or product of a dtype: 64 bits for integers and bool, the same for floats and complex."""
    if name in INEXACT:
        return name
    return "uint64" if name in UNSIGNED else "int64"


_RANGES = {n: (int(np.iinfo(n).min), int(np.iinfo(n).max)) for n in (*SIGNED, "uint64")}


def constant_dtype(value: Any) -> str:
    """Dtype of a Python number in an expression: the smallest that holds it exactly.

    Floats give float32 where that is exact or ``floatX`` is float32, else float64, unless
    ``config.autocast_float`` names one dtype for all; complex numbers give complex64 where both parts give
    float32.
    """
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        for name, (least, greatest) in _RANGES.items():
            if least <= value <= greatest:
                return name
        raise DTypeError(f"the integer {value} does not fit 64 bits", value=value)
    if isinstance(value, complex):
        return to_complex(promote(constant_dtype(value.real), constant_dtype(value.imag)))
    if config.autocast_float != "smallest":
        return str(config.autocast_float)
    if config.floatX == "float32" or value != value or float(np.float32(_quiet(value))) == value:
        return "float32"
    return "float64"


def _quiet(value: float) -> float:
    limit = float(np.finfo(np.float32).max)
    return value if abs(value) <= limit or abs(value) == float("inf") else 0.0
