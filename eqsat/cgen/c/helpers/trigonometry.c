// sin(pi x) / (pi x).

// sin(pi x) / (pi x) by the distance from the nearest whole number k, which is exact: sin(pi x) = (-1)**k sin(pi (x - k)).
static inline @T eq_sinc__@T(@T x) {
  @T k = rint@f(x), half = k * (@T)0.5, s = sin@f((@T)3.141592653589793 * (x - k));
  return x == 0 ? 1 : (half == trunc@f(half) ? s : -s) / ((@T)3.141592653589793 * x);
}
