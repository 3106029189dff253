// Error functions, digamma and polygamma, logarithms of sums.

// exp(x**2) * erfc(x): the square is split so that its rounding does not reach the exponent.
static inline double eq_erfcx__@T(double x) {
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

// Digamma of a positive number. Up to 4, from where 1/(x - 1) and 1/(x - 2) lead into [1, 2]: the distance from the root, times a polynomial through Chebyshev's points of [1, 2] over
// x. Beyond: the asymptotic series from 10 on, whose coefficients are B(2k) / (2k); the ten terms 1/(x + k) up to there are paired
// from both ends into one quotient of polynomials of x(x + 9).
static double eq_digamma_of_positive__@T(double x) {
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

// Below 0 by reflection; what cancels near the roots is added up in long double.
long double tanl(long double), logl(long double);
static double eq_digamma__@T(double x) {
  static const long double c[] = {8.3333333333333333333e-2L, -8.3333333333333333333e-3L, 3.9682539682539682540e-3L,
    -4.1666666666666666667e-3L, 7.5757575757575757576e-3L, -2.1092796092796092796e-2L, 8.3333333333333333333e-2L,
    -4.4325980392156862745e-1L};
  if (x == 0) return copysign(INFINITY, -x);
  if (x == INFINITY || x != x) return x;
  if (x > 0) return eq_digamma_of_positive__double(x);
  if (x == floor(x)) return NAN;
  long double r = 3.14159265358979323846L * ((long double)x - rint(x)), y = 1 - (long double)x, total = 0, t, sum = 0;
  for (; y < 18; y++) total -= 1 / y;
  t = 1 / (y * y);
  for (int k = 7; k >= 0; k--) sum = (sum + c[k]) * t;
  return (double)(total + logl(y) - 0.5L / y - sum - 3.14159265358979323846L / tanl(r));
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

// log(gamma(x)). Between 1.5 and 2.5 a polynomial between the factors that vanish at 1 and 2; up to 8 what is above goes into a product,
// what is below into a quotient. Beyond: Stirling's series, whose coefficients are B(2k) / (2k(2k - 1)).
static double eq_gammaln__@T(double x) {
  static const double c[] = {0.42278433509846713, -0.10031730167435392, 0.032965000621155864, -0.012384192193371297,
    0.00499864116469194, -0.0021081308339532027, 0.0009153769225258352, -0.0004057073976405256, 0.00018255263198029055,
    -8.309512288139664e-05, 3.816899450869808e-05, -1.7661727092640293e-05, 8.221243547899526e-06, -3.846868630984396e-06,
    1.813340925941714e-06, -8.554745925302383e-07, 3.863844148542206e-07, -1.8333634733806836e-07, 1.2211977636940668e-07,
    -5.832930129320894e-08};
  if (x >= 8) {
    double r = 1 / x, t = r * r;
    double sum = ((((((0.00641025641025641026 * t - 0.00191752691752691753) * t + 0.000841750841750841751) * t - 0.000595238095238095238) * t
      + 0.000793650793650793651) * t - 0.00277777777777777778) * t + 0.0833333333333333333) * r;
    return (x - 0.5) * (log(x) - 1) + (0.41893853320467274178 + sum);
  }
  if (!(x > 0)) return x == -INFINITY ? x : lgamma(x);
  double up = 1, down = 1, u = x; /* what is above 2 */
  if (x < 0.5) down = x * (x + 1);
  else if (x < 1.5) { down = x; u = x - 1; }
  else { while (x >= 2.5) { x -= 1; up *= x; } u = x - 2; }
  double s = u * u, even = 0, odd = 0;
  for (int k = 18; k >= 0; k -= 2) { even = even * s + c[k]; odd = odd * s + c[k + 1]; }
  double near = u * (1 + u) * (even + odd * u);
  return up > 1 ? near + log(up) : down != 1 ? near - log(down) : near;
}

static inline double eq_exp_over_erfc__@T(double x) {
  if (x > 0 || x < -28) return x > 0 ? 1 / eq_erfcx__double(x) : 0;
  double h = x * x, l = __builtin_fma(x, x, -h);
  return exp(-h) * (1 - l) / erfc(x);
}

static inline double eq_log_erfc__@T(double x) {
  if (x < 0.5) return log1p(-erf(x));
  return x < 25 ? log(erfc(x)) : log(eq_erfcx__double(x)) - x * x;
}

static inline double eq_log_cosh__@T(double x) {
  double a = fabs(x), s = sinh(a / 2);
  return a < 1 ? log1p(2 * s * s) : a + log1p(exp(-2 * a)) - 0.69314718055994531;
}

static inline @T eq_logaddexp__@T(@T x, @T y) {
  @T d = x - y;
  if (x == y) return x + (@T)0.6931471805599453;
  return d > 0 ? x + (@T)log1p(exp(-d)) : d <= 0 ? y + (@T)log1p(exp(d)) : d;
}
