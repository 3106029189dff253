"""Batching of ops: the rules, named in ``batch`` of declarations, by which operands get one more axis on the left.

A rule is called with the op, its operands, a flag per operand that says which have the new axis, and the length
of that axis. It returns the result, or a list of results, each with the new axis or marked as Unbatched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from eqsat.errors import BatchError
from eqsat.graph.parts import FULL


class Unbatched(NamedTuple):
    """A result that is the same for the whole batch."""

    variable: Any


def expand(v: Any, count: Any) -> Any:
    """A variable repeated along a new axis on the left."""
    from eqsat.graph.constant import pad_left
    from eqsat.graph.ops.create import alloc_op
    from eqsat.graph.ops.shape import length

    made = alloc_op(pad_left(v, v.ndim + 1), count, *(length(v, a) for a in range(v.ndim)))
    return made


def _full(inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> list[Any]:
    return [v if f else expand(v, count) for v, f in zip(inputs, flags, strict=True)]


def _padded(v: Any, flag: bool) -> Any:
    from eqsat.graph.constant import pad_left

    return v if flag else pad_left(v, v.ndim + 1)


def _refuse(op: Any, inputs: Sequence[Any], flags: Sequence[bool], what: str) -> None:
    if any(flags):
        raise BatchError(
            f"{op}: {what} would differ within the batch", operands=[(str(v), v) for v in inputs], op=op
        )


def rebound(op: Any, **parameters: Any) -> Any:
    """The op with some parameters changed."""
    return op.declaration.bind(**{**op.params, **parameters})


def elementwise(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """Operands without the new axis broadcast along it."""
    return op(*(_padded(v, f) for v, f in zip(inputs, flags, strict=True)))


def leading(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """For ops that work on the last axes and take any number of axes before them, the same for all operands."""
    return op(*_full(inputs, flags, count))


def stacked(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """For ops on stacks of matrices, whose leading axes broadcast where their length is 1 by type."""
    from eqsat.graph.constant import pad_left

    return op(*(v if full else pad_left(v, v.ndim + 1) for v, full in zip(inputs, flags, strict=True)))


def first_only(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """For ops that look at the elements of the first operand one by one."""
    _refuse(op, inputs, flags[1:], "the second operand")
    return op(*inputs)


def shift_axes(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """For ops with a parameter ``axes``: one axis further to the right."""
    return rebound(op, axes=tuple(a + 1 for a in op.params["axes"]))(*inputs)


def shift_pattern(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """dimshuffle."""
    pattern = (0, *(p if p == "x" else p + 1 for p in op.params["pattern"]))
    return rebound(op, pattern=pattern)(*inputs)


def any_length(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """specify_shape: the new axis may have any length."""
    return rebound(op, lengths=(None, *op.params["lengths"]))(*inputs)


def next_length(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """length: the same for the whole batch."""
    from eqsat.graph.ops.shape import length

    return Unbatched(length(inputs[0], op.params["axis"] + 1))


def columns(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """make_vector."""
    from eqsat.graph.ops.join import stack

    return stack(_full(inputs, flags, count), axis=1)


def longer_shape(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """reshape: the new shape with the length of the batch before it."""
    from eqsat.graph.ops.join import join_op
    from eqsat.graph.ops.shape import known_integers, make_vector

    x, shape = inputs
    _refuse(op, inputs, flags[1:], "the shape")
    known = known_integers(shape)
    if -1 in known:
        shape = _without_minus_one(x, shape, known)
    elif None not in known:
        shape = make_vector([count, *known])
    else:
        shape = join_op(make_vector([count]), shape, axis=0)
    return rebound(op, ndim=op.params["ndim"] + 1)(x, shape)


def _without_minus_one(x: Any, shape: Any, known: Sequence[int | None]) -> Any:
    """The new shape with -1 computed, which NumPy cannot do where the batch is empty."""
    from eqsat.graph.constant import as_tensor
    from eqsat.graph.ops.elemwise import floordiv, mul
    from eqsat.graph.ops.shape import length, make_vector

    rest: Any = as_tensor(1)
    lengths = [shape[k] if n is None else n for k, n in enumerate(known)]
    for n in lengths:
        rest = rest if isinstance(n, int) and n == -1 else mul(rest, n)
    total: Any = as_tensor(1)
    for axis in range(1, x.ndim):
        total = mul(total, length(x, axis))
    free = floordiv(total, rest)
    return make_vector([length(x, 0), *(free if isinstance(n, int) and n == -1 else n for n in lengths)])


def longer_alloc(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """alloc: the value is batched, the lengths are not."""
    _refuse(op, inputs, flags[1:], "a length")
    return op(inputs[0], count, *inputs[1:])


def next_axis(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """concatenate."""
    return rebound(op, axis=op.params["axis"] + 1)(*_full(inputs, flags, count))


def whole_part(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """subtensor: the new axis is taken whole."""
    if any(flags[1:]):
        return _picked(op, inputs, flags, count)
    return rebound(op, pattern=(FULL, *op.params["pattern"]))(*inputs)


def _picked(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """A part whose single indices differ within the batch is gathered; its slices must not differ."""
    from eqsat.graph.ops.gather import gather_op
    from eqsat.graph.ops.index import part_op

    x, scalars = inputs[0], list(zip(inputs[1:], flags[1:], strict=True))
    parts: list[Any] = []
    indices: list[Any] = []
    moved: list[int] = []
    kept: list[Any] = []
    index_flags: list[bool] = []
    for entry in op.params["pattern"]:
        own = [scalars.pop(0) for p in entry[1:] if p == "?"]
        if entry[0] == "int" and own and own[0][1]:
            moved.append(len(indices))
            indices.append(own[0][0])
            index_flags.append(True)
            parts.append(FULL)
        else:
            _refuse(op, inputs, [f for _, f in own], "the bound of a slice")
            kept += [v for v, _ in own]
            parts.append(entry)
            moved += [-1] if entry[0] == "slice" else []
    pattern = tuple(([FULL] if flags[0] else []) + parts)
    part = part_op(x, *kept, pattern=pattern)
    gather = gather_op.bind(pattern=tuple(moved))
    return pick(gather, [part, *indices], [flags[0], *index_flags], count)


def whole_write(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """set_part: the new axis is written whole."""
    _refuse(op, inputs, flags[2:], "the place of the part")
    x = inputs[0] if flags[0] else expand(inputs[0], count)
    y = _padded(inputs[1], flags[1])
    return rebound(op, pattern=(FULL, *op.params["pattern"]))(x, y, *inputs[2:])


def _place(pattern: Sequence[int]) -> int:
    from eqsat.graph.ops.gather import gather_layout

    return gather_layout(pattern)[0]


def _batch_index(count: Any, ndim: int) -> Any:
    from eqsat.graph.ops.create import arange
    from eqsat.graph.ops.shape import dimshuffle

    return dimshuffle(arange(count), 0, *("x",) * ndim)


def _move_out(place: int, index_ndim: int, ndim: int) -> list[int]:
    """Order that brings [n, index..., whole...] to [n, whole[:place], index..., whole[place:]]."""
    index = list(range(1, 1 + index_ndim))
    whole = list(range(1 + index_ndim, ndim))
    return [0, *whole[:place], *index, *whole[place:]]


def _plan(op: Any, x_flag: bool, indices: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """Pattern and indices of a batched gather, and the order that brings its result to the batch first."""
    pattern = op.params["pattern"]
    some = any(flags)
    nd = indices[0].ndim - flags[0]
    place = _place(pattern)
    whole = sum(p < 0 for p in pattern)
    if not some:
        wide = (-1, *pattern)
        target = _place(wide)
        order = list(range(1 + whole + nd))
        if target == 0:
            order = [nd, *range(nd + 1, nd + 1 + place), *range(nd), *range(nd + 1 + place, 1 + whole + nd)]
        return wide, list(indices), order
    wide_indices = [_padded(i, f) for i, f in zip(indices, flags, strict=True)]
    if x_flag:
        wide = (len(indices), *pattern)
        return wide, [*wide_indices, _batch_index(count, nd)], _move_out(place, nd, 1 + whole + nd)
    order = [place, *range(place), *range(place + 1, 1 + whole + nd)]
    return pattern, wide_indices, order


def pick(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """gather: from one tensor by batched indices, from a batch by common ones, or each from its own."""
    from eqsat.graph.ops.shape import dimshuffle

    x, *indices = inputs
    pattern, wide, order = _plan(op, flags[0], indices, flags[1:], count)
    return dimshuffle(rebound(op, pattern=pattern)(x, *wide), *order)


def place_picked(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """scatter: as gather, in the other direction."""
    from eqsat.graph.ops.shape import dimshuffle

    x, y, *indices = inputs
    x = x if flags[0] else expand(x, count)
    pattern, wide, order = _plan(op, True, indices, flags[2:], count)
    y = _padded(y, flags[1])
    back = [order.index(k) for k in range(len(order))]
    return rebound(op, pattern=pattern)(x, dimshuffle(y, *back), *wide)


def rows_placed(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """add_rows and set_rows: as a scatter on the first axis."""
    from eqsat.graph.ops.elemwise import mul
    from eqsat.graph.ops.gather import scatter_op

    ndim, add = inputs[0].ndim - flags[0], op.name == "add_rows"
    if add:
        some = flags[1] or flags[2]
        y = mul(*(_padded(v, f or not some) for v, f in zip(inputs[1:3], flags[1:3], strict=True)))
        inputs, flags = [inputs[0], y, inputs[3]], [flags[0], some, flags[3]]
    same = scatter_op.bind(pattern=(0, *(-1,) * (ndim - 1)), add=int(add))
    return place_picked(same, inputs, flags, count)


def shift_diagonal(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """diagonal and set_diagonal: both axes one further to the right."""
    offset, first, second = op.params["pattern"]
    x = inputs[0] if flags[0] else expand(inputs[0], count)
    rest = [_padded(v, f) for v, f in zip(inputs[1:], flags[1:], strict=True)]
    return rebound(op, pattern=(offset, first + 1, second + 1))(x, *rest)


def dot_batched(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """dot: one large product where only one operand is batched."""
    from eqsat.graph.ops.linalg import batched_op
    from eqsat.graph.ops.reshape import reshape
    from eqsat.graph.ops.shape import dimshuffle, length

    x, y = inputs
    if all(flags):
        return batched_op(x, y)
    if flags[0]:
        lengths = [length(x, a) for a in range(3)]
        flat = reshape(x, (lengths[0] * lengths[1], lengths[2]))
        return reshape(op(flat, y), (lengths[0], lengths[1], length(y, 1)))
    lengths = [length(y, a) for a in range(3)]
    flat = reshape(dimshuffle(y, 1, 0, 2), (lengths[1], lengths[0] * lengths[2]))
    return dimshuffle(reshape(op(x, flat), (length(x, 0), lengths[0], lengths[2])), 1, 0, 2)


def dots_batched(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """batched_dot: both batches as one."""
    from eqsat.graph.ops.reshape import reshape
    from eqsat.graph.ops.shape import length

    x, y = _full(inputs, flags, count)
    a = [length(x, k) for k in range(4)]
    b = [length(y, k) for k in range(4)]
    made = op(reshape(x, (a[0] * a[1], a[2], a[3])), reshape(y, (a[0] * a[1], b[2], b[3])))
    return reshape(made, (a[0], a[1], a[2], b[3]))


def rows_dots(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """rows_dot: products of stacks, of which a matrix is one with a single matrix."""
    from eqsat.graph.constant import pad_left
    from eqsat.graph.ops.matmul import matmul_op
    from eqsat.graph.ops.shape import dimshuffle

    x, y = _padded(inputs[0], flags[0]), inputs[1]
    return matmul_op(x, dimshuffle(y, 0, "x", 1, 2) if flags[1] else pad_left(y, 4))


def sums_of_dots(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """sum_dots: products of stacks, added up over the steps."""
    from eqsat.graph.ops.matmul import matmul_op
    from eqsat.graph.ops.reduce import sum_op
    from eqsat.graph.ops.shape import dimshuffle

    x, y = (_padded(v, f) for v, f in zip(inputs, flags, strict=True))
    return dimshuffle(sum_op(matmul_op(x, y), axes=(1,)), 0, 2, 3)


def first_of_each(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """first_rows: the rows of all go before the batch for a moment; their number is one."""
    from eqsat.graph.ops.shape import dimshuffle

    _refuse(op, inputs[1:], flags[1:], "the number of rows")
    x, n = inputs
    rest = range(2, x.ndim)
    return dimshuffle(op(dimshuffle(x, 1, 0, *rest), n), 1, 0, *rest)


def second_only(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """For ops that look at the elements of the second operand one by one."""
    _refuse(op, inputs, flags[:1], "the first operand")
    return op(*inputs)


def joined_at(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """concatenate_at: the axis is one further to the right, unless it is counted from there."""
    from eqsat.graph.ops.elemwise import add, lt, switch

    _refuse(op, inputs, flags[:1], "the axis")
    axis = switch(lt(inputs[0], 0), inputs[0], add(inputs[0], 1))
    return op(axis, *_full(inputs[1:], flags[1:], count))
