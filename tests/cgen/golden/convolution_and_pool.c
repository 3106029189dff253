static __attribute__((noinline)) int64_t eq_d0(eq_call *c, void *const *p, const int64_t *v, int64_t *out) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0n2 = v[2];
  const int64_t x0n3 = v[3];
  const int64_t x0s0 = v[4];
  const int64_t x0s1 = v[5];
  const int64_t x0s2 = v[6];
  const double *x1 = p[1];
  const int64_t x1n0 = v[7];
  const int64_t x1n1 = v[8];
  const int64_t x1n2 = v[9];
  const int64_t x1n3 = v[10];
  const int64_t x1s0 = v[11];
  const int64_t x1s1 = v[12];
  const int64_t x1s2 = v[13];
  const int64_t wide_1 = x1n2 - 1 + 1;
  if (x1n2 < 1) { return eq_fail(c, 0, 0, 0, 0, 0); }
  const int64_t room_2 = x0n2 + wide_1 / 2 + wide_1 / 2;
  if (room_2 < wide_1) { return eq_fail(c, 1, wide_1, room_2, 0, 0); }
  const int64_t m_3 = room_2 - wide_1 + 1;
  const int64_t wide_4 = x1n3 - 1 + 1;
  if (x1n3 < 1) { return eq_fail(c, 2, 0, 0, 0, 0); }
  const int64_t room_5 = x0n3 + wide_4 / 2 + wide_4 / 2;
  if (room_5 < wide_4) { return eq_fail(c, 3, wide_4, room_5, 0, 0); }
  const int64_t m_6 = room_5 - wide_4 + 1;
  out[0] = x0n0;
  out[1] = x1n0;
  out[2] = m_3;
  out[3] = m_6;
  return 0;
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0n2 = v[2];
  const int64_t x0n3 = v[3];
  const int64_t x0s0 = v[4];
  const int64_t x0s1 = v[5];
  const int64_t x0s2 = v[6];
  const double *x1 = p[1];
  const int64_t x1n0 = v[7];
  const int64_t x1n1 = v[8];
  const int64_t x1n2 = v[9];
  const int64_t x1n3 = v[10];
  const int64_t x1s0 = v[11];
  const int64_t x1s1 = v[12];
  const int64_t x1s2 = v[13];
  double *out = p[2];
  const int64_t outn0 = v[14];
  const int64_t outn1 = v[15];
  const int64_t outn2 = v[16];
  const int64_t outn3 = v[17];
  const int64_t outs0 = v[18];
  const int64_t outs1 = v[19];
  const int64_t outs2 = v[20];
  double *room = p[3];
  const int64_t wide_1 = x1n2 - 1 + 1;
  if (x1n2 < 1) { return eq_fail(c, 0, 0, 0, 0, 0); }
  const int64_t room_2 = x0n2 + wide_1 / 2 + wide_1 / 2;
  if (room_2 < wide_1) { return eq_fail(c, 1, wide_1, room_2, 0, 0); }
  const int64_t m_3 = room_2 - wide_1 + 1;
  const int64_t wide_4 = x1n3 - 1 + 1;
  if (x1n3 < 1) { return eq_fail(c, 2, 0, 0, 0, 0); }
  const int64_t room_5 = x0n3 + wide_4 / 2 + wide_4 / 2;
  if (room_5 < wide_4) { return eq_fail(c, 3, wide_4, room_5, 0, 0); }
  const int64_t m_6 = room_5 - wide_4 + 1;
  if (x0n1 != x1n1) { return eq_fail(c, 4, x0n1, x1n1, 1, 0); }
  if (outn0 != x0n0) { return eq_fail(c, 5, outn0, x0n0, 0, 0); }
  if (outn1 != x1n0) { return eq_fail(c, 6, outn1, x1n0, 0, 0); }
  if (outn2 != m_3) { return eq_fail(c, 7, outn2, m_3, 0, 0); }
  if (outn3 != m_6) { return eq_fail(c, 8, outn3, m_6, 0, 0); }
  eq_conv_plan plan = {.what = 0, .b = x0n0, .c = x0n1, .o = x1n0, .groups = 1, .flip = 1, .n = {1, x0n2, x0n3}, .k = {1, x1n2, x1n3}, .m = {1, outn2, outn3}, .before = {0, wide_1 / 2, wide_4 / 2}, .stride = {1, 1, 1}, .gap = {1, 1, 1}, .x = {x0s0, x0s1, x0n2*x0n3, x0s2, 1}, .w = {x1s0, x1s1, x1n2*x1n3, x1s2, 1}, .y = {outs0, outs1, outn2*outn3, outs2, 1}};
  eq_blas_convolution__double(c, &plan, (double *)x0, (double *)x1, (double *)out, room);
  return 0;
}
static __attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double t0 = a0[0];
  const double t3 = 0.0;
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t1 = r0[j];
    const double t2 = (t1 + t0);
    const double t4 = eq_max__double(t3, t2);
    r0[j] = t4;
  }
}
static __attribute__((noinline)) int64_t eq_d3(eq_call *c, void *const *p, const int64_t *v, int64_t *out) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0n2 = v[2];
  const int64_t x0n3 = v[3];
  const int64_t x0s0 = v[4];
  const int64_t x0s1 = v[5];
  const int64_t x0s2 = v[6];
  const int64_t m_1 = x0n2 == 0 || x0n2 < 2 ? 0 : (x0n2 - 2) / 2 + 1;
  const int64_t m_2 = x0n3 == 0 || x0n3 < 2 ? 0 : (x0n3 - 2) / 2 + 1;
  out[0] = x0n0;
  out[1] = x0n1;
  out[2] = m_1;
  out[3] = m_2;
  return 0;
}
static __attribute__((noinline)) void eq_s4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0n2 = v[2];
  const int64_t x0n3 = v[3];
  const int64_t x0s0 = v[4];
  const int64_t x0s1 = v[5];
  const int64_t x0s2 = v[6];
  double *out = p[1];
  const int64_t outn0 = v[7];
  const int64_t outn1 = v[8];
  const int64_t outn2 = v[9];
  const int64_t outn3 = v[10];
  const int64_t outs0 = v[11];
  const int64_t outs1 = v[12];
  const int64_t outs2 = v[13];
  for (int64_t task = low; task < high; task++) {
    const int64_t i1 = task % outn1, d1 = task / outn1;
    const int64_t i0 = d1;
    for (int64_t i2 = 0; i2 < outn2; i2++) {
      #pragma omp simd
      for (int64_t k0 = 0; k0 < outn3; k0++) {
        const double v_1 = x0[i0*x0s0 + i1*x0s1 + i2*2*x0s2 + k0*2];
        const double v_2 = x0[i0*x0s0 + i1*x0s1 + i2*2*x0s2 + k0*2 + 1];
        const double v_3 = x0[i0*x0s0 + i1*x0s1 + (i2*2 + 1)*x0s2 + k0*2];
        const double v_4 = x0[i0*x0s0 + i1*x0s1 + (i2*2 + 1)*x0s2 + k0*2 + 1];
        const double best_5 = v_2 > v_1 ? v_2 : v_2 != v_2 ? v_2 : v_1;
        const double best_6 = v_3 > best_5 ? v_3 : v_3 != v_3 ? v_3 : best_5;
        const double best_7 = v_4 > best_6 ? v_4 : v_4 != v_4 ? v_4 : best_6;
        out[i0*outs0 + i1*outs1 + i2*outs2 + k0] = best_7;
      }
    }
  }
}
static __attribute__((noinline)) int64_t eq_b5(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0n2 = v[2];
  const int64_t x0n3 = v[3];
  const int64_t x0s0 = v[4];
  const int64_t x0s1 = v[5];
  const int64_t x0s2 = v[6];
  double *out = p[1];
  const int64_t outn0 = v[7];
  const int64_t outn1 = v[8];
  const int64_t outn2 = v[9];
  const int64_t outn3 = v[10];
  const int64_t outs0 = v[11];
  const int64_t outs1 = v[12];
  const int64_t outs2 = v[13];
  eq_spread(c, eq_s4, outn0*outn1, 1, outn0*outn1*outn2*outn3*10, p, v);
  return 0;
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_part6(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  { int64_t d_1[4]; if (eq_d0(c, (void *[]){P[0], P[1]}, (int64_t[]){N[0], N[1], N[2], N[3], N[1]*N[2]*N[3], N[2]*N[3], N[3], N[4], N[5], N[6], N[7], N[5]*N[6]*N[7], N[6]*N[7], N[7]}, d_1)) { c->step = 1; return 1; } N[8] = d_1[0]; N[9] = d_1[1]; N[10] = d_1[2]; N[11] = d_1[3]; }
  c->slots[0].live = 0; if (eq_take(c, 1, 3, 0, 8.0*N[10]*N[11]*N[8]*N[9])) return 1;
  c->slots[1].live = 0; if (eq_take(c, 1, 4, 1, 8.0*eq_conv_room__double(c, 0, N[0], N[1], N[4], 1, 1, N[2], N[3], 1, N[6], N[7], 1, N[10], N[11], 0, (N[6] - 1 + 1) / 2, (N[7] - 1 + 1) / 2, 1, 1, 1, 1, 1, 1))) return 1;
  if (eq_b1(c, (void *[]){P[0], P[1], P[3], P[4]}, (int64_t[]){N[0], N[1], N[2], N[3], N[1]*N[2]*N[3], N[2]*N[3], N[3], N[4], N[5], N[6], N[7], N[5]*N[6]*N[7], N[6]*N[7], N[7], N[8], N[9], N[10], N[11], N[10]*N[11]*N[9], N[10]*N[11], N[11]})) { c->step = 1; return 1; }
  eq_spread(c, eq_k2, N[10]*N[11]*N[8]*N[9], 64, 5LL*N[10]*N[11]*N[8]*N[9], (void *[]){P[3], P[2]}, (int64_t[]){0});
  { int64_t d_2[4]; if (eq_d3(c, (void *[]){P[3]}, (int64_t[]){N[8], N[9], N[10], N[11], N[10]*N[11]*N[9], N[10]*N[11], N[11]}, d_2)) { c->step = 3; return 1; } N[12] = d_2[0]; N[13] = d_2[1]; N[14] = d_2[2]; N[15] = d_2[3]; }
  if (eq_give(c, 3, 5, 0, (int64_t[]){N[12], N[13], N[14], N[15]})) return 1;
  if (eq_b5(c, (void *[]){P[3], P[5]}, (int64_t[]){N[8], N[9], N[10], N[11], N[10]*N[11]*N[9], N[10]*N[11], N[11], N[12], N[13], N[14], N[15], N[13]*N[14]*N[15], N[14]*N[15], N[15]})) { c->step = 3; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part6(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1, -1, -1};
static const int64_t eq_in_0_1[] = {-1, -1, -1, -1};
static const int64_t eq_in_0_2[] = {0};
static const eq_type eq_in_0[] = {{10, 4, eq_in_0_0}, {10, 4, eq_in_0_1}, {10, 0, eq_in_0_2}};
static const int64_t eq_out_0_0[] = {-1, -1, -1, -1};
static const eq_type eq_out_0[] = {{10, 4, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {3, 1, 16, 6, 2, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
