// Division, remainder and powers with Python's meaning, extrema that keep NaN, the sigmoid.

static inline @T eq_floordiv_i__@T(@T a, @T b) {
  if (b == 0) return 0;
  if (b == (@T)-1) return (@T)(-a);
  @T q = (@T)(a / b);
  return (@T)(q - ((a % b != 0) && ((a < 0) != (b < 0))));
}

static inline @T eq_floordiv_u__@T(@T a, @T b) { return b == 0 ? 0 : (@T)(a / b); }

static inline @T eq_floordiv_f__@T(@T a, @T b) {
  if (b == 0) return a / b;
  @T m = (@T)fmod(a, b), d = (a - m) / b;
  if (m != 0 && ((b < 0) != (m < 0))) d -= 1;
  if (d == 0) return (@T)copysign(0.0, (double)(a / b));
  @T r = (@T)floor(d);
  return d - r > (@T)0.5 ? r + 1 : r;
}

static inline @T eq_mod_i__@T(@T a, @T b) {
  if (b == 0 || b == (@T)-1) return 0;
  @T m = (@T)(a % b);
  return (m != 0 && ((m < 0) != (b < 0))) ? (@T)(m + b) : m;
}

static inline @T eq_mod_u__@T(@T a, @T b) { return b == 0 ? 0 : (@T)(a % b); }

static inline @T eq_mod_f__@T(@T a, @T b) {
  @T m = (@T)fmod(a, b);
  if (b == 0) return m;
  if (m == 0) return (@T)copysign(0.0, b);
  return ((b < 0) != (m < 0)) ? m + b : m;
}

static inline @T eq_pow_i__@T(@T a, @T b) {
  if (b < 0) return a == 1 ? 1 : a == (@T)-1 ? ((b & 1) ? (@T)-1 : 1) : 0;
  @T r = 1;
  while (b) {
    if (b & 1) r = (@T)(r * a);
    a = (@T)(a * a); b >>= 1;
  }
  return r;
}

static inline @T eq_pow_u__@T(@T a, @T b) {
  @T r = 1;
  while (b) {
    if (b & 1) r = (@T)(r * a);
    a = (@T)(a * a); b >>= 1;
  }
  return r;
}

static inline @T eq_max__@T(@T a, @T b) { return (a >= b || a != a) ? a : b; }

static inline @T eq_min__@T(@T a, @T b) { return (a <= b || a != a) ? a : b; }

// Below 0 the result is as small as exp(x), where 1 / (1 + exp(-x)) would be 0.
static inline @T eq_sigmoid__@T(@T x) {
  @T e = exp@f(-fabs@f(x));
  return (x < 0 ? e : 1) / (1 + e);
}
