// A compiled function as a C library of its own: see text.py. @NAME is the user's name, @API what makes a name visible.

//! HEADER
/* @NAME: @TITLE */
#ifndef @UPPER_H
#define @UPPER_H
#include <stdint.h>
#ifndef @API
#define @API __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
extern "C" {
#endif
@DECLARED
#ifdef __cplusplus
}
#endif
#endif

//! ARRAY
/* An array whose lengths a call finds out: begin with {0}. The next call uses its memory again, and @NAME_free gives it back. */
typedef struct { void *data; int64_t ndim; int64_t shape[@RANK]; int64_t room; } @NAME_array;
@API void @NAME_free(@NAME_array *array);

//! STATE
/* The variables that calls update, each in C order; next is memory for the values to come. */
typedef struct {
@FIELDS
  @NAME_array next[@COUNT];
} @NAME_state;
@API int @NAME_init(@NAME_state *state); /* their first values; 0, or the number of an error */
@API int @NAME_reserve(@NAME_array *array, int64_t bytes); /* memory for one that is set, in data: 0, or -1 */
@API void @NAME_drop(@NAME_state *state); /* gives their memory back */

//! ROUTINES
/* Matrix routines with integers of 32 bits, as LAPACK and BLAS have them. Those that the library is linked with are used, unless it
   was compiled with -D@UPPER_OWN_ROUTINES, or others are named before the first call. */
typedef struct {
@ROUTINES
} @NAME_routines;
@API void @NAME_use(const @NAME_routines *routines);

//! FUNCTION
@SIGNATURE; /* 0, or the number of an error */
@API const char *@NAME_message(int code); /* of the last error of this thread */

//! SOURCE
/* @NAME: arguments, memory and errors of calls; the kernels are in @NAME_kernels.c */
#include "@NAME.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//! KNOWN
extern const eq_plan @NAME_segment_0;
static const eq_plan *plan = &@NAME_segment_0;
static const char *const *constants = CONSTANTS;

//! GIVEN
static const eq_plan *plan;
static const char *const *constants;
static const void *const *held;
__attribute__((visibility("default"))) void eq_known(const eq_plan *p, const char *const *k, const void *const *h) {
  plan = p; constants = k; held = h;
}
static void choose_level(void) {}

//! CONTEXT
// What calls of a thread share. It goes when the thread ends, or when the library is unloaded.
typedef struct { eq_call c; void *const *made; void *arrays; int8_t kept[FIELDS + 1]; char text[1000]; } context;
static _Thread_local context *own;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int has_key, linked;
static int link_routines(void);
static void choose_level(void);
static char *result(eq_call *c, int64_t k, const int64_t *n);

static void leave(void *left) {
  context *w = left;
  eq_close(&w->c);
  free(w);
  if (own == w) own = 0;
}
static void enter_once(void) {
  has_key = !pthread_key_create(&key, leave);
  choose_level();
}
__attribute__((destructor)) static void unload(void) {
  if (own) leave(own);
  if (has_key) pthread_key_delete(key);
  has_key = 0;
}
static void run_alone(eq_call *c, eq_kernel f, int64_t n, int64_t grain, int64_t halves, void *const *p, const int64_t *v) {
  (void)c; (void)grain; (void)halves;
  f(0, n, p, v);
}
static int64_t first_lane(void) { return 0; }
static context *enter(void) {
  pthread_once(&once, enter_once);
  pthread_mutex_lock(&lock);
  int ready = linked = linked || link_routines();
  pthread_mutex_unlock(&lock);
  if (!has_key || !ready) return 0;
  context *w = eq_zeros(1, sizeof(context));
  if (!w) return 0;
  int whole = eq_prepare(&w->c, plan, constants);
  w->c.output = result; w->c.spread = run_alone; w->c.lane = first_lane; w->c.threads = 1;
  if (!whole || pthread_setspecific(key, w)) { leave(w); return 0; }
  return own = w;
}
static int run(const void *const *given, const int64_t *lengths, void *const *made, void *arrays) {
  context *w = own ? own : enter();
  if (!w) return link_routines() ? -1 : -2;
  eq_call *c = &w->c;
  memcpy(c->P, given, (size_t)plan->inputs * sizeof *given);
  memcpy(c->N, lengths, LENGTHS * sizeof *lengths);
  w->made = made; w->arrays = arrays;
  eq_begin(c, plan);
  return plan->run(c) ? c->code < 0 ? -1 : (int)c->code + 1 : 0;
}

