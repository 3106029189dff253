"""Numbers in parts: fractions and whole parts, angles without jumps, pieces by conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.constant import as_tensor, beside, cast_to
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import alloc
from eqsat.graph.ops.join import concatenate, normal_axis
from eqsat.graph.ops.rounding import copysign, trunc
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.special import logaddexp
from eqsat.tensor import cumulative
from eqsat.tensor.reduction import floating


def modf(x: Any) -> tuple[Any, Any]:
    """The parts of numbers behind the point and before it, both with their signs.

    Shapes   x: f[...] -> f[...], f[...]
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> [part.eval().tolist() for part in T.modf([1.5, -2.25])]
    [[0.5, -0.25], [1.0, -2.0]]
    """
    x = floating("modf", x)
    whole = trunc(x)
    rest = e.switch(e.isinf(x), np.zeros((), x.type.dtype), e.sub(x, whole))
    return copysign(rest, x), whole


def logaddexp2(x: Any, y: Any) -> Any:
    """log2(2 ** x + 2 ** y) without overflow.

    Shapes   x, y: f[...] -> f[...], broadcast
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.logaddexp2([3.0, 2000.0], [3.0, 2000.0]).eval()
    array([   4., 2001.])
    """
    x, y = as_tensor(x), as_tensor(y)
    natural = beside(np.log(2.0), x if x.type.dtype in FLOATS else y)
    return e.truediv(logaddexp(e.mul(x, natural), e.mul(y, natural)), natural)


def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi) -> Any:
    """Angles along an axis with multiples of the period added, so that neighbours differ by at most half of it.

    Differences below ``discont`` stay as they are.

    Shapes   p: f[..., n] -> f[..., n]
    Errors   AxisError for an axis that p does not have

    >>> import eqsat.tensor as T
    >>> T.unwrap([0.0, 3.0, 6.5], period=4.0).eval()
    array([ 0. , -1. , -1.5])
    """
    p = floating("unwrap", p)
    jumps = cumulative.diff(p, axis=axis)
    half, whole = (beside(v, p) for v in (period / 2, period))
    turned = e.sub(e.mod(e.add(jumps, half), whole), half)
    turned = e.switch(e.and_(e.eq(turned, -half), e.gt(jumps, 0)), half, turned)
    least = half if discont is None else e.maximum(beside(discont, p), half)
    more = e.switch(e.lt(e.abs(jumps), least), np.zeros((), p.type.dtype), e.sub(turned, jumps))
    return e.add(p, cumulative.cumsum(_behind_nothing(more, p, axis), axis))


def _behind_nothing(x: Any, like: Any, axis: int) -> Any:
    """x behind an element of 0 along an axis, but for that of a tensor without elements."""
    axis = normal_axis("unwrap", axis, like.ndim, like)
    lengths = [e.minimum(length(like, a), 1) if a == axis else length(like, a) for a in range(like.ndim)]
    return concatenate([alloc(np.zeros((), x.type.dtype), *lengths), x], axis)


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:
    """For each element the value of the function, or the number, whose condition holds; of several the last one counts.

    One function more than conditions is for the elements of which none holds; without it they are 0. All functions are
    called with the whole of x.

    Shapes   x: any[...], conditions: bool[...] -> any[...], in the dtype of x
    Errors   ArgumentError for other numbers of functions than of conditions

    >>> import eqsat.tensor as T
    >>> x = T.constant([-2.0, 0.0, 3.0])
    >>> T.piecewise(x, [x < 0, x > 0], [lambda v: -v, 10.0]).eval()
    array([ 2.,  0., 10.])
    """
    x = as_tensor(x)
    conditions = list(condlist) if isinstance(condlist, (list, tuple)) else [condlist]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ArgumentError(f"piecewise: {len(conditions)} conditions for {len(funclist)} functions")
    rest = funclist[len(conditions) :] or [0]

    def value(item: Any) -> Any:
        return cast_to(as_tensor(item(x, *args, **kw) if callable(item) else item), x.type.dtype)

    found = e.fill(x, value(rest[0]))
    for condition, item in zip(conditions, funclist, strict=False):
        found = e.switch(condition, value(item), found)
    return found
