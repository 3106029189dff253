static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
extern "C" __global__ void __launch_bounds__(256) eq_k0(const double *__restrict__ x0, const int64_t x0n1, const int64_t x0s0, const int64_t eq_rows0, const int64_t eq_span0, double *__restrict__ eq_part0) {
  __shared__ double sums[256];
  __shared__ unsigned any_odd;
  for (int64_t row = blockIdx.x; row < eq_rows0; row += gridDim.x) {
    const int64_t i0 = row;
    if (!(x0n1 > 0)) continue;
    const int64_t k_first = 1 + blockIdx.y*eq_span0;
    const int64_t k_last = eq_least(k_first + eq_span0, x0n1);
    double total = 0;
    for (int64_t tile = k_first; tile < k_last; tile += 2048) {
      const int64_t low = tile + (int64_t)threadIdx.x*8, high = eq_least(low + 8, k_last);
      double mine = 0;
      for (int64_t k = low; k < high; k++) {
        const double v = x0[i0*x0s0 + k];
        mine = k == low ? v : (double)(mine + v);
      }
      int odd = low < high && (!(mine - mine == 0));
      sums[threadIdx.x] = mine;
      if (threadIdx.x == 0) any_odd = 0;
      __syncthreads();
      for (int d = 1; d < 256; d *= 2) {
        const double before = (int)threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        __syncthreads();
        if ((int)threadIdx.x >= d && low < high) { const double now = sums[threadIdx.x]; sums[threadIdx.x] = (double)(before + now); }
        __syncthreads();
      }
      odd |= low < high && (!(sums[threadIdx.x] - sums[threadIdx.x] == 0));
      if (odd) atomicOr(&any_odd, 1u);
      __syncthreads();
      const int last = (int)(eq_least(k_last - tile, 2048) + 7) / 8 - 1;
      const double all = sums[last];
      total = tile == k_first ? all : (double)(total + all);
      __syncthreads();
    }
    if (threadIdx.x == 0) eq_part0[row*gridDim.y + blockIdx.y] = total;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(const double *__restrict__ x0, const int64_t x0n1, const int64_t x0s0, double *__restrict__ out, const int64_t outs0, const int64_t eq_rows0, const int64_t eq_span0, double *__restrict__ eq_part0) {
  __shared__ double sums[256];
  __shared__ unsigned any_odd;
  for (int64_t row = blockIdx.x; row < eq_rows0; row += gridDim.x) {
    const int64_t i0 = row;
    if (!(x0n1 > 0)) continue;
    const int64_t k_first = 1 + blockIdx.y*eq_span0;
    const int64_t k_last = eq_least(k_first + eq_span0, x0n1);
    double total = x0[i0*x0s0];
    if (blockIdx.y == 0 && threadIdx.x == 0) {
      out[i0*outs0] = total;
    }
    int odd_part = 0;
    for (int64_t c = 0; c < blockIdx.y; c++) {
      const double of_chunk = eq_part0[row*gridDim.y + c];
      total = (double)(total + of_chunk);
      odd_part |= (!(of_chunk - of_chunk == 0)) || (!(total - total == 0));
    }
    if (odd_part) {
      total = x0[i0*x0s0];
      for (int64_t k = 1; k < k_first; k++) {
        total = (double)(total + x0[i0*x0s0 + k]);
      }
    }
    for (int64_t tile = k_first; tile < k_last; tile += 2048) {
      const int64_t low = tile + (int64_t)threadIdx.x*8, high = eq_least(low + 8, k_last);
      double mine = 0;
      for (int64_t k = low; k < high; k++) {
        const double v = x0[i0*x0s0 + k];
        mine = k == low ? v : (double)(mine + v);
      }
      int odd = low < high && (!(mine - mine == 0));
      sums[threadIdx.x] = mine;
      if (threadIdx.x == 0) any_odd = 0;
      __syncthreads();
      for (int d = 1; d < 256; d *= 2) {
        const double before = (int)threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        __syncthreads();
        if ((int)threadIdx.x >= d && low < high) { const double now = sums[threadIdx.x]; sums[threadIdx.x] = (double)(before + now); }
        __syncthreads();
      }
      odd |= low < high && (!(sums[threadIdx.x] - sums[threadIdx.x] == 0));
      if (odd) atomicOr(&any_odd, 1u);
      __syncthreads();
      const double start = total;
      const double ahead = threadIdx.x > 0 ? sums[threadIdx.x - 1] : 0;
      if (threadIdx.x > 0) total = (double)(start + ahead);
      const int in_order = any_odd != 0;
      int64_t from = low, to = high;
      if (in_order) {
        from = tile; to = threadIdx.x == 0 ? eq_least(tile + 2048, k_last) : tile; total = start;
      }
      for (int64_t k = from; k < to; k++) {
        total = (double)(total + x0[i0*x0s0 + k]);
        out[i0*outs0 + k] = total;
      }
      __syncthreads();
      if (in_order) {
        if (threadIdx.x == 0) sums[0] = total;
        __syncthreads();
        total = sums[0];
      } else {
        const double all = sums[(int)(eq_least(k_last - tile, 2048) + 7) / 8 - 1];
        total = (double)(start + all);
      }
      __syncthreads();
    }
  }
}
// { if (eq_chunks0 > 1 && eq_rows0 > 0) { eq_launch(0, 6, eq_least(eq_rows0, 65535), eq_chunks0, 256, 1, (uint64_t)(x0), (uint64_t)(x0n1), (uint64_t)(x0s0), (uint64_t)(eq_rows0), (uint64_t)(eq_span0), (uint64_t)(eq_part0)); } }
// { if (eq_rows0 > 0) { eq_launch(1, 8, eq_least(eq_rows0, 65535), eq_chunks0, 256, 1, (uint64_t)(x0), (uint64_t)(x0n1), (uint64_t)(x0s0), (uint64_t)(out), (uint64_t)(outs0), (uint64_t)(eq_rows0), (uint64_t)(eq_span0), (uint64_t)(eq_part0)); } }
