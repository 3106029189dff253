// The device as compiled functions see it: memory by its place, launches in order, and errors that kernels report.

//! HEADERS
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

//! DEVICE
#define EXPORT __attribute__((visibility("default")))
enum { RECORD = 12, LOST = -2 /* the device failed: what it says is in the text */ };
enum { DEVICE = 'd' /* only kernels touch it */, HOST = 'h' /* only the host program does */, BOTH = 'b', SEEN = 's' /* the host's, seen by kernels */ };
typedef struct { const char *at, *out, *stays; int64_t reports, graphs; } eq_placing; /* of pointers, of which the first are inputs, and of outputs, some of which stay */
typedef struct {
  char *(*alloc)(int64_t, char); void (*release)(char *, char); int64_t (*put)(char *, const char *, int64_t), (*get)(char *, const char *, int64_t);
  int64_t (*launch)(void *, int64_t, const int64_t *, const uint64_t *, int64_t), (*wait)(void); void (*trim)(void);
  void *(*capture)(const uint64_t *, int64_t); int64_t (*replay)(void *); void (*discard)(void *);
} backend;
typedef struct {
  int64_t *record;
  int64_t (*enter)(eq_call *, const eq_plan *, const eq_placing *), (*leave)(eq_call *, const eq_plan *, int64_t);
  int64_t (*launch)(void *, int64_t, const int64_t *, const uint64_t *, int64_t), (*wait)(void);
  int64_t (*multiply)(int64_t, const uint64_t *, int64_t);
} eq_device;

static char failure[4096];
static int64_t pending = 0;
static int64_t *record;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* calls use the device one after the other */
EXPORT const char *eq_failure(void) { return failure; }

static int64_t lost(const char *what) {
  snprintf(failure, sizeof failure, "%s", what);
  record[0] = LOST; record[1] = 0;
  return 1;
}

static backend device;
static volatile int64_t forked = 0; /* in a child of a process that used a GPU, where nothing of it can be used */
static const char FORKED[] = "the process was forked after CUDA was used in it, and a child cannot use it: start children by multiprocessing's \"spawn\", or before";

//! MEMORY
static int64_t wait_for(void);
/* ------------------------------------------------------------------------------------------------ memory */

/* What a call has on the device beside its workspace: copies of its inputs, its outputs and their lengths. */
typedef struct held {
  char *(*output)(eq_call *, int64_t, const int64_t *);
  const eq_plan *plan; const eq_placing *places; eq_call *call; struct held *next, *before; int64_t busy;
  eq_buffer *slots[3], *in, *out; /* a slot has a buffer for each place */
  char **given, *place; int64_t *lengths, *bytes;
  section *sections; int64_t section; /* of launches between two waits */
} held;
enum { AXES = 64 };
static held *all, *calling; /* those of all functions, and of the present call */
static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER; /* nobody waits for Python with it */
static const int64_t SIZES[] = {DTYPE_SIZES};

static int64_t flush_here(void) {
  if (!here || !latest.launches) return 0;
  return flush(++calling->section < SECTIONS ? &calling->sections[calling->section] : 0);
}
static int64_t wait_for(void) {
  if (flush_here()) return 1;
  if (pending) { pending = 0; if (device.wait()) return 1; }
  return record[0] != -1;
}

static int64_t flush_here(void);
static void let_go(char *at, char place) {
  if (place == GRAPH) { wait_for(); device.discard(at); return; }
  if (place == HOST) { free(at); return; }
  flush_here();
  if (place == BOTH) wait_for(); /* the driver frees other memory in the order of the launches */
  device.release(at, place);
}
static void empty(eq_buffer *b, char place) {
  if (b->at) let_go(b->at, place);
  b->at = 0; b->size = 0;
}

/* Memory that nobody needs any more. Who gives it back may hold Python's lock, and must not wait for a call that waits for that. */
static struct garbage { struct garbage *next; char *at, place; } *garbage;
static void throw_away(char *at, char place) {
  struct garbage *g = at ? malloc(sizeof *g) : 0;
  if (!g) return;
  g->at = at; g->place = place; g->next = __atomic_load_n(&garbage, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&garbage, &g->next, g, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) ;
}
static void sweep(void) {
  struct garbage *g = __atomic_exchange_n(&garbage, 0, __ATOMIC_ACQUIRE), *next;
  for (; g; g = next) { next = g->next; let_go(g->at, g->place); free(g); }
}

static const char PLACES[] = {DEVICE, HOST, BOTH};
static int in_use(const held *h, int64_t k, char place) { return h->call->slots[k].live && h->place[k] == place; }
static eq_buffer *slots_of(const held *h, char place) { return h->slots[place == DEVICE ? 0 : place == HOST ? 1 : 2]; }

