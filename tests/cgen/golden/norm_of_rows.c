#if EQ_HALF != 2
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  float *restrict const r0 = p[0];
  const float *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = task;
    const int64_t k0 = row;
    const float *const q1 = a0 + k0*n0;
    double s0 = 0;
    {
      double b0 = 0;
#pragma omp simd reduction(+:b0)
      for (int64_t j = 0; j < n0; j++) {
        const float t0 = q1[j];
        b0 = b0 + (double)t0;
      }
      s0 = s0 + b0;
    }
    r0[row] = (float)s0;
  }
}
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  float *restrict const r0 = p[0];
  const float *restrict const a0 = p[1];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t tiles = (n1 + 511) / 512;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % 1, rest = task / 1, tile = rest % tiles, row = rest / tiles;
    const int64_t first = 0, last = n0;
    int64_t begin = tile*512;
    const int64_t end = eq_least(tile*512 + 512, n1);
    if (last - first <= 16) for (; begin + 64 <= end; begin += 64) {
      double s0[64];
      for (int64_t c = 0; c < 64; c++) { s0[c] = 0; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const float *const q1 = a0 + i0;
#pragma omp simd
        for (int64_t c = 0; c < 64; c++) {
          const int64_t j = begin + c;
          const float t0 = q1[j*n0];
          s0[c] = s0[c] + (double)t0;
        }
      }
      for (int64_t c = 0; c < 64; c++) r0[row*n1 + begin + c] = (float)s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[512];
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 0; }
    for (int64_t i0 = first; i0 < last; i0++) {
      const float *const q1 = a0 + i0;
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const float t0 = q1[j*n0];
        s0[j - start] = s0[j - start] + (double)t0;
      }
    }
    for (int64_t c = 0; c < stop - start; c++) r0[row*n1 + start + c] = (float)s0[c];
  }
}
__attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  float *restrict const r0 = p[0];
  const int64_t *restrict const a0 = p[1];
  const int64_t t0 = a0[0];
  const float t1 = ((float)(t0));
