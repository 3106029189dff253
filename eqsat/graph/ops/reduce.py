"""Reductions; the ops keep reduced axes at length 1, so that results broadcast against their operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ShapeError
from eqsat.graph.constant import cast_to
from eqsat.graph.declare import Cost, Reduction, structural
from eqsat.graph.dtypes import BOOL, FLOATS
from eqsat.graph.ops.elemwise import and_, eq, fill, switch
from eqsat.graph.parameters import AXES

WIDER = {"float32": "float64", "complex64": "complex128"}


def reduce_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    """One operation per element read."""
    return Cost(flops=float(np.prod(ins[0])))


def _least(dtype: str) -> float:
    return -np.inf if dtype in FLOATS else 0 if dtype == BOOL else int(np.iinfo(dtype).min)


def _greatest(dtype: str) -> float:
    return np.inf if dtype in FLOATS else 1 if dtype == BOOL else int(np.iinfo(dtype).max)


def _wide(x: Any) -> Any:
    return WIDER.get(x.dtype.name, x.dtype)


def _narrow(result: Any, x: Any) -> Any:
    return np.asarray(result).astype(x.dtype)


def _check_not_empty(name: str, x: Any, axes: tuple[int, ...]) -> None:
    if any(x.shape[a] == 0 for a in axes):
        raise ShapeError(f"{name}: an axis of length 0 has no {name}")


def _extreme_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    (x,) = inputs
    hit = cast_to(eq(x, out), x.type.dtype)
    return [hit * (dy / sum_op(hit, axes=op.params["axes"]))]


def prod_without_zeros(x: Any, axes: tuple[int, ...]) -> Any:
    """Product over axes of the elements that are not 0; 1 where there is none."""
    return prod_op(switch(eq(x, 0), 1, x), axes=axes)


def _prod_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """Without dividing by zero: with one zero only its own place has a gradient, with more none has."""
    (x,) = inputs
    axes, zero = op.params["axes"], eq(x, 0)
    zeros = sum_op(cast_to(zero, x.type.dtype), axes=axes)
    rest, others = switch(zero, 1, x), prod_without_zeros(x, axes)
    return [dy * switch(eq(zeros, 0), out / rest, switch(and_(zero, eq(zeros, 1)), others, 0))]


@structural(
    "reduce",
    name="sum",
    signature="x->x[axes:=1]",
    linear="x",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [fill(inputs[0], dy)],
    reduction=Reduction("{a} + {b}", lambda d: 0, "+", WIDER),
    cost=reduce_cost,
    facts=("float nonneg if nonneg x",),
    reduces="add",
)
def sum_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Sum over axes; float32 is accumulated in float64, integers wrap."""
    return _narrow(np.sum(x, axis=axes, keepdims=True, dtype=_wide(x)), x)


@structural(
    "reduce",
    name="prod",
    signature="x->x[axes:=1]",
    parameters={"axes": AXES},
    grad=_prod_grad,
    conjugate=True,
    reduction=Reduction("{a} * {b}", lambda d: 1, "*", WIDER, "eq_cmul__complex128_t({a}, {b})"),
    cost=reduce_cost,
    facts=("float nonneg if nonneg x",),
    reduces="mul",
)
def prod_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Product over axes; float32 is accumulated in float64, integers wrap."""
    return _narrow(np.prod(x, axis=axes, keepdims=True, dtype=_wide(x)), x)


@structural(
    "reduce",
    name="max",
    signature="x->x[axes:=1]",
    dtypes="t->t",
    parameters={"axes": AXES},
    grad=_extreme_grad,
    reduction=Reduction("({a} > {b} ? {a} : {b})", _least, "max", spreads_nan=True, empty=False),
    cost=reduce_cost,
    interval=(("lo", "lo_x"), ("hi", "hi_x")),
    facts=("nonneg if nonneg x",),
    reduces="maximum",
    ordered="values",
    opposite="min",
)
def max_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Largest element over axes; NaN if there is one. Equal elements share the gradient."""
    _check_not_empty("max", x, axes)
    return np.max(x, axis=axes, keepdims=True)


@structural(
    "reduce",
    name="largest",
    signature="x->x[axes:=1]",
    dtypes="t->t",
    parameters={"axes": AXES},
    grad=_extreme_grad,
    reduction=Reduction("({a} > {b} ? {a} : {b})", _least, "max", spreads_nan=True),
    cost=reduce_cost,
    reduces="maximum",
    opaque=True,
)
def largest_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Largest element over axes; of no elements the number below all others, which is -inf for floats."""
    return np.max(x, axis=axes, keepdims=True, initial=_least(x.dtype.name))


@structural(
    "reduce",
    name="sum_of_shares",
    signature="x->x[axes:=1]",
    dtypes="t->t",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [fill(inputs[0], dy)],
    reduction=Reduction("{a} + {b}", lambda d: 0, "+", WIDER, small=True),
    cost=reduce_cost,
    reduces="add",
    opaque=True,
)
def sum_of_shares_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Sum over axes of elements none of which is greater than 1."""
    return _narrow(np.sum(x, axis=axes, keepdims=True, dtype=_wide(x)), x)


