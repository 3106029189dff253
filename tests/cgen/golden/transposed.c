static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  for (int64_t g0 = low; g0 < high; g0 += 64) {
    const int64_t e0 = eq_least(g0 + 64, high);
    for (int64_t g1 = 0; g1 < n0; g1 += 64) {
      const int64_t e1 = eq_least(g1 + 64, n0);
      for (int64_t i0 = g0; i0 < e0; i0++) {
        const double *const q1 = a0 + i0*n0;
        const double *const q2 = a1 + i0;
        double *const q0 = r0 + i0*n0;
#pragma omp simd
        for (int64_t j = g1; j < e1; j++) {
          const double t0 = q1[j];
          const double t1 = q2[j*n1];
          const double t2 = (t1 + t0);
          q0[j] = t2;
        }
      }
    }
  }
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (N[1] != N[2]) { c->step = 2; return eq_fail(c, 0, N[1], N[2], 0, 0); }
  if (N[0] != N[3]) { c->step = 3; return eq_fail(c, 1, N[0], N[3], 0, 0); }
  if (eq_give(c, 3, 2, 0, (int64_t[]){N[1], N[0]})) return 1;
  eq_spread(c, eq_k0, N[1], 1, 5LL*N[1]*N[0], (void *[]){P[2], P[1], P[0]}, (int64_t[]){N[0], N[1]});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 2, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 4, 3, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
