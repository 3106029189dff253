"""Tensors made of repeated elements or of repeated tensors."""

from __future__ import annotations

from typing import Any

from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant
from eqsat.graph.dtypes import INTEGERS
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import alloc, known_integer
from eqsat.graph.ops.join import normal_axis
from eqsat.graph.ops.reshape import flatten, reshape
from eqsat.graph.ops.search import spread_op
from eqsat.graph.ops.shape import dimshuffle, length, scalar_integers


def product(a: Any, b: Any) -> Any:
    """Product of two 0-d int64 lengths; a constant where both are known."""
    if isinstance(a, Constant) and isinstance(b, Constant):
        return as_tensor(a.data * b.data)
    return e.mul(a, b)


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element, or each row along an axis, repeated some times; a vector gives a number for each.

    Shapes   x: any[n, m], repeats: int[n], axis=0 -> any[sum(repeats), m]
    Errors   ShapeError at run time for a negative number, or a vector of another length than the axis

    >>> import eqsat.tensor as T
    >>> T.repeat([1, 2], [2, 1]).eval()
    array([1, 1, 2])
    """
    x, counts = as_tensor(x), as_tensor(repeats)
    if counts.dtype not in INTEGERS:
        raise DTypeError(f"repeat: {counts} is not a number of repeats", operands=[("repeats", counts)],
                         needs="integers")  # fmt: skip
    if counts.ndim > 1:
        raise RankError(
            f"repeat: the repeats have {counts.ndim} dimensions",
            operands=[("repeats", counts)],
            needs="a scalar or a vector",
        )
    if axis is None:
        x, axis = flatten(x), 0
    axis = normal_axis("repeat", axis, x.ndim, x)
    if counts.ndim == 1 and counts.type.shape[0] == 1:
        counts = dimshuffle(counts)
    if counts.ndim == 1:
        index = spread_op(cast_to(counts, "int64"), length(x, axis))
        return x[(slice(None),) * axis + (index,)]
    lengths = [length(x, a) for a in range(x.ndim)]
    count = cast_to(counts, "int64")
    wide = alloc(
        dimshuffle(x, *range(axis + 1), "x", *range(axis + 1, x.ndim)),
        [*lengths[: axis + 1], count, *lengths[axis + 1 :]],
    )
    return reshape(wide, [*lengths[:axis], product(lengths[axis], count), *lengths[axis + 1 :]])


def tile(x: Any, reps: Any, ndim: int | None = None) -> Any:
    """Tensor repeated along each axis; fewer numbers than axes count for the last ones.

    A symbolic vector of repeats needs ``ndim``, the number of its elements, unless its type knows it.

    Shapes   x: any[n], reps=(2, 3) -> any[2, 3 * n]

    >>> import eqsat.tensor as T
    >>> T.tile([1, 2], 2).eval()
    array([1, 2, 1, 2])
    """
    x = as_tensor(x)
    counts = scalar_integers("tile", _repeats(x, reps, ndim))
    if ndim is not None and ndim < len(counts):
        raise ArgumentError(f"tile: ndim={ndim} is less than {len(counts)} repeats", operands=[(str(x), x)])
    rank = max(x.ndim, len(counts), ndim or 0)
    (one,) = scalar_integers("tile", [1])
    counts = [one] * (rank - len(counts)) + counts
    lengths = [one] * (rank - x.ndim) + [length(x, a) for a in range(x.ndim)]
    axes: list[Any] = ["x"] * (rank - x.ndim) + list(range(x.ndim))
    if all(known_integer(n) == 1 for n in counts):
        return dimshuffle(x, *axes)
    wide = alloc(
        dimshuffle(x, *(p for a in axes for p in ("x", a))),
        [n for pair in zip(counts, lengths, strict=True) for n in pair],
    )
    return reshape(wide, [product(r, n) for r, n in zip(counts, lengths, strict=True)])


def _repeats(x: Any, reps: Any, ndim: int | None) -> list[Any]:
    if isinstance(reps, (list, tuple)):
        return list(reps)
    vector = as_tensor(reps)
    if vector.ndim == 0:
        return [vector]
    count = vector.type.shape[0] if vector.type.shape[0] is not None else ndim
    if vector.ndim != 1 or count is None:
        raise ArgumentError(
            f"tile: the number of repeats in {vector} is not known",
            operands=[(str(x), x), ("reps", vector)],
            hint="T.tile(x, reps, ndim=2)",
        )
    return [vector[k] for k in range(count)]
