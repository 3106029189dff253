// The place of a value among sorted ones.

static int64_t eq_search__@T(const @T *v, int64_t n, int64_t s, @T x, int right) {
  int64_t low = 0, high = n;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (right ? !eq_before__@T(x, v[middle * s]) : eq_before__@T(v[middle * s], x)) low = middle + 1; else high = middle;
  }
  return low;
}
