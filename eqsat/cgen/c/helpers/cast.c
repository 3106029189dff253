// Floats to integers: the nearest number that there is; NaN becomes 0.

static inline int8_t eq_saturate_int8_t__@T(@T v) {
  return v != v ? 0 : v >= (@T)127.0 ? 127 : v <= (@T)(-128) ? -128 : (int8_t)v;
}

static inline int16_t eq_saturate_int16_t__@T(@T v) {
  return v != v ? 0 : v >= (@T)32767.0 ? 32767 : v <= (@T)(-32768) ? -32768 : (int16_t)v;
}

static inline int32_t eq_saturate_int32_t__@T(@T v) {
  return v != v ? 0 : v >= (@T)2147483647 ? 2147483647 : v <= (@T)((-2147483647-1)) ? (-2147483647-1) : (int32_t)v;
}

static inline int64_t eq_saturate_int64_t__@T(@T v) {
  return v != v ? 0 : v >= (@T)9223372036854775807LL ? 9223372036854775807LL : v <= (@T)((-9223372036854775807LL-1)) ? (-9223372036854775807LL-1) : (int64_t)v;
}

static inline uint8_t eq_saturate_uint8_t__@T(@T v) {
  return v != v ? 0 : v >= (@T)255.0 ? 255 : v <= (@T)(0) ? 0 : (uint8_t)v;
}

static inline uint16_t eq_saturate_uint16_t__@T(@T v) {
  return v != v ? 0 : v >= (@T)65535.0 ? 65535 : v <= (@T)(0) ? 0 : (uint16_t)v;
}

static inline uint32_t eq_saturate_uint32_t__@T(@T v) {
  return v != v ? 0 : v >= (@T)4294967295.0 ? 4294967295U : v <= (@T)(0) ? 0 : (uint32_t)v;
}

static inline uint64_t eq_saturate_uint64_t__@T(@T v) {
  return v != v ? 0 : v >= (@T)18446744073709551615ULL ? 18446744073709551615ULL : v <= (@T)(0) ? 0 : (uint64_t)v;
}
