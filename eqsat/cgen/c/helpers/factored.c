// An LU factorisation that is kept, and systems solved with it.

static int eq_lu_factors__@T(int64_t n, const @T *a, int64_t s0, int64_t s1, @T *out) {
  int32_t *pivots = malloc((size_t)(n + 1) * sizeof(int32_t));
  if (!pivots) return 1;
  int info = eq_factor__@T(n, a, s0, s1, out, pivots);
  for (int64_t i = 0; i < n; i++) out[n * n + i] = (@T)(pivots[i] - 1);
  free(pivots);
  return info ? 2 : 0;
}

static int eq_lu_solve__@T(int64_t n, int64_t k, int64_t turned, const @T *f, int64_t f0, int64_t f1,
    const @T *b, int64_t b0, int64_t b1, @T *x) {
  int nn = (int)n, kk = (int)k, info = 0;
  if (n == 0 || k == 0) return 0;
  @T *r = malloc((size_t)(n * n + n * k) * sizeof(@T)), *t = r + n * k;
  int32_t *pivots = malloc((size_t)n * sizeof(int32_t));
  if (!r || !pivots) { free(r); free(pivots); return 1; }
  for (int64_t i = 0; i < n; i++) {
    const @T p = f[n * f0 + i * f1];  // NaN in factors of a matrix that has none
    pivots[i] = p >= 0 && p < n ? (int32_t)p + 1 : (int32_t)i + 1;
  }
  if (f0 == n && f1 == 1) t = (@T *)f;
  else for (int64_t j = 0; j < n; j++) for (int64_t i = 0; i < n; i++) t[j * n + i] = f[j * f0 + i * f1];
  eq_pack__@T(n, k, b, b0, b1, r);
  eq_blas_getrs__@T(turned ? "T" : "N", &nn, &kk, t, &nn, pivots, r, &nn, &info);
  eq_unpack__@T(n, k, r, n, x);
  free(r); free(pivots);
  return 0;
}