/* The workspaces of functions that are not called now, and what a call does not use at present. */
static void empty_idle(void) {
  pthread_mutex_lock(&listing);
  for (held *h = all; h; h = h->next) {
    for (int64_t k = 0; k < h->plan->slots; k++) for (int p = 0; p < 3; p++) if (!h->busy || !in_use(h, k, PLACES[p])) empty(&h->slots[p][k], PLACES[p]);
    for (int64_t k = 0; k < h->plan->inputs && !h->busy; k++) empty(&h->in[k], h->places->at[k]);
    for (int64_t k = 0; k < h->plan->outputs && !h->busy; k++) empty(&h->out[k], h->places->out[k]);
  }
  pthread_mutex_unlock(&listing);
}
static void free_all(void) { sweep(); empty_idle(); device.wait(); device.trim(); }

static char *obtain(int64_t bytes, char place) {
  if (place == HOST) return aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (bytes < 1) bytes = 1;
  char *at = device.alloc(bytes, place);
  if (at) return at;
  free_all();
  return device.alloc(bytes, place);
}

static char *sized(eq_buffer *b, int64_t bytes, char place) {
  if (b->at && b->size >= bytes) return b->at;
  empty(b, place);
  b->at = obtain(bytes, place);
  if (b->at) b->size = bytes > 0 ? bytes : 1;
  return b->at;
}

/* The device is full: what was asked for, and the largest values of the call, each as its kind, number, bytes and lengths. */
static int64_t full(const held *h, int64_t bytes) {
  const eq_plan *p = h->plan;
  int64_t at = snprintf(failure, sizeof failure, "full %lld", (long long)bytes), last = INT64_MAX, last_k = -1, count = p->inputs + p->outputs + p->slots;
  for (int64_t rank = 0; rank < 6; rank++) {
    int64_t best = -1, found = -1;
    for (int64_t k = 0; k < count; k++) {
      const eq_buffer *b = k < p->inputs ? &h->in[k] : k < p->inputs + p->outputs ? &h->out[k - p->inputs] : &slots_of(h, h->place[k - p->inputs - p->outputs])[k - p->inputs - p->outputs];
      int64_t size = b->at ? b->size : 0;
      if (size > best && (size < last || (size == last && k > last_k))) { best = size; found = k; }
    }
    if (found < 0 || best < 1) break;
    last = best; last_k = found;
    const eq_type *t = found < p->inputs ? &p->in[found] : found < p->inputs + p->outputs ? &p->out[found - p->inputs] : 0;
    const int64_t *n = h->call->N;
    if (found < p->inputs) for (int64_t k = 0; k < found; k++) n += p->in[k].ndim; else n = h->lengths + (found - p->inputs) * AXES;
    int64_t number = found < p->inputs ? found : t ? found - p->inputs : found - p->inputs - p->outputs;
    at += snprintf(failure + at, sizeof failure - at, "\n%s %lld %lld", found < p->inputs ? "input" : t ? "output" : "workspace", (long long)number, (long long)best);
    for (int64_t i = 0; t && i < t->ndim && at < (int64_t)sizeof failure - 64; i++) at += snprintf(failure + at, sizeof failure - at, " %lld", (long long)n[i]);
  }
  return 1;
}

/* A slot keeps its buffers; where that of a place does not fit it changes it for the best among those that hold nothing. */
static void fit(const held *h, int64_t k, double bytes, char place) {
  eq_buffer *s = slots_of(h, place), *best = 0;
  for (int64_t j = 0; j < h->plan->slots; j++)
    if (!in_use(h, j, place) && s[j].at && s[j].size >= bytes && s[j].size <= 4 * bytes + 65536 && (!best || s[j].size < best->size)) best = &s[j];
  if (!best || best == s + k) return;
  eq_buffer old = s[k];
  s[k] = *best; *best = old;
}
static int64_t take(eq_call *c, int64_t step, int64_t pointer, int64_t k, double bytes) {
  held *h = c->held;
  char place = h->places->at[pointer];
  eq_buffer *b = slots_of(h, place) + k;
  if (!in_use(h, k, place) && !(b->at && bytes <= b->size && b->size <= 4 * bytes + 65536)) fit(h, k, bytes, place);
  c->slots[k].live = 1; h->place[k] = place; b->used = c->turn;
  if (!(b->at && bytes <= b->size)) {
    for (int64_t j = 0; j < h->plan->slots; j++) for (int p = 0; p < 3; p++)
      if (!in_use(h, j, PLACES[p]) && h->slots[p][j].used < c->turn - 1) empty(&h->slots[p][j], PLACES[p]);
    if (bytes > 9e18 || !sized(b, (int64_t)bytes, place)) { full(h, bytes > 9e18 ? INT64_MAX : (int64_t)bytes); c->step = step; return c->fail(c, -1, 0, 0, 0, 0); }
  }
  c->P[pointer] = b->at;
  return 0;
}

