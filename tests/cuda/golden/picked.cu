extern "C" __global__ void __launch_bounds__(256) eq_k0(float *__restrict__ r0, const int64_t *__restrict__ a0, const float *__restrict__ a1, const int64_t n0, const int64_t n1, const int64_t n2) {
  const float t0 = 2.0f;
  for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n2*n0; at += (int64_t)gridDim.x*256) {
    const int64_t i1 = at % n0, i1_ = at / n0;
    const int64_t i0 = i1_;
    const int64_t t1 = a0[i0];
    const float t2 = *(a1 + i1 + (t1 < 0 ? t1 + n1 : t1)*n0);
    const float t3 = (t2 * t0);
    r0[i0*n0 + i1] = t3;
  }
}
// { if (N[2] > 0 && N[1] > 0) { eq_launch(0, 6, eq_grid(N[2]*N[1], 256), 1, 256, 1, (uint64_t)(P[2]), (uint64_t)(P[1]), (uint64_t)(P[0]), (uint64_t)(N[1]), (uint64_t)(N[0]), (uint64_t)(N[2])); } }