//! LEVELS
#if defined(@UPPER_LEVELS) && defined(__x86_64__)
@MOREstatic void choose_level(void) {
  __builtin_cpu_init();
@CHOICES}
#else
static void choose_level(void) {}
#endif

//! ALONE
static int link_routines(void) { return 1; }

//! LINKED
extern void @NAME_link(void **);
static void (*link_kernels)(void **) = @NAME_link;
static void keep_threads(int64_t few, int64_t by) { (void)few; (void)by; }
static int link_routines(void) {
  void *table[] = {(void *)keep_threads, @TABLE};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) if (!table[k]) return 0;
  link_kernels(table);
  return 1;
}

//! USED
#ifdef @UPPER_OWN_ROUTINES
static @NAME_routines used;
#else
@ROUTINES
static @NAME_routines used = {@NAMES};
#endif
void @NAME_use(const @NAME_routines *routines) { used = *routines; }

//! BUFFERS
// The memory of the caller for a result, whose lengths the types know.
static char *buffer(const context *w, int64_t k, const int64_t *n) {
  for (int64_t i = 0; i < plan->out[k].ndim; i++) if (SHAPES[k][i] >= 0 && SHAPES[k][i] != n[i]) return 0;
  return w->made[k];
}

//! IN_BUFFERS
static char *result(eq_call *c, int64_t k, const int64_t *n) { return buffer((context *)c, k, n); }

//! ARRAYS
static void *room_for(@NAME_array *a, int64_t bytes) {
  if (a->data && bytes <= a->room) return a->data;
  free(a->data);
  a->room = (bytes + 64) / 64 * 64;
  a->data = aligned_alloc(64, (size_t)a->room);
  if (!a->data) a->room = 0;
  return a->data;
}
static char *array(@NAME_array *a, int64_t k, const int64_t *n) {
  int64_t bytes = SIZES[k];
  a->ndim = plan->out[k].ndim;
  for (int64_t i = 0; i < a->ndim; i++) { a->shape[i] = n[i]; bytes *= n[i]; }
  return room_for(a, bytes);
}
void @NAME_free(@NAME_array *a) {
  free(a->data);
  memset(a, 0, sizeof *a);
}

//! COUNTED
static _Thread_local int64_t counts[RESULTS + 1];
static char *result(eq_call *c, int64_t k, const int64_t *n) {
  counts[k] = 1;
  for (int64_t i = 0; i < plan->out[k].ndim; i++) counts[k] *= n[i];
  return buffer((context *)c, k, n);
}

//! IN_ARRAYS
static char *result(eq_call *c, int64_t k, const int64_t *n) {
  context *w = (context *)c;
  return IS_BUFFER[k] ? buffer(w, k, n) : array(w->made[k], k, n);
}

//! IN_STATE
static int is_like(const @NAME_array *a, int64_t k, const int64_t *n) {
  for (int64_t i = 0; i < a->ndim; i++) if (a->shape[i] != n[i]) return 0;
  return a->ndim == plan->out[k].ndim;
}
// A variable that is updated in place keeps its memory; else its next value is written beside it.
static char *result(eq_call *c, int64_t k, const int64_t *n) {
  context *w = (context *)c;
  int64_t u = k - RESULTS;
  if (u < 0) return IS_BUFFER[k] ? buffer(w, k, n) : array(w->made[k], k, n);
  @NAME_array *a = (@NAME_array *)w->arrays + u;
  w->kept[u] = plan->reuse[k] >= 0 && is_like(a, k, n);
  return w->kept[u] ? a->data : array((@NAME_array *)w->arrays + FIELDS + u, k, n);
}
static int run_state(const void *const *given, const int64_t *lengths, void *const *made, @NAME_state *state) {
  int code = run(given, lengths, made, state);
  for (int64_t u = 0; !code && u < FIELDS; u++) if (!own->kept[u]) {
    @NAME_array *now = (@NAME_array *)state + u, *next = now + FIELDS, old = *now;
    *now = *next;
    *next = old;
  }
  return code;
}
int @NAME_reserve(@NAME_array *array, int64_t bytes) { return room_for(array, bytes) ? 0 : -1; }
int @NAME_init(@NAME_state *state) {
  memset(state, 0, sizeof *state);
  for (int64_t s = 0; s < FIELDS; s++) {
    @NAME_array *a = (@NAME_array *)state + s;
    if (@NAME_reserve(a, FIRST[s].bytes)) { @NAME_drop(state); return -1; }
    memcpy(a->data, FIRST[s].at, (size_t)FIRST[s].bytes);
    a->ndim = FIRST[s].ndim;
    memcpy(a->shape, FIRST[s].shape, sizeof a->shape);
  }
  return 0;
}
void @NAME_drop(@NAME_state *state) {
  for (int64_t s = 0; s < 2 * FIELDS; s++) @NAME_free((@NAME_array *)state + s);
}

