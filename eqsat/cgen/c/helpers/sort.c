// Sorting of rows, NaN last.

/* Without a branch, which would be guessed wrongly. */
static inline int eq_before__@T(@T a, @T b) { return (a < b) | ((b != b) & (a == a)); }

/* A number whose order as an unsigned one is that of the element: both zeros are one, NaN is the greatest. */
static inline uint64_t eq_key__@T(@T x) {
  const uint64_t top = (uint64_t)1 << (8 * sizeof(@T) - 1), all = top | (top - 1);
  const int real = (@T)0.5 != 0;
  uint64_t bits = 0;
  if (real && x != x) return all;
  if (real && x == 0) x = 0;
  memcpy(&bits, &x, sizeof(@T));
  if (real) return bits ^ (((0 - (bits >> (8 * sizeof(@T) - 1))) | top) & all); /* a branch on the sign would be guessed wrongly */
  const @T least = (@T)-1;
  return least < 1 ? bits ^ top : bits; /* not < 0, of which compilers warn where the type has no sign */
}

static int eq_in_order__@T(const @T *x, int64_t n) {
  int64_t i = 1;
  while (i < n && !eq_before__@T(x[i], x[i - 1])) i++;
  return i >= n;
}

/* The bits in which the keys of elements differ. */
static uint64_t eq_differing__@T(const @T *x, int64_t n) {
  uint64_t one = eq_key__@T(x[0]), differ = 0;
  for (int64_t i = 1; i < n; i++) differ |= eq_key__@T(x[i]) ^ one;
  return differ;
}

/* Where the elements with each value of a digit begin, of how many there are with each. */
static void eq_starts__@T(uint32_t *count, int64_t values) {
  uint32_t start = 0;
  for (int64_t k = 0; k < values; k++) { uint32_t c = count[k]; count[k] = start; start += c; }
}

/* By those bytes of the keys, from one on, in which there is a difference, to and fro between a row and memory beside it. */
static void eq_by_bytes__@T(@T *v, @T *w, int64_t n, int64_t first, uint64_t differ) {
  uint32_t count[sizeof(@T)][256];
  int64_t turned = 0;
  memset(count, 0, sizeof count);
  for (int64_t i = 0; i < n; i++) {
    uint64_t key = eq_key__@T(v[i]);
    for (int64_t d = first; d < (int64_t)sizeof(@T); d++) count[d][key >> 8 * d & 255]++;
  }
  for (int64_t d = first; d < (int64_t)sizeof(@T); d++) {
    if (!(differ >> 8 * d & 255)) continue;
    eq_starts__@T(count[d], 256);
    for (int64_t i = 0; i < n; i++) w[count[d][eq_key__@T(v[i]) >> 8 * d & 255]++] = v[i];
    @T *row = v; v = w; w = row;
    turned = !turned;
  }
  if (turned) memcpy(w, v, (size_t)n * sizeof(@T));
}

/* By 33 bits of the keys, eleven at a time; it takes fewer turns than bytes do, and more room. */
static void eq_by_digits__@T(@T *v, @T *w, int64_t n, int64_t shift, uint64_t differ) {
  uint32_t count[3][2048];
  int64_t turned = 0;
  memset(count, 0, sizeof count);
  for (int64_t i = 0; i < n; i++) {
    uint64_t key = eq_key__@T(v[i]) >> shift;
    for (int64_t d = 0; d < 3; d++) count[d][key >> 11 * d & 2047]++;
  }
  for (int64_t d = 0; d < 3; d++) {
    if (!(differ >> shift >> 11 * d & 2047)) continue;
    eq_starts__@T(count[d], 2048);
    for (int64_t i = 0; i < n; i++) w[count[d][eq_key__@T(v[i]) >> shift >> 11 * d & 2047]++] = v[i];
    @T *row = v; v = w; w = row;
    turned = !turned;
  }
  if (turned) memcpy(w, v, (size_t)n * sizeof(@T));
}

/* Put few elements in order that are close to their places; 0 where they are many. */
static int eq_few_moves__@T(@T *x, int64_t n) {
  int64_t moves = 0;
  for (int64_t i = 1; i < n && moves <= n; i++) {
    @T e = x[i];
    int64_t j = i;
    for (; j > 0 && eq_before__@T(e, x[j - 1]); j--, moves++) x[j] = x[j - 1];
    x[j] = e;
  }
  return moves <= n;
}

