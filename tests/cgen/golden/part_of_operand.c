static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  for (int64_t from = low, to = eq_first(a0, sizeof(double), low, high); from < high; from = to, to = high) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const double t0 = a0[j];
      const double t1 = a1[j];
      const double t2 = (t1 - t0);
      r0[j] = t2;
    }
  }
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  N[1] = 1 > N[0] ? N[0] : 1;
  N[2] = N[0] - N[1];
  N[3] = N[2] > 0 ? N[2] - 1 + 1 : 0;
  P[1] = (char *)(((double *)P[0]) + N[1]);
  N[4] = -1 + N[0];
  N[5] = N[4] < 0 ? 0 : N[4] > N[0] ? N[0] : N[4];
  N[6] = N[5] > 0 ? N[5] - 1 + 1 : 0;
  if (N[3] != N[6]) { c->step = 4; return eq_fail(c, 0, N[3], N[6], 0, 0); }
  if (eq_give(c, 4, 2, 0, (int64_t[]){N[3]})) return 1;
  eq_spread(c, eq_k0, N[3], 64, 5LL*N[3], (void *[]){P[2], P[0], P[1]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 7, 3, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
