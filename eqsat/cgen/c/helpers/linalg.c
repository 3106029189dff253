// Products of matrices: by our own library, by BLAS, or by loops.

static int eq_dot_loops__@T(int64_t m, int64_t n, int64_t k, const @T *a, int64_t a0, int64_t a1,
    const @T *b, int64_t b0, int64_t b1, @T *c) {
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; p++) {
      @T v = a[i * a0 + p * a1];
      for (int64_t j = 0; j < n; j++) c[i * n + j] = (@T)(c[i * n + j] + v * b[p * b0 + j * b1]);
    }
  }
  return 0;
}

static int eq_dot__@T(eq_call *c, int64_t m, int64_t n, int64_t k, const @T *a, int64_t a0, int64_t a1,
    const @T *b, int64_t b0, int64_t b1, @T *out) {
  eq_blas_product__@T(c, m, n, k, a, a0, a1, b, b0, b1, out, n, 0);
  return 0;
}

static int eq_dot_bool__@T(int64_t m, int64_t n, int64_t k, const @T *a, int64_t a0, int64_t a1,
    const @T *b, int64_t b0, int64_t b1, @T *c) {
  for (int64_t i = 0; i < m; i++) for (int64_t j = 0; j < n; j++) {
    @T any = 0;
    for (int64_t p = 0; p < k; p++) any |= a[i * a0 + p * a1] & b[p * b0 + j * b1];
    c[i * n + j] = any;
  }
  return 0;
}

static int eq_dot_blas__@T(int64_t m, int64_t n, int64_t k, const @T *a, int64_t a0, int64_t a1,
    const @T *b, int64_t b0, int64_t b1, @T *c) {
  if (m == 0 || n == 0) return 0;
  if (k == 0) { memset(c, 0, (size_t)(m * n) * sizeof(@T)); return 0; }
  if (m == 1) a0 = a1 == 1 ? k : 1;
  if (k == 1) { if (a0 != 1 || m == 1) a1 = 1; if (b1 != 1 || n == 1) b0 = 1; if (b0 != 1) b0 = n * b1; }
  if (n == 1) b1 = b0 == 1 ? k : 1;
  @T *pa = 0, *pb = 0, one = 1, zero = 0;
  if (!((a1 == 1 && a0 >= k) || (a0 == 1 && a1 >= m))) {
    if (!(pa = malloc((size_t)(m * k) * sizeof(@T)))) return 1;
    for (int64_t i = 0; i < m; i++) for (int64_t p = 0; p < k; p++) pa[i * k + p] = a[i * a0 + p * a1];
    a = pa; a0 = k; a1 = 1;
  }
  if (!((b1 == 1 && b0 >= n) || (b0 == 1 && b1 >= k))) {
    if (!(pb = malloc((size_t)(k * n) * sizeof(@T)))) { free(pa); return 1; }
    for (int64_t p = 0; p < k; p++) for (int64_t j = 0; j < n; j++) pb[p * n + j] = b[p * b0 + j * b1];
    b = pb; b0 = n; b1 = 1;
  }
  int mm = (int)m, nn = (int)n, kk = (int)k, i1 = 1;
  int ra = a1 == 1 && a0 >= k, rb = b1 == 1 && b0 >= n;
  int la = (int)(ra ? a0 : a1), lb = (int)(rb ? b0 : b1);
  if (n == 1) {
    int inc = (int)b0;
    if (ra) eq_blas_gemv__@T("T", &kk, &mm, &one, a, &la, b, &inc, &zero, c, &i1);
    else eq_blas_gemv__@T("N", &mm, &kk, &one, a, &la, b, &inc, &zero, c, &i1);
  } else if (m == 1) {
    int inc = (int)a1;
    if (rb) eq_blas_gemv__@T("N", &nn, &kk, &one, b, &lb, a, &inc, &zero, c, &i1);
    else eq_blas_gemv__@T("T", &kk, &nn, &one, b, &lb, a, &inc, &zero, c, &i1);
  } else
    eq_blas_gemm__@T(rb ? "N" : "T", ra ? "N" : "T", &nn, &mm, &kk, &one, b, &lb, a, &la, &zero, c, &nn);
  free(pa); free(pb);
  return 0;
}
