// What the host program calls for a product on the device.

//! PRODUCT
static int @NAME(int64_t m, int64_t n, int64_t k, const void *a, int64_t a0, int64_t a1, const void *b, int64_t b0, int64_t b1, void *out, const int64_t *q) {
  static const int64_t one[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  if (!q) q = one;
  const int64_t tiles = (m + 63) / 64 * ((n + 63) / 64) * q[0] * q[4] * q[8];
  if (m < 1 || n < 1 || tiles < 1) return 0;
  const uint64_t words[] = {m, n, k, (uint64_t)a, a0, a1, (uint64_t)b, b0, b1, (uint64_t)out, q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7], q[8], q[9], q[10], q[11]};
@LARGE
  return (int)eq_gpu->launch(eq_module, @KERNEL, (int64_t[]){eq_least(tiles, 65535), 1, 256, 1}, words, 22);
}

//! LARGE
  int64_t done = @FLOPS.0*(double)m*(double)n*(double)k*(double)(q[0]*q[4]*q[8]) < @LEAST ? -1 : eq_gpu->multiply(@CODE, words, 22);
  if (done >= 0) return (int)done;

//! VECTOR
static int @NAME(int64_t m, int64_t n, int64_t k, const void *a, int64_t a0, int64_t a1, const void *b, int64_t b0, int64_t b1, void *out, const int64_t *q) {
  static const int64_t one[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  if (!q) q = one;
  const int64_t rows = n == 1 ? m : n, all = rows * q[0] * q[4] * q[8]; /* of a, or of the other one turned */
  if (m < 1 || n < 1 || all < 1) return 0;
  const int64_t x = n == 1 ? 1 : 2, y = 3 - x; /* places of distances */
  const uint64_t words[] = {rows, k, (uint64_t)(n == 1 ? a : b), n == 1 ? a0 : b1, n == 1 ? a1 : b0, (uint64_t)(n == 1 ? b : a), n == 1 ? b0 : a1, (uint64_t)out,
    q[0], q[x], q[y], q[3], q[4], q[4 + x], q[4 + y], q[7], q[8], q[8 + x], q[8 + y], q[11]};
  return (int)eq_gpu->launch(eq_module, @KERNEL, (int64_t[]){eq_least(all, 65535), 1, 256, 1}, words, 20);
}
