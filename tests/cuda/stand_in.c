/* A driver that does nothing with kernels: memory is the processor's, and launches are counted. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define EXPORT __attribute__((visibility("default")))
typedef struct { int64_t launches, waits, allocated, freed, words, grid, block, modules; } counts;
EXPORT counts seen;
EXPORT int refuse_launch = 0, lacks = 0;
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
static int launch(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params, void **extra) {
  seen.launches++; seen.grid = gx; seen.block = bx * by; seen.words = *(size_t *)extra[3] / 8;
  return refuse_launch;
}
static int wait(void *stream) { seen.waits++; return 0; }
static int alloc(uint64_t *at, size_t bytes, unsigned flags) { *at = (uint64_t)calloc(1, bytes); seen.allocated++; return *at ? 0 : 2; }
static int release(uint64_t at) { free((void *)at); seen.freed++; return 0; }
static int put(uint64_t to, const void *from, size_t bytes, void *stream) { memcpy((void *)to, from, bytes); return 0; }
static int get(void *to, uint64_t from, size_t bytes, void *stream) { memcpy(to, (void *)from, bytes); return 0; }
static int plain(uint64_t *at, size_t bytes) { *at = (uint64_t)malloc(1); return *at ? 0 : 2; }
static int move(uint64_t to, uint64_t from, size_t bytes, void *stream) { return 0; }
static int info(size_t *left, size_t *all) { *left = *all = 1 << 30; return 0; }
EXPORT int cuGetProcAddress_v2(const char *wanted, void **found, int version_, uint64_t flags, int *status) {
  static const struct { const char *name; void *f; } table[] = {
    {"cuInit", ready}, {"cuDriverGetVersion", version}, {"cuGetErrorName", name_of}, {"cuGetErrorString", text_of}, {"cuDeviceGetCount", count},
    {"cuDeviceGet", device}, {"cuDeviceGetName", name}, {"cuDeviceGetAttribute", attribute}, {"cuDevicePrimaryCtxRetain", retain},
    {"cuCtxSetCurrent", use}, {"cuModuleLoadData", load}, {"cuModuleUnload", unload}, {"cuModuleGetFunction", function},
    {"cuLaunchKernel", launch}, {"cuStreamSynchronize", wait}, {"cuMemAllocManaged", alloc}, {"cuMemFree", release},
    {"cuMemcpyHtoDAsync", put}, {"cuMemcpyDtoHAsync", get}, {"cuMemGetInfo", info},
    {"cuMemAlloc", plain}, {"cuMemcpyDtoDAsync", move},
  };
  for (unsigned k = 0; k < sizeof table / sizeof *table; k++) if (!strcmp(table[k].name, wanted) && !(lacks && k == 15)) { *found = table[k].f; return 0; }
  *found = 0;
  return 500;
}
