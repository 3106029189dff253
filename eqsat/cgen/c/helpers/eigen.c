// Eigenvalues of one matrix.

static int eq_eig__@T(int64_t n, int64_t m, const @T *a, int64_t s0, int64_t s1, void *values, void *vectors) {
  int nn = (int)n, info = 0, lwork = (int)(64 * n), one = 1;
  @T *w = values, *v = vectors, *t = malloc((size_t)(2 * n * n + 2 * n + lwork + 1) * sizeof(@T)), none;
  if (!t) return 1;
  if (n == 0) { free(t); return 0; }
  @T *r = t + n * n, *re = r + n * n, *im = re + n, *work = im + n;
  eq_pack__@T(n, n, a, s0, s1, t);
  for (int64_t i = 0; i < n * n && !info; i++) info = !isfinite(t[i]);  // geev gives numbers for infinities
  if (!info) eq_blas_geev__@T("N", "V", &nn, t, &nn, re, im, &none, &one, r, &nn, work, &lwork, &info);
  for (int64_t j = 0; j < n && !info; j++) {
    w[2 * j] = re[j]; w[2 * j + 1] = im[j];
    int64_t first = im[j] < 0 ? j - 1 : j;
    for (int64_t i = 0; i < n; i++) {
      v[2 * (i * n + j)] = r[first * n + i];
      v[2 * (i * n + j) + 1] = im[j] == 0 ? 0 : im[j] < 0 ? -r[j * n + i] : r[(j + 1) * n + i];
    }
  }
  free(t);
  return info ? 2 : 0;
}
