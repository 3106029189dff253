typedef struct __align__(16) { float at[4]; } eq_vector4_float;
extern "C" __global__ void __launch_bounds__(256) eq_k0(float *__restrict__ r0, const float *__restrict__ a0, const float *__restrict__ a1, const float *__restrict__ a2, const int64_t n0, const int64_t n1, const int64_t n2, const int64_t n3) {
  if ((((uint64_t)r0 & 15) | ((uint64_t)a1 & 15) | ((uint64_t)a2 & 15) | (uint64_t)(n2 & 3) | (uint64_t)(n0 & 3) | (uint64_t)(n1 & 3)) == 0) {
    const float t0 = a0[0];
    const int64_t wide = n2 / 4;
    for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n3*wide; at += (int64_t)gridDim.x*256) {
      const int64_t v = at % wide, row = at / wide;
      const int64_t i0 = row;
      const float *const q2 = a1 + i0*n0;
      const float *const q3 = a2 + i0*n1;
      float *const q0 = r0 + i0*n2;
      eq_vector4_float v0;
      eq_vector4_float v2 = ((const eq_vector4_float *)q2)[v];
      eq_vector4_float v3 = ((const eq_vector4_float *)q3)[v];
      #pragma unroll
      for (int e = 0; e < 4; e++) {
        const float t1 = v2.at[e];
        const float t2 = v3.at[e];
        const float t3 = (t2 * t1);
        const float t4 = (t3 + t0);
        v0.at[e] = t4;
      }
      ((eq_vector4_float *)q0)[v] = v0;
    }
  } else {
    const float t0 = a0[0];
    for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n3*n2; at += (int64_t)gridDim.x*256) {
      const int64_t i1 = at % n2, i1_ = at / n2;
      const int64_t i0 = i1_;
      const float t1 = a1[i0*n0 + i1];
      const float t2 = a2[i0*n1 + i1];
      const float t3 = (t2 * t1);
      const float t4 = (t3 + t0);
      r0[i0*n2 + i1] = t4;
    }
  }
}
// { if (N[4] > 0 && N[7] > 0) { eq_launch(0, 8, eq_grid((N[4]*N[7] + 3) / 4, 256), 1, 256, 1, (uint64_t)(P[5]), (uint64_t)(P[2]), (uint64_t)(P[4]), (uint64_t)(P[3]), (uint64_t)(2*N[3]), (uint64_t)(2*N[1]), (uint64_t)(N[7]), (uint64_t)(N[4])); } }
