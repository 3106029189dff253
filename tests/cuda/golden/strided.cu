extern "C" __global__ void __launch_bounds__(256) eq_k0(float *__restrict__ r0, const float *__restrict__ a0, const float *__restrict__ a1, const int64_t n0, const int64_t n1, const int64_t n2, const int64_t n3) {
  const float t0 = a0[0];
  for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n3*n2; at += (int64_t)gridDim.x*256) {
    const int64_t i1 = at % n2, i1_ = at / n2;
    const int64_t i0 = i1_;
    const float t1 = a1[i0*n0 + i1*n1];
    const float t2 = (t1 * t0);
    r0[i0*n2 + i1] = t2;
  }
}
// { if (N[2] > 0 && N[5] > 0) { eq_launch(0, 7, eq_grid(N[2]*N[5], 256), 1, 256, 1, (uint64_t)(P[3]), (uint64_t)(P[1]), (uint64_t)(P[2]), (uint64_t)(2*N[1]), (uint64_t)(-1), (uint64_t)(N[5]), (uint64_t)(N[2])); } }
