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
  const int64_t n0 = v[0];
  const double t0 = 1.0;
  const int64_t tiles = (n0 + 2047) / 2048;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % 1, rest = task / 1, tile = rest % tiles, row = rest / tiles;
    const int64_t k0 = row;
    const int64_t first = 0, last = 2;
    int64_t begin = tile*2048;
    const int64_t end = eq_least(tile*2048 + 2048, n0);
    for (; begin + 32 <= end; begin += 32) {
      double s0[32];
      for (int64_t c = 0; c < 32; c++) { s0[c] = 0; }
      for (int64_t i1 = first; i1 < last; i1++) {
        const double *const q1 = a0 + i1*n0;
        const double t2 = a1[k0*2 + i1];
#pragma omp simd
        for (int64_t c = 0; c < 32; c++) {
          const int64_t j = begin + c;
          const double t1 = q1[j];
          const double t3 = (t2 - t1);
          const double t4 = (t3 + t0);
          const double t5 = (t4 * t4);
          s0[c] = s0[c] + (double)t5;
        }
      }
      for (int64_t c = 0; c < 32; c++) r0[k0*n0 + (begin + c)] = (double)s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[2048];
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 0; }
    for (int64_t i1 = first; i1 < last; i1++) {
      const double *const q1 = a0 + i1*n0;
      const double t2 = a1[k0*2 + i1];
      if (tiles > 1) for (int64_t c = start; c < stop; c += 8) __builtin_prefetch(q1 + n0 + c);
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const double t1 = q1[j];
        const double t3 = (t2 - t1);
        const double t4 = (t3 + t0);
        const double t5 = (t4 * t4);
        s0[j - start] = s0[j - start] + (double)t5;
      }
    }
    for (int64_t c = 0; c < stop - start; c++) r0[k0*n0 + (start + c)] = (double)s0[c];
  }
}
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = task;
    const int64_t k0 = row;
    const double *const q1 = a0 + k0*n0;
    double s0 = INFINITY;
    {
      double b0 = INFINITY;
      int64_t x0 = 0;
#pragma omp simd reduction(min:b0) reduction(|:x0)
      for (int64_t j = 0; j < n0; j++) {
        const double t0 = q1[j];
        b0 = (b0 < (double)t0 ? b0 : (double)t0);
        x0 |= (t0 != t0);
      }
      if (x0) b0 = NAN;
      s0 = (__builtin_isunordered(s0, b0) ? s0 + b0 : (s0 < b0 ? s0 : b0));
    }
    r0[row] = (double)s0;
  }
}
__attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t tiles = (n1 + 511) / 512;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % 1, rest = task / 1, tile = rest % tiles, row = rest / tiles;
    const int64_t first = 0, last = n0;
    int64_t begin = tile*512;
    const int64_t end = eq_least(tile*512 + 512, n1);
    if (last - first <= 16) for (; begin + 32 <= end; begin += 32) {
      double s0[32];
      for (int64_t c = 0; c < 32; c++) { s0[c] = INFINITY; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const double *const q1 = a0 + i0;
#pragma omp simd
        for (int64_t c = 0; c < 32; c++) {
          const int64_t j = begin + c;
          const double t0 = q1[j*n0];
          s0[c] = (__builtin_isunordered(s0[c], (double)t0) ? s0[c] + (double)t0 : (s0[c] < (double)t0 ? s0[c] : (double)t0));
        }
      }
      for (int64_t c = 0; c < 32; c++) r0[row*n1 + begin + c] = (double)s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[512];
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = INFINITY; }
    for (int64_t i0 = first; i0 < last; i0++) {
      const double *const q1 = a0 + i0;
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const double t0 = q1[j*n0];
        s0[j - start] = (__builtin_isunordered(s0[j - start], (double)t0) ? s0[j - start] + (double)t0 : (s0[j - start] < (double)t0 ? s0[j - start] : (double)t0));
      }
    }
    for (int64_t c = 0; c < stop - start; c++) r0[row*n1 + start + c] = (double)s0[c];
  }
}
#else
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline)) void eq_s4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  const int64_t outn0 = v[3];
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    if (x0n1 >= 32) {
      double best = x0[i0*x0s0];
      int64_t place = 0;
      int64_t nans = 0;
      #pragma omp simd reduction(min:best) reduction(+:nans)
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        const double v = x0[i0*x0s0 + r0];
        best = v < best ? v : best;
        nans = nans + (v != v ? 1 : 0);
      }
      if (nans > 0) {
        best = NAN;
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          const double v = x0[i0*x0s0 + x0n1 - r0 - 1];
          place = v != v ? x0n1 - r0 - 1 : place;
        }
      } else {
        int64_t left = 0;
        #pragma omp simd reduction(max:left)
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          left = (x0[i0*x0s0 + r0] <= best ? x0n1 - r0 : 0) > left ? (x0[i0*x0s0 + r0] <= best ? x0n1 - r0 : 0) : left;
        }
        place = x0n1 - left;
      }
      out[i0] = place;
    } else {
      double best = x0[i0*x0s0];
      int64_t place = 0;
      int64_t nans = 0;
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        const double v = x0[i0*x0s0 + r0];
        best = v < best ? v : best;
        nans = nans + (v != v ? 1 : 0);
      }
      if (nans > 0) {
        best = NAN;
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          const double v = x0[i0*x0s0 + x0n1 - r0 - 1];
          place = v != v ? x0n1 - r0 - 1 : place;
        }
      } else {
        int64_t left = 0;
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          left = x0[i0*x0s0 + x0n1 - r0 - 1] <= best ? x0n1 - (x0n1 - r0 - 1) : left;
        }
        place = x0n1 - left;
      }
      out[i0] = place;
    }
  }
}
static __attribute__((noinline)) int64_t eq_b5(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  const int64_t outn0 = v[3];
  if (x0n1 == 0) { return eq_fail(c, 1, 0, 0, 0, 0); }
  eq_spread(c, eq_s4, x0n0, 1, x0n0*15, p, v);
  return 0;
}
static __attribute__((noinline)) int64_t eq_rows6(eq_call *c, int64_t low, int64_t high) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  int64_t n_5 = N[5];
  int64_t n_4 = N[4];
  int64_t n_9 = N[9];
  int64_t n_2 = N[2];
  int64_t n_0 = N[0];
  char *p_1 = P[1];
  char *p_0 = P[0];
  char *p_6 = P[6];
  char *p_7 = P[7];
  int64_t n_10 = N[10];
  int64_t n_12 = N[12];
  char *p_2 = P[2];
  char *p_3 = P[3];
  int64_t n_11 = N[11];
  char *p_4 = P[4];
  char *p_8 = P[8];
  char *p_5 = P[5];
  char *p_9 = P[9];
  int64_t n_6 = N[6];
  for (n_5 = low; n_5 < high; n_5++) {
    n_4 = n_5*n_9;
    n_2 = eq_least(n_9, n_0 - n_4);
    p_1 = p_0 + n_4*16;
    p_6 = p_7 + (n_10 == 1 ? 0 : c->lane())*n_12;
    p_2 = p_6;
    p_3 = p_6 + n_11;
    p_4 = p_8 + n_4*8;
    p_5 = p_9 + n_4*8;
    eq_spread(c, eq_k0, 2, 1, 3LL*2*n_0, (void *[]){p_3, p_0}, (int64_t[]){n_0});
    eq_spread(c, eq_k1, n_2*((n_0 + 2047) / 2048), 1, 7LL*n_2*2*n_0, (void *[]){p_2, p_3, p_1}, (int64_t[]){n_0});
    n_6 = n_0 < 32 && n_2 >= 2*n_0;
    if (!n_6) eq_spread(c, eq_k2, n_2, 1, 3LL*n_2*n_0, (void *[]){p_4, p_2}, (int64_t[]){n_0});
    if (n_6) eq_spread(c, eq_k3, 1*((n_2 + 511) / 512), 1, 3LL*n_0*n_2, (void *[]){p_4, p_2}, (int64_t[]){n_0, n_2});
    if (eq_b5(c, (void *[]){p_2, p_5}, (int64_t[]){n_2, n_0, n_0, n_2})) { c->step = 6; return 1; }
  }
  return 0;
}
static void eq_k7(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  eq_call *c = p[0], own = *c;
  if (v[0]) own.threads = 1;
  if (eq_rows6(&own, low, high)) {
    c->code = own.code; c->step = own.step; *(int64_t *)p[1] = 1;
    memcpy(c->values, own.values, sizeof c->values);
  }
}
static __attribute__((noinline, cold)) int64_t eq_part8(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (N[0] == 0) { c->step = 5; return eq_fail(c, 0, 0, 0, 0, 0); }
  N[7] = 8*N[0] + 16 + 8 + 8;
  N[8] = (2*N[0])*8*32;
  N[9] = eq_rows_near(N[7] < 64 ? 64 : N[7], N[0], eq_least(N[8] < 32768 ? 32768 : N[8], 524288), 4194304);
  N[3] = N[7]*N[0] >= 16777216 && N[7] >= 1024 ? N[9] : 0;
  N[10] = eq_blocks(N[0], N[9]);
  N[2] = N[9];
  N[11] = (N[0]*N[2]*8 + 63) / 64*64;
  N[12] = N[11] + ((2*N[0])*8 + 63) / 64*64;
  c->slots[0].live = 0; if (eq_take(c, 6, 7, 0, 1.0*(N[10] == 1 ? 1 : c->threads)*N[12])) return 1;
  if (eq_give(c, 6, 8, 0, (int64_t[]){N[0]})) return 1;
  if (eq_give(c, 6, 9, 1, (int64_t[]){N[0]})) return 1;
  { int64_t failed = 0; eq_spread(c, eq_k7, N[10], 1, N[7]*N[0], (void *[]){c, &failed}, (int64_t[]){N[10] > 1}); if (failed) return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part8(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, 2};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}, {4, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 2, 13, 10, 1, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
