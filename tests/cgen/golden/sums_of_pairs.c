static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  double *restrict const w0 = p[3];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t n3 = v[3];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = n0 == 1 ? task : task / n0, part = task - row*n0;
    const int64_t first = part*n2, last = eq_least(first + n2, n1);
    double s0 = 0;
    for (int64_t g = first; g < last; g += 4) {
      double m0 = 0;
      for (int64_t b = 0; b < n3; b += 512) {
        const int64_t stop = eq_least(b + 512, n3);
        double b0_0 = 0, b0_1 = 0, b0_2 = 0, b0_3 = 0;
#pragma omp simd reduction(+:b0_0, b0_1, b0_2, b0_3)
        for (int64_t j = b; j < stop; j++) {
          {
            const int64_t i0 = g;
            const double t1 = a1[i0];
            const double t0 = a0[j];
            const double t2 = (t1 - t0);
            const double t3 = fabs(t2);
            b0_0 = b0_0 + (double)t3;
          }
          {
            const int64_t i0 = eq_least(g + 1, last - 1);
            const double t1 = a1[i0];
            const double t0 = a0[j];
            const double t2 = (t1 - t0);
            const double t3 = fabs(t2);
            b0_1 = b0_1 + (double)t3;
          }
          {
            const int64_t i0 = eq_least(g + 2, last - 1);
            const double t1 = a1[i0];
            const double t0 = a0[j];
            const double t2 = (t1 - t0);
            const double t3 = fabs(t2);
            b0_2 = b0_2 + (double)t3;
          }
          {
            const int64_t i0 = eq_least(g + 3, last - 1);
            const double t1 = a1[i0];
            const double t0 = a0[j];
            const double t2 = (t1 - t0);
            const double t3 = fabs(t2);
            b0_3 = b0_3 + (double)t3;
          }
        }
        if (g + 1 >= last) { b0_1 = 0; }
        if (g + 2 >= last) { b0_2 = 0; }
        if (g + 3 >= last) { b0_3 = 0; }
        m0 = m0 + ((b0_0 + b0_1) + (b0_2 + b0_3));
        if ((b & 7680) == 7680) { s0 = s0 + m0; m0 = 0; }
      }
      s0 = s0 + m0;
    }
    if (n0 == 1) r0[row] = (double)s0; else w0[task] = s0;
  }
}
static __attribute__((noinline, cold, optimize("O0"))) void eq_j1(int64_t kept, int64_t chunks, double *w, double *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = w[q] + w[q + d];
    r[k] = (double)w[0];
  }
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 2, 0, (int64_t[]){0})) return 1;
  N[2] = eq_span(1, N[0]*N[1], N[0], 1);
  N[3] = N[0] > 0 ? (N[0] + N[2] - 1) / N[2] : 1;
  c->slots[0].live = 0; if (eq_take(c, 1, 3, 0, 8.0*(N[3] > 1 ? 1*N[3] : 0))) return 1;
  eq_spread(c, eq_k0, 1*N[3], 1, 6LL*N[0]*N[1], (void *[]){P[2], P[1], P[0], P[3]}, (int64_t[]){N[3], N[0], N[2], N[1]});
  if (N[3] > 1) eq_j1(1, N[3], (void *)P[3], (void *)P[2]);
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const int64_t eq_in_0_1[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}, {10, 1, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {0};
static const eq_type eq_out_0[] = {{10, 0, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 4, 4, 1, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
