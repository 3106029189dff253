// Divisors and multiples of integers, by Euclid's algorithm on their magnitudes.

static inline @T eq_gcd__@T(@T x, @T y) {
  uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, b = y < 0 ? 0 - (uint64_t)y : (uint64_t)y;
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return (@T)a;
}

static inline @T eq_lcm__@T(@T x, @T y) {
  uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, b = y < 0 ? 0 - (uint64_t)y : (uint64_t)y, p = a, q = b;
  while (q) {
    uint64_t rest = p % q;
    p = q;
    q = rest;
  }
  return p ? (@T)(a / p * b) : 0;
}
