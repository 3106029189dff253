"""Running sums, products and extremes along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ShapeError
from eqsat.graph.batch_rules import next_axis
from eqsat.graph.constant import cast_to
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.create import alloc
from eqsat.graph.ops.elemwise import eq, exp, ge, le, mul, sub, switch
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.specify import specify
from eqsat.graph.ops.subscript import getitem
from eqsat.graph.parameters import AXIS

LENGTHS = "recurrence: axis {axis} has the lengths {0} and {1}"


def flip_op(x: Any, axis: int) -> Any:
    """Tensor with one axis in reverse order."""
    return getitem(x, (slice(None),) * axis + (slice(None, None, -1),))


def _cumsum_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    axis = op.params["axis"]
    return [flip_op(cumsum_op(flip_op(dy, axis), axis=axis), axis)]


def _behind(x: Any, axis: int, first: float) -> Any:
    """x moved by one place along an axis, with a number in the first place."""
    lengths = [1 if a == axis else length(x, a) for a in range(x.ndim)]
    start = alloc(np.asarray(first, x.type.dtype), lengths)
    return getitem(join_op(start, x, axis=axis), (slice(None),) * axis + (slice(length(x, axis)),))


def _from_the_end(a: Any, b: Any, axis: int) -> Any:
    """Sums s with s[k] = b[k] + a[k + 1] * s[k + 1]."""
    turned = _behind(flip_op(a, axis), axis, 0)
    return flip_op(recurrence_op(turned, flip_op(b, axis), axis=axis), axis)


def _cumprod_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """The product before an element, times the products behind it; without dividing, so that zeros do no harm."""
    (x,), axis = inputs, op.params["axis"]
    return [specify(mul(_behind(out, axis, 1), _from_the_end(x, dy, axis)), x.type.shape)]


def _recurrence_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    (a, b), axis = inputs, op.params["axis"]
    whole = _from_the_end(a, dy, axis)
    return [specify(mul(whole, _behind(out, axis, 0)), a.type.shape), specify(whole, b.type.shape)]


def _extreme_grad(no_better: Any) -> Any:
    """A result is the last element that was better than all before it, to which its gradient goes."""

    def grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
        (x,), axis = inputs, op.params["axis"]
        kept = no_better(x, _behind(out, axis, np.nan))  # the first element is kept from nothing
        return [switch(kept, 0, _from_the_end(cast_to(kept, dy.type.dtype), dy, axis))]

    return grad


def _difference(a: Any, b: Any) -> Any:
    """a - b, which is 0 for equal infinities."""
    return switch(eq(a, b), 0, sub(a, b))


def _logcumsumexp_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """The shares of an element in the sums from its own on; none of them is above 1."""
    (x,), axis = inputs, op.params["axis"]
    shares = exp(_difference(_behind(out, axis, -np.inf), out))
    return [mul(exp(_difference(x, out)), _from_the_end(shares, dy, axis))]


def _cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    """Along the last axis each element waits for the one before; along others those of a row do not."""
    along = op.params["axis"] == len(out) - 1
    return Cost(flops=(12 if along else 1.5) * float(np.prod(out)), vector=not along)


@structural(
    "block",
    name="cumsum",
    signature="x->x",
    parameters={"axis": AXIS},
    batch=next_axis,
    grad=_cumsum_grad,
    builder="cumulate.total",
    cost=_cost,
    linear="x",
    accumulates="add",
)
def cumsum_op(x: Any, *, axis: int) -> Any:
    """Sums of the elements up to and including each one along an axis; integers wrap."""
    return np.cumsum(x, axis=axis, dtype=x.dtype)


@structural(
    "block",
    name="cumprod",
    signature="x->x",
    parameters={"axis": AXIS},
    batch=next_axis,
    grad=_cumprod_grad,
    builder="cumulate.product",
    cost=_cost,
    accumulates="mul",
)
def cumprod_op(x: Any, *, axis: int) -> Any:
    """Products of the elements up to and including each one along an axis; integers wrap.

    Every derivative holds at zeros too.
    """
    return np.cumprod(x, axis=axis, dtype=x.dtype)


@structural(
    "block",
    name="cummax",
    signature="x->x",
    dtypes="t->t",
    parameters={"axis": AXIS},
    batch=next_axis,
    grad=_extreme_grad(le),
    builder="cumulate.largest",
    cost=_cost,
    accumulates="maximum",
)
def cummax_op(x: Any, *, axis: int) -> Any:
    """The largest of the elements up to and including each one along an axis; NaN from the first one on."""
    return np.maximum.accumulate(x, axis=axis)


@structural(
    "block",
    name="cummin",
    signature="x->x",
    dtypes="t->t",
    parameters={"axis": AXIS},
    batch=next_axis,
    grad=_extreme_grad(ge),
    builder="cumulate.smallest",
    cost=_cost,
    accumulates="minimum",
)
def cummin_op(x: Any, *, axis: int) -> Any:
    """The smallest of the elements up to and including each one along an axis; NaN from the first one on."""
    return np.minimum.accumulate(x, axis=axis)


@structural(
    "block",
    name="logcumsumexp",
    signature="x->x",
    dtypes="f->f",
    parameters={"axis": AXIS},
    batch=next_axis,
    grad=_logcumsumexp_grad,
    builder="cumulate.logaddexp",
    cost=lambda op, ins, out: Cost(flops=100 * float(np.prod(out)), vector=False),
    accumulates="logaddexp",
)
def logcumsumexp_op(x: Any, *, axis: int) -> Any:
    """Logarithms of the sums of exponentials of the elements up to and including each one along an axis, without overflow."""
    return np.logaddexp.accumulate(x, axis=axis)


@structural(
    "block",
    name="recurrence",
    signature="x,x->x",
    parameters={"axis": AXIS},
    batch=next_axis,
    grad=_recurrence_grad,
    builder="cumulate.recurrence",
    cost=_cost,
)
def recurrence_op(a: Any, b: Any, *, axis: int) -> Any:
    """y with y[0] = b[0] and y[k] = b[k] + a[k] * y[k - 1] along an axis."""
    for k, (have, want) in enumerate(zip(a.shape, b.shape, strict=True)):
        if have != want:
            raise ShapeError(LENGTHS.replace("{axis}", str(k)).format(have, want))
    out = np.array(b)
    rows, factors = np.moveaxis(out, axis, 0), np.moveaxis(a, axis, 0)
    for k in range(1, len(rows)):
        rows[k] += factors[k] * rows[k - 1]
    return out
