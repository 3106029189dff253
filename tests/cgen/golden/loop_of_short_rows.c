static __attribute__((noinline, optimize("fp-contract=fast", "expensive-optimizations", "no-tree-slp-vectorize"))) int64_t eq_loop0(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  char *p_0 = P[0];
  int64_t n_1 = N[1];
  char *p_2 = P[2];
  char *p_1 = P[1];
  double L_1[2];
  *(double *)(void *)&L_1 = *(const double *)p_0;
  *(double *)((void *)&L_1 + 8) = *(const double *)(p_0 + 8);
  double L_2[2];
  for (n_1 = 0; n_1 + 1 < 9; n_1++) {
    p_2 = (char *)(((double *)(void *)&L_1) + 1);
    { double *const r0 = (void *)(void *)&L_2; const double *const a0 = (void *)(void *)&L_1; const double *const a1 = (void *)(void *)&L_1;
  const double t0 = a0[0];
  const double t1 = (-t0);
  const double t2 = 0.1;
  const double t3 = (t2 * t1);
  const double t4_1 = a1[1];
  const double t5_1 = (t4_1 + t3);
  r0[1] = t5_1;
  }
    { double *const r0 = (void *)(void *)&L_2; const double *const a0 = (void *)p_2; const double *const a1 = (void *)(void *)&L_1;
  const double t0 = a0[0];
  const double t1 = 0.1;
  const double t2 = (t1 * t0);
  const double t3 = a1[0];
  const double t4 = (t3 + t2);
  r0[0] = t4;
  }
    *(double *)(p_1 + n_1*16) = *(const double *)(void *)&L_2;
    *(double *)(p_1 + n_1*16 + 8) = *(const double *)((void *)&L_2 + 8);
    *(double *)(void *)&L_1 = *(const double *)(void *)&L_2;
    *(double *)((void *)&L_1 + 8) = *(const double *)((void *)&L_2 + 8);
    n_1++;
    {
    p_2 = (char *)(((double *)(void *)&L_1) + 1);
    { double *const r0 = (void *)(void *)&L_2; const double *const a0 = (void *)(void *)&L_1; const double *const a1 = (void *)(void *)&L_1;
  const double t0 = a0[0];
  const double t1 = (-t0);
  const double t2 = 0.1;
  const double t3 = (t2 * t1);
  const double t4_1 = a1[1];
  const double t5_1 = (t4_1 + t3);
  r0[1] = t5_1;
  }
    { double *const r0 = (void *)(void *)&L_2; const double *const a0 = (void *)p_2; const double *const a1 = (void *)(void *)&L_1;
  const double t0 = a0[0];
  const double t1 = 0.1;
  const double t2 = (t1 * t0);
  const double t3 = a1[0];
  const double t4 = (t3 + t2);
  r0[0] = t4;
  }
    *(double *)(p_1 + n_1*16) = *(const double *)(void *)&L_2;
    *(double *)(p_1 + n_1*16 + 8) = *(const double *)((void *)&L_2 + 8);
    *(double *)(void *)&L_1 = *(const double *)(void *)&L_2;
    *(double *)((void *)&L_1 + 8) = *(const double *)((void *)&L_2 + 8);
    }
  }
  if (n_1 < 9) {
    p_2 = (char *)(((double *)(void *)&L_1) + 1);
    { double *const r0 = (void *)(void *)&L_2; const double *const a0 = (void *)(void *)&L_1; const double *const a1 = (void *)(void *)&L_1;
  const double t0 = a0[0];
  const double t1 = (-t0);
  const double t2 = 0.1;
  const double t3 = (t2 * t1);
  const double t4_1 = a1[1];
  const double t5_1 = (t4_1 + t3);
  r0[1] = t5_1;
  }
    { double *const r0 = (void *)(void *)&L_2; const double *const a0 = (void *)p_2; const double *const a1 = (void *)(void *)&L_1;
  const double t0 = a0[0];
  const double t1 = 0.1;
  const double t2 = (t1 * t0);
  const double t3 = a1[0];
  const double t4 = (t3 + t2);
  r0[0] = t4;
  }
    *(double *)(p_1 + n_1*16) = *(const double *)(void *)&L_2;
    *(double *)(p_1 + n_1*16 + 8) = *(const double *)((void *)&L_2 + 8);
    *(double *)(void *)&L_1 = *(const double *)(void *)&L_2;
    *(double *)((void *)&L_1 + 8) = *(const double *)((void *)&L_2 + 8);
    n_1++;
  }
  N[1] = n_1;
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){9, 2})) return 1;
  N[1] = 0;
  if (eq_loop0(c)) return 1;
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 2, 3, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
