static __attribute__((noinline)) int64_t eq_b0(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  double *out = p[1];
  const int64_t outn0 = v[1];
  double *row = malloc((size_t)(x0n0 + 1)*sizeof(double));
  if (!row) { free(row); { return eq_fail(c, 0, 0, 0, 0, 0); } }
  for (int64_t k = 0; k < x0n0; k++) {
    out[k] = x0[k];
  }
  eq_sort__double(out, row, x0n0);
  free(row);
  return 0;
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  const double *x0 = p[0];
  const int64_t x0n0 = v[0];
  int64_t *out = p[1];
  const int64_t outn0 = v[1];
  double *row = malloc((size_t)(x0n0 + 1)*sizeof(double));
  int64_t *place = malloc((size_t)(x0n0*2 + 1)*sizeof(int64_t));
  if (!row || !place) { free(row); free(place); { return eq_fail(c, 1, 0, 0, 0, 0); } }
  for (int64_t k = 0; k < x0n0; k++) {
    row[k] = x0[k];
  }
  eq_argsort__double(row, place, place + x0n0, x0n0);
  for (int64_t k = 0; k < x0n0; k++) {
    out[k] = place[k];
  }
  free(row); free(place);
  return 0;
}
static __attribute__((noinline, cold)) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  if (eq_give(c, 1, 1, 0, (int64_t[]){N[0]})) return 1;
  if (eq_b0(c, (void *[]){P[0], P[1]}, (int64_t[]){N[0], N[0]})) { c->step = 1; return 1; }
  if (eq_give(c, 2, 2, 1, (int64_t[]){N[0]})) return 1;
  if (eq_b1(c, (void *[]){P[0], P[2]}, (int64_t[]){N[0], N[0]})) { c->step = 2; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}};
static const int64_t eq_out_0_0[] = {-1};
static const int64_t eq_out_0_1[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}, {4, 1, eq_out_0_1}};
static const int64_t eq_reuse_0[] = {-1, -1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {1, 2, 1, 3, 0, 1, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
