// Checks the arrays of a call, finds memory for outputs and runs a segment: see launcher.py.

//! OBJECTS
#define EXPORT __attribute__((visibility("default")))
typedef struct { int64_t refs; void *type; } object;
typedef struct {
  object head; char *data; int32_t nd; const int64_t *dims, *strides; object *base; void *descr; int32_t flags; void *weak;
} array;
enum { CONTIGUOUS = 1, ALIGNED = 0x100, MINE = 0x505 /* contiguous, owned, aligned, writeable */ };

//! LAUNCHER
typedef struct { object head; void *scalar; char kind, letter, order, unused; int32_t number; } descr;
typedef struct {
  void *array_type, *descr[DTYPES]; int64_t number[DTYPES], other[DTYPES], itemsize[DTYPES];
  object *none;
  object *(*new_array)(void *, int, const int64_t *, int, const int64_t *, void *, int, int, object *);
  object *(*set_handler)(object *);
  void *(*save)(void); void (*restore)(void *);
  object *(*new_list)(int64_t); int (*set_item)(object *, int64_t, object *);
  void (*incref)(object *); void (*decref)(object *);
  object *(*call)(object *, const char *, ...);
  void *(*capsule)(object *, const char *); object *(*new_capsule)(void *, const char *, void (*)(object *));
  object *(*new_object)(void *, int64_t);
} python;
static python py;

/* An array on a device is an object that holds an array of NumPy whose data lie there; nobody else sees that one. Its base is a capsule
   that says what it lies on, and gives it back. */
typedef struct { object head; array *inner; } there;
typedef struct { const void *device; char *at; void (*release)(char *); object *keep; } lent;
static void *there_type;

typedef struct work {
  eq_call c; struct state *s; const void **where; char *stayed; object **out; object *const *args; eq_buffer *packed; void *thread; int raised;
} work;
typedef struct state {
  const eq_plan *plan; const char *const *constants; object *keep, *raiser; work *idle; object **pool; int64_t turn, threads, blas;
} state;

static inline uint32_t references(const object *a) { return *(const uint32_t *)a; }

/* ------------------------------------------------------------------------------------------------ memory */

static void drop_work(work *w) {
  if (!w) return;
  const eq_plan *p = w->s->plan;
  eq_close(&w->c);
  if (w->packed) for (int64_t k = 0; k < p->inputs; k++) free(w->packed[k].at);
  free(w->where); free(w->stayed); free(w->packed); free(w->out); free(w);
}

static char *output(eq_call *c, int64_t k, const int64_t *n), *stay(eq_call *c, int64_t k, const int64_t *n);

static work *new_work(state *s) {
  work *w = eq_zeros(1, sizeof(work));
  if (!w) return 0;
  const eq_plan *p = s->plan;
  int whole = eq_prepare(&w->c, p, s->constants);
  w->s = s; w->c.output = output; w->c.spread = eq_share; w->c.lane = lane_of_thread; w->c.threads = s->threads;
  w->packed = eq_zeros(p->inputs, sizeof(eq_buffer));
  w->out = eq_zeros(p->outputs, sizeof(object *));
  w->where = eq_zeros(p->inputs, sizeof(void *)); w->stayed = eq_zeros(p->outputs, 1);
  w->c.where = w->where; w->c.stay = stay;
  if (whole && w->where && w->stayed && w->packed && w->out) return w;
  drop_work(w);
  return 0;
}

/* ----------------------------------------------------------------------------------------------- outputs */

static int plain_array(const array *a, const eq_type *t, const int64_t *n) {
  if (a->weak || a->head.type != py.array_type || a->descr != py.descr[t->dtype]) return 0;
  if (a->nd != t->ndim || (a->flags & ~2) != MINE || a->base) return 0;
  for (int64_t i = 0; i < t->ndim; i++) if (a->dims[i] != n[i]) return 0;
  int64_t step = py.itemsize[t->dtype];
  for (int64_t i = t->ndim - 1; i >= 0; i--) { if (n[i] != 1 && a->strides[i] != step) return 0; step *= n[i]; }
  return 1;
}

