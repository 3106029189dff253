static __attribute__((noinline, optimize("fp-contract=fast", "expensive-optimizations", "no-tree-slp-vectorize"))) int64_t eq_loop0(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  char *p_0 = P[0];
  int64_t n_0 = N[0];
  int64_t n_1 = N[1];
  char *p_1 = P[1];
  double L_1 = *(const double *)p_0;
  double L_2 = 0;
  for (n_0 = 0; n_0 < 64; n_0++) {
    bool8_t L_3;
    { double *const r0 = (void *)&L_2; bool8_t *const r1 = (void *)&L_3; const double *const a0 = (void *)&L_1;
  const double t0 = 2.0;
  const double t1 = a0[0];
  const double t2 = (t1 * t0);
  const double t3 = 99.0;
  const bool8_t t4 = (t1 > t3);
  r0[0] = t2;
  r1[0] = t4;
  }
    n_1 = ((bool8_t *)&L_3)[0] != 0;
    *(double *)(p_1 + n_0*8) = *(const double *)&L_2;
    { double m0 = L_2; L_1 = m0; }
    if (n_1) { n_0++; break; }
  }
  N[0] = n_0;
  return 0;
}
static __attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
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
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  c->slots[0].live = 0; if (eq_take(c, 1, 1, 0, 8.0*64)) return 1;
  N[0] = 0;
  if (eq_loop0(c)) return 1;
  if (eq_give(c, 2, 2, 0, (int64_t[]){N[0]})) return 1;
  eq_spread(c, eq_k1, N[0], 64, 3LL*N[0], (void *[]){P[2], P[1]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {0};
static const eq_type eq_in_0[] = {{10, 0, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 2, 3, 1, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
