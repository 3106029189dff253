static const int64_t eq_c0[] = {0LL};
static const int64_t eq_c1[] = {1LL};
static __attribute__((noinline)) int64_t eq_d0(eq_call *c, void *const *p, const int64_t *v, int64_t *out) {
  const bool8_t *x0 = p[0];
  const int64_t x0n0 = v[0];
  int64_t count_1 = 0;
  #pragma omp simd reduction(+:count_1)
  for (int64_t i0 = 0; i0 < x0n0; i0++) {
    count_1 = count_1 + (x0[i0] != 0);
  }
  out[0] = 1;
  out[1] = count_1;
  return 0;
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  const bool8_t *x0 = p[0];
  const int64_t x0n0 = v[0];
  int64_t *out = p[1];
  const int64_t outn1 = v[1];
  int64_t at = 0;
  for (int64_t b = 0; b < x0n0; b += 64) {
    int64_t near[64];
    int64_t found = 0;
    for (int64_t k = b; k < eq_least(b + 64, x0n0); k++) {
      near[found] = k;
      found = found + (x0[k] != 0);
    }
    #pragma omp simd
    for (int64_t q0 = 0; q0 < found; q0++) {
      out[at + q0] = near[q0];
    }
    at = at + found;
  }
  return 0;
}
static __attribute__((noinline)) int64_t eq_d2(eq_call *c, void *const *p, const int64_t *v, int64_t *out) {
  const int64_t *x0 = p[0];
  const int64_t *x1 = p[1];
  const int64_t *x2 = p[2];
  if (x2[0] == 0) { return eq_fail(c, 1, 0, 0, 0, 0); }
  const int64_t span_1 = x1[0] - x0[0];
  const int64_t by_2 = x2[0];
  const int64_t n_3 = (span_1 > 0) == (by_2 > 0) && span_1 != 0 ? (span_1 - (by_2 > 0 ? 1 : -1)) / by_2 + 1 : 0;
  out[0] = n_3;
  return 0;
}
static __attribute__((noinline)) int64_t eq_b3(eq_call *c, void *const *p, const int64_t *v) {
  const int64_t *x0 = p[0];
  const int64_t *x1 = p[1];
  const int64_t *x2 = p[2];
  int64_t *out = p[3];
  const int64_t outn0 = v[0];
  const int64_t first = x0[0];
  const int64_t by = (int64_t)((int64_t)(first + x2[0]) - first);
  for (int64_t i0 = 0; i0 < outn0; i0++) {
    out[i0] = (int64_t)(first + (int64_t)i0*by);
  }
  return 0;
}
static __attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  int64_t *restrict const r0 = p[0];
  const int64_t *restrict const a0 = p[1];
  for (int64_t from = low, to = eq_first(a0, sizeof(int64_t), low, high); from < high; from = to, to = high) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const int64_t t0 = a0[j];
      r0[j] = t0;
    }
  }
}
static __attribute__((noinline, cold)) int64_t eq_part5(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  { int64_t d_1[2]; if (eq_d0(c, (void *[]){P[1]}, (int64_t[]){N[1]}, d_1)) { c->step = 1; return 1; } N[2] = d_1[0]; N[3] = d_1[1]; }
  c->slots[0].live = 0; if (eq_take(c, 1, 2, 0, 8.0*N[3])) return 1;
  if (eq_b1(c, (void *[]){P[1], P[2]}, (int64_t[]){N[1], N[3]})) { c->step = 1; return 1; }
  if (0 < -N[0] || 0 >= N[0]) { c->step = 3; return eq_fail(c, 0, 0, N[0], 0, 0); }
  { int64_t d_2[1]; if (eq_d2(c, (void *[]){(void *)eq_c0, P[0], (void *)eq_c1}, (int64_t[]){0}, d_2)) { c->step = 4; return 1; } N[4] = d_2[0]; }
  if (eq_give(c, 4, 3, 1, (int64_t[]){N[4]})) return 1;
  if (eq_b3(c, (void *[]){(void *)eq_c0, P[0], (void *)eq_c1, P[3]}, (int64_t[]){N[4]})) { c->step = 4; return 1; }
  if (eq_give(c, 4, 4, 0, (int64_t[]){N[3]})) return 1;
  eq_spread(c, eq_k4, N[3], 64, 3LL*N[3], (void *[]){P[4], P[2]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part5(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{4, 1, eq_in_0_0}, {0, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{4, 1, eq_out_0_0}, {4, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 2, 5, 5, 1, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
