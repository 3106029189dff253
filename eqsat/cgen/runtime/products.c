// Products of real matrices: see products.py. @T is the element type, @V a number of vectors, @HARD what unrolls loops.

//! SIZES
#ifdef __AVX512F__
enum { BYTES = 64, ROWS = 8 };
#elif defined(__AVX__)
enum { BYTES = 32, ROWS = 4 };
#elif defined(__x86_64__)
enum { BYTES = 16, ROWS = 4 };
#else
enum { BYTES = 16, ROWS = 8 };
#endif
enum { DEPTH = 256, NEAR = 1 << 18 }; /* bytes of a that stay in the second cache */

// A vector is read once for all products with it: where registers are few, compilers would read it again for each of them.
#if defined(__x86_64__) && !defined(__AVX512F__)
#define FEW_REGISTERS 1
#define IN_REGISTER(u) __asm__("" : "+x"(u))
#else
#define FEW_REGISTERS 0
#define IN_REGISTER(u) (void)(u)
#endif

//! KINDS
typedef @T vector_@T __attribute__((vector_size(BYTES), aligned(sizeof(@T)), may_alias));
typedef __typeof__((vector_@T){0} < (vector_@T){0}) lanes_@T;
enum { WIDE_@T = BYTES / sizeof(@T) };

//! TILE
// c (ROWS, VECTORS wide) = a b, or c + a b where there is more to come. What is added to c is added up by itself: sums of sums lose less.
@HARD static void tile@V_@T(
    int64_t k, const @T *a, int64_t a0, int64_t a1, const @T *b, int64_t b0, @T *c, int64_t c0, int more) {
  vector_@T s[ROWS][@V];
  for (int r = 0; r < ROWS; r++) for (int v = 0; v < @V; v++) {
    s[r][v] = (vector_@T){0};
  }
  for (int64_t p = 0; p < k; p++, a += a1, b += b0) {
    vector_@T u[@V];
    for (int v = 0; v < @V; v++) { u[v] = ((const vector_@T *)b)[v]; IN_REGISTER(u[v]); }
    for (int r = 0; r < ROWS; r++) for (int v = 0; v < @V; v++) s[r][v] += a[r * a0] * u[v];
  }
  if (more) for (int r = 0; r < ROWS; r++) for (int v = 0; v < @V; v++) s[r][v] += ((vector_@T *)(c + r * c0))[v];
  for (int r = 0; r < ROWS; r++) for (int v = 0; v < @V; v++) ((vector_@T *)(c + r * c0))[v] = s[r][v];
}

//! TURN
// A square of rows becomes one of columns: pairs of rows swap ever larger parts. A sum of lanes adds halves.
#ifndef __clang__
static inline lanes_@T numbered_@T(void) {
  lanes_@T lane;
  for (int l = 0; l < WIDE_@T; l++) lane[l] = l;
  return lane;
}
static inline __attribute__((always_inline)) void turn_@T(vector_@T *t) {
  lanes_@T lane = numbered_@T();
  for (int s = 1; s < WIDE_@T; s *= 2) {
    lanes_@T keep = (lane & s) == 0, swap = lane ^ s;
    lanes_@T low = (lane & keep) | ((swap + WIDE_@T) & ~keep), high = (swap & keep) | ((lane + WIDE_@T) & ~keep);
    for (int i = 0; i < WIDE_@T; i++) if (!(i & s)) {
      vector_@T x = t[i], y = t[i | s];
      t[i] = __builtin_shuffle(x, y, low);
      t[i | s] = __builtin_shuffle(x, y, high);
    }
  }
}
static inline __attribute__((always_inline)) @T total_@T(vector_@T x) {
  for (int half = WIDE_@T / 2; half; half /= 2) x += __builtin_shuffle(x, numbered_@T() ^ half);
  return x[0];
}
#else
static @T total_@T(vector_@T x) {
  @T sum = 0;
  for (int l = 0; l < WIDE_@T; l++) sum += x[l];
  return sum;
}
static void turn_@T(vector_@T *t) {
  for (int i = 0; i < WIDE_@T; i++) for (int j = 0; j < i; j++) { @T x = t[i][j]; t[i][j] = t[j][i]; t[j][i] = x; }
}
#endif

