// Complex numbers in device texts, of which C++ without headers has none: what C99 writes with its own type. Each function stands
// where a text calls it, in a form that C compiles too: @T is the type, @R that of its parts, @f the suffix of functions of floats.

//! STRUCT
template <typename R> struct __align__(2 * sizeof(R)) eq_complex_of {
  R re, im;
  eq_complex_of() = default;
  __device__ eq_complex_of(R x, R y = 0) : re(x), im(y) {}
  template <typename S> explicit __device__ eq_complex_of(const eq_complex_of<S> &z) : re((R)z.re), im((R)z.im) {}
  friend __device__ bool operator==(eq_complex_of a, eq_complex_of b) { return a.re == b.re && a.im == b.im; }
  friend __device__ bool operator!=(eq_complex_of a, eq_complex_of b) { return a.re != b.re || a.im != b.im; }
  friend __device__ eq_complex_of operator-(eq_complex_of a) { return eq_complex_of(-a.re, -a.im); }
  friend __device__ eq_complex_of operator~(eq_complex_of a) { return eq_complex_of(a.re, -a.im); }
  friend __device__ eq_complex_of operator+(eq_complex_of a, eq_complex_of b) { return eq_complex_of(a.re + b.re, a.im + b.im); }
  friend __device__ eq_complex_of operator+(eq_complex_of a, R b) { return eq_complex_of(a.re + b, a.im); }
  friend __device__ eq_complex_of operator+(R a, eq_complex_of b) { return eq_complex_of(a + b.re, b.im); }
  friend __device__ eq_complex_of operator-(eq_complex_of a, eq_complex_of b) { return eq_complex_of(a.re - b.re, a.im - b.im); }
  friend __device__ eq_complex_of operator-(eq_complex_of a, R b) { return eq_complex_of(a.re - b, a.im); }
  friend __device__ eq_complex_of operator-(R a, eq_complex_of b) { return eq_complex_of(a - b.re, -b.im); }
  friend __device__ eq_complex_of operator*(eq_complex_of a, eq_complex_of b) { return eq_complex_of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
  friend __device__ eq_complex_of operator*(eq_complex_of a, R b) { return eq_complex_of(a.re * b, a.im * b); }
  friend __device__ eq_complex_of operator*(R a, eq_complex_of b) { return eq_complex_of(a * b.re, a * b.im); }
  friend __device__ eq_complex_of operator/(eq_complex_of a, R b) { return eq_complex_of(a.re / b, a.im / b); }
};
typedef eq_complex_of<float> complex64_t; typedef eq_complex_of<double> complex128_t;
static __device__ __forceinline__ complex64_t eq_complex(float x, float y) { return complex64_t(x, y); }
static __device__ __forceinline__ complex128_t eq_complex(double x, double y) { return complex128_t(x, y); }
template <typename R> static __device__ __forceinline__ R eq_real(eq_complex_of<R> z) { return z.re; }
template <typename R> static __device__ __forceinline__ R eq_imag(eq_complex_of<R> z) { return z.im; }
#define EQ_SHUFFLE(F) template <typename R> static __device__ __forceinline__ eq_complex_of<R> F(unsigned lanes, eq_complex_of<R> z, int d, int width) { \
  const R x = F(lanes, z.re, d, width), y = F(lanes, z.im, d, width); \
  return eq_complex_of<R>(x, y); }
EQ_SHUFFLE(__shfl_xor_sync) EQ_SHUFFLE(__shfl_up_sync) EQ_SHUFFLE(__shfl_sync)

//! C
#define eq_real(z) (__real__ (z))
#define eq_imag(z) (__imag__ (z))
#define eq_complex(x, y) __builtin_complex(x, y)

//! cexp
static __device__ @T cexp@f(@T z) {
  const @R x = eq_real(z), y = eq_imag(z);
  if (y == 0) return eq_complex(exp@f(x), y);
  if (x == -INFINITY) return eq_complex((@R)0, (@R)0);
  const @R h = x > 80 ? exp@f(x / 2) : 1, e = x > 80 ? h : exp@f(x); /* h*e need not be a number where h*cos(y)*e is one */
  return eq_complex(h * cos@f(y) * e, h * sin@f(y) * e);
}

