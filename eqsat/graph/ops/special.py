"""Special functions: error functions and their inverses, the gamma function and its kin, stable logarithms.

Results of float32 are computed in float64 and rounded once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, c_helper, elemwise
from eqsat.graph.ops.elemwise import _number, eq, exp, expm1, log, sigmoid, sqr, switch, tanh

INF = float("inf")
NARROW = "(({T})%s)"

# exp(x**2) * erfc(x): the square is split so that its rounding does not reach the exponent.
c_helper("eq_erfcx", """static double eq_erfcx__@T(double x) {
  if (x > 25) { double t = 0.5 / (x * x);
    return 0.56418958354775629 / x * (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t * (1 - 9 * t * (1 - 11 * t)))))); }
  if (x < -27) return INFINITY;
  double h = x * x, l = __builtin_fma(x, x, -h);
  return exp(h) * (1 + l) * erfc(x);
}""")  # fmt: skip

# erfc(-x / sqrt(2)) / 2. What rounding takes from the argument, times the slope of log(erfc), goes to the result.
c_helper("eq_ndtr", """static inline @T eq_ndtr__@T(@T x) {
  const @T high = (@T)0.70710678118654757, low = (@T)(0.70710678118654757 - (double)high - 4.8336466567264567e-17);
  @T z = -high * x, lost = __builtin_fma@f(-high, x, -z) - low * x, p = (@T)0.5 * erfc@f(z);
  return z > 0 && z < 40 ? p - p * (lost * (2 * z + 1 / (z + (@T)0.886))) : p;
}""")  # fmt: skip

# Small |x|: a series, then Halley's step on erf. The rest: Winitzki's formula, then Newton on log(erfc).
c_helper("eq_erfinv_near", """static double eq_erfinv_near__@T(double x) {
  double s = x * x, z = x * 0.88622692545275801 * (1 + s * (0.26179938779914941 + s * 0.14393173084921979));
  for (int k = 0; k < 2; k++) { double e = (erf(z) - x) * 0.88622692545275801 * exp(z * z); z -= e / (1 + z * e); }
  return z;
}""")  # fmt: skip
c_helper("eq_erfcinv_far", """static double eq_erfcinv_far__@T(double q) {
  if (q == 0) return INFINITY;
  double g = log(q), w = g + log(2 - q), t = 4.3307467507 + w / 2, z = sqrt(sqrt(t * t - w / 0.147) - t);
  for (int k = 0; k < 4; k++) { double r = eq_erfcx__double(z);
    z += (log(r) - z * z - g) * r * 0.88622692545275801; }
  return z;
}""")  # fmt: skip
c_helper("eq_erfinv", """static double eq_erfinv__@T(double x) {
  double a = fabs(x);
  if (!(a <= 1)) return NAN;
  return a <= 0.5 ? eq_erfinv_near__double(x) : copysign(eq_erfcinv_far__double(1 - a), x);
}""")  # fmt: skip
c_helper("eq_erfcinv", """static double eq_erfcinv__@T(double q) {
  if (!(q >= 0 && q <= 2)) return NAN;
  return q < 0.5 ? eq_erfcinv_far__double(q) : q > 1.5 ? -eq_erfcinv_far__double(2 - q) : eq_erfinv_near__double(1 - q);
}""")  # fmt: skip

# Euler-Maclaurin after the argument is raised to 10; the coefficients are B(2k) / (2k)!.
c_helper("eq_zeta", """static double eq_zeta__@T(double s, double q) {
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
}""")  # fmt: skip

# The asymptotic series, after the argument is raised; the coefficients are B(2k) / (2k). What cancels, near the root of
# digamma and near those below 0, is added up in long double; at the root itself it is the Taylor series there.
c_helper("eq_digamma_sum", """long double tanl(long double), logl(long double);
static long double eq_digamma_sum__@T(long double x, int least) {
  static const long double c[] = {8.3333333333333333333e-2L, -8.3333333333333333333e-3L, 3.9682539682539682540e-3L,
    -4.1666666666666666667e-3L, 7.5757575757575757576e-3L, -2.1092796092796092796e-2L, 8.3333333333333333333e-2L,
    -4.4325980392156862745e-1L};
  long double total = 0, t, sum = 0;
  for (; x < least; x++) total -= 1 / x;
  t = 1 / (x * x);
  for (int k = 7; k >= 0; k--) sum = (sum + c[k]) * t;
  return total + logl(x) - 0.5L / x - sum;
}""")  # fmt: skip
c_helper("eq_digamma", """static double eq_digamma__@T(double x) {
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
}""")  # fmt: skip
c_helper("eq_polygamma", """static double eq_polygamma__@T(double n, double x) {
  if (n == 0) return eq_digamma__double(x);
  if (!(n > 0 && n < INFINITY && x > -INFINITY) || n != floor(n)) return NAN;
  double sign = fmod(n, 2) == 0 ? -1 : 1, s = n + 1, z;
  if (x > 0) z = eq_zeta__double(s, x);
  else if (x == floor(x)) z = INFINITY;
  else { double d = x - rint(x), r = d > 0 ? d : 1 + d, l = d > 0 ? 1 - d : -d;
    z = eq_zeta__double(s, r) + sign * (eq_zeta__double(s, l) - eq_zeta__double(s, 1 - x)); }
  return sign * tgamma(s) * z;
}""")  # fmt: skip


def _scipy(name: str) -> Any:
    import scipy.special

    return getattr(scipy.special, name)


# --------------------------------------------------------------------------------------------- error functions


@elemwise(
    c="erfc{f}({x})",
    signature="f->f",
    grad=lambda x, dy: dy * _number(-2 / np.sqrt(np.pi), x) * exp(-sqr(x)),
    cost=Cost(flops=41),
    image=(0.0, 2.0),
    real="erfc(x)",
    monotone="decreasing",
    undoes="erfcinv",
)
def erfc(x: Any) -> Any:
    """1 - erf(x) without cancellation."""
    return _scipy("erfc")(x)


@elemwise(
    c="eq_ndtr__{T}({x})",
    signature="f->f",
    grad=lambda x, dy: dy * (_number(1 / np.sqrt(2 * np.pi), x) * exp(sqr(x) * _number(-0.5, x))),
    cost=Cost(flops=55),
    image=(0.0, 1.0),
    real="erfc(-x / sqrt(2)) / 2",
    monotone="increasing",
)
def ndtr(x: Any) -> Any:
    """Normal distribution function: the share of a standard normal variable below x."""
    return _scipy("ndtr")(x)


@elemwise(
    c=NARROW % "eq_erfcx__double({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (2 * x * out - _number(2 / np.sqrt(np.pi), x)),
    cost=Cost(flops=115, vector=False),
    image=(0.0, INF),
    real="exp(x * x) * erfc(x)",
    monotone="decreasing",
)
def erfcx(x: Any) -> Any:
    """exp(x**2) * erfc(x), which does not underflow for large x."""
    return _scipy("erfcx")(x)


@elemwise(
    c=NARROW % "eq_erfinv__double({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (_number(np.sqrt(np.pi) / 2, x) * exp(sqr(out))),
    cost=Cost(flops=4000, vector=False),
    monotone="increasing",
    parity="odd",
    domain=(-1.0, 1.0),
    undoes="erf",
)
def erfinv(x: Any) -> Any:
    """Inverse of erf; NaN outside -1 to 1. Start: Winitzki 2008, then Newton's method on log(erfc)."""
    return _scipy("erfinv")(x)


