// The device as compiled functions see it: memory that hosts and kernels share, launches in order, and errors that kernels report.

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
typedef struct {
  char *(*alloc)(int64_t); void (*release)(char *); int64_t (*put)(char *, const char *, int64_t), (*get)(char *, const char *, int64_t);
  int64_t (*launch)(void *, int64_t, const int64_t *, const uint64_t *, int64_t), (*wait)(void);
} backend;
typedef struct {
  int64_t *record;
  int64_t (*enter)(eq_call *, const eq_plan *), (*leave)(eq_call *, const eq_plan *, int64_t);
  int64_t (*launch)(void *, int64_t, const int64_t *, const uint64_t *, int64_t), (*wait)(void);
} eq_device;

static char failure[1024];
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
EXPORT void eq_use(const backend *chosen) { device = *chosen; }

static int64_t wait_for(void) {
  if (pending) { pending = 0; if (device.wait()) return 1; }
  return record[0] != -1;
}

static int64_t launch(void *module, int64_t kernel, const int64_t *geometry, const uint64_t *words, int64_t count) {
  pending = 1;
  return device.launch(module, kernel, geometry, words, count);
}

/* What a call has on the device beside its workspace: copies of its inputs, its outputs and their lengths. */
typedef struct {
  char *(*output)(eq_call *, int64_t, const int64_t *);
  int64_t inputs, outputs; eq_buffer *in, *out; char **given; int64_t *lengths, *made, *bytes;
} held;
enum { AXES = 64 };

static char *sized(eq_buffer *b, int64_t bytes) {
  if (b->at && b->size >= bytes) return b->at;
  if (b->at) { wait_for(); device.release(b->at); }
  b->size = bytes > 0 ? bytes : 1;
  return b->at = device.alloc(b->size);
}

static char *grow(eq_call *c, int64_t k, int64_t bytes) { return sized(&c->slots[k], bytes); }

/* Memory that nobody needs any more. Who gives it back may hold Python's lock, and must not wait for a call that waits for that. */
static struct garbage { struct garbage *next; char *at; } *garbage;
static void throw_away(char *at) {
  struct garbage *g = at ? malloc(sizeof *g) : 0;
  if (!g) return;
  g->at = at; g->next = __atomic_load_n(&garbage, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&garbage, &g->next, g, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) ;
}
static void sweep(void) {
  struct garbage *g = __atomic_exchange_n(&garbage, 0, __ATOMIC_ACQUIRE), *next;
  if (g) wait_for();
  for (; g; g = next) { next = g->next; device.release(g->at); free(g); }
}

static void drop(eq_call *c) {
  held *h = c->held;
  if (!h) return;
  for (int64_t k = 0; k < c->buffers; k++) { throw_away(c->slots[k].at); c->slots[k].at = 0; }
  for (int64_t k = 0; k < h->inputs; k++) throw_away(h->in[k].at);
  for (int64_t k = 0; k < h->outputs; k++) throw_away(h->out[k].at);
  free(h->in); free(h->out); free(h->given); free(h->lengths); free(h->made); free(h->bytes); free(h);
  c->held = 0;
}

static const int64_t SIZES[] = {DTYPE_SIZES};

/* Memory of the device for an output; its lengths are kept until the end of the call. */
static char *output(eq_call *c, int64_t k, const int64_t *n) {
  held *h = c->held;
  int64_t bytes = h->bytes[k];
  for (int64_t i = 0; i < h->made[k]; i++) { h->lengths[k * AXES + i] = n[i]; bytes *= n[i]; }
  h->given[k] = sized(&h->out[k], bytes);
  return h->given[k];
}

static int64_t enter(eq_call *c, const eq_plan *p) {
  held *h = c->held;
  pthread_mutex_lock(&turn);
  sweep();
  record[0] = -1;
  if (!h) {
    h = c->held = calloc(1, sizeof *h);
    h->inputs = p->inputs; h->outputs = p->outputs;
    h->in = calloc(p->inputs + 1, sizeof *h->in); h->out = calloc(p->outputs + 1, sizeof *h->out);
    h->given = calloc(p->outputs + 1, sizeof *h->given); h->lengths = calloc((p->outputs + 1) * AXES, sizeof *h->lengths);
    h->made = calloc(p->outputs + 1, sizeof *h->made); h->bytes = calloc(p->outputs + 1, sizeof *h->bytes);
    for (int64_t k = 0; k < p->outputs; k++) { h->made[k] = p->out[k].ndim; h->bytes[k] = SIZES[p->out[k].dtype]; }
    c->drop = drop;
  }
  h->output = c->output; c->output = output; c->grow = grow;
  const int64_t *n = c->N;
  for (int64_t k = 0; k < p->inputs; k++) {
    int64_t bytes = SIZES[p->in[k].dtype];
    for (int64_t i = 0; i < p->in[k].ndim; i++) bytes *= *n++;
    char *at = sized(&h->in[k], bytes);
    if (!at || device.put(at, c->P[k], bytes)) { c->output = h->output; pthread_mutex_unlock(&turn); return at ? 1 : lost("no memory on the device"); }
    c->P[k] = at;
  }
  return 0;
}

