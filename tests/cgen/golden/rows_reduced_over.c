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
__attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
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
__attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  for (int64_t from = low, to = eq_first(a0, sizeof(double), low, high); from < high; from = to, to = high) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const double t0 = a0[j];
      const double t1 = (1 / t0);
      r0[j] = t1;
    }
  }
}
__attribute__((noinline)) void eq_k7(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = task;
    const int64_t k0 = row;
    const double *const q2 = a1 + k0;
    double s0 = 0;
    double m0 = 0;
    for (int64_t b = 0; b < n1; b += 256) {
      const int64_t stop = eq_least(b + 256, n1);
      double b0 = 0;
#pragma omp simd reduction(+:b0)
      for (int64_t j = b; j < stop; j++) {
        const double t0 = a0[j];
        const double t1 = q2[j*n0];
        const double t2 = (t1 * t0);
        b0 = b0 + (double)t2;
      }
      m0 = m0 + b0;
      if ((b & 7936) == 7936) { s0 = s0 + m0; m0 = 0; }
    }
    s0 = s0 + m0;
    r0[row] = (double)s0;
  }
}
#else
__attribute__((noinline)) void eq_k0(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k7(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline)) void eq_k6(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t tiles = (n0 + 2047) / 2048;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % 1, rest = task / 1, tile = rest % tiles, row = rest / tiles;
    const int64_t first = 0, last = n1;
    const int64_t few = last - first <= 128;
    int64_t begin = tile*2048;
    const int64_t end = eq_least(tile*2048 + 2048, n0);
    if (last - first <= 16) for (; begin + 32 <= end; begin += 32) {
      double s0[32];
      for (int64_t c = 0; c < 32; c++) { s0[c] = 0; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const double t0 = a0[i0];
        const double *const q2 = a1 + i0*n0;
#pragma omp simd
        for (int64_t c = 0; c < 32; c++) {
          const int64_t j = begin + c;
          const double t1 = q2[j];
          const double t2 = (t1 * t0);
          s0[c] = s0[c] + (double)t2;
        }
      }
      for (int64_t c = 0; c < 32; c++) r0[row*n0 + begin + c] = (double)s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[2048], b0[2048], *const d0 = few ? s0 : b0;
#pragma omp simd
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 0; d0[c] = 0; }
    for (int64_t i0 = first; i0 < last; i0++) {
      const double t0 = a0[i0];
      const double *const q2 = a1 + i0*n0;
      if (tiles > 1) for (int64_t c = start; c < stop; c += 8) __builtin_prefetch(q2 + n0 + c);
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const double t1 = q2[j];
        const double t2 = (t1 * t0);
        d0[j - start] = d0[j - start] + (double)t2;
      }
      if (!few && (i0 & 127) == 127) for (int64_t c = 0; c < stop - start; c++) { s0[c] = s0[c] + b0[c]; b0[c] = 0; }
    }
    if (!few) for (int64_t c = 0; c < stop - start; c++) { s0[c] = s0[c] + b0[c]; }
    for (int64_t c = 0; c < stop - start; c++) r0[row*n0 + start + c] = (double)s0[c];
  }
}
static __attribute__((noinline)) void eq_k8(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const double *restrict const a1 = p[2];
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const double t0 = a0[j];
    const double t1 = log(t0);
    const double t2 = a1[j];
    const double t3 = (t2 + t1);
    r0[j] = t3;
  }
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_rows9(eq_call *c, int64_t low, int64_t high) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  int64_t n_5 = N[5];
  int64_t n_4 = N[4];
  int64_t n_11 = N[11];
  int64_t n_2 = N[2];
  int64_t n_0 = N[0];
  char *p_1 = P[1];
  char *p_0 = P[0];
  int64_t n_1 = N[1];
  char *p_8 = P[8];
  char *p_9 = P[9];
  int64_t n_12 = N[12];
  int64_t n_16 = N[16];
  char *p_2 = P[2];
  char *p_3 = P[3];
  int64_t n_13 = N[13];
  char *p_4 = P[4];
  int64_t n_14 = N[14];
  char *p_5 = P[5];
  int64_t n_15 = N[15];
  char *p_6 = P[6];
  char *p_10 = P[10];
  char *p_7 = P[7];
  char *p_11 = P[11];
  int64_t n_6 = N[6];
  int64_t n_7 = N[7];
  int64_t n_3 = N[3];
  int64_t n_8 = N[8];
  for (n_5 = low; n_5 < high; n_5++) {
    n_4 = n_5*n_11;
    n_2 = eq_least(n_11, n_0 - n_4);
    p_1 = p_0 + n_4*(8*n_1);
    p_8 = p_9 + (n_12 == 1 ? 0 : c->lane())*n_16;
    p_2 = p_8;
    p_3 = p_8 + n_13;
    p_4 = p_8 + n_14;
    p_5 = p_8 + n_15;
    p_6 = p_10 + n_5*(8*n_1);
    p_7 = p_11 + n_4*8;
    n_6 = n_1 < 32 && n_2 >= 2*n_1;
    if (!n_6) eq_spread(c, eq_k0, n_2, 1, 3LL*n_2*n_1, (void *[]){p_2, p_1}, (int64_t[]){n_1});
    if (n_6) eq_spread(c, eq_k1, 1*((n_2 + 511) / 512), 1, 3LL*n_1*n_2, (void *[]){p_2, p_1}, (int64_t[]){n_1, n_2});
    eq_spread(c, eq_k2, n_2, 64, 4LL*n_2, (void *[]){p_2}, (int64_t[]){0});
    if (!n_7) eq_spread(c, eq_k3, n_2, 1, 26LL*n_2*n_1, (void *[]){p_4, p_3, p_2, p_1}, (int64_t[]){n_1, n_1*n_3});
    if (n_7) eq_spread(c, eq_k4, n_2, 64, 26LL*n_2*n_1, (void *[]){p_4, p_3, p_2, p_1}, (int64_t[]){n_1});
    eq_spread(c, eq_k5, n_2, 64, 7LL*n_2, (void *[]){p_5, p_4}, (int64_t[]){0});
    n_8 = n_1 < 16 && n_2 >= 2*n_1;
    if (!n_8) eq_spread(c, eq_k6, 1*((n_1 + 2047) / 2048), 1, 5LL*n_2*n_1, (void *[]){p_6, p_5, p_3}, (int64_t[]){n_1, n_2});
    if (n_8) eq_spread(c, eq_k7, n_1, 1, 5LL*n_1*n_2, (void *[]){p_6, p_5, p_3}, (int64_t[]){n_1, n_2});
    eq_spread(c, eq_k8, n_2, 64, 25LL*n_2, (void *[]){p_7, p_4, p_2}, (int64_t[]){0});
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
static __attribute__((noinline)) void eq_k11(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  double *restrict const w0 = p[2];
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
      for (int64_t c = 0; c < 32; c++) { s0[c] = 0; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const double *const q1 = a0 + i0*n0;
#pragma omp simd
        for (int64_t c = 0; c < 32; c++) {
          const int64_t j = begin + c;
          const double t0 = q1[j];
          s0[c] = s0[c] + (double)t0;
        }
      }
      if (n1 == 1) for (int64_t c = 0; c < 32; c++) r0[row*n0 + begin + c] = (double)s0[c]; else for (int64_t c = 0; c < 32; c++) w0[(row*n0 + begin + c)*n1 + part] = s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[2048], b0[2048], *const d0 = few ? s0 : b0;
#pragma omp simd
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 0; d0[c] = 0; }
    for (int64_t i0 = first; i0 < last; i0++) {
      const double *const q1 = a0 + i0*n0;
      if (tiles > 1) for (int64_t c = start; c < stop; c += 8) __builtin_prefetch(q1 + n0 + c);
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const double t0 = q1[j];
        d0[j - start] = d0[j - start] + (double)t0;
      }
      if (!few && (i0 & 127) == 127) for (int64_t c = 0; c < stop - start; c++) { s0[c] = s0[c] + b0[c]; b0[c] = 0; }
    }
    if (!few) for (int64_t c = 0; c < stop - start; c++) { s0[c] = s0[c] + b0[c]; }
    if (n1 == 1) for (int64_t c = 0; c < stop - start; c++) r0[row*n0 + start + c] = (double)s0[c]; else for (int64_t c = 0; c < stop - start; c++) w0[(row*n0 + start + c)*n1 + part] = s0[c];
  }
}
static __attribute__((noinline, cold, optimize("O0"))) void eq_j12(int64_t kept, int64_t chunks, double *w, double *r) {
  for (int64_t k = 0; k < kept; k++, w += chunks) {
    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) w[q] = w[q] + w[q + d];
    r[k] = (double)w[0];
  }
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_part13(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  N[7] = N[1] > 0 && N[1] < 64;
  N[9] = 8 + 8*N[1] + 8 + 8 + 8*N[1] + 8;
  N[10] = 8*N[1]*32;
  N[11] = eq_rows_near(N[9] < 32 ? 32 : N[9], N[0], 8*N[1] > 131072 ? 4611686018427387904 : eq_least(N[10] < 32768 ? 32768 : N[10], 524288), 4194304);
  N[3] = N[9]*N[0] >= 16777216 && N[9] >= 1024 ? N[11] : 0;
  N[12] = eq_blocks(N[0], N[11]);
  N[2] = N[11];
  N[13] = (N[2]*8 + 63) / 64*64;
  N[14] = N[13] + (N[1]*N[2]*8 + 63) / 64*64;
  N[15] = N[14] + (N[2]*8 + 63) / 64*64;
  N[16] = N[15] + (N[2]*8 + 63) / 64*64;
  c->slots[0].live = 0; if (eq_take(c, 7, 9, 0, 1.0*(N[12] == 1 ? 1 : c->threads)*N[16])) return 1;
  c->slots[1].live = 0; if (eq_take(c, 7, 10, 1, 8.0*N[12]*N[1])) return 1;
  if (eq_give(c, 7, 11, 1, (int64_t[]){N[0]})) return 1;
  { int64_t failed = 0; eq_spread(c, eq_k10, N[12], 1, N[9]*N[0], (void *[]){c, &failed}, (int64_t[]){N[12] > 1}); if (failed) return 1; }
  if (eq_give(c, 7, 12, 0, (int64_t[]){N[1]})) return 1;
  N[17] = eq_span(N[1] / 128, N[1]*N[12] / 16, N[12], 1);
  N[18] = N[12] > 0 ? (N[12] + N[17] - 1) / N[17] : 1;
  c->slots[0].live = 0; if (eq_take(c, 7, 13, 0, 8.0*(N[18] > 1 ? N[1]*N[18] : 0))) return 1;
  eq_spread(c, eq_k11, 1*((N[1] + 2047) / 2048)*N[18], 1, 3LL*N[12]*N[1], (void *[]){P[12], P[10], P[13]}, (int64_t[]){N[1], N[18], N[12], N[17]});
  if (N[18] > 1) eq_j12(N[1], N[18], (void *)P[13], (void *)P[12]);
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part13(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}, {10, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 2, 19, 14, 2, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
