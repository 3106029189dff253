static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
extern "C" __global__ void __launch_bounds__(256) eq_k0(const int64_t n_6, const int64_t n_0, char *p_0, char *p_6, const int64_t n_7, const int64_t n_9, const int64_t n_8, char *p_7, const int64_t eq_count) {
  int64_t n_5;
  int64_t n_4;
  int64_t n_2;
  char *p_1;
  char *p_5;
  char *p_2;
  char *p_3;
  char *p_4;
  for (n_5 = blockIdx.x; n_5 < eq_count; n_5 += gridDim.x) {
    n_4 = n_5*n_6;
    n_2 = eq_least(n_6, n_0 - n_4);
    p_1 = p_0 + n_4*12;
    p_5 = p_6 + (n_7 == 1 ? 0 : (int64_t)blockIdx.x)*n_9;
    p_2 = p_5;
    p_3 = p_5 + n_8;
    p_4 = p_7 + n_4*12;
    {
      __shared__ float m0_0[8];
      float *const r0 = (float *)p_2;
      const float *const a0 = (const float *)p_1;
      const int64_t n0 = n_2;
      const int64_t results = n0, reduced = 3;
      if (results >= 8) {
        for (int64_t row = threadIdx.x / 32; row < results; row += 8) {
          float s0 = -INFINITY;
          const int64_t k0 = row;
          for (int64_t q = threadIdx.x % 32; q < reduced; q += 32) {
            const int64_t i1 = q;
            const float t0 = a0[k0*3 + i1];
            s0 = (__builtin_isunordered(s0, ((float)t0)) ? s0 + ((float)t0) : (s0 > ((float)t0) ? s0 : ((float)t0)));
          }
          for (int d = 16; d; d >>= 1) {
            const float o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = (__builtin_isunordered(s0, o0) ? s0 + o0 : (s0 > o0 ? s0 : o0));
          }
          if (threadIdx.x % 32 == 0) {
          r0[row] = (float)s0;
          }
        }
      } else {
        for (int64_t row = 0; row < results; row += 1) {
          float s0 = -INFINITY;
          const int64_t k0 = row;
          for (int64_t q = threadIdx.x; q < reduced; q += 256) {
            const int64_t i1 = q;
            const float t0 = a0[k0*3 + i1];
            s0 = (__builtin_isunordered(s0, ((float)t0)) ? s0 + ((float)t0) : (s0 > ((float)t0) ? s0 : ((float)t0)));
          }
          for (int d = 16; d; d >>= 1) {
            const float o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = (__builtin_isunordered(s0, o0) ? s0 + o0 : (s0 > o0 ? s0 : o0));
          }
          if (threadIdx.x % 32 == 0) m0_0[threadIdx.x / 32] = s0;
          __syncthreads();
          if (threadIdx.x == 0) {
            for (int d = 1; d < 8; d++) s0 = (__builtin_isunordered(s0, m0_0[d]) ? s0 + m0_0[d] : (s0 > m0_0[d] ? s0 : m0_0[d]));
            r0[row] = (float)s0;
          }
          __syncthreads();
        }
      }
    }
    __syncthreads();
    {
      __shared__ double m1_0[8];
      float *const r0 = (float *)p_3;
      const float *const a0 = (const float *)p_2;
      const float *const a1 = (const float *)p_1;
      const int64_t n0 = n_2;
      const int64_t results = n0, reduced = 3;
      const float t0 = 0.0f;
      if (results >= 8) {
        for (int64_t row = threadIdx.x / 32; row < results; row += 8) {
          double s0 = 0;
          const int64_t k0 = row;
          const float t1 = a0[k0];
          const bool8_t t2 = (fabsf(t1) < INFINITY);
          const float t3 = (t2 ? t1 : t0);
          for (int64_t q = threadIdx.x % 32; q < reduced; q += 32) {
            const int64_t i1 = q;
            const float t4 = a1[k0*3 + i1];
            const float t5 = (t4 - t3);
            const float t6 = expf(t5);
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
          const float t1 = a0[k0];
          const bool8_t t2 = (fabsf(t1) < INFINITY);
          const float t3 = (t2 ? t1 : t0);
          for (int64_t q = threadIdx.x; q < reduced; q += 256) {
            const int64_t i1 = q;
            const float t4 = a1[k0*3 + i1];
            const float t5 = (t4 - t3);
            const float t6 = expf(t5);
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
      float *const r0 = (float *)p_4;
      const float *const a0 = (const float *)p_3;
      const float *const a1 = (const float *)p_2;
      const float *const a2 = (const float *)p_1;
      const int64_t n0 = n_2;
      const float t2 = 0.0f;
      for (int64_t at = threadIdx.x; at < n0*3; at += 256) {
        const int64_t i1 = at % 3, i1_ = at / 3;
        const int64_t i0 = i1_;
        const float t0 = a0[i0];
        const float t1 = (1 / t0);
        const float t3 = a1[i0];
        const bool8_t t4 = (fabsf(t3) < INFINITY);
        const float t5 = (t4 ? t3 : t2);
        const float t6 = a2[i0*3 + i1];
        const float t7 = (t6 - t5);
        const float t8 = expf(t7);
        const float t9 = (t8 * t1);
        r0[i0*3 + i1] = t9;
      }
    }
    __syncthreads();
  }
}
// { eq_launch(0, 9, eq_least(N[7], 1056), 1, 256, 1, (uint64_t)(N[6]), (uint64_t)(N[0]), (uint64_t)(P[0]), (uint64_t)(P[6]), (uint64_t)(N[7]), (uint64_t)(N[9]), (uint64_t)(N[8]), (uint64_t)(P[7]), (uint64_t)(N[7])); }
