static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
typedef struct __align__(16) { float at[4]; } eq_vector4_float;
extern "C" __global__ void __launch_bounds__(256) eq_k0(float *__restrict__ r0, const float *__restrict__ a0, float *__restrict__ w0, const int64_t n0, const int64_t n1, const int64_t n2) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;
  const int64_t first = blockIdx.y*n2, last = eq_least(first + n2, n0);
  const int wide = (((uint64_t)a0 & 15) | (uint64_t)(n0 & 3)) == 0, across = (int)blockDim.x, group = across*4, mine = (int)(threadIdx.y*blockDim.x + threadIdx.x);
  const int64_t groups = (last - first) >> (__ffs(group) - 1);
  __shared__ float x0[1024];
  float s0 = -INFINITY;
  float c0[4];
  #pragma unroll
  for (int e = 0; e < 4; e++) { c0[e] = -INFINITY; }
  if (row < n1) {
    const int64_t k0 = row;
    const float *const q1 = a0 + k0*n0;
    if (wide) {
      #pragma unroll 4
      for (int64_t g = 0; g < groups; g++) {
        const int64_t j = first + g*group + threadIdx.x*4;
        eq_vector4_float v1 = *(const eq_vector4_float *)(q1 + j);
        #pragma unroll
        for (int e = 0; e < 4; e++) {
          const float t0 = v1.at[e];
          c0[e] = (__builtin_isunordered(c0[e], ((float)t0)) ? c0[e] + ((float)t0) : (c0[e] > ((float)t0) ? c0[e] : ((float)t0)));
        }
      }
    }
    #pragma unroll 1
    for (int e = wide ? 4 : 0; e <= 4; e++) {
      const int64_t begin = first + (e < 4 ? 0 : groups*group) + e % 4*across + threadIdx.x, step = e < 4 ? group : across;
      const int64_t turns = e < 4 ? groups : (last - begin + across - 1) >> (__ffs(across) - 1);
      s0 = -INFINITY;
      for (int64_t turn = 0; turn < turns; turn++) {
        const int64_t j = begin + turn*step;
        const float t0 = q1[j];
        s0 = (__builtin_isunordered(s0, ((float)t0)) ? s0 + ((float)t0) : (s0 > ((float)t0) ? s0 : ((float)t0)));
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
  for (int e = 0; e < 4; e++) { s0 = (__builtin_isunordered(s0, c0[e]) ? s0 + c0[e] : (s0 > c0[e] ? s0 : c0[e])); }
  for (int d = (int)eq_least(blockDim.x, 32) >> 1; d; d >>= 1) {
    const float o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = (__builtin_isunordered(s0, o0) ? s0 + o0 : (s0 > o0 ? s0 : o0));
  }
  if (blockDim.x > 32) {
    __shared__ float m0[8];
    if (threadIdx.x % 32 == 0) m0[threadIdx.x / 32] = s0;
    __syncthreads();
    s0 = m0[0]; for (int d = 1; d < (int)(blockDim.x / 32); d++) s0 = (__builtin_isunordered(s0, m0[d]) ? s0 + m0[d] : (s0 > m0[d] ? s0 : m0[d]));
  }
  if (threadIdx.x == 0) {
    if (row < n1) {
      if (gridDim.y == 1) r0[row] = (float)s0; else w0[row*gridDim.y + blockIdx.y] = s0;
    }
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(const float *__restrict__ w, float *__restrict__ r, const int64_t results, const int64_t chunks) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;
  float s = -INFINITY;
  if (row < results) {
    #pragma unroll 8
    for (int64_t q = threadIdx.x; q < chunks; q += 32) s = (__builtin_isunordered(s, w[row*chunks + q]) ? s + w[row*chunks + q] : (s > w[row*chunks + q] ? s : w[row*chunks + q]));
  }
  for (int d = 16; d; d >>= 1) {
    const float o = __shfl_xor_sync(~0u, s, d, 32); s = (__builtin_isunordered(s, o) ? s + o : (s > o ? s : o));
  }
  if (row < results && threadIdx.x == 0) r[row] = (float)s;
}
extern "C" __global__ void __launch_bounds__(256) eq_k2(const float *__restrict__ x0, const int64_t x0n0, const int64_t x0n1, const int64_t x0s0, int64_t *__restrict__ out) {
  const int64_t e0 = x0n0;
  for (int64_t eq_at = (int64_t)blockIdx.x*256 + threadIdx.x; eq_at < e0; eq_at += (int64_t)gridDim.x*256) {
    const int64_t i0 = eq_at;
    float best = x0[i0*x0s0];
    int64_t place = 0;
    int64_t nans = 0;
    #pragma omp simd reduction(max:best) reduction(+:nans)
    for (int64_t r0 = 0; r0 < x0n1; r0++) {
      const float v = x0[i0*x0s0 + r0];
      best = v > best ? v : best;
      nans = nans + (v != v ? 1 : 0);
    }
    if (nans > 0) {
      best = NAN;
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        const float v = x0[i0*x0s0 + x0n1 - r0 - 1];
        place = v != v ? x0n1 - r0 - 1 : place;
      }
    } else {
      int64_t left = 0;
      #pragma omp simd reduction(max:left)
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        left = (x0[i0*x0s0 + r0] >= best ? x0n1 - r0 : 0) > left ? (x0[i0*x0s0 + r0] >= best ? x0n1 - r0 : 0) : left;
      }
      place = x0n1 - left;
    }
    out[i0] = place;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k3(const float *__restrict__ x0, const int64_t x0n0, const int64_t x0n1, const int64_t x0s0, int64_t *__restrict__ out) {
  const int64_t e0 = x0n0;
  for (int64_t eq_at = (int64_t)blockIdx.x*256 + threadIdx.x; eq_at < e0; eq_at += (int64_t)gridDim.x*256) {
    const int64_t i0 = eq_at;
    float best = x0[i0*x0s0];
    int64_t place = 0;
    int64_t nans = 0;
    for (int64_t r0 = 0; r0 < x0n1; r0++) {
      const float v = x0[i0*x0s0 + r0];
      best = v > best ? v : best;
      nans = nans + (v != v ? 1 : 0);
    }
    if (nans > 0) {
      best = NAN;
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        const float v = x0[i0*x0s0 + x0n1 - r0 - 1];
        place = v != v ? x0n1 - r0 - 1 : place;
      }
    } else {
      int64_t left = 0;
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        left = x0[i0*x0s0 + x0n1 - r0 - 1] >= best ? x0n1 - (x0n1 - r0 - 1) : left;
      }
      place = x0n1 - left;
    }
    out[i0] = place;
  }
}
// { if (x0n0 > 0 && (x0n1 >= 32)) { eq_launch(2, 5, eq_grid(x0n0, 256), 1, 256, 1, (uint64_t)(x0), (uint64_t)(x0n0), (uint64_t)(x0n1), (uint64_t)(x0s0), (uint64_t)(out)); } }
// { if (x0n0 > 0 && (!(x0n1 >= 32))) { eq_launch(3, 5, eq_grid(x0n0, 256), 1, 256, 1, (uint64_t)(x0), (uint64_t)(x0n0), (uint64_t)(x0n1), (uint64_t)(x0s0), (uint64_t)(out)); } }
// { if (N[0] > 0) { eq_launch(0, 6, (N[0] + N[3] - 1) / N[3], N[6], N[2], N[3], (uint64_t)(P[1]), (uint64_t)(P[0]), (uint64_t)(P[2]), (uint64_t)(N[1]), (uint64_t)(N[0]), (uint64_t)(N[5])); } }
// { if (N[6] > 1 && N[0] > 0) { eq_launch(1, 4, (N[0] + 7) / 8, 1, 32, 8, (uint64_t)(P[2]), (uint64_t)(P[1]), (uint64_t)(N[0]), (uint64_t)(N[6])); } }
