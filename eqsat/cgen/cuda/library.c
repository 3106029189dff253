// Large products by the vendor's library, which is opened elsewhere; without one they are left to kernels of our own.

//! LIBRARY
typedef struct {
  int (*create)(void **), (*atomics)(void *, int), (*stream)(void *, void *), (*workspace)(void *, void *, size_t);
  int (*multiply)(void *, int, int, int, int, int, const void *, const void *, int, int, long long, const void *, int, int, long long, const void *,
    void *, int, int, long long, int, int, int);
  const char *(*text)(int);
} blas;
static blas library;
static char blas_module; /* launches of this module are products by the library, its kernels are dtypes */
static int64_t large[2]; /* products that were left to kernels of our own, and those by the library */
EXPORT void eq_use_library(const blas *given) { library = *given; }
EXPORT int64_t eq_large_products(int64_t which) { return large[which]; }

/* A matrix of rows that lie in one piece, or one whose columns do: "turned". */
static int lies(int64_t rows, int64_t columns, int64_t s0, int64_t s1, int *turned, int64_t *apart) {
  *turned = 0; *apart = rows == 1 ? columns : s0;
  if ((s1 == 1 || columns == 1) && *apart >= columns) return 1;
  *turned = 1; *apart = columns == 1 ? rows : s1;
  return (s0 == 1 || rows == 1) && *apart >= rows;
}
/* A stack as one of the library's: axes that lie one in the other are one; what is left outside of the last is counted here. */
typedef struct { int64_t n[3], step[3][3], axes; } stack;
static stack stack_of(const int64_t *q) {
  stack s = {{1, 1, 1}, {{0}}, 0};
  for (int a = 0; a < 3; a++, q += 4) {
    if (q[0] == 1) continue;
    int64_t k = s.axes - 1, one = k >= 0;
    for (int i = 0; one && i < 3; i++) one = s.step[k][i] == q[0] * q[1 + i];
    if (!one) { k = s.axes++; s.n[k] = 1; }
    s.n[k] *= q[0];
    for (int i = 0; i < 3; i++) s.step[k][i] = q[1 + i];
  }
  return s;
}
enum { MOST_CALLS = 64, WORKSPACE = 32 << 20 };
static int64_t takes(const int64_t *w) {
  int turned; int64_t a, b;
  stack s = stack_of(w + 10);
  int64_t calls = s.axes > 2 ? s.n[0] * s.n[1] : s.axes > 1 ? s.n[0] : 1, most = w[0] | w[1] | w[2];
  if (!lies(w[0], w[2], w[4], w[5], &turned, &a) || !lies(w[2], w[1], w[7], w[8], &turned, &b)) return 0;
  for (int k = 0; k < s.axes; k++) most |= s.n[k];
  return (most | a | b) < 1LL << 31 && calls <= MOST_CALLS;
}
/* To the library, which counts down columns, the result is turned: so are the operands, and they change places. */
static int by_library(int64_t dtype, const int64_t *w, void *on) {
  static const int KINDS[4][2] = {{0, 68}, {1, 70}, {4, 68}, {5, 70}}; /* float, double, and complex numbers of these; computed as they are, not in tensor floats */
  static const float ones[2] = {1, 0}; static const double one[2] = {1, 0}, zero[2] = {0, 0};
  static const int64_t SIZE_OF[4] = {4, 8, 8, 16};
  static void *handle = 0, *room = 0, *used = 0;
  int ta, tb, kind = KINDS[dtype][0], failed = 0;
  int64_t a, b, size = SIZE_OF[dtype];
  if (!handle) {
    if ((failed = library.create(&handle))) { handle = 0; return failed; }
    library.atomics(handle, 0); /* the same bits in every run */
    room = device.alloc(WORKSPACE, DEVICE);
    used = &handle;
  }
  if (used != on) { if ((failed = library.stream(handle, on)) || (room && (failed = library.workspace(handle, room, WORKSPACE)))) return failed; used = on; }
  lies(w[0], w[2], w[4], w[5], &ta, &a); lies(w[2], w[1], w[7], w[8], &tb, &b);
  stack s = stack_of(w + 10);
  int64_t in = s.axes > 0 ? s.axes - 1 : 0, many = s.axes > 0 ? s.n[in] : 1, n0 = s.axes > 1 ? s.n[0] : 1, n1 = s.axes > 2 ? s.n[1] : 1;
  const void *alpha = dtype & 1 ? (const void *)one : (const void *)ones;
  for (int64_t i = 0; i < n0 * n1 && !failed; i++) {
    int64_t at[3];
    for (int k = 0; k < 3; k++) at[k] = (s.axes > 1 ? i / n1 * s.step[0][k] : 0) + (s.axes > 2 ? i % n1 * s.step[1][k] : 0);
    failed = library.multiply(handle, tb, ta, (int)w[1], (int)w[0], (int)w[2], alpha, (char *)w[6] + at[1] * size, kind, (int)b, s.step[in][1],
      (char *)w[3] + at[0] * size, kind, (int)a, s.step[in][0], zero, (char *)w[9] + at[2] * size, kind, (int)w[1], s.step[in][2], (int)many, KINDS[dtype][1], -1);
  }
  return failed;
}
static int64_t by_library_or_lost(int64_t dtype, const uint64_t *words, void *on) {
  int status = by_library(dtype, (const int64_t *)words, on);
  char said[256];
  if (status) snprintf(said, sizeof said, "a product by cuBLAS: %s", library.text(status));
  return status ? lost(said) : 0;
}
/* What the host asks for a large product: -1 where a kernel has to do it. */
static int64_t multiply(int64_t dtype, const uint64_t *words, int64_t count) {
  int64_t taken = library.multiply && takes((const int64_t *)words);
  large[taken]++;
  return taken ? launch(&blas_module, dtype, (const int64_t[]){1, 1, 1, 1}, words, count) : -1;
}
