static __attribute__((noinline, optimize("fp-contract=fast", "expensive-optimizations", "no-tree-slp-vectorize"))) int64_t eq_loop0(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  char *p_0 = P[0];
  int64_t n_0 = N[0];
  char *p_1 = P[1];
  char *p_2 = P[2];
  char *p_3 = P[3];
  double L_1 = *(const double *)p_0;
  double L_2 = 0;
  double L_3 = *(const double *)p_0;
  double L_4 = 0;
  double L_5 = *(const double *)p_0;
  double L_6 = 0;
  for (n_0 = 0; n_0 + 1 < 50; n_0++) {
    { double *const r0 = (void *)&L_2; double *const r1 = (void *)&L_4; double *const r2 = (void *)&L_6; const double *const a0 = (void *)&L_3; const double *const a1 = (void *)&L_1; const double *const a2 = (void *)p_0; const double *const a3 = (void *)&L_5;
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = a2[0];
  const double t3 = (t2 * t1);
  const double t4 = (t3 * t0);
  const double t5 = (t1 - t4);
  const double t6 = 0.1;
  const double t7 = eq_apart((t6 * t0));
  const double t8 = (t0 + t4);
  const double t9 = (t8 - t7);
  const double t10 = a3[0];
  const double t11 = (t10 + t7);
  r0[0] = t5;
  r1[0] = t9;
  r2[0] = t11;
  }
    *(double *)(p_1 + n_0*8) = *(const double *)&L_2;
    *(double *)(p_2 + n_0*8) = *(const double *)&L_4;
    *(double *)(p_3 + n_0*8) = *(const double *)&L_6;
    { double m0 = L_2; double m1 = L_4; double m2 = L_6; L_1 = m0; L_3 = m1; L_5 = m2; }
    n_0++;
    {
    { double *const r0 = (void *)&L_2; double *const r1 = (void *)&L_4; double *const r2 = (void *)&L_6; const double *const a0 = (void *)&L_3; const double *const a1 = (void *)&L_1; const double *const a2 = (void *)p_0; const double *const a3 = (void *)&L_5;
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = a2[0];
  const double t3 = (t2 * t1);
  const double t4 = (t3 * t0);
  const double t5 = (t1 - t4);
  const double t6 = 0.1;
  const double t7 = eq_apart((t6 * t0));
  const double t8 = (t0 + t4);
  const double t9 = (t8 - t7);
  const double t10 = a3[0];
  const double t11 = (t10 + t7);
  r0[0] = t5;
  r1[0] = t9;
  r2[0] = t11;
  }
    *(double *)(p_1 + n_0*8) = *(const double *)&L_2;
    *(double *)(p_2 + n_0*8) = *(const double *)&L_4;
    *(double *)(p_3 + n_0*8) = *(const double *)&L_6;
    { double m0 = L_2; double m1 = L_4; double m2 = L_6; L_1 = m0; L_3 = m1; L_5 = m2; }
    }
  }
  if (n_0 < 50) {
    { double *const r0 = (void *)&L_2; double *const r1 = (void *)&L_4; double *const r2 = (void *)&L_6; const double *const a0 = (void *)&L_3; const double *const a1 = (void *)&L_1; const double *const a2 = (void *)p_0; const double *const a3 = (void *)&L_5;
  const double t0 = a0[0];
  const double t1 = a1[0];
  const double t2 = a2[0];
  const double t3 = (t2 * t1);
  const double t4 = (t3 * t0);
  const double t5 = (t1 - t4);
  const double t6 = 0.1;
  const double t7 = eq_apart((t6 * t0));
  const double t8 = (t0 + t4);
  const double t9 = (t8 - t7);
  const double t10 = a3[0];
  const double t11 = (t10 + t7);
  r0[0] = t5;
  r1[0] = t9;
  r2[0] = t11;
  }
    *(double *)(p_1 + n_0*8) = *(const double *)&L_2;
    *(double *)(p_2 + n_0*8) = *(const double *)&L_4;
    *(double *)(p_3 + n_0*8) = *(const double *)&L_6;
    { double m0 = L_2; double m1 = L_4; double m2 = L_6; L_1 = m0; L_3 = m1; L_5 = m2; }
    n_0++;
  }
  N[0] = n_0;
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){50})) return 1;
  if (eq_give(c, 1, 2, 1, (int64_t[]){50})) return 1;
  if (eq_give(c, 1, 3, 2, (int64_t[]){50})) return 1;
  N[0] = 0;
  if (eq_loop0(c)) return 1;
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {0};
static const eq_type eq_in_0[] = {{10, 0, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const int64_t eq_out_0_1[] = {-1};
static const int64_t eq_out_0_2[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}, {10, 1, eq_out_0_1}, {10, 1, eq_out_0_2}};
static const int64_t eq_reuse_0[] = {-1, -1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 3, 1, 4, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