/* The end of a call, good or bad: outputs are copied to where the caller wants them, unless it failed. */
static int64_t leave(eq_call *c, const eq_plan *p, int64_t failed) {
  held *h = c->held;
  failed |= wait_for();
  c->output = h->output;
  for (int64_t k = 0; k < p->outputs && !failed; k++) {
    int64_t bytes = h->bytes[k];
    for (int64_t i = 0; i < h->made[k]; i++) bytes *= h->lengths[k * AXES + i];
    char *to = c->output(c, k, h->lengths + k * AXES);
    if (!to) { c->code = -1; failed = 1; break; }
    if (device.get(to, h->given[k], bytes)) failed = 1;
  }
  pthread_mutex_unlock(&turn);
  return failed;
}

EXPORT char *eq_keep(const char *from, int64_t bytes) {
  pthread_mutex_lock(&turn);
  char *at = device.alloc(bytes > 0 ? bytes : 1);
  if (at && device.put(at, from, bytes)) { device.release(at); at = 0; }
  pthread_mutex_unlock(&turn);
  return at;
}
EXPORT void eq_give_back(char *at) { throw_away(at); }

static eq_device shown = {0, enter, leave, launch, wait_for};
EXPORT const eq_device *eq_open_device(const backend *chosen) {
  device = *chosen;
  if (!record) record = shown.record = (int64_t *)device.alloc(RECORD * sizeof(int64_t));
  if (record) record[0] = -1;
  return record ? &shown : 0;
}

//! EMULATOR
/* Runs kernels on the processor: blocks one after the other; the threads of a block are fibres, which change where they wait. */
typedef struct { unsigned x, y, z; } dim3_;
typedef struct { dim3_ thread, block, threads, blocks; uint64_t lane[2][1024]; unsigned width[1024]; uint64_t me, turn[1024]; void (*wait)(int64_t); } world;
typedef struct { void (*run)(world *, const uint64_t *); int64_t waits, words; } row;
typedef struct { const row *rows; int64_t count; char *shared; int64_t bytes; } module_;
typedef struct { module_ *module; int64_t kernel, geometry[4], count; uint64_t words[]; } job;
enum { RUNS, AT_BARRIER, AT_WARP, DONE, STACK = 64 << 10, MOST = 1024, WARP = 32 };
static struct { void *sp; dim3_ at; int state; } fibre[MOST];
static void *scheduler; static char *stacks;
static world now;
static const row *running; static const uint64_t *words_of;
static job **jobs; static int64_t waiting = 0, room = 0;
static int64_t backwards = 0, late = 1;
static sigjmp_buf fault; static volatile int inside = 0;
EXPORT void eq_emulate(int64_t order, int64_t lazy) { backwards = order; late = lazy; }

void eq_switch(void **from, void *to);
__asm__(".text\n.hidden eq_switch\n.globl eq_switch\neq_switch:\n  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
  "  mov %rsp, (%rdi)\n  mov %rsi, %rsp\n  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n  ret\n");

static void body(void) {
  running->run(&now, words_of);
  fibre[now.me].state = DONE;
  void *dead; eq_switch(&dead, scheduler);
}
static void wait_here(int64_t state) {
  unsigned me = now.me;
  fibre[me].state = (int)state;
  eq_switch(&fibre[me].sp, scheduler);
}
static dim3_ place(uint64_t k, dim3_ n) { return (dim3_){(unsigned)(k % n.x), (unsigned)(k / n.x % n.y), 0}; }
static void resume(unsigned k) { now.me = k; now.thread = fibre[k].at; eq_switch(&scheduler, fibre[k].sp); }
static void begin(unsigned k) {
  void **top = (void **)(stacks + (size_t)(k + 1) * STACK);
  *--top = 0; *--top = (void *)body;
  for (int r = 0; r < 6; r++) *--top = 0;
  fibre[k].sp = top; fibre[k].state = RUNS; fibre[k].at = place(k, now.threads); now.turn[k] = 0;
}

