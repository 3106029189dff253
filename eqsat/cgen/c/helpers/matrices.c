// Matrices between rows of any strides and columns one after the other, as LAPACK wants them.

static void eq_pack__@T(int64_t m, int64_t n, const @T *x, int64_t s0, int64_t s1, @T *a) {
  for (int64_t j = 0; j < n; j++) for (int64_t i = 0; i < m; i++) a[j * m + i] = x[i * s0 + j * s1];
}

static void eq_unpack__@T(int64_t m, int64_t n, const @T *a, int64_t ld, @T *x) {
  for (int64_t i = 0; i < m; i++) for (int64_t j = 0; j < n; j++) x[i * n + j] = a[j * ld + i];
}

static void eq_identity__@T(int64_t n, @T *x) {
  memset(x, 0, (size_t)(n * n) * sizeof(@T));
  for (int64_t i = 0; i < n; i++) x[i * n + i] = 1;
}
