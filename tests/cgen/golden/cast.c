static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  int8_t *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t0 = a0[j];
    const int8_t t1 = eq_saturate_int8_t__double(t0);
    r0[j] = t1;
  }
}
static __attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  float *restrict const r0 = p[0];
  const int64_t *restrict const a0 = p[1];
  for (int64_t from = low, to = eq_first(a0, sizeof(int64_t), low, high); from < high; from = to, to = high) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const int64_t t0 = a0[j];
      const float t1 = ((float)(t0));
      r0[j] = t1;
    }
  }
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 2, 0, (int64_t[]){N[1]})) return 1;
  eq_spread(c, eq_k0, N[1], 64, 4LL*N[1], (void *[]){P[2], P[1]}, (int64_t[]){0});
  if (eq_give(c, 2, 3, 1, (int64_t[]){N[0]})) return 1;
  eq_spread(c, eq_k1, N[0], 64, 4LL*N[0], (void *[]){P[3], P[0]}, (int64_t[]){0});
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{4, 1, eq_in_0_0}, {10, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{1, 1, eq_out_0_0}, {9, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 2, 2, 4, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
