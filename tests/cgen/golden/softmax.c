static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const int64_t x0n1 = v[1];
  const int64_t x0s0 = v[2];
  double *out = p[1];
  const int64_t outn0 = v[3];
  const int64_t outn1 = v[4];
  const int64_t outs0 = v[5];
  if (x0n1 > 0 && x0n1 <= 64) {
    for (int64_t b = 0; b < x0n0; b += 1024 / x0n1) {
      double e[1024];
      double tops[1024];
      const int64_t stop = b + 1024 / x0n1 < x0n0 ? b + 1024 / x0n1 : x0n0;
      for (int64_t i0 = b; i0 < stop; i0++) {
        double top = -INFINITY;
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          const double v = x0[i0*x0s0 + r0];
          top = v > top ? v : top;
        }
        if (!(top > -INFINITY && top < INFINITY)) {
          top = 0;
        }
        tops[i0 - b] = top;
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          e[(i0 - b)*x0n1 + r0] = x0[i0*x0s0 + r0] - top;
        }
      }
      #pragma omp simd
      for (int64_t j0 = 0; j0 < (stop - b)*x0n1; j0++) {
        e[j0] = exp(e[j0]);
      }
      for (int64_t i0 = b; i0 < stop; i0++) {
        double total = 0;
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          total = total + e[(i0 - b)*x0n1 + r0];
        }
        for (int64_t r0 = 0; r0 < x0n1; r0++) {
          out[i0*outs0 + r0] = e[(i0 - b)*x0n1 + r0] / total;
        }
      }
    }
  } else {
    for (int64_t i0 = 0; i0 < x0n0; i0++) {
      double top = -INFINITY;
      #pragma omp simd reduction(max:top)
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        top = x0[i0*x0s0 + r0] > top ? x0[i0*x0s0 + r0] : top;
      }
      if (!(top > -INFINITY && top < INFINITY)) {
        top = 0;
      }
      double total = 0;
      #pragma omp simd reduction(+:total)
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        const double e = exp(x0[i0*x0s0 + r0] - top);
        out[i0*outs0 + r0] = e;
        total = total + e;
      }
      #pragma omp simd
      for (int64_t r0 = 0; r0 < x0n1; r0++) {
        out[i0*outs0 + r0] = out[i0*outs0 + r0] / total;
      }
    }
  }
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[0], N[1]})) return 1;
  if (eq_b0(c, (void *[]){P[0], P[1]}, (int64_t[]){N[0], N[1], N[1], N[0], N[1], N[1]})) { c->step = 1; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1, -1};
static const eq_type eq_in_0[] = {{10, 2, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1, -1};
static const eq_type eq_out_0[] = {{10, 2, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 1, 2, 2, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
