"""Numbers as C text that gives back exactly the same value."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.cgen.c.operand import CTYPE
from eqsat.graph.dtypes import COMPLEX, FLOATS, INTEGERS, UNSIGNED, to_real

LEAST_64 = -(2**63)


def literal(value: Any, dtype: str) -> str:
    """C constant of a number in a dtype.

    >>> literal(0.1, "float32"), literal(-2**63, "int64"), literal(float("inf"), "float64")
    ('0.1f', '(-9223372036854775807LL-1)', 'INFINITY')
    """
    if dtype in FLOATS:
        return _float(np.dtype(dtype).type(value), "f" if dtype == "float32" else "")
    if dtype in COMPLEX:
        part = to_real(dtype)
        ctype = CTYPE[part]
        real, imag = (literal(v, part) for v in (value.real, value.imag))
        return f"__builtin_complex(({ctype}){real}, ({ctype}){imag})"
    if dtype == "bool":
        return "1" if value else "0"
    number = int(value)
    if number == LEAST_64:
        return "(-9223372036854775807LL-1)"
    if dtype in UNSIGNED:
        return f"{number}ULL" if dtype == "uint64" else f"{number}U"
    return f"{number}LL" if dtype == "int64" else str(number)


def plain(value: float, dtype: str) -> str:
    """C text of a small whole number or of a limit of a dtype.

    >>> plain(0, "float32"), plain(-128, "int8"), plain(float("-inf"), "float64")
    ('0', 'INT8_MIN', '-INFINITY')
    """
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    if dtype in INTEGERS and abs(value) > 1:
        return f"{dtype.upper()}_{'MIN' if value < 0 else 'MAX'}"
    return str(int(value))


def _float(value: Any, suffix: str) -> str:
    if value != value:
        return "NAN"
    if np.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    text = str(value)
    return (text if any(c in text for c in ".e") else text + ".0") + suffix
