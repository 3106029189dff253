static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = task;
    const int64_t k0 = row;
    const double *const q1 = a0 + k0*4;
    double s0 = 0;
    {
      double b0 = 0;
#pragma omp simd reduction(+:b0)
      for (int64_t j = 0; j < 4; j++) {
        const double t0 = q1[j];
        const double t1 = (t0 * t0);
        b0 = b0 + (double)t1;
      }
      s0 = s0 + b0;
    }
    r0[row] = (double)s0;
  }
}
static __attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  bool8_t *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double t0 = 1.0;
  for (int64_t task = low; task < high; task++) {
    const int64_t row = task;
    bool8_t s0 = 0;
    {
      bool8_t b0 = 0;
#pragma omp simd reduction(|:b0)
      for (int64_t j = 0; j < 12; j++) {
        const double t1 = a0[j];
        const bool8_t t2 = (t1 > t0);
        b0 = b0 | (bool8_t)t2;
      }
      s0 = s0 | b0;
    }
    r0[row] = (bool8_t)s0;
  }
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){3})) return 1;
  eq_spread(c, eq_k0, 3, 1, 4LL*3*4, (void *[]){P[1], P[0]}, (int64_t[]){0});
  if (eq_give(c, 2, 2, 1, (int64_t[]){0})) return 1;
  eq_spread(c, eq_k1, 1, 1, 4LL*12, (void *[]){P[2], P[0]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {3, 4};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const int64_t eq_out_0_1[] = {0};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}, {0, 0, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 2, 2, 3, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
