#if EQ_HALF != 2
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  double *restrict const r1 = p[1];
  const double *restrict const a0 = p[2];
  const double *restrict const a1 = p[3];
  double *restrict const w0 = p[4];
  double *restrict const w1 = p[5];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t n2 = v[2];
  const int64_t n3 = v[3];
  const int64_t tiles = (n0 + 2047) / 2048;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % n1, rest = task / n1, tile = rest % tiles, row = rest / tiles;
    const int64_t first = part*n3, last = eq_least(first + n3, n2);
    const int64_t few = last - first <= 128;
    int64_t begin = tile*2048;
    const int64_t end = eq_least(tile*2048 + 2048, n0);
    if (last - first <= 16) for (; begin + 32 <= end; begin += 32) {
      double s0[32];
      double s1[32];
      for (int64_t c = 0; c < 32; c++) { s0[c] = -INFINITY; s1[c] = 0; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const double *const q2 = a0 + i0*n0;
        const double *const q3 = a1 + i0*n0;
#pragma omp simd
        for (int64_t c = 0; c < 32; c++) {
          const int64_t j = begin + c;
          const double t0 = q2[j];
          const double t1 = q3[j];
          const double t2 = (t0 * t1);
          s0[c] = (__builtin_isunordered(s0[c], (double)t0) ? s0[c] + (double)t0 : (s0[c] > (double)t0 ? s0[c] : (double)t0));
          s1[c] = s1[c] + (double)t2;
        }
      }
      if (n1 == 1) for (int64_t c = 0; c < 32; c++) r0[row*n0 + begin + c] = (double)s0[c]; else for (int64_t c = 0; c < 32; c++) w0[(row*n0 + begin + c)*n1 + part] = s0[c];
      if (n1 == 1) for (int64_t c = 0; c < 32; c++) r1[row*n0 + begin + c] = (double)s1[c]; else for (int64_t c = 0; c < 32; c++) w1[(row*n0 + begin + c)*n1 + part] = s1[c];
    }
    for (int64_t start = begin, stop; start < end; start = stop) {
      stop = few ? eq_least(start + 1024, end) : end;
      double s0[2048], b0[2048], *const d0 = few ? s0 : b0;
      double s1[2048], b1[2048], *const d1 = few ? s1 : b1;
#pragma omp simd
      for (int64_t c = 0; c < stop - start; c++) { s0[c] = -INFINITY; s1[c] = 0; d0[c] = -INFINITY; d1[c] = 0; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const double *const q2 = a0 + i0*n0;
        const double *const q3 = a1 + i0*n0;
        if (tiles > 1) for (int64_t c = start; c < stop; c += 8) __builtin_prefetch(q2 + n0 + c);
        if (tiles > 1) for (int64_t c = start; c < stop; c += 8) __builtin_prefetch(q3 + n0 + c);
#pragma omp simd
        for (int64_t j = start; j < stop; j++) {
          const double t0 = q2[j];
          const double t1 = q3[j];
          const double t2 = (t0 * t1);
          d0[j - start] = (__builtin_isunordered(d0[j - start], (double)t0) ? d0[j - start] + (double)t0 : (d0[j - start] > (double)t0 ? d0[j - start] : (double)t0));
          d1[j - start] = d1[j - start] + (double)t2;
        }
        if (!few && (i0 & 127) == 127) for (int64_t c = 0; c < stop - start; c++) { s0[c] = (__builtin_isunordered(s0[c], b0[c]) ? s0[c] + b0[c] : (s0[c] > b0[c] ? s0[c] : b0[c])); s1[c] = s1[c] + b1[c]; b0[c] = -INFINITY; b1[c] = 0; }
      }
      if (!few) for (int64_t c = 0; c < stop - start; c++) { s0[c] = (__builtin_isunordered(s0[c], b0[c]) ? s0[c] + b0[c] : (s0[c] > b0[c] ? s0[c] : b0[c])); s1[c] = s1[c] + b1[c]; }
      if (n1 == 1) for (int64_t c = 0; c < stop - start; c++) r0[row*n0 + start + c] = (double)s0[c]; else for (int64_t c = 0; c < stop - start; c++) w0[(row*n0 + start + c)*n1 + part] = s0[c];
      if (n1 == 1) for (int64_t c = 0; c < stop - start; c++) r1[row*n0 + start + c] = (double)s1[c]; else for (int64_t c = 0; c < stop - start; c++) w1[(row*n0 + start + c)*n1 + part] = s1[c];
    }
  }
}
#else
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline, cold, optimize("O0"))) void eq_j1(int64_t kept, int64_t chunks, double *w, double *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = (__builtin_isunordered(w[q], w[q + d]) ? w[q] + w[q + d] : (w[q] > w[q + d] ? w[q] : w[q + d]));
    r[k] = (double)w[0];
  }
}
static __attribute__((noinline, cold, optimize("O0"))) void eq_j2(int64_t kept, int64_t chunks, double *w, double *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = w[q] + w[q + d];
    r[k] = (double)w[0];
  }
}
static __attribute__((noinline, cold)) int64_t eq_part3(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (N[0] != N[2]) { c->step = 2; return eq_fail(c, 0, N[0], N[2], 0, 0); }
  if (N[1] != N[3]) { c->step = 3; return eq_fail(c, 1, N[1], N[3], 0, 0); }
  if (N[0] == 0) { c->step = 4; return eq_fail(c, 2, 0, 0, 0, 0); }
  if (eq_give(c, 4, 2, 0, (int64_t[]){N[1]})) return 1;
  if (eq_give(c, 4, 3, 1, (int64_t[]){N[1]})) return 1;
  N[4] = eq_span(N[1] / 128, N[1]*N[0] / 16, N[0], 1);
  N[5] = N[0] > 0 ? (N[0] + N[4] - 1) / N[4] : 1;
  c->slots[0].live = 0; if (eq_take(c, 4, 4, 0, 8.0*(N[5] > 1 ? N[1]*N[5] : 0))) return 1;
  c->slots[1].live = 0; if (eq_take(c, 4, 5, 1, 8.0*(N[5] > 1 ? N[1]*N[5] : 0))) return 1;
  eq_spread(c, eq_k0, 1*((N[1] + 2047) / 2048)*N[5], 1, 6LL*N[0]*N[1], (void *[]){P[2], P[3], P[0], P[1], P[4], P[5]}, (int64_t[]){N[1], N[5], N[0], N[4]});
  if (N[5] > 1) eq_j1(N[1], N[5], (void *)P[4], (void *)P[2]);
  if (N[5] > 1) eq_j2(N[1], N[5], (void *)P[5], (void *)P[3]);
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part3(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const int64_t eq_in_0_1[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}, {10, 2, eq_in_0_1}};
static const int64_t eq_out_0_0[] = {-1};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}, {10, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {2, 2, 6, 6, 2, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
