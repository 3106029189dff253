// Kernels whose times tell the constants of a GPU. Each takes pointers, then numbers of 8 bytes.

//! MEASURED
typedef long long int64_t;
extern "C" __global__ void __launch_bounds__(256) eq_nothing(float *r) {
}
// All threads read the same n pieces of 16 bytes again and again, or each block its own; n is a multiple of 32.
extern "C" __global__ void __launch_bounds__(256) eq_reads(float *__restrict__ r, const float4 *__restrict__ a, const int64_t n, const int64_t times, const int64_t own) {
  const float4 *const mine = a + (own ? blockIdx.x*n : 0);
  const int64_t first = own ? threadIdx.x : (int64_t)blockIdx.x*256 + threadIdx.x, step = own ? 256 : (int64_t)gridDim.x*256;
  float s = 0;
  for (int64_t t = 0; t < times; t++)
    for (int64_t i = first; i < n; i += step) {
      const float4 v = mine[i ^ (t & 31)];
      s += v.x + v.y + v.z + v.w;
    }
  if (s == 12345.0f) r[0] = s;
}
#define CHAINS(T, NAME) extern "C" __global__ void __launch_bounds__(256) NAME(float *__restrict__ r, const int64_t times, const int64_t seed) { \
  T a = (T)seed, b = a + 1, c = a + 2, d = a + 3; \
  const T f = (T)0.999, g = (T)threadIdx.x; \
  for (int64_t t = 0; t < times; t++) { a = a*f + g; b = b*f + g; c = c*f + g; d = d*f + g; } \
  if (a + b + c + d == (T)12345) r[0] = 1; }
CHAINS(double, eq_doubles)
CHAINS(float, eq_singles)
// Sectors that lie anywhere in n floats, a power of two.
extern "C" __global__ void __launch_bounds__(256) eq_places(float *__restrict__ r, const float *__restrict__ a, const int64_t n, const int64_t times) {
  unsigned long long at = (blockIdx.x*256ULL + threadIdx.x)*0x9E3779B97F4A7C15ULL;
  float s = 0;
  for (int64_t t = 0; t < times; t++) {
    at = at*6364136223846793005ULL + 1442695040888963407ULL;
    s += a[(at >> 20) & (unsigned long long)(n - 1)];
  }
  if (s == 12345.0f) r[0] = s;
}
