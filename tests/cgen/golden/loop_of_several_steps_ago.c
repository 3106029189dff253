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
  int64_t n_5 = N[5];
  int64_t n_4 = N[4];
  char *p_3 = P[3];
  char *p_0 = P[0];
  char *p_4 = P[4];
  double L_1 = *(const double *)(p_1 + 8);
  double L_2 = *(const double *)p_1;
  double L_3 = 0;
  for (n_5 = 0; n_5 + 1 < n_4; n_5++) {
    p_3 = p_0 + n_5*8;
    { double *const r0 = (void *)&L_3; const double *const a0 = (void *)p_3; const double *const a1 = (void *)&L_2; const double *const a2 = (void *)&L_1;
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = 0.3;
  const double t3 = (t2 * t1);
  const double t4 = a2[0];
  const double t5 = 0.6;
  const double t6 = (t5 * t4);
  const double t7 = (t3 + t0);
  const double t8 = (t6 + t7);
  r0[0] = t8;
  }
    *(double *)(p_4 + n_5*8) = *(const double *)&L_3;
    { double m0 = L_3; double m1 = L_1; L_1 = m0; L_2 = m1; }
    n_5++;
    {
    p_3 = p_0 + n_5*8;
    { double *const r0 = (void *)&L_3; const double *const a0 = (void *)p_3; const double *const a1 = (void *)&L_2; const double *const a2 = (void *)&L_1;
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = 0.3;
  const double t3 = (t2 * t1);
  const double t4 = a2[0];
  const double t5 = 0.6;
  const double t6 = (t5 * t4);
  const double t7 = (t3 + t0);
  const double t8 = (t6 + t7);
  r0[0] = t8;
  }
    *(double *)(p_4 + n_5*8) = *(const double *)&L_3;
    { double m0 = L_3; double m1 = L_1; L_1 = m0; L_2 = m1; }
    }
  }
  if (n_5 < n_4) {
    p_3 = p_0 + n_5*8;
    { double *const r0 = (void *)&L_3; const double *const a0 = (void *)p_3; const double *const a1 = (void *)&L_2; const double *const a2 = (void *)&L_1;
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = 0.3;
  const double t3 = (t2 * t1);
  const double t4 = a2[0];
  const double t5 = 0.6;
  const double t6 = (t5 * t4);
  const double t7 = (t3 + t0);
  const double t8 = (t6 + t7);
  r0[0] = t8;
  }
    *(double *)(p_4 + n_5*8) = *(const double *)&L_3;
    { double m0 = L_3; double m1 = L_1; L_1 = m0; L_2 = m1; }
    n_5++;
  }
  N[5] = n_5;
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  c->slots[0].live = 0; if (eq_take(c, 1, 2, 0, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[0], P[2]}, (int64_t[]){N[0]})) { c->step = 1; return 1; }
  N[2] = 2 > N[1] ? N[1] : 2;
  N[3] = N[2] > 0 ? N[2] - 1 + 1 : 0;
  N[4] = ((int64_t *)P[2])[0];
  if (N[4] < 0) { c->step = 4; return eq_fail(c, 0, N[4], 0, 0, 0); }
  if (N[0] < N[4]) { c->step = 5; return eq_fail(c, 1, N[0], N[4], 0, 0); }
  if (N[3] < 2) { c->step = 6; return eq_fail(c, 2, N[3], 2, 0, 0); }
  if (eq_give(c, 6, 4, 0, (int64_t[]){N[4]})) return 1;
  N[5] = 0;
  if (N[4] > 0) {
  if (eq_loop1(c)) return 1;
  }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}, {10, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 6, 5, 1, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
