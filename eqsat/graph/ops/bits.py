"""Bits of floating numbers as integers, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, elemwise
from eqsat.graph.dtypes import BOOL
from eqsat.graph.parameters import DTYPE


def _c_bits(operand: str, result: str) -> str:
    bits = "eq_float_bits__{U}({x})"
    return f"({bits} != 0)" if result == BOOL else f"({{T}}){bits}"


@elemwise(
    c=_c_bits,
    signature="f->d",
    parameters={"dtype": DTYPE},
    cost=Cost(flops=1),
)
def float_bits(x: Any, *, dtype: str) -> Any:
    """The bits of a number as an integer without sign, converted to a dtype; ``uint32`` or ``uint64`` has them all."""
    return np.ascontiguousarray(x).view(f"uint{8 * x.dtype.itemsize}").reshape(np.shape(x)).astype(dtype)


@elemwise(
    c="eq_bits_float__{T}({bits})",
    signature="i,f->f",
    cost=Cost(flops=1),
)
def bits_float(bits: Any, like: Any) -> Any:
    """The number whose bits are those of an integer, of which it has the last; ``like`` has its dtype, and no part in the value."""
    bits, like = np.broadcast_arrays(bits, like)
    words = bits.astype(np.uint64).astype(f"uint{8 * like.dtype.itemsize}")
    return words.view(like.dtype)
