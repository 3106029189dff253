static const int64_t eq_c0[] = {3LL};
static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double t0 = 2.0;
  const double t1 = a0[0];
  const double t2 = (t1 * t0);
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    r0[j] = t2;
  }
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (0 < -N[0] || 0 >= N[0]) { c->step = 2; return eq_fail(c, 0, 0, N[0], 0, 0); }
  N[1] = ((int64_t *)P[1])[0];
  if (N[1] < 0) { c->step = 3; return eq_fail(c, 1, N[1], 0, 0, 0); }
  N[2] = ((int64_t *)(void *)eq_c0)[0];
  if (N[2] < 0) { c->step = 3; return eq_fail(c, 1, N[2], 0, 0, 0); }
  if (eq_give(c, 4, 2, 0, (int64_t[]){N[1], 3})) return 1;
  eq_spread(c, eq_k0, 3*N[1], 64, 4LL*3*N[1], (void *[]){P[2], P[0]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {0};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{10, 0, eq_in_0_0}, {4, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 3, 3, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
