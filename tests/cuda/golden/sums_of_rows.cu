static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
typedef struct __align__(16) { float at[4]; } eq_vector4_float;
extern "C" __global__ void __launch_bounds__(256) eq_k0(float *__restrict__ r0, const float *__restrict__ a0, const float *__restrict__ a1, double *__restrict__ w0, const int64_t n0, const int64_t n1, const int64_t n2) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;
  const int64_t first = blockIdx.y*n2, last = eq_least(first + n2, n0);
  const int wide = (((uint64_t)a0 & 15) | ((uint64_t)a1 & 15) | (uint64_t)(n0 & 3)) == 0, across = (int)blockDim.x, group = across*4, mine = (int)(threadIdx.y*blockDim.x + threadIdx.x);
  const int64_t groups = (last - first) >> (__ffs(group) - 1);
  __shared__ double x0[1024];
  double s0 = 0;
  double c0[4];
  #pragma unroll
  for (int e = 0; e < 4; e++) { c0[e] = 0; }
  if (row < n1) {
    const int64_t k0 = row;
    const float *const q1 = a0 + k0*n0;
    const float *const q2 = a1 + k0*n0;
    if (wide) {
      #pragma unroll 2
      for (int64_t g = 0; g < groups; g++) {
        const int64_t j = first + g*group + threadIdx.x*4;
        eq_vector4_float v1 = *(const eq_vector4_float *)(q1 + j);
        eq_vector4_float v2 = *(const eq_vector4_float *)(q2 + j);
        #pragma unroll
        for (int e = 0; e < 4; e++) {
          const float t0 = v1.at[e];
          const float t1 = v2.at[e];
          const float t2 = (t1 * t0);
          c0[e] = c0[e] + ((double)t2);
        }
      }
    }
    #pragma unroll 1
    for (int e = wide ? 4 : 0; e <= 4; e++) {
      const int64_t begin = first + (e < 4 ? 0 : groups*group) + e % 4*across + threadIdx.x, step = e < 4 ? group : across;
      const int64_t turns = e < 4 ? groups : (last - begin + across - 1) >> (__ffs(across) - 1);
      s0 = 0;
      for (int64_t turn = 0; turn < turns; turn++) {
        const int64_t j = begin + turn*step;
        const float t0 = q1[j];
        const float t1 = q2[j];
        const float t2 = (t1 * t0);
        s0 = s0 + ((double)t2);
      }
      if (e < 4) x0[threadIdx.y*group + e*across + threadIdx.x] = s0;
    }
  }
  if (!wide) {
    __syncthreads();
    #pragma unroll
    for (int e = 0; e < 4; e++) { c0[e] = x0[mine*4 + e]; }
  }
  #pragma unroll
  for (int e = 0; e < 4; e++) { s0 = s0 + c0[e]; }
  for (int d = (int)eq_least(blockDim.x, 32) >> 1; d; d >>= 1) {
    const double o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = s0 + o0;
  }
  if (blockDim.x > 32) {
    __shared__ double m0[8];
    if (threadIdx.x % 32 == 0) m0[threadIdx.x / 32] = s0;
    __syncthreads();
    s0 = m0[0]; for (int d = 1; d < (int)(blockDim.x / 32); d++) s0 = s0 + m0[d];
  }
  if (threadIdx.x == 0) {
    if (row < n1) {
      if (gridDim.y == 1) r0[row] = (float)s0; else w0[row*gridDim.y + blockIdx.y] = s0;
    }
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(const double *__restrict__ w, float *__restrict__ r, const int64_t results, const int64_t chunks) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;
  double s = 0;
  if (row < results) {
    #pragma unroll 8
    for (int64_t q = threadIdx.x; q < chunks; q += 32) s = s + w[row*chunks + q];
  }
  for (int d = 16; d; d >>= 1) {
    const double o = __shfl_xor_sync(~0u, s, d, 32); s = s + o;
  }
  if (row < results && threadIdx.x == 0) r[row] = (float)s;
}
// { if (N[0] > 0) { eq_launch(0, 7, (N[0] + N[5] - 1) / N[5], N[8], N[4], N[5], (uint64_t)(P[2]), (uint64_t)(P[1]), (uint64_t)(P[0]), (uint64_t)(P[3]), (uint64_t)(N[1]), (uint64_t)(N[0]), (uint64_t)(N[7])); } }
// { if (N[8] > 1 && N[0] > 0) { eq_launch(1, 4, (N[0] + 7) / 8, 1, 32, 8, (uint64_t)(P[3]), (uint64_t)(P[2]), (uint64_t)(N[0]), (uint64_t)(N[8])); } }
