// Random bits by counters, and what is drawn from them.

typedef struct { uint32_t w[4]; } eq_words__@T;
static inline eq_words__@T eq_philox__@T(uint64_t i, uint64_t draw, uint64_t key) {
  uint32_t a = (uint32_t)i, b = (uint32_t)(i >> 32), d = (uint32_t)draw, e = (uint32_t)(draw >> 32);
  uint32_t k = (uint32_t)key, m = (uint32_t)(key >> 32);
  for (int r = 0; r < 10; r++) {
    uint64_t p = 3528531795ULL * a, q = 3449720151ULL * d;
    uint32_t s = (uint32_t)(q >> 32) ^ b ^ k, t = (uint32_t)(p >> 32) ^ e ^ m;
    a = s; b = (uint32_t)q; d = t; e = (uint32_t)p; k += 2654435769U; m += 3144134277U;
  }
  eq_words__@T words = {{a, b, d, e}};
  return words;
}

static inline uint64_t eq_bits__@T(uint64_t i, uint64_t draw, uint64_t key, int half) {
  eq_words__@T x = eq_philox__@T(i, draw, key);
  return ((uint64_t)x.w[2 * half + 1] << 32) | x.w[2 * half];
}

static inline uint64_t eq_scaled__@T(uint64_t x, uint64_t n) {
  uint64_t a = x >> 32, b = x & 4294967295U, d = n >> 32, e = n & 4294967295U;
  uint64_t m = a * e + (b * e >> 32), o = b * d + (m & 4294967295U);
  return a * d + (m >> 32) + (o >> 32);
}

static inline int64_t eq_binomial__@T(double u, double n, double p) {
  n = floor(n);
  if (!(n > 0 && n < 9e15) || !(p > 0) || u != u) return 0;
  if (p >= 1) return (int64_t)n;
  double odds = p / (1 - p), up = floor((n + 1) * p), down = up;
  double above = exp(lgamma(n + 1) - lgamma(up + 1) - lgamma(n - up + 1) + up * log(p) + (n - up) * log1p(-p));
  double below = above, left = u - above, mode = up;
  while (left >= 0 && (below > 0 || above > 0)) {
    if (down > 0) {
      below *= down / ((n - down + 1) * odds); down -= 1; left -= below;
      if (left < 0) return (int64_t)down;
    } else below = 0;
    if (up < n) {
      above *= (n - up) / (up + 1) * odds; up += 1; left -= above;
      if (left < 0) return (int64_t)up;
    } else above = 0;
  }
  return (int64_t)mode;
}
