static const int64_t eq_c0[] = {-1LL, 2LL};
static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  for (int64_t i0 = low; i0 < high; i0++) {
    const double *const q1 = a0 + i0*n0;
    double *const q0 = r0 + i0*2;
#pragma omp simd
    for (int64_t j = 0; j < 2; j++) {
      const double t0 = q1[j];
      const double t1 = exp(t0);
      q0[j] = t1;
    }
  }
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  N[2] = N[0]*N[1];
  N[3] = ((int64_t *)(void *)eq_c0)[0];
  N[4] = ((int64_t *)(void *)eq_c0)[1];
  N[5] = (N[3] == -1 ? 1 : N[3])*(N[4] == -1 ? 1 : N[4]);
  N[6] = (N[3] == -1) + (N[4] == -1);
  N[7] = N[3] == -1 && N[5] != 0 ? N[2] / N[5] : N[3];
  N[8] = N[4] == -1 && N[5] != 0 ? N[2] / N[5] : N[4];
  if (N[6] > 1 || N[3] < -1 || N[4] < -1 || N[7]*N[8] != N[2] || N[7] < 0 || N[8] < 0) { c->step = 1; return eq_fail(c, 0, N[2], 0, 0, 0); }
  if (eq_give(c, 2, 1, 0, (int64_t[]){N[7], 2})) return 1;
  eq_spread(c, eq_k0, N[7], 1, 23LL*N[7]*2, (void *[]){P[1], P[0]}, (int64_t[]){N[8]});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 9, 2, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
