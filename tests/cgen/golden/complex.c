static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  complex128_t *restrict const r0 = p[0];
  const complex128_t *restrict const a0 = p[1];
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const complex128_t t0 = a0[j];
    const complex128_t t1 = cexp(t0);
    const complex128_t t2 = eq_cmul__complex128_t(t1, t0);
    r0[j] = t2;
  }
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[0], N[1]})) return 1;
  eq_spread(c, eq_k0, N[0]*N[1], 64, 24LL*N[0]*N[1], (void *[]){P[1], P[0]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{12, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{12, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 2, 2, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
