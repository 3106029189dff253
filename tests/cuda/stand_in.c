/* A driver that does nothing with kernels: memory is the processor's, and launches are counted. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define EXPORT __attribute__((visibility("default")))
typedef struct { int64_t launches, waits, allocated, freed, words, grid, block, modules, managed, trims, bytes, kept, stream, captured, replayed, graphs; } counts;
EXPORT counts seen;
EXPORT int refuse_launch = 0, lacks = 0, sticky = 0, pointers_on = 0;
EXPORT int64_t room = 1LL << 40;
static int ready(unsigned flags) { return flags != 0; }
static int version(int *v) { *v = 13000; return 0; }
static int name_of(int status, const char **text) { *text = status == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_UNKNOWN"; return 0; }
static int text_of(int status, const char **text) { *text = "an illegal memory access was encountered"; return 0; }
static int count(int *n) { *n = 1; return 0; }
static int device(int *d, int k) { *d = k; return 0; }
static int name(char *to, int length, int d) { strncpy(to, "stand-in", length); return 0; }
static int attribute(int *v, int which, int d) { *v = which == 75 ? 9 : which == 76 ? 0 : 1; return 0; }
static int retain(void **context, int d) { *context = &seen; return 0; }
static int use(void *context) { return context != &seen; }
static int load(void **module, const void *image) { *module = malloc(1); seen.modules++; return 0; }
static int unload(void *module) { free(module); seen.modules--; return 0; }
static int function(void **f, void *module, const char *name) { *f = module; return name[0] != 'e'; }
static int capturing;
static int launch(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params, void **extra) {
  if (capturing) { seen.captured++; return stream == &capturing ? 0 : 1; }
  seen.launches++; seen.grid = gx; seen.block = bx * by; seen.words = *(size_t *)extra[3] / 8; seen.stream = (int64_t)stream;
  return refuse_launch;
}
static int wait(void *stream) { seen.waits++; return sticky; }
/* Memory begins with its size. What is given back to the pool stays in it until it is trimmed. */
static int alloc(uint64_t *at, size_t bytes, void *stream) {
  if (seen.bytes + seen.kept + (int64_t)bytes > room) return 2;
  int64_t *found = calloc(1, bytes + 16);
  found[0] = (int64_t)bytes; *at = (uint64_t)(found + 2);
  seen.allocated++; seen.bytes += (int64_t)bytes;
  return 0;
}
static int release(uint64_t at, void *stream) {
  int64_t *found = (int64_t *)at - 2;
  seen.freed++; seen.bytes -= found[0]; seen.kept += found[0]; free(found);
  return 0;
}
static int trim(void *pool, size_t kept) { seen.trims++; seen.kept = 0; return pool != &room; }
static int pool_of(void **pool, int d) { *pool = &room; return 0; }
static int pool_set(void *pool, int which, void *value) { return pool != &room || which != 4 || *(uint64_t *)value != ~0ULL; }
static int managed(uint64_t *at, size_t bytes, unsigned flags) { *at = (uint64_t)calloc(1, bytes); seen.managed++; return 0; }
static int release_managed(uint64_t at) { free((void *)at); seen.managed--; return 0; }
static int host_alloc(void **at, size_t bytes, unsigned flags) { *at = calloc(1, bytes); return flags != 3; }
static int host_free(void *at) { free(at); return 0; }
static int put(uint64_t to, const void *from, size_t bytes, void *stream) { memcpy((void *)to, from, bytes); return 0; }
static int get(void *to, uint64_t from, size_t bytes, void *stream) { memcpy(to, (void *)from, bytes); return 0; }
static int plain(uint64_t *at, size_t bytes) { *at = (uint64_t)malloc(1); return *at ? 0 : 2; }
static int move(uint64_t to, uint64_t from, size_t bytes, void *stream) { return 0; }
static int info(size_t *left, size_t *all) { *left = *all = (size_t)(room - seen.bytes - seen.kept); return 0; }
static int capturing = 0;
static int new_stream(void **to, unsigned flags) { *to = &capturing; return flags != 1; }
static int begin(void *stream, int mode) { capturing = 1; return stream != &capturing; }
static int end(void *stream, void **graph) { *graph = malloc(1); capturing = 0; seen.graphs++; return 0; }
static int instantiate(void **exec, void *graph, uint64_t flags) { *exec = malloc(1); seen.graphs++; return 0; }
static int replay(void *exec, void *stream) { seen.replayed++; return 0; }
static int discard(void *graph) { free(graph); seen.graphs--; return 0; }
static int pointer(void *to, int which, uint64_t at) { *(int *)to = pointers_on; return which != 9; }
EXPORT int cuGetProcAddress_v2(const char *wanted, void **found, int version_, uint64_t flags, int *status) {
  static const struct { const char *name; void *f; } table[] = {
    {"cuInit", ready}, {"cuDriverGetVersion", version}, {"cuGetErrorName", name_of}, {"cuGetErrorString", text_of}, {"cuDeviceGetCount", count},
    {"cuDeviceGet", device}, {"cuDeviceGetName", name}, {"cuDeviceGetAttribute", attribute}, {"cuDevicePrimaryCtxRetain", retain},
    {"cuCtxSetCurrent", use}, {"cuModuleLoadData", load}, {"cuModuleUnload", unload}, {"cuModuleGetFunction", function},
    {"cuLaunchKernel", launch}, {"cuStreamSynchronize", wait}, {"cuMemAllocManaged", managed}, {"cuMemFree", release_managed},
    {"cuMemcpyHtoDAsync", put}, {"cuMemcpyDtoHAsync", get}, {"cuMemGetInfo", info}, {"cuPointerGetAttribute", pointer},
    {"cuMemAllocAsync", alloc}, {"cuMemFreeAsync", release}, {"cuDeviceGetDefaultMemPool", pool_of}, {"cuMemPoolSetAttribute", pool_set},
    {"cuMemPoolTrimTo", trim}, {"cuMemHostAlloc", host_alloc}, {"cuMemFreeHost", host_free},
    {"cuStreamCreate", new_stream}, {"cuStreamBeginCapture", begin}, {"cuStreamEndCapture", end},
    {"cuGraphInstantiateWithFlags", instantiate}, {"cuGraphLaunch", replay}, {"cuGraphExecDestroy", discard}, {"cuGraphDestroy", discard},
    {"cuMemAlloc", plain}, {"cuMemcpyDtoDAsync", move},
  };
  for (unsigned k = 0; k < sizeof table / sizeof *table; k++) if (!strcmp(table[k].name, wanted) && !(lacks && k == 15)) { *found = table[k].f; return 0; }
  *found = 0;
  return 500;
}