/* Memory of large arrays begins with a line of the cache, so that no vector of a row crosses two, and lies in large pages. */
enum { IN_LINES = 1 << 15, IN_LARGE_PAGES = 1 << 22 };
static void *from_line(void *unused, size_t bytes) {
  char *at = aligned_alloc(64, (bytes + 63) / 64 * 64);
#ifdef MADV_HUGEPAGE
  size_t page = 4096, before = (page - (uint64_t)at % page) % page;
  if (at && bytes >= IN_LARGE_PAGES) madvise(at + before, bytes - before, MADV_HUGEPAGE);
#endif
  return at;
}
static void *cleared(void *unused, size_t count, size_t size) { return calloc(count, size); }
static void *resized(void *unused, void *at, size_t bytes) { return realloc(at, bytes); }
static void freed(void *unused, void *at, size_t bytes) { free(at); }
static struct {
  char name[127]; uint8_t version; void *unused;
  void *(*malloc)(void *, size_t), *(*calloc)(void *, size_t, size_t), *(*realloc)(void *, void *, size_t);
  void (*free)(void *, void *, size_t);
} lines = {"eqsat_lines", 1, 0, from_line, cleared, resized, freed};

static object *new_array(const eq_type *t, const int64_t *n) {
  return py.new_array(py.array_type, (int)t->ndim, n, (int)py.number[t->dtype], 0, 0, 0, 0, 0);
}

static object *new_in_lines(const eq_type *t, const int64_t *n) {
  static object *ours;
  if (!ours) ours = py.new_capsule(&lines, "mem_handler", 0);
  object *before = ours ? py.set_handler(ours) : 0;
  if (!before) return 0;
  object *a = new_array(t, n), *after = py.set_handler(before);
  if (after) py.decref(after);
  py.decref(before);
  return a;
}

static object *fresh(const eq_type *t, const int64_t *n, int64_t bytes) {
  return bytes < IN_LINES ? new_array(t, n) : new_in_lines(t, n);
}

static int fits(const array *a, const eq_type *t, const int64_t *n) {
  return a && references(&a->head) == 1 && plain_array(a, t, n);
}

/* The array of a shared variable that this output updates, where only its container, the arguments of this call and
   our pool hold it. It is asked with the lock of Python held, which is then kept to the end of the call. */
static array *updated(work *w, int64_t k, const int64_t *n) {
  const state *s = w->s;
  int64_t j = s->plan->reuse[k];
  if (j < 0) return 0;
  array *a = (array *)w->args[j];
  uint32_t known = 2 + (s->pool[2 * k] == &a->head) + (s->pool[2 * k + 1] == &a->head);
  if (w->c.P[j] != a->data || references(&a->head) > known || !plain_array(a, &s->plan->out[k], n)) return 0;
  py.incref(&a->head);
  return a;
}

/* An array nobody else can see, of the last two given out, else a new one. */
static array *take(state *s, int64_t k, const int64_t *n) {
  const eq_type *t = &s->plan->out[k];
  object **pool = s->pool + 2 * k;
  for (int i = 0; i < 2; i++) if (fits((array *)pool[i], t, n)) { py.incref(pool[i]); return (array *)pool[i]; }
  int64_t bytes = py.itemsize[t->dtype];
  for (int64_t i = 0; i < t->ndim; i++) bytes *= n[i];
  array *a = (array *)fresh(t, n, bytes);
  if (!a) return 0;
  int i = !pool[0] ? 0 : !pool[1] ? 1 : references(pool[0]) == 1 ? 0 : references(pool[1]) == 1 ? 1 : (int)(s->turn++ & 1);
  object *old = pool[i];
  pool[i] = 0;
  if (bytes <= (1LL << 28)) { py.incref(&a->head); pool[i] = &a->head; }
  if (old) py.decref(old);
  return a;
}

