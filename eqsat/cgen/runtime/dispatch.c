// Finds the compiled function for the arguments of a call, and puts its results into containers: see dispatch.py.

//! DISPATCH
void *calloc(size_t, size_t);
enum { ARRAY, FLOAT, INT, BOOLEAN, OPTION, SEQUENCE, LIST, DICT, FIELDS, KEY, RESULT, GIVEN, VALUE, NAMED };
/* in preorder; the keys of DICT and FIELDS stand before their parts. slot: of an input or a result, leaf: of an argument that may be given back */
typedef struct { int64_t kind, count, slot, leaf, ndim; object *what; const int64_t *dims; } node;

typedef struct {
  object *none;
  object *(*new_array)(void *, int, const int64_t *, int, const int64_t *, void *, int, int, object *); void *array_type;
  object *(*vectorcall)(object *, object *const *, uint64_t, object *);
  void *(*capsule)(object *, const char *); object *(*new_capsule)(void *, const char *, void (*)(object *));
  void (*incref)(object *), (*decref)(object *), (*clear)(void); object *(*error)(void);
  int64_t (*tuple_size)(object *); object *(*tuple_item)(object *, int64_t);
  int64_t (*list_size)(object *); object *(*list_item)(object *, int64_t);
  int64_t (*dict_size)(object *); object *(*dict_item)(object *, object *);
  object *(*attribute)(object *, object *); int (*equal)(object *, object *, int);
  double (*as_double)(object *); int64_t (*as_int)(object *);
  object *(*new_tuple)(int64_t); int (*set_tuple)(object *, int64_t, object *);
  object *(*new_list)(int64_t); int (*set_list)(object *, int64_t, object *);
  object *(*new_dict)(void); int (*set_dict)(object *, object *, object *);
  object *(*of_double)(double), *(*of_int)(int64_t), *(*of_bool)(int64_t);
} python;
static python py;

typedef struct entry {
  struct entry *next;
  object *call, *keep, *names; const node *in, *out; int64_t count, inputs; object **boxes;
} entry;
typedef struct { entry *first; object *slow; } table;
enum { MOST = 64 };
typedef struct { entry *e; object *input[MOST], *leaf[MOST], *held[2 * MOST]; int64_t holds; } call;

static object *hold(call *c, object *thing) { py.incref(thing); return c->held[c->holds++] = thing; }
static void let_go(call *c) { while (c->holds) py.decref(c->held[--c->holds]); }

/* ---------------------------------------------------------------------------------------------- arguments */

static int is_array(const node *n, const object *value) {
  const array *a = (const array *)value;
  if (value->type != py.array_type || a->descr != (void *)n->what || a->nd != n->ndim) return 0;
  for (int64_t i = 0; i < n->ndim; i++) if (n->dims[i] < 0 ? a->dims[i] <= 1 : a->dims[i] != n->dims[i]) return 0;
  return 1;
}

/* A Python number in an array without axes, the one of the last call where nobody else has it. */
static int boxed(call *c, const node *n, object *value) {
  object **box = &c->e->boxes[n->slot];
  if (!*box || (uint32_t)(*box)->refs != 1) {
    if (*box) py.decref(*box);
    *box = py.new_array(py.array_type, 0, 0, (int)n->ndim, 0, 0, 0, 0, 0);
    if (!*box) return 0;
  }
  char *at = ((array *)*box)->data;
  if (n->kind == FLOAT) { double v = py.as_double(value); memcpy(at, &v, 8); }
  else {
    int64_t v = py.as_int(value);
    if (v == -1 && py.error()) { py.clear(); return 0; }
    memcpy(at, &v, 8);
  }
  c->input[n->slot] = hold(c, *box);
  return 1;
}

static int same(object *a, object *b) {
  if (a == b) return 1;
  if (a->type != b->type) return 0;
  int found = py.equal(a, b, 2 /* == */);
  if (found < 0) py.clear();
  return found > 0;
}

/* Compare a value with the node at a place, which moves on; 0 where it is another one. */
static int match(call *c, const node **at, object *value) {
  const node *n = (*at)++;
  switch (n->kind) {
    case ARRAY:
      if (!is_array(n, value)) return 0;
      c->input[n->slot] = c->leaf[n->leaf] = hold(c, value);
      return 1;
    case FLOAT: case INT:
      if (value->type != (void *)n->what) return 0;
      c->leaf[n->leaf] = hold(c, value);
      return boxed(c, n, value);
    case OPTION: return same(n->what, value);
    case SEQUENCE:
      if (value->type != (void *)n->what || py.tuple_size(value) != n->count) return 0;
      for (int64_t k = 0; k < n->count; k++) if (!match(c, at, py.tuple_item(value, k))) return 0;
      return 1;
    case LIST:
      if (value->type != (void *)n->what || py.list_size(value) != n->count) return 0;
      for (int64_t k = 0; k < n->count; k++) if (!match(c, at, py.list_item(value, k))) return 0;
      return 1;
    case DICT:
      if (value->type != (void *)n->what || py.dict_size(value) != n->count) return 0;
      for (int64_t k = 0; k < n->count; k++) {
        object *part = py.dict_item(value, (*at)++->what);
        if (!part || !match(c, at, part)) return 0;
      }
      return 1;
    case FIELDS:
      if (value->type != (void *)n->what) return 0;
      for (int64_t k = 0; k < n->count; k++) {
        object *part = py.attribute(value, (*at)++->what);
        if (!part) { py.clear(); return 0; }
        int shared = (uint32_t)part->refs > 1, found = shared && match(c, at, part);
        py.decref(part);
        if (!found) return 0;
      }
      return 1;
  }
  return 0;
}

