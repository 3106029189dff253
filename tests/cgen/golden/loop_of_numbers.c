static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  int64_t *out = p[1];
  out[0] = x0n0;
  return 0;
}
static __attribute__((noinline, optimize("fp-contract=fast", "expensive-optimizations", "no-tree-slp-vectorize"))) int64_t eq_loop1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  char *p_1 = P[1];
  int64_t n_2 = N[2];
  int64_t n_1 = N[1];
  char *p_3 = P[3];
  char *p_0 = P[0];
  char *p_4 = P[4];
  double L_1 = *(const double *)p_1;
  double L_2 = 0;
  for (n_2 = 0; n_2 + 1 < n_1; n_2++) {
    p_3 = p_0 + n_2*8;
    { double *const r0 = (void *)&L_2; const double *const a0 = (void *)p_3; const double *const a1 = (void *)&L_1;
  const double t0 = a0[0];
  const double t1 = 0.5;
  const double t2 = a1[0];
  const double t3 = (t2 * t1);
  const double t4 = (t3 + t0);
  r0[0] = t4;
  }
    *(double *)(p_4 + n_2 % 2*8) = *(const double *)&L_2;
    { double m0 = L_2; L_1 = m0; }
    n_2++;
    {
    p_3 = p_0 + n_2*8;
    { double *const r0 = (void *)&L_2; const double *const a0 = (void *)p_3; const double *const a1 = (void *)&L_1;
  const double t0 = a0[0];
  const double t1 = 0.5;
  const double t2 = a1[0];
  const double t3 = (t2 * t1);
  const double t4 = (t3 + t0);
  r0[0] = t4;
  }
    *(double *)(p_4 + n_2 % 2*8) = *(const double *)&L_2;
    { double m0 = L_2; L_1 = m0; }
    }
  }
  if (n_2 < n_1) {
    p_3 = p_0 + n_2*8;
    { double *const r0 = (void *)&L_2; const double *const a0 = (void *)p_3; const double *const a1 = (void *)&L_1;
  const double t0 = a0[0];
  const double t1 = 0.5;
  const double t2 = a1[0];
  const double t3 = (t2 * t1);
  const double t4 = (t3 + t0);
  r0[0] = t4;
  }
    *(double *)(p_4 + n_2 % 2*8) = *(const double *)&L_2;
    { double m0 = L_2; L_1 = m0; }
    n_2++;
  }
  N[2] = n_2;
  return 0;
}
static __attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double t0 = a0[0];
  r0[0] = t0;
}
static __attribute__((noinline, cold)) int64_t eq_part3(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  c->slots[0].live = 0; if (eq_take(c, 1, 2, 0, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[0], P[2]}, (int64_t[]){N[0]})) { c->step = 1; return 1; }
  N[1] = ((int64_t *)P[2])[0];
  if (N[1] < 0) { c->step = 3; return eq_fail(c, 0, N[1], 0, 0, 0); }
  if (N[0] < N[1]) { c->step = 4; return eq_fail(c, 1, N[0], N[1], 0, 0); }
  c->slots[1].live = 0; if (eq_take(c, 4, 4, 1, 8.0*2)) return 1;
  N[2] = 0;
  if (N[1] > 0) {
  if (eq_loop1(c)) return 1;
  }
  N[3] = N[2] > 1 ? N[2] - 1 : 0;
  c->slots[2].live = 0; if (eq_take(c, 5, 5, 2, 8.0*1)) return 1;
  for (int64_t i = N[3]; i < N[2]; i++) {
  __builtin_memcpy((P[5] + (i - N[3])*8), (P[4] + i % 2*8), 1*sizeof(double));
}
  P[6] = P[5] - N[3]*8;
  if (-1 < -N[1] || -1 >= N[1]) { c->step = 6; return eq_fail(c, 2, -1, N[1], 0, 0); }
  N[4] = -1 + N[1];
  P[7] = (char *)(((double *)P[6]) + N[4]);
  if (eq_give(c, 6, 8, 0, (int64_t[]){0})) return 1;
  eq_spread(c, eq_k2, 1, 1, 3LL, (void *[]){P[8], P[7]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part3(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const int64_t eq_in_0_1[] = {0};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}, {10, 0, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {0};
static const eq_type eq_out_0[] = {{10, 0, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 5, 9, 3, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
