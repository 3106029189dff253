static __attribute__((noinline)) void eq_s0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  const int64_t outn0 = v[3];
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    if (x0n1 >= 32) {
      double best = x0[i0*x0s0];
      int64_t place = 0;
      int64_t nans = 0;
      #pragma omp simd reduction(max:best) reduction(+:nans)
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        const double v = x0[i0*x0s0 + r0];
        best = v > best ? v : best;
        nans = nans + (v != v ? 1 : 0);
      }
      if (nans > 0) {
        best = NAN;
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          const double v = x0[i0*x0s0 + x0n1 - r0 - 1];
          place = v != v ? x0n1 - r0 - 1 : place;
        }
      } else {
        int64_t left = 0;
        #pragma omp simd reduction(max:left)
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          left = (x0[i0*x0s0 + r0] >= best ? x0n1 - r0 : 0) > left ? (x0[i0*x0s0 + r0] >= best ? x0n1 - r0 : 0) : left;
        }
        place = x0n1 - left;
      }
      out[i0] = place;
    } else {
      double best = x0[i0*x0s0];
      int64_t place = 0;
      int64_t nans = 0;
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        const double v = x0[i0*x0s0 + r0];
        best = v > best ? v : best;
        nans = nans + (v != v ? 1 : 0);
      }
      if (nans > 0) {
        best = NAN;
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          const double v = x0[i0*x0s0 + x0n1 - r0 - 1];
          place = v != v ? x0n1 - r0 - 1 : place;
        }
      } else {
        int64_t left = 0;
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          left = x0[i0*x0s0 + x0n1 - r0 - 1] >= best ? x0n1 - (x0n1 - r0 - 1) : left;
        }
        place = x0n1 - left;
      }
      out[i0] = place;
    }
  }
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  const int64_t outn0 = v[3];
  if (x0n1 == 0) { return eq_fail(c, 0, 0, 0, 0, 0); }
  eq_spread(c, eq_s0, x0n0, 1, x0n0*15, p, v);
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[0]})) return 1;
  if (eq_b1(c, (void *[]){P[0], P[1]}, (int64_t[]){N[0], N[1], N[1], N[0]})) { c->step = 1; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{4, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 2, 2, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
