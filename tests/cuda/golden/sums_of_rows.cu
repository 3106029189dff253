static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
extern "C" __global__ void __launch_bounds__(256) eq_k0(float *__restrict__ r0, const float *__restrict__ a0, const float *__restrict__ a1, double *__restrict__ w0, const int64_t n0, const int64_t n1, const int64_t n2) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;
  const int64_t first = blockIdx.y*n2, last = eq_least(first + n2, n0);
  double s0 = 0;
  if (row < n1) {
    const int64_t k0 = row;
    for (int64_t q = first + threadIdx.x; q < last; q += blockDim.x) {
      const int64_t i1 = q;
      const float t0 = a0[k0*n0 + i1];
      const float t1 = a1[k0*n0 + i1];
      const float t2 = (t1 * t0);
      s0 = s0 + ((double)t2);
    }
  }
  for (int d = (int)eq_least(blockDim.x, 32) >> 1; d; d >>= 1) {
    const double o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = s0 + o0;
  }
  if (blockDim.x > 32) {
    __shared__ double m0[8];
    if (threadIdx.x % 32 == 0) m0[threadIdx.x / 32] = s0;
    __syncthreads();
    s0 = m0[0]; for (int d = 1; d < (int)(blockDim.x / 32); d++) s0 = s0 + m0[d];
  }
  if (row < n1 && threadIdx.x == 0) {
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
// { if (N[0] > 0) { eq_launch(0, 7, (N[0] + N[5] - 1) / N[5], N[8], N[4], N[5], (uint64_t)(P[2]), (uint64_t)(P[1]), (uint64_t)(P[0]), (uint64_t)(P[3]), (uint64_t)(N[1]), (uint64_t)(N[0]), (uint64_t)(N[7])); } }
// { if (N[8] > 1 && N[0] > 0) { eq_launch(1, 4, (N[0] + 7) / 8, 1, 32, 8, (uint64_t)(P[3]), (uint64_t)(P[2]), (uint64_t)(N[0]), (uint64_t)(N[8])); } }
