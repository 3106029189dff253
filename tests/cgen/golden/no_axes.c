static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double t0 = a0[0];
  const double t1 = (t0 * t0);
  r0[0] = t1;
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){0})) return 1;
  eq_spread(c, eq_k0, 1, 1, 4LL, (void *[]){P[1], P[0]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {0};
static const eq_type eq_in_0[] = {{10, 0, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {0};
static const eq_type eq_out_0[] = {{10, 0, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 0, 2, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