//! PACK
// Rows of w columns one after the other; columns that are not there, from n on, are zeros.
@HARD static void pack_@T(@T *to, int64_t w, int64_t k, int64_t n, const @T *b, int64_t b0, int64_t b1) {
  int64_t p = 0, j = 0;
  if (b0 == 1) for (; j + WIDE_@T <= n; j += WIDE_@T) {
    for (p = 0; p + WIDE_@T <= k; p += WIDE_@T) {
      vector_@T t[WIDE_@T];
      for (int i = 0; i < WIDE_@T; i++) t[i] = *(const vector_@T *)(b + p + (j + i) * b1);
      turn_@T(t);
      for (int i = 0; i < WIDE_@T; i++) *(vector_@T *)(to + (p + i) * w + j) = t[i];
    }
    for (; p < k; p++) for (int i = 0; i < WIDE_@T; i++) to[p * w + j + i] = b[p + (j + i) * b1];
  }
  else if (b1 == 1) for (; j + WIDE_@T <= n; j += WIDE_@T)
    for (p = 0; p < k; p++) *(vector_@T *)(to + p * w + j) = *(const vector_@T *)(b + p * b0 + j);
  for (; j < w; j++) for (p = 0; p < k; p++) to[p * w + j] = j < n ? b[p * b0 + j * b1] : 0;
}

//! STRIP
// Rows of a, ROWS of them side by side: step by step of the inner axis, rows that are not there as zeros.
@HARD static void hold_@T(@T *to, int64_t m, int64_t k, const @T *a, int64_t a0, int64_t a1) {
  for (int64_t i = 0; i < m; i += ROWS, to += ROWS * k, a += ROWS * a0) {
    if (m - i < ROWS) for (int64_t q = 0; q < k; q++) for (int64_t r = 0; r < ROWS; r++)
      to[q * ROWS + r] = r < m - i ? a[r * a0 + q * a1] : 0;
    else if (a0 == 1) for (int64_t q = 0; q < k; q++) for (int64_t r = 0; r < ROWS; r++) to[q * ROWS + r] = a[r + q * a1];
    else for (int64_t q = 0; q < k; q++) for (int64_t r = 0; r < ROWS; r++) to[q * ROWS + r] = a[r * a0 + q * a1];
  }
}
// One tile's width of columns, for up to DEPTH steps of the inner axis; incomplete tiles go through room of their own.
// Rows that are not ``held`` side by side are read where they lie, but for the last ones, which are the ``rest``.
static void strip_@T(int64_t m, int64_t n, int64_t k, const @T *a, int64_t a0, int64_t a1, int held, const @T *rest,
    int64_t w, const @T *b, int64_t b0, @T *c, int64_t c0, int more) {
  vector_@T room[ROWS * 3];
  for (int64_t i = 0; i < m; i += ROWS, c += ROWS * c0) {
    int64_t rows = eq_least(m - i, ROWS), few = rows < ROWS, t0 = c0;
    const @T *x = held ? a + i * k : few ? rest : a + i * a0;
    @T *to = c;
    if (few || n < w) {
      to = (@T *)room; t0 = w;
      if (more) for (int64_t r = 0; r < rows; r++) for (int64_t j = 0; j < n; j++) to[r * w + j] = c[r * c0 + j];
    }
    int64_t x0 = held || few ? 1 : a0, x1 = held || few ? ROWS : a1;
    if (w == WIDE_@T) tile1_@T(k, x, x0, x1, b, b0, to, t0, more);
    else if (w == 2 * WIDE_@T) tile2_@T(k, x, x0, x1, b, b0, to, t0, more);
    else tile3_@T(k, x, x0, x1, b, b0, to, t0, more);
    if (to != c) for (int64_t r = 0; r < rows; r++) for (int64_t j = 0; j < n; j++) c[r * c0 + j] = to[r * w + j];
  }
}

