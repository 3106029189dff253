"""LU factors of a matrix as one tensor, so that systems with one matrix share them.

The rewriter splits ``solve`` into these; n + 1 rows hold the columns of the factors, and the exchanges of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import LinAlgError
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.create import zeros_like
from eqsat.graph.ops.decompose import lu_grad, lu_one, lu_op
from eqsat.graph.ops.elemwise import neg
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.matrices import lower, swap, upper
from eqsat.graph.ops.solve import SINGULAR, triangular_op
from eqsat.graph.parameters import INTEGER


def _factors_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    factors = lu_op(inputs[0])
    return lu_grad(op, inputs, factors, [swap(dy[:-1]), None, None])


@structural(
    "block",
    name="lu_factors",
    called="solve",
    signature="(n,n)->(n+1,n)",
    grad=_factors_grad,
    builder="factored.factors",
    failure=SINGULAR,
    cost=lambda op, ins, out: Cost(flops=2 / 3 * out[-1] ** 3, order=out[-1], calls=19),
    real="factors(a)",
)
def lu_factors(a: Any) -> Any:
    """The columns of both factors of LU in one matrix, below them the rows that are exchanged in turn.

    Shapes   a: f[n, n] -> f[n + 1, n]
    """
    lu, pivots, _ = lu_one(a)
    if not np.diagonal(lu).all():
        raise LinAlgError(f"solve: {SINGULAR}")
    return np.vstack([lu.T, pivots.astype(a.dtype)])


def _solve_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """With x = U^-1 L^-1 P b: dU = -g x', dL = -h w' for g = U'^-1 dx, h = L'^-1 g, w = U x; and so for the transpose."""
    (f, b), turned = inputs, op.params["turned"]
    lu = swap(f[:-1])
    db = lu_solve(f, dy, turned=1 - turned)
    if turned:
        v = triangular_op(swap(lu), b, lower=1, unit=0)
        y = triangular_op(swap(lu), v, lower=0, unit=1)
        high, low = dot_op(v, swap(db)), dot_op(y, swap(dot_op(upper(lu), db)))
    else:
        g = triangular_op(swap(lu), dy, lower=1, unit=0)
        h = triangular_op(swap(lu), g, lower=0, unit=1)
        high, low = dot_op(g, swap(out)), dot_op(h, swap(dot_op(upper(lu), out)))
    change = neg(upper(high) + lower(low, strict=True))
    return [concatenate([swap(change), zeros_like(f[-1:])], 0), db]


@structural(
    "block",
    name="lu_solve",
    called="solve",
    signature="(n+1,n),(n,k)->(n,k)",
    parameters={"turned": INTEGER},
    grad=_solve_grad,
    builder="factored.solve",
    cost=lambda op, ins, out: Cost(flops=2 * out[0] ** 2 * out[1], order=out[0]),
    real="solve(f[:-1] if turned else f[:-1].T, b)",
)
def lu_solve(f: Any, b: Any, *, turned: int) -> Any:
    """Solutions x of a x = b from the factors of a; with ``turned`` those of transpose(a) x = b.

    Shapes   f: f[n + 1, n], b: f[n, k] -> f[n, k]
    """
    from scipy.linalg import lu_solve as solution

    if f.size == 0 or b.size == 0:
        return np.zeros(b.shape, b.dtype)
    pivots = np.where(np.isnan(f[-1]), np.arange(len(b)), f[-1]).astype(np.int32)
    return solution((f[:-1].T, pivots), b, trans=turned, check_finite=False)
