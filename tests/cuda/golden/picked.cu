static __device__ __forceinline__ int64_t eq_inside(int64_t i, int64_t n) { const int64_t k = i < 0 ? i + n : i; return (uint64_t)k < (uint64_t)n ? k : 0; }
static __device__ int eq_report(int64_t *record, int64_t step, int64_t code, int64_t a, int64_t b, int64_t d, int64_t e) {
  if (atomicCAS((unsigned long long *)record, ~0ULL, (unsigned long long)code) != ~0ULL) return 0;
  record[1] = step; record[2] = a; record[3] = b; record[4] = d; record[5] = e;
  return 1;
}
extern "C" __global__ void __launch_bounds__(256) eq_k0(const int64_t *__restrict__ x0, const int64_t x0n0, const int64_t n, int64_t *eq_record) {
  const int64_t e0 = x0n0;
  for (int64_t eq_at = (int64_t)blockIdx.x*256 + threadIdx.x; eq_at < e0; eq_at += (int64_t)gridDim.x*256) {
    const int64_t i0 = eq_at;
    const int64_t g = x0[i0];
    if (g < -n || g >= n) { if (eq_report(eq_record, 2, 0, g, n, 0, 0)) { } return; }
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(float *__restrict__ r0, const int64_t *__restrict__ a0, const float *__restrict__ a1, const int64_t n0, const int64_t n1, const int64_t n2) {
  const float t0 = 2.0f;
  for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n2*n0; at += (int64_t)gridDim.x*256) {
    const int64_t i1 = at % n0, i1_ = at / n0;
    const int64_t i0 = i1_;
    const int64_t t1 = a0[i0];
    const float t2 = *(a1 + i1 + eq_inside(t1, n1)*n0);
    const float t3 = (t2 * t0);
    r0[i0*n0 + i1] = t3;
  }
}
// { if (x0n0 > 0) { eq_launch(0, 4, eq_grid(x0n0, 256), 1, 256, 1, (uint64_t)(x0), (uint64_t)(x0n0), (uint64_t)(n), (uint64_t)(eq_gpu->record)); } }
// { if (N[2] > 0 && N[1] > 0) { eq_launch(1, 6, eq_grid(N[2]*N[1], 256), 1, 256, 1, (uint64_t)(P[2]), (uint64_t)(P[1]), (uint64_t)(P[0]), (uint64_t)(N[1]), (uint64_t)(N[0]), (uint64_t)(N[2])); } }