static int named_alike(const entry *e, object *names) {
  int64_t count = names ? py.tuple_size(names) : 0;
  if ((e->names ? py.tuple_size(e->names) : 0) != count) return 0;
  for (int64_t k = 0; k < count; k++) if (!same(py.tuple_item(e->names, k), py.tuple_item(names, k))) return 0;
  return 1;
}

/* ------------------------------------------------------------------------------------------------ results */

static object *number(const node *n, const array *a) {
  double real;
  int64_t whole;
  switch (n->kind) {
    case FLOAT: memcpy(&real, a->data, 8); return py.of_double(real);
    case INT: memcpy(&whole, a->data, 8); return py.of_int(whole);
    default: return py.of_bool(*a->data);
  }
}

static object *kept(object *thing) { py.incref(thing); return thing; }

static object *build(call *c, const node **at, object *results) {
  const node *n = (*at)++;
  object *made, *parts[MOST];
  switch (n->kind) {
    case RESULT: return kept(py.list_item(results, n->slot));
    case FLOAT: case INT: case BOOLEAN: return number(n, (const array *)py.list_item(results, n->slot));
    case GIVEN: return kept(c->leaf[n->slot]);
    case VALUE: return kept(n->what);
    case SEQUENCE:
      made = py.new_tuple(n->count);
      for (int64_t k = 0; k < n->count && made; k++) {
        object *part = build(c, at, results);
        if (part) py.set_tuple(made, k, part); else { py.decref(made); made = 0; }
      }
      return made;
    case LIST:
      made = py.new_list(n->count);
      for (int64_t k = 0; k < n->count && made; k++) {
        object *part = build(c, at, results);
        if (part) py.set_list(made, k, part); else { py.decref(made); made = 0; }
      }
      return made;
    case DICT:
      made = py.new_dict();
      for (int64_t k = 0; k < n->count && made; k++) {
        object *key = (*at)++->what, *part = build(c, at, results);
        int failed = !part || py.set_dict(made, key, part);
        if (part) py.decref(part);
        if (failed) { py.decref(made); made = 0; }
      }
      return made;
    case NAMED: {
      int64_t k = 0;
      while (k < n->count && (parts[k] = build(c, at, results))) k++;
      made = k == n->count ? py.vectorcall(n->what, parts, (uint64_t)k, 0) : 0;
      while (k) py.decref(parts[--k]);
      return made;
    }
  }
  return 0;
}

/* -------------------------------------------------------------------------------------------------- calls */

/* The answer of an entry; one whose arguments are others, or have another form in memory, is missed. */
static object *answer(call *c, object *const *args, int *missed) {
  const node *in = c->e->in, *out = c->e->out;
  c->holds = 0;
  for (int64_t k = 0; k < c->e->count; k++) if (!match(c, &in, args[k])) { let_go(c); *missed = 1; return 0; }
  object *results = py.vectorcall(c->e->call, c->input, (uint64_t)c->e->inputs, 0);
  *missed = results == py.none;
  object *made = !results || *missed ? 0 : build(c, &out, results);
  let_go(c);
  if (results) py.decref(results);
  return made;
}

static object *dispatched(object *self, object *const *args, int64_t count, object *names) {
  table *t = py.capsule(self, 0);
  int64_t all = count + (names ? py.tuple_size(names) : 0);
  for (entry *e = t->first; e; e = e->next) {
    if (e->count != all || !named_alike(e, names)) continue;
    call c;
    c.e = e;
    int missed;
    object *made = answer(&c, args, &missed);
    if (!missed) return made;
  }
  return py.vectorcall(t->slow, args, (uint64_t)count, names);
}

static void drop(object *capsule) {
  table *t = py.capsule(capsule, 0);
  for (entry *e = t->first, *next; e; e = next) {
    next = e->next;
    for (int64_t k = 0; k < e->inputs; k++) if (e->boxes[k]) py.decref(e->boxes[k]);
    py.decref(e->call); py.decref(e->keep); if (e->names) py.decref(e->names);
    free(e->boxes); free(e);
  }
  py.decref(t->slow);
  free(t);
}

EXPORT void eq_dispatch_start(const python *functions) { py = *functions; }

EXPORT object *eq_dispatch_new(object *slow) {
  table *t = calloc(1, sizeof *t);
  t->slow = kept(slow);
  return py.new_capsule(t, 0, drop);
}

/* The newest entry is tried first. */
EXPORT int64_t eq_dispatch_add(object *capsule, object *call, object *keep, object *names, const node *in, const node *out, const int64_t *counts) {
  table *t = py.capsule(capsule, 0);
  entry *e = calloc(1, sizeof *e);
  object **boxes = calloc((size_t)counts[1] + 1, sizeof *boxes);
  if (!e || !boxes || counts[1] > MOST) { free(e); free(boxes); return 0; }
  *e = (entry){t->first, kept(call), kept(keep), names == py.none ? 0 : kept(names), in, out, counts[0], counts[1], boxes};
  t->first = e;
  return 1;
}

static struct { const char *name; object *(*run)(object *, object *const *, int64_t, object *); int32_t flags; const char *doc; }
  method = {"dispatched", dispatched, 0x82, "arguments -> the result of the function compiled for them, or of that for all others"};
EXPORT void *eq_dispatch_method(void) { return &method; }