#pragma omp simd
  for (int64_t j = low; j < high; j++) {
    const float t2 = r0[j];
    const float t3 = (t2 / t1);
    r0[j] = t3;
  }
}
__attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  float *restrict const r0 = p[0];
  const float *restrict const a0 = p[1];
  const float *restrict const a1 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  for (int64_t task = low; task < high; task++) {
    const int64_t row = task;
    const int64_t k0 = row;
    const float t0 = a0[k0];
    const float *const q2 = a1 + k0*n0;
    double s0 = 0;
    for (int64_t b = 0; b < n0; b += 512) {
      const int64_t stop = eq_least(b + 512, n0);
      if (n1) for (int64_t c = b; c < stop; c += 16) __builtin_prefetch(q2 + n1 + c);
      {
        double b0 = 0;
#pragma omp simd reduction(+:b0)
        for (int64_t j = b; j < stop; j++) {
          const float t1 = q2[j];
          const float t2 = (t1 - t0);
          b0 = eq_added(t2, t2, b0);
        }
        s0 = s0 + b0;
      }
    }
    r0[row] = (float)s0;
  }
}
__attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  float *restrict const r0 = p[0];
  const float *restrict const a0 = p[1];
  const float *restrict const a1 = p[2];
  const int64_t n0 = v[0];
  const int64_t n1 = v[1];
  const int64_t tiles = (n1 + 511) / 512;
  for (int64_t task = low; task < high; task++) {
    const int64_t part = task % 1, rest = task / 1, tile = rest % tiles, row = rest / tiles;
    const int64_t first = 0, last = n0;
    int64_t begin = tile*512;
    const int64_t end = eq_least(tile*512 + 512, n1);
    if (last - first <= 16) for (; begin + 64 <= end; begin += 64) {
      double s0[64];
      for (int64_t c = 0; c < 64; c++) { s0[c] = 0; }
      for (int64_t i0 = first; i0 < last; i0++) {
        const float *const q2 = a1 + i0;
#pragma omp simd
        for (int64_t c = 0; c < 64; c++) {
          const int64_t j = begin + c;
          const float t0 = a0[j];
          const float t1 = q2[j*n0];
          const float t2 = (t1 - t0);
          s0[c] = eq_added(t2, t2, s0[c]);
        }
      }
      for (int64_t c = 0; c < 64; c++) r0[row*n1 + begin + c] = (float)s0[c];
    }
    const int64_t start = begin, stop = end;
    double s0[512];
    for (int64_t c = 0; c < stop - start; c++) { s0[c] = 0; }
    for (int64_t i0 = first; i0 < last; i0++) {
      const float *const q2 = a1 + i0;
#pragma omp simd
      for (int64_t j = start; j < stop; j++) {
        const float t0 = a0[j];
        const float t1 = q2[j*n0];
        const float t2 = (t1 - t0);
        s0[j - start] = eq_added(t2, t2, s0[j - start]);
      }
    }
    for (int64_t c = 0; c < stop - start; c++) r0[row*n1 + start + c] = (float)s0[c];
  }
}
#else
__attribute__((noinline)) void eq_k1(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k2(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k3(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k4(int64_t low, int64_t high, void *const *p, const int64_t *v);
__attribute__((noinline)) void eq_k5(int64_t low, int64_t high, void *const *p, const int64_t *v);
#endif
#if EQ_HALF != 1
static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const float *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  int64_t *out = p[1];
  out[0] = x0n1;
  return 0;
}
static __attribute__((noinline)) void eq_k6(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const int64_t *restrict const a0 = p[1];
  const float *restrict const a1 = p[2];
  const double t0 = 1e-05;
  const int64_t t1 = a0[0];
  const float t2 = ((float)(t1));
  for (int64_t from = low, to = eq_first(a1, sizeof(float), low, high); from < high; from = to, to = high) {
#pragma omp simd
    for (int64_t j = from; j < to; j++) {
      const float t3 = a1[j];
      const float t4 = (t3 / t2);
      const double t5 = ((double)(t4));
      const double t6 = (t5 + t0);
      const double t7 = sqrt(t6);
      r0[j] = t7;
    }
  }
}
static __attribute__((noinline)) void eq_k7(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  double *restrict const r0 = p[0];
  const double *restrict const a0 = p[1];
  const float *restrict const a1 = p[2];
  const float *restrict const a2 = p[3];
  const int64_t n0 = v[0];
  for (int64_t i0 = low; i0 < high; i0++) {
    const double t0 = a0[i0];
    const float t1 = a1[i0];
    const float *const q3 = a2 + i0*n0;
    double *const q0 = r0 + i0*n0;
#pragma omp simd
    for (int64_t j = 0; j < n0; j++) {
      const float t2 = q3[j];
      const float t3 = (t2 - t1);
      const double t4 = ((double)(t3));
      const double t5 = (t4 / t0);
      q0[j] = t5;
    }
  }
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_rows8(eq_call *c, int64_t low, int64_t high) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  int64_t n_5 = N[5];
  int64_t n_4 = N[4];
  int64_t n_9 = N[9];
  int64_t n_2 = N[2];
  int64_t n_0 = N[0];
  char *p_3 = P[3];
  char *p_0 = P[0];
  int64_t n_1 = N[1];
  char *p_8 = P[8];
  char *p_9 = P[9];
  int64_t n_10 = N[10];
  int64_t n_13 = N[13];
  char *p_4 = P[4];
  char *p_5 = P[5];
  int64_t n_11 = N[11];
  char *p_6 = P[6];
  int64_t n_12 = N[12];
  char *p_7 = P[7];
  char *p_10 = P[10];
  int64_t n_6 = N[6];
  char *p_1 = P[1];
  int64_t n_7 = N[7];
  int64_t n_3 = N[3];
  char *p_2 = P[2];
  for (n_5 = low; n_5 < high; n_5++) {
    n_4 = n_5*n_9;
    n_2 = eq_least(n_9, n_0 - n_4);
    p_3 = p_0 + n_4*(4*n_1);
    p_8 = p_9 + (n_10 == 1 ? 0 : c->lane())*n_13;
    p_4 = p_8;
    p_5 = p_8 + n_11;
    p_6 = p_8 + n_12;
    p_7 = p_10 + n_4*(8*n_1);
    n_6 = n_1 < 32 && n_2 >= 2*n_1;
    if (!n_6) eq_spread(c, eq_k1, n_2, 1, 3LL*n_2*n_1, (void *[]){p_4, p_3}, (int64_t[]){n_1});
    if (n_6) eq_spread(c, eq_k2, 1*((n_2 + 511) / 512), 1, 3LL*n_1*n_2, (void *[]){p_4, p_3}, (int64_t[]){n_1, n_2});
    eq_spread(c, eq_k3, n_2, 64, 8LL*n_2, (void *[]){p_4, p_1}, (int64_t[]){0});
    n_7 = n_1 < 32 && n_2 >= 2*n_1;
    if (!n_7) eq_spread(c, eq_k4, n_2, 1, 6LL*n_2*n_1, (void *[]){p_5, p_4, p_3}, (int64_t[]){n_1, n_1*n_3});
    if (n_7) eq_spread(c, eq_k5, 1*((n_2 + 511) / 512), 1, 6LL*n_1*n_2, (void *[]){p_5, p_4, p_3}, (int64_t[]){n_1, n_2});
    eq_spread(c, eq_k6, n_2, 64, 19LL*n_2, (void *[]){p_6, p_2, p_5}, (int64_t[]){0});
    eq_spread(c, eq_k7, n_2, 1, 11LL*n_2*n_1, (void *[]){p_7, p_6, p_4, p_3}, (int64_t[]){n_1});
  }
  return 0;
}
static void eq_k9(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  eq_call *c = p[0], own = *c;
  if (v[0]) own.threads = 1;
  if (eq_rows8(&own, low, high)) {
    c->code = own.code; c->step = own.step; *(int64_t *)p[1] = 1;
    memcpy(c->values, own.values, sizeof c->values);
  }
}
static __attribute__((noinline, cold)) int64_t eq_part10(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  c->slots[0].live = 0; if (eq_take(c, 1, 1, 0, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[0], P[1]}, (int64_t[]){N[0], N[1], N[1]})) { c->step = 1; return 1; }
  c->slots[1].live = 0; if (eq_take(c, 2, 2, 1, 8.0*1)) return 1;
  if (eq_b0(c, (void *[]){P[0], P[2]}, (int64_t[]){N[0], N[1], N[1]})) { c->step = 2; return 1; }
  N[8] = 16 + 4*N[1] + 8*N[1];
  N[9] = eq_rows_near(N[8] < 8*N[1]*4 ? 8*N[1]*4 : N[8], N[0], 32768, 4194304);
  N[3] = N[8]*N[0] >= 16777216 && N[8] >= 1024 ? N[9] : 0;
  N[10] = eq_blocks(N[0], N[9]);
  N[2] = N[9];
  N[11] = (N[2]*4 + 63) / 64*64;
  N[12] = N[11] + (N[2]*4 + 63) / 64*64;
  N[13] = N[12] + (N[2]*8 + 63) / 64*64;
  c->slots[2].live = 0; if (eq_take(c, 8, 9, 2, 1.0*(N[10] == 1 ? 1 : c->threads)*N[13])) return 1;
  if (eq_give(c, 8, 10, 0, (int64_t[]){N[0], N[1]})) return 1;
  { int64_t failed = 0; eq_spread(c, eq_k9, N[10], 1, N[8]*N[0], (void *[]){c, &failed}, (int64_t[]){N[10] > 1}); if (failed) return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part10(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{9, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 14, 11, 3, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
#endif
