static __device__ double eq_digamma_sum__double(double x, int least) {
  static const double c[] = {8.3333333333333333333e-2, -8.3333333333333333333e-3, 3.9682539682539682540e-3,
    -4.1666666666666666667e-3, 7.5757575757575757576e-3, -2.1092796092796092796e-2, 8.3333333333333333333e-2,
    -4.4325980392156862745e-1};
  double total = 0, t, sum = 0;
  for (; x < least; x++) total -= 1 / x;
  t = 1 / (x * x);
  for (int k = 7; k >= 0; k--) sum = (sum + c[k]) * t;
  return total + log(x) - 0.5 / x - sum;
}
static __device__ double eq_digamma__double(double x) {
  static const double near[] = {0.9676722454476212, -0.4427631689835921, 0.258499760955651, -0.16394270544240652,
    0.10782405069126237, -0.07219956125645471, 0.04880428816414311, -0.03316112647484736,
    0.022597648232218104, -0.01542476590494896, 0.010538791616612175, -0.007204534386356869};
  double total = 0, d = x - 1.4616321449683622 - 9.549995429965697e-17;
  if (fabs(d) < 0.06) { for (int k = 11; k >= 0; k--) total = (total + near[k]) * d; return total; }
  if (x == 0) return copysign(INFINITY, -x);
  if (x == INFINITY || x != x) return x;
  if (x > 0) return (double)eq_digamma_sum__double(x, 10);
  if (x == floor(x)) return NAN;
  double r = 3.14159265358979323846 * ((double)x - rint(x));
  return (double)(eq_digamma_sum__double(1 - (double)x, 18) - 3.14159265358979323846 / tan(r));
}
static __device__ int64_t eq_floordiv_i__int64_t(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == (int64_t)-1) return (int64_t)(-a);
  int64_t q = (int64_t)(a / b);
  return (int64_t)(q - ((a % b != 0) && ((a < 0) != (b < 0))));
}
extern "C" __global__ void __launch_bounds__(256) eq_k0(double *__restrict__ r0, const int64_t *__restrict__ a0, const double *__restrict__ a1, const int64_t n0, const int64_t n1) {
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
// { if (N[0] > 0 && N[1] > 0) { eq_launch(0, 5, eq_grid(N[0]*N[1], 256), 1, 256, 1, (uint64_t)(P[2]), (uint64_t)(P[1]), (uint64_t)(P[0]), (uint64_t)(N[1]), (uint64_t)(N[0])); } }
