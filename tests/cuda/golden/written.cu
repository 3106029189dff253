extern "C" __global__ void __launch_bounds__(256) eq_k0(const float *__restrict__ x0, const int64_t x0n0, const int64_t x0n1, float *__restrict__ out) {
  const int64_t e0 = x0n0*x0n1;
  for (int64_t eq_at = (int64_t)blockIdx.x*256 + threadIdx.x; eq_at < e0; eq_at += (int64_t)gridDim.x*256) {
    const int64_t c0 = eq_at;
    out[c0] = x0[c0];
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(const float *__restrict__ x0, const int64_t x0n0, const int64_t x0n1, const int64_t x0s0, float *__restrict__ out, const int64_t outs0) {
  const int64_t e0 = x0n0;
  const int64_t e1 = x0n1;
  for (int64_t eq_at = (int64_t)blockIdx.x*256 + threadIdx.x; eq_at < e0*e1; eq_at += (int64_t)gridDim.x*256) {
    const int64_t i1 = eq_at % e1, i1_ = eq_at / e1;
    const int64_t i0 = i1_;
    out[i0*outs0 + i1] = x0[i0*x0s0 + i1];
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k2(const float *__restrict__ x1, float *__restrict__ out, const int64_t outn0, const int64_t outs0) {
  const int64_t e0 = outn0;
  for (int64_t eq_at = (int64_t)blockIdx.x*256 + threadIdx.x; eq_at < e0; eq_at += (int64_t)gridDim.x*256) {
    const int64_t i0 = eq_at;
    out[i0*outs0] = x1[i0];
  }
}
// { if (x0n0*x0n1 > 0) { eq_launch(0, 4, eq_grid(x0n0*x0n1, 256), 1, 256, 1, (uint64_t)(x0), (uint64_t)(x0n0), (uint64_t)(x0n1), (uint64_t)(out)); } }
// { if (x0n0*x0n1 > 0) { eq_launch(1, 6, eq_grid(x0n0*x0n1, 256), 1, 256, 1, (uint64_t)(x0), (uint64_t)(x0n0), (uint64_t)(x0n1), (uint64_t)(x0s0), (uint64_t)(out), (uint64_t)(outs0)); } }
// { if (outn0 > 0) { eq_launch(2, 4, eq_grid(outn0, 256), 1, 256, 1, (uint64_t)(x1), (uint64_t)(out), (uint64_t)(outn0), (uint64_t)(outs0)); } }