static char *output(eq_call *c, int64_t k, const int64_t *n) {
  work *w = (work *)c;
  int released = w->thread != 0;
  if (released) { py.restore(w->thread); w->thread = 0; }
  array *a = updated(w, k, n);
  int kept = a != 0;
  if (!a) a = take(w->s, k, n);
  w->out[k] = (object *)a;
  if (!a) w->raised = 1;
  if (released && !kept) w->thread = py.save();
  return a ? a->data : 0;
}

/* ------------------------------------------------------------------------------------- arrays on a device */

static void give_back(object *capsule) {
  lent *l = py.capsule(capsule, 0);
  if (l->release) l->release(l->at);
  if (l->keep) py.decref(l->keep);
  free(l);
}

/* An array of NumPy over memory of a device, which is given back, or whose owner is let go, with the last reference. */
static array *over(const eq_type *t, const int64_t *n, lent what) {
  lent *l = malloc(sizeof *l);
  object *base = l ? py.new_capsule(l, 0, give_back) : 0;
  if (!base) { free(l); return 0; }
  *l = what;
  if (l->keep) py.incref(l->keep);
  array *a = (array *)py.new_array(py.array_type, (int)t->ndim, n, (int)py.number[t->dtype], 0, l->at, 0, 0x501 /* contiguous, aligned, writeable */, 0);
  if (a) a->base = base; else py.decref(base);
  return a;
}

/* The array as users see it; it takes the reference. */
static object *wrapped(array *inner) {
  there *a = (there *)py.new_object(there_type, 0);
  if (a) a->inner = inner; else py.decref((object *)inner);
  return (object *)a;
}

static int lies_there(const array *a, const eq_type *t, const int64_t *n, const void *device) {
  if (a->descr != py.descr[t->dtype] || a->nd != t->ndim || !a->base || a->weak) return 0;
  const lent *l = py.capsule(a->base, 0);
  if (l->device != device || l->keep) return 0;
  for (int64_t i = 0; i < t->ndim; i++) if (a->dims[i] != n[i]) return 0;
  return 1;
}
static int fits_there(const array *a, const eq_type *t, const int64_t *n, const void *device) {
  return a && references(&a->head) == 1 && lies_there(a, t, n, device);
}

/* Memory of the device for an output: of the last two that were given out one that nobody else holds, else new. */
static array *take_there(work *w, int64_t k, const int64_t *n) {
  state *s = w->s;
  const eq_type *t = &s->plan->out[k];
  object **pool = s->pool + 2 * k;
  for (int i = 0; i < 2; i++) if (fits_there((array *)pool[i], t, n, w->c.device)) { py.incref(pool[i]); return (array *)pool[i]; }
  int64_t bytes = py.itemsize[t->dtype];
  for (int64_t i = 0; i < t->ndim; i++) bytes *= n[i];
  int i = !pool[0] ? 0 : !pool[1] ? 1 : references(pool[0]) == 1 ? 0 : references(pool[1]) == 1 ? 1 : (int)(s->turn++ & 1);
  object *old = pool[i];
  pool[i] = 0;
  if (old) py.decref(old);
  char *at = w->c.reserve(&w->c, bytes);
  array *a = at ? over(t, n, (lent){w->c.device, at, w->c.release, 0}) : 0;
  if (at && !a) w->c.release(at);
  if (a && bytes <= (1LL << 28)) { py.incref(&a->head); pool[i] = &a->head; }
  return a;
}

/* The array of a shared variable that this output updates, where only its container and the arguments of this call hold it. */
static array *updated_there(work *w, int64_t k, const int64_t *n) {
  const state *s = w->s;
  int64_t j = s->plan->reuse[k];
  if (j < 0 || !w->where[j]) return 0;
  const object *given = w->args[j];
  array *a = ((const there *)given)->inner;
  uint32_t known = 1 + (s->pool[2 * k] == &a->head) + (s->pool[2 * k + 1] == &a->head);
  if (w->c.P[j] != a->data || references(given) > 2 || references(&a->head) > known || !lies_there(a, &s->plan->out[k], n, w->c.device)) return 0;
  py.incref(&a->head);
  return a;
}

