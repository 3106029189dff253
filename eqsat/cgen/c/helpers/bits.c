// Bits of floating numbers, the first of which lie first in memory.

static inline uint64_t eq_float_bits__@T(@T v) {
  union { uint64_t bits; @T value; } both;
  both.bits = 0;
  both.value = v;
  return both.bits;
}

static inline @T eq_bits_float__@T(uint64_t bits) {
  union { uint64_t bits; @T value; } both;
  both.bits = bits;
  return both.value;
}
