static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0n2 = v[2];
  const int64_t x0s0 = v[3];
  const int64_t x0s1 = v[4];
  const double *x1 = p[1];
  const int64_t x1n0 = v[5];
  const int64_t x1n1 = v[6];
  const int64_t x1n2 = v[7];
  const int64_t x1s0 = v[8];
  const int64_t x1s1 = v[9];
  double *out = p[2];
  const int64_t outn0 = v[10];
  const int64_t outn1 = v[11];
  const int64_t outn2 = v[12];
  const int64_t outs0 = v[13];
  const int64_t outs1 = v[14];
  if (x0n0 != x1n0) { return eq_fail(c, 0, x0n0, x1n0, 0, 0); }
  if (x0n2 != x1n1) { return eq_fail(c, 1, x0n2, x1n1, 0, 0); }
  for (int64_t q = 0; q < x0n0; q++) {
    if (eq_dot__double(c, x0n1, x1n2, x0n2, x0 + q*x0s0, x0s1, 1, x1 + q*x1s0, x1s1, 1, out + q*outs0)) { return eq_fail(c, 2, 0, 0, 0, 0); }
  }
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[0], N[1], N[2]})) return 1;
  if (eq_b0(c, (void *[]){P[0], P[0], P[1]}, (int64_t[]){N[0], N[1], N[2], N[1]*N[2], N[2], N[0], N[1], N[2], N[1]*N[2], N[2], N[0], N[1], N[2], N[1]*N[2], N[2]})) { c->step = 1; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1, -1};
static const eq_type eq_in_0[] = {{10, 3, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1, -1};
static const eq_type eq_out_0[] = {{10, 3, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 3, 2, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
