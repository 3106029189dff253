static const double eq_c0[] = {1.0};
#if EQ_HALF != 2
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  double *restrict const w0 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = n0 == 1 ? task : task / n0, part = task - row*n0;
    const int64_t first = part*n2, last = eq_least(first + n2, n1);
    double s0 = 0;
    if (last - first <= 24) {
      for (int64_t j = first; j < last; j++) {
        const double t0 = a0[j];
        s0 = s0 + (double)t0;
      }
    } else {
      double m0 = 0;
      for (int64_t b = first; b < last; b += 256) {
        const int64_t stop = eq_least(b + 256, last);
        double b0 = 0;
#pragma omp simd reduction(+:b0)
        for (int64_t j = b; j < stop; j++) {
          const double t0 = a0[j];
          b0 = b0 + (double)t0;
        }
        m0 = m0 + b0;
        if (((b - first) & 7936) == 7936) { s0 = s0 + m0; m0 = 0; }
      }
      s0 = s0 + m0;
    }
    if (n0 == 1) r0[row] = (double)s0; else w0[task] = s0;
  }
}
#else
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline, cold, optimize("O0"))) void eq_j1(int64_t kept, int64_t chunks, double *w, double *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = w[q] + w[q + d];
    r[k] = (double)w[0];
  }
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 3, 3, 1, (int64_t[]){0})) return 1;
  N[5] = eq_span(1, N[0]*N[1], N[0]*N[1], 256);
  N[6] = N[0]*N[1] > 0 ? (N[0]*N[1] + N[5] - 1) / N[5] : 1;
  c->slots[0].live = 0; if (eq_take(c, 3, 4, 0, 8.0*(N[6] > 1 ? 1*N[6] : 0))) return 1;
  eq_spread(c, eq_k0, 1*N[6], 1, 3LL*N[0]*N[1], (void *[]){P[3], P[0], P[4]}, (int64_t[]){N[6], N[0]*N[1], N[5]});
  if (N[6] > 1) eq_j1(1, N[6], (void *)P[4], (void *)P[3]);
  return 0;
}
static __attribute__((noinline)) int64_t eq_b3(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  const double *x2 = p[2];
  const int64_t x2n1 = v[3];
  const int64_t *x3 = p[3];
  const int64_t x3n0 = v[4];
  double *out = p[4];
  const int64_t outn0 = v[5];
  const int64_t outn1 = v[6];
  const int64_t outs0 = v[7];
  if (x2n1 != x0n1) { return eq_fail(c, 0, x2n1, x0n1, 0, 0); }
  int64_t outside_1 = 0;
  #pragma omp simd reduction(+:outside_1)
  for (int64_t i0 = 0; i0 < x3n0; i0++) {
    const int64_t g = x3[i0];
    outside_1 = outside_1 + ((g < -x0n0) + (g >= x0n0));
  }
  if (outside_1 > 0) {
    for (int64_t i0 = 0; i0 < x3n0; i0++) {
      const int64_t g = x3[i0];
      if (g < -x0n0 || g >= x0n0) { return eq_fail(c, 1, g, x0n0, 0, 0); }
    }
  }
  if (c->dry) return 0;
  if ((const void *)out != (const void *)x0) {
    if (x0n0 == 1 || x0s0 == x0n1) {
      __builtin_memcpy(out, x0, x0n0*x0n1*sizeof(double));
    } else {
      for (int64_t i0 = 0; i0 < x0n0; i0++) {
        for (int64_t i1 = 0; i1 < x0n1; i1++) {
          out[i0*outs0 + i1] = x0[i0*x0s0 + i1];
        }
      }
    }
  }
  for (int64_t i0 = 0; i0 < x3n0; i0++) {
    const int64_t at = x3[i0];
    const int64_t g = at < 0 ? at + x0n0 : at;
    const double factor = x1[0];
    for (int64_t j = 0; j < x0n1; j++) {
      (out + g*outs0)[j] = (double)((out + g*outs0)[j] + factor*x2[j]);
    }
  }
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part4(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 5, 5, 0, (int64_t[]){N[0], N[1]})) return 1;
  c->dry = 1; if (eq_b3(c, (void *[]){P[0], (void *)eq_c0, P[1], P[2], P[5]}, (int64_t[]){N[0], N[1], N[1], N[3], N[4], N[0], N[1], N[1]})) { c->step = 5; return 1; } c->dry = 0; if (eq_b3(c, (void *[]){P[0], (void *)eq_c0, P[1], P[2], P[5]}, (int64_t[]){N[0], N[1], N[1], N[3], N[4], N[0], N[1], N[1]})) { c->step = 5; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  if (eq_part4(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {1, -1};
static const int64_t eq_in_0_2[] = {-1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 2, eq_in_0_1}, {4, 1, eq_in_0_2}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const int64_t eq_out_0_1[] = {0};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}, {10, 0, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {0, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {3, 2, 7, 6, 1, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
