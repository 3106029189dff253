"""Primitives that move elements, make them, reduce, accumulate and sort."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import jax
import numpy as np
from jax.extend.core import jaxpr_as_fun

import eqsat.tensor as T
from eqsat.base.values import dataclass
from eqsat.bridges.axes import along
from eqsat.bridges.jax.elements import TABLE
from eqsat.bridges.jax.reading import traced
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import COMPLEX, FLOATS
from eqsat.scan import scan as loop

ALL = slice(None)


@TABLE.on("broadcast_in_dim")
def broadcast(t: Any, op: Any, node: Any, x: Any, *lengths: Any) -> Any:
    shape, axes = op.params["shape"], [int(a) for a in op.params["broadcast_dimensions"]]
    order = [axes.index(a) if a in axes else "x" for a in range(len(shape))]
    x = x.dimshuffle(*order) if order != list(range(x.ndim)) else x
    return x if tuple(x.type.shape) == tuple(shape) else T.broadcast_to(x, [int(n) for n in shape])


@TABLE.on("broadcast_to")
def broadcast_to(t: Any, op: Any, node: Any, x: Any) -> Any:
    return T.broadcast_to(x, [int(n) for n in node.outputs[0].aval.shape])


@TABLE.on("reshape")
def reshape(t: Any, op: Any, node: Any, x: Any) -> Any:
    if op.params.get("dimensions") is not None:
        x = x.dimshuffle(*op.params["dimensions"])
    sizes = [int(n) for n in op.params["new_sizes"]]
    return T.reshape(x, sizes, ndim=len(sizes))


@TABLE.on("squeeze")
def squeeze(t: Any, op: Any, node: Any, x: Any) -> Any:
    return x.dimshuffle(*(a for a in range(x.ndim) if a not in op.params["dimensions"]))


@TABLE.on("expand_dims")
def expand(t: Any, op: Any, node: Any, x: Any) -> Any:
    return T.expand_dims(x, op.params["dimensions"])


@TABLE.on("transpose")
def transpose(t: Any, op: Any, node: Any, x: Any) -> Any:
    return x.dimshuffle(*(int(a) for a in op.params["permutation"]))


@TABLE.on("concatenate")
def concatenate(t: Any, op: Any, node: Any, *parts: Any) -> Any:
    return T.join(op.params["dimension"], *parts) if len(parts) > 1 else parts[0]


@TABLE.on("split")
def split(t: Any, op: Any, node: Any, x: Any) -> Any:
    ends = np.cumsum([0, *op.params["sizes"]])
    axis = op.params["axis"]
    return [x[along(axis, slice(int(a), int(b)))] for a, b in pairwise(ends)]


@TABLE.on("stack")
def stack(t: Any, op: Any, node: Any, *parts: Any) -> Any:
    return T.stack(parts, axis=op.params["axis"])


@TABLE.on("unstack")
def unstack(t: Any, op: Any, node: Any, x: Any) -> Any:
    return [x[along(op.params["axis"], k)] for k in range(len(node.outputs))]


@TABLE.on("tile")
def tile(t: Any, op: Any, node: Any, x: Any) -> Any:
    return T.tile(x, op.params["reps"])


@TABLE.on("rev")
def reverse(t: Any, op: Any, node: Any, x: Any) -> Any:
    turned = op.params["dimensions"]
    return x[tuple(slice(None, None, -1) if a in turned else ALL for a in range(x.ndim))] if x.ndim else x


@TABLE.on("slice")
def part(t: Any, op: Any, node: Any, x: Any) -> Any:
    p = op.params
    steps = p["strides"] or (1,) * x.ndim
    bounds = zip(p["start_indices"], p["limit_indices"], steps, strict=True)
    return x[tuple(slice(int(a), int(b), int(s)) for a, b, s in bounds)] if x.ndim else x


def _window(x: Any, starts: Any, sizes: Any) -> Any:
    """The index of a part of known lengths at starts that are moved inside."""
    index = []
    for s, n, k in zip(starts, x.type.shape, sizes, strict=True):
        if k == n:
            index.append(ALL)
            continue
        first = T.clip(T.cast(s, "int64"), 0, n - k)
        index.append(slice(first, first + k))
    return tuple(index)


@TABLE.on("dynamic_slice")
def dynamic_slice(t: Any, op: Any, node: Any, x: Any, *starts: Any) -> Any:
    sizes = [int(n) for n in op.params["slice_sizes"]]
    return T.specify_shape(x[_window(x, starts, sizes)], sizes) if sizes else x


@TABLE.on("dynamic_update_slice")
def dynamic_update(t: Any, op: Any, node: Any, x: Any, y: Any, *starts: Any) -> Any:
    if y.type.shape == x.type.shape or 0 in y.type.shape:
        return y if y.type.shape == x.type.shape else x
    return T.set_subtensor(x[_window(x, starts, y.type.shape)], y)


@TABLE.on("pad")
def pad(t: Any, op: Any, node: Any, x: Any, value: Any) -> Any:
    return padded(x, value, op.params["padding_config"])


def padded(x: Any, value: Any, config: Any) -> Any:
    """x with a value before, after and between its elements along each axis; negative numbers cut."""
    for axis, (low, high, between) in enumerate(config):
        n = x.type.shape[axis]
        if (low, high, between) == (0, 0, 0):
            continue
        length = n + max(n - 1, 0) * between
        before, after = max(low, 0), max(high, 0)
        lengths = [length + before + after if k == axis else m for k, m in enumerate(x.type.shape)]
        room = T.alloc(value, *lengths)
        if n:
            room = T.set_subtensor(room[along(axis, slice(before, before + length, between + 1))], x)
        first, last = max(-low, 0), length + before + after - max(-high, 0)
        x = T.specify_shape(
            room[along(axis, slice(first, max(first, last)))],
            [None] * axis + [max(last - first, 0)] + [None] * (x.ndim - axis - 1),
        )
    return x


@TABLE.on("iota")
def iota(t: Any, op: Any, node: Any) -> Any:
    shape, axis, dtype = op.params["shape"], op.params["dimension"], t.reader.type_of(node.outputs[0]).dtype
    row = T.cast(T.arange(int(shape[axis])), dtype)
    return T.broadcast_to(
        row.dimshuffle(*(0 if a == axis else "x" for a in range(len(shape)))), [int(n) for n in shape]
    )


@TABLE.on("iota_2x32_shape")
def iota_in_words(t: Any, op: Any, node: Any) -> Any:
    """The numbers from 0 on in two words each, the higher one first."""
    shape = [int(n) for n in op.params["shape"]]
    count = T.reshape(T.cast(T.arange(int(np.prod(shape))), "uint64"), shape, ndim=len(shape))
    return [T.cast(T.right_shift(count, np.uint64(32)), "uint32"), T.cast(count, "uint32")]


@TABLE.on("empty", "empty2")
def empty(t: Any, op: Any, node: Any) -> Any:
    kind = t.reader.type_of(node.outputs[0])
    return T.zeros(kind.shape, dtype=kind.dtype)


# ------------------------------------------------------------------------------------------------------ reductions


def least(dtype: str) -> Any:
    """The number below all others of a dtype."""
    _ordered(dtype)
    if dtype == "bool":
        return np.asarray(False)
    return np.asarray(-np.inf if dtype in FLOATS else np.iinfo(dtype).min, dtype)


def _ordered(dtype: str) -> None:
    """Refuse complex numbers, none of which is above all others."""
    if dtype in COMPLEX:
        raise Refused("an extreme of complex numbers")


def greatest(dtype: str) -> Any:
    """The number above all others of a dtype."""
    _ordered(dtype)
    if dtype == "bool":
        return np.asarray(True)
    return np.asarray(np.inf if dtype in FLOATS else np.iinfo(dtype).max, dtype)


def _extreme(function: Callable[..., Any], initial: Callable[[str], Any]) -> Callable[..., Any]:
    def reduced(x: Any, axis: Any) -> Any:
        _ordered(x.dtype)
        if x.dtype == "bool":
            return (T.any if function is T.max else T.all)(x, axis=axis)
        return function(x, axis=axis, initial=initial(x.dtype) if 0 in x.type.shape else None)

    return reduced


def _total(x: Any, axis: Any) -> Any:
    return T.any(x, axis=axis) if x.dtype == "bool" else T.sum(x, axis=axis, dtype=x.dtype)


def _product(x: Any, axis: Any) -> Any:
    return T.all(x, axis=axis) if x.dtype == "bool" else T.prod(x, axis=axis, dtype=x.dtype)


def _bitwise(logical: Callable[..., Any] | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction of bits: of integers one half with the other until one is left."""

    def reduced(x: Any, axis: Any) -> Any:
        if x.dtype == "bool" and logical is not None:
            return logical(x, axis=axis)
        for a in sorted(axis, reverse=True):
            x = halves(function, x, a)
        return x

    return reduced


