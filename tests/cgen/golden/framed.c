static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t n3 = v[3];
  const double t1 = 0.0;
  for (int64_t i0 = low + n2; i0 < high + n2; i0++) {
    const double *const q1 = a0 + i0*n0;
    double *const q0 = r0 + i0*n0;
#pragma omp simd
    for (int64_t j = n3; j < n1 + n3; j++) {
      const double t0 = q1[j];
      const double t2 = (t1 + t0);
      q0[j] = t2;
    }
  }
}
static __attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t n3 = v[3];
  const int64_t n4 = v[4];
  const int64_t n5 = v[5];
  const int64_t n6 = v[6];
  const int64_t n7 = v[7];
  const int64_t n8 = v[8];
  const double t1 = 0.0;
  for (int64_t i0 = low + n7; i0 < high + n7; i0++) {
    const double *const q1 = a0 + i0*n0;
    const double *const q2 = a1 + i0*n0;
    double *const q0 = r0 + i0*n0;
    for (int64_t j = n8; j < n6 + n8; j++) {
      const double t0 = q1[j];
      const double t2 = ((i0 >= n1) & (i0 < n2) & (j >= n1) & (j < n0)) ? q2[j] : 0;
      const double t3 = exp(t2);
      const double t4 = ((i0 >= n3) & (i0 < n4) & (j >= n5) & (j < n0)) ? t1 : ((i0 >= n1) & (i0 < n3)) ? t3 : ((i0 >= n4) & (i0 < n2)) ? t3 : t3;
      const double t5 = (t4 + t0);
      q0[j] = t5;
    }
  }
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  N[4] = 1 > N[0] ? N[0] : 1;
  N[5] = -1 + N[0];
  N[6] = N[5] < 0 ? 0 : N[5] > N[0] ? N[0] : N[5];
  N[7] = N[6] - N[4];
  N[8] = N[7] > 0 ? N[7] - 1 + 1 : 0;
  N[9] = 2 > N[1] ? N[1] : 2;
  N[10] = N[1] - N[9];
  N[11] = N[10] > 0 ? N[10] - 1 + 1 : 0;
  N[12] = N[4] + N[8];
  if (N[0] != N[2]) { c->step = 3; return eq_fail(c, 0, N[0], N[2], 0, 0); }
  if (N[1] != N[3]) { c->step = 4; return eq_fail(c, 1, N[1], N[3], 0, 0); }
  if (eq_give(c, 4, 2, 0, (int64_t[]){N[0], N[1]})) return 1;
  N[13] = eq_least(N[0], N[12]);
  N[14] = N[13] > N[4] ? N[13] : N[4];
  N[15] = N[1] > N[9] ? N[1] : N[9];
  N[16] = 0 > N[13] - N[4] ? 0 : N[13] - N[4];
  N[17] = 0 > N[1] - N[9] ? 0 : N[1] - N[9];
  N[18] = eq_least(N[0], N[4]);
  N[19] = N[18];
  N[20] = 0;
  N[21] = N[1];
  N[22] = 0;
  N[23] = 0 > N[0] - N[14] ? 0 : N[0] - N[14];
  N[24] = N[23];
  N[25] = N[14];
  N[26] = N[1];
  N[27] = 0;
  N[28] = eq_least(N[0], N[14]);
  N[29] = 0 > N[28] - N[4] ? 0 : N[28] - N[4];
  N[30] = N[29];
  N[31] = N[4];
  N[32] = eq_least(N[1], N[9]);
  N[33] = N[32];
  N[34] = 0;
  N[35] = N[29];
  N[36] = N[4];
  N[37] = 0 > N[1] - N[15] ? 0 : N[1] - N[15];
  N[38] = N[37];
  N[39] = N[15];
  eq_spread(c, eq_k0, N[16], 1, 4LL*N[16]*N[17], (void *[]){P[2], P[1]}, (int64_t[]){N[1], N[17], N[4], N[9]});
  N[40] = 0;
  eq_spread(c, eq_k1, N[19], 1, 25LL*N[19]*N[21], (void *[]){P[2], P[1], P[0]}, (int64_t[]){N[1], N[40], N[0], N[4], N[12], N[9], N[21], N[20], N[22]});
  eq_spread(c, eq_k1, N[24], 1, 25LL*N[24]*N[26], (void *[]){P[2], P[1], P[0]}, (int64_t[]){N[1], N[40], N[0], N[4], N[12], N[9], N[26], N[25], N[27]});
  eq_spread(c, eq_k1, N[30], 1, 25LL*N[30]*N[33], (void *[]){P[2], P[1], P[0]}, (int64_t[]){N[1], N[40], N[0], N[4], N[12], N[9], N[33], N[31], N[34]});
  eq_spread(c, eq_k1, N[35], 1, 25LL*N[35]*N[38], (void *[]){P[2], P[1], P[0]}, (int64_t[]){N[1], N[40], N[0], N[4], N[12], N[9], N[38], N[36], N[39]});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 2, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 41, 3, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
