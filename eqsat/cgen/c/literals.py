"""Numbers as C text that gives back exactly the same value."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.c_operand import CTYPE
from eqsat.graph.dtypes import COMPLEX, FLOATS, UNSIGNED, to_real

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


def _float(value: Any, suffix: str) -> str:
    if value != value:
        return "NAN"
    if np.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    text = str(value)
    return (text if any(c in text for c in ".e") else text + ".0") + suffix
