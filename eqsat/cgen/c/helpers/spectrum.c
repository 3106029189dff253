// Singular values and eigenvalues of one matrix.

static int eq_gesdd__@T(int64_t m, int64_t n, const char *job, int64_t rows, const @T *a, int64_t s0, int64_t s1,
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
}

static int eq_svd__@T(int64_t m, int64_t n, double full, const @T *a, int64_t s0, int64_t s1, @T *u, @T *s, @T *v) {
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
}

static int eq_svdvals__@T(int64_t m, int64_t n, const @T *a, int64_t s0, int64_t s1, @T *s) {
  @T none;
  return m && n ? eq_gesdd__@T(m, n, "N", 1, a, s0, s1, &none, s, &none) : 0;
}

static int eq_syevd__@T(int64_t n, const char *job, int low, const @T *a, int64_t s0, int64_t s1, @T *w, @T *t) {
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
}

static int eq_eigh__@T(int64_t n, int64_t m, double low, const @T *a, int64_t s0, int64_t s1, @T *w, @T *v) {
  if (n == 0) return 0;
  @T *t = malloc((size_t)(n * n) * sizeof(@T));
  if (!t) return 1;
  int bad = eq_syevd__@T(n, "V", low > 0, a, s0, s1, w, t);
  if (!bad) eq_unpack__@T(n, n, t, n, v);
  free(t);
  return bad;
}

static int eq_eigvalsh__@T(int64_t n, int64_t m, double low, const @T *a, int64_t s0, int64_t s1, @T *w) {
  if (n == 0) return 0;
  @T *t = malloc((size_t)(n * n) * sizeof(@T));
  if (!t) return 1;
  int bad = eq_syevd__@T(n, "N", low > 0, a, s0, s1, w, t);
  free(t);
  return bad;
}
