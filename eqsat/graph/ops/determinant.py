"""Determinants, plain and as sign and logarithm, and the exponential of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.graph.batch_rules import stacked as stack_rule
from eqsat.graph.c_operand import COperand, CWriter, loops
from eqsat.graph.declare import c_helper, structural
from eqsat.graph.ops.decompose import per_matrix
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.matrices import NOT_SQUARE, check_square, column, each_matrix, item, square_values, swap
from eqsat.graph.ops.solve import inv_op
from eqsat.graph.parameters import INTEGER
from eqsat.graph.tensor_type import TensorType

c_helper(
    "eq_slogdet",
    """static int eq_slogdet__@T(int64_t n, int64_t m, const @T *a, int64_t s0, int64_t s1, @T *sign, @T *logarithm) {
  int nn = (int)n, info = 0;
  double sum = 0;
  @T *t = malloc((size_t)(n * n + 1) * sizeof(@T));
  int32_t *pivots = malloc((size_t)(n + 1) * sizeof(int32_t));
  if (!t || !pivots) { free(t); free(pivots); return 1; }
  eq_pack__@T(n, n, a, s0, s1, t);
  if (n) eq_blas_getrf__@T(&nn, &nn, t, &nn, pivots, &info);
  int negative = 0;
  for (int64_t i = 0; i < n; i++) {
    double d = t[i * n + i];
    negative ^= (pivots[i] != i + 1) ^ (d < 0);
    sum += log(d < 0 ? -d : d);
  }
  *sign = info > 0 ? 0 : negative ? -1 : 1;
  *logarithm = info > 0 ? -INFINITY : (@T)sum;
  free(t); free(pivots);
  return 0;
}""",
)
c_helper(
    "eq_det",
    """static int eq_det__@T(int64_t n, int64_t m, const @T *a, int64_t s0, int64_t s1, @T *out) {
  int nn = (int)n, info = 0;
  double sum = 0, product = 1;
  @T *t = malloc((size_t)(n * n + 1) * sizeof(@T));
  int32_t *pivots = malloc((size_t)(n + 1) * sizeof(int32_t));
  if (!t || !pivots) { free(t); free(pivots); return 1; }
  eq_pack__@T(n, n, a, s0, s1, t);
  if (n) eq_blas_getrf__@T(&nn, &nn, t, &nn, pivots, &info);
  int negative = 0;
  for (int64_t i = 0; i < n; i++) {
    double d = t[i * n + i];
    negative ^= (pivots[i] != i + 1) ^ (d < 0);
    product *= d < 0 ? -d : d;
    sum += log(d < 0 ? -d : d);
  }
  if (!(product > 1e-290 && product < 1e290)) product = exp(sum);
  *out = info > 0 ? 0 : (@T)(negative ? -product : product);
  free(t); free(pivots);
  return 0;
}""",
)


def _det_type(op: Any, a: Any) -> TensorType:
    check_square(op, a)
    return a.type.clone(shape=a.type.shape[:-2])  # type: ignore[no-any-return]


def _slogdet_types(op: Any, a: Any) -> tuple[TensorType, TensorType]:
    kind = _det_type(op, a)
    return kind, kind


def _over_matrix(v: Any) -> Any:
    return column(column(v))


def _slogdet_grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    (a,), dy = inputs, gradients[1]
    return [None if dy is None else _over_matrix(dy) * swap(inv_op(a))]


_lu_cost = per_matrix(lambda m, n: n**3 * 2 / 3)


@structural(
    "block",
    name="det",
    batch=stack_rule,
    type_text=("dtype_a", "(- ndim_a 2)", "(& mask_a (- (<< 1 (- ndim_a 2)) 1))"),
    infer=_det_type,
    grad=lambda op, inputs, out, dy: [_over_matrix(dy * out) * swap(inv_op(inputs[0]))],
    dims=lambda w, op, ins: list(ins[0].n[:-2]),
    c=each_matrix("eq_det", "no determinant", square=True),
    check=square_values,
    cost=_lu_cost,
)
def det_op(a: Any) -> Any:
    """Determinants of matrices.

    Shapes   a: f[..., n, n] -> f[...]
    """
    return np.linalg.det(a)


@structural(
    "block",
    name="slogdet",
    batch=stack_rule,
    outputs=2,
    infer=_slogdet_types,
    grad=_slogdet_grad,
    dims=lambda w, op, ins: [ins[0].n[:-2]] * 2,
    c=each_matrix("eq_slogdet", "no determinant", square=True),
    check=square_values,
    cost=_lu_cost,
)
def slogdet_op(a: Any) -> Any:
    """Signs of determinants, and logarithms of their absolute values: 0 and -inf for a singular matrix.

    Shapes   a: f[..., n, n] -> f[...], f[...]
    """
    return tuple(np.linalg.slogdet(a))


def _logdet_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    """The logarithm that slogdet gives; NaN for a negative determinant unless its size is asked for."""
    (x,) = ins
    n, m, t = x.n[-2], x.n[-1], x.ctype
    w.emit(f"if ({n} != {m}) {w.fail('ShapeError', NOT_SQUARE.replace('{name}', 'logdet'), n, m)}")
    memory = w.fail("MemoryError", "logdet: no memory for a matrix")
    place = f"*({item(out, 0)})"
    call = f"{t} sign; if (eq_slogdet__{t}({n}, {m}, {item(x, 2)}, {x.s[-2]}, {x.s[-1]}, &sign, &{place})) {memory}"
    w.emit(loops(x.n[:-2], call if op.params["absolute"] else f"{call} if (sign < 0) {place} = NAN;"))


@structural(
    "block",
    name="logdet",
    batch=stack_rule,
    parameters={"absolute": INTEGER},
    type_text=("dtype_a", "(- ndim_a 2)", "(& mask_a (- (<< 1 (- ndim_a 2)) 1))"),
    infer=_det_type,
    grad=lambda op, inputs, out, dy: [_over_matrix(dy) * swap(inv_op(inputs[0]))],
    dims=lambda w, op, ins: list(ins[0].n[:-2]),
    c=_logdet_c,
    check=square_values,
    cost=_lu_cost,
)
def logdet_op(a: Any, *, absolute: int) -> Any:
    """Logarithms of determinants, NaN for a negative one; with ``absolute`` those of their sizes.

    Shapes   a: f[..., n, n] -> f[...]
    """
    sign, logarithm = np.linalg.slogdet(a)
    return logarithm if absolute else np.where(sign < 0, np.nan, logarithm).astype(a.dtype)


# ------------------------------------------------------------------------------------- exponential of a matrix

c_helper(
    "eq_product",
    """static void eq_product__@T(int n, const @T *x, const @T *y, @T *out) {
  @T one = 1, zero = 0;
  eq_blas_gemm__@T("N", "N", &n, &n, &n, &one, x, &n, y, &n, &zero, out, &n);
}""",
)
c_helper(
    "eq_expm",
    """static int eq_expm__@T(int64_t n, int64_t m, const @T *a, int64_t s0, int64_t s1, @T *out) {
  static const double b[] = {64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000.,
    10559470521600., 670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182., 1.};
  int64_t size = n * n, times = 0;
  int nn = (int)n, info = 0;
  double norm = 0, scale = 1;
  if (n == 0) return 0;
  @T *x = malloc((size_t)(6 * size) * sizeof(@T));
  int32_t *pivots = malloc((size_t)n * sizeof(int32_t));
  if (!x || !pivots) { free(x); free(pivots); return 1; }
  @T *x2 = x + size, *x4 = x2 + size, *x6 = x4 + size, *u = x6 + size, *v = u + size;
  eq_pack__@T(n, n, a, s1, s0, x);
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += x[i * n + j] < 0 ? -x[i * n + j] : x[i * n + j];
    if (!(sum <= norm)) norm = sum;
  }
  if (!(norm < INFINITY)) { for (int64_t i = 0; i < size; i++) out[i] = NAN; free(x); free(pivots); return 0; }
  for (; norm > 5.371920351148152; norm /= 2, scale /= 2) times++;
  for (int64_t i = 0; i < size; i++) x[i] = (@T)(x[i] * scale);
  eq_product__@T(nn, x, x, x2); eq_product__@T(nn, x2, x2, x4); eq_product__@T(nn, x2, x4, x6);
  for (int64_t i = 0; i < size; i++) out[i] = (@T)(b[13] * x6[i] + b[11] * x4[i] + b[9] * x2[i]);
  eq_product__@T(nn, x6, out, v);
  for (int64_t i = 0; i < size; i++)
    v[i] = (@T)(v[i] + b[7] * x6[i] + b[5] * x4[i] + b[3] * x2[i] + (i % (n + 1) ? 0 : b[1]));
  eq_product__@T(nn, x, v, u);
  for (int64_t i = 0; i < size; i++) out[i] = (@T)(b[12] * x6[i] + b[10] * x4[i] + b[8] * x2[i]);
  eq_product__@T(nn, x6, out, v);
  for (int64_t i = 0; i < size; i++) {
    @T even = (@T)(v[i] + b[6] * x6[i] + b[4] * x4[i] + b[2] * x2[i] + (i % (n + 1) ? 0 : b[0]));
    x[i] = even - u[i];
    out[i] = even + u[i];
  }
  eq_blas_getrf__@T(&nn, &nn, x, &nn, pivots, &info);
  if (!info) eq_blas_getrs__@T("N", &nn, &nn, x, &nn, pivots, out, &nn, &info);
  for (; times > 0; times--) { eq_product__@T(nn, out, out, u); memcpy(out, u, (size_t)size * sizeof(@T)); }
  free(x); free(pivots);
  return info ? 2 : 0;
}""",
)


def _square_type(op: Any, a: Any) -> TensorType:
    check_square(op, a)
    return a.type  # type: ignore[no-any-return]


def _expm_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """The derivative in a direction is a block of the exponential of a matrix of twice the length."""
    last, n = out.ndim - 1, out.shape[-1]
    a = swap(inputs[0])
    top = concatenate([a, dy], last)
    bottom = concatenate([a * 0, a], last)
    return [expm_op(concatenate([top, bottom], last - 1))[..., :n, n:]]


def _expm(a: Any) -> Any:
    from scipy.linalg import expm

    if a.size == 0:
        return a
    flat = a.reshape(-1, *a.shape[-2:])
    parts = [expm(x) if np.isfinite(x).all() else np.full(x.shape, np.nan, a.dtype) for x in flat]
    return np.stack(parts).reshape(a.shape)


@structural(
    "block",
    name="expm",
    batch=stack_rule,
    infer=_square_type,
    grad=_expm_grad,
    dims=lambda w, op, ins: list(ins[0].n),
    c=each_matrix("eq_expm", "the approximation has no solution", square=True),
    check=square_values,
    cost=per_matrix(lambda m, n: (2 * 8 + 8 / 3) * n**3),
)
def expm_op(a: Any) -> Any:
    """Exponentials of matrices, by scaling, a Pade approximant of degree 13 and squaring.

    Source   Higham 2005, SIAM J. Matrix Anal. Appl. 26(4)

    Shapes   a: f[..., n, n] -> f[..., n, n]
    """
    return _expm(a)
