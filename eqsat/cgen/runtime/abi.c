// What compiled functions, their launcher and the library of products share; no header is included, since reading headers
// takes longer.

//! TYPES
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t, bool8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;
typedef unsigned long long uint64_t; typedef __SIZE_TYPE__ size_t;
typedef float _Complex complex64_t; typedef double _Complex complex128_t;
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define signbit(x) __builtin_signbit(x)
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647-1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL-1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
void *malloc(size_t); void free(void *); void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t);
void *aligned_alloc(size_t, size_t);

//! CALL
// What a compiled function and its caller share. N holds lengths and strides, P pointers, K constants.
typedef struct { char *at; int64_t size, used, live; } eq_buffer; /* used: by which call last */
typedef void (*eq_kernel)(int64_t, int64_t, void *const *, const int64_t *);
typedef struct eq_call {
  int64_t *N; char **P; const char *const *K; eq_buffer *slots;
  char *(*output)(struct eq_call *, int64_t, const int64_t *);
  char *(*grow)(struct eq_call *, int64_t, int64_t);
  int64_t (*fail)(struct eq_call *, int64_t, int64_t, int64_t, int64_t, int64_t);
  int64_t (*take)(struct eq_call *, int64_t, int64_t, int64_t, double);
  int64_t (*give)(struct eq_call *, int64_t, int64_t, int64_t, const int64_t *);
  int64_t (*span)(int64_t, int64_t, int64_t, int64_t);
  void (*spread)(struct eq_call *, eq_kernel, int64_t, int64_t, int64_t, void *const *, const int64_t *);
  int64_t (*lane)(void); /* of the thread that runs a part of a kernel, below threads */
  int64_t threads, code, step, dry, values[10], buffers, turn;
  void *held; void (*drop)(struct eq_call *); /* what a device holds of the call, and what gives it back */
  const void *const *where; /* per input the device on which it lies, or 0 */
  char *(*stay)(struct eq_call *, int64_t, const int64_t *); /* memory for an output that stays on the device */
  const void *device; char *(*reserve)(struct eq_call *, int64_t); void (*release)(char *);
} eq_call;
typedef struct { int64_t dtype, ndim; const int64_t *shape; } eq_type;
typedef struct {
  int64_t inputs, outputs, numbers, pointers, slots, heavy;
  const eq_type *in, *out;
  const int64_t *reuse; /* per output the input whose memory it may take, or -1 */
  int64_t (*run)(eq_call *);
  int64_t device; /* whether inputs may lie on one */
} eq_plan;

//! SUPPORT
// Functions of the launcher, under the names that they have in texts: what is compiled once is not compiled with each function.
#define eq_fail(c, ...) (c)->fail(c, __VA_ARGS__)
#define eq_take(c, ...) (c)->take(c, __VA_ARGS__)
#define eq_give(c, ...) (c)->give(c, __VA_ARGS__)
#define eq_span(...) c->span(__VA_ARGS__)
static inline int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }

//! SPREAD
// A kernel over n tasks on as many threads as pay, which take parts of at least grain tasks: see team.c.
#define eq_spread(c, f, n, grain, work, ...) (c)->spread(c, f, n, grain, (work) / (WORK / 2), __VA_ARGS__)

//! SERIAL
#define eq_spread(c, f, n, grain, work, ...) f(0, n, __VA_ARGS__)

