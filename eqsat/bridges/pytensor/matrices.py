"""Functions of matrices of PyTensor; a matrix that fails gives NaN, so that samplers reject the point."""

from __future__ import annotations

from functools import partial
from typing import Any

import eqsat.tensor as T
from eqsat.bridges.pytensor.tensors import TABLE, plain
from eqsat.bridges.translate import Refused
from eqsat.scan import scan

NAN = "nan"


@TABLE.on("Cholesky")
def cholesky(t: Any, op: Any, node: Any, a: Any) -> Any:
    return T.linalg.cholesky(a, lower=op.lower, on_error=getattr(op, "on_error", "nan"))


@TABLE.on("PosDefMatrix")
def positive_definite(t: Any, op: Any, node: Any, a: Any) -> Any:
    """PyMC's question whether a matrix is positive definite: whether it has a factor."""
    return T.all(T.isfinite(T.linalg.cholesky(a, lower=True, on_error=NAN)))


@TABLE.on("SolveTriangular")
def solve_triangular(t: Any, op: Any, node: Any, a: Any, b: Any) -> Any:
    return T.linalg.solve_triangular(a, b, lower=op.lower, unit_diagonal=op.unit_diagonal, on_error=NAN)


@TABLE.on("Solve")
def solve(t: Any, op: Any, node: Any, a: Any, b: Any) -> Any:
    if op.assume_a not in ("gen", "pos", "sym", "her"):
        raise Refused(f"a matrix of the kind {op.assume_a}")
    return T.linalg.solve(a, b, assume_a=op.assume_a, lower=op.lower, on_error=NAN)


@TABLE.on("CholeskySolve")
def cho_solve(t: Any, op: Any, node: Any, c: Any, b: Any) -> Any:
    return T.linalg.cho_solve((c, op.lower), b, on_error=NAN)


plain(partial(T.linalg.inv, on_error=NAN), "MatrixInverse")
plain(T.linalg.det, "Det")
plain(lambda a: list(T.linalg.slogdet(a)), "SLogDet")
plain(T.kron, "KroneckerProduct")


def _low(op: Any) -> bool:
    return bool(op.lower) if hasattr(op, "lower") else op.UPLO == "L"


@TABLE.on("Eigh")
def eigh(t: Any, op: Any, node: Any, a: Any, *b: Any) -> Any:
    if b:
        raise Refused("eigenvalues of two matrices")
    return list(T.linalg.eigh(a, UPLO="L" if _low(op) else "U", on_error=NAN))


@TABLE.on("EighGrad")
def eigh_gradient(t: Any, op: Any, node: Any, a: Any, w: Any, v: Any, dw: Any, dv: Any) -> Any:
    found = eigh(t, op, node, a)
    return T.Lop(found, a, [T.cast(d, f.dtype) for d, f in zip((dw, dv), found, strict=True)])


@TABLE.on("Eigvalsh")
def eigvalsh(t: Any, op: Any, node: Any, a: Any, b: Any = None) -> Any:
    return T.linalg.eigvalsh(a, b, lower=op.lower, on_error=NAN)


@TABLE.on("EigvalshGrad")
def eigvalsh_gradient(t: Any, op: Any, node: Any, a: Any, b: Any, dw: Any) -> Any:
    return list(T.Lop(T.linalg.eigvalsh(a, b, lower=op.lower, on_error=NAN), [a, b], dw))


plain(lambda a: list(T.linalg.eig(a, on_error=NAN)), "Eig")
plain(T.linalg.expm, "Expm")
plain(partial(T.linalg.pinv, on_error=NAN), "MatrixPinv")
plain(T.linalg.block_diag, "BlockDiagonal")


@TABLE.on("SVD")
def svd(t: Any, op: Any, node: Any, a: Any) -> Any:
    found = T.linalg.svd(a, op.full_matrices, op.compute_uv, on_error=NAN)
    return list(found) if op.compute_uv else found


@TABLE.on("QR")
def qr(t: Any, op: Any, node: Any, a: Any) -> Any:
    modes = {"full": "complete", "economic": "reduced", "complete": "complete", "reduced": "reduced"}
    if getattr(op, "pivoting", False) or op.mode not in (*modes, "r"):
        raise Refused(f"the mode {op.mode}, or pivoting")
    return list(T.linalg.qr(a, modes[op.mode])) if op.mode in modes else T.linalg.qr(a, "complete")[1]


@TABLE.on("LU")
def lu(t: Any, op: Any, node: Any, a: Any) -> Any:
    return list(T.linalg.lu(a, permute_l=op.permute_l, p_indices=op.p_indices))


@TABLE.on("LUFactor")
def lu_factor(t: Any, op: Any, node: Any, a: Any) -> Any:
    return list(T.linalg.lu_factor(a))


TABLE.on("TensorInv")(lambda t, op, node, a: T.linalg.tensorinv(a, op.ind))
TABLE.on("TensorSolve")(lambda t, op, node, a, b: T.linalg.tensorsolve(a, b, op.axes))


@TABLE.on("PivotToPermutations")
def permutation(t: Any, op: Any, node: Any, pivots: Any) -> Any:
    """The order of rows after each was exchanged with another one in turn."""

    here = T.arange(pivots.shape[0], dtype="int64")

    def step(k: Any, other: Any, rows: Any) -> Any:
        swapped = T.set_subtensor(rows[k], rows[other])
        return T.set_subtensor(swapped[other], rows[k])

    found, _ = scan(step, sequences=[here, T.cast(pivots, "int64")], outputs_info=here)
    rows = T.join(0, here[None], found)[-1]
    return rows if op.inverse else T.argsort(rows)