//! BLOCKS
static __thread vector_@T near_@T[NEAR / BYTES];
// A matrix times its own transpose is symmetric: what lies above the diagonal is copied from below, square by square.
static void mirror_@T(int64_t n, int64_t m, @T *c, int64_t c0) {
  enum { SIDE = 16 };
  for (int64_t j = 0; j < n; j += SIDE) for (int64_t i = j; i < m; i += SIDE)
    for (int64_t y = j; y < eq_least(j + SIDE, n); y++) for (int64_t x = i > y ? i : y + 1; x < eq_least(i + SIDE, m); x++)
      c[y * c0 + x] = c[x * c0 + y];
}
// v: lengths m, n, k, strides of a, b and c, whether to add, whether low to high is a part of the rows, and whether b is a transposed.
static void blocks_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  int64_t m = v[0], n = v[1], k = v[2], a0 = v[3], a1 = v[4], b0 = v[5], b1 = v[6], c0 = v[7];
  const @T *a = at[0], *b = at[1];
  @T *c = at[2];
  if (v[9]) { a += low * a0; c += low * c0; m = high - low; } else { b += low * b1; c += low; n = high - low; }
  if (v[10]) { a += low * a0; c += low * c0; m -= low; }
  vector_@T packed[DEPTH * 3];
  @T rest[DEPTH * ROWS];
  int64_t most = NEAR / (ROWS * eq_least(k, DEPTH) * (int64_t)sizeof(@T)) * ROWS;
  int held = n >= (a0 == 1 ? 8 : 16) * 3 * WIDE_@T;
  for (int64_t i = 0, rows = 0; i < m; i += rows) for (int64_t p = 0, depth = 0; p < k; p += depth) {
    rows = eq_least(m - i, most); depth = eq_least(k - p, DEPTH);
    const @T *x = a + i * a0 + p * a1, *y = b + p * b0;
    int64_t over = rows % ROWS;
    if (held) hold_@T((@T *)near_@T, rows, depth, x, a0, a1);
    else if (over) hold_@T(rest, over, depth, x + (rows - over) * a0, a0, a1);
    for (int64_t j = 0, w; j < n; j += w) {
      int64_t vectors = (n - j + WIDE_@T - 1) / WIDE_@T;
      w = (vectors == 4 ? 2 : eq_least(vectors, 3)) * WIDE_@T;
      int64_t columns = eq_least(n - j, w), packs = rows > 16 * ROWS || b1 != 1 || columns < w;
      int64_t first = v[10] && j > i ? eq_least(j - i, rows) / ROWS * ROWS : 0; /* of the rows from the diagonal on */
      if (packs) pack_@T((@T *)packed, w, depth, columns, y + j * b1, b0, b1);
      strip_@T(rows - first, columns, depth, held ? (@T *)near_@T + first * depth : x + first * a0, a0, a1, held, rest, w,
        packs ? (@T *)packed : y + j, packs ? w : b0, c + (i + first) * c0 + j, c0, p > 0 || v[8]);
    }
  }
  if (v[10]) mirror_@T(n, m, c, c0);
}

//! REST
// What is left of a row after whole vectors: a vector of which lanes are cleared. Behind a row that is not ``inside`` nothing is read.
static inline __attribute__((always_inline)) lanes_@T first_@T(int64_t some) {
  lanes_@T keep;
  for (int l = 0; l < WIDE_@T; l++) keep[l] = l < some ? -1 : 0;
  return keep;
}
static inline __attribute__((always_inline)) vector_@T rest_@T(const @T *b, int64_t some, lanes_@T keep, int inside) {
  if (inside) {
    lanes_@T bits = (lanes_@T)*(const vector_@T *)b & keep;
    return (vector_@T)bits;
  }
  @T x[WIDE_@T] = {0};
  for (int64_t l = 0; l < some; l++) x[l] = b[l];
  return *(const vector_@T *)x;
}