@elemwise(
    c=NARROW % "eq_erfcinv__double({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (_number(-np.sqrt(np.pi) / 2, x) * exp(sqr(out))),
    cost=Cost(flops=3300, vector=False),
    monotone="decreasing",
    domain=(0.0, 2.0),
    undoes="erfc",
)
def erfcinv(x: Any) -> Any:
    """Inverse of erfc, accurate for tiny x; NaN outside 0 to 2."""
    return _scipy("erfcinv")(x)


# ---------------------------------------------------------------------------------------------- gamma and its kin


@elemwise(
    c=NARROW % "tgamma({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (out * digamma(x)),
    cost=Cost(flops=1300, vector=False),
    facts=("nonneg if nonneg x, nonzero x",),
    real="gamma(x)",
)
def gamma(x: Any) -> Any:
    """Gamma function; NaN at negative integers."""
    return _scipy("gamma")(x)


@elemwise(
    c=NARROW % "({x} == -INFINITY ? {x} : lgamma({x}))",
    signature="f->f",
    grad=lambda x, dy: dy * digamma(x),
    cost=Cost(flops=480, vector=False),
)
def gammaln(x: Any) -> Any:
    """Logarithm of the absolute value of the gamma function."""
    return _scipy("gammaln")(x)


@elemwise(
    c=NARROW % "eq_digamma__double({x})",
    signature="f->f",
    grad=lambda x, dy: dy * polygamma(_number(1, x), x),
    cost=Cost(flops=560, vector=False),
)
def digamma(x: Any) -> Any:
    """Derivative of gammaln; NaN at negative integers."""
    return _scipy("psi")(x)


