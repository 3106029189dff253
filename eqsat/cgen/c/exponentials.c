// Exponentials that a compiler makes vectors of, in the kernels themselves: infinities take no longer than other numbers,
// as a mask has them, and the error is 1.1 ulp at most, of erfc 6. x is n log(2) + r with a small r; exp(r) is 1 + r + r^2 q(r), where q is
// a polynomial through Chebyshev's points. 2^n comes in two factors, so that results may be subnormal: n and twice the bias of an
// exponent are the last bits of t, whose halves are shifted to where an exponent stands. Two bounds of one number would become branches,
// so that the upper one is that of t.

//! expf
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define eq_fmaf(a, b, c) __builtin_fmaf(a, b, c)
#else
#define eq_fmaf(a, b, c) ((a)*(b) + (c))
#endif
static inline __attribute__((always_inline)) float eq_expf(float x) {
  union { float f; uint32_t i; } t, a, b;
  float z = -104.0f > x ? -104.0f : x;
  t.f = eq_fmaf(z, 0x1.715476p+0f, 0x1.8p23f + 254);
  t.f = 0x1.8p23f + 384 < t.f ? 0x1.8p23f + 384 : t.f;
  float n = t.f - (0x1.8p23f + 254), r = eq_fmaf(n, 0x1.bd0106p-13f, eq_fmaf(n, -0x1.63p-1f, z));
  float q = eq_fmaf(eq_fmaf(eq_fmaf(eq_fmaf(0.00139262134663f, r, 0.00836320297158f), r, 0.0416665544377f), r, 0.16666576846f), r, 0.5f);
  q = eq_fmaf(eq_fmaf(q, r, 1.0f), r, 1.0f);
  uint32_t h = t.i >> 1;
  a.i = h << 23; b.i = (t.i - h) << 23;
  return q*a.f*b.f;
}
#define expf eq_expf

//! exp
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define eq_fma(a, b, c) __builtin_fma(a, b, c)
#else
#define eq_fma(a, b, c) ((a)*(b) + (c))
#endif
static inline __attribute__((always_inline)) double eq_exp(double x) {
  union { double f; uint64_t i; } t, a, b;
  double z = -746.0 > x ? -746.0 : x;
  t.f = eq_fma(z, 0x1.71547652b82fep+0, 0x1.8p52 + 2046);
  t.f = 0x1.8p52 + 3072 < t.f ? 0x1.8p52 + 3072 : t.f;
  double n = t.f - (0x1.8p52 + 2046), r = eq_fma(n, -1.9082149292705878161e-10, eq_fma(n, -0x1.62e42feep-1, z));
  double s = r*r, u = s*s;
  double q0 = eq_fma(0.16666666666666667456, r, 0.50000000000000010262), q1 = eq_fma(0.0083333333333300513464, r, 0.041666666666623991516);
  double q2 = eq_fma(0.00019841269863105968748, r, 0.0013888888917281793308), q3 = eq_fma(2.7557268378684192873e-6, r, 0.000024801521190217727651);
  double q4 = eq_fma(2.5100424157005066788e-8, r, 2.7620138719733995569e-7);
  double q = eq_fma(eq_fma(u, eq_fma(u, q4, eq_fma(q3, s, q2)), eq_fma(q1, s, q0)), s, r) + 1.0;
  uint64_t h = t.i >> 1;
  a.i = h << 52; b.i = (t.i - h) << 52;
  return q*a.f*b.f;
}
#define exp eq_exp

//! erfcf
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define eq_fmaf(a, b, c) __builtin_fmaf(a, b, c)
#else
#define eq_fmaf(a, b, c) ((a)*(b) + (c))
#endif
// erfc(a) is exp(-a^2) t p(t) with t = 2/(2 + a), where p is a polynomial through Chebyshev's points. The square is that of the
// upper half of a's digits, which is exact, and a small rest.
static inline __attribute__((always_inline)) float eq_erfcf(float x) {
  union { float f; uint32_t i; } h, n, a, b;
  float y = __builtin_fabsf(x), z = 10.2f < y ? 10.2f : y;
  h.f = z; h.i &= -4096;
  float s = -h.f*h.f, rest = (h.f - z)*(h.f + z), t = 2.0f / (2.0f + z), u = eq_fmaf(2.3883495f, t, -1.3883495f);
  n.f = eq_fmaf(s, 0x1.715476p+0f, 0x1.8p23f + 254);
  float m = n.f - (0x1.8p23f + 254), r = eq_fmaf(m, 0x1.bd0106p-13f, eq_fmaf(m, -0x1.63p-1f, s)) + rest;
  float q = eq_fmaf(eq_fmaf(eq_fmaf(eq_fmaf(0.00139262134663f, r, 0.00836320297158f), r, 0.0416665544377f), r, 0.16666576846f), r, 0.5f);
  float w = eq_fmaf(eq_fmaf(eq_fmaf(eq_fmaf(eq_fmaf(5.4750158e-06f, u, 6.553048e-06f), u, -6.890767e-05f), u, 7.859861e-06f), u, 6.135959e-04f), u, -6.5304135e-04f);
  float p = eq_fmaf(eq_fmaf(eq_fmaf(eq_fmaf(eq_fmaf(w, u, -0.006259487f), u, 0.006172267f), u, 0.10293862f), u, 0.326814f), u, 0.57042307f);
  uint32_t i = n.i >> 1;
  a.i = i << 23; b.i = (n.i - i) << 23;
  q = t*p*(eq_fmaf(q, r*r, r) + 1.0f)*a.f*b.f;
  return x < 0.0f ? 2.0f - q : q;
}
#define erfcf eq_erfcf
