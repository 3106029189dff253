// Products of matrices by tiles of 64 x 64 in shared memory; a thread has 4 x 4 results of a tile. Matrices have any strides, and stand
// in stacks of three axes, of lengths l0, l1, l2, at any distances.

//! PRODUCT
extern "C" __global__ void __launch_bounds__(256) @NAME(const int64_t m, const int64_t n, const int64_t k, const @T *a, const int64_t a0, const int64_t a1, const @T *b, const int64_t b0, const int64_t b1, @T *c, const int64_t l0, const int64_t p0, const int64_t q0, const int64_t r0, const int64_t l1, const int64_t p1, const int64_t q1, const int64_t r1, const int64_t l2, const int64_t p2, const int64_t q2, const int64_t r2) {
  __shared__ @T x[16][65];
  __shared__ @T y[16][65];
  const int64_t wide = (n + 63) / 64, tiles = (m + 63) / 64 * wide;
  const int tx = (int)threadIdx.x % 16, ty = (int)threadIdx.x / 16;
  for (int64_t all = blockIdx.x; all < tiles*l0*l1*l2; all += gridDim.x) {
    const int64_t tile = all % tiles, one = all / tiles, i2 = one % l2, i1 = one / l2 % l1, i0 = one / l2 / l1;
    const int64_t row = tile / wide * 64, column = tile % wide * 64;
    const @T *const u0 = a + (i0*p0 + i1*p1 + i2*p2), *const v0 = b + (i0*q0 + i1*q1 + i2*q2);
    @T *const to0 = c + (i0*r0 + i1*r1 + i2*r2);
    @T s[4][4];
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) s[i][j] = 0;
    for (int64_t first = 0; first < k; first += 16) {
      for (int e = (int)threadIdx.x; e < 1024; e += 256) {
        const int p = a1 == 1 ? e % 16 : e / 64, i = a1 == 1 ? e / 16 : e % 64;
        const int q = b1 == 1 ? e / 64 : e % 16, j = b1 == 1 ? e % 64 : e / 16;
        x[p][i] = row + i < m && first + p < k ? u0[(row + i)*a0 + (first + p)*a1] : 0;
        y[q][j] = column + j < n && first + q < k ? v0[(first + q)*b0 + (column + j)*b1] : 0;
      }
      __syncthreads();
      for (int p = 0; p < 16; p++) {
        @T u[4];
        @T v[4];
        for (int i = 0; i < 4; i++) { u[i] = x[p][ty + 16*i]; v[i] = y[p][tx + 16*i]; }
        for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) s[i][j] = @ADD;
      }
      __syncthreads();
    }
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) {
      const int64_t to = row + ty + 16*i, at = column + tx + 16*j;
      if (to < m && at < n) to0[to*n + at] = s[i][j];
    }
  }
}

//! VECTOR
// A product of a matrix and a vector: 32 rows side by side where columns lie in one piece, else a warp for a row, or all threads where rows are few.
extern "C" __global__ void __launch_bounds__(256) @NAME(const int64_t m, const int64_t k, const @T *a, const int64_t a0, const int64_t a1, const @T *b, const int64_t b0, @T *c, const int64_t l0, const int64_t p0, const int64_t q0, const int64_t r0, const int64_t l1, const int64_t p1, const int64_t q1, const int64_t r1, const int64_t l2, const int64_t p2, const int64_t q2, const int64_t r2) {
  __shared__ @T sum[256];
  const int turned = a0 == 1 && a1 != 1, lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  const int64_t each = turned ? 32 : m < 1056 ? 1 : 8, tiles = (m + each - 1) / each;
  const int first = turned ? warp : each == 1 ? (int)threadIdx.x : lane, step = turned ? 8 : each == 1 ? 256 : 32;
  for (int64_t all = blockIdx.x; all < tiles*l0*l1*l2; all += gridDim.x) {
    const int64_t tile = all % tiles, one = all / tiles, i2 = one % l2, i1 = one / l2 % l1, i0 = one / l2 / l1;
    const int64_t i = tile*each + (turned ? lane : each == 1 ? 0 : warp);
    const @T *const x = a + (i0*p0 + i1*p1 + i2*p2), *const y = b + (i0*q0 + i1*q1 + i2*q2);
    @T *const to = c + (i0*r0 + i1*r1 + i2*r2);
    @T s = 0;
    if (i < m) for (int64_t p = first; p < k; p += step) s = @COLUMN;
    if (!turned) for (int d = 16; d; d >>= 1) {
      const @T o = __shfl_xor_sync(~0u, s, d, 32);
      s = @LANE;
    }
    if (each != 8) {
      sum[threadIdx.x] = s;
      __syncthreads();
      if (warp == 0) for (int d = 1; d < 8; d++) s = @SUM;
      __syncthreads();
    }
    if (i < m && (turned ? warp == 0 : each == 1 ? threadIdx.x == 0 : lane == 0)) to[i] = s;
  }
}