static int64_t warp_may_go(unsigned from, unsigned to) {
  unsigned here = 0, live = 0;
  for (unsigned k = from; k < to; k++) { live += fibre[k].state != DONE; here += fibre[k].state == AT_WARP; }
  if (!here) return 1;
  if (here != live || live != to - from) return !lost("emulated device: not all threads of a warp reach a shuffle");
  for (unsigned k = from; k < to; k++) if (now.width[k] != now.width[from] || now.width[k] > WARP || (now.width[k] & (now.width[k] - 1)))
    return !lost("emulated device: a shuffle has a wrong width");
  for (unsigned k = from; k < to; k++) fibre[k].state = RUNS;
  return 1;
}

static int64_t one_block(unsigned n) {
  for (unsigned k = 0; k < n; k++) begin(k);
  for (;;) {
    for (unsigned i = 0; i < n; i++) { unsigned k = backwards ? n - 1 - i : i; if (fibre[k].state == RUNS) resume(k); }
    for (unsigned w = 0; w < n; w += WARP) if (!warp_may_go(w, w + WARP < n ? w + WARP : n)) return 1;
    unsigned runs = 0, held_ = 0;
    for (unsigned k = 0; k < n; k++) { runs += fibre[k].state == RUNS; held_ += fibre[k].state == AT_BARRIER; }
    if (runs) continue;
    if (!held_) return 0;
    if (held_ != n) return lost("emulated device: not all threads of a block reach a barrier");
    for (unsigned k = 0; k < n; k++) fibre[k].state = RUNS;
  }
}

static int64_t run_job(const job *j) {
  const int64_t *g = j->geometry;
  running = &j->module->rows[j->kernel]; words_of = j->words;
  now.blocks = (dim3_){(unsigned)g[0], (unsigned)g[1], 1}; now.threads = (dim3_){(unsigned)g[2], (unsigned)g[3], 1};
  now.wait = wait_here;
  int64_t n = g[2] * g[3];
  if (n < 1 || n > MOST) return lost("emulated device: a block has 1 to 1024 threads");
  if (g[0] < 1 || g[1] < 1 || g[0] > 2147483647LL || g[1] > 65535) return lost("emulated device: a grid is out of range");
  if (j->count != running->words) return lost("emulated device: a kernel is given the wrong number of arguments");
  uint64_t blocks = (uint64_t)g[0] * (uint64_t)g[1];
  for (uint64_t i = 0; i < blocks; i++) {
    now.block = place(backwards ? blocks - 1 - i : i, now.blocks);
    if (j->module->bytes) memset(j->module->shared, 0xCD, j->module->bytes);
    if (running->waits) { if (one_block((unsigned)n)) return 1; continue; }
    for (int64_t t = 0; t < n; t++) { now.me = backwards ? n - 1 - t : t; now.thread = place(now.me, now.threads); running->run(&now, words_of); }
  }
  return 0;
}

static void on_fault(int number) {
  if (inside) siglongjmp(fault, number);
  signal(number, SIG_DFL); raise(number);
}

/* The handlers of the process are put back afterwards; a stack of its own serves faults in fibres. */
static int64_t guarded(const job *j) {
  static char own[1 << 16];
  stack_t stack = {.ss_sp = own, .ss_size = sizeof own}, old_stack;
  struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER}, segv, bus, ill;
  sigaltstack(&stack, &old_stack); sigaction(SIGSEGV, &action, &segv); sigaction(SIGBUS, &action, &bus); sigaction(SIGILL, &action, &ill);
  int64_t failed;
  inside = 1;
  if (sigsetjmp(fault, 1) == 0) failed = run_job(j);
  else failed = lost("emulated device: a kernel read or wrote outside of its memory, or a vector at a wrong address");
  inside = 0;
  sigaction(SIGSEGV, &segv, 0); sigaction(SIGBUS, &bus, 0); sigaction(SIGILL, &ill, 0); sigaltstack(&old_stack, 0);
  return failed;
}

static int64_t emulated_wait(void) {
  int64_t failed = 0;
  for (int64_t k = 0; k < waiting; k++) { if (!failed) failed = guarded(jobs[k]); free(jobs[k]); }
  waiting = 0;
  return failed;
}

