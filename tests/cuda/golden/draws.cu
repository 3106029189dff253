typedef struct __align__(16) { double at[2]; } eq_vector2_double;
typedef struct __align__(16) { int64_t at[2]; } eq_vector2_int64_t;
typedef struct { uint32_t w[4]; } eq_words__double;
static __device__ eq_words__double eq_philox__double(uint64_t i, uint64_t draw, uint64_t key) {
  uint32_t a = (uint32_t)i, b = (uint32_t)(i >> 32), d = (uint32_t)draw, e = (uint32_t)(draw >> 32);
  uint32_t k = (uint32_t)key, m = (uint32_t)(key >> 32);
  for (int r = 0; r < 10; r++) {
    uint64_t p = 3528531795ULL * a, q = 3449720151ULL * d;
    uint32_t s = (uint32_t)(q >> 32) ^ b ^ k, t = (uint32_t)(p >> 32) ^ e ^ m;
    a = s; b = (uint32_t)q; d = t; e = (uint32_t)p; k += 2654435769U; m += 3144134277U;
  }
  eq_words__double words = {{a, b, d, e}};
  return words;
}
static __device__ uint64_t eq_bits__double(uint64_t i, uint64_t draw, uint64_t key, int half) {
  eq_words__double x = eq_philox__double(i, draw, key);
  return ((uint64_t)x.w[2 * half + 1] << 32) | x.w[2 * half];
}
extern "C" __global__ void __launch_bounds__(256) eq_k0(int64_t *__restrict__ r0) {
  for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < 1; at += (int64_t)gridDim.x*256) {
    const int64_t t0 = 40LL;
    const int64_t t1 = 1LL;
    const int64_t t2 = (t1 * t0);
    r0[0] = t2;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(const int64_t *__restrict__ x0, const int64_t *__restrict__ x2, int64_t *__restrict__ out, const int64_t outn0) {
  const int64_t first = x0[0];
  const int64_t by = (int64_t)((int64_t)(first + x2[0]) - first);
  const int64_t e0 = outn0;
  for (int64_t eq_at = (int64_t)blockIdx.x*256 + threadIdx.x; eq_at < e0; eq_at += (int64_t)gridDim.x*256) {
    const int64_t i0 = eq_at;
    out[i0] = (int64_t)(first + (int64_t)i0*by);
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k2(double *__restrict__ r0, const uint64_t *__restrict__ a0, const uint64_t *__restrict__ a1, const int64_t *__restrict__ a2) {
  const uint64_t t0 = a0[0];
  const uint64_t t1 = a1[0];
  int64_t done = 0;
  if ((((uint64_t)r0 & 15) | ((uint64_t)a2 & 15)) == 0) {
    done = 40 / 2;
    for (int64_t v = (int64_t)blockIdx.x*256 + threadIdx.x; v < done; v += (int64_t)gridDim.x*256) {
      eq_vector2_double v0;
      eq_vector2_int64_t v3 = ((const eq_vector2_int64_t *)a2)[v];
      #pragma unroll
      for (int e = 0; e < 2; e++) {
        const int64_t t2 = v3.at[e];
        const uint64_t t3 = ((uint64_t)(t2));
        const double t4 = (double)(((double)(eq_bits__double(t3, t1, t0, 0) >> 11) * 0x1p-53));
        v0.at[e] = t4;
      }
      ((eq_vector2_double *)r0)[v] = v0;
    }
    done *= 2;
  }
  for (int64_t j = done + (int64_t)blockIdx.x*256 + threadIdx.x; j < 40; j += (int64_t)gridDim.x*256) {
    const int64_t t2 = a2[j];
    const uint64_t t3 = ((uint64_t)(t2));
    const double t4 = (double)(((double)(eq_bits__double(t3, t1, t0, 0) >> 11) * 0x1p-53));
    r0[j] = t4;
  }
}
// { if (outn0 > 0) { eq_launch(1, 4, eq_grid(outn0, 256), 1, 256, 1, (uint64_t)(x0), (uint64_t)(x2), (uint64_t)(out), (uint64_t)(outn0)); } }
// { eq_launch(0, 1, eq_grid(1, 256), 1, 256, 1, (uint64_t)(P[1])); }
// { eq_launch(2, 4, eq_grid((40 + 1) / 2, 256), 1, 256, 1, (uint64_t)(P[4]), (uint64_t)(P[0]), (uint64_t)(P[3]), (uint64_t)(P[2])); }
