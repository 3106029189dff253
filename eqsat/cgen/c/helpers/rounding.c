// Remainders and shifts of integers.

static inline @T eq_fmod_i__@T(@T a, @T b) { return b == 0 || b == (@T)-1 ? 0 : (@T)(a % b); }

static inline @T eq_fmod_u__@T(@T a, @T b) { return b == 0 ? 0 : (@T)(a % b); }

static inline @T eq_shl__@T(@T a, @T b) {
  return (uint64_t)b < 8 * sizeof(@T) ? (@T)((uint64_t)a << b) : 0;
}

static inline @T eq_shr__@T(@T a, @T b) {
  return (uint64_t)b < 8 * sizeof(@T) ? (@T)(a >> b) : a < 0 ? (@T)-1 : 0;
}
