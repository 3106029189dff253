// Factorisations of one matrix: Cholesky, LU, QR.

static int eq_cholesky__@T(int64_t n, int64_t m, const @T *a, int64_t s0, int64_t s1, @T *out) {
  int nn = (int)n, info = 0;
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j <= i; j++) out[i * n + j] = a[i * s0 + j * s1];
    for (int64_t j = i + 1; j < n; j++) out[i * n + j] = 0;
  }
  if (n) eq_blas_potrf__@T("U", &nn, out, &nn, &info);
  return info ? 2 : 0;
}

static int eq_lu__@T(int64_t m, int64_t n, const @T *a, int64_t s0, int64_t s1, @T *out, int32_t *pivots, int64_t *rows) {
  int64_t k = m < n ? m : n, r;
  int mm = (int)m, nn = (int)n, info = 0;
  @T *t = malloc((size_t)(m * n + 1) * sizeof(@T));
  if (!t) return 1;
  eq_pack__@T(m, n, a, s0, s1, t);
  if (k) eq_blas_getrf__@T(&mm, &nn, t, &mm, pivots, &info);
  eq_unpack__@T(m, n, t, m, out);
  for (int64_t i = 0; i < m; i++) rows[i] = i;
  for (int64_t i = 0; i < k; i++) { pivots[i]--; r = rows[i]; rows[i] = rows[pivots[i]]; rows[pivots[i]] = r; }
  free(t);
  return 0;
}

static int eq_qr__@T(int64_t m, int64_t n, double full, const @T *a, int64_t s0, int64_t s1, @T *q, @T *r) {
  int64_t k = m < n ? m : n, c = full ? m : k, wide = c > n ? c : n;
  int mm = (int)m, nn = (int)n, kk = (int)k, cc = (int)c, info = 0, lwork = (int)(64 * wide + 64);
  @T *t = malloc((size_t)(m * wide + k + lwork) * sizeof(@T));
  if (!t) return 1;
  @T *tau = t + m * wide, *work = tau + k;
  eq_pack__@T(m, n, a, s0, s1, t);
  if (k) eq_blas_geqrf__@T(&mm, &nn, t, &mm, tau, work, &lwork, &info);
  for (int64_t i = 0; i < c; i++) for (int64_t j = 0; j < n; j++) r[i * n + j] = i <= j ? t[j * m + i] : 0;
  if (c && m && !info) eq_blas_orgqr__@T(&mm, &cc, &kk, t, &mm, tau, work, &lwork, &info);
  eq_unpack__@T(m, c, t, m, q);
  free(t);
  return info ? 2 : 0;
}
