"""Elements picked and written by integer arrays, placed as NumPy's advanced indexing places them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import BoundsError, ShapeError
from eqsat.graph.batch_rules import pick, place_picked
from eqsat.graph.core import Apply, Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.index import MISFIT, OUTSIDE, check_fits, check_value, writer
from eqsat.graph.parameters import INTEGER, PICK
from eqsat.graph.tensor_type import TensorType

# A gather pattern holds, per axis of x, the number of the index array that picks from it, or -1 for a whole axis.


def gather_layout(pattern: Sequence[int]) -> tuple[int, list[int]]:
    """Place of the picked axes in the result, and the whole axes of x in order; NumPy's rule."""
    picked = [a for a, p in enumerate(pattern) if p >= 0]
    whole = [a for a, p in enumerate(pattern) if p < 0]
    together = picked[-1] - picked[0] == len(picked) - 1
    return (picked[0] if together else 0), whole


def _index_shape(indices: Sequence[Any]) -> list[int | None]:
    shape: list[int | None] = []
    for axis, lengths in enumerate(zip(*(i.type.shape for i in indices), strict=True)):
        known = {n for n in lengths if n is not None and n != 1}
        if len(known) > 1:
            raise ShapeError(
                f"index arrays: axis {axis} has the lengths {' and '.join(map(str, sorted(known)))}",
                operands=[(str(i), i) for i in indices],
            )
        shape.append(known.pop() if known else 1 if all(n == 1 for n in lengths) else None)
    return shape


def _gather_type(op: Any, x: Any, *indices: Any) -> TensorType:
    pattern = op.params["pattern"]
    assert len(pattern) == x.ndim, (str(op), x.ndim)
    place, whole = gather_layout(pattern)
    shape = [x.type.shape[a] for a in whole]
    return TensorType(x.type.dtype, shape=shape[:place] + _index_shape(indices) + shape[place:])


def _numpy_index(x: Any, pattern: Sequence[int], indices: Sequence[Any]) -> tuple[Any, ...]:
    """The index of a NumPy array; raises BoundsError for the first index outside its axis."""
    for axis, number in enumerate(pattern):
        if number >= 0:
            i, n = indices[number], x.shape[axis]
            outside = i[(i < -n) | (i >= n)]
            if outside.size:
                raise BoundsError(OUTSIDE.format(outside[0], n, axis=axis))
    return tuple(slice(None) if p < 0 else indices[p] for p in pattern)


def _check_indices(node: Apply, indices: Sequence[Any], first: int) -> None:
    """Refuse index arrays whose lengths differ, except where length 1 is in the type."""
    static = [v.type.shape for v in node.inputs[first:]]  # type: ignore[attr-defined]
    for axis in range(indices[0].ndim):
        full = [i.shape[axis] for i, s in zip(indices, static, strict=True) if s[axis] != 1]
        for other in full[1:]:
            if other != full[0]:
                raise ShapeError(f"index arrays: axis {axis} has the lengths {full[0]} and {other}")


def _gather_check(node: Apply, values: Sequence[Any]) -> None:
    _check_indices(node, values[1:], 1)


def _scatter_check(node: Apply, values: Sequence[Any]) -> None:
    x, y, *indices = values
    _check_indices(node, indices, 2)
    place, whole = gather_layout(node.op.params["pattern"])  # type: ignore[attr-defined]
    kept = [x.shape[a] for a in whole]
    picked = list(np.broadcast_shapes(*(i.shape for i in indices)))
    check_value(node, y, kept[:place] + picked + kept[place:])


# index arrays that pick from neighbouring axes: their axes stand in the place of these
_PLACE, _COUNT = "(pattern & 255)", "(pattern >> 16)"
GATHERED = (
    "dtype_x",
    f"ndim_x + ndim_indices0 - {_COUNT}",
    f"mask_x & ((1 << {_PLACE}) - 1) | ((2 - {_COUNT}) * (mask_indices0 << {_PLACE}) "
    f"| (mask_x >> ({_PLACE} + {_COUNT})) << ({_PLACE} + ndim_indices0))",
)


def _gather_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.ops.create import zeros_like

    x, *indices = inputs
    return [write_picked(zeros_like(x), dy, indices, op.params["pattern"], 1)] + [None] * len(indices)


def write_picked(x: Any, y: Any, indices: Sequence[Any], pattern: Sequence[int], add: int) -> Any:
    """x with y written where index arrays pick: by rows where one array picks from the first axis."""
    from eqsat.graph.ops.rows import write_rows

    made = write_rows(x, y, indices, pattern, add)
    return scatter_op(x, y, *indices, pattern=tuple(pattern), add=add) if made is None else made


def _gather_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    """Rows of elements that lie together are found one by one."""
    count, rows = float(np.prod(out)), float(np.prod(ins[1]))
    lines = max(rows, count / 8)
    places = min((rows + lines) / 2, 5 * rows)  # lines that follow one another are foreseen
    return Cost(flops=3 * count + 16 * min(count, 16 * rows), bytes=11 * count, places=places)


