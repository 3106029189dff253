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
  double *restrict const r2 = p[2];
  const double *restrict const a0 = p[3];
  const double *restrict const a1 = p[4];
  const double *restrict const a2 = p[5];
  double *restrict const w0 = p[6];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const double t0 = 2.0;
  const double t5 = 1.0;
  const double t9 = 100.0;
  const double t12 = a2[0];
  const double t15 = t5;
  const double t16 = (t15 * t9);
  for (int64_t task = low; task < high; task++) {
    const int64_t row = n0 == 1 ? task : task / n0, part = task - row*n0;
    const int64_t first = part*n2, last = eq_least(first + n2, n1);
    double s0 = 0;
    double m0 = 0;
    for (int64_t b = first; b < last; b += 256) {
      const int64_t stop = eq_least(b + 256, last);
      double b0 = 0;
#pragma omp simd reduction(+:b0)
      for (int64_t j = b; j < stop; j++) {
        const double t1 = a0[j];
        const double t2 = pow(t1, t0);
        const double t3 = a1[j];
        const double t4 = (t3 - t2);
        const double t6 = (t5 - t1);
        const double t7 = pow(t6, t0);
        const double t8 = pow(t4, t0);
        const double t10 = (t9 * t8);
        const double t11 = (t10 + t7);
        const double t13 = pow(t4, t12);
        const double t14 = (t0 * t13);
        const double t17 = (t16 * t14);
        r1[j] = t11;
        r2[j] = t17;
        b0 = b0 + (double)t11;
      }
      m0 = m0 + b0;
      if (((b - first) & 7936) == 7936) { s0 = s0 + m0; m0 = 0; }
    }
    s0 = s0 + m0;
    if (n0 == 1) r0[row] = (double)s0; else w0[task] = s0;
  }
}
__attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const double *restrict const a2 = p[3];
  const double *restrict const a3 = p[4];
  const double *restrict const a4 = p[5];
  const int64_t n0 = v[0];
  const double t1 = a1[0];
  const double t4 = 2.0;
  const double t9 = 1.0;
  const double t12 = 2.0;
  const double t14 = t9;
  const double t17 = a4[0];
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
__attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  int64_t *out = p[1];
  out[0] = x0n0;
  return 0;
}
static __attribute__((noinline, cold, optimize("O0"))) void eq_j3(int64_t kept, int64_t chunks, double *w, double *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = w[q] + w[q + d];
    r[k] = (double)w[0];
  }
}
static __attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const double *restrict const a2 = p[3];
  const double *restrict const a3 = p[4];
  const double *restrict const a4 = p[5];
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
  const double t14 = t9;
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
    const double t15 = (t14 * t13);
    const double t16 = (-t15);
    const double t17 = ((j >= n2) & (j < n4)) ? a4[0] : 0;
    const double t18 = (t17 + t16);
    const double t19 = ((j >= n2) & (j < n5)) ? t18 : t17;
    const double t20 = (t19 + t8);
    const double t21 = ((j >= n2) & (j < n5)) ? t20 : t19;
    const double t22 = (t21 + t0);
    const double t23 = ((j >= n0) & (j < n4)) ? t22 : t21;
    r0[j] = t23;
  }
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_part6(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  N[1] = 1 > N[0] ? N[0] : 1;
  N[2] = N[0] - N[1];
  N[3] = N[2] > 0 ? N[2] - 1 + 1 : 0;
  P[1] = (char *)(((double *)P[0]) + N[1]);
  N[4] = -1 + N[0];
  N[5] = N[4] < 0 ? 0 : N[4] > N[0] ? N[0] : N[4];
  N[6] = N[5] > 0 ? N[5] - 1 + 1 : 0;
  c->slots[0].live = 0; if (eq_take(c, 4, 2, 0, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[0], P[2]}, (int64_t[]){N[0]})) { c->step = 4; return 1; }
  N[7] = ((int64_t *)P[2])[0];
  if (N[7] < 0) { c->step = 5; return eq_fail(c, 0, N[7], 0, 0, 0); }
  c->slots[0].live = 0; if (eq_take(c, 6, 3, 0, 8.0*1)) return 1;
  eq_spread(c, eq_k1, 1, 1, 3LL, (void *[]){P[3]}, (int64_t[]){0});
  if (N[3] != N[6]) { c->step = 8; return eq_fail(c, 1, N[3], N[6], 0, 0); }
  c->slots[1].live = 0; if (eq_take(c, 8, 4, 1, 8.0*N[3])) return 1;
  if (eq_give(c, 8, 5, 0, (int64_t[]){0})) return 1;
  c->slots[2].live = 0; if (eq_take(c, 8, 6, 2, 8.0*N[3])) return 1;
  N[8] = eq_span(1, N[3], N[3], 256);
  N[9] = N[3] > 0 ? (N[3] + N[8] - 1) / N[8] : 1;
  c->slots[3].live = 0; if (eq_take(c, 8, 7, 3, 8.0*(N[9] > 1 ? 1*N[9] : 0))) return 1;
  eq_spread(c, eq_k2, 1*N[9], 1, 354LL*N[3], (void *[]){P[5], P[4], P[6], P[0], P[1], P[3], P[7]}, (int64_t[]){N[9], N[3], N[8]});
  if (N[9] > 1) eq_j3(1, N[9], (void *)P[7], (void *)P[5]);
  N[10] = -1 + N[7];
  N[11] = N[10] < 0 ? 0 : N[10] > N[7] ? N[7] : N[10];
  N[12] = N[11] > 0 ? N[11] - 1 + 1 : 0;
  if (N[3] != N[12]) { c->step = 11; return eq_fail(c, 2, N[3], N[12], 0, 0); }
  if (N[3] != N[12]) { c->step = 12; return eq_fail(c, 2, N[3], N[12], 0, 0); }
  N[13] = 1 > N[7] ? N[7] : 1;
  N[14] = N[7] - N[13];
  N[15] = N[14] > 0 ? N[14] - 1 + 1 : 0;
  if (N[3] != N[15]) { c->step = 13; return eq_fail(c, 2, N[3], N[15], 0, 0); }
  if (eq_give(c, 13, 8, 1, (int64_t[]){N[7]})) return 1;
  N[16] = eq_least(N[12], N[7]);
  N[17] = N[13] > N[16] ? N[13] : N[16];
  N[18] = 0 > N[16] - N[13] ? 0 : N[16] - N[13];
  N[19] = eq_least(N[13], N[7]);
  N[20] = N[19];
  N[21] = 0;
  N[22] = 0 > N[7] - N[17] ? 0 : N[7] - N[17];
  N[23] = N[22];
  N[24] = N[17];
  P[9] = (char *)(((double *)P[6]) + (0 - N[13]));
  eq_spread(c, eq_k4, N[18], 64, 184LL*N[18], (void *[]){P[8], P[9], P[3], P[0], P[6], (void *)eq_c0}, (int64_t[]){N[13]});
  N[25] = 0;
  N[26] = N[13] + N[3];
  eq_spread(c, eq_k5, N[20], 64, 184LL*N[20], (void *[]){P[8], P[9], P[3], P[0], P[6], (void *)eq_c0}, (int64_t[]){N[13], N[26], N[25], N[3], N[7], N[12], N[21]});
  eq_spread(c, eq_k5, N[23], 64, 184LL*N[23], (void *[]){P[8], P[9], P[3], P[0], P[6], (void *)eq_c0}, (int64_t[]){N[13], N[26], N[25], N[3], N[7], N[12], N[24]});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part6(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {0};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{10, 0, eq_out_0_0}, {10, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 2, 27, 10, 4, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