//! CALLED
static __attribute__((cold, noinline)) int64_t eq_fail(eq_call *c, int64_t code, int64_t a, int64_t b, int64_t d, int64_t e) {
  c->code = code; c->values[0] = a; c->values[1] = b; c->values[2] = d; c->values[3] = e; return 1;
}
// The buffer that fits best among those that hold nothing comes to slot k: the least that is large enough and not far too
// large, else one that is a little too small, which grows, else none, so that a new one is made where there is room for it.
static __attribute__((noinline)) void eq_fit(eq_call *c, int64_t k, double bytes) {
  eq_buffer *s = c->slots, *large = 0, *small = 0, *none = 0;
  for (eq_buffer *b = s; b < s + c->buffers; b++) if (!b->live) {
    if (!b->at) none = none ? none : b;
    else if (b->size >= bytes) { if (!large || b->size < large->size) large = b; }
    else if (!small || b->size > small->size) small = b;
  }
  eq_buffer *best = large && large->size <= 4 * bytes + 65536 ? large : small && small->size >= bytes / 4 ? small : none ? none : large ? large : small;
  if (!best || best == s + k) return;
  eq_buffer old = s[k];
  s[k].at = best->at; s[k].size = best->size; s[k].used = best->used;
  best->at = old.at; best->size = old.size; best->used = old.used;
}
static int64_t eq_take(eq_call *c, int64_t step, int64_t pointer, int64_t k, double bytes) {
  eq_buffer *b = c->slots + k;
  if (!b->live && !(b->at && bytes <= b->size && b->size <= 4 * bytes + 65536)) eq_fit(c, k, bytes);
  b->live = 1; b->used = c->turn;
  if (b->at && bytes <= b->size) { c->P[pointer] = b->at; return 0; }
  if (bytes < 9e18 && (c->P[pointer] = c->grow(c, k, (int64_t)bytes))) return 0;
  c->step = step; return eq_fail(c, -1, 0, 0, 0, 0);
}
static int64_t eq_give(eq_call *c, int64_t step, int64_t pointer, int64_t k, const int64_t *n) {
  if ((c->P[pointer] = c->output(c, k, n))) return 0;
  c->step = step; return eq_fail(c, -1, 0, 0, 0, 0);
}
static inline int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
// Chunks of a reduction depend on the lengths alone, so that results do not depend on the number of threads.
static int64_t eq_span(int64_t kept, int64_t reduced, int64_t first, int64_t grain) {
  if (kept >= 64 || reduced < 65536) return first > 0 ? first : 1;
  int64_t chunks = eq_least(eq_least(reduced / 32768, 256), first);
  int64_t span = (first + chunks - 1) / chunks;
  return (span + grain - 1) / grain * grain;
}
static char *eq_enlarge(eq_buffer *b, int64_t bytes) {
  free(b->at); b->at = 0; b->size = 0;
  int64_t size = (bytes + 63) / 64 * 64;
  b->at = aligned_alloc(64, size > 0 ? size : 64);
  if (b->at) b->size = size > 0 ? size : 64;
  return b->at;
}
// What neither this call nor the one before has used is freed first.
static char *eq_grow(eq_call *c, int64_t k, int64_t bytes) {
  for (eq_buffer *b = c->slots; b < c->slots + c->buffers; b++)
    if (!b->live && b->at && b->used < c->turn - 1) { free(b->at); b->at = 0; b->size = 0; }
  return eq_enlarge(&c->slots[k], bytes);
}
static void *eq_zeros(int64_t count, size_t size) {
  size_t bytes = (count > 0 ? count : 1) * size;
  void *p = malloc(bytes);
  if (p) memset(p, 0, bytes);
  return p;
}
static void eq_close(eq_call *c) {
  if (c->drop) c->drop(c);
  if (c->slots) for (int64_t k = 0; k < c->buffers; k++) free(c->slots[k].at);
  free(c->slots); free(c->N); free(c->P);
}
// Memory for the calls of a plan, one after the other, and the functions above; 0 where there is none.
static int eq_prepare(eq_call *c, const eq_plan *p, const char *const *constants) {
  c->K = constants; c->grow = eq_grow; c->fail = eq_fail; c->take = eq_take; c->give = eq_give; c->span = eq_span;
  c->N = eq_zeros(p->numbers, sizeof(int64_t)); c->P = eq_zeros(p->pointers, sizeof(char *));
  c->buffers = 2 * p->slots; c->slots = eq_zeros(c->buffers, sizeof(eq_buffer));
  return c->N && c->P && c->slots;
}
static void eq_begin(eq_call *c, const eq_plan *p) {
  c->code = -1; c->step = 0; c->dry = 0; c->turn++;
  for (int64_t k = 0; k < p->slots; k++) c->slots[k].live = 0;
}

//! SHARED
// Threads pay where each has half of what is worth sharing out.
static void eq_share(eq_call *c, eq_kernel f, int64_t n, int64_t grain, int64_t halves, void *const *p, const int64_t *v) {
  int64_t size = eq_least(eq_least((n + grain - 1) / grain, halves), c->threads);
  if (size < 2) f(0, n, p, v); else spread(f, n, grain, size, p, v);
}
