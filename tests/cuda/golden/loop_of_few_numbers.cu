typedef struct __align__(16) { float at[4]; } eq_vector4_float;
extern "C" __global__ void __launch_bounds__(1) eq_k0(char *p_0, char *p_1) {
  int64_t n_1;
  float L_1[8];
  *(float *)(char *)&L_1 = *(const float *)p_0;
  *(float *)((char *)&L_1 + 4) = *(const float *)(p_0 + 4);
  *(float *)((char *)&L_1 + 8) = *(const float *)(p_0 + 8);
  *(float *)((char *)&L_1 + 12) = *(const float *)(p_0 + 12);
  *(float *)((char *)&L_1 + 16) = *(const float *)(p_0 + 16);
  *(float *)((char *)&L_1 + 20) = *(const float *)(p_0 + 20);
  *(float *)((char *)&L_1 + 24) = *(const float *)(p_0 + 24);
  *(float *)((char *)&L_1 + 28) = *(const float *)(p_0 + 28);
  float L_2[8];
  for (n_1 = 0; n_1 < 9; n_1++) {
    { float *const r0 = (float *)(void *)&L_2; const float *const a0 = (const float *)(void *)&L_1;
      const float t0 = 1.0f;
      const float t1 = 0.5f;
      const float t2_0 = a0[0];
      const float t3_0 = (t2_0 * t1);
      const float t4_0 = (t3_0 + t0);
      const float t2_1 = a0[1];
      const float t3_1 = (t2_1 * t1);
      const float t4_1 = (t3_1 + t0);
      const float t2_2 = a0[2];
      const float t3_2 = (t2_2 * t1);
      const float t4_2 = (t3_2 + t0);
      const float t2_3 = a0[3];
      const float t3_3 = (t2_3 * t1);
      const float t4_3 = (t3_3 + t0);
      const float t2_4 = a0[4];
      const float t3_4 = (t2_4 * t1);
      const float t4_4 = (t3_4 + t0);
      const float t2_5 = a0[5];
      const float t3_5 = (t2_5 * t1);
      const float t4_5 = (t3_5 + t0);
      const float t2_6 = a0[6];
      const float t3_6 = (t2_6 * t1);
      const float t4_6 = (t3_6 + t0);
      const float t2_7 = a0[7];
      const float t3_7 = (t2_7 * t1);
      const float t4_7 = (t3_7 + t0);
      r0[0] = t4_0;
      r0[1] = t4_1;
      r0[2] = t4_2;
      r0[3] = t4_3;
      r0[4] = t4_4;
      r0[5] = t4_5;
      r0[6] = t4_6;
      r0[7] = t4_7;
      }
    *(float *)(p_1 + n_1 % 2*32) = *(const float *)(char *)&L_2;
    *(float *)(p_1 + n_1 % 2*32 + 4) = *(const float *)((char *)&L_2 + 4);
    *(float *)(p_1 + n_1 % 2*32 + 8) = *(const float *)((char *)&L_2 + 8);
    *(float *)(p_1 + n_1 % 2*32 + 12) = *(const float *)((char *)&L_2 + 12);
    *(float *)(p_1 + n_1 % 2*32 + 16) = *(const float *)((char *)&L_2 + 16);
    *(float *)(p_1 + n_1 % 2*32 + 20) = *(const float *)((char *)&L_2 + 20);
    *(float *)(p_1 + n_1 % 2*32 + 24) = *(const float *)((char *)&L_2 + 24);
    *(float *)(p_1 + n_1 % 2*32 + 28) = *(const float *)((char *)&L_2 + 28);
    *(float *)(char *)&L_1 = *(const float *)(char *)&L_2;
    *(float *)((char *)&L_1 + 4) = *(const float *)((char *)&L_2 + 4);
    *(float *)((char *)&L_1 + 8) = *(const float *)((char *)&L_2 + 8);
    *(float *)((char *)&L_1 + 12) = *(const float *)((char *)&L_2 + 12);
    *(float *)((char *)&L_1 + 16) = *(const float *)((char *)&L_2 + 16);
    *(float *)((char *)&L_1 + 20) = *(const float *)((char *)&L_2 + 20);
    *(float *)((char *)&L_1 + 24) = *(const float *)((char *)&L_2 + 24);
    *(float *)((char *)&L_1 + 28) = *(const float *)((char *)&L_2 + 28);
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(float *__restrict__ r0, const float *__restrict__ a0) {
  int64_t done = 0;
  if ((((uint64_t)r0 & 15) | ((uint64_t)a0 & 15)) == 0) {
    done = 8 / 4;
    for (int64_t v = (int64_t)blockIdx.x*256 + threadIdx.x; v < done; v += (int64_t)gridDim.x*256) {
      eq_vector4_float v0;
      eq_vector4_float v1 = ((const eq_vector4_float *)a0)[v];
      #pragma unroll
      for (int e = 0; e < 4; e++) {
        const float t0 = v1.at[e];
        v0.at[e] = t0;
      }
      ((eq_vector4_float *)r0)[v] = v0;
    }
    done *= 4;
  }
  for (int64_t j = done + (int64_t)blockIdx.x*256 + threadIdx.x; j < 8; j += (int64_t)gridDim.x*256) {
    const float t0 = a0[j];
    r0[j] = t0;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k2(uint32_t *__restrict__ to, const uint32_t *__restrict__ from, const int64_t n) {
  for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n; at += (int64_t)gridDim.x*256) to[at] = from[at];
}
// { eq_launch(0, 2, 1, 1, 1, 1, (uint64_t)(P[0]), (uint64_t)(P[1])); } N[1] = 9;
// { if (8 > 0) { eq_launch(2, 3, eq_grid(8, 256), 1, 256, 1, (uint64_t)((P[2] + (i - N[2])*32)), (uint64_t)((P[1] + i % 2*32)), (uint64_t)(8)); } }
// { eq_launch(1, 2, eq_grid((8 + 3) / 4, 256), 1, 256, 1, (uint64_t)(P[5]), (uint64_t)(P[4])); }
