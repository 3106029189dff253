static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  bool8_t *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double t0 = 0.0;
  const double t1 = a0[0];
  const bool8_t t2 = (t1 > t0);
  r0[0] = t2;
}
static __attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const double t0 = a0[0];
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t1 = a1[j];
    const double t2 = exp(t1);
    const double t3 = (t2 * t0);
    r0[j] = t3;
  }
}
static __attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  for (int64_t from = low, to = eq_first(a0, sizeof(double), low, high); from < high; from = to, to = high) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const double t0 = a0[j];
      r0[j] = t0;
    }
  }
}
static __attribute__((noinline, cold)) int64_t eq_part3(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  c->slots[0].live = 0; if (eq_take(c, 1, 2, 0, 1.0*1)) return 1;
  eq_spread(c, eq_k0, 1, 1, 4LL, (void *[]){P[2], P[0]}, (int64_t[]){0});
  N[1] = ((bool8_t *)P[2])[0] != 0;
  if (N[1]) {
  N[2] = N[0];
  if (eq_give(c, 3, 4, 0, (int64_t[]){N[2]})) return 1;
  P[3] = P[4];
  eq_spread(c, eq_k1, N[0], 64, 25LL*N[0], (void *[]){P[4], P[0], P[1]}, (int64_t[]){0});
  }
  if (N[1] == 0) {
  N[3] = 1 > N[0] ? N[0] : 1;
  N[4] = N[0] - N[3];
  N[5] = N[4] > 0 ? N[4] - 1 + 1 : 0;
  P[5] = (char *)(((double *)P[1]) + N[3]);
  N[2] = N[5];
  if (eq_give(c, 4, 6, 0, (int64_t[]){N[2]})) return 1;
  P[3] = P[6];
  eq_spread(c, eq_k2, N[5], 64, 3LL*N[5], (void *[]){P[6], P[5]}, (int64_t[]){0});
  }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part3(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {0};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{10, 0, eq_in_0_0}, {10, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 6, 7, 1, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
