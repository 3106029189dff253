// What the host program of a function begins with, beside the C of every function: its kernels, the device, and waiting for it.

//! HOST
typedef struct { const char *at, *out, *stays; int64_t reports, graphs; } eq_placing; /* a letter for the place of each pointer and output */
typedef struct {
  int64_t *record; /* the error that a kernel met: its number or -1, the step, ten values */
  int64_t (*enter)(eq_call *, const eq_plan *, const eq_placing *); int64_t (*leave)(eq_call *, const eq_plan *, int64_t);
  int64_t (*launch)(void *, int64_t, const int64_t *, const uint64_t *, int64_t); int64_t (*wait)(void);
  int64_t (*multiply)(int64_t, const uint64_t *, int64_t);
} eq_device;
enum { EQ_REPORTS = @REPORTS, EQ_GRAPHS = @GRAPHS }; /* whether kernels find errors */
static const eq_device *eq_gpu; static void *eq_module; static const char *eq_at; /* the places of the call that has the device */
__attribute__((visibility("default"))) void eq_attach(const eq_device *device, void *module) { eq_gpu = device; eq_module = module; }
static __attribute__((cold, noinline)) int64_t eq_stopped(eq_call *c) {
  int64_t *r = eq_gpu->record, code = r[0];
  if (code == -1) return 1; /* what was found before stays, or there is no memory */
  for (int k = 0; k < 10; k++) c->values[k] = r[2 + k];
  c->code = code; c->step = r[1]; r[0] = -1;
  return 1;
}
#define eq_wait() if (eq_gpu->wait()) return eq_stopped(c)
#define eq_launch(k, count, gx, gy, tx, ty, ...) if (eq_gpu->launch(eq_module, k, (int64_t[]){gx, gy, tx, ty}, (uint64_t[]){__VA_ARGS__}, count)) return eq_stopped(c)
static inline int64_t eq_grid(int64_t work, int64_t threads) { int64_t n = (work + threads - 1) / threads; return n < 1 ? 1 : n > 65535 ? 65535 : n; }
static inline int64_t eq_power(int64_t n, int64_t most) { int64_t p = 1; while (p < n && p < most) p *= 2; return p; }
static inline int64_t eq_most(int64_t a, int64_t b) { int64_t n = a < b ? a : b; return n < 1 ? 1 : n > 1024 ? 1024 : n; }
// Threads of a row of n elements, of which each takes so many neighbours so many times, no fewer than fill a warp; and those of a block.
static inline int64_t eq_width(int64_t n, int64_t many, int64_t times) { int64_t all = (n + many - 1) / many, p = eq_power(all, 32); while (p*times < all) p *= 2; return p; }
static inline int64_t eq_threads(int64_t width) { return width > 256 ? width : 256; }
// Threads along each of some rows of so many accesses: a warp at the most, more where rows are few; and the blocks that share a row.
static inline int64_t eq_across(int64_t rows, int64_t n) { int64_t p = eq_power(n, 32); while (p < n && p < 256 && rows * p < 270336) p *= 2; return p; }
static inline int64_t eq_pieces(int64_t rows, int64_t n) {
  int64_t across = eq_across(rows, n), blocks = (rows * across + 255) / 256, most = (n + 4 * across - 1) / (4 * across);
  if (most > 1056 / blocks) most = 1056 / blocks;
  return most < 1 ? 1 : most;
}
// Blocks of a scatter to an array of so many elements, in rows so wide, and blocks beside each of these.
static inline int64_t eq_places(int64_t size, int64_t wide) { int64_t n = wide > 0 ? size / wide : 1; return n < 1 ? 1 : n > 528 ? 528 : n; }
static inline int64_t eq_beside(int64_t wide, int64_t places) { int64_t n = (wide + 255) / 256, most = 528 / places; return n > most ? most < 1 ? 1 : most : n < 1 ? 1 : n; }

//! NEAR
// Rows of a block: about as many as are near, but enough blocks for the device where there are many rows.
static int64_t eq_rows_near(int64_t row, int64_t rows, int64_t near, int64_t wide) {
  int64_t many = row < 1 ? rows : near / row, fair = (rows + 527) / 528;
  if (many > fair) many = fair;
  return many < 1 ? 1 : many;
}
