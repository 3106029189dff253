"""Products of tensors and functions of matrices; a matrix that fails gives NaN, as in JAX."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.jax.windows import TABLE
from eqsat.bridges.pivots import permutation
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import COMPLEX
from eqsat.graph.ops.decompose import lu_op

NAN = "nan"


def _size(lengths: Any) -> int:
    return int(np.prod(lengths, dtype=int))


@TABLE.on("dot_general")
def dot_general(t: Any, op: Any, node: Any, x: Any, y: Any) -> Any:
    """A product over some axes for each element of others, in the dtype of the result."""
    (cx, cy), (bx, by) = op.params["dimension_numbers"]
    cx, cy, bx, by = ([int(a) for a in axes] for axes in (cx, cy, bx, by))
    dtype = t.reader.type_of(node.outputs[0]).dtype
    if dtype == "bool":
        return T.gt(_product(T.cast(x, "int32"), T.cast(y, "int32"), cx, cy, bx, by), 0)
    return _product(T.cast(x, dtype), T.cast(y, dtype), cx, cy, bx, by)


def _product(x: Any, y: Any, cx: list[int], cy: list[int], bx: list[int], by: list[int]) -> Any:
    fx = [a for a in range(x.ndim) if a not in (*cx, *bx)]
    fy = [a for a in range(y.ndim) if a not in (*cy, *by)]
    sx, sy = x.type.shape, y.type.shape
    batch, rows, columns = ([s[a] for a in axes] for s, axes in ((sx, bx), (sx, fx), (sy, fy)))
    if not cx:
        left = x.dimshuffle(*bx, *fx, *["x"] * len(fy))
        return left * y.dimshuffle(*by, *["x"] * len(fx), *fy)
    if not bx and len(cx) == 1 and x.ndim in (1, 2) and y.ndim in (1, 2):
        left = x if cx[0] == x.ndim - 1 else x.dimshuffle(1, 0)
        return T.dot(left, y if cy[0] == 0 else y.dimshuffle(1, 0))
    inner = _size([sx[a] for a in cx])
    left, right = x.dimshuffle(*bx, *fx, *cx), y.dimshuffle(*by, *cy, *fy)
    left = T.reshape(left, [*batch, _size(rows), inner], ndim=len(bx) + 2)
    right = T.reshape(right, [*batch, inner, _size(columns)], ndim=len(bx) + 2)
    made = T.matmul(left, right)
    shape = [*batch, *rows, *columns]
    return T.reshape(made, shape, ndim=len(shape))


def _turned(m: Any) -> Any:
    return T.swapaxes(m, -1, -2)


@TABLE.on("cholesky")
def cholesky(t: Any, op: Any, node: Any, a: Any) -> Any:
    """The lower triangle of the mean of the matrix and its transpose, or of its own lower triangle."""
    if op.params.get("symmetrize_input"):
        other = _turned(T.conj(a) if a.dtype in COMPLEX else a)
        a = (a + other) / np.asarray(2, a.dtype)
    return T.linalg.cholesky(a, on_error=NAN)


@TABLE.on("triangular_solve")
def triangular_solve(t: Any, op: Any, node: Any, a: Any, b: Any) -> Any:
    """The solution of a x = b, or of x a = b by the transposes."""
    p = op.params
    if p["conjugate_a"]:
        a = T.conj(a)
    transposed, lower = bool(p["transpose_a"]), bool(p["lower"])
    if not p["left_side"]:
        b, transposed = _turned(b), not transposed
    if transposed:
        a, lower = _turned(a), not lower
    found = T.linalg.solve_triangular(a, b, lower=lower, unit_diagonal=bool(p["unit_diagonal"]), on_error=NAN)
    return found if p["left_side"] else _turned(found)


@TABLE.on("eigh")
def eigh(t: Any, op: Any, node: Any, a: Any) -> Any:
    """Eigenvectors and eigenvalues."""
    if op.params.get("subset_by_index") not in (None, (0, a.type.shape[-1])):
        raise Refused("some of the eigenvalues")
    values, vectors = T.linalg.eigh(a, UPLO="L" if op.params["lower"] else "U", on_error=NAN)
    return [vectors, values]


@TABLE.on("svd")
def svd(t: Any, op: Any, node: Any, a: Any) -> Any:
    p = op.params
    if p.get("subset_by_index") not in (None, (0, min(a.type.shape[-2:]))):
        raise Refused("some of the singular values")
    found = T.linalg.svd(a, bool(p["full_matrices"]), bool(p["compute_uv"]), on_error=NAN)
    if not p["compute_uv"]:
        return [found]
    u, s, v = found
    return [s, u, v]


@TABLE.on("qr")
def qr(t: Any, op: Any, node: Any, a: Any) -> Any:
    if op.params.get("pivoting"):
        raise Refused("pivoting")
    return list(T.linalg.qr(a, "complete" if op.params["full_matrices"] else "reduced"))


@TABLE.on("lu")
def lu(t: Any, op: Any, node: Any, a: Any) -> Any:
    """The factors in one matrix, the exchanges of rows, and the order of rows that they make."""
    return list(lu_op(a))


@TABLE.on("lu_pivots_to_permutation")
def pivots_to_permutation(t: Any, op: Any, node: Any, pivots: Any) -> Any:
    return permutation(pivots, int(op.params["permutation_size"]))


@TABLE.on("eig")
def eig(t: Any, op: Any, node: Any, a: Any) -> Any:
    """The vectors are those that LAPACK gives, of length 1."""
    if op.params["compute_left_eigenvectors"]:
        raise Refused("left eigenvectors")
    values, vectors = T.linalg.eig(a)
    return [values, vectors][: len(node.outputs)]
