typedef struct __align__(16) { double at[2]; } eq_vector2_double;
typedef struct __align__(8) { float at[2]; } eq_vector2_float;
extern "C" __global__ void __launch_bounds__(256) eq_k0(float *__restrict__ r0, const float *__restrict__ a0, const double *__restrict__ a1, const int64_t n0) {
  int64_t done = 0;
  if ((((uint64_t)r0 & 7) | ((uint64_t)a0 & 7) | ((uint64_t)a1 & 15)) == 0) {
    done = n0 / 2;
    for (int64_t v = (int64_t)blockIdx.x*256 + threadIdx.x; v < done; v += (int64_t)gridDim.x*256) {
      eq_vector2_float v0;
      eq_vector2_float v1 = ((const eq_vector2_float *)a0)[v];
      eq_vector2_double v2 = ((const eq_vector2_double *)a1)[v];
      #pragma unroll
      for (int e = 0; e < 2; e++) {
        const float t0 = v1.at[e];
        const double t1 = v2.at[e];
        const float t2 = ((float)(t1));
        const float t3 = (t2 * t0);
        v0.at[e] = t3;
      }
      ((eq_vector2_float *)r0)[v] = v0;
    }
    done *= 2;
  }
  for (int64_t j = done + (int64_t)blockIdx.x*256 + threadIdx.x; j < n0; j += (int64_t)gridDim.x*256) {
    const float t0 = a0[j];
    const double t1 = a1[j];
    const float t2 = ((float)(t1));
    const float t3 = (t2 * t0);
    r0[j] = t3;
  }
}
// { if (N[0]*N[1] > 0) { eq_launch(0, 4, eq_grid((N[0]*N[1] + 1) / 2, 256), 1, 256, 1, (uint64_t)(P[2]), (uint64_t)(P[1]), (uint64_t)(P[0]), (uint64_t)(N[0]*N[1])); } }
