typedef struct __align__(16) { float at[4]; } eq_vector4_float;
static __device__ float eq_max__float(float a, float b) { return (a >= b || a != a) ? a : b; }
extern "C" __global__ void __launch_bounds__(256) eq_k0(const int64_t m, const int64_t n, const int64_t k, const float *a, const int64_t a0, const int64_t a1, const float *b, const int64_t b0, const int64_t b1, float *c, const int64_t l0, const int64_t p0, const int64_t q0, const int64_t r0, const int64_t l1, const int64_t p1, const int64_t q1, const int64_t r1, const int64_t l2, const int64_t p2, const int64_t q2, const int64_t r2) {
  __shared__ float x[16][65];
  __shared__ float y[16][65];
  const int64_t wide = (n + 63) / 64, tiles = (m + 63) / 64 * wide;
  const int tx = (int)threadIdx.x % 16, ty = (int)threadIdx.x / 16;
  for (int64_t all = blockIdx.x; all < tiles*l0*l1*l2; all += gridDim.x) {
    const int64_t tile = all % tiles, one = all / tiles, i2 = one % l2, i1 = one / l2 % l1, i0 = one / l2 / l1;
    const int64_t row = tile / wide * 64, column = tile % wide * 64;
    const float *const u0 = a + (i0*p0 + i1*p1 + i2*p2), *const v0 = b + (i0*q0 + i1*q1 + i2*q2);
    float *const to0 = c + (i0*r0 + i1*r1 + i2*r2);
    float s[4][4];
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
        float u[4];
        float v[4];
        for (int i = 0; i < 4; i++) { u[i] = x[p][ty + 16*i]; v[i] = y[p][tx + 16*i]; }
        for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) s[i][j] = fmaf(u[i], v[j], s[i][j]);
      }
      __syncthreads();
    }
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) {
      const int64_t to = row + ty + 16*i, at = column + tx + 16*j;
      if (to < m && at < n) to0[to*n + at] = s[i][j];
    }
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(float *__restrict__ r0, const float *__restrict__ a0, const float *__restrict__ a1, const int64_t n0, const int64_t n1) {
  if ((((uint64_t)r0 & 15) | ((uint64_t)a0 & 15) | ((uint64_t)a1 & 15) | (uint64_t)(n0 & 3)) == 0) {
    const float t3 = 0.0f;
    const int64_t wide = n0 / 4;
    for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n1*wide; at += (int64_t)gridDim.x*256) {
      const int64_t v = at % wide, row = at / wide;
      const int64_t i0 = row;
      const float *const q2 = a1 + i0*n0;
      float *const q0 = r0 + i0*n0;
      eq_vector4_float v0;
      eq_vector4_float v1 = ((const eq_vector4_float *)a0)[v];
      eq_vector4_float v2 = ((const eq_vector4_float *)q2)[v];
      #pragma unroll
      for (int e = 0; e < 4; e++) {
        const float t0 = v1.at[e];
        const float t1 = v2.at[e];
        const float t2 = (t1 + t0);
        const float t4 = eq_max__float(t3, t2);
        v0.at[e] = t4;
      }
      ((eq_vector4_float *)q0)[v] = v0;
    }
  } else {
    const float t3 = 0.0f;
    for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n1*n0; at += (int64_t)gridDim.x*256) {
      const int64_t i1 = at % n0, i1_ = at / n0;
      const int64_t i0 = i1_;
      const float t0 = a0[i1];
      const float t1 = a1[i0*n0 + i1];
      const float t2 = (t1 + t0);
      const float t4 = eq_max__float(t3, t2);
      r0[i0*n0 + i1] = t4;
    }
  }
}
// { if (N[0] > 0 && N[3] > 0) { eq_launch(1, 5, eq_grid((N[0]*N[3] + 3) / 4, 256), 1, 256, 1, (uint64_t)(P[4]), (uint64_t)(P[2]), (uint64_t)(P[3]), (uint64_t)(N[3]), (uint64_t)(N[0])); } }
