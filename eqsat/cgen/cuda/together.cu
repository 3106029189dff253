// A product of matrices by the threads of one block, all of which call it. Matrices have any strides, the result has none.

//! TOGETHER
// Threads take columns side by side, or the lanes of a warp a row where that lies in one piece; parts of a sum are added in order.
static __device__ void eq_together__@T(const int64_t m, const int64_t n, const int64_t k, const @T *a, const int64_t a0, const int64_t a1, const @T *b, const int64_t b0, const int64_t b1, @T *c) {
  __shared__ @T sum[256];
  const int64_t total = m*n;
@VECTORS
  const int64_t wide = total < 256 ? total : 256;
  if (total > 0 && n > 1 && b1 == 1) {
    const int64_t parts = 256 / wide, at = (int64_t)threadIdx.x % wide, part = (int64_t)threadIdx.x / wide;
    for (int64_t first = 0; first < total; first += wide) {
      const int64_t r = first + at, i = r / n, j = r % n;
      @T s = 0;
      if (part < parts && r < total) for (int64_t p = part; p < k; p += parts) s = @COLUMN;
      if (parts > 1) {
        sum[threadIdx.x] = s;
        __syncthreads();
        if (part == 0) for (int64_t d = 1; d < parts; d++) s = @SUM;
      }
      if (part == 0 && r < total) c[r] = s;
    }
  } else {
    for (int64_t r = (int64_t)threadIdx.x / 32; r < total; r += 8) {
      const int64_t i = r / n, j = r % n;
      @T s = 0;
      for (int64_t p = (int64_t)threadIdx.x % 32; p < k; p += 32) s = @COLUMN;
      for (int d = 16; d; d >>= 1) {
        const @T o = __shfl_xor_sync(~0u, s, d, 32);
        s = @LANE;
      }
      if (threadIdx.x % 32 == 0) c[r] = s;
    }
  }
  __syncthreads();
}

//! VECTORS
  // A thread has as many columns as 16 bytes hold.
  if (total > 0 && b1 == 1 && n % @MANY == 0 && b0 % @MANY == 0 && ((uint64_t)b & 15) == 0) {
    __shared__ @T sums[@MANY*256];
    const int groups = (int)(total / @MANY), across = groups < 256 ? groups : 256, parts = 256 / across, of_row = (int)(n / @MANY);
    const int at = (int)threadIdx.x % across, part = (int)threadIdx.x / across;
    for (int first = 0; first < groups; first += across) {
      const int r = first + at, i = r / of_row, j = r % of_row*@MANY;
      @T s[@MANY];
      #pragma unroll
      for (int l = 0; l < @MANY; l++) s[l] = 0;
      if (part < parts && r < groups) {
        const @T *x = a + (i*a0 + part*a1), *y = b + (j + part*b0);
        const int64_t along = parts*a1, down = parts*b0;
        #pragma unroll 8
        for (int p = part; p < (int)k; p += parts, x += along, y += down) {
          const @T u = *x;
          const eq_vector@MANY_@T v = *(const eq_vector@MANY_@T *)y;
          #pragma unroll
          for (int l = 0; l < @MANY; l++) s[l] = @EACH;
        }
      }
      if (parts > 1) {
        #pragma unroll
        for (int l = 0; l < @MANY; l++) sums[l*256 + threadIdx.x] = s[l];
        __syncthreads();
        if (part == 0) for (int d = 1; d < parts; d++) {
          #pragma unroll
          for (int l = 0; l < @MANY; l++) { const @T o = sums[l*256 + d*across + at]; s[l] = @OTHER; }
        }
      }
      if (part == 0 && r < groups) {
        #pragma unroll
        for (int l = 0; l < @MANY; l++) c[r*@MANY + l] = s[l];
      }
    }
    __syncthreads();
    return;
  }
