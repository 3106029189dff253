extern "C" __global__ void __launch_bounds__(256) eq_k0(const int64_t m, const int64_t k, const float *a, const int64_t a0, const int64_t a1, const float *b, const int64_t b0, float *c, const int64_t l0, const int64_t p0, const int64_t q0, const int64_t r0, const int64_t l1, const int64_t p1, const int64_t q1, const int64_t r1, const int64_t l2, const int64_t p2, const int64_t q2, const int64_t r2) {
  __shared__ float sum[256];
  const int turned = a0 == 1 && a1 != 1, lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  const int64_t each = turned ? 32 : m < 1056 ? 1 : 8, tiles = (m + each - 1) / each;
  const int first = turned ? warp : each == 1 ? (int)threadIdx.x : lane, step = turned ? 8 : each == 1 ? 256 : 32;
  for (int64_t all = blockIdx.x; all < tiles*l0*l1*l2; all += gridDim.x) {
    const int64_t tile = all % tiles, one = all / tiles, i2 = one % l2, i1 = one / l2 % l1, i0 = one / l2 / l1;
    const int64_t i = tile*each + (turned ? lane : each == 1 ? 0 : warp);
    const float *const x = a + (i0*p0 + i1*p1 + i2*p2), *const y = b + (i0*q0 + i1*q1 + i2*q2);
    float *const to = c + (i0*r0 + i1*r1 + i2*r2);
    float s = 0;
    if (i < m) for (int64_t p = first; p < k; p += step) s = fmaf(x[i*a0 + p*a1], y[p*b0], s);
    if (!turned) for (int d = 16; d; d >>= 1) {
      const float o = __shfl_xor_sync(~0u, s, d, 32);
      s = (float)(s + o);
    }
    if (each != 8) {
      sum[threadIdx.x] = s;
      __syncthreads();
      if (warp == 0) for (int d = 1; d < 8; d++) s = (float)(s + sum[d*32 + (turned ? lane : 0)]);
      __syncthreads();
    }
    if (i < m && (turned ? warp == 0 : each == 1 ? threadIdx.x == 0 : lane == 0)) to[i] = s;
  }
}