//! clog
// Near the circle of radius 1 the square of the radius less 1 is computed with the errors of its terms.
static __device__ @T clog@f(@T z) {
  const @R x = fabs@f(eq_real(z)), y = fabs@f(eq_imag(z)), a = x > y ? x : y, b = x > y ? y : x, r = hypot@f(x / 2, y / 2);
  const @R turn = atan2@f(eq_imag(z), eq_real(z));
  if (!(r > (@R)0.35 && r < (@R)0.75)) return eq_complex(r < (@R)1e-30 ? log@f(hypot@f(x, y)) : log@f(r) + (@R)0.693147180559945309417, turn);
  const @R p = a * a, q = b * b, d = p - 1, s = d + q, t = s - d;
  const @R rest = ((d - (s - t)) + (q - t)) + __builtin_fma@f(a, a, -p) + __builtin_fma@f(b, b, -q);
  return eq_complex(log1p@f(s + rest) / 2, turn);
}

//! csqrt
static __device__ @T csqrt@f(@T z) {
  const @R x = eq_real(z), y = eq_imag(z);
  if (fabs@f(y) == INFINITY) return eq_complex((@R)INFINITY, y);
  if (x == -INFINITY) return eq_complex(y - y, copysign@f((@R)INFINITY, y));
  if (x == INFINITY) return eq_complex(x, y == y ? copysign@f((@R)0, y) : y);
  if (x == 0 && y == 0) return eq_complex((@R)0, y);
  const @R large = fabs@f(x) > fabs@f(y) ? fabs@f(x) : fabs@f(y), scale = large > (@R)1e30 ? (@R)0.25 : large < (@R)1e-30 ? (@R)1073741824 : (@R)1;
  const @R back = scale < 1 ? (@R)2 : scale > 1 ? (@R)(1.0 / 32768) : (@R)1, a = fabs@f(x) * scale, b = fabs@f(y) * scale;
  const @R t = sqrt@f((a + hypot@f(a, b)) / 2), u = b / (2 * t);
  return x >= 0 ? eq_complex(t * back, copysign@f(u * back, y)) : eq_complex(u * back, copysign@f(t * back, y));
}

//! csinh
static __device__ @T csinh@f(@T z) {
  const @R x = eq_real(z), y = eq_imag(z);
  if (y == 0) return eq_complex(sinh@f(x), y);
  if (fabs@f(x) < 80) return eq_complex(x == 0 ? x : sinh@f(x) * cos@f(y), cosh@f(x) * sin@f(y));
  const @R h = exp@f(fabs@f(x) / 2);
  return eq_complex(copysign@f((@R)0.5, x) * h * cos@f(y) * h, (@R)0.5 * h * sin@f(y) * h);
}

//! ccosh
static __device__ @T ccosh@f(@T z) {
  const @R x = eq_real(z), y = eq_imag(z);
  if (y == 0) return eq_complex(cosh@f(x), copysign@f((@R)1, x) * y);
  if (fabs@f(x) < 80) return eq_complex(cosh@f(x) * cos@f(y), x == 0 ? x : sinh@f(x) * sin@f(y));
  const @R h = exp@f(fabs@f(x) / 2);
  return eq_complex((@R)0.5 * h * cos@f(y) * h, copysign@f((@R)0.5, x) * h * sin@f(y) * h);
}

//! ctanh
static __device__ @T ctanh@f(@T z) {
  const @R x = eq_real(z), y = eq_imag(z);
  if (y == 0) return eq_complex(tanh@f(x), y);
  if (fabs@f(x) > 22) {
    const @R e = exp@f(-fabs@f(x));
    return eq_complex(copysign@f((@R)1, x), fabs@f(y) < INFINITY ? 4 * sin@f(y) * cos@f(y) * e * e : 0 * (y - y == 0));
  }
  const @R t = tan@f(y), s = sinh@f(x), b = 1 + t * t, c = sqrt@f(1 + s * s), d = 1 + b * s * s;
  return eq_complex(x == 0 ? x : b * c * s / d, t / d);
}

