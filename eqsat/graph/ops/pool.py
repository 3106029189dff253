"""Windows over the last axes of a tensor: their maximum or sum, and the adjoints of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from eqsat.errors import DTypeError, RankError, ShapeError
from eqsat.graph.batch_rules import leading
from eqsat.graph.batch_windows import fixed_lengths
from eqsat.graph.core import Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import COMPLEX
from eqsat.graph.ops.shape import length
from eqsat.graph.parameters import PADS, PARTIAL, STRIDES, WINDOW
from eqsat.graph.tensor_type import TensorType

PARAMETERS = {"window": WINDOW, "strides": STRIDES, "pads": PADS, "partial": PARTIAL}


# ------------------------------------------------------------------------------------------------- geometry


def window_count(n: int, window: int, stride: int, pad: int, partial: bool) -> int:
    """Number of windows along an axis; ``partial`` keeps those that reach beyond its end.

    >>> window_count(5, 2, 2, 0, False), window_count(5, 2, 2, 0, True)
    (2, 3)
    """
    if n == 0:
        return 0
    if not partial:
        return max(0, (n + 2 * pad - window) // stride + 1)
    return (n - 1) // stride + 1 if stride >= window else max(0, (n - 1 - window) // stride + 1) + 1


def _counts(params: Any, lengths: Sequence[int | None]) -> list[int | None]:
    numbers = zip(lengths, params["window"], params["strides"], params["pads"], strict=True)
    return [None if n is None else window_count(n, k, s, p, params["partial"]) for n, k, s, p in numbers]


def _pooled(params: Any, shape: Sequence[int | None]) -> Any:
    first = len(shape) - len(params["window"])
    return (*shape[:first], *_counts(params, shape[first:]))


def _windows(params: Any, shape: Sequence[int]) -> Iterator[tuple[Any, Any]]:
    """Index of each window in the output, and of its elements in the input."""
    first = len(shape) - len(params["window"])
    for place in np.ndindex(*_pooled(params, shape)[first:]):
        starts = [i * s - p for i, s, p in zip(place, params["strides"], params["pads"], strict=True)]
        parts = [slice(max(0, a), max(0, a + k)) for a, k in zip(starts, params["window"], strict=True)]
        yield (..., *place), (..., *parts)


def _need(op: Any, name: str, x: Any) -> None:
    spatial = len(op.params["window"])
    if x.type.ndim < spatial:
        raise RankError(
            f"{op.name}: {x} has {x.type.ndim} dimensions, fewer than the window",
            operands=[(x.name or name, x)],
            needs=f"{spatial} or more",
        )
    if x.type.dtype in COMPLEX:
        raise DTypeError(f"{op.name}: {x} is {x.dtype}", operands=[(x.name or name, x)], needs="real numbers")


def _pooled_type(op: Any, x: Any) -> TensorType:
    _need(op, "x", x)
    return TensorType(x.type.dtype, shape=_pooled(op.params, x.type.shape))


def _check_pooled(found: Sequence[int | None], wanted: Sequence[int | None]) -> None:
    for axis, (have, want) in enumerate(zip(found, wanted, strict=True)):
        if have is not None and want is not None and have != want:
            raise ShapeError(f"pool: axis {axis} of the pooled operand has length {have}, not {want}")


def _pair_type(op: Any, x: Any, y: Any, shape: Callable[[], Any]) -> TensorType:
    _need(op, "x", x)
    if x.type.ndim != y.type.ndim:
        raise RankError(f"{op.name}: {x} and {y} differ in rank", operands=[("x", x), ("y", y)])
    try:
        return TensorType(y.type.dtype, shape=shape())
    except ShapeError as error:
        raise ShapeError(error.message, operands=[("x", x), ("y", y)]) from None


def _cost(op: Any, shape: Sequence[float]) -> Cost:
    return Cost(flops=2 * float(np.prod(shape)) * float(np.prod(op.params["window"])))


# ------------------------------------------------------------------------------------------------- maximum


@structural(
    "block",
    name="pool_max",
    ordered="values",
    parameters=PARAMETERS,
    signature="x->x?",
    batch=leading,
    infer=_pooled_type,
    grad=lambda op, inputs, out, dy: [pool_route_op.bind(**op.params)(inputs[0], dy)],
    builder="pool.largest",
    cost=lambda op, ins, out: _cost(op, out),
)
def pool_max_op(x: Any, *, window: Any, strides: Any, pads: Any, partial: bool) -> Any:
    """Largest element of each window over the last axes; NaN where there is one.

    Shapes   x: any[..., n] -> any[..., m]
    """
    params = {"window": window, "strides": strides, "pads": pads, "partial": partial}
    out = np.empty(_pooled(params, x.shape), x.dtype)
    axes = tuple(range(-len(window), 0))
    for place, part in _windows(params, x.shape):
        out[place] = x[part].max(axis=axes)
    return out


def _first_best(x: Any, params: Any) -> Iterator[tuple[Any, Any]]:
    """Index of each window in the output, and where in x its first largest element stands."""
    spatial = len(params["window"])
    lead = x.shape[: x.ndim - spatial]
    for place, part in _windows(params, x.shape):
        inside = x[part]
        flat = inside.reshape(*lead, int(np.prod(inside.shape[x.ndim - spatial :]))).argmax(axis=-1)
        local = np.unravel_index(flat, inside.shape[x.ndim - spatial :])
        starts = [s.start for s in part[1:]]
        yield place, (*np.indices(lead), *(i + s for i, s in zip(local, starts, strict=True)))


def _route_shape(op: Any, x: Any, y: Any) -> Any:
    _check_pooled(y.type.shape, _pooled(op.params, x.type.shape))
    return x.type.shape


@structural(
    "block",
    name="pool_route",
    parameters=PARAMETERS,
    batch=leading,
    infer=lambda op, x, dy: _pair_type(op, x, dy, lambda: _route_shape(op, x, dy)),
    grad=lambda op, inputs, out, dy: [None, pool_pick_op.bind(**op.params)(inputs[0], dy)],
    builder="pool.route",
    cost=lambda op, ins, out: _cost(op, ins[1]),
)
def pool_route_op(x: Any, dy: Any, *, window: Any, strides: Any, pads: Any, partial: bool) -> Any:
    """Zeros in the shape of x, with each element of dy added where its window has its first largest element."""
    params = {"window": window, "strides": strides, "pads": pads, "partial": partial}
    _check_pooled(dy.shape, _pooled(params, x.shape))
    out = np.zeros(x.shape, dy.dtype)
    for place, best in _first_best(x, params):
        np.add.at(out, best, dy[place])
    return out


def _pick_shape(op: Any, x: Any, y: Any) -> Any:
    _check_pooled(y.type.shape, x.type.shape)
    return _pooled(op.params, x.type.shape)


@structural(
    "block",
    name="pool_pick",
    parameters=PARAMETERS,
    batch=leading,
    infer=lambda op, x, y: _pair_type(op, x, y, lambda: _pick_shape(op, x, y)),
    grad=lambda op, inputs, out, dy: [None, pool_route_op.bind(**op.params)(inputs[0], dy)],
    builder="pool.pick",
    cost=lambda op, ins, out: _cost(op, out),
)
def pool_pick_op(x: Any, y: Any, *, window: Any, strides: Any, pads: Any, partial: bool) -> Any:
    """Element of y where each window of x has its first largest element."""
    params = {"window": window, "strides": strides, "pads": pads, "partial": partial}
    _check_pooled(y.shape, x.shape)
    out = np.empty(_pooled(params, x.shape), y.dtype)
    for place, best in _first_best(x, params):
        out[place] = y[best]
    return out


# ------------------------------------------------------------------------------------------------------ sum


def _sum_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    (x,) = inputs
    first = x.type.ndim - len(op.params["window"])
    return [pool_spread_op.bind(**op.params)(dy, *(length(x, a) for a in range(first, x.type.ndim)))]


@structural(
    "block",
    name="pool_sum",
    parameters=PARAMETERS,
    signature="x->x?",
    additive="x",
    batch=leading,
    infer=_pooled_type,
    grad=_sum_grad,
    builder="pool.total",
    cost=lambda op, ins, out: _cost(op, out),
)
def pool_sum_op(x: Any, *, window: Any, strides: Any, pads: Any, partial: bool) -> Any:
    """Sum of each window over the last axes.

    Shapes   x: any[..., n] -> any[..., m]
    """
    params = {"window": window, "strides": strides, "pads": pads, "partial": partial}
    out = np.empty(_pooled(params, x.shape), x.dtype)
    for place, part in _windows(params, x.shape):
        out[place] = x[part].sum(axis=tuple(range(-len(window), 0)), dtype=x.dtype)
    return out


def _spread_type(op: Any, dy: Any, *lengths: Any) -> TensorType:
    _need(op, "dy", dy)
    known = [int(n.data) if isinstance(n, Constant) else None for n in lengths]
    shape = (*dy.type.shape[: dy.type.ndim - len(known)], *known)
    try:
        _check_pooled(dy.type.shape, _pooled(op.params, shape))
    except ShapeError as error:
        raise ShapeError(error.message, operands=[("dy", dy)]) from None
    return TensorType(dy.type.dtype, shape=shape)


@structural(
    "block",
    name="pool_spread",
    parameters=PARAMETERS,
    batch=fixed_lengths,
    variadic=True,
    infer=_spread_type,
    grad=lambda op, inputs, out, dy: [pool_sum_op.bind(**op.params)(dy), *[None] * (len(inputs) - 1)],
    builder="pool.spread",
    cost=lambda op, ins, out: _cost(op, ins[0]),
)
def pool_spread_op(dy: Any, *lengths: Any, window: Any, strides: Any, pads: Any, partial: bool) -> Any:
    """Each element of dy added to all elements of its window; the lengths are those of the pooled axes."""
    params = {"window": window, "strides": strides, "pads": pads, "partial": partial}
    out = np.zeros((*dy.shape[: dy.ndim - len(window)], *map(int, lengths)), dy.dtype)
    _check_pooled(dy.shape, _pooled(params, out.shape))
    for place, part in _windows(params, out.shape):
        out[part] += dy[place][(..., *[None] * len(window))]
    return out