@structural(
    "block",
    name="gather",
    linear="x",
    batch=pick,
    parameters={"pattern": PICK},
    variadic=True,
    forms=(2, 3),
    elements=("x",),
    type_text=GATHERED,
    infer=_gather_type,
    grad=_gather_grad,
    builder="gather.pick",
    picks=lambda op: op.params["pattern"],
    check=_gather_check,
    cost=_gather_cost,
    of_matrices=True,
)
def gather_op(x: Any, *indices: Any, pattern: tuple[int, ...]) -> Any:
    """Elements of x picked by integer arrays, as NumPy's advanced indexing."""
    return x[_numpy_index(x, pattern, indices)]


def _scatter_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.sum_to import sum_to

    x, y, *indices = inputs
    pattern = op.params["pattern"]
    dx, part = dy, gather_op(dy, *indices, pattern=pattern)
    if not op.params["add"]:
        dx = scatter_op(dy, np.zeros((1,) * y.ndim, x.type.dtype), *indices, pattern=pattern, add=0)
        part = last_written(x, pattern, indices, part)
    return [dx, sum_to(part, y)] + [None] * len(indices)


def last_written(x: Any, pattern: Sequence[int], indices: Sequence[Any], part: Any) -> Any:
    """A gradient of what was set, with 0 where an index that comes later set the same element again."""
    from eqsat.graph.ops.create import alloc, arange
    from eqsat.graph.ops.elemwise import eq, switch
    from eqsat.graph.ops.reshape import reshape
    from eqsat.graph.ops.shape import dimshuffle, length

    if _all_differ(indices):
        return part
    place, _ = gather_layout(pattern)
    count = indices[0].ndim
    lengths = [length(part, place + k) for k in range(count)]
    order = reshape(arange(_product(lengths)), lengths, ndim=count)
    axes = [a for a, p in enumerate(pattern) if p >= 0]
    table, where = alloc(np.array(-1), *[length(x, a) for a in axes]), tuple(pattern[a] for a in axes)
    table = scatter_op(table, order, *indices, pattern=where, add=0)
    kept = eq(gather_op(table, *indices, pattern=where), order)
    after = part.ndim - place - count
    return switch(dimshuffle(kept, *["x"] * place, *range(count), *["x"] * after), part, 0)


def _product(lengths: Sequence[Any]) -> Any:
    from eqsat.graph.ops.elemwise import mul

    total = lengths[0] if lengths else 1
    for n in lengths[1:]:
        total = mul(total, n)
    return total


def _all_differ(indices: Sequence[Any]) -> bool:
    """True where no element can be picked twice: known indices that differ, or those of a mask."""
    if all(isinstance(i, Constant) for i in indices):
        rows = np.array([v.reshape(-1) for v in np.broadcast_arrays(*(i.data for i in indices))])
        return bool((rows >= 0).all()) and np.unique(rows, axis=1).shape[1] == rows.shape[1]
    if any(i.ndim != 1 for i in indices):
        return False
    rows_of = [_row_of_mask(i) for i in indices]
    return any(
        m is not None and {k for n, k in rows_of if n is m} == set(range(m.type.shape[0])) for m, _ in rows_of
    )


def _row_of_mask(i: Any) -> tuple[Any, int]:
    """The matrix of the indices of a mask of which i is a row, and the row; else None."""
    if i.owner is None or i.owner.op.name != "subtensor":
        return None, 0
    matrix, pattern = i.owner.inputs[0], i.owner.op.params["pattern"]
    found = matrix.owner is not None and matrix.owner.op.name == "nonzero" and pattern[0][0] == "int"
    return (matrix, pattern[0][1]) if found and isinstance(pattern[0][1], int) else (None, 0)


def _scatter_type(op: Any, x: Any, y: Any, *indices: Any) -> TensorType:
    """The type of x, of which y has the rank of what would be picked."""
    picked = _gather_type(op, x, *indices)
    assert y.ndim == picked.ndim, (str(op), y.ndim, picked.ndim)
    for axis, (have, want) in enumerate(zip(y.type.shape, picked.shape, strict=True)):
        if have != 1 and None not in (have, want) and have != want:
            raise ShapeError(MISFIT.format(have, want, name=writer(op), axis=axis))
    return x.type  # type: ignore[no-any-return]


@structural(
    "block",
    name="scatter",
    signature="x,_,_*->x",
    linear="x y",
    batch=place_picked,
    parameters={"pattern": PICK, "add": INTEGER},
    variadic=True,
    forms=(3, 4),
    elements=("x", "y"),
    elements_if=("add", 0),
    infer=_scatter_type,
    grad=_scatter_grad,
    builder="gather.write",
    in_place=0,
    check=_scatter_check,
    cost=lambda op, ins, out: Cost(
        flops=30 * float(np.prod(ins[1])), vector=False, places=float(np.prod(ins[2]))
    ),
)
def scatter_op(x: Any, y: Any, *indices: Any, pattern: tuple[int, ...], add: int) -> Any:
    """Copy of x in which picked elements are replaced by y, or have y added once per occurrence."""
    result = np.array(x)
    index = _numpy_index(result, pattern, indices)
    check_fits(y, result[index])
    if add:
        np.add.at(result, index, y)
    else:
        result[index] = y
    return result