//! MESSAGES
typedef struct { int64_t step, place; const char *name; } named;
static const char *operand(int64_t step, int64_t place) {
  static const named all[] = {@NAMED{-1, 0, ""}};
  for (const named *n = all; n->step >= 0; n++) if (n->step == step && n->place == place) return n->name;
  return "?";
}
// One thing in braces of a message: the number of a value, or of an operand's name; -1 for a brace that stands for itself.
static int64_t placed(const char **at, int *is_operand) {
  const char *p = *at + 1;
  *is_operand = p[0] == 'o' && p[1] == '[';
  if (*is_operand) p += 2;
  if (*p < '0' || *p > '9') return -1;
  int64_t number = strtol(p, (char **)&p, 10);
  *at = p + *is_operand + 1;
  return number;
}
static const char *filled(context *w, const char *text) {
  char *to = w->text, *end = w->text + sizeof w->text - 1;
  while (*text && to < end) {
    int is_operand = 0;
    int64_t number = *text == '{' ? placed(&text, &is_operand) : -1;
    if (number < 0) {
      if ((*text == '{' || *text == '}') && text[1] == *text) text++;
      *to++ = *text++;
      continue;
    }
    size_t room = (size_t)(end - to);
    int put = is_operand ? snprintf(to, room, "%s", operand(w->c.step, number))
                         : snprintf(to, room, "%lld", number < 10 ? (long long)w->c.values[number] : 0);
    to += (size_t)put < room ? (size_t)put : room;
  }
  *to = 0;
  return w->text;
}
const char *@NAME_message(int code) {
  static const char *const errors[] = {@ERRORS""};
  if (code == 0) return "";
  if (code == -1) return "no memory";
  if (code == -2) return "no matrix routines: name them by @NAME_use before the first call";
  if (code < 0 || code >= (int)(sizeof errors / sizeof *errors)) return "no such error";
  return own && own->c.code == code - 1 ? filled(own, errors[code - 1]) : errors[code - 1];
}

//! BODY
@SIGNATURE {
  const void *const given[] = {@GIVEN};
  const int64_t lengths[] = {@LENGTHS};
  void *const made[] = {@MADE};
  return @RUN;
}

//! KERNELS
/* The kernels of @NAME. Not every one reads all its parameters and variables; some texts serve integers and other numbers, of
   which alone one may not equal itself; attributes that another compiler does not know make kernels faster. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#endif
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-attributes"
#pragma clang diagnostic ignored "-Wignored-attributes"
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

//! LEVEL
/* The kernels of @NAME once more, for processors with more instructions. */
#if defined(__x86_64__)
@RENAMED
#include "@FILE"
#endif

//! ENTRY
__attribute__((visibility("default"))) @RETURNS eq_entry(@PARAMETERS) {
@BEFORE  const void *const given[] = {@GIVEN};
  const int64_t lengths[] = {@LENGTHS};
  void *const made[] = {@MADE};
  int64_t code = run(given, lengths, made, 0);
@AFTER  return @RETURN;
}

//! FINITE
  for (int64_t i = 0; !code && i < @PARTS * counts[@PLACE]; i++) if (!isfinite(((const @REAL *)made[@PLACE])[i])) code = @CODE;

//! WORDS
// Names that an argument cannot have: words of C and C++, what standard headers define, and what stands around arguments.
auto bool break case catch char class const continue default delete do double else enum explicit extern false float for
friend goto if inline int long namespace new operator private protected public register restrict return short signed sizeof
static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while
asm complex errno main typeof linux unix stdin stdout stderr I NULL EOF NAN INFINITY M_PI M_E uint8_t uint16_t uint32_t uint64_t int8_t
int16_t int32_t int64_t size_t
given lengths made state next code
