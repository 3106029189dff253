static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
extern "C" __global__ void __launch_bounds__(256) eq_k0(const int64_t n_10, const int64_t n_3, char *p_2, const int64_t n_4, char *p_0, const int64_t n_1, char *p_8, const int64_t n_11, const int64_t n_12, char *p_9, char *p_1, const int64_t eq_count) {
  int64_t n_8;
  int64_t n_7;
  int64_t n_5;
  char *p_3;
  char *p_4;
  char *p_7;
  char *p_5;
  char *p_6;
  for (n_8 = blockIdx.x; n_8 < eq_count; n_8 += gridDim.x) {
    n_7 = n_8*n_10;
    n_5 = eq_least(n_10, n_3 - n_7);
    p_3 = p_2 + n_7*(4*n_4);
    p_4 = p_0 + n_7*(4*n_1);
    p_7 = p_8 + (n_11 == 1 ? 0 : (int64_t)blockIdx.x)*n_12;
    p_5 = p_7;
    p_6 = p_9 + n_7*(4*n_1);
    {
      __shared__ double m0_0[8];
      float *const r0 = (float *)p_5;
      const float *const a0 = (const float *)p_3;
      const int64_t n0 = n_4;
      const int64_t n1 = n_5;
      const int64_t results = n1, reduced = n0;
      if (results >= 8) {
        for (int64_t row = threadIdx.x / 32; row < results; row += 8) {
          double s0 = 0;
          const int64_t k0 = row;
          for (int64_t q = threadIdx.x % 32; q < reduced; q += 32) {
            const int64_t i1 = q;
            const float t0 = a0[k0*n0 + i1];
            s0 = s0 + ((double)t0);
          }
          for (int d = 16; d; d >>= 1) {
            const double o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = s0 + o0;
          }
          if (threadIdx.x % 32 == 0) {
          r0[row] = (float)s0;
          }
        }
      } else {
        for (int64_t row = 0; row < results; row += 1) {
          double s0 = 0;
          const int64_t k0 = row;
          for (int64_t q = threadIdx.x; q < reduced; q += 256) {
            const int64_t i1 = q;
            const float t0 = a0[k0*n0 + i1];
            s0 = s0 + ((double)t0);
          }
          for (int d = 16; d; d >>= 1) {
            const double o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = s0 + o0;
          }
          if (threadIdx.x % 32 == 0) m0_0[threadIdx.x / 32] = s0;
          __syncthreads();
          if (threadIdx.x == 0) {
            for (int d = 1; d < 8; d++) s0 = s0 + m0_0[d];
            r0[row] = (float)s0;
          }
          __syncthreads();
        }
      }
    }
    __syncthreads();
    {
      float *const r0 = (float *)p_6;
      const float *const a0 = (const float *)p_5;
      const float *const a1 = (const float *)p_1;
      const float *const a2 = (const float *)p_4;
      const int64_t n0 = n_1;
      const int64_t n1 = n_5;
      for (int64_t at = threadIdx.x; at < n1*n0; at += 256) {
        const int64_t i1 = at % n0, i1_ = at / n0;
        const int64_t i0 = i1_;
        const float t0 = a0[i0];
        const float t1 = a1[i1];
        const float t2 = a2[i0*n0 + i1];
        const float t3 = (t2 * t1);
        const float t4 = (t3 + t0);
        r0[i0*n0 + i1] = t4;
      }
    }
    __syncthreads();
  }
}
// { eq_launch(0, 12, eq_least(N[11], 1056), 1, 256, 1, (uint64_t)(N[10]), (uint64_t)(N[3]), (uint64_t)(P[2]), (uint64_t)(N[4]), (uint64_t)(P[0]), (uint64_t)(N[1]), (uint64_t)(P[8]), (uint64_t)(N[11]), (uint64_t)(N[12]), (uint64_t)(P[9]), (uint64_t)(P[1]), (uint64_t)(N[11])); }
