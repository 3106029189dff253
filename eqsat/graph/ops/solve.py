"""Linear systems: general matrices by LU, triangular ones by substitution, inverses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import LinAlgError
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.elemwise import neg
from eqsat.graph.ops.matmul import stacked
from eqsat.graph.ops.matrices import DIVERGED, finite, lower, numpy_call, swap, upper
from eqsat.graph.parameters import INTEGER, OBJECT

SINGULAR = "the matrix is singular"


def _systems(ins: Sequence[Sequence[float]], out: Sequence[float]) -> tuple[float, float, float, float]:
    """Numbers of matrices, of right sides, their rows and columns."""
    n, k = out[-2:]
    return float(np.prod(ins[0][:-2])), float(np.prod(out[:-2])), n, k


# ------------------------------------------------------------------------------------------- general matrices


def _solve_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    db = solve_op(swap(inputs[0]), dy)
    return [neg(stacked(db, swap(out))), db]


def _solve_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    matrices, sides, n, k = _systems(ins, out)
    return Cost(flops=matrices * n**3 * 2 / 3 + sides * 2 * n * n * k, order=n, calls=19 * matrices + sides)


@structural(
    "block",
    name="solve",
    signature="(...,n,n),(...,n,k)->(...,n,k)",
    additive="b",
    of_multiples=lambda c, found: found / c,
    grad=_solve_grad,
    builder="solve.solve",
    conjugate=True,
    cost=_solve_cost,
    poles=("a",),
    of_matrices=True,
    failure=SINGULAR,
    real="solve(a, b)",
)
def solve_op(a: Any, b: Any) -> Any:
    """Solutions x of a x = b, by LU with row exchanges; a matrix is factored once for all its right sides.

    Shapes   a: f[..., n, n], b: f[..., n, k] -> f[..., n, k]
    """
    return numpy_call("solve", SINGULAR, np.linalg.solve, a, b)


@structural(
    "block",
    name="inv",
    signature="(...,n,n)->(...,n,n)",
    transposed="kept",
    of_products="dot reversed",
    of_numbers=lambda v: 1 / v,
    of_multiples=lambda c, found: found / c,
    grad=lambda op, inputs, out, dy: [neg(stacked(stacked(swap(out), dy), swap(out)))],
    builder="solve.inv",
    conjugate=True,
    cost=lambda op, ins, out: Cost(
        flops=float(np.prod(out)) * out[-1] * 8 / 3, order=out[-1], calls=20 * float(np.prod(out[:-2]))
    ),
    poles=("a",),
    of_matrices=True,
    failure=SINGULAR,
    real="solve(a, unit(len(a)))",
)
def inv_op(a: Any) -> Any:
    """Inverses of matrices.

    Shapes   a: f[..., n, n] -> f[..., n, n]
    """
    return numpy_call("inv", SINGULAR, np.linalg.inv, a)


# ---------------------------------------------------------------------------------------- triangular matrices


def _triangle_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    low, unit = op.params["lower"], bool(op.params["unit"])
    db = triangular_op(swap(inputs[0]), dy, lower=1 - low, unit=op.params["unit"])
    da = neg(stacked(db, swap(out)))
    return [(lower if low else upper)(da, strict=unit), db]


def _triangle_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    _, sides, n, k = _systems(ins, out)
    return Cost(flops=sides * n * n * k, order=n, calls=sides)


def _substitute(a: Any, b: Any, low: int, unit: int) -> Any:
    from scipy.linalg import solve_triangular

    if not unit and (np.diagonal(a) == 0).any():
        raise LinAlgError(f"solve_triangular: {SINGULAR}")
    if a.size == 0 or b.size == 0:
        return np.zeros(b.shape, a.dtype)
    return solve_triangular(a, b, lower=bool(low), unit_diagonal=bool(unit), check_finite=False)


@structural(
    "block",
    name="solve_triangular",
    signature="(...,n,n),(...,n,k)->(...,n,k)",
    additive="b",
    parameters={"lower": INTEGER, "unit": INTEGER},
    grad=_triangle_grad,
    builder="solve.triangle",
    cost=_triangle_cost,
    poles=("a",),
    of_matrices=True,
    failure=SINGULAR,
    real="solve(triangle(a, lower, unit), b)",
)
def triangular_op(a: Any, b: Any, *, lower: int, unit: int) -> Any:
    """Solutions x of a x = b, where only one triangle of a is read, and not its diagonal for ``unit``.

    Shapes   a: f[..., n, n], b: f[..., n, k] -> f[..., n, k]
    """
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    result = np.empty((*batch, *b.shape[-2:]), a.dtype)
    left, right = (np.broadcast_to(v, (*batch, *v.shape[-2:])) for v in (a, b))
    for index in np.ndindex(batch):
        result[index] = _substitute(left[index], right[index], lower, unit)
    return result


# -------------------------------------------------------------------------------------------- pseudo-inverses


def _pinv_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    (a,), p = inputs, out
    q, dq = swap(p), swap(dy)
    direct = neg(stacked(stacked(q, dy), q))
    outside = dq - stacked(a, stacked(p, dq))  # (1 - a p) dq
    inside = dq - stacked(stacked(dq, p), a)  # dq (1 - p a)
    return [direct + stacked(stacked(outside, p), q) + stacked(stacked(q, p), inside)]


def _pinv(a: Any, cutoff: float) -> Any:
    if a.size == 0:
        return np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    limit = max(a.shape[-2:]) * float(np.finfo(a.dtype).eps) if cutoff < 0 else cutoff
    return np.linalg.pinv(a, rcond=limit)


@structural(
    "block",
    name="pinv",
    signature="(...,m,n)->(...,n,m)",
    parameters={"cutoff": OBJECT},
    grad=_pinv_grad,
    builder="solve.pinv",
    failure=DIVERGED,
    cost=lambda op, ins, out: Cost(
        flops=float(np.prod(out)) * min(out[-2:]) * 20,
        order=min(out[-2:]),
        calls=5 * float(np.prod(out[:-2])),
    ),
)
def pinv_op(a: Any, *, cutoff: float) -> Any:
    """Moore-Penrose inverses; singular values up to ``cutoff`` times the largest count as zero.

    A negative cutoff stands for the larger length times the distance from 1 to the next number.

    Shapes   a: f[..., m, n] -> f[..., n, m]
    """
    return numpy_call("pinv", DIVERGED, _pinv, finite("pinv", DIVERGED, a), cutoff)
