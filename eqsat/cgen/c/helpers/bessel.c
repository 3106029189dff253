// Modified Bessel functions.

// The power series of I0 and I1 has positive terms only; from 30 on the asymptotic series ends before it diverges.
static double eq_bessel_i__@T(double x, int order) {
  double a = fabs(x), sum = 1, term = 1;
  if (a < 30) {
    long double q = (long double)a * a / 4, all = 1, next = 1;
    for (int k = 1; k < 200 && next > 1e-20L * all; k++) { next *= q / (k * (k + order)); all += next; }
    return (double)(order ? x / 2 * all : all);
  }
  for (int k = 1; k < 40 && fabs(term) > 1e-17; k++) { double odd = 2 * k - 1;
    term *= (odd * odd - 4 * order) / (8 * a * k); sum += term; }
  if (a == INFINITY) return order ? x : a;
  double root = exp(a / 2), y = root * (sum / sqrt(6.2831853071795862 * a)) * root;
  return order ? copysign(y, x) : y;
}
