static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  double *restrict const w0 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t n3 = v[3];
  const int64_t n4 = v[4];
  const int64_t tiles = (n1 + 2047) / 2048;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % n2, rest = task / n2, tile = rest % tiles, row = rest / tiles;
    const int64_t k0 = row;
    const int64_t first = part*n4, last = eq_least(first + n4, n3);
    const int64_t few = last - first <= 128;
    int64_t begin = tile*2048;
    const int64_t end = eq_least(tile*2048 + 2048, n1);
    if (last - first <= 16) for (; begin + 32 <= end; begin += 32) {
      double s0[32];
      for (int64_t c = 0; c < 32; c++) { s0[c] = 0; }
      for (int64_t i1 = first; i1 < last; i1++) {
        const double *const q1 = a0 + k0*n0 + i1*n1;
#pragma omp simd
        for (int64_t c = 0; c < 32; c++) {
          const int64_t j = begin + c;
          const double t0 = q1[j];
          s0[c] = s0[c] + (double)t0;
        }
      }
      if (n2 == 1) for (int64_t c = 0; c < 32; c++) r0[row*n1 + begin + c] = (double)s0[c]; else for (int64_t c = 0; c < 32; c++) w0[(row*n1 + begin + c)*n2 + part] = s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[2048], b0[2048], *const d0 = few ? s0 : b0;
#pragma omp simd
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 0; d0[c] = 0; }
    for (int64_t i1 = first; i1 < last; i1++) {
      const double *const q1 = a0 + k0*n0 + i1*n1;
      if (tiles > 1) for (int64_t c = start; c < stop; c += 8) __builtin_prefetch(q1 + n1 + c);
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const double t0 = q1[j];
        d0[j - start] = d0[j - start] + (double)t0;
      }
      if (!few && (i1 & 127) == 127) for (int64_t c = 0; c < stop - start; c++) { s0[c] = s0[c] + b0[c]; b0[c] = 0; }
    }
    if (!few) for (int64_t c = 0; c < stop - start; c++) { s0[c] = s0[c] + b0[c]; }
    if (n2 == 1) for (int64_t c = 0; c < stop - start; c++) r0[row*n1 + start + c] = (double)s0[c]; else for (int64_t c = 0; c < stop - start; c++) w0[(row*n1 + start + c)*n2 + part] = s0[c];
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
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[0], N[2]})) return 1;
  N[3] = eq_span(N[0]*N[2] / 128, N[0]*N[2]*N[1] / 16, N[1], 1);
  N[4] = N[1] > 0 ? (N[1] + N[3] - 1) / N[3] : 1;
  c->slots[0].live = 0; if (eq_take(c, 1, 2, 0, 8.0*(N[4] > 1 ? N[0]*N[2]*N[4] : 0))) return 1;
  eq_spread(c, eq_k0, N[0]*((N[2] + 2047) / 2048)*N[4], 1, 3LL*N[0]*N[1]*N[2], (void *[]){P[1], P[0], P[2]}, (int64_t[]){N[1]*N[2], N[2], N[4], N[1], N[3]});
  if (N[4] > 1) eq_j1(N[0]*N[2], N[4], (void *)P[2], (void *)P[1]);
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1, -1};
static const eq_type eq_in_0[] = {{10, 3, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 5, 3, 1, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
