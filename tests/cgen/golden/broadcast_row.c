static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const int64_t n0 = v[0];
  const double t0 = 1.0;
  for (int64_t i0 = low; i0 < high; i0++) {
    const double *const q2 = a1 + i0*n0;
    double *const q0 = r0 + i0*n0;
#pragma omp simd
    for (int64_t j = 0; j < n0; j++) {
      const double t1 = a0[j];
      const double t2 = q2[j];
      const double t3 = (t2 * t1);
      const double t4 = (t3 + t0);
      q0[j] = t4;
    }
  }
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (N[1] != N[3]) { c->step = 2; return eq_fail(c, 0, N[1], N[3], 0, 0); }
  if (eq_give(c, 2, 2, 0, (int64_t[]){N[0], N[1]})) return 1;
  eq_spread(c, eq_k0, N[0], 1, 6LL*N[0]*N[1], (void *[]){P[2], P[1], P[0]}, (int64_t[]){N[1]});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 2, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 4, 3, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
