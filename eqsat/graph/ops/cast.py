"""Conversion between dtypes; floats outside the range of an integer saturate and NaN becomes 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, elemwise
from eqsat.graph.dtypes import BOOL, FLOATS, INEXACT, INTEGERS, to_complex
from eqsat.graph.parameters import DTYPE


def _c(operand: str, result: str) -> str:
    if result == BOOL:
        return "({x} != 0)"
    if operand in FLOATS and result in INTEGERS:
        return f"eq_saturate_{result}_t__{{U}}({{x}})"
    return "(({T})({x}))"


def _grad(op: Any, x: Any, dy: Any) -> Any:
    source = x.type.dtype
    if source not in INEXACT or op.params["dtype"] not in INEXACT:
        return None
    if source in FLOATS and dy.type.dtype not in FLOATS:
        from eqsat.graph.ops.complex import real

        dy = real(cast_op(dy, dtype=to_complex(source)))
    return cast_op(dy, dtype=source)


@elemwise(
    name="cast",
    linear="x",
    c=_c,
    signature="a->d",
    parameters={"dtype": DTYPE},
    grad=_grad,
    cost=Cost(flops=1),
    facts=("float nonneg if nonneg x", "unsigned if nonneg x, unsigned x"),
    real="number(x)",
)
def cast_op(x: Any, *, dtype: str) -> Any:
    """Elements converted to a dtype; a float outside an integer's range gives the nearest end, NaN gives 0."""
    x = np.asarray(x)
    if x.dtype.kind != "f" or np.dtype(dtype).kind not in "iu":
        return x.astype(dtype)
    info = np.iinfo(dtype)
    above, below = x >= float(info.max), x <= float(info.min)
    inside = np.where(above | below | np.isnan(x), 0, x).astype(dtype)
    return np.where(above, info.max, np.where(below, info.min, inside)).astype(dtype)
