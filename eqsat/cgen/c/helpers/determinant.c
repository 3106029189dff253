// Determinants and the exponential of one matrix.

// The pivots of a matrix: the product of their sizes, the sum of the logarithms of these, and the sign, 0 where one is 0.
static int eq_pivots__@T(int64_t n, const @T *a, int64_t s0, int64_t s1, double *product, double *sum, int *sign) {
  int nn = (int)n, info = 0, negative = 0;
  @T *t = malloc((size_t)(n * n + 1) * sizeof(@T));
  int32_t *pivots = malloc((size_t)(n + 1) * sizeof(int32_t));
  if (!t || !pivots) { free(t); free(pivots); return 1; }
  eq_pack__@T(n, n, a, s0, s1, t);
  if (n) eq_blas_getrf__@T(&nn, &nn, t, &nn, pivots, &info);
  *product = 1, *sum = 0;
  for (int64_t i = 0; i < n; i++) {
    double d = t[i * n + i];
    negative ^= (pivots[i] != i + 1) ^ (d < 0);
    *product *= d < 0 ? -d : d;
    *sum += log(d < 0 ? -d : d);
  }
  *sign = info > 0 ? 0 : negative ? -1 : 1;
  free(t); free(pivots);
  return 0;
}

static int eq_slogdet__@T(int64_t n, int64_t m, const @T *a, int64_t s0, int64_t s1, @T *sign, @T *logarithm) {
  double product, sum;
  int found;
  if (eq_pivots__@T(n, a, s0, s1, &product, &sum, &found)) return 1;
  *sign = found;
  *logarithm = found ? (@T)sum : -INFINITY;
  return 0;
}

static int eq_det__@T(int64_t n, int64_t m, const @T *a, int64_t s0, int64_t s1, @T *out) {
  double product, sum;
  int sign;
  if (eq_pivots__@T(n, a, s0, s1, &product, &sum, &sign)) return 1;
  if (!(product > 1e-290 && product < 1e290)) product = exp(sum);
  *out = sign ? (@T)(sign * product) : 0;
  return 0;
}

static void eq_product__@T(int n, const @T *x, const @T *y, @T *out) {
  @T one = 1, zero = 0;
  eq_blas_gemm__@T("N", "N", &n, &n, &n, &one, x, &n, y, &n, &zero, out, &n);
}

static int eq_expm__@T(int64_t n, int64_t m, const @T *a, int64_t s0, int64_t s1, @T *out) {
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
}
