"""The greatest common divisor and the least common multiple of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, elemwise


@elemwise(
    c={"bool": "({x} | {y})", "else": "eq_gcd__{T}({x}, {y})"},
    signature="i,i->i",
    commutative=True,
    cost=Cost(flops=200, vector=False),
)
def gcd(x: Any, y: Any) -> Any:
    """Greatest integer by which both can be divided, never negative; that of 0 and x is the magnitude of x."""
    return x | y if x.dtype == bool else np.gcd(x, y)


@elemwise(
    c={"bool": "({x} & {y})", "else": "eq_lcm__{T}({x}, {y})"},
    signature="i,i->i",
    commutative=True,
    cost=Cost(flops=200, vector=False),
)
def lcm(x: Any, y: Any) -> Any:
    """Least positive integer that both divide, 0 where one of them is 0; it wraps where it is too large."""
    return x & y if x.dtype == bool else np.lcm(x, y)
