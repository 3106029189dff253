template <typename R> struct __align__(2 * sizeof(R)) eq_complex_of {
  R re, im;
  eq_complex_of() = default;
  __device__ eq_complex_of(R x, R y = 0) : re(x), im(y) {}
  template <typename S> explicit __device__ eq_complex_of(const eq_complex_of<S> &z) : re((R)z.re), im((R)z.im) {}
  friend __device__ bool operator==(eq_complex_of a, eq_complex_of b) { return a.re == b.re && a.im == b.im; }
  friend __device__ bool operator!=(eq_complex_of a, eq_complex_of b) { return a.re != b.re || a.im != b.im; }
  friend __device__ eq_complex_of operator-(eq_complex_of a) { return eq_complex_of(-a.re, -a.im); }
  friend __device__ eq_complex_of operator~(eq_complex_of a) { return eq_complex_of(a.re, -a.im); }
  friend __device__ eq_complex_of operator+(eq_complex_of a, eq_complex_of b) { return eq_complex_of(a.re + b.re, a.im + b.im); }
  friend __device__ eq_complex_of operator+(eq_complex_of a, R b) { return eq_complex_of(a.re + b, a.im); }
  friend __device__ eq_complex_of operator+(R a, eq_complex_of b) { return eq_complex_of(a + b.re, b.im); }
  friend __device__ eq_complex_of operator-(eq_complex_of a, eq_complex_of b) { return eq_complex_of(a.re - b.re, a.im - b.im); }
  friend __device__ eq_complex_of operator-(eq_complex_of a, R b) { return eq_complex_of(a.re - b, a.im); }
  friend __device__ eq_complex_of operator-(R a, eq_complex_of b) { return eq_complex_of(a - b.re, -b.im); }
  friend __device__ eq_complex_of operator*(eq_complex_of a, eq_complex_of b) { return eq_complex_of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
  friend __device__ eq_complex_of operator*(eq_complex_of a, R b) { return eq_complex_of(a.re * b, a.im * b); }
  friend __device__ eq_complex_of operator*(R a, eq_complex_of b) { return eq_complex_of(a * b.re, a * b.im); }
  friend __device__ eq_complex_of operator/(eq_complex_of a, R b) { return eq_complex_of(a.re / b, a.im / b); }
};
typedef eq_complex_of<float> complex64_t; typedef eq_complex_of<double> complex128_t;
static __device__ __forceinline__ complex64_t eq_complex(float x, float y) { return complex64_t(x, y); }
static __device__ __forceinline__ complex128_t eq_complex(double x, double y) { return complex128_t(x, y); }
template <typename R> static __device__ __forceinline__ R eq_real(eq_complex_of<R> z) { return z.re; }
template <typename R> static __device__ __forceinline__ R eq_imag(eq_complex_of<R> z) { return z.im; }
#define EQ_SHUFFLE(F) template <typename R> static __device__ __forceinline__ eq_complex_of<R> F(unsigned lanes, eq_complex_of<R> z, int d, int width) { \
  const R x = F(lanes, z.re, d, width), y = F(lanes, z.im, d, width); \
  return eq_complex_of<R>(x, y); }
