"""Places where a tensor is not 0: index vectors of a mask, whose number is known only when the function runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import BoundsError, RankError
from eqsat.graph.batch_rules import first_only
from eqsat.graph.constant import as_tensor, constant
from eqsat.graph.core import Apply, Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import CODE
from eqsat.graph.ops.shape import length
from eqsat.graph.tensor_type import TensorType

MISMATCH = "a mask has length {0} on its axis {axis}, the axis that it indexes has {1}"


def _nonzero_type(op: Any, x: Any, *lengths: Any) -> TensorType:
    return TensorType("int64", shape=(x.ndim, None))


def _nonzero_check(node: Apply, values: Sequence[Any]) -> None:
    x, *lengths = values
    for axis, (have, want) in enumerate(zip(x.shape, lengths, strict=False)):
        if have != want:
            raise BoundsError(MISMATCH.format(have, int(want), axis=axis))


@structural(
    "block",
    name="nonzero",
    variadic=True,
    forms=(1, 2, 3),
    type_text=(str(CODE["int64"]), "2", "0"),
    infer=_nonzero_type,
    counts=True,
    grad=lambda op, inputs, out, dy: [None] * len(inputs),
    builder="mask.nonzero",
    check=_nonzero_check,
    cost=lambda op, ins, out: Cost(flops=4 * float(np.prod(ins[0]))),
)
def nonzero_op(x: Any, *lengths: Any) -> Any:
    """Indices of the elements that are not 0, a row per axis, in row-major order; x has the lengths given."""
    return np.array(np.nonzero(x), np.int64).reshape(x.ndim, -1)


def nonzero_rows(x: Any, lengths: Sequence[Any] = ()) -> Any:
    """The int64 matrix of the indices of a tensor of rank 1 or more; a constant of a constant."""
    if isinstance(x, Constant) and all(isinstance(n, Constant) for n in lengths):
        return constant(nonzero_op.compute(x.data), dtype="int64")
    return nonzero_op(x, *lengths)


def nonzero(x: Any, return_matrix: bool = False) -> Any:
    """Indices of the elements that are not 0: a tuple with an int64 vector per axis, or a matrix with a row per axis.

    Shapes   x: any[a, b] -> (i64[n], i64[n]), with ``return_matrix`` i64[2, n]
    Errors   RankError for a tensor without axes

    >>> import eqsat.tensor as T
    >>> T.nonzero([0.0, 5.0, 7.0])[0].eval()
    array([1, 2])
    """
    x = as_tensor(x)
    if x.ndim == 0:
        raise RankError(
            f"nonzero: {x} has no axes",
            operands=[(str(x), x)],
            hint="x.reshape((1,)) where one index is meant",
        )
    rows = nonzero_rows(x)
    return rows if return_matrix else tuple(rows[a] for a in range(x.ndim))


def mask_indices(x: Any, mask: Any, axis: int) -> list[Any]:
    """The index vectors that a bool mask on axes of x stands for.

    Errors   BoundsError where a length of the mask is not that of its axis: here where both are known
    """
    for k, have in enumerate(mask.type.shape):
        want = x.type.shape[axis + k]
        if have is not None and want is not None and have != want:
            raise BoundsError(
                f"the mask has length {have} on its axis {k}, {x} has {want} on its axis {axis + k}",
                operands=[(str(x), x), ("mask", mask)],
                needs="a mask with the lengths of the axes that it indexes",
            )
    known = all(n is not None for n in x.type.shape[axis : axis + mask.ndim])
    same = known and x.type.shape[axis : axis + mask.ndim] == mask.type.shape
    lengths = [] if same else [length(x, axis + k) for k in range(mask.ndim)]
    rows = nonzero_rows(mask, lengths)
    return [rows[k] for k in range(mask.ndim)]


# -------------------------------------------------------------------------------------------------- bounds


def _within_check(node: Apply, values: Sequence[Any]) -> None:
    i, n = values
    outside = i[(i < 0) | (i >= n)]
    if outside.size:
        raise BoundsError(f"the index {outside.reshape(-1)[0]} is outside the range from 0 to {int(n) - 1}")


@structural(
    "block",
    name="within",
    signature="x,()->x",
    batch=first_only,
    grad=lambda op, inputs, out, dy: [None, None],
    builder="mask.within",
    check=_within_check,
    cost=lambda op, ins, out: Cost(flops=2 * float(np.prod(out))),
)
def within_op(i: Any, n: Any) -> Any:
    """The int64 indices i themselves, after a check that each is at least 0 and less than n."""
    return i