//! csin
static __device__ @T csin@f(@T z) {
  const @T w = csinh@f(eq_complex(-eq_imag(z), eq_real(z)));
  return eq_complex(eq_imag(w), -eq_real(w));
}

//! ccos
static __device__ @T ccos@f(@T z) { return ccosh@f(eq_complex(-eq_imag(z), eq_real(z))); }

//! ctan
static __device__ @T ctan@f(@T z) {
  const @T w = ctanh@f(eq_complex(-eq_imag(z), eq_real(z)));
  return eq_complex(eq_imag(w), -eq_real(w));
}

//! casin
// By roots of 1 - z and 1 + z: Kahan 1987, Branch cuts for complex elementary functions.
static __device__ @T casin@f(@T z) {
  const @R x = eq_real(z), y = eq_imag(z);
  if (fabs@f(x) == INFINITY || fabs@f(y) == INFINITY) return eq_complex(copysign@f(atan2@f(fabs@f(x), fabs@f(y)), x), copysign@f((@R)INFINITY, y));
  const @T a = csqrt@f(eq_complex(1 - x, -y)), b = csqrt@f(eq_complex(1 + x, y));
  return eq_complex(atan2@f(x, eq_real(a) * eq_real(b) - eq_imag(a) * eq_imag(b)), asinh@f(eq_real(a) * eq_imag(b) - eq_imag(a) * eq_real(b)));
}

//! cacos
static __device__ @T cacos@f(@T z) {
  const @R x = eq_real(z), y = eq_imag(z);
  if (fabs@f(x) == INFINITY || fabs@f(y) == INFINITY) return eq_complex(atan2@f(fabs@f(y), x), copysign@f((@R)INFINITY, -y));
  const @T a = csqrt@f(eq_complex(1 - x, -y)), b = csqrt@f(eq_complex(1 + x, y));
  return eq_complex(2 * atan2@f(eq_real(a), eq_real(b)), asinh@f(eq_real(b) * eq_imag(a) - eq_imag(b) * eq_real(a)));
}

//! casinh
static __device__ @T casinh@f(@T z) {
  const @T w = casin@f(eq_complex(eq_imag(z), eq_real(z)));
  return eq_complex(eq_imag(w), eq_real(w));
}

//! cacosh
static __device__ @T cacosh@f(@T z) {
  const @T w = cacos@f(z);
  return eq_complex(fabs@f(eq_imag(w)), copysign@f(eq_real(w), eq_imag(z)));
}

//! catanh
static __device__ @T catanh@f(@T z) {
  const @R x = fabs@f(eq_real(z)), y = fabs@f(eq_imag(z)), r = hypot@f(x, y), most = sizeof(@R) == 4 ? (@R)1e15 : (@R)1e150;
  @R re, im;
  if (r > most) {
    re = r == INFINITY ? 0 : x / r / r;
    im = y == y ? (@R)1.57079632679489661923 : y;
  } else if (x == 1 && y * most < 1) {
    re = y == 0 ? INFINITY : (@R)-0.5 * log@f(y / 2);
    im = y == 0 ? 0 : atan2@f((@R)2, -y) / 2;
  } else {
    re = log1p@f(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
    im = atan2@f(2 * y, (1 - x) * (1 + x) - y * y) / 2;
  }
  return eq_complex(copysign@f(re, eq_real(z)), copysign@f(im, eq_imag(z)));
}

//! catan
static __device__ @T catan@f(@T z) {
  const @T w = catanh@f(eq_complex(eq_imag(z), eq_real(z)));
  return eq_complex(eq_imag(w), eq_real(w));
}

//! cpow
static __device__ @T cpow@f(@T a, @T b) {
  const @T l = clog@f(a);
  const @R x = eq_real(l), y = eq_imag(l), p = eq_real(b), q = eq_imag(b);
  return cexp@f(eq_complex(p * x - q * y, p * y + q * x));
}
