static __attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  complex128_t *restrict const r0 = p[0];
  const complex128_t *restrict const a0 = p[1];
  complex128_t *restrict const w0 = p[2];
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
    if (last - first <= 16) for (; begin + 16 <= end; begin += 16) {
      complex128_t s0[16];
      for (int64_t c = 0; c < 16; c++) { s0[c] = 1; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const complex128_t *const q1 = a0 + i0*n0;
#pragma omp simd
        for (int64_t c = 0; c < 16; c++) {
          const int64_t j = begin + c;
          const complex128_t t0 = q1[j];
          s0[c] = eq_cmul__complex128_t(s0[c], (complex128_t)t0);
        }
      }
      if (n1 == 1) for (int64_t c = 0; c < 16; c++) r0[row*n0 + begin + c] = (complex128_t)s0[c]; else for (int64_t c = 0; c < 16; c++) w0[(row*n0 + begin + c)*n1 + part] = s0[c];
    }
    const int64_t start = begin, stop = end;
    complex128_t s0[2048], b0[2048], *const d0 = few ? s0 : b0;
#pragma omp simd
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 1; d0[c] = 1; }
    for (int64_t i0 = first; i0 < last; i0++) {
      const complex128_t *const q1 = a0 + i0*n0;
      if (tiles > 1) for (int64_t c = start; c < stop; c += 4) __builtin_prefetch(q1 + n0 + c);
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const complex128_t t0 = q1[j];
        d0[j - start] = eq_cmul__complex128_t(d0[j - start], (complex128_t)t0);
      }
      if (!few && (i0 & 127) == 127) for (int64_t c = 0; c < stop - start; c++) { s0[c] = eq_cmul__complex128_t(s0[c], b0[c]); b0[c] = 1; }
    }
    if (!few) for (int64_t c = 0; c < stop - start; c++) { s0[c] = eq_cmul__complex128_t(s0[c], b0[c]); }
    if (n1 == 1) for (int64_t c = 0; c < stop - start; c++) r0[row*n0 + start + c] = (complex128_t)s0[c]; else for (int64_t c = 0; c < stop - start; c++) w0[(row*n0 + start + c)*n1 + part] = s0[c];
  }
}
static __attribute__((noinline, cold, optimize("O0"))) void eq_j1(int64_t kept, int64_t chunks, complex128_t *w, complex128_t *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = eq_cmul__complex128_t(w[q], w[q + d]);
    r[k] = (complex128_t)w[0];
  }
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[1]})) return 1;
  N[2] = eq_span(N[1] / 128, N[1]*N[0] / 16, N[0], 1);
  N[3] = N[0] > 0 ? (N[0] + N[2] - 1) / N[2] : 1;
  c->slots[0].live = 0; if (eq_take(c, 1, 2, 0, 16.0*(N[3] > 1 ? N[1]*N[3] : 0))) return 1;
  eq_spread(c, eq_k0, 1*((N[1] + 2047) / 2048)*N[3], 1, 3LL*N[0]*N[1], (void *[]){P[1], P[0], P[2]}, (int64_t[]){N[1], N[3], N[0], N[2]});
  if (N[3] > 1) eq_j1(N[1], N[3], (void *)P[2], (void *)P[1]);
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{12, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{12, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 4, 3, 1, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