//! VECTOR
// Vector times matrix, c = x b: eight rows of b at a time where rows are contiguous, else four columns at a time. DEPTH steps are added up
// by themselves, for sums of sums lose less: here those of SPAN columns.
enum { SPAN_@T = 128 * WIDE_@T };
@HARD static void span_@T(int64_t k, int64_t n, const @T *x, int64_t s, const @T *b, int64_t b0, const @T *end, @T *restrict c) {
  int64_t p = 0, whole = n - n % WIDE_@T;
  lanes_@T keep = first_@T(n - whole);
  vector_@T room[128], more[2] = {0};
  @T *restrict near = (@T *)room, sums[WIDE_@T];
  for (int64_t j = 0; j < whole; j++) near[j] = 0;
  for (; p + 8 <= k; p += 8, x += 8 * s, b += 8 * b0) {
    @T f[8];
    for (int r = 0; r < 8; r++) f[r] = x[r * s];
    for (int64_t j = 0; j < whole; j += WIDE_@T) {
      vector_@T t[2] = {*(vector_@T *)(near + j), {0}};
      for (int r = 0; r < 8; r++) t[r % 2] += f[r] * *(const vector_@T *)(b + r * b0 + j);
      *(vector_@T *)(near + j) = t[0] + t[1];
    }
    if (whole < n) for (int r = 0; r < 8; r++) {
      const @T *row = b + r * b0 + whole;
      more[r % 2] += f[r] * rest_@T(row, n - whole, keep, row + WIDE_@T <= end);
    }
  }
  *(vector_@T *)sums = more[0] + more[1];
  for (int64_t j = 0; j < whole; j++) c[j] += near[j];
  for (int64_t j = whole; j < n; j++) c[j] += sums[j - whole];
  for (; p < k; p++, x += s, b += b0) for (int64_t j = 0; j < n; j++) c[j] += x[0] * b[j];
}
static void rows_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  int64_t k = v[0], s = v[1], b0 = v[2], b1 = v[3], n = high - low;
  const @T *x = at[0], *b = (const @T *)at[1] + low * b1, *end = b + n + (b0 > 0 ? (k - 1) * b0 : 0);
  @T *c = (@T *)at[2] + low * v[4];
  if (!v[5]) for (int64_t j = 0; j < n; j++) c[j] = 0;
  for (int64_t p = 0; p < k; p += DEPTH) for (int64_t j = 0; j < n; j += SPAN_@T)
    span_@T(eq_least(k - p, DEPTH), eq_least(n - j, SPAN_@T), x + p * s, s, b + p * b0 + j, b0, end, c + j);
}
@HARD static void columns_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  int64_t k = v[0], b1 = v[3], c1 = v[4], whole = k - k % WIDE_@T, pair = 2 * WIDE_@T;
  const @T *x = at[0], *first = at[1], *end = first + k + (b1 > 0 ? (high - 1) * b1 : low * b1);
  @T *c = at[2];
  lanes_@T keep = first_@T(k - whole);
  vector_@T last = rest_@T(x + whole, k - whole, keep, 0);
  for (int64_t j = low; j < high; j += 4) {
    const @T *b[4];
    vector_@T s[4][2] = {0}, far[4] = {0};
    int64_t p = 0, some = eq_least(high - j, 4);
    for (int q = 0; q < 4; q++) b[q] = first + (j + (q < some ? q : 0)) * b1;
    for (int64_t stop; p + pair <= k; p = stop) {
      stop = eq_least(p + DEPTH * pair, k - k % pair);
      if (p) for (int q = 0; q < 4; q++) { far[q] += s[q][0] + s[q][1]; s[q][0] = s[q][1] = (vector_@T){0}; }
      for (; p < stop; p += pair) for (int q = 0; q < 4; q++) for (int h = 0; h < 2; h++)
        s[q][h] += ((const vector_@T *)(x + p))[h] * ((const vector_@T *)(b[q] + p))[h];
    }
    if (p < whole) for (int q = 0; q < 4; q++) s[q][0] += *(const vector_@T *)(x + p) * *(const vector_@T *)(b[q] + p);
    if (whole < k) for (int q = 0; q < 4; q++)
      s[q][1] += last * rest_@T(b[q] + whole, k - whole, keep, b[q] + whole + WIDE_@T <= end);
    for (int q = 0; q < some; q++) {
      @T sum = total_@T(far[q] + (s[q][0] + s[q][1]));
      c[(j + q) * c1] = v[5] ? c[(j + q) * c1] + sum : sum;
    }
  }
}

//! SHORT
// Vector times matrix, where c, or else x, is @V vectors that stay in registers.
static inline __attribute__((always_inline)) void add_row@V_@T(
    vector_@T *t, @T x, const @T *b, int64_t some, lanes_@T keep, int inside) {
  for (int u = 0; u < @V - 1; u++) t[u] += x * ((const vector_@T *)b)[u];
  t[@V - 1] += x * rest_@T(b + (@V - 1) * WIDE_@T, some, keep, inside);
}
@HARD static void short_rows@V_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  int64_t k = v[0], s = v[1], b0 = v[2], n = v[6], some = n - (@V - 1) * WIDE_@T, p = 0;
  const @T *x = at[0], *b = at[1], *end = (b0 > 0 ? b + (k - 1) * b0 : b) + n;
  @T *c = at[2], sums[@V * WIDE_@T];
  lanes_@T keep = first_@T(some);
  vector_@T t[@V] = {0}, more[@V] = {0}, far[@V] = {0};
  for (; p + 2 <= k && b + b0 + @V * WIDE_@T <= end && b + @V * WIDE_@T <= end; p += 2, x += 2 * s, b += 2 * b0) {
    if (p % DEPTH == 0) for (int u = 0; u < @V; u++) { far[u] += t[u] + more[u]; t[u] = more[u] = (vector_@T){0}; }
    add_row@V_@T(t, x[0], b, some, keep, 1);
    add_row@V_@T(more, x[s], b + b0, some, keep, 1);
  }
  for (; p < k; p++, x += s, b += b0) add_row@V_@T(p & 1 ? more : t, x[0], b, some, keep, b + @V * WIDE_@T <= end);
  for (int u = 0; u < @V; u++) ((vector_@T *)sums)[u] = far[u] + (t[u] + more[u]);
  for (int64_t j = 0; j < n; j++) c[j] = v[5] ? c[j] + sums[j] : sums[j];
}
static inline __attribute__((always_inline)) @T dot@V_@T(
    const vector_@T *y, const @T *b, int64_t some, lanes_@T keep, int inside) {
  vector_@T t = y[@V - 1] * rest_@T(b + (@V - 1) * WIDE_@T, some, keep, inside);
  for (int u = 0; u < @V - 1; u++) t += y[u] * ((const vector_@T *)b)[u];
  return total_@T(t);
}
@HARD static void short_columns@V_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  int64_t k = v[0], b1 = v[3], c1 = v[4], some = k - (@V - 1) * WIDE_@T, j = low;
  const @T *x = at[0], *b = (const @T *)at[1] + low * b1, *end = (b1 > 0 ? b + (high - low - 1) * b1 : b) + k;
  @T *c = (@T *)at[2] + low * c1;
  lanes_@T keep = first_@T(some);
  vector_@T y[@V];
  for (int u = 0; u < @V - 1; u++) y[u] = ((const vector_@T *)x)[u];
  y[@V - 1] = rest_@T(x + (@V - 1) * WIDE_@T, some, keep, 0);
  for (; j + 4 <= high && b + 3 * b1 + @V * WIDE_@T <= end && b + @V * WIDE_@T <= end; j += 4, b += 4 * b1, c += 4 * c1) {
    @T sums[4];
    for (int q = 0; q < 4; q++) sums[q] = dot@V_@T(y, b + q * b1, some, keep, 1);
    for (int q = 0; q < 4; q++) c[q * c1] = v[5] ? c[q * c1] + sums[q] : sums[q];
  }
  for (; j < high; j++, b += b1, c += c1) {
    @T sum = dot@V_@T(y, b, some, keep, b + @V * WIDE_@T <= end);
    *c = v[5] ? *c + sum : sum;
  }
}

