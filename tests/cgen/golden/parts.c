static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const double t0 = 1.0;
  for (int64_t i0 = low; i0 < high; i0++) {
    const double *const q1 = a0 + i0*n1;
    double *const q0 = r0 + i0*n2;
#pragma omp simd
    for (int64_t j = 0; j < n2; j++) {
      const double t1 = q1[j*n0];
      const double t2 = (t1 * t0);
      q0[j] = t2;
    }
  }
}
static __attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double t0 = 1.0;
  for (int64_t from = low, to = eq_first(a0, sizeof(double), low, high); from < high; from = to, to = high) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const double t1 = a0[j];
      const double t2 = (t1 * t0);
      r0[j] = t2;
    }
  }
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  N[3] = 1 > N[0] ? N[0] : 1;
  N[4] = N[0] - N[3];
  N[5] = N[4] > 0 ? N[4] - 1 + 1 : 0;
  N[6] = N[1] - 1;
  N[7] = N[6] - -1;
  N[8] = N[7] > 0 ? (N[7] - 1) / 2 + 1 : 0;
  N[9] = N[3]*N[1] + N[6];
  P[2] = (char *)(((double *)P[0]) + N[9]);
  if (eq_give(c, 2, 3, 0, (int64_t[]){N[5], N[8]})) return 1;
  eq_spread(c, eq_k0, N[5], 1, 4LL*N[5]*N[8], (void *[]){P[3], P[2]}, (int64_t[]){-2, N[1], N[8]});
  if (0 < -N[2] || 0 >= N[2]) { c->step = 3; return eq_fail(c, 0, 0, N[2], 0, 0); }
  N[10] = ((int64_t *)P[1])[0];
  if (N[10] < -N[0] || N[10] >= N[0]) { c->step = 4; return eq_fail(c, 0, N[10], N[0], 0, 0); }
  N[11] = (N[10] < 0 ? N[10] + N[0] : N[10])*N[1];
  P[4] = (char *)(((double *)P[0]) + N[11]);
  if (eq_give(c, 5, 5, 1, (int64_t[]){N[1]})) return 1;
  eq_spread(c, eq_k1, N[1], 64, 4LL*N[1], (void *[]){P[5], P[4]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {4, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}, {10, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 2, 12, 6, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
