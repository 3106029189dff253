typedef struct __align__(16) { double at[2]; } eq_vector2_double;
typedef struct __align__(8) { float at[2]; } eq_vector2_float;
extern "C" __global__ void __launch_bounds__(256) eq_k0(double *__restrict__ r0, const float *__restrict__ a0, const int64_t n0) {
  int64_t done = 0;
  if ((((uint64_t)r0 & 15) | ((uint64_t)a0 & 7)) == 0) {
    done = n0 / 2;
    for (int64_t v = (int64_t)blockIdx.x*256 + threadIdx.x; v < done; v += (int64_t)gridDim.x*256) {
      eq_vector2_double v0;
      eq_vector2_float v1 = ((const eq_vector2_float *)a0)[v];
      #pragma unroll
      for (int e = 0; e < 2; e++) {
        const float t0 = v1.at[e];
        const double t1 = ((double)(t0));
        v0.at[e] = t1;
      }
      ((eq_vector2_double *)r0)[v] = v0;
    }
    done *= 2;
  }
  for (int64_t j = done + (int64_t)blockIdx.x*256 + threadIdx.x; j < n0; j += (int64_t)gridDim.x*256) {
    const float t0 = a0[j];
    const double t1 = ((double)(t0));
    r0[j] = t1;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(double *__restrict__ r0, const float *__restrict__ a0) {
  for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < 1; at += (int64_t)gridDim.x*256) {
    const float t0 = a0[0];
    const double t1 = ((double)(t0));
    r0[0] = t1;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k2(const double *__restrict__ a0, const double *__restrict__ a1, double *__restrict__ r0, double *__restrict__ r1, double *__restrict__ r2, const int64_t n0) {
  const double t3 = a1[0];
  const double t7 = 0.1;
  for (int64_t g = (int64_t)blockIdx.x*blockDim.x + threadIdx.x; g < n0; g += (int64_t)gridDim.x*blockDim.x) {
    double s0 = a0[g];
    double s1 = a0[g];
    double s2 = a0[g];
    for (int64_t t = 0; t < 50; t++) {
      const double t0 = s0;
      const double t1 = s1;
      const double t2 = s2;
      const double t4 = (t3 * t0);
      const double t5 = (t4 * t1);
      const double t6 = (t0 - t5);
      const double t8 = (t7 * t1);
      const double t9 = (t1 + t5);
      const double t10 = (t9 - t8);
      const double t11 = (t2 + t8);
      r0[g + t*n0] = t6;
      r1[g + t*n0] = t10;
      r2[g + t*n0] = t11;
      s0 = t6;
      s1 = t10;
      s2 = t11;
    }
  }
}
// { if (N[0] > 0) { eq_launch(0, 3, eq_grid((N[0] + 1) / 2, 256), 1, 256, 1, (uint64_t)(P[2]), (uint64_t)(P[0]), (uint64_t)(N[0])); } }
// { eq_launch(1, 2, eq_grid(1, 256), 1, 256, 1, (uint64_t)(P[3]), (uint64_t)(P[1])); }
// { if (N[0] > 0) { eq_launch(2, 6, eq_grid(N[0], 32*eq_power((N[0] + 4095) / 4096, 8)), 1, 32*eq_power((N[0] + 4095) / 4096, 8), 1, (uint64_t)(P[2]), (uint64_t)(P[3]), (uint64_t)(P[4]), (uint64_t)(P[5]), (uint64_t)(P[6]), (uint64_t)(N[0])); } }
