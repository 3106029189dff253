static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  out[0] = x0n0;
  return 0;
}
static __attribute__((noinline, optimize("fp-contract=fast", "expensive-optimizations", "no-tree-slp-vectorize"))) int64_t eq_loop1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  char *p_1 = P[1];
  int64_t n_5 = N[5];
  int64_t n_4 = N[4];
  char *p_8 = P[8];
  char *p_3 = P[3];
  char *p_9 = P[9];
  double L_1 = *(const double *)p_1;
  double L_2 = 0;
  for (n_5 = 0; n_5 + 1 < n_4; n_5++) {
    p_8 = p_3 + n_5*8;
    { double *const r0 = (void *)&L_2; const double *const a0 = (void *)&L_1; const double *const a1 = (void *)p_8;
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = (t1 * t0);
  r0[0] = t2;
  }
    *(double *)(p_9 + n_5 % 2*8) = *(const double *)&L_2;
    { double m0 = L_2; L_1 = m0; }
    n_5++;
    {
    p_8 = p_3 + n_5*8;
    { double *const r0 = (void *)&L_2; const double *const a0 = (void *)&L_1; const double *const a1 = (void *)p_8;
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = (t1 * t0);
  r0[0] = t2;
  }
    *(double *)(p_9 + n_5 % 2*8) = *(const double *)&L_2;
    { double m0 = L_2; L_1 = m0; }
    }
  }
  if (n_5 < n_4) {
    p_8 = p_3 + n_5*8;
    { double *const r0 = (void *)&L_2; const double *const a0 = (void *)&L_1; const double *const a1 = (void *)p_8;
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = (t1 * t0);
  r0[0] = t2;
  }
    *(double *)(p_9 + n_5 % 2*8) = *(const double *)&L_2;
    { double m0 = L_2; L_1 = m0; }
    n_5++;
  }
  N[5] = n_5;
  return 0;
}
static __attribute__((noinline)) int64_t eq_loop2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  for (N[3] = 0; N[3] < N[2]; N[3]++) {
    P[3] = P[0] + N[3]*(8*N[1]);
    P[5] = N[3] < 1 ? P[1] + N[3]*8 : P[4] + (N[3] - 1)*8;
    P[6] = P[4] + N[3]*8;
    {
  const double *x0 = (void *)P[3];
  const int64_t x0n0 = N[1];
  int64_t *out = (void *)P[7];
  out[0] = x0n0;
}
    N[4] = ((int64_t *)P[7])[0];
    if (N[4] < 0) { c->step = 7; return eq_fail(c, 0, N[4], 0, 0, 0); }
    if (N[1] < N[4]) { c->step = 8; return eq_fail(c, 1, N[1], N[4], 0, 0); }
    N[5] = 0;
    if (N[4] > 0) {
    if (eq_loop1(c)) return 1;
    }
    N[6] = N[5] > 1 ? N[5] - 1 : 0;
    for (int64_t i = N[6]; i < N[5]; i++) {
  __builtin_memcpy((P[10] + (i - N[6])*8), (P[9] + i % 2*8), 1*sizeof(double));
}
    P[11] = P[10] - N[6]*8;
    if (-1 < -N[4] || -1 >= N[4]) { c->step = 10; return eq_fail(c, 2, -1, N[4], 0, 0); }
    N[7] = -1 + N[4];
    P[12] = (char *)(((double *)P[11]) + N[7]);
    { double *const r0 = (void *)P[6]; const double *const a0 = (void *)P[12]; const double *const a1 = (void *)P[5];
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = (t1 + t0);
  r0[0] = t2;
  }
  }
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part3(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  c->slots[0].live = 0; if (eq_take(c, 1, 2, 0, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[0], P[2]}, (int64_t[]){N[0], N[1], N[1]})) { c->step = 1; return 1; }
  N[2] = ((int64_t *)P[2])[0];
  if (N[2] < 0) { c->step = 3; return eq_fail(c, 0, N[2], 0, 0, 0); }
  if (N[0] < N[2]) { c->step = 4; return eq_fail(c, 1, N[0], N[2], 0, 0); }
  if (eq_give(c, 4, 4, 0, (int64_t[]){N[2]})) return 1;
  N[3] = 0;
  if (N[2] > 0) {
  if (eq_take(c, 5, 7, 1, 8.0*1)) return 1;
  if (eq_take(c, 8, 9, 2, 8.0*2)) return 1;
  if (eq_take(c, 9, 10, 3, 8.0*1)) return 1;
  if (eq_loop2(c)) return 1;
  }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part3(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {0};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 0, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 8, 13, 4, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
