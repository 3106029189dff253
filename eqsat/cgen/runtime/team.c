// Threads that help with kernels: see team.py.

//! HEADERS
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

//! TEAM
enum { PATIENCE = 2000 /* looks at a variable, some microseconds */, PIECES = 8 /* for each thread */ };
#if defined(__x86_64__) || defined(__i386__)
#define EQ_REST() __builtin_ia32_pause()
#else
#define EQ_REST() ((void)0)
#endif

__attribute__((visibility("default"))) int64_t eq_forked = 0; /* how many times, on the way to this process */

/* Nanoseconds by which threads may make calls slower before kernels run on one thread for a while: a part of the time of all
   kernels, and what threads gain. One that has begun and lost its core is waited for, which takes long where cores are busy. */
enum { MOST_LOSS = 4000000, PART = 16 };
static int64_t allowed = MOST_LOSS;

/* One kernel at a time is shared out. It is cut into pieces that threads take until there are none, so that one whose
   core is busy takes few; the caller waits for those that have begun, never for one that has not. */
static struct {
  pthread_mutex_t lock; pthread_cond_t wanted, left;
  int64_t threads, places /* for more threads */, inside, forked; char taken;
  eq_kernel f; int64_t n, step, next, blas, work /* ns of all threads */; void *const *p; const int64_t *v;
} team = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};

static __thread int64_t lane; /* 0 for callers */
static int64_t lane_of_thread(void) { return lane; }
static __thread int64_t most_of_blas; /* threads, for the function that runs; 0 for as many as the library is told */

static inline int64_t seen(const int64_t *x) { return __atomic_load_n(x, __ATOMIC_ACQUIRE); }

static int64_t clock_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void take_pieces(void) {
  int64_t start = clock_of(CLOCK_THREAD_CPUTIME_ID);
  for (;;) {
    int64_t low = __atomic_fetch_add(&team.next, team.step, __ATOMIC_RELAXED);
    if (low >= team.n) break;
    team.f(low, team.n - low < team.step ? team.n : low + team.step, team.p, team.v);
  }
  __atomic_fetch_add(&team.work, clock_of(CLOCK_THREAD_CPUTIME_ID) - start, __ATOMIC_RELAXED);
}

static void *help(void *unused) {
  pthread_mutex_lock(&team.lock);
  for (;;) {
    if (!team.places) {
      pthread_mutex_unlock(&team.lock);
      for (int k = 0; k < PATIENCE && !seen(&team.places); k++) EQ_REST();
      pthread_mutex_lock(&team.lock);
    }
    while (!team.places) pthread_cond_wait(&team.wanted, &team.lock);
    lane = team.places;
    __atomic_store_n(&team.places, team.places - 1, __ATOMIC_RELEASE);
    team.inside++;
    most_of_blas = team.blas;
    pthread_mutex_unlock(&team.lock);
    take_pieces();
    pthread_mutex_lock(&team.lock);
    __atomic_store_n(&team.inside, team.inside - 1, __ATOMIC_RELEASE);
    if (!team.inside) pthread_cond_signal(&team.left);
  }
  return unused;
}

/* Threads take no signals: those of Python are for the thread that runs it. */
static void hire(int64_t count) {
  sigset_t all, usual;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &usual)) return;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t made;
  while (team.threads < count && !pthread_create(&made, &detached, help, 0)) team.threads++;
  pthread_attr_destroy(&detached);
  pthread_sigmask(SIG_SETMASK, &usual, 0);
}

/* A child has the memory of its parent and none of its threads, which may have held the lock. */
static void leave_parent(void) {
  pthread_mutex_init(&team.lock, 0);
  pthread_cond_init(&team.wanted, 0); pthread_cond_init(&team.left, 0);
  team.threads = team.places = team.inside = 0; team.taken = 0;
  team.forked = eq_forked; allowed = MOST_LOSS;
}

static void account(int64_t spent, int64_t gained) {
  allowed += spent / PART + gained;
  if (allowed > MOST_LOSS) allowed = MOST_LOSS;
}

static void wait_for_others(void) {
  if (team.inside) {
    pthread_mutex_unlock(&team.lock);
    for (int k = 0; k < PATIENCE && seen(&team.inside); k++) EQ_REST();
    pthread_mutex_lock(&team.lock);
  }
  while (team.inside) pthread_cond_wait(&team.left, &team.lock);
}

static void call_others(eq_kernel f, int64_t n, int64_t step, int64_t size, void *const *p, const int64_t *v) {
  if (team.threads < size - 1) hire(size - 1);
  team.f = f; team.n = n; team.p = p; team.v = v; team.step = step; team.blas = most_of_blas; team.work = 0;
  __atomic_store_n(&team.next, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&team.places, size - 1 < team.threads ? size - 1 : team.threads, __ATOMIC_RELEASE);
  if (team.places > 1) pthread_cond_broadcast(&team.wanted); else pthread_cond_signal(&team.wanted);
}

static void spread(eq_kernel f, int64_t n, int64_t grain, int64_t size, void *const *p, const int64_t *v) {
  if (team.forked != eq_forked) leave_parent();
  if (__atomic_exchange_n(&team.taken, 1, __ATOMIC_ACQUIRE)) { f(0, n, p, v); return; }
  int64_t parts = (n + grain - 1) / grain, step = (parts + PIECES * size - 1) / (PIECES * size) * grain, start = clock_of(CLOCK_MONOTONIC);
  if (allowed < 0) {
    f(0, n, p, v);
    account(clock_of(CLOCK_MONOTONIC) - start, 0);
  } else {
    pthread_mutex_lock(&team.lock);
    call_others(f, n, step, size, p, v);
    pthread_mutex_unlock(&team.lock);
    take_pieces();
    pthread_mutex_lock(&team.lock);
    __atomic_store_n(&team.places, 0, __ATOMIC_RELEASE);
    wait_for_others();
    pthread_mutex_unlock(&team.lock);
    int64_t spent = clock_of(CLOCK_MONOTONIC) - start;
    account(spent, team.work - spent);
  }
  __atomic_store_n(&team.taken, 0, __ATOMIC_RELEASE);
}