def halves(function: Callable[..., Any], x: Any, axis: int) -> Any:
    """An associative function of all elements along an axis, of which there is one or more."""
    while (n := x.type.shape[axis]) > 1:
        first, second = x[along(axis, slice(0, n // 2))], x[along(axis, slice(n // 2, 2 * (n // 2)))]
        rest = [x[along(axis, slice(2 * (n // 2), n))]] if n % 2 else []
        x = T.join(axis, function(first, second), *rest) if rest else function(first, second)
    if n == 0:
        raise Refused("a reduction of nothing")
    return x[along(axis, 0)]


@dataclass(frozen=True)
class Join:
    """A primitive that joins two elements: its function, the reduction that it makes, and the number that changes nothing."""

    function: Callable[[Any, Any], Any]
    reduction: Callable[[Any, Any], Any]
    start: Callable[[str], Any] | None = None


JOINS: dict[str, Join] = {
    "add": Join(T.add, _total, lambda dtype: np.zeros((), dtype)),
    "mul": Join(T.mul, _product, lambda dtype: np.ones((), dtype)),
    "max": Join(T.maximum, _extreme(T.max, least), least),
    "min": Join(T.minimum, _extreme(T.min, greatest), greatest),
    "and": Join(T.and_, _bitwise(T.all, T.and_)),
    "or": Join(T.or_, _bitwise(T.any, T.or_)),
    "xor": Join(T.xor, _bitwise(None, T.xor)),
}


def neutral(name: str, dtype: str) -> Any:
    """The number that changes nothing where a primitive joins it to another."""
    start = JOINS[name].start
    assert start is not None, name
    return start(dtype)


WORDS = {"sum": "add", "prod": "mul"}  # for reductions


@TABLE.on(*(f"reduce_{n}" for n in (*JOINS, *WORDS)))
def reduction(t: Any, op: Any, node: Any, x: Any) -> Any:
    name = op.op_name.removeprefix("reduce_")
    axes = tuple(int(a) for a in op.params["axes"])
    return JOINS[WORDS.get(name, name)].reduction(x, axes) if axes else x


def monoid(closed: Any) -> str | None:
    """The name of the primitive that a jaxpr of two operands applies to them; None for another function."""
    jaxpr = getattr(closed, "jaxpr", closed)
    if len(jaxpr.eqns) == 1 and len(jaxpr.outvars) == 1:
        (equation,) = jaxpr.eqns
        plain = (
            set(equation.invars) == set(jaxpr.invars)
            if not any(hasattr(v, "val") for v in equation.invars)
            else False
        )
        if plain and equation.outvars == jaxpr.outvars:
            return str(equation.primitive.name)
    return None


@TABLE.on("reduce")
def reduction_by(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """By a known primitive, or by a function one element after the other."""
    count, axes = len(operands) // 2, tuple(int(a) for a in op.params["dimensions"])
    values, first, closed = operands[:count], operands[count:], op.params["jaxpr"]
    name = monoid(closed)
    if name in JOINS and count == 1:
        (x,), (start,) = values, first
        made = JOINS[name].reduction(x, axes) if 0 not in x.type.shape and axes else x
        if 0 in x.type.shape:
            kept = [n for a, n in enumerate(x.type.shape) if a not in axes]
            return T.alloc(start, *kept) if kept else start
        return JOINS[name].function(spread_to(start, made), made)
    return folded(t, closed, values, first, axes)


def spread_to(scalar: Any, like: Any) -> Any:
    """A scalar with the rank of another variable."""
    return scalar.dimshuffle(*["x"] * like.ndim) if like.ndim else scalar


def folded(t: Any, closed: Any, values: Any, first: Any, axes: Any) -> Any:
    """A function of numbers over all elements of some axes, from the first numbers on, by a loop over these elements."""
    rows = [_rows(x, axes) for x in values]
    if rows[0].type.shape[0] == 0:
        return [T.alloc(v, *rows[0].type.shape[1:]) if rows[0].ndim > 1 else v for v in first]
    kept = [x[0].type for x in rows]
    joined = jaxpr_as_fun(closed)
    for _ in range(kept[0].ndim):
        joined = jax.vmap(joined)

    def step(*given: Any) -> Any:
        ordered = [*given[len(rows) :], *given[: len(rows)]]
        avals = [jax.ShapeDtypeStruct(k.shape, k.dtype) for k in kept]
        return traced(t, joined, [*avals, *avals], ordered)

    starts = [T.alloc(v, *k.shape) if k.ndim else v for v, k in zip(first, kept, strict=True)]
    found, _ = loop(step, sequences=rows, outputs_info=starts, return_list=True)
    return [f[-1] for f in found]


def _rows(x: Any, axes: tuple[int, ...]) -> Any:
    """The elements of some axes on one axis, which comes first."""
    kept = [a for a in range(x.ndim) if a not in axes]
    shape = [int(np.prod([x.type.shape[a] for a in axes])), *(x.type.shape[a] for a in kept)]
    return T.reshape(x.dimshuffle(*axes, *kept), shape, ndim=len(shape))


# ------------------------------------------------------------------------------------------- running and sorting


@TABLE.on("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")
def running(t: Any, op: Any, node: Any, x: Any) -> Any:
    if 0 in x.type.shape:
        return x
    axis, turn = op.params["axis"], along(op.params["axis"], slice(None, None, -1))
    function = getattr(T, op.op_name, T.logcumsumexp)
    return function(x[turn], axis=axis)[turn] if op.params["reverse"] else function(x, axis=axis)


@TABLE.on("argmax", "argmin")
def place_of_extreme(t: Any, op: Any, node: Any, x: Any) -> Any:
    (axis,) = op.params["axes"]
    if x.dtype == "bool":
        x = T.cast(x, "int8")
    return (T.argmax if op.op_name == "argmax" else T.argmin)(x, axis=axis)


@TABLE.on("sort")
def sort(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """By the first operand, or by several; the others follow."""
    axis, keys = op.params["dimension"], operands[: op.params["num_keys"]]
    if any(k.dtype in COMPLEX for k in keys):
        keys = tuple(part for k in keys for part in ((T.real(k), T.imag(k)) if k.dtype in COMPLEX else (k,)))
    if len(operands) == 1 and len(keys) == 1:
        return [T.sort(operands[0], axis=axis)]
    order = T.lexsort(keys[::-1], axis=axis)
    return [T.take_along_axis(x, order, axis=axis) for x in operands]


def ranked(x: Any) -> Any:
    """Integers in the order of floating numbers by sign and bits, which has a place for -0.0 and for NaN."""
    if x.dtype not in FLOATS:
        return T.cast(x, "int8") if x.dtype == "bool" else x
    word = f"int{8 * np.dtype(x.dtype).itemsize}"
    bits, zero = T.bitcast(x, word), np.zeros((), word)
    return T.switch(T.lt(bits, zero), T.xor(bits, np.asarray(np.iinfo(word).max, word)), bits)


@TABLE.on("eq_to", "lt_to", "le_to")
def compared(t: Any, op: Any, node: Any, x: Any, y: Any) -> Any:
    """By sign and bits, so that -0.0 is below 0.0, and NaN has a place."""
    function = {"eq_to": T.eq, "lt_to": T.lt, "le_to": T.le}[op.op_name]
    return function(ranked(x), ranked(y))


@TABLE.on("top_k", "approx_top_k")
def top_k(t: Any, op: Any, node: Any, x: Any) -> Any:
    """The largest with their places; of equal ones the first. NaN is above all, but below all where its sign is minus."""
    p = op.params
    axis = p.get("axis", p.get("reduction_dimension", x.ndim - 1)) % x.ndim
    if not p.get("aggregate_to_topk", True):
        raise Refused("candidates of the largest without a choice among them")
    turn, ranks = along(axis, slice(None, None, -1)), ranked(x)
    if p.get("is_max_k", True):
        n = x.type.shape[axis]
        order: Any = np.asarray(n - 1) - T.argsort(ranks[turn], axis=axis)[turn]
    else:
        order = T.argsort(ranks, axis=axis)
    order = order[along(axis, slice(0, int(p["k"])))]
    return [T.take_along_axis(x, order, axis=axis), order]