/* -------------------------------------------------------------------------------------------------- calls */

static void drop(eq_call *c) {
  held *h = c->held;
  if (!h) return;
  const eq_plan *p = h->plan;
  pthread_mutex_lock(&listing);
  if (h->before) h->before->next = h->next; else all = h->next;
  if (h->next) h->next->before = h->before;
  pthread_mutex_unlock(&listing);
  for (int q = 0; q < 3; q++) for (int64_t k = 0; k < p->slots; k++) throw_away(h->slots[q][k].at, PLACES[q]);
  for (int64_t k = 0; k < p->inputs; k++) throw_away(h->in[k].at, h->places->at[k]);
  for (int64_t k = 0; k < p->outputs; k++) throw_away(h->out[k].at, h->places->out[k]);
  for (int64_t k = 0; h->sections && k < SECTIONS; k++) for (int f = 0; f < FORMS; f++) {
    throw_away(h->sections[k].form[f].graph, GRAPH);
    free(h->sections[k].form[f].words);
  }
  free(h->sections);
  for (int q = 0; q < 3; q++) free(h->slots[q]);
  free(h->in); free(h->out); free(h->place); free(h->given); free(h->lengths); free(h->bytes); free(h);
  c->held = 0;
}

static int stays_there(const held *h, int64_t k) { return h->places->stays[k] == '1' && h->call->stay; }
/* Memory for an output: that of the caller where the host program alone writes it. Its lengths are kept until the end of the call. */
static char *output(eq_call *c, int64_t k, const int64_t *n) {
  held *h = c->held;
  char place = h->places->out[k]; int stays = stays_there(h, k);
  if (place == HOST && !stays) return h->output(c, k, n);
  const eq_type *t = &h->plan->out[k];
  int64_t bytes = SIZES[t->dtype];
  for (int64_t i = 0; i < t->ndim; i++) { h->lengths[k * AXES + i] = n[i]; bytes *= n[i]; }
  h->bytes[k] = bytes;
  h->given[k] = place == DEVICE && stays ? c->stay(c, k, n) : sized(&h->out[k], bytes, place);
  if (!h->given[k]) full(h, bytes);
  return h->given[k];
}

static held *new_held(eq_call *c, const eq_plan *p, const eq_placing *places) {
  held *h = calloc(1, sizeof *h);
  h->plan = p; h->places = places; h->call = c;
  for (int q = 0; q < 3; q++) h->slots[q] = calloc(p->slots + 1, sizeof *h->in);
  h->place = calloc(p->slots + 1, 1);
  h->in = calloc(p->inputs + 1, sizeof *h->in); h->out = calloc(p->outputs + 1, sizeof *h->out);
  h->given = calloc(p->outputs + 1, sizeof *h->given); h->lengths = calloc((p->outputs + 1) * AXES, sizeof *h->lengths);
  h->bytes = calloc(p->outputs + 1, sizeof *h->bytes);
  c->drop = drop;
  pthread_mutex_lock(&listing);
  h->sections = places->graphs ? calloc(SECTIONS, sizeof(section)) : 0;
  h->next = all;
  if (all) all->before = h;
  all = h;
  pthread_mutex_unlock(&listing);
  return h;
}

static int64_t end(held *h, int64_t failed) {
  failed |= flush_here();
  open_section(0);
  h->call->output = h->output; h->busy = 0;
  pthread_mutex_unlock(&turn);
  return failed;
}

EXPORT void eq_release(char *at) { throw_away(at, DEVICE); }
static char *reserve(eq_call *c, int64_t bytes) { return obtain(bytes, DEVICE); }

/* An input that lies on the device already; the host program reads a copy. */
static int64_t enter_there(held *h, int64_t k, int64_t bytes) {
  char place = h->places->at[k];
  if (h->call->where[k] != record) return lost("an argument lies on another device than the function");
  if (place == DEVICE) return 0;
  char *at = sized(&h->in[k], bytes, place);
  if (!at) return full(h, bytes);
  if (wait_for() || device.get(at, h->call->P[k], bytes)) return 1;
  h->call->P[k] = at;
  return 0;
}

