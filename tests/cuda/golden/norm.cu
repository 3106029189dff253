static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
extern "C" __global__ void __launch_bounds__(256) eq_k0(const int64_t n_7, const int64_t n_0, char *p_0, const int64_t n_1, char *p_8, const int64_t n_8, const int64_t n_10, const int64_t n_9, char *p_9, char *p_1, char *p_2, const int64_t eq_count) {
  int64_t n_5;
  int64_t n_4;
  int64_t n_2;
  char *p_3;
  char *p_7;
  char *p_4;
  char *p_5;
  char *p_6;
  for (n_5 = blockIdx.x; n_5 < eq_count; n_5 += gridDim.x) {
    n_4 = n_5*n_7;
    n_2 = eq_least(n_7, n_0 - n_4);
    p_3 = p_0 + n_4*(4*n_1);
    p_7 = p_8 + (n_8 == 1 ? 0 : (int64_t)blockIdx.x)*n_10;
    p_4 = p_7;
    p_5 = p_7 + n_9;
    p_6 = p_9 + n_4*(4*n_1);
    {
      __shared__ double m0_0[8];
      float *const r0 = (float *)p_4;
      const float *const a0 = (const float *)p_3;
      const int64_t n0 = n_1;
      const int64_t n1 = n_2;
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
      __shared__ double m1_0[8];
      float *const r0 = (float *)p_5;
      const int64_t *const a0 = (const int64_t *)p_1;
      const float *const a1 = (const float *)p_4;
      const float *const a2 = (const float *)p_3;
      const int64_t n0 = n_1;
      const int64_t n1 = n_2;
      const int64_t results = n1, reduced = n0;
      const int64_t t0 = a0[0];
      const float t1 = ((float)(t0));
      if (results >= 8) {
        for (int64_t row = threadIdx.x / 32; row < results; row += 8) {
          double s0 = 0;
          const int64_t k0 = row;
          const float t2 = a1[k0];
          const float t3 = (t2 / t1);
          for (int64_t q = threadIdx.x % 32; q < reduced; q += 32) {
            const int64_t i1 = q;
            const float t4 = a2[k0*n0 + i1];
            const float t5 = (t4 - t3);
            const float t6 = (t5 * t5);
            s0 = s0 + ((double)t6);
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
          const float t2 = a1[k0];
          const float t3 = (t2 / t1);
          for (int64_t q = threadIdx.x; q < reduced; q += 256) {
            const int64_t i1 = q;
            const float t4 = a2[k0*n0 + i1];
            const float t5 = (t4 - t3);
            const float t6 = (t5 * t5);
            s0 = s0 + ((double)t6);
          }
          for (int d = 16; d; d >>= 1) {
            const double o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = s0 + o0;
          }
          if (threadIdx.x % 32 == 0) m1_0[threadIdx.x / 32] = s0;
          __syncthreads();
          if (threadIdx.x == 0) {
            for (int d = 1; d < 8; d++) s0 = s0 + m1_0[d];
            r0[row] = (float)s0;
          }
          __syncthreads();
        }
      }
    }
    __syncthreads();
    {
      float *const r0 = (float *)p_6;
      const int64_t *const a0 = (const int64_t *)p_2;
      const float *const a1 = (const float *)p_5;
      const int64_t *const a2 = (const int64_t *)p_1;
      const float *const a3 = (const float *)p_4;
      const float *const a4 = (const float *)p_3;
      const int64_t n0 = n_1;
      const int64_t n1 = n_2;
      const float t0 = 1e-05f;
      const int64_t t1 = a0[0];
      const float t2 = ((float)(t1));
      const int64_t t7 = a2[0];
      const float t8 = ((float)(t7));
      for (int64_t at = threadIdx.x; at < n1*n0; at += 256) {
        const int64_t i1 = at % n0, i1_ = at / n0;
        const int64_t i0 = i1_;
        const float t3 = a1[i0];
        const float t4 = (t3 / t2);
        const float t5 = (t4 + t0);
        const float t6 = sqrtf(t5);
        const float t9 = a3[i0];
        const float t10 = (t9 / t8);
        const float t11 = a4[i0*n0 + i1];
        const float t12 = (t11 - t10);
        const float t13 = (t12 / t6);
        r0[i0*n0 + i1] = t13;
      }
    }
    __syncthreads();
  }
}
// { eq_launch(0, 12, eq_least(N[8], 1056), 1, 256, 1, (uint64_t)(N[7]), (uint64_t)(N[0]), (uint64_t)(P[0]), (uint64_t)(N[1]), (uint64_t)(P[8]), (uint64_t)(N[8]), (uint64_t)(N[10]), (uint64_t)(N[9]), (uint64_t)(P[9]), (uint64_t)(P[1]), (uint64_t)(P[2]), (uint64_t)(N[8])); }
