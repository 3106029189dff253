"""Singular values and vectors; eigenvalues and eigenvectors of symmetric matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import GradientError
from eqsat.graph.batch_rules import stacked as stack_rule
from eqsat.graph.c_operand import COperand, CWriter
from eqsat.graph.declare import c_helper, structural
from eqsat.graph.ops.decompose import _shorter, per_matrix
from eqsat.graph.ops.elemwise import mul, reciprocal
from eqsat.graph.ops.matmul import stacked
from eqsat.graph.ops.matrices import (
    DIVERGED,
    check_square,
    column,
    each_matrix,
    finite,
    fold_triangle,
    minimum,
    numpy_call,
    on_diagonal,
    row,
    square_values,
    swap,
)
from eqsat.graph.parameters import INTEGER
from eqsat.graph.tensor_type import TensorType

c_helper(
    "eq_gesdd",
    """static int eq_gesdd__@T(int64_t m, int64_t n, const char *job, int64_t rows, const @T *a, int64_t s0, int64_t s1,
    @T *u, @T *s, @T *v) {
  int mm = (int)m, nn = (int)n, ldv = rows > 1 ? (int)rows : 1, info = 0, lwork = -1;
  int64_t k = m < n ? m : n;
  @T best = 0, *t = malloc((size_t)(m * n) * sizeof(@T)), *work = 0;
  int *integers = malloc((size_t)(8 * k) * sizeof(int));
  if (!t || !integers) { free(t); free(integers); return 1; }
  eq_pack__@T(m, n, a, s0, s1, t);
  for (int64_t i = 0; i < m * n && *job != 'N' && !info; i++) info = !isfinite(t[i]);  // gesdd may never return
  if (info) { free(t); free(integers); return 2; }
  eq_blas_gesdd__@T(job, &mm, &nn, t, &mm, s, u, &mm, v, &ldv, &best, &lwork, integers, &info);
  lwork = (int)best + 1;
  if (!(work = malloc((size_t)lwork * sizeof(@T)))) { free(t); free(integers); return 1; }
  eq_blas_gesdd__@T(job, &mm, &nn, t, &mm, s, u, &mm, v, &ldv, work, &lwork, integers, &info);
  free(t); free(integers); free(work);
  return info ? 2 : 0;
}""",
)
c_helper(
    "eq_svd",
    """static int eq_svd__@T(int64_t m, int64_t n, double full, const @T *a, int64_t s0, int64_t s1, @T *u, @T *s, @T *v) {
  int64_t k = m < n ? m : n, columns = full ? m : k, rows = full ? n : k;
  if (k == 0) {
    if (full) { eq_identity__@T(m, u); eq_identity__@T(n, v); }
    return 0;
  }
  @T *t = malloc((size_t)(m * columns + rows * n) * sizeof(@T));
  if (!t) return 1;
  int bad = eq_gesdd__@T(m, n, full ? "A" : "S", rows, a, s0, s1, t, s, t + m * columns);
  if (!bad) {
    eq_unpack__@T(m, columns, t, m, u);
    eq_unpack__@T(rows, n, t + m * columns, rows, v);
  }
  free(t);
  return bad;
}""",
)
c_helper(
    "eq_svdvals",
    """static int eq_svdvals__@T(int64_t m, int64_t n, const @T *a, int64_t s0, int64_t s1, @T *s) {
  @T none;
  return m && n ? eq_gesdd__@T(m, n, "N", 1, a, s0, s1, &none, s, &none) : 0;
}""",
)
c_helper(
    "eq_syevd",
    """static int eq_syevd__@T(int64_t n, const char *job, int low, const @T *a, int64_t s0, int64_t s1, @T *w, @T *t) {
  int nn = (int)n, info = 0, lwork = -1, liwork = -1, ibest = 0, *integers = 0;
  @T best = 0, *work = 0;
  eq_pack__@T(n, n, a, s0, s1, t);
  eq_blas_syevd__@T(job, low ? "L" : "U", &nn, t, &nn, w, &best, &lwork, &ibest, &liwork, &info);
  lwork = (int)best + 1; liwork = ibest;
  work = malloc((size_t)lwork * sizeof(@T));
  integers = malloc((size_t)(liwork + 1) * sizeof(int));
  if (!work || !integers) { free(work); free(integers); return 1; }
  eq_blas_syevd__@T(job, low ? "L" : "U", &nn, t, &nn, w, work, &lwork, integers, &liwork, &info);
  free(work); free(integers);
  return info ? 2 : 0;
}""",
)
c_helper(
    "eq_eigh",
    """static int eq_eigh__@T(int64_t n, int64_t m, double low, const @T *a, int64_t s0, int64_t s1, @T *w, @T *v) {
  if (n == 0) return 0;
  @T *t = malloc((size_t)(n * n) * sizeof(@T));
  if (!t) return 1;
  int bad = eq_syevd__@T(n, "V", low > 0, a, s0, s1, w, t);
  if (!bad) eq_unpack__@T(n, n, t, n, v);
  free(t);
  return bad;
}""",
)
c_helper(
    "eq_eigvalsh",
    """static int eq_eigvalsh__@T(int64_t n, int64_t m, double low, const @T *a, int64_t s0, int64_t s1, @T *w) {
  if (n == 0) return 0;
  @T *t = malloc((size_t)(n * n) * sizeof(@T));
  if (!t) return 1;
  int bad = eq_syevd__@T(n, "N", low > 0, a, s0, s1, w, t);
  free(t);
  return bad;
}""",
)


# -------------------------------------------------------------------------------------------- singular values


def _svd_types(op: Any, a: Any) -> tuple[TensorType, ...]:
    (*batch, m, n) = a.type.shape
    k, full = minimum(m, n), op.params["full"]
    shapes = [(*batch, m, m if full else k), (*batch, k), (*batch, n if full else k, n)]
    return tuple(a.type.clone(shape=s) for s in shapes)


def _svd_dims(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[Any]:
    (x,) = ins
    *batch, m, n = x.n
    k, full = _shorter(x), op.params["full"]
    return [[*batch, m, m if full else k], [*batch, k], [*batch, n if full else k, n]]


def _svd_grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    (a,), (du, ds, dv) = inputs, gradients
    u, s, v = outputs
    if op.params["full"]:
        m, n = a.type.shape[-2:]
        if (du is not None or dv is not None) and (m is None or m != n):
            raise GradientError(
                "svd: with full_matrices the vectors have a gradient only for square matrices",
                operands=[(str(a), a)],
                hint="svd(x, full_matrices=False), or T.specify_shape where it is square",
            )
        u, s, v = svd_op(a, full=0)
    return [svd_gradient(u, s, v, du, ds, dv)]


def _differences(s: Any) -> Any:
    """1 / (s[j] - s[i]) at (i, j), 0 on the diagonal."""
    away = row(s) - column(s)
    inverse = reciprocal(on_diagonal(away, np.ones((), s.dtype), away))
    return on_diagonal(away, np.zeros((), s.dtype), inverse)


def svd_gradient(u: Any, s: Any, v: Any, du: Any, ds: Any, dv: Any) -> Any:
    """Gradient for u diag(s) v from those of its factors; v has the right vectors as rows.

    Source   Townsend 2016, Differentiating the singular value decomposition
    """
    total, far = None, _differences(s * s) if du is not None or dv is not None else None
    parts = []
    if ds is not None:
        parts.append(on_diagonal(row(s) * column(s), column(ds), np.zeros((), s.dtype)))
    if du is not None:
        inner = far * stacked(swap(u), du)
        parts.append((inner + swap(inner)) * row(s))
    if dv is not None:
        inner = far * stacked(v, swap(dv))
        parts.append(column(s) * (inner + swap(inner)))
    for part in parts:
        total = part if total is None else total + part
    result = stacked(stacked(u, total), v)
    if du is not None:
        outside = (du - stacked(u, stacked(swap(u), du))) / row(s)
        result = result + stacked(outside, v)
    if dv is not None:
        outside = (dv - stacked(stacked(dv, swap(v)), v)) / column(s)
        result = result + stacked(u, outside)
    return result


def _svd_flops(m: float, n: float) -> float:
    k, big = min(m, n), max(m, n)
    return 6 * big * k * k + 20 * k**3


@structural(
    "block",
    name="svd",
    batch=stack_rule,
    outputs=3,
    parameters={"full": INTEGER},
    infer=_svd_types,
    grad=_svd_grad,
    dims=_svd_dims,
    c=each_matrix("eq_svd", DIVERGED, flags=("full",)),
    cost=per_matrix(_svd_flops),
)
def svd_op(a: Any, *, full: int) -> Any:
    """Singular value decomposition u diag(s) v = a; s falls, the rows of v are the right vectors.

    Shapes   a: f[..., m, n] -> f[..., m, k], f[..., k], f[..., k, n] with k = min(m, n);
             with ``full`` u and v are square
    """
    return tuple(
        numpy_call("svd", DIVERGED, np.linalg.svd, finite("svd", DIVERGED, a), full_matrices=bool(full))
    )


def _svdvals_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    u, _, v = svd_op(inputs[0], full=0)
    return [stacked(mul(u, row(dy)), v)]


@structural(
    "block",
    name="svdvals",
    batch=stack_rule,
    infer=lambda op, a: a.type.clone(shape=(*a.type.shape[:-2], minimum(*a.type.shape[-2:]))),
    grad=_svdvals_grad,
    dims=lambda w, op, ins: [*ins[0].n[:-2], _shorter(ins[0])],
    c=each_matrix("eq_svdvals", DIVERGED),
    cost=per_matrix(lambda m, n: 8 * max(m, n) * min(m, n) ** 2),
)
def svdvals_op(a: Any) -> Any:
    """Singular values, falling.

    Shapes   a: f[..., m, n] -> f[..., min(m, n)]
    """
    return numpy_call("svdvals", DIVERGED, np.linalg.svd, a, compute_uv=False)


# ------------------------------------------------------------------------------------- symmetric eigenvalues

UNSETTLED = "the eigenvalues did not converge"


def _eigh_types(op: Any, a: Any) -> tuple[TensorType, TensorType]:
    check_square(op, a)
    return a.type.clone(shape=a.type.shape[:-1]), a.type


def _eigvalsh_type(op: Any, a: Any) -> TensorType:
    return _eigh_types(op, a)[0]


def _eigh_grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    """Giles 2008, An extended collection of matrix derivative results, 3.1; one triangle of a is read."""
    (w, v), (dw, dv) = outputs, gradients
    inner = None
    if dv is not None:
        inner = _differences(w) * stacked(swap(v), dv)
    if dw is not None:
        inner = on_diagonal(v, column(dw), np.zeros((), w.dtype) if inner is None else inner)
    total = stacked(stacked(v, inner), swap(v))
    return [fold_triangle((total + swap(total)) * np.asarray(0.5, w.dtype), bool(op.params["lower"]))]


@structural(
    "block",
    name="eigh",
    batch=stack_rule,
    outputs=2,
    parameters={"lower": INTEGER},
    infer=_eigh_types,
    grad=_eigh_grad,
    dims=lambda w, op, ins: [ins[0].n[:-1], ins[0].n],
    c=each_matrix("eq_eigh", UNSETTLED, flags=("lower",), square=True),
    check=square_values,
    cost=per_matrix(lambda m, n: 9 * n**3),
)
def eigh_op(a: Any, *, lower: int) -> Any:
    """Eigenvalues of symmetric matrices, rising, and eigenvectors as columns; one triangle is read.

    Shapes   a: f[..., n, n] -> f[..., n], f[..., n, n]
    """
    return tuple(numpy_call("eigh", UNSETTLED, np.linalg.eigh, a, "L" if lower else "U"))


def _eigvalsh_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    _, v = eigh_op(inputs[0], lower=op.params["lower"])
    return [fold_triangle(stacked(mul(v, row(dy)), swap(v)), bool(op.params["lower"]))]


@structural(
    "block",
    name="eigvalsh",
    batch=stack_rule,
    parameters={"lower": INTEGER},
    infer=_eigvalsh_type,
    grad=_eigvalsh_grad,
    dims=lambda w, op, ins: list(ins[0].n[:-1]),
    c=each_matrix("eq_eigvalsh", UNSETTLED, flags=("lower",), square=True),
    check=square_values,
    cost=per_matrix(lambda m, n: 4 * n**3),
)
def eigvalsh_op(a: Any, *, lower: int) -> Any:
    """Eigenvalues of symmetric matrices, rising; one triangle is read.

    Shapes   a: f[..., n, n] -> f[..., n]
    """
    return numpy_call("eigvalsh", UNSETTLED, np.linalg.eigvalsh, a, "L" if lower else "U")