static int64_t enter(eq_call *c, const eq_plan *p, const eq_placing *places) {
  if (forked) return lost(FORKED);
  pthread_mutex_lock(&turn);
  sweep();
  record[0] = -1;
  held *h = c->held;
  if (!h) h = c->held = new_held(c, p, places);
  h->output = c->output; c->output = output; c->take = take; h->busy = 1;
  c->device = record; c->reserve = reserve; c->release = eq_release;
  calling = h; h->section = 0;
  open_section(h->sections);
  const int64_t *n = c->N;
  for (int64_t k = 0; k < p->inputs; k++) {
    int64_t bytes = SIZES[p->in[k].dtype];
    for (int64_t i = 0; i < p->in[k].ndim; i++) bytes *= *n++;
    if (c->where && c->where[k]) { if (enter_there(h, k, bytes)) return end(h, 1); continue; }
    if (places->at[k] == HOST) continue;
    char *at = sized(&h->in[k], bytes, places->at[k]);
    if (!at) { full(h, bytes); return end(h, 1); }
    pending = 1;
    if (device.put(at, c->P[k], bytes)) return end(h, 1);
    c->P[k] = at;
  }
  return 0;
}

/* True where nothing of a call has to be known on the host: what it gave stays on the device, and no kernel finds errors. */
static int64_t is_quiet(const held *h) {
  int64_t quiet = !h->places->reports;
  for (int64_t k = 0; k < h->plan->outputs; k++) quiet &= stays_there(h, k);
  return quiet;
}

/* The end of a call, good or bad: outputs are copied to where the caller wants them, unless it failed. */
static int64_t leave(eq_call *c, const eq_plan *p, int64_t failed) {
  held *h = c->held;
  if (failed || !is_quiet(h)) failed |= wait_for();
  c->output = h->output;
  for (int64_t k = 0; k < p->outputs && !failed; k++) {
    char place = h->places->out[k]; int stays = stays_there(h, k);
    if (place == (stays ? DEVICE : HOST)) continue;
    char *to = stays ? c->stay(c, k, h->lengths + k * AXES) : c->output(c, k, h->lengths + k * AXES);
    if (!to && stays) { full(h, h->bytes[k]); c->code = -1; failed = 1; break; }
    if (!to) { snprintf(failure, sizeof failure, "host"); c->code = -1; failed = 1; break; }
    pending |= stays;
    if (stays && flush_here()) { failed = 1; break; }
    if (stays ? device.put(to, h->given[k], h->bytes[k]) : device.get(to, h->given[k], h->bytes[k])) failed = 1;
  }
  return end(h, failed);
}

EXPORT char *eq_keep(const char *from, int64_t bytes, char place) {
  if (forked) { lost(FORKED); return 0; }
  pthread_mutex_lock(&turn);
  char *at = obtain(bytes, place);
  pending = 1;
  if (at && device.put(at, from, bytes)) { let_go(at, place); at = 0; }
  pthread_mutex_unlock(&turn);
  return at;
}
EXPORT int64_t eq_fetch(char *to, const char *from, int64_t bytes) {
  if (forked) return lost(FORKED);
  pthread_mutex_lock(&turn);
  int64_t failed = wait_for() || device.get(to, from, bytes);
  record[0] = -1;
  pthread_mutex_unlock(&turn);
  return failed;
}
EXPORT int64_t eq_wait_for(void) {
  if (forked) return lost(FORKED);
  pthread_mutex_lock(&turn);
  int64_t failed = wait_for();
  record[0] = -1;
  pthread_mutex_unlock(&turn);
  return failed;
}
/* All that was asked for is done; an error is told to whoever asks next. */
EXPORT void eq_finish(void) {
  if (forked) return;
  pthread_mutex_lock(&turn);
  wait_for();
  pthread_mutex_unlock(&turn);
}
EXPORT int64_t eq_launch_one(void *module, const int64_t *geometry, const uint64_t *words, int64_t count) {
  pthread_mutex_lock(&turn);
  int64_t failed = launch(module, 0, geometry, words, count);
  record[0] = -1;
  pthread_mutex_unlock(&turn);
  return failed;
}
EXPORT char *eq_reserve(int64_t bytes) {
  pthread_mutex_lock(&turn);
  char *at = obtain(bytes, DEVICE);
  pthread_mutex_unlock(&turn);
  return at;
}
EXPORT void eq_give_back(char *at, char place) { throw_away(at, place); }
EXPORT void eq_free_all(void) { pthread_mutex_lock(&turn); free_all(); pthread_mutex_unlock(&turn); }

static eq_device shown = {0, enter, leave, launch, wait_for, multiply};
static int64_t record_of_child[RECORD] = {-1};
EXPORT void eq_in_child(void) { forked = 1; record = shown.record = record_of_child; }
EXPORT const eq_device *eq_open_device(const backend *chosen) {
  device = *chosen;
  if (!record) record = shown.record = (int64_t *)device.alloc(RECORD * sizeof(int64_t), SEEN);
  if (record) record[0] = -1;
  return record ? &shown : 0;
}
