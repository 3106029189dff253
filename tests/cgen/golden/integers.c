static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  int64_t *restrict const r0 = p[0];
  const int64_t *restrict const a0 = p[1];
  const int64_t t0 = 5LL;
  const int64_t t3 = 3LL;
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const int64_t t1 = a0[j];
    const int64_t t2 = eq_mod_i__int64_t(t1, t0);
    const int64_t t4 = eq_floordiv_i__int64_t(t1, t3);
    const int64_t t5 = (t4 + t2);
    r0[j] = t5;
  }
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[0]})) return 1;
  eq_spread(c, eq_k0, N[0], 64, 284LL*N[0], (void *[]){P[1], P[0]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const eq_type eq_in_0[] = {{4, 1, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{4, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 1, 2, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
