/* A library of products that stands for cuBLAS on the emulated device: loops, and notes on how it was called. */
#include <complex.h>
#include <stdint.h>
#include <stddef.h>
#define EXPORT __attribute__((visibility("default")))
EXPORT int64_t calls = 0, handles = 0, streams = 0, workspace = 0, atomics = -1, compute = 0, kind = 0, many_of = 0;
EXPORT int refuse = 0;
EXPORT const char *cublasGetStatusString(int status) { return status == 13 ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS_UNKNOWN"; }
EXPORT int cublasGetProperty(int which, int *value) { *value = 13 - which; return 0; }
EXPORT int cublasCreate_v2(void **handle) { *handle = &calls; handles++; return 0; }
EXPORT int cublasSetAtomicsMode(void *handle, int mode) { atomics = mode; return 0; }
EXPORT int cublasSetStream_v2(void *handle, void *stream) { streams++; workspace = 0; return handle != &calls; }
EXPORT int cublasSetWorkspace_v2(void *handle, void *at, size_t bytes) { workspace = (int64_t)bytes; return at == 0; }
#define GEMM(NAME, T) static void NAME(int ta, int tb, int m, int n, int k, const T *a, int64_t lda, const T *b, int64_t ldb, T *c, int64_t ldc) { \
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { \
    T s = 0; \
    for (int p = 0; p < k; p++) s += (ta ? a[p + i * lda] : a[i + p * lda]) * (tb ? b[j + p * ldb] : b[p + j * ldb]); \
    c[i + j * ldc] = s; } }
GEMM(of_float, float) GEMM(of_double, double) GEMM(of_complex64, float _Complex) GEMM(of_complex128, double _Complex)
EXPORT int cublasGemmStridedBatchedEx(void *handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda, long long sa,
    const void *b, int bt, int ldb, long long sb, const void *beta, void *c, int ct, int ldc, long long sc, int many, int how, int algo) {
  int single = at == 0 || at == 4, size = at == 0 ? 4 : at == 5 ? 16 : 8;
  if (refuse) return refuse;
  if (at != bt || at != ct || algo != -1 || ldc < m || lda < (ta ? k : m) || ldb < (tb ? n : k) || m < 1 || n < 1 || k < 1 || many < 1) return 7;
  if ((single ? *(const float *)alpha : *(const double *)alpha) != 1 || (single ? *(const float *)beta : *(const double *)beta) != 0) return 7;
  calls++; compute = how; kind = at; many_of = many;
  for (int q = 0; q < many; q++) {
    const char *x = (const char *)a + q * sa * size, *y = (const char *)b + q * sb * size; char *z = (char *)c + q * sc * size;
    if (at == 0) of_float(ta, tb, m, n, k, (const void *)x, lda, (const void *)y, ldb, (void *)z, ldc);
    else if (at == 1) of_double(ta, tb, m, n, k, (const void *)x, lda, (const void *)y, ldb, (void *)z, ldc);
    else if (at == 4) of_complex64(ta, tb, m, n, k, (const void *)x, lda, (const void *)y, ldb, (void *)z, ldc);
    else if (at == 5) of_complex128(ta, tb, m, n, k, (const void *)x, lda, (const void *)y, ldb, (void *)z, ldc);
    else return 7;
  }
  return 0;
}
