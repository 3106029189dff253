// What CUDA gives a kernel, for a C compiler on the processor.

//! WORLD
typedef struct { unsigned x, y, z; } eq_dim;
typedef struct { eq_dim thread, block, threads, blocks; uint64_t lane[2][1024]; unsigned width[1024]; uint64_t me, turn[1024]; void (*wait)(int64_t); } eq_world;
static eq_world *eq_now;
#define threadIdx eq_now->thread
#define blockIdx eq_now->block
#define blockDim eq_now->threads
#define gridDim eq_now->blocks
#define __restrict__ restrict
#define __device__
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("eq_shared")))
#define __syncthreads() eq_now->wait(1)
static inline uint64_t eq_shuffle(uint64_t bits, unsigned from, unsigned width) {
  uint64_t me = eq_now->me, turn = eq_now->turn[me] ^= 1;
  eq_now->lane[turn][me] = bits; eq_now->width[me] = width;
  eq_now->wait(2);
  return eq_now->lane[turn][(me & ~31ULL) + from];
}
static inline int eq_any(int test) {
  uint64_t me = eq_now->me, turn = eq_now->turn[me] ^= 1, any = 0;
  eq_now->lane[turn][me] = test != 0; eq_now->width[me] = 32;
  eq_now->wait(2);
  for (int k = 0; k < 32; k++) any |= eq_now->lane[turn][(me & ~31ULL) + k];
  return any != 0;
}
static inline unsigned eq_lane(void) { return (unsigned)eq_now->me & 31; }
static inline unsigned eq_lane_before(unsigned d, unsigned width) { return eq_lane() % (width ? width : 1) < d ? eq_lane() : eq_lane() - d; }
static inline unsigned eq_lane_of(unsigned k, unsigned width) { return width && width <= 32 ? eq_lane() / width * width + k % width : 0; }
#define EQ_SHUFFLE(T) static inline T eq_shuffled_##T(T v, unsigned from, int width) { \
  uint64_t bits = 0; memcpy(&bits, &v, sizeof v); \
  bits = eq_shuffle(bits, from & 31, (unsigned)width); memcpy(&v, &bits, sizeof v); return v; }
EQ_SHUFFLE(float) EQ_SHUFFLE(double) EQ_SHUFFLE(int8_t) EQ_SHUFFLE(int16_t) EQ_SHUFFLE(int32_t) EQ_SHUFFLE(int64_t)
EQ_SHUFFLE(complex64_t)
static inline complex128_t eq_shuffled_complex128_t(complex128_t v, unsigned from, int width) {
  const double x = eq_shuffled_double(__real__ v, from, width); return __builtin_complex(x, eq_shuffled_double(__imag__ v, from, width));
}
EQ_SHUFFLE(uint8_t) EQ_SHUFFLE(uint16_t) EQ_SHUFFLE(uint32_t) EQ_SHUFFLE(uint64_t)
#define EQ_SHUFFLED(v, from, width) _Generic((v), float: eq_shuffled_float, double: eq_shuffled_double, int8_t: eq_shuffled_int8_t, \
  int16_t: eq_shuffled_int16_t, int32_t: eq_shuffled_int32_t, int64_t: eq_shuffled_int64_t, uint8_t: eq_shuffled_uint8_t, \
  complex64_t: eq_shuffled_complex64_t, complex128_t: eq_shuffled_complex128_t, uint16_t: eq_shuffled_uint16_t, uint32_t: eq_shuffled_uint32_t, uint64_t: eq_shuffled_uint64_t)(v, from, width)
#define __shfl_xor_sync(mask, v, d, width) EQ_SHUFFLED(v, eq_lane() ^ (unsigned)(d), width)
#define __shfl_up_sync(mask, v, d, width) EQ_SHUFFLED(v, eq_lane_before((unsigned)(d), (unsigned)(width)), width)
#define __shfl_sync(mask, v, k, width) EQ_SHUFFLED(v, eq_lane_of((unsigned)(k), (unsigned)(width)), width)
#define __any_sync(mask, test) eq_any(test)
#define __syncwarp() ((void)eq_any(0))
static inline unsigned long long atomicCAS(unsigned long long *at, unsigned long long old, unsigned long long to) {
  unsigned long long found = *at; if (found == old) *at = to; return found;
}
static inline unsigned atomicOr(unsigned *at, unsigned bits) { unsigned found = *at; *at |= bits; return found; }
#define atomicAdd(at, value) (*(at) += (value))
#define __ffs(bits) __builtin_ffs(bits)

//! TABLE
extern char __start_eq_shared[] __attribute__((weak, visibility("hidden"))), __stop_eq_shared[] __attribute__((weak, visibility("hidden")));
__attribute__((visibility("default"))) char *eq_shared_from(void) { return __start_eq_shared; }
__attribute__((visibility("default"))) char *eq_shared_to(void) { return __stop_eq_shared; }