@elemwise(
    c=NARROW % "eq_polygamma__double({n}, {x})",
    signature="f,f->f",
    grad=lambda n, x, dy: (None, dy * polygamma(n + 1, x)),
    cost=Cost(flops=400, vector=False),
)
def polygamma(n: Any, x: Any) -> Any:
    """n-th derivative of digamma for whole n; NaN for other n. Below zero by the sum over all integers."""
    dtype, n, x = x.dtype, *np.broadcast_arrays(n.astype(float), x.astype(float))
    sign, left = np.where(n % 2 == 0, -1.0, 1.0), (x < 0) & np.isfinite(x)
    near = x - np.where(left, np.rint(x), x)  # exact, unlike x - floor(x)
    rest = np.where(left, np.where(near < 0, 1 + near, near), x)
    zeta = _scipy("zeta")
    full = zeta(n + 1, np.where(x == -INF, np.nan, rest))
    mirrored = sign * (
        zeta(n + 1, np.where(left, np.where(near > 0, 1 - near, -near), 1))
        - zeta(n + 1, np.where(left, 1 - x, 1))
    )
    result = sign * _scipy("gamma")(n + 1) * (full + np.where(left & (rest != 0), mirrored, 0))
    result = np.where(
        n == 0, _scipy("psi")(x), np.where((n < 0) | (n != np.floor(n)) | (n == INF), np.nan, result)
    )
    return result.astype(dtype)


# ------------------------------------------------------------------------------------------- stable logarithms