@structural(
    "reduce",
    name="min",
    signature="x->x[axes:=1]",
    dtypes="t->t",
    parameters={"axes": AXES},
    grad=_extreme_grad,
    reduction=Reduction("({a} < {b} ? {a} : {b})", _greatest, "min", spreads_nan=True, empty=False),
    cost=reduce_cost,
    interval=(("lo", "lo_x"), ("hi", "hi_x")),
    facts=("nonneg if nonneg x",),
    reduces="minimum",
    ordered="values",
    opposite="max",
)
def min_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Smallest element over axes; NaN if there is one. Equal elements share the gradient."""
    _check_not_empty("min", x, axes)
    return np.min(x, axis=axes, keepdims=True)


@structural(
    "reduce",
    name="least",
    signature="x->x[axes:=1]",
    dtypes="t->t",
    parameters={"axes": AXES},
    grad=_extreme_grad,
    reduction=Reduction("({a} < {b} ? {a} : {b})", _greatest, "min", spreads_nan=True),
    cost=reduce_cost,
    reduces="minimum",
    opaque=True,
)
def least_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Smallest element over axes; of no elements the number above all others, which is inf for floats."""
    return np.min(x, axis=axes, keepdims=True, initial=_greatest(x.dtype.name))


@structural(
    "reduce",
    name="all",
    signature="x->x[axes:=1]",
    dtypes="?->?",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [None],
    reduction=Reduction("{a} & {b}", lambda d: 1, "&"),
    cost=reduce_cost,
    image=(0.0, 1.0),
    reduces="and",
)
def all_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """True where all elements of a bool tensor over axes are true."""
    return np.all(x, axis=axes, keepdims=True)


@structural(
    "reduce",
    name="any",
    signature="x->x[axes:=1]",
    dtypes="?->?",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [None],
    reduction=Reduction("{a} | {b}", lambda d: 0, "|"),
    cost=reduce_cost,
    image=(0.0, 1.0),
    reduces="or",
)
def any_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """True where any element of a bool tensor over axes is true."""
    return np.any(x, axis=axes, keepdims=True)


# ------------------------------------------------------------------------------------------ places of extremes


def place_along(function: Any, x: Any, axes: tuple[int, ...]) -> Any:
    kept = [a for a in range(x.ndim) if a not in axes]
    _check_not_empty(function.__name__, x, axes)
    size = int(np.prod([x.shape[a] for a in axes]))
    flat = np.transpose(x, kept + list(axes)).reshape([x.shape[a] for a in kept] + [size])
    places = function(flat, axis=-1)
    return np.asarray(places, np.int64).reshape([1 if a in axes else n for a, n in enumerate(x.shape)])


def _place_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    """A comparison of each element of a row, and a search; one element after the other where the places of a row are not together."""
    (lengths, *_), axes = ins, op.params["axes"]
    count, rows = float(np.prod(lengths)), float(np.prod(out))
    together = tuple(axes) == tuple(range(len(lengths)))[-len(axes) :]
    if together:
        return Cost(flops=6 * count + 60 * rows + 7 * min(count, 256 * rows), bytes=5 * count)
    return Cost(flops=120 * count, vector=False)


@structural(
    "block",
    name="count",
    signature="x->x[axes:=1]",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [None],
    builder="reduce.count",
    cost=lambda op, ins, out: Cost(flops=float(np.prod(out)), bytes=8 * float(np.prod(out)), calls=0),
    image=(0.0, float("inf")),
    facts=("unsigned",),
    real="total(ones(x), axes)",
)
def count_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """The number of elements that a reduction over the axes joins, in x's dtype."""
    size = int(np.prod([x.shape[a] for a in axes]))
    return np.full([1 if a in axes else n for a, n in enumerate(x.shape)], size, x.dtype)


@structural(
    "block",
    name="argmax",
    signature="x->x[axes:=1]",
    dtypes="t->int64",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [None],
    builder="reduce.argmax",
    cost=_place_cost,
    image=(0.0, float("inf")),
    ordered="places",
    places_of="max",
    opposite="argmin",
    real="greatest_at(x, axes)",
)
def argmax_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Place of the first largest element, or of the first NaN, in row-major order over the axes."""
    return place_along(np.argmax, x, axes)


@structural(
    "block",
    name="argmin",
    signature="x->x[axes:=1]",
    dtypes="t->int64",
    parameters={"axes": AXES},
    grad=lambda op, inputs, out, dy: [None],
    builder="reduce.argmin",
    cost=_place_cost,
    image=(0.0, float("inf")),
    ordered="places",
    places_of="min",
    opposite="argmax",
    real="least_at(x, axes)",
)
def argmin_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Place of the first smallest element, or of the first NaN, in row-major order over the axes."""
    return place_along(np.argmin, x, axes)
