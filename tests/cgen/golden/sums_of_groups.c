static const double eq_c0[] = {1.0};
static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  const double *x1 = p[1];
  const double *x2 = p[2];
  const int64_t x2n0 = v[1];
  const int64_t *x3 = p[3];
  const int64_t x3n0 = v[2];
  double *out = p[4];
  const int64_t outn0 = v[3];
  if (x2n0 != x3n0) { return eq_fail(c, 0, x2n0, x3n0, 0, 0); }
  const double factor = x1[0];
  int64_t places[1024];
  for (int64_t turn = c->dry == 0 && (const void *)out != (const void *)x0 ? 1 : 0; turn < 2; turn++) {
    if (turn == 1) {
      if (c->dry) return 0;
      if ((const void *)out != (const void *)x0) {
        __builtin_memcpy(out, x0, x0n0*sizeof(double));
      }
    }
    for (int64_t first = 0; first < x3n0; first += 1024) {
      const int64_t many = eq_least(x3n0 - first, 1024);
      int64_t outside_1 = 0;
      #pragma omp simd reduction(+:outside_1)
      for (int64_t k0 = 0; k0 < many; k0++) {
        const int64_t g = x3[first + k0];
        outside_1 = outside_1 + ((g < -x0n0) + (g >= x0n0));
        places[k0] = g < 0 ? g + x0n0 : g;
      }
      if (outside_1 > 0) {
        for (int64_t i0 = 0; i0 < many; i0++) {
          const int64_t g = (x3 + first)[i0];
          if (g < -x0n0 || g >= x0n0) { return eq_fail(c, 1, g, x0n0, 0, 0); }
        }
      }
      if (turn == 1) {
        int64_t changes_2 = 0;
        for (int64_t k = 0; k < many - 1; k += 8) {
          changes_2 = changes_2 + (places[k] != places[k + 1]);
        }
        if (changes_2*16 > many) {
          for (int64_t k = 0; k < many; k++) {
            const int64_t g = places[k];
            out[g] = (double)(out[g] + factor*x2[first + k]);
          }
        } else {
          int64_t last_3 = places[0];
          double total_4 = out[last_3];
          for (int64_t k = 0; k < many; k++) {
            const int64_t g = places[k];
            if (g != last_3) {
              out[last_3] = total_4;
              total_4 = out[g];
              last_3 = g;
            }
            total_4 = (double)(total_4 + factor*x2[first + k]);
          }
          out[last_3] = total_4;
        }
      }
    }
  }
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part1(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 3, 0, (int64_t[]){N[0]})) return 1;
  if (eq_b0(c, (void *[]){P[0], (void *)eq_c0, P[1], P[2], P[3]}, (int64_t[]){N[0], N[1], N[2], N[0]})) { c->step = 1; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part1(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const int64_t eq_in_0_1[] = {-1};
static const int64_t eq_in_0_2[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}, {10, 1, eq_in_0_1}, {4, 1, eq_in_0_2}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {3, 1, 3, 4, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
