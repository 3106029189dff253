// Error functions, digamma and polygamma, logarithms of sums.

// exp(x**2) * erfc(x): the square is split so that its rounding does not reach the exponent.
static double eq_erfcx__@T(double x) {
  if (x > 25) { double t = 0.5 / (x * x);
    return 0.56418958354775629 / x * (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t * (1 - 9 * t * (1 - 11 * t)))))); }
  if (x < -27) return INFINITY;
  double h = x * x, l = __builtin_fma(x, x, -h);
  return exp(h) * (1 + l) * erfc(x);
}

// erfc(-x / sqrt(2)) / 2. What rounding takes from the argument, times the slope of log(erfc), goes to the result.
static inline @T eq_ndtr__@T(@T x) {
  const @T high = (@T)0.70710678118654757, low = (@T)(0.70710678118654757 - (double)high - 4.8336466567264567e-17);
  @T z = -high * x, lost = __builtin_fma@f(-high, x, -z) - low * x, p = (@T)0.5 * erfc@f(z);
  return z > 0 && z < 40 ? p - p * (lost * (2 * z + 1 / (z + (@T)0.886))) : p;
}

// Small |x|: a series, then Halley's step on erf. The rest: Winitzki's formula, then Newton on log(erfc).
static double eq_erfinv_near__@T(double x) {
  double s = x * x, z = x * 0.88622692545275801 * (1 + s * (0.26179938779914941 + s * 0.14393173084921979));
  for (int k = 0; k < 2; k++) { double e = (erf(z) - x) * 0.88622692545275801 * exp(z * z); z -= e / (1 + z * e); }
  return z;
}

static double eq_erfcinv_far__@T(double q) {
  if (q == 0) return INFINITY;
  double g = log(q), w = g + log(2 - q), t = 4.3307467507 + w / 2, z = sqrt(sqrt(t * t - w / 0.147) - t);
  for (int k = 0; k < 4; k++) { double r = eq_erfcx__double(z);
    z += (log(r) - z * z - g) * r * 0.88622692545275801; }
  return z;
}

static double eq_erfinv__@T(double x) {
  double a = fabs(x);
  if (!(a <= 1)) return NAN;
  return a <= 0.5 ? eq_erfinv_near__double(x) : copysign(eq_erfcinv_far__double(1 - a), x);
}

static double eq_erfcinv__@T(double q) {
  if (!(q >= 0 && q <= 2)) return NAN;
  return q < 0.5 ? eq_erfcinv_far__double(q) : q > 1.5 ? -eq_erfcinv_far__double(2 - q) : eq_erfinv_near__double(1 - q);
}

// Euler-Maclaurin after the argument is raised to 10; the coefficients are B(2k) / (2k)!.
static double eq_zeta__@T(double s, double q) {
  static const double c[] = {8.3333333333333329e-2, -1.3888888888888889e-3, 3.3068783068783071e-5,
    -8.2671957671957675e-7, 2.0876756987868099e-8, -5.2841901386874932e-10, 1.3382536530684679e-11,
    -3.3896802963225827e-13, 8.5860620562778452e-15, -2.174868698558062e-16};
  double total = 0;
  if (q > 1e9) return pow(q, 1 - s) / (s - 1);
  for (; q < 10; q++) total += pow(q, -s);
  double p = pow(q, -s), f = s / q, more = q / (s - 1) + 0.5;
  if (p == 0) return total;
  for (int k = 0; k < 10; k++) { more += c[k] * f; f *= (s + 2 * k + 1) / q * ((s + 2 * k + 2) / q); }
  return total + p * more;
}

// The asymptotic series, after the argument is raised; the coefficients are B(2k) / (2k). What cancels, near the root of
// digamma and near those below 0, is added up in long double; at the root itself it is the Taylor series there.
long double tanl(long double), logl(long double);
static long double eq_digamma_sum__@T(long double x, int least) {
  static const long double c[] = {8.3333333333333333333e-2L, -8.3333333333333333333e-3L, 3.9682539682539682540e-3L,
    -4.1666666666666666667e-3L, 7.5757575757575757576e-3L, -2.1092796092796092796e-2L, 8.3333333333333333333e-2L,
    -4.4325980392156862745e-1L};
  long double total = 0, t, sum = 0;
  for (; x < least; x++) total -= 1 / x;
  t = 1 / (x * x);
  for (int k = 7; k >= 0; k--) sum = (sum + c[k]) * t;
  return total + logl(x) - 0.5L / x - sum;
}

static double eq_digamma__@T(double x) {
  static const double near[] = {0.9676722454476212, -0.4427631689835921, 0.258499760955651, -0.16394270544240652,
    0.10782405069126237, -0.07219956125645471, 0.04880428816414311, -0.03316112647484736,
    0.022597648232218104, -0.01542476590494896, 0.010538791616612175, -0.007204534386356869};
  double total = 0, d = x - 1.4616321449683622 - 9.549995429965697e-17;
  if (fabs(d) < 0.06) { for (int k = 11; k >= 0; k--) total = (total + near[k]) * d; return total; }
  if (x == 0) return copysign(INFINITY, -x);
  if (x == INFINITY || x != x) return x;
  if (x > 0) return (double)eq_digamma_sum__double(x, 10);
  if (x == floor(x)) return NAN;
  long double r = 3.14159265358979323846L * ((long double)x - rint(x));
  return (double)(eq_digamma_sum__double(1 - (long double)x, 18) - 3.14159265358979323846L / tanl(r));
}

static double eq_polygamma__@T(double n, double x) {
  if (n == 0) return eq_digamma__double(x);
  if (!(n > 0 && n < INFINITY && x > -INFINITY) || n != floor(n)) return NAN;
  double sign = fmod(n, 2) == 0 ? -1 : 1, s = n + 1, z;
  if (x > 0) z = eq_zeta__double(s, x);
  else if (x == floor(x)) z = INFINITY;
  else { double d = x - rint(x), r = d > 0 ? d : 1 + d, l = d > 0 ? 1 - d : -d;
    z = eq_zeta__double(s, r) + sign * (eq_zeta__double(s, l) - eq_zeta__double(s, 1 - x)); }
  return sign * tgamma(s) * z;
}

static double eq_exp_over_erfc__@T(double x) {
  if (x > 0 || x < -28) return x > 0 ? 1 / eq_erfcx__double(x) : 0;
  double h = x * x, l = __builtin_fma(x, x, -h);
  return exp(-h) * (1 - l) / erfc(x);
}

static double eq_log_erfc__@T(double x) {
  if (x < 0.5) return log1p(-erf(x));
  return x < 25 ? log(erfc(x)) : log(eq_erfcx__double(x)) - x * x;
}

static double eq_log_cosh__@T(double x) {
  double a = fabs(x), s = sinh(a / 2);
  return a < 1 ? log1p(2 * s * s) : a + log1p(exp(-2 * a)) - 0.69314718055994531;
}

static inline @T eq_logaddexp__@T(@T x, @T y) {
  @T d = x - y;
  if (x == y) return x + (@T)0.6931471805599453;
  return d > 0 ? x + (@T)log1p(exp(-d)) : d <= 0 ? y + (@T)log1p(exp(d)) : d;
}
