static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
typedef struct __align__(16) { float at[4]; } eq_vector4_float;
extern "C" __global__ void __launch_bounds__(512) eq_k0(const int64_t n_9, const int64_t n_0, char *p_0, const int64_t n_1, char *p_1, const int64_t n_3, char *p_10, const int64_t eq_of_row) {
  int64_t n_7;
  int64_t n_6;
  int64_t n_4;
  char *p_2;
  char *p_3;
  char *p_7;
  n_7 = 0;
    n_6 = n_7*n_9;
    n_4 = eq_least(n_9, n_0 - n_6);
    p_2 = p_0 + n_6*(4*n_1);
    p_3 = p_1 + n_6*(4*n_3);
    p_7 = p_10 + n_6*(4*n_1);
    const int64_t eq_rows = n_4;
    const int eq_width = (int)eq_of_row;
    const int eq_n = (int)(n_1), eq_part = threadIdx.x % eq_width, eq_beside = blockDim.x / eq_width;
    const int eq_whole = (((uint64_t)p_2 & 15) | ((uint64_t)p_3 & 15) | ((uint64_t)p_7 & 15) | (uint64_t)((n_1) & 3)) == 0;
    __shared__ float m1[16];
    __shared__ double m7[16];
    __shared__ double m15[16];
    for (int64_t eq_from = (int64_t)blockIdx.x*eq_beside; eq_from < eq_rows; eq_from += (int64_t)gridDim.x*eq_beside) {
      const int64_t eq_at = eq_from + threadIdx.x / eq_width;
      const int eq_mine = eq_at < eq_rows;
      const int64_t eq_row = eq_mine ? eq_at : eq_rows - 1;
      const int64_t k0 = eq_row;
      int eq_first = eq_part*4, eq_step = eq_width*4;
      asm volatile("" : "+r"(eq_first), "+r"(eq_step));
      const float t2 = 0.0f;
      const float t11 = 1.0f;
      const float t12 = t11;
      eq_vector4_float v0[4];
      const float *const a0 = ((const float *)p_2 + k0*(n_1));
      if (eq_whole) {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
          const int at = eq_first + j*eq_step;
          if (at < eq_n) {
            v0[j] = *(const eq_vector4_float *)(a0 + at);
          }
        }
      } else {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
          const int at = eq_first + j*eq_step;
          if (at < eq_n) {
            #pragma unroll
            for (int l = 0; l < 4; l++) {
              int e = at + l < eq_n ? at + l : eq_n - 1;
              asm volatile("" : "+r"(e));
              v0[j].at[l] = a0[e];
            }
          }
        }
      }
      float s1 = -INFINITY;
      #pragma unroll
      for (int j = 0; j < 4; j++) {
        const int at = eq_first + j*eq_step;
        if (at < eq_n) {
          const int some = eq_n - at;
          #pragma unroll
          for (int l = 0; l < 4; l++) {
            const float t0 = v0[j].at[l];
            if (l < some) s1 = (__builtin_isunordered(s1, ((float)t0)) ? s1 + ((float)t0) : (s1 > ((float)t0) ? s1 : ((float)t0)));
          }
        }
      }
      for (int d = (int)eq_least(eq_width, 32) >> 1; d; d >>= 1) {
        const float o1 = __shfl_xor_sync(~0u, s1, d, 32); s1 = (__builtin_isunordered(s1, o1) ? s1 + o1 : (s1 > o1 ? s1 : o1));
      }
      if (eq_width > 32) {
        if (threadIdx.x % 32 == 0) m1[threadIdx.x / 32] = s1;
        __syncthreads();
        const int first = threadIdx.x / eq_width*(eq_width / 32);
        s1 = m1[first];
        for (int d = 1; d < eq_width / 32; d++) s1 = (__builtin_isunordered(s1, m1[first + d]) ? s1 + m1[first + d] : (s1 > m1[first + d] ? s1 : m1[first + d]));
        __syncthreads();
      }
      const float t1 = (float)s1;
      const bool8_t t3 = (fabsf(t1) < INFINITY);
      const float t4 = (t3 ? t1 : t2);
      float h6[16];
      double s7 = 0;
      #pragma unroll
      for (int j = 0; j < 4; j++) {
        const int at = eq_first + j*eq_step;
        if (at < eq_n) {
          const int some = eq_n - at;
          #pragma unroll
          for (int l = 0; l < 4; l++) {
            const float t0 = v0[j].at[l];
            const float t5 = (t0 - t4);
            const float t6 = expf(t5);
            h6[j*4 + l] = t6;
            if (l < some) s7 = s7 + ((double)t6);
          }
        }
      }
      for (int d = (int)eq_least(eq_width, 32) >> 1; d; d >>= 1) {
        const double o7 = __shfl_xor_sync(~0u, s7, d, 32); s7 = s7 + o7;
      }
      if (eq_width > 32) {
        if (threadIdx.x % 32 == 0) m7[threadIdx.x / 32] = s7;
        __syncthreads();
        const int first = threadIdx.x / eq_width*(eq_width / 32);
        s7 = m7[first];
        for (int d = 1; d < eq_width / 32; d++) s7 = s7 + m7[first + d];
        __syncthreads();
      }
      const float t7 = (float)s7;
      const float t8 = (1 / t7);
      float h9[16];
      float h13[16];
      eq_vector4_float v10[4];
      const float *const a10 = ((const float *)p_3 + k0*(n_1));
      if (eq_whole) {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
          const int at = eq_first + j*eq_step;
          if (at < eq_n) {
            v10[j] = *(const eq_vector4_float *)(a10 + at);
          }
        }
      } else {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
          const int at = eq_first + j*eq_step;
          if (at < eq_n) {
            #pragma unroll
            for (int l = 0; l < 4; l++) {
              int e = at + l < eq_n ? at + l : eq_n - 1;
              asm volatile("" : "+r"(e));
              v10[j].at[l] = a10[e];
            }
          }
        }
      }
      double s15 = 0;
      #pragma unroll
      for (int j = 0; j < 4; j++) {
        const int at = eq_first + j*eq_step;
        if (at < eq_n) {
          const int some = eq_n - at;
          #pragma unroll
          for (int l = 0; l < 4; l++) {
            const float t6 = h6[j*4 + l];
            const float t9 = (t6 * t8);
            h9[j*4 + l] = t9;
            const float t10 = v10[j].at[l];
            const float t13 = (t12 * t10);
            h13[j*4 + l] = t13;
            const float t14 = (t13 * t9);
            if (l < some) s15 = s15 + ((double)t14);
          }
        }
      }
      for (int d = (int)eq_least(eq_width, 32) >> 1; d; d >>= 1) {
        const double o15 = __shfl_xor_sync(~0u, s15, d, 32); s15 = s15 + o15;
      }
      if (eq_width > 32) {
        if (threadIdx.x % 32 == 0) m15[threadIdx.x / 32] = s15;
        __syncthreads();
        const int first = threadIdx.x / eq_width*(eq_width / 32);
        s15 = m15[first];
        for (int d = 1; d < eq_width / 32; d++) s15 = s15 + m15[first + d];
        __syncthreads();
      }
      const float t15 = (float)s15;
      #pragma unroll
      for (int j = 0; j < 4; j++) {
        const int at = eq_first + j*eq_step;
        if (at < eq_n) {
          const int some = eq_n - at;
          eq_vector4_float w0;
          #pragma unroll
          for (int l = 0; l < 4; l++) {
            const float t9 = h9[j*4 + l];
            const float t13 = h13[j*4 + l];
            const float t16 = (t13 - t15);
            const float t17 = (t9 * t16);
            w0.at[l] = t17;
          }
          if (eq_mine && eq_whole) {
            *(eq_vector4_float *)(((float *)p_7 + k0*(n_1)) + at) = w0;
          } else if (eq_mine) {
            #pragma unroll
            for (int l = 0; l < 4; l++) if (l < some) {
              (((float *)p_7 + k0*(n_1)))[at + l] = w0.at[l];
            }
          }
        }
      }
    }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(const int64_t n_9, const int64_t n_0, char *p_0, const int64_t n_1, char *p_1, const int64_t n_3, char *p_9, const int64_t n_10, const int64_t n_13, const int64_t n_11, const int64_t n_12, char *p_10, const int64_t eq_count) {
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
// if (N[1] <= 8192) { if (N[0] > 0) { eq_launch(0, 8, eq_grid((N[0])*eq_width(N[1], 4, 4), eq_threads(eq_width(N[1], 4, 4))), 1, eq_threads(eq_width(N[1], 4, 4)), 1, (uint64_t)(N[0]), (uint64_t)(N[0]), (uint64_t)(P[0]), (uint64_t)(N[1]), (uint64_t)(P[1]), (uint64_t)(N[3]), (uint64_t)(P[10]), (uint64_t)(eq_width(N[1], 4, 4))); } } else { eq_launch(1, 13, eq_least(N[10], 1056), 1, 256, 1, (uint64_t)(N[9]), (uint64_t)(N[0]), (uint64_t)(P[0]), (uint64_t)(N[1]), (uint64_t)(P[1]), (uint64_t)(N[3]), (uint64_t)(P[9]), (uint64_t)(N[10]), (uint64_t)(N[13]), (uint64_t)(N[11]), (uint64_t)(N[12]), (uint64_t)(P[10]), (uint64_t)(N[10])); }
