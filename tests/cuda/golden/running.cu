static __device__ __forceinline__ int64_t eq_least(int64_t a, int64_t b) { return a < b ? a : b; }
typedef struct __align__(16) { double at[2]; } eq_vector2_double;
extern "C" __global__ void __launch_bounds__(256) eq_k0(const double *__restrict__ x0, const int64_t x0n1, const int64_t x0s0, const int64_t eq_rows0, const int64_t eq_span0, double *__restrict__ eq_part0) {
  __shared__ double sums[2][8];
  __shared__ __align__(16) double held[1024];
  double *const here = held + (threadIdx.y*blockDim.x + threadIdx.x) / 32 * 128;
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
  int turn = 0;
  for (int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y; row < eq_rows0; row += (int64_t)gridDim.x*blockDim.y) {
    const int64_t i0 = row;
    if (!(x0n1 > 0)) continue;
    const int64_t k_first = 1 + blockIdx.y*eq_span0;
    const int64_t k_last = eq_least(k_first + eq_span0, x0n1);
    double total = x0[i0*x0s0 + k_first];
    const int64_t begin = k_first + 1;
    const int aligned = (((uint64_t)(x0 + i0*x0s0 + (k_first - 1))) & 15) == 0;
    for (int64_t tile = k_first - 1; tile < k_last; tile += (int64_t)blockDim.x*4) {
      const int64_t low = tile + (int64_t)warp*128;
      double own[2][2], ends[2], ahead[2];
      if (aligned && low >= begin && low + 128 <= k_last) {
        #pragma unroll
        for (int a = 0; a < 2; a++) {
          const int64_t at = low + lane*2 + a*64;
          const eq_vector2_double x = *(const eq_vector2_double *)(x0 + i0*x0s0 + at);
          #pragma unroll
          for (int e = 0; e < 2; e++) own[a][e] = x.at[e];
        }
      } else {
        #pragma unroll
        for (int e = 0; e < 4; e++) own[e / 2][e % 2] = -0.0;
        #pragma unroll
        for (int e = 0; e < 4; e++) {
          const int64_t k = low + lane + e*32;
          if (k >= begin && k < k_last) {
            own[e / 2][e % 2] = x0[i0*x0s0 + k];
          }
        }
        #pragma unroll
        for (int e = 0; e < 4; e++) here[lane + e*32] = own[e / 2][e % 2];
        __syncwarp();
        #pragma unroll
        for (int a = 0; a < 2; a++) {
          #pragma unroll
          for (int e = 0; e < 2; e++) own[a][e] = here[a*64 + lane*2 + e];
        }
        __syncwarp();
      }
      #pragma unroll
      for (int a = 0; a < 2; a++) {
        #pragma unroll
        for (int e = 1; e < 2; e++) own[a][e] = (double)(own[a][e - 1] + own[a][e]);
        ends[a] = own[a][1];
      }
      #pragma unroll
      for (int d = 1; d < 32; d *= 2) {
        #pragma unroll
        for (int a = 0; a < 2; a++) {
          const double before = __shfl_up_sync(~0u, ends[a], d, 32);
          if (lane >= d) ends[a] = (double)(before + ends[a]);
        }
      }
      #pragma unroll
      for (int a = 0; a < 2; a++) ahead[a] = __shfl_up_sync(~0u, ends[a], 1, 32);
      #pragma unroll
      for (int a = 1; a < 2; a++) {
        const double before = __shfl_sync(~0u, ends[a - 1], 31, 32);
        ends[a] = (double)(before + ends[a]);
        ahead[a] = lane ? (double)(before + ahead[a]) : before;
      }
      double start = total, all = total;
      turn ^= 1;
      if (warps > 1) {
        if (lane == 31) sums[turn][warp] = ends[1];
        __syncthreads();
        #pragma unroll 4
        for (int w = 0; w < warps; w++) {
          const double next = sums[turn][w];
          if (w == warp) start = all;
          all = (double)(all + next);
        }
      } else {
        const double next = __shfl_sync(~0u, ends[1], 31, 32);
        all = (double)(all + next);
      }
      total = all;
    }
    if (threadIdx.x == 0) eq_part0[row*gridDim.y + blockIdx.y] = total;
  }
}
extern "C" __global__ void __launch_bounds__(256) eq_k1(const double *__restrict__ x0, const int64_t x0n1, const int64_t x0s0, double *__restrict__ out, const int64_t outs0, const int64_t eq_rows0, const int64_t eq_span0, double *__restrict__ eq_part0) {
  __shared__ double sums[2][8];
  __shared__ unsigned odds[2];
  if (threadIdx.x + threadIdx.y == 0) odds[1] = 0;
  __shared__ __align__(16) double held[1024];
  double *const here = held + (threadIdx.y*blockDim.x + threadIdx.x) / 32 * 128;
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
  int turn = 0;
  for (int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y; row < eq_rows0; row += (int64_t)gridDim.x*blockDim.y) {
    const int64_t i0 = row;
    if (!(x0n1 > 0)) continue;
    const int64_t k_first = 1 + blockIdx.y*eq_span0;
    const int64_t k_last = eq_least(k_first + eq_span0, x0n1);
    double total = x0[i0*x0s0];
    if (blockIdx.y == 0 && threadIdx.x == 0) {
      out[i0*outs0] = total;
    }
    int odd_part = 0;
    #pragma unroll 4
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
    const int aligned = (((uint64_t)(x0 + i0*x0s0 + (k_first - 1)) | (uint64_t)(out + i0*outs0 + (k_first - 1))) & 15) == 0;
    for (int64_t tile = k_first - 1; tile < k_last; tile += (int64_t)blockDim.x*4) {
      const int64_t low = tile + (int64_t)warp*128;
      double own[2][2], ends[2], ahead[2];
      if (aligned && low >= k_first && low + 128 <= k_last) {
        #pragma unroll
        for (int a = 0; a < 2; a++) {
          const int64_t at = low + lane*2 + a*64;
          const eq_vector2_double x = *(const eq_vector2_double *)(x0 + i0*x0s0 + at);
          #pragma unroll
          for (int e = 0; e < 2; e++) own[a][e] = x.at[e];
        }
      } else {
        #pragma unroll
        for (int e = 0; e < 4; e++) own[e / 2][e % 2] = -0.0;
        #pragma unroll
        for (int e = 0; e < 4; e++) {
          const int64_t k = low + lane + e*32;
          if (k >= k_first && k < k_last) {
            own[e / 2][e % 2] = x0[i0*x0s0 + k];
          }
        }
        #pragma unroll
        for (int e = 0; e < 4; e++) here[lane + e*32] = own[e / 2][e % 2];
        __syncwarp();
        #pragma unroll
        for (int a = 0; a < 2; a++) {
          #pragma unroll
          for (int e = 0; e < 2; e++) own[a][e] = here[a*64 + lane*2 + e];
        }
        __syncwarp();
      }
      #pragma unroll
      for (int a = 0; a < 2; a++) {
        #pragma unroll
        for (int e = 1; e < 2; e++) own[a][e] = (double)(own[a][e - 1] + own[a][e]);
        ends[a] = own[a][1];
      }
      #pragma unroll
      for (int d = 1; d < 32; d *= 2) {
        #pragma unroll
        for (int a = 0; a < 2; a++) {
          const double before = __shfl_up_sync(~0u, ends[a], d, 32);
          if (lane >= d) ends[a] = (double)(before + ends[a]);
        }
      }
      #pragma unroll
      for (int a = 0; a < 2; a++) ahead[a] = __shfl_up_sync(~0u, ends[a], 1, 32);
      #pragma unroll
      for (int a = 1; a < 2; a++) {
        const double before = __shfl_sync(~0u, ends[a - 1], 31, 32);
        ends[a] = (double)(before + ends[a]);
        ahead[a] = lane ? (double)(before + ahead[a]) : before;
      }
      double start = total, all = total;
      turn ^= 1;
      if (warps > 1) {
        if (lane == 31) sums[turn][warp] = ends[1];
        __syncthreads();
        if (threadIdx.x == 0) odds[turn ^ 1] = 0;
        #pragma unroll 4
        for (int w = 0; w < warps; w++) {
          const double next = sums[turn][w];
          if (w == warp) start = all;
          all = (double)(all + next);
        }
      } else {
        const double next = __shfl_sync(~0u, ends[1], 31, 32);
        all = (double)(all + next);
      }
      int odd = 0; const int plain = !(!(total - total == 0));
      #pragma unroll
      for (int a = 0; a < 2; a++) {
        const double near = a || lane ? (double)(start + ahead[a]) : start;
        odd |= !(ends[a] - ends[a] == 0);
        #pragma unroll
        for (int e = 0; e < 2; e++) {
          own[a][e] = (double)(near + own[a][e]);
          odd |= plain && (!(own[a][e] - own[a][e] == 0));
        }
      }
      odd = __any_sync(~0u, odd);
      if (warps > 1) {
        if (odd && lane == 0) atomicOr(&odds[turn], 1u);
        __syncthreads();
        odd = odds[turn] != 0;
      }
      if (odd) {
        const int64_t from = tile < k_first ? k_first : tile;
        const int64_t to = threadIdx.x == 0 ? eq_least(tile + (int64_t)blockDim.x*4, k_last) : from;
        for (int64_t k = from; k < to; k++) {
          total = (double)(total + x0[i0*x0s0 + k]);
          out[i0*outs0 + k] = total;
        }
        total = __shfl_sync(~0u, total, 0, 32);
        if (warps > 1) {
          if (threadIdx.x == 0) sums[turn][0] = total;
          __syncthreads();
          total = sums[turn][0];
        }
      } else {
        if (aligned && low >= k_first && low + 128 <= k_last) {
          #pragma unroll
          for (int a = 0; a < 2; a++) {
            const int64_t at = low + lane*2 + a*64;
            eq_vector2_double y;
            #pragma unroll
            for (int e = 0; e < 2; e++) y.at[e] = own[a][e];
            *(eq_vector2_double *)(out + i0*outs0 + at) = y;
          }
        } else {
          #pragma unroll
          for (int a = 0; a < 2; a++) {
            #pragma unroll
            for (int e = 0; e < 2; e++) here[a*64 + lane*2 + e] = own[a][e];
          }
          __syncwarp();
          #pragma unroll
          for (int e = 0; e < 4; e++) {
            const int64_t k = low + lane + e*32;
            if (k >= k_first && k < k_last) {
              total = here[lane + e*32];
              out[i0*outs0 + k] = total;
            }
          }
          __syncwarp();
        }
        total = all;
      }
    }
  }
}
// { if (eq_chunks0 > 1 && eq_rows0 > 0) { eq_launch(0, 6, eq_least((eq_rows0 + eq_beside0 - 1) / eq_beside0, 65535), eq_chunks0, eq_across0, eq_beside0, (uint64_t)(x0), (uint64_t)(x0n1), (uint64_t)(x0s0), (uint64_t)(eq_rows0), (uint64_t)(eq_span0), (uint64_t)(eq_part0)); } }
// { if (eq_rows0 > 0) { eq_launch(1, 8, eq_least((eq_rows0 + eq_beside0 - 1) / eq_beside0, 65535), eq_chunks0, eq_across0, eq_beside0, (uint64_t)(x0), (uint64_t)(x0n1), (uint64_t)(x0s0), (uint64_t)(out), (uint64_t)(outs0), (uint64_t)(eq_rows0), (uint64_t)(eq_span0), (uint64_t)(eq_part0)); } }
