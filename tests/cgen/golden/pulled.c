#if EQ_HALF != 2
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  for (int64_t g0 = low; g0 < high; g0 += 64) {
    const int64_t e0 = eq_least(g0 + 64, high);
    for (int64_t g1 = 0; g1 < n0; g1 += 64) {
      const int64_t e1 = eq_least(g1 + 64, n0);
      for (int64_t i0 = g0; i0 < e0; i0++) {
        const double *const q1 = a0 + i0;
        double *const q0 = r0 + i0*n0;
#pragma omp simd
        for (int64_t j = g1; j < e1; j++) {
          const double t0 = q1[j*2];
          q0[j] = t0;
        }
      }
    }
  }
}
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const double *restrict const a2 = p[3];
  double *restrict const w0 = p[4];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t tiles = (n0 + 2047) / 2048;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % n1, rest = task / n1, tile = rest % tiles, row = rest / tiles;
    const int64_t k0 = row;
    const int64_t first = part*n2, last = eq_least(first + n2, n0);
    const double *const q1 = a0 + k0*n0;
    const int64_t few = last - first <= 128;
    int64_t begin = tile*2048;
    const int64_t end = eq_least(tile*2048 + 2048, n0);
    if (last - first <= 16) for (; begin + 32 <= end; begin += 32) {
      double s0[32];
      for (int64_t c = 0; c < 32; c++) { s0[c] = 0; }
      for (int64_t i1 = first; i1 < last; i1++) {
        const double t1 = a1[k0 + i1*2];
        const double *const q3 = a2 + i1*n0;
#pragma omp simd
        for (int64_t c = 0; c < 32; c++) {
          const int64_t j = begin + c;
          const double t0 = q1[j];
          const double t2 = (t1 - t0);
          const double t3 = q3[j];
          const double t4 = (t3 * t2);
          s0[c] = s0[c] + (double)t4;
        }
      }
      if (n1 == 1) for (int64_t c = 0; c < 32; c++) r0[k0 + (begin + c)*2] = (double)s0[c]; else for (int64_t c = 0; c < 32; c++) w0[(k0 + (begin + c)*2)*n1 + part] = s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[2048], b0[2048], *const d0 = few ? s0 : b0;
#pragma omp simd
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 0; d0[c] = 0; }
    for (int64_t i1 = first; i1 < last; i1++) {
      const double t1 = a1[k0 + i1*2];
      const double *const q3 = a2 + i1*n0;
      if (tiles > 1) for (int64_t c = start; c < stop; c += 8) __builtin_prefetch(q3 + n0 + c);
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const double t0 = q1[j];
        const double t2 = (t1 - t0);
        const double t3 = q3[j];
        const double t4 = (t3 * t2);
        d0[j - start] = d0[j - start] + (double)t4;
      }
      if (!few && (i1 & 127) == 127) for (int64_t c = 0; c < stop - start; c++) { s0[c] = s0[c] + b0[c]; b0[c] = 0; }
    }
    if (!few) for (int64_t c = 0; c < stop - start; c++) { s0[c] = s0[c] + b0[c]; }
    if (n1 == 1) for (int64_t c = 0; c < stop - start; c++) r0[k0 + (start + c)*2] = (double)s0[c]; else for (int64_t c = 0; c < stop - start; c++) w0[(k0 + (start + c)*2)*n1 + part] = s0[c];
  }
}
#else
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline, cold, optimize("O0"))) void eq_j2(int64_t kept, int64_t chunks, double *w, double *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = w[q] + w[q + d];
    r[k] = (double)w[0];
  }
}
static __attribute__((noinline, cold)) int64_t eq_part3(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (N[0] != N[2]) { c->step = 2; return eq_fail(c, 0, N[0], N[2], 0, 0); }
  if (N[1] != N[0]) { c->step = 3; return eq_fail(c, 1, N[1], N[0], 0, 0); }
  if (eq_give(c, 3, 2, 0, (int64_t[]){N[1], 2})) return 1;
  c->slots[0].live = 0; if (eq_take(c, 3, 3, 0, 8.0*(2*N[1]))) return 1;
  eq_spread(c, eq_k0, 2, 1, 3LL*2*N[1], (void *[]){P[3], P[1]}, (int64_t[]){N[1]});
  N[4] = eq_span(2*N[1] / 128, 2*N[1]*N[1] / 16, N[1], 1);
  N[5] = N[1] > 0 ? (N[1] + N[4] - 1) / N[4] : 1;
  c->slots[1].live = 0; if (eq_take(c, 3, 4, 1, 8.0*(N[5] > 1 ? 2*N[1]*N[5] : 0))) return 1;
  eq_spread(c, eq_k1, 2*((N[1] + 2047) / 2048)*N[5], 1, 7LL*2*N[1]*N[1], (void *[]){P[2], P[3], P[1], P[0], P[4]}, (int64_t[]){N[1], N[5], N[4]});
  if (N[5] > 1) eq_j2(2*N[1], N[5], (void *)P[4], (void *)P[2]);
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part3(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {-1, 2};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 2, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 1, 6, 5, 2, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
