typedef struct __align__(16) { double at[2]; } eq_vector2_double;
typedef struct __align__(16) { int64_t at[2]; } eq_vector2_int64_t;
static __device__ double eq_digamma_of_positive__double(double x) {
  if (x <= 4) {
    static const double c[] = {1.4265838140477494, 0.31561474410964213, -0.062813694920299784, 0.017935099659918786,
      -0.0059218363728970307, 0.0021055245446859176, -0.00078088241680240086, 0.00029713869922032369,
      -0.00011492336176934886, 4.4925108689132856e-05, -1.7694365857968033e-05, 7.0001151657727176e-06,
      -2.7450207352098608e-06, 1.092012498099367e-06, -5.1758163215570996e-07, 2.0651639995273118e-07};
    double y = x < 1 ? x + 1 : x > 3 ? x - 2 : x > 2 ? x - 1 : x;
    double more = x < 1 ? -1 / x : x > 3 ? (2 * y + 1) / (y * (y + 1)) : x > 2 ? 1 / y : 0;
    double d = y - 1.4616321449683622 - 9.549995429965697e-17, u = y - 1.5, s = u * u, even = 0, odd = 0;
    for (int k = 14; k >= 0; k -= 2) { even = even * s + c[k]; odd = odd * s + c[k + 1]; }
    return d / y * (even + odd * u) + more;
  }
  double less = 0, t;
  if (x < 10) {
    double d = x * (x + 9);
    less = (2 * x + 9) * ((((5 * d + 240) * d + 3924) * d + 24352) * d + 40320)
      / (((((d + 60) * d + 1308) * d + 12176) * d + 40320) * d);
    x += 10;
  }
  t = 1 / (x * x);
  double sum = (((((((-0.44325980392156863 * t + 0.083333333333333333) * t - 0.021092796092796093) * t + 0.0075757575757575758) * t
    - 0.0041666666666666667) * t + 0.0039682539682539683) * t - 0.0083333333333333333) * t + 0.083333333333333333) * t;
  return log(x) - (0.5 / x + sum) - less;
}
static __device__ double eq_digamma__double(double x) {
  static const double c[] = {8.3333333333333333333e-2, -8.3333333333333333333e-3, 3.9682539682539682540e-3,
    -4.1666666666666666667e-3, 7.5757575757575757576e-3, -2.1092796092796092796e-2, 8.3333333333333333333e-2,
    -4.4325980392156862745e-1};
  if (x == 0) return copysign(INFINITY, -x);
  if (x == INFINITY || x != x) return x;
  if (x > 0) return eq_digamma_of_positive__double(x);
  if (x == floor(x)) return NAN;
  double r = 3.14159265358979323846 * ((double)x - rint(x)), y = 1 - (double)x, total = 0, t, sum = 0;
  for (; y < 18; y++) total -= 1 / y;
  t = 1 / (y * y);
  for (int k = 7; k >= 0; k--) sum = (sum + c[k]) * t;
  return (double)(total + log(y) - 0.5 / y - sum - 3.14159265358979323846 / tan(r));
}
static __device__ int64_t eq_floordiv_i__int64_t(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == (int64_t)-1) return (int64_t)(-a);
  int64_t q = (int64_t)(a / b);
  return (int64_t)(q - ((a % b != 0) && ((a < 0) != (b < 0))));
}
extern "C" __global__ void __launch_bounds__(256) eq_k0(double *__restrict__ r0, const int64_t *__restrict__ a0, const double *__restrict__ a1, const int64_t n0, const int64_t n1) {
  if ((((uint64_t)r0 & 15) | ((uint64_t)a0 & 15) | ((uint64_t)a1 & 15) | (uint64_t)(n0 & 1)) == 0) {
    const int64_t t0 = 3LL;
    const int64_t wide = n0 / 2;
    for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n1*wide; at += (int64_t)gridDim.x*256) {
      const int64_t v = at % wide, row = at / wide;
      const int64_t i0 = row;
      const double *const q2 = a1 + i0*n0;
      double *const q0 = r0 + i0*n0;
      eq_vector2_double v0;
      eq_vector2_int64_t v1 = ((const eq_vector2_int64_t *)a0)[v];
      eq_vector2_double v2 = ((const eq_vector2_double *)q2)[v];
      #pragma unroll
      for (int e = 0; e < 2; e++) {
        const int64_t t1 = v1.at[e];
        const int64_t t2 = eq_floordiv_i__int64_t(t1, t0);
        const double t3 = ((double)(t2));
        const double t4 = v2.at[e];
        const double t5 = ((double)eq_digamma__double(t4));
        const double t6 = (t5 + t3);
        v0.at[e] = t6;
      }
      ((eq_vector2_double *)q0)[v] = v0;
    }
  } else {
    const int64_t t0 = 3LL;
    for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n1*n0; at += (int64_t)gridDim.x*256) {
      const int64_t i1 = at % n0, i1_ = at / n0;
      const int64_t i0 = i1_;
      const int64_t t1 = a0[i1];
      const int64_t t2 = eq_floordiv_i__int64_t(t1, t0);
      const double t3 = ((double)(t2));
      const double t4 = a1[i0*n0 + i1];
      const double t5 = ((double)eq_digamma__double(t4));
      const double t6 = (t5 + t3);
      r0[i0*n0 + i1] = t6;
    }
  }
}
// { if (N[0] > 0 && N[1] > 0) { eq_launch(0, 5, eq_grid((N[0]*N[1] + 1) / 2, 256), 1, 256, 1, (uint64_t)(P[2]), (uint64_t)(P[1]), (uint64_t)(P[0]), (uint64_t)(N[1]), (uint64_t)(N[0])); } }
