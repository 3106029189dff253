static __attribute__((noinline)) void eq_s0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  const int64_t x1n0 = v[3];
  double *out = p[2];
  const int64_t outn0 = v[4];
  const int64_t outn1 = v[5];
  const int64_t outs0 = v[6];
  const int64_t bound_3 = 1 > outn0 ? outn0 : 1;
  const int64_t span_5 = outn0 - bound_3;
  const int64_t n_6 = span_5 > 0 ? span_5 - 1 + 1 : 0;
  const int64_t offset_8 = bound_3*outs0;
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    (out + offset_8)[i0*outs0] = x1[i0];
  }
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  const int64_t x1n0 = v[3];
  double *out = p[2];
  const int64_t outn0 = v[4];
  const int64_t outn1 = v[5];
  const int64_t outs0 = v[6];
  const int64_t bound_3 = 1 > outn0 ? outn0 : 1;
  const int64_t span_5 = outn0 - bound_3;
  const int64_t n_6 = span_5 > 0 ? span_5 - 1 + 1 : 0;
  if (0 < -outn1 || 0 >= outn1) { return eq_fail(c, 0, 0, outn1, 0, 0); }
  const int64_t offset_8 = bound_3*outs0;
  if (x1n0 != n_6) { return eq_fail(c, 1, x1n0, n_6, 0, 0); }
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
  eq_spread(c, eq_s0, n_6, 1, n_6*2, p, v);
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 2, 0, (int64_t[]){N[0], N[1]})) return 1;
  if (eq_b1(c, (void *[]){P[0], P[1], P[2]}, (int64_t[]){N[0], N[1], N[1], N[2], N[0], N[1], N[1]})) { c->step = 1; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 3, 3, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
