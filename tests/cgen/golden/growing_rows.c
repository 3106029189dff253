static __attribute__((noinline)) int64_t eq_d0(eq_call *c, void *const *p, const int64_t *v, int64_t *out) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const double *x1 = p[1];
  const int64_t x1n0 = v[1];
  const int64_t n_1 = x0n0 + x1n0;
  out[0] = n_1;
  return 0;
}
static __attribute__((noinline)) void eq_s1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const double *x1 = p[1];
  const int64_t x1n0 = v[1];
  double *out = p[2];
  const int64_t outn0 = v[2];
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    out[i0] = x0[i0];
  }
}
static __attribute__((noinline)) void eq_s2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const double *x1 = p[1];
  const int64_t x1n0 = v[1];
  double *out = p[2];
  const int64_t outn0 = v[2];
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    out[x0n0 + i0] = x1[i0];
  }
}
static __attribute__((noinline)) int64_t eq_b3(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const double *x1 = p[1];
  const int64_t x1n0 = v[1];
  double *out = p[2];
  const int64_t outn0 = v[2];
  eq_spread(c, eq_s1, x0n0, 1, x0n0*2, p, v);
  eq_spread(c, eq_s2, x1n0, 1, x1n0*2, p, v);
  const int64_t offset_2 = x0n0 + x1n0;
  return 0;
}
static __attribute__((noinline)) int64_t eq_loop4(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  int64_t n_1 = N[1];
  char *p_2 = P[2];
  char *p_0 = P[0];
  int64_t n_2 = N[2];
  char *p_1 = P[1];
  char *p_3 = P[3];
  int64_t n_0 = N[0];
  int64_t n_4 = N[4];
  int64_t n_5 = N[5];
  for (n_1 = 0; n_1 < 3; n_1++) {
    p_2 = n_1 < 1 ? p_0 + n_1*n_2 : p_1 + (n_1 - 1) % 2*n_2;
    p_3 = p_1 + n_1 % 2*n_2;
    { int64_t d_1[1]; if (eq_d0(c, (void *[]){p_2, p_2}, (int64_t[]){n_0, n_4}, d_1)) { c->step = 3; return 1; } n_5 = d_1[0]; }
    if (n_0 != n_5) { c->step = 4; return eq_fail(c, 0, n_0, n_1, n_5, 0); }
    if (eq_b3(c, (void *[]){p_2, p_2, p_3}, (int64_t[]){n_0, n_4, n_5})) { c->step = 5; return 1; }
  }
  N[1] = n_1;
  return 0;
}
static __attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v) {
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
static __attribute__((noinline, cold)) int64_t eq_part6(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  N[2] = 8*N[0];
  c->slots[0].live = 0; if (eq_take(c, 1, 1, 0, 8.0*2*N[0])) return 1;
  N[1] = 0;
  N[3] = 1 > N[0] ? N[0] : 1;
  N[4] = N[3] > 0 ? N[3] - 1 + 1 : 0;
  if (eq_loop4(c)) return 1;
  N[6] = N[1] > 1 ? N[1] - 1 : 0;
  c->slots[1].live = 0; if (eq_take(c, 5, 4, 1, 8.0*N[0])) return 1;
  for (int64_t i = N[6]; i < N[1]; i++) {
  __builtin_memcpy((P[4] + (i - N[6])*N[2]), (P[1] + i % 2*N[2]), N[0]*sizeof(double));
}
  P[5] = P[4] - N[6]*N[2];
  N[7] = 2*N[0];
  P[6] = (char *)(((double *)P[5]) + N[7]);
  if (eq_give(c, 6, 7, 0, (int64_t[]){N[0]})) return 1;
  eq_spread(c, eq_k5, N[0], 64, 3LL*N[0], (void *[]){P[7], P[6]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part6(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 8, 8, 2, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