static char *stay(eq_call *c, int64_t k, const int64_t *n) {
  work *w = (work *)c;
  int released = w->thread != 0;
  if (released) { py.restore(w->thread); w->thread = 0; }
  array *a = updated_there(w, k, n);
  if (!a) a = take_there(w, k, n);
  w->out[k] = (object *)a; w->stayed[k] = 1;
  if (released) w->thread = py.save();
  return a ? a->data : 0;
}

EXPORT void eq_arrays(void *type) { there_type = type; }

/* An array on a device, over memory that an object keeps, or that is given back by a function. */
EXPORT object *eq_over(int64_t dtype, int64_t ndim, const int64_t *n, const void *device, char *at, void (*release)(char *), object *keep) {
  array *inner = over(&(eq_type){dtype, ndim, 0}, n, (lent){device, at, release, keep});
  return inner ? wrapped(inner) : 0;
}

/* ------------------------------------------------------------------------------------------------ inputs */

static void copy(char *to, const char *from, int64_t size, int64_t nd, const int64_t *n, const int64_t *s) {
  int64_t index[64] = {0}, last = nd - 1, count = n[last];
  for (int64_t i = 0; i < nd; i++) if (n[i] == 0) return;
  for (;;) {
    const char *f = from;
    switch (size) {
      case 1: for (int64_t j = 0; j < count; j++, to += 1, f += s[last]) *to = *f; break;
      case 2: for (int64_t j = 0; j < count; j++, to += 2, f += s[last]) memcpy(to, f, 2); break;
      case 4: for (int64_t j = 0; j < count; j++, to += 4, f += s[last]) memcpy(to, f, 4); break;
      case 8: for (int64_t j = 0; j < count; j++, to += 8, f += s[last]) memcpy(to, f, 8); break;
      default: for (int64_t j = 0; j < count; j++, to += 16, f += s[last]) memcpy(to, f, 16);
    }
    int64_t axis = last - 1;
    for (; axis >= 0; axis--) {
      from += s[axis];
      if (++index[axis] < n[axis]) break;
      from -= s[axis] * n[axis]; index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/* The builtin dtype, or one that differs only as an object: unpickled, long long for long. */
static inline int is_dtype(const void *found, int64_t dtype) {
  if (found == py.descr[dtype]) return 1;
  const descr *d = found;
  return (d->number == py.number[dtype] || d->number == py.other[dtype]) && (d->order == '=' || d->order == '|');
}

/* True where some byte is neither 0 nor 1. NumPy takes all but 0 for true; here a bool is 1 then, and counts as 1. */
static int has_odd_bytes(const char *at, int64_t n) {
  uint64_t found = 0, w[4];
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) { memcpy(w, at + i, 32); found |= w[0] | w[1] | w[2] | w[3]; }
  for (; i < n; i++) found |= (uint8_t)at[i];
  return (found & 0xFEFEFEFEFEFEFEFEULL) != 0;
}

static int make_bool(work *w, int64_t k, int64_t n) {
  const char *from = w->c.P[k];
  if (from != w->packed[k].at && (!w->packed[k].at || w->packed[k].size < n) && !eq_enlarge(&w->packed[k], n)) return 0;
  for (int64_t i = 0; i < n; i++) w->packed[k].at[i] = from[i] != 0;
  w->c.P[k] = w->packed[k].at;
  return 1;
}

/* 1: taken, 0: not in the form wanted, -1: no memory */
static int enter(work *w, int64_t k, const array *a, int64_t *N, int64_t *total) {
  const eq_type *t = &w->s->plan->in[k];
  w->where[k] = 0;
  if (a->head.type == there_type && there_type) {
    if (!w->s->plan->device) return 0;
    a = ((const there *)a)->inner;
    w->where[k] = ((const lent *)py.capsule(a->base, 0))->device;
  }
  if (a->head.type != py.array_type || !is_dtype(a->descr, t->dtype) || a->nd != t->ndim) return 0;
  int64_t size = 1;
  for (int64_t i = 0; i < t->ndim; i++) {
    if (t->shape[i] >= 0 && t->shape[i] != a->dims[i]) return 0;
    N[i] = a->dims[i];
    size *= a->dims[i];
  }
  *total += size;
  w->c.P[k] = a->data;
  if (w->where[k]) return 1;
  if ((a->flags & (CONTIGUOUS | ALIGNED)) != (CONTIGUOUS | ALIGNED)) {
    int64_t bytes = size * py.itemsize[t->dtype];
    if ((!w->packed[k].at || w->packed[k].size < bytes) && !eq_enlarge(&w->packed[k], bytes)) return -1;
    if (a->nd) copy(w->packed[k].at, a->data, py.itemsize[t->dtype], a->nd, a->dims, a->strides);
    else memcpy(w->packed[k].at, a->data, py.itemsize[t->dtype]);
    w->c.P[k] = w->packed[k].at;
  }
  if (t->dtype == BOOL && has_odd_bytes(w->c.P[k], size) && !make_bool(w, k, size)) return -1;
  return 1;
}

/* ------------------------------------------------------------------------------- threads of the BLAS library */

static int (*blas_threads)(void);
static void (*set_blas_threads)(int);
static int64_t bounded = 0, bounded_forked = 0; /* calls that are under way */
static int usual_threads = 0, set_threads = 0;
static char bound_taken = 0;
EXPORT void eq_blas_threads(int (*get)(void), void (*set)(int)) { blas_threads = get; set_blas_threads = set; }

/* The library has one number of threads for the process: the least that a call under way asks for, 1 where it has little to do,
   else that of its function. */
EXPORT void eq_bound(int64_t few, int64_t by) {
  int64_t most = few ? 1 : most_of_blas;
  if (!set_blas_threads || most < 1) return;
  if (eq_forked != bounded_forked) { bounded_forked = eq_forked; bound_taken = 0; bounded = 0; }
  while (__atomic_exchange_n(&bound_taken, 1, __ATOMIC_ACQUIRE)) ;
  if (by > 0 && bounded == 0) usual_threads = set_threads = blas_threads();
  if (by > 0 && most < set_threads) set_blas_threads(set_threads = (int)most);
  bounded += by;
  if (by < 0 && bounded == 0 && set_threads < usual_threads) set_blas_threads(usual_threads);
  __atomic_store_n(&bound_taken, 0, __ATOMIC_RELEASE);
}

/* -------------------------------------------------------------------------------------------------- calls */

static void put_back(state *s, work *w) {
  work *none = 0;
  if (!__atomic_compare_exchange_n(&s->idle, &none, w, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) drop_work(w);
}

static object *give_up(state *s, work *w, int64_t code) {
  const int64_t *v = w->c.values;
  for (int64_t k = 0; k < s->plan->outputs; k++) { if (w->out[k]) py.decref(w->out[k]); w->out[k] = 0; w->stayed[k] = 0; }
  if (!w->raised) py.call(s->raiser, "LLLLLLLLLLLL", code, w->c.step, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]);
  put_back(s, w);
  return 0;
}

static object *finish(state *s, work *w) {
  object *list = py.new_list(s->plan->outputs);
  for (int64_t k = 0; k < s->plan->outputs; k++) {
    if (w->stayed[k]) { w->stayed[k] = 0; if (!(w->out[k] = wrapped((array *)w->out[k]))) { if (list) py.decref(list); list = 0; continue; } }
    if (list) py.set_item(list, k, w->out[k]); else if (w->out[k]) py.decref(w->out[k]);
    w->out[k] = 0;
  }
  put_back(s, w);
  return list;
}

static object *refuse(state *s, work *w) {
  if (w) put_back(s, w);
  py.incref(py.none);
  return py.none;
}

static object *run(object *self, object *const *args, int64_t count) {
  state *s = py.capsule(self, 0);
  const eq_plan *p = s->plan;
  if (count != p->inputs) return refuse(s, 0);
  work *w = __atomic_exchange_n(&s->idle, (work *)0, __ATOMIC_ACQ_REL);
  if (!w && !(w = new_work(s))) {
    py.call(s->raiser, "LL", (int64_t)-1, (int64_t)0);
    return 0;
  }
  int64_t *N = w->c.N, total = 0;
  for (int64_t k = 0; k < count; k++) {
    int taken = enter(w, k, (const array *)args[k], N, &total);
    if (taken < 0) return give_up(s, w, -1);
    if (!taken) return refuse(s, w);
    N += p->in[k].ndim;
  }
  eq_begin(&w->c, p);
  w->raised = 0; w->args = args;
  int release = p->heavy || total > 2048;
  if (release) w->thread = py.save();
  int64_t around = most_of_blas;
  most_of_blas = s->blas;
  int64_t failed = p->run(&w->c);
  most_of_blas = around;
  if (w->thread) { py.restore(w->thread); w->thread = 0; }
  return failed ? give_up(s, w, w->c.code) : finish(s, w);
}

static void close_state(object *capsule) {
  state *s = py.capsule(capsule, 0);
  drop_work(s->idle);
  for (int64_t k = 0; k < 2 * s->plan->outputs; k++) if (s->pool[k]) py.decref(s->pool[k]);
  py.decref(s->keep); py.decref(s->raiser);
  free(s->pool); free(s);
}

EXPORT void eq_start(const python *table) { py = *table; }

EXPORT object *eq_open(const eq_plan *plan, const char *const *constants, object *keep, object *raiser, int64_t threads, int64_t blas) {
  state *s = eq_zeros(1, sizeof(state));
  object **pool = eq_zeros(2 * plan->outputs, sizeof(object *));
  if (!s || !pool) { free(s); free(pool); py.incref(py.none); return py.none; }
  s->plan = plan; s->constants = constants; s->keep = keep; s->raiser = raiser; s->pool = pool; s->threads = threads; s->blas = blas;
  py.incref(keep); py.incref(raiser);
  return py.new_capsule(s, 0, close_state);
}

static struct { const char *name; object *(*run)(object *, object *const *, int64_t); int32_t flags; const char *doc; }
  method = {"compiled", run, 0x80, "arrays -> list of arrays, or None where an array is not in the form wanted"};
EXPORT void *eq_method(void) { return &method; }

//! PLAIN
/* without knowledge of NumPy's struct: pointers and a callback */

typedef char *(*giver)(int64_t, const int64_t *);
typedef struct { work w; giver give; } plain;
static char *ask(eq_call *c, int64_t k, const int64_t *n) { return ((plain *)c)->give(k, n); }

/* values: the code, the step and ten numbers of an error */
EXPORT int64_t eq_plain(const eq_plan *p, const char *const *constants, char *const *data, const int64_t *n, giver give, int64_t threads, int64_t blas, int64_t *values) {
  plain x; memset(&x, 0, sizeof x);
  state s; memset(&s, 0, sizeof s);
  s.plan = p; s.constants = constants; s.threads = threads;
  work *w = new_work(&s);
  values[0] = -1;
  if (!w) return 1;
  x.w = *w; x.give = give; x.w.c.output = ask; x.w.c.stay = 0;
  eq_begin(&x.w.c, p);
  int64_t count = 0;
  for (int64_t k = 0; k < p->inputs; k++) { x.w.c.P[k] = data[k]; count += p->in[k].ndim; }
  if (count) memcpy(x.w.c.N, n, count * sizeof(int64_t));
  most_of_blas = blas;
  int64_t failed = p->run(&x.w.c);
  if (x.w.c.drop) x.w.c.drop(&x.w.c);
  most_of_blas = 0;
  values[0] = x.w.c.code; values[1] = x.w.c.step;
  for (int i = 0; i < 10; i++) values[2 + i] = x.w.c.values[i];
  drop_work(w);
  return failed;
}