EQ_SHUFFLE(__shfl_xor_sync) EQ_SHUFFLE(__shfl_up_sync) EQ_SHUFFLE(__shfl_sync)
static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
static __device__ complex128_t clog(complex128_t z) {
  const double x = fabs(eq_real(z)), y = fabs(eq_imag(z)), a = x > y ? x : y, b = x > y ? y : x, r = hypot(x / 2, y / 2);
  const double turn = atan2(eq_imag(z), eq_real(z));
  if (!(r > (double)0.35 && r < (double)0.75)) return eq_complex(r < (double)1e-30 ? log(hypot(x, y)) : log(r) + (double)0.693147180559945309417, turn);
  const double p = a * a, q = b * b, d = p - 1, s = d + q, t = s - d;
  const double rest = ((d - (s - t)) + (q - t)) + __builtin_fma(a, a, -p) + __builtin_fma(b, b, -q);
  return eq_complex(log1p(s + rest) / 2, turn);
}
static __device__ complex128_t cexp(complex128_t z) {
  const double x = eq_real(z), y = eq_imag(z);
  if (y == 0) return eq_complex(exp(x), y);
  if (x == -INFINITY) return eq_complex((double)0, (double)0);
  const double h = x > 80 ? exp(x / 2) : 1, e = x > 80 ? h : exp(x); /* h*e need not be a number where h*cos(y)*e is one */
  return eq_complex(h * cos(y) * e, h * sin(y) * e);
}
static __device__ complex128_t cpow(complex128_t a, complex128_t b) {
  const complex128_t l = clog(a);
  const double x = eq_real(l), y = eq_imag(l), p = eq_real(b), q = eq_imag(b);
  return cexp(eq_complex(p * x - q * y, p * y + q * x));
}
static __device__ complex64_t cexpf(complex64_t z) {
  const float x = eq_real(z), y = eq_imag(z);
  if (y == 0) return eq_complex(expf(x), y);
  if (x == -INFINITY) return eq_complex((float)0, (float)0);
  const float h = x > 80 ? expf(x / 2) : 1, e = x > 80 ? h : expf(x); /* h*e need not be a number where h*cos(y)*e is one */
  return eq_complex(h * cosf(y) * e, h * sinf(y) * e);
}
static __device__ complex128_t csqrt(complex128_t z) {
  const double x = eq_real(z), y = eq_imag(z);
  if (fabs(y) == INFINITY) return eq_complex((double)INFINITY, y);
  if (x == -INFINITY) return eq_complex(y - y, copysign((double)INFINITY, y));
  if (x == INFINITY) return eq_complex(x, y == y ? copysign((double)0, y) : y);
  if (x == 0 && y == 0) return eq_complex((double)0, y);
  const double large = fabs(x) > fabs(y) ? fabs(x) : fabs(y), scale = large > (double)1e30 ? (double)0.25 : large < (double)1e-30 ? (double)1073741824 : (double)1;
  const double back = scale < 1 ? (double)2 : scale > 1 ? (double)(1.0 / 32768) : (double)1, a = fabs(x) * scale, b = fabs(y) * scale;
  const double t = sqrt((a + hypot(a, b)) / 2), u = b / (2 * t);
  return x >= 0 ? eq_complex(t * back, copysign(u * back, y)) : eq_complex(u * back, copysign(t * back, y));
}
static __device__ complex128_t casin(complex128_t z) {
  const double x = eq_real(z), y = eq_imag(z);
  if (fabs(x) == INFINITY || fabs(y) == INFINITY) return eq_complex(copysign(atan2(fabs(x), fabs(y)), x), copysign((double)INFINITY, y));
  const complex128_t a = csqrt(eq_complex(1 - x, -y)), b = csqrt(eq_complex(1 + x, y));
  return eq_complex(atan2(x, eq_real(a) * eq_real(b) - eq_imag(a) * eq_imag(b)), asinh(eq_real(a) * eq_imag(b) - eq_imag(a) * eq_real(b)));
}
static __device__ complex128_t eq_cdiv__complex128_t(complex128_t a, complex128_t b) {
  double x = eq_real(a), y = eq_imag(a), c = eq_real(b), d = eq_imag(b), p = __builtin_fabs(c), q = __builtin_fabs(d);
  if (p >= q) {
    if (p == 0 && q == 0) return eq_complex((double)(x / p), (double)(y / p));
    double r = d / c, s = 1 / (c + d * r);
    return eq_complex((double)((x + y * r) * s), (double)((y - x * r) * s));
  }
  double r = c / d, s = 1 / (d + c * r);
  return eq_complex((double)((x * r + y) * s), (double)((y * r - x) * s));
}
static __device__ complex128_t eq_cfma__complex128_t(complex128_t a, complex128_t b, complex128_t c) {
  return eq_complex(__builtin_fma(eq_real(a), eq_real(b), __builtin_fma(-eq_imag(a), eq_imag(b), eq_real(c))),
    __builtin_fma(eq_real(a), eq_imag(b), __builtin_fma(eq_imag(a), eq_real(b), eq_imag(c))));
}
static __device__ complex128_t eq_cmul__complex128_t(complex128_t a, complex128_t b) {
  return eq_complex((double)(eq_real(a) * eq_real(b) - eq_imag(a) * eq_imag(b)), (double)(eq_real(a) * eq_imag(b) + eq_imag(a) * eq_real(b)));
}
static __device__ complex64_t eq_cmul__complex64_t(complex64_t a, complex64_t b) {
  return eq_complex((float)(eq_real(a) * eq_real(b) - eq_imag(a) * eq_imag(b)), (float)(eq_real(a) * eq_imag(b) + eq_imag(a) * eq_real(b)));
}
static __device__ complex128_t eq_cpow__complex128_t(complex128_t a, complex128_t b) {
  double p = eq_real(b), q = eq_imag(b);
  if (p == 0 && q == 0) return 1;
  if (a == 0) {
    if (p > 0) return 0;
    return eq_complex((double)(NAN), (double)(NAN));
  }
  if (q == 0 && p > -100 && p < 100 && p == (double)(int)p) {
    int n = p < 0 ? -(int)p : (int)p; complex128_t r = a, s = a;
    for (n--; n > 0; n >>= 1) {
      if (n & 1) r = eq_cmul__complex128_t(r, s);
      if (n > 1) s = eq_cmul__complex128_t(s, s);
    }
    return p < 0 ? eq_cdiv__complex128_t(1, r) : r;
  }
  return cpow(a, b);
}
extern "C" __global__ void __launch_bounds__(256) eq_k0(complex64_t *__restrict__ r0, complex128_t *__restrict__ r1, const complex128_t *__restrict__ a0, const complex64_t *__restrict__ a1, complex128_t *__restrict__ w0, const int64_t n0, const int64_t n1, const int64_t n2) {
  const complex128_t t0 = eq_complex((double)1.0, (double)0.0);
  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;
  const int64_t first = blockIdx.y*n2, last = eq_least(first + n2, n0);
  complex128_t s0 = 0;
  if (row < n1) {
    const int64_t k0 = row;
    for (int64_t q = first + threadIdx.x; q < last; q += blockDim.x) {
      const int64_t i1 = q;
      const complex128_t t1 = a0[i1];
      const complex64_t t2 = a1[k0*n0 + i1];
      const complex64_t t3 = cexpf(t2);
      const complex128_t t4 = ((complex128_t)(t3));
      const complex128_t t5 = eq_cmul__complex128_t(t4, t1);
      const complex128_t t6 = (t5 + t0);
      const complex64_t t7 = (~t2);
      const complex64_t t8 = eq_cmul__complex64_t(t2, t7);
      r1[k0*n0 + i1] = t6;
      s0 = s0 + ((complex128_t)t8);
    }
  }
  for (int d = (int)eq_least(blockDim.x, 32) >> 1; d; d >>= 1) {
    const complex128_t o0 = __shfl_xor_sync(~0u, s0, d, 32); s0 = s0 + o0;
  }
  if (blockDim.x > 32) {
    __shared__ complex128_t m0[8];
    if (threadIdx.x % 32 == 0) m0[threadIdx.x / 32] = s0;
    __syncthreads();
    s0 = m0[0]; for (int d = 1; d < (int)(blockDim.x / 32); d++) s0 = s0 + m0[d];
  }
  if (row < n1 && threadIdx.x == 0) {
    if (gridDim.y == 1) r0[row] = (complex64_t)s0; else w0[row*gridDim.y + blockIdx.y] = s0;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(const complex128_t *__restrict__ w, complex64_t *__restrict__ r, const int64_t results, const int64_t chunks) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;
  complex128_t s = 0;
  if (row < results) {
    #pragma unroll 8
    for (int64_t q = threadIdx.x; q < chunks; q += 32) s = s + w[row*chunks + q];
  }
  for (int d = 16; d; d >>= 1) {
    const complex128_t o = __shfl_xor_sync(~0u, s, d, 32); s = s + o;
  }
  if (row < results && threadIdx.x == 0) r[row] = (complex64_t)s;
}
extern "C" __global__ void __launch_bounds__(256) eq_k2(complex64_t *__restrict__ r0, complex128_t *__restrict__ r1, const complex64_t *__restrict__ a0, complex128_t *__restrict__ w0, const int64_t n0, const int64_t n1, const int64_t n2) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.x + threadIdx.x;
  const int64_t first = blockIdx.y*n2, last = eq_least(first + n2, n1);
  complex128_t s0 = 1;
  if (row < n0) {
    const int64_t k1 = row;
    for (int64_t q = first + threadIdx.y; q < last; q += blockDim.y) {
      const int64_t i0 = q;
      const complex64_t t0 = a0[i0*n0 + k1];
      const complex128_t t1 = ((complex128_t)(t0));
      r1[i0*n0 + k1] = t1;
      s0 = eq_cmul__complex128_t(s0, ((complex128_t)t0));
    }
  }
  __shared__ complex128_t m0[256]; m0[threadIdx.y*blockDim.x + threadIdx.x] = s0;
  for (int d = blockDim.y >> 1; d; d >>= 1) {
    __syncthreads();
    if ((int)threadIdx.y < d) {
      m0[threadIdx.y*blockDim.x + threadIdx.x] = eq_cmul__complex128_t(m0[threadIdx.y*blockDim.x + threadIdx.x], m0[(threadIdx.y + d)*blockDim.x + threadIdx.x]);
    }
  }
  s0 = m0[threadIdx.x];
  if (row < n0 && threadIdx.y == 0) {
    if (gridDim.y == 1) r0[row] = (complex64_t)s0; else w0[row*gridDim.y + blockIdx.y] = s0;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k3(const complex128_t *__restrict__ w, complex64_t *__restrict__ r, const int64_t results, const int64_t chunks) {
  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;
  complex128_t s = 1;
  if (row < results) {
    #pragma unroll 8
    for (int64_t q = threadIdx.x; q < chunks; q += 32) s = eq_cmul__complex128_t(s, w[row*chunks + q]);
  }
  for (int d = 16; d; d >>= 1) {
    const complex128_t o = __shfl_xor_sync(~0u, s, d, 32); s = eq_cmul__complex128_t(s, o);
  }
  if (row < results && threadIdx.x == 0) r[row] = (complex64_t)s;
}
extern "C" __global__ void __launch_bounds__(256) eq_k4(const int64_t m, const int64_t k, const complex128_t *a, const int64_t a0, const int64_t a1, const complex128_t *b, const int64_t b0, complex128_t *c, const int64_t l0, const int64_t p0, const int64_t q0, const int64_t r0, const int64_t l1, const int64_t p1, const int64_t q1, const int64_t r1, const int64_t l2, const int64_t p2, const int64_t q2, const int64_t r2) {
  __shared__ complex128_t sum[256];
  const int turned = a0 == 1 && a1 != 1, lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  const int64_t each = turned ? 32 : m < 1056 ? 1 : 8, tiles = (m + each - 1) / each;
  const int first = turned ? warp : each == 1 ? (int)threadIdx.x : lane, step = turned ? 8 : each == 1 ? 256 : 32;
  for (int64_t all = blockIdx.x; all < tiles*l0*l1*l2; all += gridDim.x) {
    const int64_t tile = all % tiles, one = all / tiles, i2 = one % l2, i1 = one / l2 % l1, i0 = one / l2 / l1;
    const int64_t i = tile*each + (turned ? lane : each == 1 ? 0 : warp);
    const complex128_t *const x = a + (i0*p0 + i1*p1 + i2*p2), *const y = b + (i0*q0 + i1*q1 + i2*q2);
    complex128_t *const to = c + (i0*r0 + i1*r1 + i2*r2);
    complex128_t s = 0;
    if (i < m) for (int64_t p = first; p < k; p += step) s = eq_cfma__complex128_t(x[i*a0 + p*a1], y[p*b0], s);
    if (!turned) for (int d = 16; d; d >>= 1) {
      const complex128_t o = __shfl_xor_sync(~0u, s, d, 32);
      s = (complex128_t)(s + o);
    }
    if (each != 8) {
      sum[threadIdx.x] = s;
      __syncthreads();
      if (warp == 0) for (int d = 1; d < 8; d++) s = (complex128_t)(s + sum[d*32 + (turned ? lane : 0)]);
      __syncthreads();
    }
    if (i < m && (turned ? warp == 0 : each == 1 ? threadIdx.x == 0 : lane == 0)) to[i] = s;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k5(complex128_t *__restrict__ r0, const complex128_t *__restrict__ a0, const int64_t n0) {
  for (int64_t j = (int64_t)blockIdx.x*256 + threadIdx.x; j < n0; j += (int64_t)gridDim.x*256) {
    const complex128_t t0 = a0[j];
    const complex128_t t1 = csqrt(t0);
    const complex128_t t2 = eq_cpow__complex128_t(t1, t0);
    const complex128_t t3 = casin(t0);
    const complex128_t t4 = eq_cdiv__complex128_t(t3, t2);
    r0[j] = t4;
  }
}
// { if (N[1] > 0) { eq_launch(0, 8, (N[1] + N[4] - 1) / N[4], N[7], N[3], N[4], (uint64_t)(P[3]), (uint64_t)(P[2]), (uint64_t)(P[0]), (uint64_t)(P[1]), (uint64_t)(P[4]), (uint64_t)(N[2]), (uint64_t)(N[1]), (uint64_t)(N[6])); } }
// { if (N[7] > 1 && N[1] > 0) { eq_launch(1, 4, (N[1] + 7) / 8, 1, 32, 8, (uint64_t)(P[4]), (uint64_t)(P[3]), (uint64_t)(N[1]), (uint64_t)(N[7])); } }
// { if (N[2] > 0) { eq_launch(2, 7, N[10], N[13], N[8], N[9], (uint64_t)(P[5]), (uint64_t)(P[6]), (uint64_t)(P[1]), (uint64_t)(P[7]), (uint64_t)(N[2]), (uint64_t)(N[1]), (uint64_t)(N[12])); } }
// { if (N[13] > 1 && N[2] > 0) { eq_launch(3, 4, (N[2] + 7) / 8, 1, 32, 8, (uint64_t)(P[7]), (uint64_t)(P[5]), (uint64_t)(N[2]), (uint64_t)(N[13])); } }
// { if (N[2] > 0) { eq_launch(5, 3, eq_grid(N[2], 256), 1, 256, 1, (uint64_t)(P[9]), (uint64_t)(P[0]), (uint64_t)(N[2])); } }
