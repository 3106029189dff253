static const double eq_c0[] = {0.0};
static const int64_t eq_c1[] = {1LL};
#if EQ_HALF != 2
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t0 = a0[j];
    const double t1 = a1[j];
    const double t2 = (t1 + t0);
    const double t3 = tanh(t2);
    r0[j] = t3;
  }
}
__attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  for (int64_t from = low + n0, to = eq_first(a0, sizeof(double), low + n0, high + n0); from < high + n0; from = to, to = high + n0) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const double t0 = a0[j];
      r0[j] = t0;
    }
  }
}
__attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  for (int64_t i0 = low; i0 < high; i0++) {
    double *const q0 = r0 + i0*n0;
#pragma omp simd
    for (int64_t j = 0; j < n0; j++) {
      const double t0 = a0[j];
      q0[j] = t0;
    }
  }
}
__attribute__((noinline)) void eq_k7(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double t0 = 1.0;
  const double t1 = t0;
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    r0[j] = t1;
  }
}
__attribute__((noinline)) void eq_k15(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double t0 = a0[0];
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    r0[j] = t0;
  }
}
__attribute__((noinline)) void eq_k16(int64_t low, int64_t high, void *const *p, const int64_t *v) {
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
__attribute__((noinline)) void eq_k17(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const double t2 = 1.0;
  for (int64_t from = low, to = eq_first(a0, sizeof(double), low, high); from < high; from = to, to = high) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const double t0 = a0[j];
      const double t1 = (t0 * t0);
      const double t3 = (t2 - t1);
      const double t4 = a1[j];
      const double t5 = (t4 * t3);
      r0[j] = t5;
    }
  }
}
__attribute__((noinline)) void eq_k19(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  for (int64_t from = low, to = eq_first(a0, sizeof(double), low, high); from < high; from = to, to = high) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const double t0 = a0[j];
      const double t1 = a1[j];
      const double t2 = (t1 + t0);
      r0[j] = t2;
    }
  }
}
__attribute__((noinline)) void eq_k20(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const int64_t n0 = v[0];
  for (int64_t i0 = low; i0 < high; i0++) {
    const double t1 = a1[i0];
    double *const q0 = r0 + i0*n0;
#pragma omp simd
    for (int64_t j = 0; j < n0; j++) {
      const double t0 = a0[j];
      const double t2 = (t1 * t0);
      const double t3 = q0[j];
      const double t4 = (t3 + t2);
      q0[j] = t4;
    }
  }
}
__attribute__((noinline)) void eq_k22(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  for (int64_t i0 = low; i0 < high; i0++) {
    const double *const q1 = a0 + i0*n0;
    double *const q0 = r0 + i0*n1;
#pragma omp simd
    for (int64_t j = 0; j < n1; j++) {
      const double t0 = q1[j];
      q0[j] = t0;
    }
  }
}
#else
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k7(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k15(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k16(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k17(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k19(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k20(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k22(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  out[0] = x0n0;
  return 0;
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n1 = v[0];
  const double *x1 = p[1];
  const int64_t x1n0 = v[1];
  const int64_t x1n1 = v[2];
  const int64_t x1s0 = v[3];
  double *out = p[2];
  const int64_t outn1 = v[4];
  if (x0n1 != x1n0) { return eq_fail(c, 2, x0n1, x1n0, 0, 0); }
  if (eq_dot__double(c, 1, x1n1, x0n1, x0, 0, 1, x1, x1s0, 1, out)) { return eq_fail(c, 3, 0, 0, 0, 0); }
  return 0;
}
static __attribute__((noinline)) int64_t eq_loop3(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  int64_t n_6 = N[6];
  int64_t n_5 = N[5];
  char *p_4 = P[4];
  char *p_0 = P[0];
  int64_t n_1 = N[1];
  char *p_6 = P[6];
  char *p_1 = P[1];
  int64_t n_7 = N[7];
  char *p_5 = P[5];
  char *p_7 = P[7];
  char *p_2 = P[2];
  char *p_8 = P[8];
  int64_t n_2 = N[2];
  int64_t n_3 = N[3];
  int64_t n_4 = N[4];
  for (n_6 = 0; n_6 < n_5; n_6++) {
    p_4 = p_0 + n_6*(8*n_1);
    p_6 = n_6 < 1 ? p_1 + n_6*n_7 : p_5 + (n_6 - 1)*n_7;
    p_7 = p_5 + n_6*n_7;
    if (eq_b1(c, (void *[]){p_6, p_2, p_8}, (int64_t[]){n_2, n_3, n_4, n_4, n_4})) { c->step = 6; return 1; }
    eq_spread(c, eq_k2, n_1, 64, 35LL*n_1, (void *[]){p_7, p_8, p_4}, (int64_t[]){0});
  }
  N[6] = n_6;
  return 0;
}
static __attribute__((noinline)) int64_t eq_b6(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  out[0] = x0n1;
  return 0;
}
static __attribute__((noinline)) void eq_s8(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const double *x1 = p[1];
  const int64_t x1n0 = v[2];
  double *out = p[2];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  const int64_t offset_2 = (-1 + outn0)*outs0;
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    (out + offset_2)[i0] = (double)((out + offset_2)[i0] + x1[i0]);
  }
}
static __attribute__((noinline)) int64_t eq_b9(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const double *x1 = p[1];
  const int64_t x1n0 = v[2];
  double *out = p[2];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  if (-1 < -outn0 || -1 >= outn0) { return eq_fail(c, 7, -1, outn0, 0, 0); }
  const int64_t offset_2 = (-1 + outn0)*outs0;
  if (x1n0 != outn1) { return eq_fail(c, 8, x1n0, outn1, 0, 0); }
  if (c->dry) return 0;
  if ((const void *)out != (const void *)x0) {
    const double one_3 = x0[0];
    for (int64_t i0 = 0; i0 < x0n0; i0++) {
      for (int64_t i1 = 0; i1 < x0n1; i1++) {
        out[i0*outs0 + i1] = one_3;
      }
    }
  }
  eq_spread(c, eq_s8, outn1, 1, outn1*2, p, v);
  return 0;
}
static __attribute__((noinline)) int64_t eq_b10(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  int64_t *out = p[1];
  out[0] = x0n0;
  return 0;
}
static __attribute__((noinline)) int64_t eq_d11(eq_call *c, void *const *p, const int64_t *v, int64_t *out) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  const int64_t x1n1 = v[3];
  const int64_t n_1 = x0n0 + 1;
  if (x1n1 != x0n1) { return eq_fail(c, 9, x0n1, x1n1, 0, 0); }
  out[0] = n_1;
  out[1] = x0n1;
  return 0;
}
static __attribute__((noinline)) void eq_s12(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  const int64_t x1n1 = v[3];
  double *out = p[2];
  const int64_t outn0 = v[4];
  const int64_t outn1 = v[5];
  const int64_t outs0 = v[6];
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    for (int64_t i1 = 0; i1 < x0n1; i1++) {
      out[i0*outs0 + i1] = x0[i0*x0s0 + i1];
    }
  }
}
static __attribute__((noinline)) void eq_s13(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  const int64_t x1n1 = v[3];
  double *out = p[2];
  const int64_t outn0 = v[4];
  const int64_t outn1 = v[5];
  const int64_t outs0 = v[6];
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    for (int64_t i1 = 0; i1 < x1n1; i1++) {
      out[(x0n0 + i0)*outs0 + i1] = x1[0];
    }
  }
}
static __attribute__((noinline)) int64_t eq_b14(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  const int64_t x1n1 = v[3];
  double *out = p[2];
  const int64_t outn0 = v[4];
  const int64_t outn1 = v[5];
  const int64_t outs0 = v[6];
  eq_spread(c, eq_s12, x0n0, 1, x0n0*x0n1*2, p, v);
  eq_spread(c, eq_s13, 1, 1, x1n1*2, p, v);
  const int64_t offset_2 = x0n0 + 1;
  return 0;
}
static __attribute__((noinline)) int64_t eq_b18(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n1 = v[0];
  const double *x1 = p[1];
  const int64_t x1n0 = v[1];
  const int64_t x1n1 = v[2];
  const int64_t x1s1 = v[3];
  double *out = p[2];
  const int64_t outn1 = v[4];
  if (x0n1 != x1n0) { return eq_fail(c, 2, x0n1, x1n0, 0, 0); }
  if (eq_dot__double(c, 1, x1n1, x0n1, x0, 0, 1, x1, 1, x1s1, out)) { return eq_fail(c, 3, 0, 0, 0, 0); }
  return 0;
}
static __attribute__((noinline)) int64_t eq_loop21(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  int64_t n_42 = N[42];
  int64_t n_41 = N[41];
  char *p_24 = P[24];
  char *p_9 = P[9];
  int64_t n_12 = N[12];
  char *p_25 = P[25];
  char *p_13 = P[13];
  int64_t n_26 = N[26];
  char *p_27 = P[27];
  char *p_21 = P[21];
  int64_t n_43 = N[43];
  char *p_28 = P[28];
  char *p_29 = P[29];
  char *p_32 = P[32];
  char *p_31 = P[31];
  int64_t n_44 = N[44];
  int64_t n_38 = N[38];
  char *p_2 = P[2];
  char *p_33 = P[33];
  int64_t n_4 = N[4];
  int64_t n_3 = N[3];
  char *p_34 = P[34];
  int64_t n_40 = N[40];
  char *p_30 = P[30];
  for (n_42 = 0; n_42 < n_41; n_42++) {
    p_24 = p_9 + n_42*(8*n_12);
    p_25 = p_13 + n_42*(8*n_26);
    p_27 = p_21 + n_42*n_43;
    p_28 = p_21 + (n_42 + 1)*n_43;
    p_29 = p_21 + (n_42 + 1)*n_43;
    p_32 = p_31 + n_42*n_44;
    eq_spread(c, eq_k17, n_38, 64, 7LL*n_38, (void *[]){p_32, p_24, p_27}, (int64_t[]){0});
    if (eq_b18(c, (void *[]){p_32, p_2, p_33}, (int64_t[]){n_38, n_4, n_3, n_4, n_3})) { c->step = 38; return 1; }
    eq_spread(c, eq_k19, n_38, 64, 5LL*n_38, (void *[]){p_34, p_33, p_28}, (int64_t[]){0});
    eq_spread(c, eq_k20, n_40, 1, 6LL*n_40*n_40, (void *[]){p_30, p_32, p_25}, (int64_t[]){n_40});
    eq_spread(c, eq_k16, n_38, 64, 3LL*n_38, (void *[]){p_29, p_34}, (int64_t[]){0});
  }
  N[42] = n_42;
  return 0;
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_part23(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  c->slots[0].live = 0; if (eq_take(c, 1, 3, 0, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[0], P[3]}, (int64_t[]){N[0], N[1], N[1]})) { c->step = 1; return 1; }
  N[5] = ((int64_t *)P[3])[0];
  if (N[5] < 0) { c->step = 3; return eq_fail(c, 0, N[5], 0, 0, 0); }
  if (N[0] < N[5]) { c->step = 4; return eq_fail(c, 1, N[0], N[5], 0, 0); }
  N[7] = 8*N[2];
  c->slots[1].live = 0; if (eq_take(c, 4, 5, 1, 8.0*N[2]*N[5])) return 1;
  N[6] = 0;
  if (N[5] > 0) {
  if (eq_take(c, 6, 8, 2, 8.0*N[4])) return 1;
  if (N[1] != N[4]) { c->step = 8; return eq_fail(c, 4, N[1], N[4], 0, 0); }
  if (N[5] > 0 && N[2] != N[1]) { c->step = 9; return eq_fail(c, 5, N[2], 0, N[1], 0); }
  if (eq_loop3(c)) return 1;
  }
  N[8] = N[5] - 1;
  N[9] = N[8] - -1;
  N[10] = N[9] > 0 ? N[9] - 1 + 1 : 0;
  N[11] = N[8]*N[2];
  N[12] = N[2]*-1;
  P[9] = (char *)(((double *)P[5]) + N[11]);
  N[13] = 1 + N[5];
  c->slots[2].live = 0; if (eq_take(c, 12, 10, 2, 8.0*N[13]*N[2])) return 1;
  N[14] = 0 > N[13] - 1 ? 0 : N[13] - 1;
  N[15] = eq_least(1, N[13]);
  P[11] = (char *)(((double *)P[5]) + (0 - N[2]));
  eq_spread(c, eq_k4, N[14]*N[2], 64, 3LL*N[14]*N[2], (void *[]){P[10], P[11]}, (int64_t[]){N[2]});
  eq_spread(c, eq_k5, N[15], 1, 3LL*N[15]*N[2], (void *[]){P[10], P[1]}, (int64_t[]){N[2]});
  N[16] = 0 > N[13] ? N[13] : 0;
  N[17] = -1 + N[13];
  N[18] = N[17] < 0 ? 0 : N[17] > N[13] ? N[13] : N[17];
  N[19] = N[18] - N[16];
  N[20] = N[19] > 0 ? N[19] - 1 + 1 : 0;
  N[21] = N[16]*N[2];
  P[12] = (char *)(((double *)P[10]) + N[21]);
  N[22] = N[20] - 1;
  N[23] = N[22] - -1;
  N[24] = N[23] > 0 ? N[23] - 1 + 1 : 0;
  N[25] = N[22]*N[2];
  N[26] = N[2]*-1;
  P[13] = (char *)(((double *)P[12]) + N[25]);
  c->slots[3].live = 0; if (eq_take(c, 16, 14, 3, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[5], P[14]}, (int64_t[]){N[5], N[2], N[2]})) { c->step = 16; return 1; }
  c->slots[4].live = 0; if (eq_take(c, 17, 15, 4, 8.0*1)) return 1;
  if (eq_b6(c, (void *[]){P[5], P[15]}, (int64_t[]){N[5], N[2], N[2]})) { c->step = 17; return 1; }
  N[27] = ((int64_t *)P[14])[0];
  if (N[27] < 0) { c->step = 18; return eq_fail(c, 6, N[27], 0, 0, 0); }
  N[28] = ((int64_t *)P[15])[0];
  if (N[28] < 0) { c->step = 18; return eq_fail(c, 6, N[28], 0, 0, 0); }
  if (-1 < -N[5] || -1 >= N[5]) { c->step = 19; return eq_fail(c, 7, -1, N[5], 0, 0); }
  N[29] = (-1 + N[5])*N[2];
  P[16] = (char *)(((double *)P[5]) + N[29]);
  c->slots[3].live = c->slots[4].live = 0; if (eq_take(c, 20, 17, 4, 8.0*N[2])) return 1;
  eq_spread(c, eq_k7, N[2], 64, 2LL*N[2], (void *[]){P[17]}, (int64_t[]){0});
  c->slots[3].live = 0; if (eq_take(c, 21, 18, 3, 8.0*N[27]*N[28])) return 1;
  if (eq_b9(c, (void *[]){(void *)eq_c0, P[17], P[18]}, (int64_t[]){N[27], N[28], N[2], N[27], N[28], N[28]})) { c->step = 21; return 1; }
  N[30] = N[27] - 1;
  N[31] = N[30] - -1;
  N[32] = N[31] > 0 ? N[31] - 1 + 1 : 0;
  N[33] = N[30]*N[28];
  N[34] = N[28]*-1;
  P[19] = (char *)(((double *)P[18]) + N[33]);
  c->slots[4].live = 0; if (eq_take(c, 23, 20, 4, 8.0*1)) return 1;
  if (eq_b10(c, (void *[]){P[1], P[20]}, (int64_t[]){N[2]})) { c->step = 23; return 1; }
  N[35] = ((int64_t *)(void *)eq_c1)[0];
  if (N[35] < 0) { c->step = 24; return eq_fail(c, 6, N[35], 0, 0, 0); }
  N[36] = ((int64_t *)P[20])[0];
  if (N[36] < 0) { c->step = 24; return eq_fail(c, 6, N[36], 0, 0, 0); }
  { int64_t d_1[2]; if (eq_d11(c, (void *[]){P[19], (void *)eq_c0}, (int64_t[]){N[32], N[28], N[34], N[36]}, d_1)) { c->step = 25; return 1; } N[37] = d_1[0]; N[38] = d_1[1]; }
  c->slots[4].live = 0; if (eq_take(c, 25, 21, 4, 8.0*N[37]*N[38])) return 1;
  if (eq_b14(c, (void *[]){P[19], (void *)eq_c0, P[21]}, (int64_t[]){N[32], N[28], N[34], N[36], N[37], N[38], N[38]})) { c->step = 25; return 1; }
  c->slots[3].live = 0; if (eq_take(c, 26, 22, 3, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[2], P[22]}, (int64_t[]){N[3], N[4], N[4]})) { c->step = 26; return 1; }
  c->slots[5].live = 0; if (eq_take(c, 27, 23, 5, 8.0*1)) return 1;
  if (eq_b6(c, (void *[]){P[2], P[23]}, (int64_t[]){N[3], N[4], N[4]})) { c->step = 27; return 1; }
  N[39] = ((int64_t *)P[22])[0];
  if (N[39] < 0) { c->step = 28; return eq_fail(c, 6, N[39], 0, 0, 0); }
  N[40] = ((int64_t *)P[23])[0];
  if (N[40] < 0) { c->step = 28; return eq_fail(c, 6, N[40], 0, 0, 0); }
  N[41] = ((int64_t *)P[3])[0];
  if (N[41] < 0) { c->step = 30; return eq_fail(c, 10, N[41], 0, 0, 0); }
  if (N[10] < N[41]) { c->step = 31; return eq_fail(c, 11, N[10], N[41], 0, 0); }
  if (N[24] < N[41]) { c->step = 32; return eq_fail(c, 12, N[24], N[41], 0, 0); }
  if (N[37] < N[41] + 1) { c->step = 33; return eq_fail(c, 13, N[37], N[41] + 1, 0, 0); }
  N[43] = 8*N[38];
  c->slots[3].live = c->slots[5].live = 0; if (eq_take(c, 33, 26, 5, 8.0*N[39]*N[40])) return 1;
  eq_spread(c, eq_k15, N[39]*N[40], 64, 3LL*N[39]*N[40], (void *[]){P[26], (void *)eq_c0}, (int64_t[]){0});
  N[42] = 0;
  c->slots[3].live = 0; if (eq_take(c, 33, 30, 3, 8.0*N[39]*N[40])) return 1;
  eq_spread(c, eq_k16, N[39]*N[40], 64, 3LL*N[39]*N[40], (void *[]){P[30], P[26]}, (int64_t[]){0});
  if (N[38] != N[2]) { c->step = 35; return eq_fail(c, 14, N[38], N[2], 0, 0); }
  N[44] = 8*N[38];
  c->slots[6].live = 0; if (eq_take(c, 35, 31, 6, 8.0*N[38]*N[41])) return 1;
  if (eq_take(c, 38, 33, 7, 8.0*N[3])) return 1;
  if (N[38] != N[3]) { c->step = 40; return eq_fail(c, 4, N[38], N[3], 0, 0); }
  if (eq_take(c, 40, 34, 8, 8.0*N[38])) return 1;
  if (N[39] != N[38]) { c->step = 42; return eq_fail(c, 15, N[39], N[38], 0, 0); }
  if (N[40] != N[39]) { c->step = 43; return eq_fail(c, 16, N[40], N[39], 0, 0); }
  if (eq_loop21(c)) return 1;
  N[45] = N[41] - 1;
  N[46] = N[45] - -1;
  N[47] = N[46] > 0 ? N[46] - 1 + 1 : 0;
  N[48] = N[45]*N[38];
  N[49] = N[38]*-1;
  P[35] = (char *)(((double *)P[31]) + N[48]);
  if (eq_give(c, 44, 36, 0, (int64_t[]){N[47], N[38]})) return 1;
  eq_spread(c, eq_k22, N[47], 1, 3LL*N[47]*N[38], (void *[]){P[36], P[35]}, (int64_t[]){N[49], N[38]});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part23(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {-1};
static const int64_t eq_in_0_2[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 1, eq_in_0_1}, {10, 2, eq_in_0_2}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {3, 1, 50, 37, 9, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
