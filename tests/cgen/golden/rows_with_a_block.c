#if EQ_HALF != 2
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = task;
    const int64_t k0 = row;
    const double *const q1 = a0 + k0*n0;
    double s0 = -INFINITY;
    {
      double b0 = -INFINITY;
      int64_t x0 = 0;
#pragma omp simd reduction(max:b0) reduction(|:x0)
      for (int64_t j = 0; j < n0; j++) {
        const double t0 = q1[j];
        b0 = (b0 > (double)t0 ? b0 : (double)t0);
        x0 |= (t0 != t0);
      }
      if (x0) b0 = NAN;
      s0 = (__builtin_isunordered(s0, b0) ? s0 + b0 : (s0 > b0 ? s0 : b0));
    }
    r0[row] = (double)s0;
  }
}
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
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
      for (int64_t c = 0; c < 32; c++) { s0[c] = -INFINITY; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const double *const q1 = a0 + i0;
#pragma omp simd
        for (int64_t c = 0; c < 32; c++) {
          const int64_t j = begin + c;
          const double t0 = q1[j*n0];
          s0[c] = (__builtin_isunordered(s0[c], (double)t0) ? s0[c] + (double)t0 : (s0[c] > (double)t0 ? s0[c] : (double)t0));
        }
      }
      for (int64_t c = 0; c < 32; c++) r0[row*n1 + begin + c] = (double)s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[512];
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = -INFINITY; }
    for (int64_t i0 = first; i0 < last; i0++) {
      const double *const q1 = a0 + i0;
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const double t0 = q1[j*n0];
        s0[j - start] = (__builtin_isunordered(s0[j - start], (double)t0) ? s0[j - start] + (double)t0 : (s0[j - start] > (double)t0 ? s0[j - start] : (double)t0));
      }
    }
    for (int64_t c = 0; c < stop - start; c++) r0[row*n1 + start + c] = (double)s0[c];
  }
}
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double t0 = 0.0;
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t1 = r0[j];
    const bool8_t t2 = (fabs(t1) < INFINITY);
    const double t3 = (t2 ? t1 : t0);
    r0[j] = t3;
  }
}
__attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  double *restrict const r1 = p[1];
  const double *restrict const a0 = p[2];
  const double *restrict const a1 = p[3];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = task;
    const int64_t k0 = row;
    const double t0 = a0[k0];
    const double *const q3 = a1 + k0*n0;
    double *const q1 = r1 + k0*n0;
    double s0 = 0;
    double m0 = 0;
    for (int64_t b = 0; b < n0; b += 256) {
      const int64_t stop = eq_least(b + 256, n0);
      if (n1) for (int64_t c = b; c < stop; c += 8) __builtin_prefetch(q3 + n1 + c);
      double b0 = 0;
#pragma omp simd reduction(+:b0)
      for (int64_t j = b; j < stop; j++) {
        const double t1 = q3[j];
        const double t2 = (t1 - t0);
        const double t3 = exp(t2);
        q1[j] = t3;
        b0 = b0 + (double)t3;
      }
      m0 = m0 + b0;
      if ((b & 7936) == 7936) { s0 = s0 + m0; m0 = 0; }
    }
    s0 = s0 + m0;
    r0[row] = (double)s0;
  }
}
__attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t0 = r0[j];
    const double t1 = (1 / t0);
    r0[j] = t1;
  }
}
__attribute__((noinline)) void eq_k6(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  for (int64_t i0 = low; i0 < high; i0++) {
    const double t0 = a0[i0];
    double *const q0 = r0 + i0*n0;
#pragma omp simd
    for (int64_t j = 0; j < n0; j++) {
      const double t1 = q0[j];
      const double t2 = (t1 * t0);
      q0[j] = t2;
    }
  }
}
#else
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k6(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  double *restrict const r1 = p[1];
  const double *restrict const a0 = p[2];
  const double *restrict const a1 = p[3];
  const int64_t n0 = v[0];
  const int64_t many = 512 / n0;
  for (int64_t row = low; row < high; row += many) {
    const int64_t rows = eq_least(many, high - row), all = rows*n0;
    double *const q1 = r1 + row*n0;
    const double *const q3 = a1 + row*n0;
    double e0[528];
    for (int64_t i = row; i < row + rows; i++) {
      const double t0 = a0[i];
      for (int64_t c = (i - row)*n0; c < (i - row + 1)*n0; c += 16) {
        for (int64_t u = 0; u < 16; u++) e0[c + u] = t0;
      }
    }
    double b0[512];
    #pragma omp simd
    for (int64_t j = 0; j < all; j++) {
      const double t0 = e0[j];
      const double t1 = q3[j];
      const double t2 = (t1 - t0);
      const double t3 = exp(t2);
      q1[j] = t3;
      b0[j] = (double)t3;
    }
    double s0[512];
    for (int64_t r = 0; r < rows; r++) s0[r] = 0;
    for (int64_t w = 1, from = 0;; w *= 4) {
      for (int64_t stop = from + (n0 & 3*w); from < stop; from += w)
        for (int64_t r = 0; r < rows; r++) s0[r] = s0[r] + b0[r*n0 + from];
      if (4*w > n0) break;
    #pragma omp simd
      for (int64_t j = 0; j < all - 3*w; j++) { const double y = b0[j] + b0[j + w], z = b0[j + 2*w] + b0[j + 3*w]; b0[j] = y + z; }
    }
    for (int64_t r = 0; r < rows; r++) r0[row + r] = (double)s0[r];
  }
}
static __attribute__((noinline)) void eq_s7(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  double *out = p[1];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  for (int64_t task = low; task < high; task++) {
    const int64_t i0 = task;
    if (x0n1 > 0) {
      double total = x0[i0*x0s0];
      out[i0*outs0] = total;
      for (int64_t k = 1; k < x0n1; k++) {
        total = (double)(total + x0[i0*x0s0 + k]);
        out[i0*outs0 + k] = total;
      }
    }
  }
}
static __attribute__((noinline)) int64_t eq_b8(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  double *out = p[1];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  eq_spread(c, eq_s7, x0n0, 1, x0n0*7, p, v);
  return 0;
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_rows9(eq_call *c, int64_t low, int64_t high) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  int64_t n_5 = N[5];
  int64_t n_4 = N[4];
  int64_t n_9 = N[9];
  int64_t n_2 = N[2];
  int64_t n_0 = N[0];
  char *p_1 = P[1];
  char *p_0 = P[0];
  int64_t n_1 = N[1];
  char *p_6 = P[6];
  char *p_7 = P[7];
  int64_t n_10 = N[10];
  int64_t n_13 = N[13];
  char *p_2 = P[2];
  char *p_3 = P[3];
  int64_t n_11 = N[11];
  char *p_4 = P[4];
  int64_t n_12 = N[12];
  char *p_5 = P[5];
  char *p_8 = P[8];
  int64_t n_6 = N[6];
  int64_t n_7 = N[7];
  int64_t n_3 = N[3];
  for (n_5 = low; n_5 < high; n_5++) {
    n_4 = n_5*n_9;
    n_2 = eq_least(n_9, n_0 - n_4);
    p_1 = p_0 + n_4*(8*n_1);
    p_6 = p_7 + (n_10 == 1 ? 0 : c->lane())*n_13;
    p_2 = p_6;
    p_3 = p_6 + n_11;
    p_4 = p_6 + n_12;
    p_5 = p_8 + n_4*(8*n_1);
    n_6 = n_1 < 32 && n_2 >= 2*n_1;
    if (!n_6) eq_spread(c, eq_k0, n_2, 1, 3LL*n_2*n_1, (void *[]){p_2, p_1}, (int64_t[]){n_1});
    if (n_6) eq_spread(c, eq_k1, 1*((n_2 + 511) / 512), 1, 3LL*n_1*n_2, (void *[]){p_2, p_1}, (int64_t[]){n_1, n_2});
    eq_spread(c, eq_k2, n_2, 64, 4LL*n_2, (void *[]){p_2}, (int64_t[]){0});
    if (!n_7) eq_spread(c, eq_k3, n_2, 1, 26LL*n_2*n_1, (void *[]){p_4, p_3, p_2, p_1}, (int64_t[]){n_1, n_1*n_3});
    if (n_7) eq_spread(c, eq_k4, n_2, 64, 26LL*n_2*n_1, (void *[]){p_4, p_3, p_2, p_1}, (int64_t[]){n_1});
    eq_spread(c, eq_k5, n_2, 64, 6LL*n_2, (void *[]){p_4}, (int64_t[]){0});
    eq_spread(c, eq_k6, n_2, 1, 4LL*n_2*n_1, (void *[]){p_3, p_4}, (int64_t[]){n_1});
    if (eq_b8(c, (void *[]){p_3, p_5}, (int64_t[]){n_2, n_1, n_1, n_2, n_1, n_1})) { c->step = 7; return 1; }
  }
  return 0;
}
static void eq_k10(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  eq_call *c = p[0], own = *c;
  if (v[0]) own.threads = 1;
  if (eq_rows9(&own, low, high)) {
    c->code = own.code; c->step = own.step; *(int64_t *)p[1] = 1;
    memcpy(c->values, own.values, sizeof c->values);
  }
}
static __attribute__((noinline, cold)) int64_t eq_part11(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  N[7] = N[1] > 0 && N[1] < 64;
  N[8] = 8 + 8*N[1] + 8 + 8*N[1] + 8*N[1];
  N[9] = eq_rows_near(N[8] < 8*N[1]*4 ? 8*N[1]*4 : N[8], N[0], 32768, 4194304);
  N[3] = N[8]*N[0] >= 16777216 && N[8] >= 1024 ? N[9] : 0;
  N[10] = eq_blocks(N[0], N[9]);
  N[2] = N[9];
  N[11] = (N[2]*8 + 63) / 64*64;
  N[12] = N[11] + (N[1]*N[2]*8 + 63) / 64*64;
  N[13] = N[12] + (N[2]*8 + 63) / 64*64;
  c->slots[0].live = 0; if (eq_take(c, 7, 7, 0, 1.0*(N[10] == 1 ? 1 : c->threads)*N[13])) return 1;
  if (eq_give(c, 7, 8, 0, (int64_t[]){N[0], N[1]})) return 1;
  { int64_t failed = 0; eq_spread(c, eq_k10, N[10], 1, N[8]*N[0], (void *[]){c, &failed}, (int64_t[]){N[10] > 1}); if (failed) return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part11(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 14, 9, 1, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
