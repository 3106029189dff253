static __attribute__((noinline)) void eq_s0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  double *out = p[1];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    if (x0n1 > 0) {
      double total = x0[i0*x0s0];
      out[i0*outs0] = total;
      for (int64_t k = 1; k < x0n1; k++) {
        total = (double)(total + x0[i0*x0s0 + k]);
        out[i0*outs0 + k] = total;
      }
    }
  }
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  double *out = p[1];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  eq_spread(c, eq_s0, x0n0, 1, x0n0*7, p, v);
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[0], N[1]})) return 1;
  if (eq_b1(c, (void *[]){P[0], P[1]}, (int64_t[]){N[0], N[1], N[1], N[0], N[1], N[1]})) { c->step = 1; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 2, 2, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
