"""Products of several matrices, and matrices of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, cast_to, pad_left
from eqsat.graph.dtypes import promote
from eqsat.graph.ops.create import alloc
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.matmul import matmul
from eqsat.graph.ops.shape import length


def block_diag(*matrices: Any) -> Any:
    """Matrix with the given ones along its diagonal and zeros elsewhere; a vector counts as one row.

    Shapes   f[m, n], f[p, q] -> f[m + p, n + q]

    >>> import eqsat.tensor as T
    >>> T.linalg.block_diag([[1.0]], [[2.0, 3.0]]).eval()
    array([[1., 0., 0.],
           [0., 2., 3.]])
    """
    if not matrices:
        raise ArgumentError("block_diag: no matrix is given")
    parts = [pad_left(v, 2) if v.ndim < 2 else v for v in map(as_tensor, matrices)]
    for v in parts:
        if v.ndim > 2:
            raise RankError(
                f"block_diag: {v} has {v.ndim} dimensions", operands=[(str(v), v)], needs="at most 2"
            )
    dtype = promote(*(v.dtype for v in parts))
    zero = np.zeros((), dtype)
    rows = []
    for i, v in enumerate(parts):
        line = [alloc(zero, length(v, 0), length(u, 1)) for u in parts]
        line[i] = cast_to(v, dtype)
        rows.append(concatenate(line, 1))
    return concatenate(rows, 0)


def matrix_dot(*matrices: Any) -> Any:
    """Product of several matrices; the order in which they are multiplied is chosen by their lengths.

    Shapes   any[a, b], any[b, c], any[c, d] -> [a, d]
    Errors   ShapeError where known inner lengths differ

    >>> import eqsat.tensor as T
    >>> T.linalg.matrix_dot([[1.0, 2.0]], [[3.0], [4.0]], [[2.0]]).eval()
    array([[22.]])
    """
    if not matrices:
        raise ArgumentError("matrix_dot: no matrix is given")
    result = as_tensor(matrices[0])
    for other in matrices[1:]:
        result = matmul(result, other)
    return result


def multi_dot(matrices: Any) -> Any:
    """Product of a list of matrices, as ``matrix_dot(*matrices)``.

    Shapes   a list of any[a, b], any[b, c], any[c, d] -> [a, d]
    Errors   those of ``matrix_dot``

    >>> import eqsat.tensor as T
    >>> T.linalg.multi_dot([[[1.0, 2.0]], [[3.0], [4.0]]]).eval()
    array([[11.]])
    """
    return matrix_dot(*matrices)
