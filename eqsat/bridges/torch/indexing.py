"""Ops of ATen that pick elements by indices, and those that write or join them there."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import along, length, lengths
from eqsat.bridges.combined import combined_at
from eqsat.bridges.torch.table import At, axis_of, number, on, to
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import FLOATS


def _index(x: Any, indices: Any) -> tuple[Any, ...]:
    """An index of ATen as one of NumPy; one without axes has as many as the others, so that it is no plain number."""
    held = [k for k in indices if k is not None]
    if any(k.dtype == "bool" for k in held):
        raise Refused("the number of elements of a mask is known at run time alone")
    rank = max(k.ndim for k in held)
    wide = lambda k: k.dimshuffle(*["x"] * (rank - k.ndim), *range(k.ndim)) if k.ndim < rank else k
    return tuple(slice(None) if k is None else T.cast(wide(k), "int64") for k in indices)


@on("index", "_unsafe_index")
def indexed(c: At, x: Any, indices: Any) -> Any:
    return x[_index(x, indices)]


@on("index_put", "_unsafe_index_put")
def index_put(c: At, x: Any, indices: Any, values: Any, accumulate: bool = False, *more: Any) -> Any:
    """x with values at places; one mask is a choice of elements."""
    values = to(values, x.dtype)
    masks = [k for k in indices if k is not None and k.dtype == "bool"]
    if len(masks) == 1 and len(indices) == 1 and values.ndim == 0:
        mask = masks[0].dimshuffle(*range(masks[0].ndim), *["x"] * (x.ndim - masks[0].ndim))
        return T.switch(mask, T.add(x, values) if accumulate else values, x)
    place = x[_index(x, indices)]
    values = T.broadcast_to(values, lengths(place)) if place.ndim else T.reshape(values, [], ndim=0)
    if accumulate and x.dtype == "bool":
        raise Refused("sums of truth values")
    return (T.inc_subtensor if accumulate else T.set_subtensor)(place, values)


@on("index_select", "index_select_copy")
def index_select(c: At, x: Any, dim: int, index: Any) -> Any:
    index = T.cast(index if index.ndim else index.dimshuffle("x"), "int64")
    return x[along(axis_of(dim, x), index)] if x.ndim else T.reshape(x, [], ndim=0)


@on("take")
def take(c: At, x: Any, index: Any) -> Any:
    return T.reshape(x, [-1], ndim=1)[index]


def _places(x: Any, dim: int, index: Any) -> tuple[Any, ...]:
    """For each element of an index its place in x: along one axis as it says, along others its own."""
    line = lambda a: T.arange(length(index, a)).dimshuffle(*(0 if b == a else "x" for b in range(x.ndim)))
    return tuple(T.cast(index, "int64") if a == dim else line(a) for a in range(x.ndim))


@on("gather")
def gather(c: At, x: Any, dim: int, index: Any, sparse_grad: bool = False) -> Any:
    if not x.ndim or not index.ndim:
        return (
            T.broadcast_to(T.reshape(x, [], ndim=0), lengths(index))
            if index.ndim
            else T.reshape(x, [], ndim=0)
        )
    return x[_places(x, axis_of(dim, x), index)]


@on("scatter", "scatter_add", "scatter_reduce")
def scatter(
    c: At, x: Any, dim: int, index: Any, src: Any = None, how: Any = None, reduce: Any = None, **named: Any
) -> Any:
    """Elements written to places, or joined there; what the index does not reach of the source is left out."""
    src = named.get("value", src)
    how = reduce or how or ("sum" if c.name == "scatter_add" else None)
    how = {"add": "sum", "multiply": "prod"}.get(how, how)
    if not x.ndim:
        x, made = T.reshape(x, [1], ndim=1), None
        index = T.reshape(index, [1], ndim=1) if not index.ndim else index
        src = T.reshape(src, [1], ndim=1) if hasattr(src, "ndim") and not src.ndim else src
        made = joined(c, x, 0, index, src, how, named)
        return T.reshape(made, [], ndim=0)
    return joined(c, x, axis_of(dim, x), index if index.ndim else index.dimshuffle("x"), src, how, named)


def joined(c: At, x: Any, axis: int, index: Any, src: Any, how: Any, named: Any) -> Any:
    """x with elements of the source at places, by a function or in place of what was there."""
    if 0 in index.type.shape:
        return x
    src = to(src, x.dtype)
    if src.ndim:
        src = src if src.ndim == x.ndim else src.dimshuffle(*["x"] * (x.ndim - src.ndim), *range(src.ndim))
        src = src[tuple(slice(0, length(index, a)) for a in range(x.ndim))]
    else:
        src = T.broadcast_to(src, lengths(index))
    places = _places(x, axis, index)
    if how is None:
        return T.set_subtensor(x[places], src)
    if x.dtype == "bool":
        raise Refused("truth values that are joined")
    alone = not named.get("include_self", True)
    given = x
    if alone:
        x = T.set_subtensor(x[places], T.broadcast_to(number(neutral(how, x.dtype), x.dtype), lengths(index)))
    if how in ("sum", "mean"):
        made = T.inc_subtensor(x[places], src)
        if how == "sum":
            return made
        ones = T.ones(lengths(index), dtype=x.dtype)
        count = T.inc_subtensor((T.zeros_like(given) if alone else T.ones_like(given))[places], ones)
        count = T.maximum(count, number(1, x.dtype))
        return T.truediv(made, count) if x.dtype in FLOATS else T.floordiv(made, count)
    function = {"prod": T.mul, "amax": T.maximum, "amin": T.minimum}[how]
    return combined_at(function, x, [T.broadcast_to(p, lengths(index)) for p in places], src)


def neutral(how: str, dtype: str) -> Any:
    """The number that changes nothing where it is joined to another."""
    if how in ("sum", "mean", "prod"):
        return int(how == "prod")
    least, most = (-np.inf, np.inf) if dtype in FLOATS else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return least if how == "amax" else most


@on("index_add", "index_copy")
def index_add(c: At, x: Any, dim: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    if not x.ndim:
        source = T.reshape(source, [], ndim=0)
        return x + source * number(alpha, x.dtype) if c.name == "index_add" else source
    index = T.cast(index if index.ndim else index.dimshuffle("x"), "int64")
    if not source.ndim:
        source = source.dimshuffle("x")
    place = x[along(axis_of(dim, x), index)]
    if c.name == "index_copy":
        return T.set_subtensor(place, source)
    return T.inc_subtensor(place, source if alpha == 1 else source * number(alpha, x.dtype))


@on("index_fill")
def index_fill(c: At, x: Any, dim: int, index: Any, value: Any) -> Any:
    if not x.ndim:
        return to(value, x.dtype)
    index = T.cast(index if index.ndim else index.dimshuffle("x"), "int64")
    return T.set_subtensor(x[along(axis_of(dim, x), index)], to(value, x.dtype))


@on("masked_scatter", "masked_select", "nonzero", "unique_dim", "_unique2", "nonzero_static")
def of_unknown_length(c: At, *given: Any, **named: Any) -> Any:
    raise Refused("the number of elements is known at run time alone")


@on("embedding")
def embedding(c: At, weight: Any, index: Any, *more: Any) -> Any:
    return weight[T.cast(index, "int64")]


@on("embedding_dense_backward")
def embedding_gradient(c: At, dy: Any, index: Any, count: Any, padding: int, by_frequency: bool) -> Any:
    """The sum of what was given back for each row; the row of padding has none."""
    if by_frequency:
        raise Refused("rows that are divided by their number")
    index = T.cast(index, "int64")
    dy = T.switch(T.eq(index, padding).dimshuffle(*range(index.ndim), "x"), number(0, dy.dtype), dy)
    room = T.zeros((count, length(dy, dy.ndim - 1)), dtype=dy.dtype)
    return T.inc_subtensor(room[index], dy)