static int64_t emulated_launch(void *module, int64_t kernel, const int64_t *geometry, const uint64_t *words, int64_t count) {
  job *j = malloc(sizeof *j + count * sizeof *words);
  j->module = module; j->kernel = kernel; j->count = count;
  memcpy(j->geometry, geometry, sizeof j->geometry); memcpy(j->words, words, count * sizeof *words);
  if (waiting == room) jobs = realloc(jobs, (room = 2 * room + 64) * sizeof *jobs);
  jobs[waiting++] = j;
  return late ? 0 : emulated_wait();
}

/* Memory ends where a page begins that nobody may touch, save for what alignment needs. Its beginning holds its size. */
enum { PAGE = 4096, ALIGN = 16 };
static char *emulated_alloc(int64_t bytes) {
  if (!stacks) stacks = mmap(0, (size_t)MOST * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int64_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN, pages = (whole + PAGE - 1) / PAGE * PAGE;
  char *at = mmap(0, pages + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return 0;
  *(int64_t *)at = pages + 2 * PAGE;
  memset(at + PAGE, 0xCD, pages);
  mprotect(at + PAGE + pages, PAGE, PROT_NONE); mprotect(at, PAGE, PROT_READ);
  return at + PAGE + pages - whole;
}
static void emulated_release(char *at) {
  char *first = (char *)((uint64_t)at / PAGE * PAGE) - PAGE;
  munmap(first, *(int64_t *)first);
}
static int64_t emulated_copy(char *to, const char *from, int64_t bytes) { if (bytes > 0) memcpy(to, from, bytes); return 0; }
static const backend emulator = {emulated_alloc, emulated_release, emulated_copy, emulated_copy, emulated_launch, emulated_wait};
EXPORT const backend *eq_emulator(void) { return &emulator; }

//! DRIVER
/* The functions of the driver that calls use; the library is opened elsewhere. */
typedef struct {
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  int (*use)(void *), (*wait)(void *), (*alloc)(uint64_t *, size_t, unsigned), (*release)(uint64_t);
  int (*put)(uint64_t, const void *, size_t, void *), (*get)(void *, uint64_t, size_t, void *);
  int (*name)(int, const char **), (*text)(int, const char **);
  void *context;
} functions;
typedef struct { void **kernels; int64_t count; } loaded;
static functions gpu;
static void *stream = 0;

static int64_t refused(const char *what, int status) {
  const char *name = 0, *text = 0;
  char said[768];
  gpu.name(status, &name); gpu.text(status, &text);
  snprintf(said, sizeof said, "%s: %s: %s", what, name ? name : "an unknown error", text ? text : "");
  return lost(said);
}
static __thread void *current = 0;
static void use(void) { if (current != gpu.context) { gpu.use(gpu.context); current = gpu.context; } }
static char *gpu_alloc(int64_t bytes) {
  uint64_t at = 0;
  use();
  return gpu.alloc(&at, (size_t)(bytes > 0 ? bytes : 1), 1 /* attached to all streams */) ? 0 : (char *)at;
}
static void gpu_release(char *at) { use(); gpu.release((uint64_t)at); }
static int64_t gpu_put(char *to, const char *from, int64_t bytes) {
  if (bytes <= 0) return 0;
  use();
  int status = gpu.put((uint64_t)to, from, (size_t)bytes, stream);
  return status ? refused("copying to the device", status) : 0;
}
static int64_t gpu_get(char *to, const char *from, int64_t bytes) {
  if (bytes <= 0) return 0;
  int status = gpu.get(to, (uint64_t)from, (size_t)bytes, stream);
  if (!status) status = gpu.wait(stream);
  return status ? refused("copying from the device", status) : 0;
}
static int64_t gpu_launch(void *module, int64_t kernel, const int64_t *g, const uint64_t *words, int64_t count) {
  size_t bytes = (size_t)count * sizeof *words;
  void *extra[] = {(void *)1, (void *)words, (void *)2, &bytes, 0};
  int status = gpu.launch(((loaded *)module)->kernels[kernel], (unsigned)g[0], (unsigned)g[1], 1, (unsigned)g[2], (unsigned)g[3], 1, 0, stream, 0, extra);
  return status ? refused("launching a kernel", status) : 0;
}
static int64_t gpu_wait(void) {
  int status = gpu.wait(stream);
  return status ? refused("running a kernel", status) : 0;
}
static const backend of_driver = {gpu_alloc, gpu_release, gpu_put, gpu_get, gpu_launch, gpu_wait};
EXPORT const backend *eq_driver(const functions *given) { gpu = *given; return &of_driver; }
