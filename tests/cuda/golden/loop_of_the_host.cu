typedef struct __align__(16) { float at[4]; } eq_vector4_float;
extern "C" __global__ void __launch_bounds__(256) eq_k0(float *__restrict__ r0, const float *__restrict__ a0) {
  int64_t done = 0;
  if ((((uint64_t)r0 & 15) | ((uint64_t)a0 & 15)) == 0) {
    done = 8 / 4;
    for (int64_t v = (int64_t)blockIdx.x*256 + threadIdx.x; v < done; v += (int64_t)gridDim.x*256) {
      eq_vector4_float v0;
      eq_vector4_float v1 = ((const eq_vector4_float *)a0)[v];
      #pragma unroll
      for (int e = 0; e < 4; e++) {
        const float t0 = v1.at[e];
        v0.at[e] = t0;
      }
      ((eq_vector4_float *)r0)[v] = v0;
    }
    done *= 4;
  }
  for (int64_t j = done + (int64_t)blockIdx.x*256 + threadIdx.x; j < 8; j += (int64_t)gridDim.x*256) {
    const float t0 = a0[j];
    r0[j] = t0;
  }
}
// { eq_launch(0, 2, eq_grid((8 + 3) / 4, 256), 1, 256, 1, (uint64_t)(P[5]), (uint64_t)(P[4])); }
