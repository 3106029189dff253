static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  const int64_t x1n0 = v[3];
  const int64_t x1n1 = v[4];
  const int64_t x1s0 = v[5];
  double *out = p[2];
  const int64_t outn0 = v[6];
  const int64_t outn1 = v[7];
  const int64_t outs0 = v[8];
  if (x0n0 != x0n1) { return eq_fail(c, 0, x0n0, x0n1, 0, 0); }
  if (x0n0 != x1n0) { return eq_fail(c, 1, x0n0, x1n0, 0, 0); }
  double *t = malloc((size_t)(x1n0*x1n0 + x1n0*x1n1 + 1)*sizeof(double));
  int32_t *q = malloc((size_t)(x1n0 + 1)*sizeof(int32_t));
  if (!t || !q) { free(t); free(q); { return eq_fail(c, 2, 0, 0, 0, 0); } }
  int64_t last = (-9223372036854775807LL-1);
  if (last != 0) {
    if (eq_factor__double(x1n0, x0, x0s0, 1, t, q)) { free(t); free(q); return eq_fail(c, 3, 0, 0, 0, 0); }
    last = 0;
  }
  eq_factored__double(x1n0, x1n1, t, q, x1, x1s0, 1, t + x1n0*x1n0, out);
  free(t); free(q);
  return 0;
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  double *out = p[1];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  if (x0n0 != x0n1) { return eq_fail(c, 4, x0n0, x0n1, 0, 0); }
  {
    { const int64_t bad = eq_inv__double(x0n0, x0n1, x0, x0s0, 1, out); if (bad == 1) { return eq_fail(c, 5, 0, 0, 0, 0); } if (bad) { return eq_fail(c, 6, 0, 0, 0, 0); } }
  }
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 2, 0, (int64_t[]){N[2], N[1]})) return 1;
  if (eq_b0(c, (void *[]){P[1], P[0], P[2]}, (int64_t[]){N[2], N[3], N[3], N[0], N[1], N[1], N[2], N[1], N[1]})) { c->step = 1; return 1; }
  if (eq_give(c, 2, 3, 1, (int64_t[]){N[0], N[0]})) return 1;
  if (eq_b1(c, (void *[]){P[0], P[3]}, (int64_t[]){N[0], N[1], N[1], N[0], N[0], N[0]})) { c->step = 2; return 1; }
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
static const int64_t eq_out_0_1[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}, {10, 2, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 2, 4, 4, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
