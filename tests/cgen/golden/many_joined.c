static __attribute__((noinline)) int64_t eq_d0(eq_call *c, void *const *p, const int64_t *v, int64_t *out) {
  int64_t n_1 = 0;
  for (int64_t k_2 = 0; k_2 < 70; k_2++) {
    const double *const x_3 = ((const double *)p[k_2]);
    const int64_t n_4 = v[k_2*2];
    n_1 = n_1 + n_4;
  }
  for (int64_t k_6 = 0; k_6 < 69; k_6++) {
    const double *const x_7 = ((const double *)p[k_6 + 1]);
    const int64_t n_8 = v[(k_6 + 1)*2];
  }
  out[0] = n_1;
  return 0;
}
static __attribute__((noinline)) int64_t eq_b1(eq_call *c, void *const *p, const int64_t *v) {
  double *out = p[70];
  const int64_t outn0 = v[140];
  int64_t offset_1 = 0;
  for (int64_t k_2 = 0; k_2 < 70; k_2++) {
    const double *const x_3 = ((const double *)p[k_2]);
    const int64_t n_4 = v[k_2*2];
    for (int64_t i0 = 0; i0 < n_4; i0++) {
      out[offset_1 + i0] = x_3[i0];
    }
    offset_1 = offset_1 + n_4;
  }
  return 0;
}
static __attribute__((noinline, cold, optimize("O0"))) int64_t eq_part2(eq_call *c) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
  { int64_t d_1[1]; if (eq_d0(c, (void *[]){P[0], P[1], P[2], P[3], P[4], P[5], P[6], P[7], P[8], P[9], P[10], P[11], P[12], P[13], P[14], P[15], P[16], P[17], P[18], P[19], P[20], P[21], P[22], P[23], P[24], P[25], P[26], P[27], P[28], P[29], P[30], P[31], P[32], P[33], P[34], P[35], P[36], P[37], P[38], P[39], P[40], P[41], P[42], P[43], P[44], P[45], P[46], P[47], P[48], P[49], P[50], P[51], P[52], P[53], P[54], P[55], P[56], P[57], P[58], P[59], P[60], P[61], P[62], P[63], P[64], P[65], P[66], P[67], P[68], P[69]}, (int64_t[]){N[0], 1, N[1], 1, N[2], 1, N[3], 1, N[4], 1, N[5], 1, N[6], 1, N[7], 1, N[8], 1, N[9], 1, N[10], 1, N[11], 1, N[12], 1, N[13], 1, N[14], 1, N[15], 1, N[16], 1, N[17], 1, N[18], 1, N[19], 1, N[20], 1, N[21], 1, N[22], 1, N[23], 1, N[24], 1, N[25], 1, N[26], 1, N[27], 1, N[28], 1, N[29], 1, N[30], 1, N[31], 1, N[32], 1, N[33], 1, N[34], 1, N[35], 1, N[36], 1, N[37], 1, N[38], 1, N[39], 1, N[40], 1, N[41], 1, N[42], 1, N[43], 1, N[44], 1, N[45], 1, N[46], 1, N[47], 1, N[48], 1, N[49], 1, N[50], 1, N[51], 1, N[52], 1, N[53], 1, N[54], 1, N[55], 1, N[56], 1, N[57], 1, N[58], 1, N[59], 1, N[60], 1, N[61], 1, N[62], 1, N[63], 1, N[64], 1, N[65], 1, N[66], 1, N[67], 1, N[68], 1, N[69], 1}, d_1)) { c->step = 1; return 1; } N[70] = d_1[0]; }
  if (eq_give(c, 1, 70, 0, (int64_t[]){N[70]})) return 1;
  if (eq_b1(c, (void *[]){P[0], P[1], P[2], P[3], P[4], P[5], P[6], P[7], P[8], P[9], P[10], P[11], P[12], P[13], P[14], P[15], P[16], P[17], P[18], P[19], P[20], P[21], P[22], P[23], P[24], P[25], P[26], P[27], P[28], P[29], P[30], P[31], P[32], P[33], P[34], P[35], P[36], P[37], P[38], P[39], P[40], P[41], P[42], P[43], P[44], P[45], P[46], P[47], P[48], P[49], P[50], P[51], P[52], P[53], P[54], P[55], P[56], P[57], P[58], P[59], P[60], P[61], P[62], P[63], P[64], P[65], P[66], P[67], P[68], P[69], P[70]}, (int64_t[]){N[0], 1, N[1], 1, N[2], 1, N[3], 1, N[4], 1, N[5], 1, N[6], 1, N[7], 1, N[8], 1, N[9], 1, N[10], 1, N[11], 1, N[12], 1, N[13], 1, N[14], 1, N[15], 1, N[16], 1, N[17], 1, N[18], 1, N[19], 1, N[20], 1, N[21], 1, N[22], 1, N[23], 1, N[24], 1, N[25], 1, N[26], 1, N[27], 1, N[28], 1, N[29], 1, N[30], 1, N[31], 1, N[32], 1, N[33], 1, N[34], 1, N[35], 1, N[36], 1, N[37], 1, N[38], 1, N[39], 1, N[40], 1, N[41], 1, N[42], 1, N[43], 1, N[44], 1, N[45], 1, N[46], 1, N[47], 1, N[48], 1, N[49], 1, N[50], 1, N[51], 1, N[52], 1, N[53], 1, N[54], 1, N[55], 1, N[56], 1, N[57], 1, N[58], 1, N[59], 1, N[60], 1, N[61], 1, N[62], 1, N[63], 1, N[64], 1, N[65], 1, N[66], 1, N[67], 1, N[68], 1, N[69], 1, N[70]})) { c->step = 1; return 1; }
  return 0;
}
static int64_t eq_run_0(eq_call *c) {
  if (eq_part2(c)) return 1;
  return 0;
}
static const int64_t eq_in_0_0[] = {-1};
static const int64_t eq_in_0_1[] = {-1};
static const int64_t eq_in_0_2[] = {-1};
static const int64_t eq_in_0_3[] = {-1};
static const int64_t eq_in_0_4[] = {-1};
static const int64_t eq_in_0_5[] = {-1};
static const int64_t eq_in_0_6[] = {-1};
static const int64_t eq_in_0_7[] = {-1};
static const int64_t eq_in_0_8[] = {-1};
static const int64_t eq_in_0_9[] = {-1};
static const int64_t eq_in_0_10[] = {-1};
static const int64_t eq_in_0_11[] = {-1};
static const int64_t eq_in_0_12[] = {-1};
static const int64_t eq_in_0_13[] = {-1};
static const int64_t eq_in_0_14[] = {-1};
static const int64_t eq_in_0_15[] = {-1};
static const int64_t eq_in_0_16[] = {-1};
static const int64_t eq_in_0_17[] = {-1};
static const int64_t eq_in_0_18[] = {-1};
static const int64_t eq_in_0_19[] = {-1};
static const int64_t eq_in_0_20[] = {-1};
static const int64_t eq_in_0_21[] = {-1};
static const int64_t eq_in_0_22[] = {-1};
static const int64_t eq_in_0_23[] = {-1};
static const int64_t eq_in_0_24[] = {-1};
static const int64_t eq_in_0_25[] = {-1};
static const int64_t eq_in_0_26[] = {-1};
static const int64_t eq_in_0_27[] = {-1};
static const int64_t eq_in_0_28[] = {-1};
static const int64_t eq_in_0_29[] = {-1};
static const int64_t eq_in_0_30[] = {-1};
static const int64_t eq_in_0_31[] = {-1};
static const int64_t eq_in_0_32[] = {-1};
static const int64_t eq_in_0_33[] = {-1};
static const int64_t eq_in_0_34[] = {-1};
static const int64_t eq_in_0_35[] = {-1};
static const int64_t eq_in_0_36[] = {-1};
static const int64_t eq_in_0_37[] = {-1};
static const int64_t eq_in_0_38[] = {-1};
static const int64_t eq_in_0_39[] = {-1};
static const int64_t eq_in_0_40[] = {-1};
static const int64_t eq_in_0_41[] = {-1};
static const int64_t eq_in_0_42[] = {-1};
static const int64_t eq_in_0_43[] = {-1};
static const int64_t eq_in_0_44[] = {-1};
static const int64_t eq_in_0_45[] = {-1};
static const int64_t eq_in_0_46[] = {-1};
static const int64_t eq_in_0_47[] = {-1};
static const int64_t eq_in_0_48[] = {-1};
static const int64_t eq_in_0_49[] = {-1};
static const int64_t eq_in_0_50[] = {-1};
static const int64_t eq_in_0_51[] = {-1};
static const int64_t eq_in_0_52[] = {-1};
static const int64_t eq_in_0_53[] = {-1};
static const int64_t eq_in_0_54[] = {-1};
static const int64_t eq_in_0_55[] = {-1};
static const int64_t eq_in_0_56[] = {-1};
static const int64_t eq_in_0_57[] = {-1};
static const int64_t eq_in_0_58[] = {-1};
static const int64_t eq_in_0_59[] = {-1};
static const int64_t eq_in_0_60[] = {-1};
static const int64_t eq_in_0_61[] = {-1};
static const int64_t eq_in_0_62[] = {-1};
static const int64_t eq_in_0_63[] = {-1};
static const int64_t eq_in_0_64[] = {-1};
static const int64_t eq_in_0_65[] = {-1};
static const int64_t eq_in_0_66[] = {-1};
static const int64_t eq_in_0_67[] = {-1};
static const int64_t eq_in_0_68[] = {-1};
static const int64_t eq_in_0_69[] = {-1};
static const eq_type eq_in_0[] = {{10, 1, eq_in_0_0}, {10, 1, eq_in_0_1}, {10, 1, eq_in_0_2}, {10, 1, eq_in_0_3}, {10, 1, eq_in_0_4}, {10, 1, eq_in_0_5}, {10, 1, eq_in_0_6}, {10, 1, eq_in_0_7}, {10, 1, eq_in_0_8}, {10, 1, eq_in_0_9}, {10, 1, eq_in_0_10}, {10, 1, eq_in_0_11}, {10, 1, eq_in_0_12}, {10, 1, eq_in_0_13}, {10, 1, eq_in_0_14}, {10, 1, eq_in_0_15}, {10, 1, eq_in_0_16}, {10, 1, eq_in_0_17}, {10, 1, eq_in_0_18}, {10, 1, eq_in_0_19}, {10, 1, eq_in_0_20}, {10, 1, eq_in_0_21}, {10, 1, eq_in_0_22}, {10, 1, eq_in_0_23}, {10, 1, eq_in_0_24}, {10, 1, eq_in_0_25}, {10, 1, eq_in_0_26}, {10, 1, eq_in_0_27}, {10, 1, eq_in_0_28}, {10, 1, eq_in_0_29}, {10, 1, eq_in_0_30}, {10, 1, eq_in_0_31}, {10, 1, eq_in_0_32}, {10, 1, eq_in_0_33}, {10, 1, eq_in_0_34}, {10, 1, eq_in_0_35}, {10, 1, eq_in_0_36}, {10, 1, eq_in_0_37}, {10, 1, eq_in_0_38}, {10, 1, eq_in_0_39}, {10, 1, eq_in_0_40}, {10, 1, eq_in_0_41}, {10, 1, eq_in_0_42}, {10, 1, eq_in_0_43}, {10, 1, eq_in_0_44}, {10, 1, eq_in_0_45}, {10, 1, eq_in_0_46}, {10, 1, eq_in_0_47}, {10, 1, eq_in_0_48}, {10, 1, eq_in_0_49}, {10, 1, eq_in_0_50}, {10, 1, eq_in_0_51}, {10, 1, eq_in_0_52}, {10, 1, eq_in_0_53}, {10, 1, eq_in_0_54}, {10, 1, eq_in_0_55}, {10, 1, eq_in_0_56}, {10, 1, eq_in_0_57}, {10, 1, eq_in_0_58}, {10, 1, eq_in_0_59}, {10, 1, eq_in_0_60}, {10, 1, eq_in_0_61}, {10, 1, eq_in_0_62}, {10, 1, eq_in_0_63}, {10, 1, eq_in_0_64}, {10, 1, eq_in_0_65}, {10, 1, eq_in_0_66}, {10, 1, eq_in_0_67}, {10, 1, eq_in_0_68}, {10, 1, eq_in_0_69}};
static const int64_t eq_out_0_0[] = {-1};
static const eq_type eq_out_0[] = {{10, 1, eq_out_0_0}};
static const int64_t eq_reuse_0[] = {-1};
__attribute__((visibility("default"))) const eq_plan eq_segment_0 = {70, 1, 71, 71, 0, 0, eq_in_0, eq_out_0, eq_reuse_0, eq_run_0};
