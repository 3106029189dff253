// The device behind the driver of CUDA: memory of its pool, launches on a stream.

//! DRIVER
/* The functions of the driver that calls use; the library is opened elsewhere. */
typedef struct {
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  int (*use)(void *), (*wait)(void *), (*alloc)(uint64_t *, size_t, void *), (*release)(uint64_t, void *);
  int (*managed)(uint64_t *, size_t, unsigned), (*release_managed)(uint64_t), (*seen)(void **, size_t, unsigned), (*release_seen)(void *);
  int (*left)(size_t *, size_t *), (*trim)(void *, size_t);
  int (*put)(uint64_t, const void *, size_t, void *), (*get)(void *, uint64_t, size_t, void *);
  int (*name)(int, const char **), (*text)(int, const char **);
  int (*new_stream)(void **, unsigned), (*begin)(void *, int), (*end)(void *, void **), (*instantiate)(void **, void *, uint64_t);
  int (*replay)(void *, void *), (*discard)(void *), (*destroy)(void *);
  void *context, *pool;
} functions;
typedef struct { void **kernels; int64_t count; } loaded;
static functions gpu;
static void *stream = 0;
EXPORT void eq_use_stream(void *handle) { stream = handle; }

static __thread void *current = 0;
static void use(void) { if (current != gpu.context) { gpu.use(gpu.context); current = gpu.context; } }

/* An error after which the device only gives errors stays until the process ends. */
static int64_t refused(const char *what, int status) {
  const char *name = 0, *text = 0;
  char said[1024];
  gpu.name(status, &name); gpu.text(status, &text);
  snprintf(said, sizeof said, "%s: %s: %s%s", what, name ? name : "an unknown error", text ? text : "",
    gpu.wait(stream) ? "; the device gives nothing but errors from here on: the process has to be started again" : "");
  return lost(said);
}

/* Of memory that moves between host and device no more is asked for than the device has left: too much of it can stop a GPU. */
static int64_t managed = 0;
static struct shared { struct shared *next; char *at; int64_t bytes; } *shares;
static char *gpu_managed(size_t bytes) {
  uint64_t at = 0; size_t left = 0, whole = 0;
  if (gpu.left(&left, &whole) || (size_t)managed + bytes > left || gpu.managed(&at, bytes, 1 /* attached to all streams */)) return 0;
  struct shared *s = malloc(sizeof *s);
  s->at = (char *)at; s->bytes = (int64_t)bytes; s->next = shares; shares = s;
  managed += s->bytes;
  return s->at;
}
static void release_managed(char *at) {
  for (struct shared **s = &shares; *s; s = &(*s)->next) if ((*s)->at == at) {
    struct shared *old = *s;
    managed -= old->bytes; *s = old->next; free(old);
    break;
  }
  gpu.release_managed((uint64_t)at);
}
static char *gpu_alloc(int64_t bytes, char place) {
  uint64_t at = 0; void *seen = 0;
  use();
  if (place == SEEN) return gpu.seen(&seen, (size_t)bytes, 3 /* of all contexts, seen by kernels */) ? 0 : seen;
  if (place == BOTH) return gpu_managed((size_t)bytes);
  return gpu.alloc(&at, (size_t)bytes, stream) ? 0 : (char *)at;
}
static void gpu_release(char *at, char place) {
  use();
  if (place == DEVICE) gpu.release((uint64_t)at, stream);
  else if (place == BOTH) release_managed(at);
  else gpu.release_seen(at);
}
static void gpu_trim(void) { use(); gpu.trim(gpu.pool, 0); }
static int64_t gpu_put(char *to, const char *from, int64_t bytes) {
  if (bytes <= 0) return 0;
  use();
  int status = gpu.put((uint64_t)to, from, (size_t)bytes, stream);
  return status ? refused("copying to the device", status) : 0;
}
static int64_t gpu_get(char *to, const char *from, int64_t bytes) {
  if (bytes <= 0) return 0;
  use();
  int status = gpu.get(to, (uint64_t)from, (size_t)bytes, stream);
  if (!status) status = gpu.wait(stream);
  return status ? refused("copying from the device", status) : 0;
}
static int64_t gpu_launch(void *module, int64_t kernel, const int64_t *g, const uint64_t *words, int64_t count) {
  use();
  if (module == &blas_module) return by_library_or_lost(kernel, words, stream);
  size_t bytes = (size_t)count * sizeof *words;
  void *extra[] = {(void *)1, (void *)words, (void *)2, &bytes, 0};
  int status = gpu.launch(((loaded *)module)->kernels[kernel], (unsigned)g[0], (unsigned)g[1], 1, (unsigned)g[2], (unsigned)g[3], 1, 0, stream, 0, extra);
  return status ? refused("launching a kernel", status) : 0;
}
static int64_t gpu_wait(void) {
  use();
  int status = gpu.wait(stream);
  return status ? refused("running a kernel", status) : 0;
}
/* Captured on a stream of its own, since the default one cannot be; 0 where the driver refuses. */
static void *gpu_capture(const uint64_t *w, int64_t count) {
  static void *own = 0;
  void *graph = 0, *found = 0;
  int refused_ = 0;
  use();
  if (!own && gpu.new_stream(&own, 1 /* beside the default stream */)) return own = 0;
  if (gpu.begin(own, 1 /* this thread's calls */)) return 0;
  for (const uint64_t *last = w + count; w < last; w += HEAD + w[6]) {
    if ((void *)w[0] == &blas_module) { refused_ |= by_library((int64_t)w[1], (const int64_t *)w + HEAD, own); continue; }
    size_t bytes = w[6] * sizeof *w;
    void *extra[] = {(void *)1, (void *)(w + HEAD), (void *)2, &bytes, 0};
    refused_ |= gpu.launch(((loaded *)w[0])->kernels[w[1]], (unsigned)w[2], (unsigned)w[3], 1, (unsigned)w[4], (unsigned)w[5], 1, 0, own, 0, extra);
  }
  if (gpu.end(own, &graph) || !graph) return 0;
  if (refused_ || gpu.instantiate(&found, graph, 0)) found = 0;
  gpu.destroy(graph);
  return found;
}
static int64_t gpu_replay(void *graph) {
  use();
  int status = gpu.replay(graph, stream);
  return status ? refused("launching a graph", status) : 0;
}
static void gpu_discard(void *graph) { use(); gpu.discard(graph); }
static const backend of_driver = {gpu_alloc, gpu_release, gpu_put, gpu_get, gpu_launch, gpu_wait, gpu_trim, gpu_capture, gpu_replay, gpu_discard};
EXPORT const backend *eq_driver(const functions *given) { gpu = *given; return &of_driver; }