//! SHORTS
static const eq_kernel shorts_@T[2][4] = {
  {short_rows1_@T, short_rows2_@T, short_rows3_@T, short_rows4_@T},
  {short_columns1_@T, short_columns2_@T, short_columns3_@T, short_columns4_@T}};

//! PRODUCT
__attribute__((visibility("default"))) void product_@T(eq_call *call, int64_t m, int64_t n, int64_t k,
    const @T *a, int64_t a0, int64_t a1, const @T *b, int64_t b0, int64_t b1, @T *c, int64_t c0, int64_t more) {
  int64_t c1 = 1;
  if (k == 0 && !more) for (int64_t i = 0; i < m; i++) memset(c + i * c0, 0, (size_t)n * sizeof(@T));
  if (m == 0 || n == 0 || k == 0) return;
  if (n == 1 && m > 1) { /* the transposed product */
    const @T *x = a; a = b; b = x;
    int64_t x0 = a0, x1 = a1; a0 = b1; a1 = b0; b0 = x1; b1 = x0; c1 = c0; n = m; m = 1;
  }
  void *at[] = {(void *)a, (void *)b, c};
  int64_t wide = n >= m;
  if (m == 1 && b0 == 1 && a1 == 1 && k <= 4 * WIDE_@T)
    eq_spread(call, shorts_@T[1][(k - 1) / WIDE_@T], n, WIDE_@T, n * k / 2, at, (int64_t[]){k, a1, b0, b1, c1, more});
  else if (m == 1 && b1 == 1 && c1 == 1 && n > 1 && n <= 4 * WIDE_@T)
    shorts_@T[0][(n - 1) / WIDE_@T](0, 1, at, (int64_t[]){k, a1, b0, b1, c1, more, n});
  else if (m == 1 && b0 == 1 && a1 == 1)
    eq_spread(call, columns_@T, n, 4, n * k / 2, at, (int64_t[]){k, a1, b0, b1, c1, more});
  else if (m == 1 && (b1 == 1 || n == 1) && c1 == 1)
    eq_spread(call, rows_@T, n, 16 * WIDE_@T, n * k / 2, at, (int64_t[]){k, a1, b0, b1, c1, more});
  else if (c1 != 1)
    eq_spread(call, blocks_@T, n, ROWS, n * k / 4, (void *[]){(void *)b, (void *)a, c},
      (int64_t[]){n, 1, k, b1, b0, a1, a0, c1, more, 1, 0});
  else
    eq_spread(call, blocks_@T, wide ? n : m, wide ? 3 * WIDE_@T : ROWS, m * n / 16 * k, at,
      (int64_t[]){m, n, k, a0, a1, b0, b1, c0, more, !wide, a == b && a0 == b1 && a1 == b0 && m == n && !more});
}
