#if EQ_HALF != 2
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  double *restrict const w0 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = n1 == 1 ? task : task / n1, part = task - row*n1;
    const int64_t k0 = row;
    const int64_t first = part*n2, last = eq_least(first + n2, n0);
    const double *const q1 = a0 + k0*n0;
    double s0 = 0;
    double m0 = 0;
    for (int64_t b = first; b < last; b += 256) {
      const int64_t stop = eq_least(b + 256, last);
      double b0 = 0;
#pragma omp simd reduction(+:b0)
      for (int64_t j = b; j < stop; j++) {
        const double t0 = q1[j];
        b0 = b0 + (double)t0;
      }
      m0 = m0 + b0;
      if (((b - first) & 7936) == 7936) { s0 = s0 + m0; m0 = 0; }
    }
    s0 = s0 + m0;
    if (n1 == 1) r0[row] = (double)s0; else w0[task] = s0;
  }
}
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  double *restrict const w0 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t n3 = v[3];
  const int64_t tiles = (n2 + 511) / 512;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % n1, rest = task / n1, tile = rest % tiles, row = rest / tiles;
    const int64_t first = part*n3, last = eq_least(first + n3, n0);
    int64_t begin = tile*512;
    const int64_t end = eq_least(tile*512 + 512, n2);
    if (last - first <= 16) for (; begin + 32 <= end; begin += 32) {
      double s0[32];
      for (int64_t c = 0; c < 32; c++) { s0[c] = 0; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const double *const q1 = a0 + i0;
#pragma omp simd
        for (int64_t c = 0; c < 32; c++) {
          const int64_t j = begin + c;
          const double t0 = q1[j*n0];
          s0[c] = s0[c] + (double)t0;
        }
      }
      if (n1 == 1) for (int64_t c = 0; c < 32; c++) r0[row*n2 + begin + c] = (double)s0[c]; else for (int64_t c = 0; c < 32; c++) w0[(row*n2 + begin + c)*n1 + part] = s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[512];
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 0; }
    for (int64_t i0 = first; i0 < last; i0++) {
      const double *const q1 = a0 + i0;
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const double t0 = q1[j*n0];
        s0[j - start] = s0[j - start] + (double)t0;
      }
    }
    if (n1 == 1) for (int64_t c = 0; c < stop - start; c++) r0[row*n2 + start + c] = (double)s0[c]; else for (int64_t c = 0; c < stop - start; c++) w0[(row*n2 + start + c)*n1 + part] = s0[c];
  }
}
#else
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline, cold, optimize("O0"))) void eq_j1(int64_t kept, int64_t chunks, double *w, double *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = w[q] + w[q + d];
    r[k] = (double)w[0];
  }
}
static __attribute__((noinline, cold)) int64_t eq_part3(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[0]})) return 1;
  N[2] = N[1] < 32 && N[0] >= 2*N[1];
  N[3] = eq_span(N[0], N[1], N[1], 256);
  N[4] = N[1] > 0 ? (N[1] + N[3] - 1) / N[3] : 1;
  c->slots[0].live = 0; if (eq_take(c, 1, 2, 0, 8.0*(!N[2] && N[4] > 1 ? N[0]*N[4] : 0))) return 1;
  if (!N[2]) eq_spread(c, eq_k0, N[0]*N[4], 1, 3LL*N[0]*N[1], (void *[]){P[1], P[0], P[2]}, (int64_t[]){N[1], N[4], N[3]});
  if (!N[2] && N[4] > 1) eq_j1(N[0], N[4], (void *)P[2], (void *)P[1]);
  N[5] = eq_span(N[0] / 128, N[0]*N[1] / 16, N[1], 1);
  N[6] = N[1] > 0 ? (N[1] + N[5] - 1) / N[5] : 1;
  c->slots[0].live = 0; if (eq_take(c, 1, 3, 0, 8.0*(N[2] && N[6] > 1 ? N[0]*N[6] : 0))) return 1;
  if (N[2]) eq_spread(c, eq_k2, 1*((N[0] + 511) / 512)*N[6], 1, 3LL*N[1]*N[0], (void *[]){P[1], P[0], P[3]}, (int64_t[]){N[1], N[6], N[0], N[5]});
  if (N[2] && N[6] > 1) eq_j1(N[0], N[6], (void *)P[3], (void *)P[1]);
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part3(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 7, 4, 1, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
