static const double eq_c0[] = {0.0};
static const double eq_c1[] = {1.0};
static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  out[0] = x0n0;
  return 0;
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  out[0] = x0n1;
  return 0;
}
static __attribute__((noinline)) int64_t eq_b2(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const int64_t *x1 = p[1];
  const int64_t x1n0 = v[3];
  double *out = p[2];
  const int64_t outn0 = v[4];
  const int64_t outn1 = v[5];
  const int64_t outs0 = v[6];
  for (int64_t i0 = 0; i0 < x1n0; i0++) {
    const int64_t g0 = x1[i0];
    if (g0 < -x0n0 || g0 >= x0n0) { return eq_fail(c, 1, g0, x0n0, 0, 0); }
    const int64_t h0 = g0 < 0 ? g0 + x0n0 : g0;
    __builtin_memcpy(out + i0*outs0, x0 + h0*x0s0, x0n1*sizeof(double));
  }
  return 0;
}
static __attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double t2 = 1.0;
  const double t3 = t2;
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t0 = r0[j];
    const double t1 = (t0 + t0);
    const double t4 = (t3 * t1);
    r0[j] = t4;
  }
}
static __attribute__((noinline)) int64_t eq_b4(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const double *x1 = p[1];
  const double *x2 = p[2];
  const int64_t x2n0 = v[2];
  const int64_t x2n1 = v[3];
  const int64_t x2s0 = v[4];
  const int64_t *x3 = p[3];
  const int64_t x3n0 = v[5];
  double *out = p[4];
  const int64_t outn0 = v[6];
  const int64_t outn1 = v[7];
  const int64_t outs0 = v[8];
  if (x2n0 != x3n0) { return eq_fail(c, 2, x2n0, x3n0, 0, 0); }
  if (x2n1 != x0n1) { return eq_fail(c, 3, x2n1, x0n1, 0, 0); }
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
    const double one_2 = x0[0];
    for (int64_t i0 = 0; i0 < x0n0; i0++) {
      for (int64_t i1 = 0; i1 < x0n1; i1++) {
        out[i0*outs0 + i1] = one_2;
      }
    }
  }
  for (int64_t i0 = 0; i0 < x3n0; i0++) {
    const int64_t at = x3[i0];
    const int64_t g = at < 0 ? at + x0n0 : at;
    const double factor = x1[0];
    for (int64_t j = 0; j < x0n1; j++) {
      (out + g*outs0)[j] = (double)((out + g*outs0)[j] + factor*(x2 + i0*x2s0)[j]);
    }
  }
  return 0;
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_part5(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  c->slots[0].live = 0; if (eq_take(c, 2, 2, 0, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[0], P[2]}, (int64_t[]){N[0], N[1], N[1]})) { c->step = 2; return 1; }
  c->slots[1].live = 0; if (eq_take(c, 3, 3, 1, 8.0*1)) return 1;
  if (eq_b1(c, (void *[]){P[0], P[3]}, (int64_t[]){N[0], N[1], N[1]})) { c->step = 3; return 1; }
  N[3] = ((int64_t *)P[2])[0];
  if (N[3] < 0) { c->step = 4; return eq_fail(c, 0, N[3], 0, 0, 0); }
  N[4] = ((int64_t *)P[3])[0];
  if (N[4] < 0) { c->step = 4; return eq_fail(c, 0, N[4], 0, 0, 0); }
  c->slots[0].live = c->slots[1].live = 0; if (eq_take(c, 5, 4, 1, 8.0*N[1]*N[2])) return 1;
  if (eq_b2(c, (void *[]){P[0], P[1], P[4]}, (int64_t[]){N[0], N[1], N[1], N[2], N[2], N[1], N[1]})) { c->step = 5; return 1; }
  eq_spread(c, eq_k3, N[1]*N[2], 64, 4LL*N[1]*N[2], (void *[]){P[4]}, (int64_t[]){0});
  if (eq_give(c, 7, 5, 0, (int64_t[]){N[3], N[4]})) return 1;
  if (eq_b4(c, (void *[]){(void *)eq_c0, (void *)eq_c1, P[4], P[1], P[5]}, (int64_t[]){N[3], N[4], N[2], N[1], N[1], N[2], N[3], N[4], N[4]})) { c->step = 7; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part5(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {4, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 5, 6, 2, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
