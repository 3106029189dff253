// Systems of linear equations.

static int eq_factor__@T(int64_t n, const @T *a, int64_t s0, int64_t s1, @T *t, int32_t *pivots) {
  int nn = (int)n, info = 0;
  eq_pack__@T(n, n, a, s0, s1, t);
  if (n) eq_blas_getrf__@T(&nn, &nn, t, &nn, pivots, &info);
  return info;
}

static void eq_factored__@T(int64_t n, int64_t k, @T *t, int32_t *pivots, const @T *b, int64_t s0, int64_t s1,
    @T *r, @T *x) {
  int nn = (int)n, kk = (int)k, info = 0;
  if (n == 0 || k == 0) return;
  eq_pack__@T(n, k, b, s0, s1, r);
  eq_blas_getrs__@T("N", &nn, &kk, t, &nn, pivots, r, &nn, &info);
  eq_unpack__@T(n, k, r, n, x);
}

static int eq_inv__@T(int64_t n, int64_t m, const @T *a, int64_t s0, int64_t s1, @T *x) {
  int nn = (int)n, info = 0;
  if (n == 0) return 0;
  @T *t = malloc((size_t)(n * n) * sizeof(@T));
  int32_t *pivots = malloc((size_t)n * sizeof(int32_t));
  if (!t || !pivots) { free(t); free(pivots); return 1; }
  eq_pack__@T(n, n, a, s1, s0, t);
  eq_identity__@T(n, x);
  eq_blas_getrf__@T(&nn, &nn, t, &nn, pivots, &info);
  if (!info) eq_blas_getrs__@T("N", &nn, &nn, t, &nn, pivots, x, &nn, &info);
  free(t); free(pivots);
  return info ? 2 : 0;
}

static int eq_triangle__@T(int64_t n, int64_t k, int64_t lower, int64_t unit, const @T *a, int64_t a0, int64_t a1,
    const @T *b, int64_t b0, int64_t b1, @T *x) {
  int nn = (int)n, kk = (int)k, ld = (int)n;
  @T *t = 0, one = 1;
  if (n == 0 || k == 0) return 0;
  for (int64_t i = 0; i < n && !unit; i++) if (a[i * (a0 + a1)] == 0) return 2;
  for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < k; j++) x[i * k + j] = b[i * b0 + j * b1];
  int rows = a1 == 1 && a0 >= n, columns = a0 == 1 && a1 >= n;
  if (rows) ld = (int)a0;
  else if (columns) ld = (int)a1;
  else {
    if (!(t = malloc((size_t)(n * n) * sizeof(@T)))) return 1;
    eq_pack__@T(n, n, a, a0, a1, t);
    a = t;
  }
  int flipped = rows ? !lower : !!lower;
  eq_blas_trsm__@T("R", flipped ? "L" : "U", rows ? "N" : "T", unit ? "U" : "N", &kk, &nn, &one, (@T *)a, &ld, x, &kk);
  free(t);
  return 0;
}

static int eq_pinv__@T(int64_t m, int64_t n, double cutoff, const @T *a, int64_t s0, int64_t s1, @T *out) {
  int64_t k = m < n ? m : n;
  int mm = (int)m, nn = (int)n, kk = (int)k;
  if (k == 0) return 0;
  @T one = 1, zero = 0, *u = malloc((size_t)(m * k + k * n + k) * sizeof(@T));
  if (!u) return 1;
  @T *v = u + m * k, *s = v + k * n;
  int bad = eq_gesdd__@T(m, n, "S", k, a, s0, s1, u, s, v);
  if (!bad) {
    @T low = (@T)((cutoff < 0 ? (double)(m > n ? m : n) * (sizeof(@T) == 4 ? 1.1920928955078125e-07 : 2.220446049250313e-16) : cutoff) * s[0]);
    for (int64_t j = 0; j < k; j++) {
      @T factor = s[j] > low ? 1 / s[j] : 0;
      for (int64_t i = 0; i < m; i++) u[j * m + i] *= factor;
    }
    eq_blas_gemm__@T("N", "N", &mm, &nn, &kk, &one, u, &mm, v, &kk, &zero, out, &mm);
  }
  free(u);
  return bad;
}
