static const double eq_c0[] = {0.0};
#if EQ_HALF != 2
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double t0 = 1.0;
  const double t1 = 2.0;
  const double t2 = (t1 - t0);
  r0[0] = t2;
}
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  double *restrict const r1 = p[1];
  const double *restrict const a0 = p[2];
  const double *restrict const a1 = p[3];
  const double *restrict const a2 = p[4];
  const double t0 = 2.0;
  const double t5 = 1.0;
  const double t6 = 100.0;
  const double t7 = t5;
  const double t8 = a2[0];
  const double t11 = (t7 * t6);
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t1 = a0[j];
    const double t2 = pow(t1, t0);
    const double t3 = a1[j];
    const double t4 = (t3 - t2);
    const double t9 = pow(t4, t8);
    const double t10 = (t0 * t9);
    const double t12 = (t11 * t10);
    r0[j] = t7;
    r1[j] = t12;
  }
}
__attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const double *restrict const a2 = p[3];
  const double *restrict const a3 = p[4];
  const double *restrict const a4 = p[5];
  const double *restrict const a5 = p[6];
  const int64_t n0 = v[0];
  const double t1 = a1[0];
  const double t4 = 2.0;
  const double t9 = 1.0;
  const double t12 = 2.0;
  const double t17 = a5[0];
#pragma omp simd
  for (int64_t j = low + n0; j < high + n0; j++) {
    const double t0 = a0[j];
    const double t2 = a2[j];
    const double t3 = pow(t2, t1);
    const double t5 = (t4 * t3);
    const double t6 = a3[j];
    const double t7 = (-t6);
    const double t8 = (t7 * t5);
    const double t10 = (t9 - t2);
    const double t11 = pow(t10, t1);
    const double t13 = (t12 * t11);
    const double t14 = a4[j];
    const double t15 = (t14 * t13);
    const double t16 = (-t15);
    const double t18 = (t17 + t16);
    const double t19 = (t18 + t8);
    const double t20 = (t19 + t0);
    r0[j] = t20;
  }
}
#else
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  int64_t *out = p[1];
  out[0] = x0n0;
  return 0;
}
static __attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const double *restrict const a2 = p[3];
  const double *restrict const a3 = p[4];
  const double *restrict const a4 = p[5];
  const double *restrict const a5 = p[6];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t n3 = v[3];
  const int64_t n4 = v[4];
  const int64_t n5 = v[5];
  const int64_t n6 = v[6];
  const double t1 = a1[0];
  const double t4 = 2.0;
  const double t9 = 1.0;
  const double t12 = 2.0;
  for (int64_t j = low + n6; j < high + n6; j++) {
    const double t0 = ((j >= n0) & (j < n1)) ? a0[j] : 0;
    const double t2 = ((j >= n2) & (j < n3)) ? a2[j] : 0;
    const double t3 = pow(t2, t1);
    const double t5 = (t4 * t3);
    const double t6 = ((j >= n2) & (j < n3)) ? a3[j] : 0;
    const double t7 = (-t6);
    const double t8 = (t7 * t5);
    const double t10 = (t9 - t2);
    const double t11 = pow(t10, t1);
    const double t13 = (t12 * t11);
    const double t14 = ((j >= n2) & (j < n3)) ? a4[j] : 0;
    const double t15 = (t14 * t13);
    const double t16 = (-t15);
    const double t17 = ((j >= n2) & (j < n4)) ? a5[0] : 0;
    const double t18 = (t17 + t16);
    const double t19 = ((j >= n2) & (j < n5)) ? t18 : t17;
    const double t20 = (t19 + t8);
    const double t21 = ((j >= n2) & (j < n5)) ? t20 : t19;
    const double t22 = (t21 + t0);
    const double t23 = ((j >= n0) & (j < n4)) ? t22 : t21;
    r0[j] = t23;
  }
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_part5(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  c->slots[0].live = 0; if (eq_take(c, 2, 1, 0, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[0], P[1]}, (int64_t[]){N[0]})) { c->step = 2; return 1; }
  N[1] = ((int64_t *)P[1])[0];
  if (N[1] < 0) { c->step = 3; return eq_fail(c, 0, N[1], 0, 0, 0); }
  N[2] = 1 > N[0] ? N[0] : 1;
  N[3] = N[0] - N[2];
  N[4] = N[3] > 0 ? N[3] - 1 + 1 : 0;
  P[2] = (char *)(((double *)P[0]) + N[2]);
  N[5] = -1 + N[0];
  N[6] = N[5] < 0 ? 0 : N[5] > N[0] ? N[0] : N[5];
  N[7] = N[6] > 0 ? N[6] - 1 + 1 : 0;
  c->slots[0].live = 0; if (eq_take(c, 6, 3, 0, 8.0*1)) return 1;
  eq_spread(c, eq_k1, 1, 1, 3LL, (void *[]){P[3]}, (int64_t[]){0});
  if (N[4] != N[7]) { c->step = 8; return eq_fail(c, 1, N[4], N[7], 0, 0); }
  c->slots[1].live = 0; if (eq_take(c, 8, 4, 1, 8.0*N[4])) return 1;
  c->slots[2].live = 0; if (eq_take(c, 8, 5, 2, 8.0*N[4])) return 1;
  eq_spread(c, eq_k2, N[4], 64, 180LL*N[4], (void *[]){P[4], P[5], P[0], P[2], P[3]}, (int64_t[]){0});
  N[8] = -1 + N[1];
  N[9] = N[8] < 0 ? 0 : N[8] > N[1] ? N[1] : N[8];
  N[10] = N[9] > 0 ? N[9] - 1 + 1 : 0;
  if (N[4] != N[10]) { c->step = 10; return eq_fail(c, 2, N[4], N[10], 0, 0); }
  if (N[4] != N[10]) { c->step = 11; return eq_fail(c, 2, N[4], N[10], 0, 0); }
  N[11] = 1 > N[1] ? N[1] : 1;
  N[12] = N[1] - N[11];
  N[13] = N[12] > 0 ? N[12] - 1 + 1 : 0;
  if (N[4] != N[13]) { c->step = 12; return eq_fail(c, 2, N[4], N[13], 0, 0); }
  if (eq_give(c, 12, 6, 0, (int64_t[]){N[1]})) return 1;
  N[14] = eq_least(N[10], N[1]);
  N[15] = N[11] > N[14] ? N[11] : N[14];
  N[16] = 0 > N[14] - N[11] ? 0 : N[14] - N[11];
  N[17] = eq_least(N[11], N[1]);
  N[18] = N[17];
  N[19] = 0;
  N[20] = 0 > N[1] - N[15] ? 0 : N[1] - N[15];
  N[21] = N[20];
  N[22] = N[15];
  P[7] = (char *)(((double *)P[5]) + (0 - N[11]));
  eq_spread(c, eq_k3, N[16], 64, 185LL*N[16], (void *[]){P[6], P[7], P[3], P[0], P[5], P[4], (void *)eq_c0}, (int64_t[]){N[11]});
  N[23] = 0;
  N[24] = N[11] + N[4];
  eq_spread(c, eq_k4, N[18], 64, 185LL*N[18], (void *[]){P[6], P[7], P[3], P[0], P[5], P[4], (void *)eq_c0}, (int64_t[]){N[11], N[24], N[23], N[4], N[1], N[10], N[19]});
  eq_spread(c, eq_k4, N[21], 64, 185LL*N[21], (void *[]){P[6], P[7], P[3], P[0], P[5], P[4], (void *)eq_c0}, (int64_t[]){N[11], N[24], N[23], N[4], N[1], N[10], N[22]});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part5(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 25, 8, 3, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
