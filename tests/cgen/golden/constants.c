static const double eq_c0[] = {1.0, 2.0};
static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  double *out = p[2];
  const int64_t outn0 = v[3];
  if (x0n1 != 3) { return eq_fail(c, 0, x0n1, 3, 0, 0); }
  if (eq_dot__double(c, x0n0, 4, x0n1, x0, x0s0, 1, x1, 4, 1, out)) { return eq_fail(c, 1, 0, 0, 0, 0); }
  return 0;
}
static __attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t0 = a0[j];
    const double t1 = a1[j];
    const double t2 = (t1 * t0);
    r0[j] = t2;
  }
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 2, 0, (int64_t[]){N[1], 4})) return 1;
  if (eq_b0(c, (void *[]){P[1], (void *)K[0], P[2]}, (int64_t[]){N[1], N[2], N[2], N[1]})) { c->step = 1; return 1; }
  if (N[0] != 2) { c->step = 3; return eq_fail(c, 2, N[0], 2, 0, 0); }
  if (eq_give(c, 3, 3, 1, (int64_t[]){2})) return 1;
  eq_spread(c, eq_k1, 2, 64, 5LL*2, (void *[]){P[3], (void *)eq_c0, P[0]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const int64_t eq_in_0_1[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}, {10, 2, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}, {10, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 2, 3, 4, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