@elemwise(
    c="({x} > ({T})-0.6931471805599453 ? log{f}(-expm1{f}({x})) : log1p{f}(-exp{f}({x})))",
    signature="f->f",
    grad=lambda x, dy: -dy / expm1(-x),
    cost=Cost(flops=400, vector=False),
    image=(-INF, 0.0),
    real="log(1 - exp(x))",
    monotone="decreasing",
    domain=(-INF, 0.0),
)
def log1mexp(x: Any) -> Any:
    """log(1 - exp(x)) for x below 0, without cancellation. Source: Maechler 2012."""
    return np.where(x > -np.log(2), np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


c_helper("eq_exp_over_erfc", """static double eq_exp_over_erfc__@T(double x) {
  if (x > 0 || x < -28) return x > 0 ? 1 / eq_erfcx__double(x) : 0;
  double h = x * x, l = __builtin_fma(x, x, -h);
  return exp(-h) * (1 - l) / erfc(x);
}""")  # fmt: skip
c_helper("eq_log_erfc", """static double eq_log_erfc__@T(double x) {
  if (x < 0.5) return log1p(-erf(x));
  return x < 25 ? log(erfc(x)) : log(eq_erfcx__double(x)) - x * x;
}""")  # fmt: skip
c_helper("eq_log_cosh", """static double eq_log_cosh__@T(double x) {
  double a = fabs(x), s = sinh(a / 2);
  return a < 1 ? log1p(2 * s * s) : a + log1p(exp(-2 * a)) - 0.69314718055994531;
}""")  # fmt: skip
c_helper("eq_logaddexp", "static inline @T eq_logaddexp__@T(@T x, @T y) { @T d = x - y; if (x == y) "
         "return x + (@T)0.6931471805599453; return d > 0 ? x + (@T)log1p(exp(-d)) : d <= 0 ? y + (@T)log1p(exp(d)) : d; }")  # fmt: skip


@elemwise(
    c="eq_logaddexp__{T}({x}, {y})",
    signature="f,f->f",
    grad=lambda x, y, dy: (dy * sigmoid(x - y), dy * sigmoid(y - x)),
    commutative=True,
    cost=Cost(flops=100, vector=False),
    real="log(exp(x) + exp(y))",
    monotone=("increasing in x", "increasing in y"),
)
def logaddexp(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)) without overflow."""
    return np.logaddexp(x, y)


@elemwise(
    c=NARROW % "eq_exp_over_erfc__double({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (out * (_number(2 / np.sqrt(np.pi), x) * out - 2 * x)),
    cost=Cost(flops=150, vector=False),
    image=(0.0, INF),
    real="exp(-x * x) / erfc(x)",
    monotone="increasing",
)
def exp_over_erfc(x: Any) -> Any:
    """exp(-x**2) / erfc(x), also where both underflow: the slope of log(erfc(x)) but for a factor."""
    v = x.astype(float)
    positive = np.maximum(v, 0)
    over = np.exp(-np.square(v.astype(np.longdouble)))  # more digits: rounding v * v shows in the result
    far, near = 1 / _scipy("erfcx")(positive), (over / _scipy("erfc")(v - positive)).astype(float)
    return np.where(v > 0, far, near).astype(x.dtype)


@elemwise(
    c=NARROW % "eq_log_erfc__double({x})",
    signature="f->f",
    grad=lambda x, dy: dy * (_number(-2 / np.sqrt(np.pi), x) * exp_over_erfc(x)),
    cost=Cost(flops=400, vector=False),
    image=(-INF, 0.7),
    real="log(erfc(x))",
    monotone="decreasing",
)
def log_erfc(x: Any) -> Any:
    """log(erfc(x)), also where erfc underflows or is near 1."""
    v = x.astype(float)
    near, far = np.log1p(-_scipy("erf")(v)), np.log(_scipy("erfcx")(v)) - np.square(v)
    return np.where(v < 0.5, near, np.where(v < 25, np.log(_scipy("erfc")(v)), far)).astype(x.dtype)


@elemwise(
    c=NARROW % "({x} > 0 ? log1p(-eq_ndtr__double(-{x})) "
    ": eq_log_erfc__double(-{x} * 0.70710678118654752) - 0.69314718055994531)",
    signature="f->f",
    grad=lambda x, dy: dy * (_number(np.sqrt(2 / np.pi), x) * exp_over_erfc(x * _number(-np.sqrt(0.5), x))),
    cost=Cost(flops=390, vector=False),
    image=(-INF, 0.0),
    real="log(erfc(-x / sqrt(2)) / 2)",
    monotone="increasing",
)
def log_ndtr(x: Any) -> Any:
    """Logarithm of the normal distribution function, also where it underflows or is near 1."""
    v = x.astype(float)
    half = (
        np.exp(-np.square(v.astype(np.longdouble)) / 2) / 2
    )  # more digits: rounding v * v shows in the result
    right = np.log1p(-(half * _scipy("erfcx")(np.abs(v) * np.sqrt(0.5))).astype(float))
    left = log_erfc.declaration.meaning(-v * np.sqrt(0.5)) - np.log(2)
    return np.where(v > 0, right, left).astype(x.dtype)


@elemwise(
    c=NARROW % "eq_log_cosh__double({x})",
    signature="f->f",
    grad=lambda x, dy: dy * tanh(x),
    cost=Cost(flops=100, vector=False),
    image=(0.0, INF),
    real="log(cosh(x))",
    monotone="increasing in x if nonneg x",
    parity="even",
)
def log_cosh(x: Any) -> Any:
    """log(cosh(x)) without overflow, and without cancellation near 0."""
    a = np.abs(x.astype(float))
    near = np.log1p(2 * np.square(np.sinh(np.minimum(a, 1) / 2)))
    return np.where(a < 1, near, a + np.log1p(np.exp(-2 * a)) - np.log(2)).astype(x.dtype)


@elemwise(
    c="({x} == 0 && {y} == {y} ? 0 : {x} * log{f}({y}))",
    signature="f,f->f",
    grad=lambda x, y, dy: (dy * log(y), dy * (x / switch(eq(x, 0), _number(1, y), y))),
    cost=Cost(flops=26),
)
def xlogy(x: Any, y: Any) -> Any:
    """x * log(y), and 0 where x is 0 unless y is NaN."""
    return _scipy("xlogy")(x, y)
