// What device texts begin with, each part where it is used. No header is included.

//! TYPES
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t, bool8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;
typedef unsigned long long uint64_t;
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647-1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL-1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#define __builtin_fma fma
#define __builtin_fmaf fmaf
#define __builtin_fabs fabs
#define __builtin_fabsf fabsf
#define __builtin_memcpy memcpy
#define __builtin_isunordered(a, b) ((a) != (a) || (b) != (b))
#define eq_apart(x) (x)

//! LEAST
static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }

//! INSIDE
static __device__ __forceinline__ int64_t eq_inside(int64_t i, int64_t n) { const int64_t k = i < 0 ? i + n : i; return (uint64_t)k < (uint64_t)n ? k : 0; }

//! REPORT
// The first error of a call: its number, the step, and what its message says. Whoever writes it first may add more values.
static __device__ int eq_report(int64_t *record, int64_t step, int64_t code, int64_t a, int64_t b, int64_t d, int64_t e) {
  if (atomicCAS((unsigned long long *)record, ~0ULL, (unsigned long long)code) != ~0ULL) return 0;
  record[1] = step; record[2] = a; record[3] = b; record[4] = d; record[5] = e;
  return 1;
}

//! VECTOR
typedef struct __align__(BYTES) { TYPE at[MANY]; } eq_vectorMANY_TYPE;
