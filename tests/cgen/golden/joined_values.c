static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  const double t0 = 3.0;
  for (int64_t from = low + n0, to = eq_first(a0, sizeof(double), low + n0, high + n0); from < high + n0; from = to, to = high + n0) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const double t1 = a0[j];
      const double t2 = (t1 * t0);
      r0[j] = t2;
    }
  }
}
static __attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  const double t0 = 3.0;
  const double t1 = 2.0;
  for (int64_t from = low + n0, to = eq_first(a0, sizeof(double), low + n0, high + n0); from < high + n0; from = to, to = high + n0) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const double t2 = a0[j];
      const double t3 = (t2 * t1);
      const double t4 = (t3 * t0);
      r0[j] = t4;
    }
  }
}
static __attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double t0 = 3.0;
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t1 = a0[j];
    const double t2 = exp(t1);
    const double t3 = (t2 * t0);
    r0[j] = t3;
  }
}
static __attribute__((noinline, cold)) int64_t eq_part3(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  N[2] = 1 > N[0] ? N[0] : 1;
  N[3] = N[2] > 0 ? N[2] - 1 + 1 : 0;
  N[4] = N[0] + N[1];
  N[5] = N[4] + N[3];
  if (eq_give(c, 3, 2, 0, (int64_t[]){N[5]})) return 1;
  N[6] = 0 > N[5] - N[4] ? 0 : N[5] - N[4];
  N[7] = eq_least(N[4], N[5]);
  N[8] = 0 > N[7] - N[0] ? 0 : N[7] - N[0];
  N[9] = eq_least(N[0], N[5]);
  P[3] = (char *)(((double *)P[0]) + (0 - N[4]));
  eq_spread(c, eq_k0, N[6], 64, 4LL*N[6], (void *[]){P[2], P[3]}, (int64_t[]){N[4]});
  P[4] = (char *)(((double *)P[1]) + (0 - N[0]));
  eq_spread(c, eq_k1, N[8], 64, 5LL*N[8], (void *[]){P[2], P[4]}, (int64_t[]){N[0]});
  eq_spread(c, eq_k2, N[9], 64, 24LL*N[9], (void *[]){P[2], P[0]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part3(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}, {10, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 10, 5, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
