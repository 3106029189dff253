"""gather and scatter in their general forms: windows of an array at starts that are known at run time."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

import eqsat.tensor as T
from eqsat.base.values import dataclass
from eqsat.bridges.combined import combined_at
from eqsat.bridges.jax.shapes import JOINS, TABLE, greatest, least, monoid
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import COMPLEX, FLOATS

Mode = jax.lax.GatherScatterMode


@dataclass(frozen=True)
class Places:
    """The places of windows: ``picked`` axes of the array have an index each, ``whole`` axes are taken as they are.

    An index has the axes of the starts, ``batch`` in number, and then those of the windows along picked axes, ``spread``. ``inside``
    says for each start whether the window lies in the array; None where that is known.
    """

    picked: list[int]
    whole: list[int]
    spread: list[int]
    batch: int
    indices: list[Any]
    inside: Any


def places(
    x: Any, starts: Any, sizes: Any, collapsed: Any, mapped: Any, paired: Any, paired_starts: Any, clip: bool
) -> Places:
    """The places of windows of ``sizes``; axes in ``collapsed`` and ``paired`` are none of the windows."""
    lengths = x.type.shape
    batch = starts.ndim - 1
    whole = [a for a in range(x.ndim) if a not in (*mapped, *collapsed, *paired) and sizes[a] == lengths[a]]
    whole += [a for a in mapped if a not in collapsed and sizes[a] == lengths[a] and clip]
    whole.sort()
    picked = [a for a in range(x.ndim) if a not in whole]
    spread = [a for a in picked if a not in collapsed and a not in paired]
    rank = batch + len(spread)
    indices, inside = [], None
    for axis in picked:
        index: Any = None
        if axis in mapped:
            start = T.cast(starts[..., mapped.index(axis)], "int64")
            last = lengths[axis] - sizes[axis]
            if clip:
                start = T.clip(start, 0, last)
            else:
                fits = T.and_(T.ge(start, 0), T.le(start, last))
                inside = fits if inside is None else T.and_(inside, fits)
            index = start.dimshuffle(*range(batch), *["x"] * len(spread))
        if axis in paired:
            k = paired_starts[paired.index(axis)]
            index = _line(starts.type.shape[k], k, rank)
        if axis in spread:
            own = _line(sizes[axis], batch + spread.index(axis), rank)
            index = own if index is None else index + own
        indices.append(index if index is not None else T.zeros((1,) * rank, dtype="int64"))
    return Places(picked, whole, spread, batch, indices, inside)


def _line(length: int, axis: int, rank: int) -> Any:
    """The numbers from 0 on along one axis."""
    return T.constant(np.arange(length).reshape([-1 if a == axis else 1 for a in range(rank)]))


def _held(p: Places) -> list[Any]:
    """The indices, with 0 in place of those of windows that are not in the array."""
    if p.inside is None:
        return p.indices
    inside = p.inside.dimshuffle(*range(p.batch), *["x"] * len(p.spread))
    return [T.switch(inside, i, np.int64(0)) for i in p.indices]


def _ints(values: Any) -> list[int]:
    return [int(v) for v in values]


@TABLE.on("gather")
def gather(t: Any, op: Any, node: Any, x: Any, starts: Any) -> Any:
    """The windows; one that is not in the array is moved inside, or filled."""
    d, sizes, mode = op.params["dimension_numbers"], _ints(op.params["slice_sizes"]), op.params["mode"]
    shape = _ints(node.outputs[0].aval.shape)
    if 0 in shape:
        return T.zeros(shape, dtype=x.dtype)
    fill = mode == Mode.FILL_OR_DROP
    if mode == Mode.ONE_HOT:
        raise Refused("the mode of one-hot vectors")
    collapsed, paired = _ints(d.collapsed_slice_dims), _ints(d.operand_batching_dims)
    p = places(
        x,
        starts,
        sizes,
        collapsed,
        _ints(d.start_index_map),
        paired,
        _ints(d.start_indices_batching_dims),
        not fill,
    )
    found = x.dimshuffle(*p.picked, *p.whole)[tuple(_held(p))] if p.picked else _repeated(x, starts)
    if p.inside is not None:
        inside = p.inside.dimshuffle(*range(p.batch), *["x"] * (found.ndim - p.batch))
        found = T.switch(inside, found, filling(x.dtype, op.params["fill_value"]))
    windows = [a for a in range(x.ndim) if a not in collapsed and a not in paired]
    offsets = dict(zip(windows, _ints(d.offset_dims), strict=True))
    made = [*p.spread, *p.whole]  # the axes of the array behind those of the starts
    order: list[int] = [0] * len(shape)
    free = iter(range(p.batch))
    for axis in range(len(shape)):
        if axis not in offsets.values():
            order[axis] = next(free)
    for a, axis in offsets.items():
        order[axis] = p.batch + made.index(a)
    return found.dimshuffle(*order)


def _repeated(x: Any, starts: Any) -> Any:
    """The whole array for each start."""
    lengths = starts.type.shape[:-1]
    return T.broadcast_to(x.dimshuffle(*["x"] * len(lengths), *range(x.ndim)), [*lengths, *x.type.shape])


def filling(dtype: str, value: Any) -> Any:
    """The value of elements outside: the value given, NaN, or the end of the range."""
    if value is not None:
        return np.asarray(value, dtype)
    if dtype in FLOATS or dtype in COMPLEX:
        return np.asarray(np.nan, dtype)
    return greatest(dtype) if dtype.startswith("u") or dtype == "bool" else least(dtype)


@TABLE.on("scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max")
def scatter(t: Any, op: Any, node: Any, x: Any, starts: Any, updates: Any) -> Any:
    """The array with windows replaced, or joined by a function; a window that is not in the array changes nothing."""
    d, mode = op.params["dimension_numbers"], op.params["mode"]
    if 0 in updates.type.shape or 0 in x.type.shape:
        return x
    inserted, paired = _ints(d.inserted_window_dims), _ints(d.operand_batching_dims)
    windows = [a for a in range(x.ndim) if a not in inserted and a not in paired]
    where = dict(zip(windows, _ints(d.update_window_dims), strict=True))
    sizes = [updates.type.shape[where[a]] if a in where else 1 for a in range(x.ndim)]
    p = places(
        x,
        starts,
        sizes,
        inserted,
        _ints(d.scatter_dims_to_operand_dims),
        paired,
        _ints(d.scatter_indices_batching_dims),
        mode == Mode.CLIP,
    )
    free = [a for a in range(updates.ndim) if a not in where.values()]
    updates = updates.dimshuffle(*free, *(where[a] for a in (*p.spread, *p.whole)))
    how = _function(op)
    if not p.picked:
        return _all_at_once(t, op, how, x, p, updates)
    turned = x.dimshuffle(*p.picked, *p.whole)
    made = _written(t, op, how, turned, p, updates)
    order = [*p.picked, *p.whole]
    return made.dimshuffle(*(order.index(a) for a in range(x.ndim)))


def _function(op: Any) -> str | None:
    """The name of the primitive that joins an element and its update; None for the update itself."""
    if op.op_name != "scatter":
        return str(op.op_name).removeprefix("scatter-")
    closed = op.params.get("update_jaxpr")
    if closed is None:
        return None
    jaxpr = getattr(closed, "jaxpr", closed)
    if not jaxpr.eqns and list(jaxpr.outvars) == [jaxpr.invars[1]]:
        return None
    name = monoid(closed)
    if name is None:
        raise Refused("a function of its own joins the updates")
    return name


def _written(t: Any, op: Any, how: str | None, x: Any, p: Places, updates: Any) -> Any:
    """x with updates at the places along its first axes; what lies outside goes to a row that is dropped."""
    rows = x.type.shape[0]
    indices = p.indices
    if p.inside is not None:
        inside = p.inside.dimshuffle(*range(p.batch), *["x"] * len(p.spread))
        first, *rest = _held(p)
        indices = [T.switch(inside, first, np.int64(rows)), *rest]
        x = T.join(0, x, T.zeros((1, *x.type.shape[1:]), dtype=x.dtype))
    made = joined(how, x, indices, updates)
    return made if p.inside is None else made[:rows]


def joined(how: str | None, x: Any, indices: Any, updates: Any) -> Any:
    """x with updates at indices, replaced or joined one after the other."""
    part = x[tuple(indices)]
    if how is None:
        return T.set_subtensor(part, updates)
    if how in ("add", "sub") and x.dtype != "bool":
        return T.inc_subtensor(part, updates if how == "add" else -updates)
    if how not in JOINS or (x.dtype in COMPLEX and how in ("min", "max")):
        raise Refused(f"updates joined by {how}")
    if x.dtype == "bool":
        names = {"mul": "min", "add": "max"}
        whole = joined(names.get(how, how), T.cast(x, "int8"), indices, T.cast(updates, "int8"))
        return T.cast(whole, "bool")
    return combined_at(JOINS[how].function, x, indices, updates)


def _all_at_once(t: Any, op: Any, how: str | None, x: Any, p: Places, updates: Any) -> Any:
    """x joined with updates as large as itself, one after the other."""
    count = int(np.prod(updates.type.shape[: p.batch]))
    rows = T.reshape(updates, [count, *updates.type.shape[p.batch :]], ndim=1 + x.ndim)
    back = [p.whole.index(a) for a in range(x.ndim)]
    flat = x.dimshuffle("x", *p.whole)
    made = joined(how, flat, [T.zeros((count,), dtype="int64")], rows)
    return made[0].dimshuffle(*back)
