"""Ops that ONNX lacks, written as others of eqsat: some elementwise ones, running ones as loops, places that are searched or counted."""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.onnx.reading import as_constant
from eqsat.bridges.onnx.writing import spelled
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops.diagonal import other_axes
from eqsat.scan import scan


def number(value: float, like: Any) -> Any:
    """A number of the dtype of a variable, which broadcasts."""
    return as_constant(np.full((1,) * like.ndim, value, like.type.dtype))


# --------------------------------------------------------------------------------------------------------- elements


def _negative(x: Any) -> Any:
    """The sign bit of a float that is a number: zeros have one too."""
    one, zero = number(1, x), number(0, x)
    return T.lt(T.switch(T.eq(x, zero), one / x, x), zero)


spelled("signbit")(lambda node, x: _negative(x))
spelled("copysign")(lambda node, x, y: T.switch(_negative(y), T.neg(T.abs(x)), T.abs(x)))
spelled("round_to_parts")(lambda node, x, y: T.round_half_to_even(x * y) / y)
spelled("round_to_multiples")(lambda node, x, y: T.round_half_to_even(x / y) * y)


@spelled("round_half_away_from_zero")
def rounded(node: Any, x: Any) -> Any:
    if x.dtype not in FLOATS:
        return T.identity(x)
    size = T.abs(x)
    whole = T.floor(size)
    up = T.switch(T.ge(size - whole, number(0.5, x)), whole + number(1, x), whole)
    return T.sign(x) * T.switch(T.isinf(x), size, up)


@spelled("hypot")
def hypotenuse(node: Any, x: Any, y: Any) -> Any:
    """Divided by the larger side first, so that no square overflows; a side that is infinite decides, even beside NaN."""
    a, b = T.abs(x), T.abs(y)
    large, zero, one = T.maximum(a, b), number(0, x), number(1, x)
    plain = T.or_(T.eq(large, zero), T.isinf(large))
    scale = T.switch(plain, one, large)
    found = large * T.sqrt((a / scale) ** 2 + (b / scale) ** 2)
    ends = T.or_(T.isinf(a), T.isinf(b))
    return T.switch(ends, number(np.inf, x), T.switch(plain, large, found))


@spelled("arctan2")
def angle(node: Any, y: Any, x: Any) -> Any:
    """By the arctangent of the quotient, moved to the side on which x is; of infinities only the signs count."""
    one, zero = number(1, x), number(0, x)
    both = T.and_(T.isinf(x), T.isinf(y))
    a = T.switch(both, T.sign(y), y)
    b = T.switch(both, T.sign(x), x)
    ahead = T.arctan(a / T.switch(T.eq(b, zero), one, b))
    half = T.switch(_negative(y), number(-pi, x), number(pi, x))
    level = T.switch(_negative(x), half, T.switch(_negative(y), number(-0.0, x), zero))
    upright = T.switch(T.eq(a, zero), level, half * number(0.5, x))
    turned = T.switch(T.eq(a, zero), level, T.switch(T.lt(b, zero), ahead + half, ahead))
    found = T.switch(T.eq(b, zero), upright, turned)
    return T.switch(T.or_(T.isnan(x), T.isnan(y)), x + y, found)


def _soft(x: Any) -> Any:
    """The logarithm of 1 + exp(x)."""
    return T.maximum(x, number(0, x)) + T.log1p(T.exp(T.neg(T.abs(x))))


spelled("softplus", dtype="float64")(lambda node, x: _soft(x))
spelled("tan", dtype="float64")(lambda node, x: T.sin(x) / T.cos(x))
spelled("cosh", dtype="float64")(lambda node, x: (T.exp(x) + T.exp(T.neg(x))) * number(0.5, x))
spelled("sinh", dtype="float64")(lambda node, x: (T.expm1(x) - T.expm1(T.neg(x))) * number(0.5, x))
spelled("arctanh", dtype="float64")(lambda node, x: (T.log1p(x) - T.log1p(T.neg(x))) * number(0.5, x))
spelled("log_softplus")(lambda node, x: T.switch(T.lt(x, number(-40, x)), x, T.log(T.softplus(x))))


@spelled("log_cosh")
def log_cosh(node: Any, x: Any) -> Any:
    """By log1p of the square of sinh where x is small, and of the exponential elsewhere."""
    size, square = T.abs(x), T.expm1(T.abs(x)) ** 2 / (number(2, x) * T.exp(T.abs(x)))
    far = size + T.log1p(T.exp(size * number(-2, x))) - number(log(2), x)
    return T.switch(T.lt(size, number(1, x)), T.log1p(square), far)


