static __attribute__((noinline)) int64_t eq_d0(eq_call *c, void *const *p, const int64_t *v, int64_t *out) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const int64_t m_1 = x0n0 == 0 || x0n0 < 2 ? 0 : (x0n0 - 2) / 2 + 1;
  const int64_t m_2 = x0n1 == 0 || x0n1 < 2 ? 0 : (x0n1 - 2) / 2 + 1;
  out[0] = m_1;
  out[1] = m_2;
  return 0;
}
static __attribute__((noinline)) void eq_s1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  double *out = p[1];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    #pragma omp simd
    for (int64_t k0 = 0; k0 < outn1; k0++) {
      const double v_1 = x0[i0*2*x0s0 + k0*2];
      const double v_2 = x0[i0*2*x0s0 + k0*2 + 1];
      const double v_3 = x0[(i0*2 + 1)*x0s0 + k0*2];
      const double v_4 = x0[(i0*2 + 1)*x0s0 + k0*2 + 1];
      const double best_5 = v_2 > v_1 ? v_2 : v_2 != v_2 ? v_2 : v_1;
      const double best_6 = v_3 > best_5 ? v_3 : v_3 != v_3 ? v_3 : best_5;
      const double best_7 = v_4 > best_6 ? v_4 : v_4 != v_4 ? v_4 : best_6;
      out[i0*outs0 + k0] = best_7;
    }
  }
}
static __attribute__((noinline)) int64_t eq_b2(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  double *out = p[1];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  eq_spread(c, eq_s1, outn0, 1, outn0*outn1*10, p, v);
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part3(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  { int64_t d_1[2]; if (eq_d0(c, (void *[]){P[0]}, (int64_t[]){N[0], N[1], N[1]}, d_1)) { c->step = 1; return 1; } N[2] = d_1[0]; N[3] = d_1[1]; }
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[2], N[3]})) return 1;
  if (eq_b2(c, (void *[]){P[0], P[1]}, (int64_t[]){N[0], N[1], N[1], N[2], N[3], N[3]})) { c->step = 1; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part3(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 4, 2, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
