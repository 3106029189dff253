// Arithmetic of complex numbers, as NumPy does it.

static inline @T eq_cmul__@T(@T a, @T b) {
  return __builtin_complex((@R)(__real__ a * __real__ b - __imag__ a * __imag__ b), (@R)(__real__ a * __imag__ b + __imag__ a * __real__ b));
}

static inline @T eq_cfma__@T(@T a, @T b, @T c) {
  return __builtin_complex(__builtin_fma@f(__real__ a, __real__ b, __builtin_fma@f(-__imag__ a, __imag__ b, __real__ c)),
    __builtin_fma@f(__real__ a, __imag__ b, __builtin_fma@f(__imag__ a, __real__ b, __imag__ c)));
}

static inline @T eq_cdiv__@T(@T a, @T b) {
  @R x = __real__ a, y = __imag__ a, c = __real__ b, d = __imag__ b, p = __builtin_fabs@f(c), q = __builtin_fabs@f(d);
  if (p >= q) {
    if (p == 0 && q == 0) return __builtin_complex((@R)(x / p), (@R)(y / p));
    @R r = d / c, s = 1 / (c + d * r);
    return __builtin_complex((@R)((x + y * r) * s), (@R)((y - x * r) * s));
  }
  @R r = c / d, s = 1 / (d + c * r);
  return __builtin_complex((@R)((x * r + y) * s), (@R)((y * r - x) * s));
}

static @T eq_cpow__@T(@T a, @T b) {
  @R p = __real__ b, q = __imag__ b;
  if (p == 0 && q == 0) return 1;
  if (a == 0) {
    if (p > 0) return 0;
    return __builtin_complex((@R)(NAN), (@R)(NAN));
  }
  if (q == 0 && p > -100 && p < 100 && p == (@R)(int)p) {
    int n = p < 0 ? -(int)p : (int)p; @T r = a, s = a;
    for (n--; n > 0; n >>= 1) {
      if (n & 1) r = eq_cmul__@T(r, s);
      if (n > 1) s = eq_cmul__@T(s, s);
    }
    return p < 0 ? eq_cdiv__@T(1, r) : r;
  }
  return cpow@f(a, b);
}

static inline @T eq_cmake__@T(@R x, @R y) { return __builtin_complex(x, y); }

static inline @T eq_cexpm1__@T(@T x) {
  @R a = expm1@f(__real__ x), b = __imag__ x, h = sin@f(b / 2);
  return __builtin_complex((@R)(a * cos@f(b) - 2 * h * h), (@R)(exp@f(__real__ x) * sin@f(b)));
}

static inline @T eq_clog1p__@T(@T x) {
  @R a = __real__ x, b = __imag__ x;
  int near = __builtin_fabs@f(a) < (@R)0.5 && __builtin_fabs@f(b) < (@R)0.5;
  return __builtin_complex((@R)(near ? log1p@f(a * (2 + a) + b * b) / 2 : log@f(hypot@f(1 + a, b))), (@R)atan2@f(b, 1 + a));
}

static inline @T eq_csigmoid__@T(@T x) {
  @R a = __real__ x, b = __imag__ x, e = exp@f(-__builtin_fabs@f(a)), less = expm1@f(-__builtin_fabs@f(a)), c = cos@f(b), h = cos@f(b / 2);
  @R near = 2 * h * h + less * c, s = e * sin@f(b), size = near * near + s * s;
  return __builtin_complex((a < 0 ? e * (2 * h * h + less) : near) / size, s / size);
}
