static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
extern "C" __global__ void __launch_bounds__(256) eq_k0(float *__restrict__ r0, const float *__restrict__ a0, double *__restrict__ w0, const int64_t n0, const int64_t n1, const int64_t n2) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.x + threadIdx.x;
  const int64_t first = blockIdx.y*n2, last = eq_least(first + n2, n1);
  double s0 = 0;
  if (row < n0) {
    const int64_t k1 = row;
    for (int64_t q = first + threadIdx.y; q < last; q += blockDim.y) {
      const int64_t i0 = q;
      const float t0 = a0[i0*n0 + k1];
      const float t1 = expf(t0);
      s0 = s0 + ((double)t1);
    }
  }
  __shared__ double m0[256]; m0[threadIdx.y*blockDim.x + threadIdx.x] = s0;
  for (int d = blockDim.y >> 1; d; d >>= 1) {
    __syncthreads();
    if ((int)threadIdx.y < d) {
      m0[threadIdx.y*blockDim.x + threadIdx.x] = m0[threadIdx.y*blockDim.x + threadIdx.x] + m0[(threadIdx.y + d)*blockDim.x + threadIdx.x];
    }
  }
  s0 = m0[threadIdx.x];
  if (row < n0 && threadIdx.y == 0) {
    if (gridDim.y == 1) r0[row] = (float)s0; else w0[row*gridDim.y + blockIdx.y] = s0;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(const double *__restrict__ w, float *__restrict__ r, const int64_t results, const int64_t chunks) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;
  double s = 0;
  if (row < results) {
    for (int64_t q = threadIdx.x; q < chunks; q += 32) s = s + w[row*chunks + q];
  }
  for (int d = 16; d; d >>= 1) {
    const double o = __shfl_xor_sync(~0u, s, d, 32); s = s + o;
  }
  if (row < results && threadIdx.x == 0) r[row] = (float)s;
}
// { if (N[1] > 0) { eq_launch(0, 6, (N[1] + N[2] - 1) / N[2], N[6], N[2], N[3], (uint64_t)(P[1]), (uint64_t)(P[0]), (uint64_t)(P[2]), (uint64_t)(N[1]), (uint64_t)(N[0]), (uint64_t)(N[5])); } }
// { if (N[6] > 1 && N[1] > 0) { eq_launch(1, 4, (N[1] + 7) / 8, 1, 32, 8, (uint64_t)(P[2]), (uint64_t)(P[1]), (uint64_t)(N[1]), (uint64_t)(N[6])); } }
