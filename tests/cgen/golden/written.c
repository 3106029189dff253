static const double eq_c0[] = {1.0};
static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  const double *x1 = p[1];
  const double *x2 = p[2];
  const int64_t x2n1 = v[3];
  const int64_t *x3 = p[3];
  const int64_t x3n0 = v[4];
  double *out = p[4];
  const int64_t outn0 = v[5];
  const int64_t outn1 = v[6];
  const int64_t outs0 = v[7];
  if (x2n1 != x0n1) { return eq_fail(c, 0, x2n1, x0n1, 0, 0); }
  int64_t outside_1 = 0;
  #pragma omp simd reduction(+:outside_1)
  for (int64_t i0 = 0; i0 < x3n0; i0++) {
    const int64_t g = x3[i0];
    outside_1 = outside_1 + ((g < -x0n0) + (g >= x0n0));
  }
  if (outside_1 > 0) {
    for (int64_t i0 = 0; i0 < x3n0; i0++) {
      const int64_t g = x3[i0];
      if (g < -x0n0 || g >= x0n0) { return eq_fail(c, 1, g, x0n0, 0, 0); }
    }
  }
  if (c->dry) return 0;
  if ((const void *)out != (const void *)x0) {
    if (x0n0 == 1 || x0s0 == x0n1) {
      __builtin_memcpy(out, x0, x0n0*x0n1*sizeof(double));
    } else {
      for (int64_t i0 = 0; i0 < x0n0; i0++) {
        for (int64_t i1 = 0; i1 < x0n1; i1++) {
          out[i0*outs0 + i1] = x0[i0*x0s0 + i1];
        }
      }
    }
  }
  for (int64_t i0 = 0; i0 < x3n0; i0++) {
    const int64_t at = x3[i0];
    const int64_t g = at < 0 ? at + x0n0 : at;
    const double factor = x1[0];
    for (int64_t j = 0; j < x0n1; j++) {
      (out + g*outs0)[j] = (double)((out + g*outs0)[j] + factor*x2[j]);
    }
  }
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 3, 3, 0, (int64_t[]){N[0], N[1]})) return 1;
  if (eq_b0(c, (void *[]){P[0], (void *)eq_c0, P[1], P[2], P[3]}, (int64_t[]){N[0], N[1], N[1], N[3], N[4], N[0], N[1], N[1]})) { c->step = 3; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {1, -1};
static const int64_t eq_in_0_2[] = {-1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 2, eq_in_0_1}, {4, 1, eq_in_0_2}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {3, 1, 5, 4, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
