// The place of a value among sorted ones.

/* Halves of the rows that are left are skipped by arithmetic: a branch on a comparison would be guessed wrongly half the time. */
static int64_t eq_search__@T(const @T *v, int64_t n, int64_t s, @T x, int right) {
  int64_t low = 0;
  if (x != x) { /* behind all numbers */
    for (int64_t half; n > 0; n -= half) {
      half = (n + 1) / 2;
      @T y = v[(low + half - 1) * s];
      low += half & -(int64_t)(right || y == y);
    }
    return low;
  }
  if (right) {
    for (int64_t half; n > 0; n -= half) { half = (n + 1) / 2; low += half & -(int64_t)(v[(low + half - 1) * s] <= x); }
    return low;
  }
  for (int64_t half; n > 0; n -= half) { half = (n + 1) / 2; low += half & -(int64_t)(v[(low + half - 1) * s] < x); }
  return low;
}