/* Some 33 bits from the highest that differs, or five bytes that differ, tell most elements apart; the few others are moved. */
static void eq_long_sort__@T(@T *v, @T *w, int64_t n) {
  if (eq_in_order__@T(v, n)) return;
  uint64_t differ = eq_differing__@T(v, n);
  int64_t left = 0;
  if (n >= 700 && sizeof(@T) >= 4) {
    while (differ >> left >> 33) left++;
    eq_by_digits__@T(v, w, n, left, differ);
  } else {
    left = sizeof(@T);
    for (int64_t seen = 0; left > 0 && seen < 5; left--) seen += (differ >> 8 * (left - 1) & 255) != 0;
    eq_by_bytes__@T(v, w, n, left, differ);
  }
  if (left && !eq_few_moves__@T(v, n)) eq_by_bytes__@T(v, w, n, 0, differ);
}

/* By 33 bits of the keys, from the highest one in which there is a difference, before the place of each element; 0 where these tell too few apart. */
static int eq_long_argsort__@T(const @T *x, int64_t *v, int64_t *w, int64_t n) {
  uint32_t count[3][2048];
  uint64_t differ = eq_differing__@T(x, n), all = ((uint64_t)1 << 33) - 1;
  int64_t shift = 0, moves = 0, turned = 0;
  while (differ >> shift > all) shift++;
  memset(count, 0, sizeof count);
  for (int64_t i = 0; i < n; i++) {
    uint64_t key = eq_key__@T(x[i]) >> shift & all;
    v[i] = (int64_t)(key << 31) | i;
    for (int64_t d = 0; d < 3; d++) count[d][key >> 11 * d & 2047]++;
  }
  for (int64_t d = 0; d < 3; d++) {
    if (!(differ >> shift >> 11 * d & 2047)) continue;
    eq_starts__@T(count[d], 2048);
    for (int64_t i = 0; i < n; i++) w[count[d][(uint64_t)v[i] >> (31 + 11 * d) & 2047]++] = v[i];
    int64_t *row = v; v = w; w = row;
    turned = !turned;
  }
  int64_t *to = turned ? w : v;
  for (int64_t i = 0; i < n; i++) to[i] = v[i] & 0x7fffffff;
  for (int64_t i = 1; shift && i < n && moves <= n; i++) {
    int64_t p = to[i], j = i;
    for (; j > 0 && eq_before__@T(x[p], x[to[j - 1]]); j--, moves++) to[j] = to[j - 1];
    to[j] = p;
  }
  return moves <= n;
}

/* Eight elements: each goes behind as many as are before it. */
static inline void eq_eight__@T(@T *v) {
  @T x[8];
  int before[8] = {0};
  memcpy(x, v, sizeof x);
  for (int i = 1; i < 8; i++) for (int j = 0; j < i; j++) {
    int later = eq_before__@T(x[i], x[j]);
    before[j] += later; before[i] += !later;
  }
  for (int i = 0; i < 8; i++) v[before[i]] = x[i];
}

/* Two runs of one length become one, from both ends at once. */
static inline void eq_merge__@T(@T *restrict to, const @T *x, int64_t run) {
  int64_t i = 0, j = run, p = run - 1, q = 2 * run - 1;
  for (int64_t k = 0; k < run; k++) {
    int64_t second = -(int64_t)eq_before__@T(x[j], x[i]), first = -(int64_t)eq_before__@T(x[q], x[p]);
    to[k] = x[i ^ ((i ^ j) & second)]; j -= second; i += 1 + second;
    to[2 * run - 1 - k] = x[q ^ ((q ^ p) & first)]; p += first; q -= 1 + first;
  }
}

static void eq_sort__@T(@T *v, @T *w, int64_t n) {
  if (n >= 96 && n < 1 << 30) { eq_long_sort__@T(v, w, n); return; }
  int64_t whole = n - n % 8;
  for (int64_t low = 0; low < whole; low += 8) eq_eight__@T(v + low);
  for (int64_t i = whole + 1; i < n; i++) {
    @T x = v[i]; int64_t j = i;
    for (; j > whole && eq_before__@T(x, v[j - 1]); j--) v[j] = v[j - 1];
    v[j] = x;
  }
  @T *from = v, *to = w;
  for (int64_t run = 8; run < n; run *= 2) {
    int64_t low = 0;
    for (; low + 2 * run <= n; low += 2 * run) eq_merge__@T(to + low, from + low, run);
    int64_t middle = low + run < n ? low + run : n, i = low, j = middle, k = low;
    while (i < middle && j < n) to[k++] = eq_before__@T(from[j], from[i]) ? from[j++] : from[i++];
    while (i < middle) to[k++] = from[i++];
    while (j < n) to[k++] = from[j++];
    @T *row = from; from = to; to = row;
  }
  if (from != v) memcpy(v, from, (size_t)n * sizeof(@T));
}

static void eq_argsort__@T(const @T *x, int64_t *v, int64_t *w, int64_t n) {
  for (int64_t i = 0; i < n; i++) v[i] = i;
  if (n >= 256 && n < 1 << 30 && (eq_in_order__@T(x, n) || eq_long_argsort__@T(x, v, w, n))) return;
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
