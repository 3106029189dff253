// Sorting of rows, NaN last.

static inline int eq_before__@T(@T a, @T b) { return a < b || (b != b && a == a); }

static void eq_sort__@T(@T *v, @T *w, int64_t n) {
  for (int64_t low = 0; low < n; low += 16) {
    int64_t high = low + 16 < n ? low + 16 : n;
    for (int64_t i = low + 1; i < high; i++) {
      @T x = v[i]; int64_t j = i;
      for (; j > low && eq_before__@T(x, v[j - 1]); j--) v[j] = v[j - 1];
      v[j] = x;
    }
  }
  for (int64_t run = 16; run < n; run *= 2) {
    for (int64_t low = 0; low < n - run; low += 2 * run) {
      int64_t middle = low + run, high = middle + run < n ? middle + run : n, i = low, j = middle, k = low;
      if (!eq_before__@T(v[middle], v[middle - 1])) continue;
      while (i < middle && j < high) w[k++] = eq_before__@T(v[j], v[i]) ? v[j++] : v[i++];
      while (i < middle) w[k++] = v[i++];
      memcpy(v + low, w + low, (size_t)(k - low) * sizeof(@T));
    }
  }
}

static void eq_argsort__@T(const @T *x, int64_t *v, int64_t *w, int64_t n) {
  for (int64_t i = 0; i < n; i++) v[i] = i;
  for (int64_t low = 0; low < n; low += 16) {
    int64_t high = low + 16 < n ? low + 16 : n;
    for (int64_t i = low + 1; i < high; i++) {
      int64_t p = v[i], j = i;
      for (; j > low && eq_before__@T(x[p], x[v[j - 1]]); j--) v[j] = v[j - 1];
      v[j] = p;
    }
  }
  for (int64_t run = 16; run < n; run *= 2) {
    for (int64_t low = 0; low < n - run; low += 2 * run) {
      int64_t middle = low + run, high = middle + run < n ? middle + run : n, i = low, j = middle, k = low;
      if (!eq_before__@T(x[v[middle]], x[v[middle - 1]])) continue;
      while (i < middle && j < high) w[k++] = eq_before__@T(x[v[j]], x[v[i]]) ? v[j++] : v[i++];
      while (i < middle) w[k++] = v[i++];
      memcpy(v + low, w + low, (size_t)(k - low) * sizeof(int64_t));
    }
  }
}
