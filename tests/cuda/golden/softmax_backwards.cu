static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
extern "C" __global__ void __launch_bounds__(256) eq_k0(const int64_t n_9, const int64_t n_0, char *p_0, const int64_t n_1, char *p_1, const int64_t n_3, char *p_9, const int64_t n_10, const int64_t n_13, const int64_t n_11, const int64_t n_12, char *p_10, const int64_t eq_count) {
  int64_t n_7;
  int64_t n_6;
  int64_t n_4;
  char *p_2;
  char *p_3;
  char *p_8;
  char *p_4;
  char *p_5;
  char *p_6;
  char *p_7;
  for (n_7 = blockIdx.x; n_7 < eq_count; n_7 += gridDim.x) {
    n_6 = n_7*n_9;
    n_4 = eq_least(n_9, n_0 - n_6);
    p_2 = p_0 + n_6*(4*n_1);
    p_3 = p_1 + n_6*(4*n_3);
    p_8 = p_9 + (n_10 == 1 ? 0 : (int64_t)blockIdx.x)*n_13;
    p_4 = p_8;
    p_5 = p_8 + n_11;
    p_6 = p_8 + n_12;
    p_7 = p_10 + n_6*(4*n_1);
    {
      __shared__ float m0_0[8];
      float *const r0 = (float *)p_4;
      const float *const a0 = (const float *)p_2;
      const int64_t n0 = n_1;
      const int64_t n1 = n_4;
      const int64_t results = n1, reduced = n0;
      if (results >= 8) {
        for (int64_t row = threadIdx.x / 32; row < results; row += 8) {
          float s0 = -INFINITY;
          const int64_t k0 = row;
          for (int64_t q = threadIdx.x % 32; q < reduced; q += 32) {
            const int64_t i1 = q;
            const float t0 = a0[k0*n0 + i1];
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
            const float t0 = a0[k0*n0 + i1];
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
      float *const r0 = (float *)p_5;
      const float *const a0 = (const float *)p_4;
      const float *const a1 = (const float *)p_2;
      const int64_t n0 = n_1;
      const int64_t n1 = n_4;
      const int64_t results = n1, reduced = n0;
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
            const float t4 = a1[k0*n0 + i1];
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
            const float t4 = a1[k0*n0 + i1];
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
      __shared__ double m2_0[8];
      float *const r0 = (float *)p_6;
      const float *const a0 = (const float *)p_5;
      const float *const a1 = (const float *)p_4;
      const float *const a2 = (const float *)p_2;
      const float *const a3 = (const float *)p_3;
      const int64_t n0 = n_1;
      const int64_t n1 = n_4;
      const int64_t results = n1, reduced = n0;
      const float t2 = 0.0f;
      const float t11 = 1.0f;
      const float t12 = t11;
      if (results >= 8) {
        for (int64_t row = threadIdx.x / 32; row < results; row += 8) {
          double s0 = 0;
          const int64_t k0 = row;
          const float t0 = a0[k0];
          const float t1 = (1 / t0);
          const float t3 = a1[k0];
          const bool8_t t4 = (fabsf(t3) < INFINITY);
          const float t5 = (t4 ? t3 : t2);
          for (int64_t q = threadIdx.x % 32; q < reduced; q += 32) {
            const int64_t i1 = q;
            const float t6 = a2[k0*n0 + i1];
            const float t7 = (t6 - t5);
            const float t8 = expf(t7);
            const float t9 = (t8 * t1);
            const float t10 = a3[k0*n0 + i1];
            const float t13 = (t12 * t10);
            const float t14 = (t13 * t9);
            s0 = s0 + ((double)t14);
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
          const float t0 = a0[k0];
          const float t1 = (1 / t0);
          const float t3 = a1[k0];
          const bool8_t t4 = (fabsf(t3) < INFINITY);
          const float t5 = (t4 ? t3 : t2);
          for (int64_t q = threadIdx.x; q < reduced; q += 256) {
            const int64_t i1 = q;
            const float t6 = a2[k0*n0 + i1];
            const float t7 = (t6 - t5);
            const float t8 = expf(t7);
            const float t9 = (t8 * t1);
            const float t10 = a3[k0*n0 + i1];
            const float t13 = (t12 * t10);
            const float t14 = (t13 * t9);
            s0 = s0 + ((double)t14);
          }
          for (int d = 16; d; d >>= 1) {
            const double o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = s0 + o0;
          }
          if (threadIdx.x % 32 == 0) m2_0[threadIdx.x / 32] = s0;
          __syncthreads();
          if (threadIdx.x == 0) {
            for (int d = 1; d < 8; d++) s0 = s0 + m2_0[d];
            r0[row] = (float)s0;
          }
          __syncthreads();
        }
      }
    }
    __syncthreads();
    {
      float *const r0 = (float *)p_7;
      const float *const a0 = (const float *)p_6;
      const float *const a1 = (const float *)p_3;
      const float *const a2 = (const float *)p_5;
      const float *const a3 = (const float *)p_4;
      const float *const a4 = (const float *)p_2;
      const int64_t n0 = n_1;
      const int64_t n1 = n_4;
      const float t2 = 1.0f;
      const float t5 = 0.0f;
      const float t13 = t2;
      for (int64_t at = threadIdx.x; at < n1*n0; at += 256) {
        const int64_t i1 = at % n0, i1_ = at / n0;
        const int64_t i0 = i1_;
        const float t0 = a0[i0];
        const float t1 = a1[i0*n0 + i1];
        const float t3 = a2[i0];
        const float t4 = (1 / t3);
        const float t6 = a3[i0];
        const bool8_t t7 = (fabsf(t6) < INFINITY);
        const float t8 = (t7 ? t6 : t5);
        const float t9 = a4[i0*n0 + i1];
        const float t10 = (t9 - t8);
        const float t11 = expf(t10);
        const float t12 = (t11 * t4);
        const float t14 = (t13 * t1);
        const float t15 = (t14 - t0);
        const float t16 = (t12 * t15);
        r0[i0*n0 + i1] = t16;
      }
    }
    __syncthreads();
  }
}
// { eq_launch(0, 13, eq_least(N[10], 1056), 1, 256, 1, (uint64_t)(N[9]), (uint64_t)(N[0]), (uint64_t)(P[0]), (uint64_t)(N[1]), (uint64_t)(P[1]), (uint64_t)(N[3]), (uint64_t)(P[9]), (uint64_t)(N[10]), (uint64_t)(N[13]), (uint64_t)(N[11]), (uint64_t)(N[12]), (uint64_t)(P[10]), (uint64_t)(N[10])); }