@spelled("sinc")
def sinc(node: Any, x: Any) -> Any:
    zero, one = number(0, x), number(1, x)
    y = T.switch(T.eq(x, zero), one, x * number(pi, x))
    return T.switch(T.eq(x, zero), one, T.sin(y) / y)


# ----------------------------------------------------------------------------------------------------- running values


def _of_none(reduction: str, x: Any) -> float:
    """The number that a reduction gives of no elements."""
    declared = OPS[reduction].reduction
    assert declared is not None, reduction
    return declared.identity(x.dtype)


def running(node: Any, x: Any, start: Any, step: Callable[..., Any], *others: Any) -> Any:
    """The values of a loop over the elements of an axis, which starts with a number."""
    axis = node.op.params["axis"]
    order = [axis, *(a for a in range(x.ndim) if a != axis)]
    rows = [v.dimshuffle(*order) for v in (x, *others)]
    first = T.alloc(np.asarray(start, x.dtype), *rows[0].shape[1:])
    found, _ = scan(step, sequences=rows, outputs_info=[first])
    return found.dimshuffle(*(order.index(a) for a in range(x.ndim)))


spelled("cumprod")(lambda node, x: running(node, x, 1, lambda v, before: before * v))
spelled("cummax")(
    lambda node, x: running(node, x, _of_none("max", x), lambda v, before: T.maximum(before, v))
)
spelled("cummin")(
    lambda node, x: running(node, x, _of_none("min", x), lambda v, before: T.minimum(before, v))
)
spelled("logcumsumexp")(lambda node, x: running(node, x, -np.inf, lambda v, before: T.logaddexp(before, v)))
spelled("recurrence")(lambda node, a, b: running(node, a, 0, lambda c, d, before: d + c * before, b))


# ------------------------------------------------------------------------------------------- diagonals, places, counts


def _diagonal(node: Any, x: Any) -> tuple[Any, Any]:
    """The index of a diagonal in a tensor, and the order of the axes of what it picks, with the diagonal last."""
    offset, first, second = node.op.params["pattern"]
    n = T.maximum(T.minimum(x.shape[first] + min(offset, 0), x.shape[second] - max(offset, 0)), 0)
    i = T.arange(n)
    index: list[Any] = [slice(None)] * x.ndim
    index[first], index[second] = i + max(-offset, 0), i + max(offset, 0)
    rest = len(other_axes(node.op.params["pattern"], x.ndim))
    place = min(first, second) if abs(first - second) == 1 else 0
    return tuple(index), [a for a in range(rest + 1) if a != place] + [place]


@spelled("diagonal")
def diagonal(node: Any, x: Any) -> Any:
    index, order = _diagonal(node, x)
    return x[index].dimshuffle(*order)


@spelled("set_diagonal")
def with_diagonal(node: Any, x: Any, y: Any) -> Any:
    index, order = _diagonal(node, x)
    value = y.dimshuffle(*(order.index(k) for k in range(y.ndim)))
    return (T.inc_subtensor if node.op.params["add"] else T.set_subtensor)(x[index], value)


@spelled("searchsorted")
def searched(node: Any, a: Any, v: Any) -> Any:
    """The number of elements that lie before; NaN lies after all numbers."""
    before = (T.le if node.op.params["right"] else T.lt)(a, v.dimshuffle(*range(v.ndim), "x"))
    if a.dtype in FLOATS:
        last = T.isnan(v.dimshuffle(*range(v.ndim), "x"))
        before = T.or_(before, last if node.op.params["right"] else T.and_(last, T.invert(T.isnan(a))))
    return T.sum(T.cast(before, "int64"), axis=-1)


@spelled("bins")
def bins(node: Any, x: Any, least: Any) -> Any:
    numbers = T.join(0, T.cast(x, "int64"), T.stack([T.cast(least, "int64") - 1]))
    return T.max(numbers) + 1


@spelled("spread")
def repeated(node: Any, counts: Any, n: Any) -> Any:
    """As many starts lie at or before a place as its index says, less one."""
    ends = T.cumsum(T.cast(counts, "int64"))
    places = T.arange(T.sum(T.cast(counts, "int64")))
    return T.sum(T.cast(T.le(ends, places.dimshuffle(0, "x")), "int64"), axis=1)


@spelled("part_ends")
def ends(node: Any, sizes: Any, n: Any) -> Any:
    return T.join(0, T.zeros((1,), "int64"), T.cumsum(T.cast(sizes, "int64")))


@spelled("run_starts")
def starts(node: Any, x: Any) -> Any:
    new = T.neq(x[1:], x[:-1])
    if x.dtype in FLOATS:
        new = T.and_(new, T.invert(T.and_(T.isnan(x[1:]), T.isnan(x[:-1]))))
    return T.nonzero(T.join(0, T.ones_like(x[:1], "bool"), new))[0]
