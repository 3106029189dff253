#if EQ_HALF != 2
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t *restrict const a1 = p[2];
  const double *restrict const a2 = p[3];
  const int64_t n0 = v[0];
  for (int64_t j0 = low; j0 < high; j0 += 256) {
    const int64_t j1 = eq_least(j0 + 256, high);
    const int64_t zb = j0;
    double z2[256];
    for (int64_t j = j0; j < j1; j++) {
      const int64_t t1 = a1[j];
      z2[j - zb] = *(a2 + (t1 < 0 ? t1 + n0 : t1));
    }
#pragma omp simd
    for (int64_t j = j0; j < j1; j++) {
      const double t0 = a0[j];
      const int64_t t1 = a1[j];
      const double t2 = z2[j - zb];
      const double t3 = (t2 * t0);
      const double t4 = exp(t3);
      r0[j] = t4;
    }
  }
}
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t *restrict const a1 = p[2];
  const double *restrict const a2 = p[3];
  double *restrict const w0 = p[4];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t n3 = v[3];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = n2 == 1 ? task : task / n2, part = task - row*n2;
    const int64_t k0 = row;
    const int64_t first = part*n3, last = eq_least(first + n3, n0);
    const int64_t t1 = a1[k0];
    const double *const g2 = a2 + (t1 < 0 ? t1 + n1 : t1)*n0;
    double s0 = 0;
    double m0 = 0;
    for (int64_t b = first; b < last; b += 256) {
      const int64_t stop = eq_least(b + 256, last);
      double b0 = 0;
#pragma omp simd reduction(+:b0)
      for (int64_t j = b; j < stop; j++) {
        const double t0 = a0[j];
        const double t2 = g2[j];
        const double t3 = (t2 - t0);
        const double t4 = (t3 * t3);
        b0 = b0 + (double)t4;
      }
      m0 = m0 + b0;
      if (((b - first) & 7936) == 7936) { s0 = s0 + m0; m0 = 0; }
    }
    s0 = s0 + m0;
    if (n2 == 1) r0[row] = (double)s0; else w0[task] = s0;
  }
}
#else
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const int64_t *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t n = v[1];
  int64_t outside_1 = 0;
  #pragma omp simd reduction(+:outside_1)
  for (int64_t i0 = 0; i0 < x0n0; i0++) {
    const int64_t g = x0[i0];
    outside_1 = outside_1 + ((g < -n) + (g >= n));
  }
  if (outside_1 > 0) {
    for (int64_t i0 = 0; i0 < x0n0; i0++) {
      const int64_t g = x0[i0];
      if (g < -n || g >= n) { return eq_fail(c, 0, g, n, 0, 0); }
    }
  }
  return 0;
}
static __attribute__((noinline, cold, optimize("O0"))) void eq_j3(int64_t kept, int64_t chunks, double *w, double *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = w[q] + w[q + d];
    r[k] = (double)w[0];
  }
}
static __attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t *restrict const a1 = p[2];
  const double *restrict const a2 = p[3];
  double *restrict const w0 = p[4];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t n3 = v[3];
  const int64_t n4 = v[4];
  const int64_t tiles = (n3 + 2047) / 2048;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % n2, rest = task / n2, tile = rest % tiles, row = rest / tiles;
    const int64_t first = part*n4, last = eq_least(first + n4, n0);
    const int64_t start = tile*2048, stop = eq_least(tile*2048 + 2048, n3);
    double s0[2048];
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 0; }
    for (int64_t i0 = first; i0 < last; i0++) {
      const double t0 = a0[i0];
      const int64_t zb = start;
      double z2[2048];
      for (int64_t j = start; j < stop; j++) {
        const int64_t t1 = a1[j];
        z2[j - zb] = *(a2 + i0 + (t1 < 0 ? t1 + n1 : t1)*n0);
      }
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const int64_t t1 = a1[j];
        const double t2 = z2[j - zb];
        const double t3 = (t2 - t0);
        const double t4 = (t3 * t3);
        s0[j - start] = s0[j - start] + (double)t4;
      }
    }
    if (n2 == 1) for (int64_t c = 0; c < stop - start; c++) r0[row*n3 + start + c] = (double)s0[c]; else for (int64_t c = 0; c < stop - start; c++) w0[(row*n3 + start + c)*n2 + part] = s0[c];
  }
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_part5(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_b0(c, (void *[]){P[1]}, (int64_t[]){N[2], N[3]})) { c->step = 2; return 1; }
  if (N[2] != N[4]) { c->step = 3; return eq_fail(c, 1, N[2], N[4], 0, 0); }
  if (eq_give(c, 3, 4, 0, (int64_t[]){N[2]})) return 1;
  eq_spread(c, eq_k1, N[2], 64, 26LL*N[2], (void *[]){P[4], P[3], P[1], P[2]}, (int64_t[]){N[3]});
  if (eq_b0(c, (void *[]){P[1]}, (int64_t[]){N[2], N[0]})) { c->step = 5; return 1; }
  if (N[1] != N[3]) { c->step = 6; return eq_fail(c, 2, N[1], N[3], 0, 0); }
  if (eq_give(c, 6, 5, 1, (int64_t[]){N[2]})) return 1;
  N[5] = N[1] < 32 && N[2] >= 2*N[1];
  N[6] = eq_span(N[2], N[1], N[1], 256);
  N[7] = N[1] > 0 ? (N[1] + N[6] - 1) / N[6] : 1;
  c->slots[0].live = 0; if (eq_take(c, 6, 6, 0, 8.0*(!N[5] && N[7] > 1 ? N[2]*N[7] : 0))) return 1;
  if (!N[5]) eq_spread(c, eq_k2, N[2]*N[7], 1, 7LL*N[2]*N[1], (void *[]){P[5], P[2], P[1], P[0], P[6]}, (int64_t[]){N[1], N[0], N[7], N[6]});
  if (!N[5] && N[7] > 1) eq_j3(N[2], N[7], (void *)P[6], (void *)P[5]);
  N[8] = eq_span(N[2] / 128, N[2]*N[1] / 16, N[1], 1);
  N[9] = N[1] > 0 ? (N[1] + N[8] - 1) / N[8] : 1;
  c->slots[0].live = 0; if (eq_take(c, 6, 7, 0, 8.0*(N[5] && N[9] > 1 ? N[2]*N[9] : 0))) return 1;
  if (N[5]) eq_spread(c, eq_k4, 1*((N[2] + 2047) / 2048)*N[9], 1, 7LL*N[1]*N[2], (void *[]){P[5], P[2], P[1], P[0], P[7]}, (int64_t[]){N[1], N[0], N[9], N[2], N[8]});
  if (N[5] && N[9] > 1) eq_j3(N[2], N[9], (void *)P[7], (void *)P[5]);
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part5(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {-1};
static const int64_t eq_in_0_2[] = {-1};
static const int64_t eq_in_0_3[] = {-1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {4, 1, eq_in_0_1}, {10, 1, eq_in_0_2}, {10, 1, eq_in_0_3}};
static const int64_t eq_out_0_0[] = {-1};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}, {10, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {4, 2, 10, 8, 1, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
