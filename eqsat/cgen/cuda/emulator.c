// The emulated device: kernels on the processor, in memory that the host program cannot touch.

//! EMULATOR
/* Runs kernels on the processor: blocks one after the other; the threads of a block are fibres, which change where they wait. */
typedef struct { unsigned x, y, z; } dim3_;
typedef struct { dim3_ thread, block, threads, blocks; uint64_t lane[2][1024]; unsigned width[1024]; uint64_t me, turn[1024]; void (*wait)(int64_t); } world;
typedef struct { void (*run)(world *, const uint64_t *); int64_t waits, words, bytes, most; } row;
typedef struct { const row *rows; int64_t count; char *shared; int64_t bytes; } module_;
typedef struct { int kind; char *at; int64_t bytes; module_ *module; int64_t kernel, geometry[4], count; uint64_t words[]; } job;
enum { LAUNCH, PUT, RELEASE };
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
  for (unsigned k = from; k < to; k++) if (now.width[k] != now.width[from] || !now.width[k] || now.width[k] > WARP || (now.width[k] & (now.width[k] - 1)))
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
  if ((void *)j->module == &blas_module) return by_library_or_lost(j->kernel, j->words, 0);
  running = &j->module->rows[j->kernel]; words_of = j->words;
  now.blocks = (dim3_){(unsigned)g[0], (unsigned)g[1], 1}; now.threads = (dim3_){(unsigned)g[2], (unsigned)g[3], 1};
  now.wait = wait_here;
  int64_t n = g[2] * g[3];
  if (n < 1 || n > MOST) return lost("emulated device: a block has 1 to 1024 threads");
  if (g[0] < 1 || g[1] < 1 || g[0] > 2147483647LL || g[1] > 65535) return lost("emulated device: a grid is out of range");
  if (j->count != running->words) return lost("emulated device: a kernel is given the wrong number of arguments");
  if (running->bytes != 8*running->words) return lost("emulated device: a kernel takes an argument that is no word of 8 bytes");
  if (j->geometry[2]*j->geometry[3] > running->most) return lost("emulated device: a block of more threads than its kernel is made for");
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

/* Memory of the device is open while its work is done. It ends where a page begins that nobody may touch, save for what alignment
   needs; its beginning holds its size and its place. */
enum { PAGE = 4096, ALIGN = 16 };
typedef struct { int64_t pages, place, area; } area;
static struct { char *at; int64_t pages; } *areas; static int64_t area_count = 0, area_room = 0;
static int64_t most = INT64_MAX, taken = 0;
EXPORT void eq_emulated_memory(int64_t bytes) { most = bytes; }
static void open_areas(int protection) { for (int64_t k = 0; k < area_count; k++) if (areas[k].at) mprotect(areas[k].at, areas[k].pages, protection); }

static char *emulated_alloc(int64_t bytes, char place) {
  if (!stacks) stacks = mmap(0, (size_t)MOST * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int64_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN, pages = (whole + PAGE - 1) / PAGE * PAGE, k = 0;
  if (bytes > most - taken) return 0;
  char *at = mmap(0, pages + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return 0;
  if (place == DEVICE) {
    while (k < area_count && areas[k].at) k++;
    if (k == area_room) areas = realloc(areas, (area_room = 2 * area_room + 64) * sizeof *areas);
    if (k == area_count) area_count++;
    areas[k].at = at + PAGE; areas[k].pages = pages;
  }
  *(area *)at = (area){pages, place, k};
  taken += pages;
  memset(at + PAGE, 0xCD, pages);
  mprotect(at + PAGE + pages, PAGE, PROT_NONE); mprotect(at, PAGE, PROT_READ);
  if (place == DEVICE) mprotect(at + PAGE, pages, PROT_NONE);
  return at + PAGE + pages - whole;
}
static void free_now(char *at) {
  char *first = (char *)((uint64_t)at / PAGE * PAGE) - PAGE;
  area a = *(area *)first;
  taken -= a.pages;
  if (a.place == DEVICE) areas[a.area].at = 0;
  munmap(first, a.pages + 2 * PAGE);
}

static int64_t emulated_wait(void) {
  int64_t failed = 0;
  if (waiting) open_areas(PROT_READ | PROT_WRITE);
  for (int64_t k = 0; k < waiting; k++) {
    job *j = jobs[k];
    if (j->kind == RELEASE) free_now(j->at);
    else if (j->kind == PUT) memcpy(j->at, j->words, j->bytes);
    else if (!failed) failed = guarded(j);
    free(j);
  }
  if (waiting) open_areas(PROT_NONE);
  waiting = 0;
  return failed;
}

static int64_t later(job *j) {
  if (waiting == room) jobs = realloc(jobs, (room = 2 * room + 64) * sizeof *jobs);
  jobs[waiting++] = j;
  return late ? 0 : emulated_wait();
}
static int64_t emulated_launch(void *module, int64_t kernel, const int64_t *geometry, const uint64_t *words, int64_t count) {
  job *j = malloc(sizeof *j + count * sizeof *words);
  j->kind = LAUNCH; j->module = module; j->kernel = kernel; j->count = count;
  memcpy(j->geometry, geometry, sizeof j->geometry); memcpy(j->words, words, count * sizeof *words);
  return later(j);
}
static void emulated_release(char *at, char place) {
  job *j = malloc(sizeof *j);
  j->kind = RELEASE; j->at = at;
  later(j);
}
static int64_t emulated_put(char *to, const char *from, int64_t bytes) {
  if (bytes <= 0) return 0;
  job *j = malloc(sizeof *j + bytes);
  j->kind = PUT; j->at = to; j->bytes = bytes;
  memcpy(j->words, from, bytes);
  return later(j);
}
static int64_t emulated_get(char *to, const char *from, int64_t bytes) {
  if (emulated_wait()) return 1;
  open_areas(PROT_READ | PROT_WRITE);
  if (bytes > 0) memcpy(to, from, bytes);
  open_areas(PROT_NONE);
  return 0;
}
static void emulated_trim(void) { emulated_wait(); }
/* A graph is the launches themselves. */
static int64_t replays = 0;
EXPORT int64_t eq_replays(void) { return replays; }
typedef struct { int64_t count; uint64_t words[]; } recorded;
static void *emulated_capture(const uint64_t *words, int64_t count) {
  recorded *r = malloc(sizeof *r + (size_t)count * sizeof *words);
  r->count = count;
  memcpy(r->words, words, (size_t)count * sizeof *words);
  return r;
}
static int64_t emulated_replay(void *graph) {
  recorded *r = graph;
  replays++;
  return run_from(&(series){r->words, r->count, r->count, 0, 0}, 0);
}
static void emulated_discard(void *graph) { free(graph); }
static const backend emulator = {emulated_alloc, emulated_release, emulated_put, emulated_get, emulated_launch, emulated_wait, emulated_trim,
  emulated_capture, emulated_replay, emulated_discard};
EXPORT const backend *eq_emulator(void) { return &emulator; }
