// Copies on the device: the elements of a strided array one after the other, a piece of memory, zeros.

//! COPY
extern "C" __global__ void __launch_bounds__(256) eq_k0(char *to, const char *from, const int64_t count, @LENGTHS, @STRIDES) {
  const int64_t n[] = {@N};
  const int64_t s[] = {@S};
  for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < count; at += (int64_t)gridDim.x*256) {
    int64_t rest = at;
    const char *f = from;
    for (int a = @LAST; a >= 0; a--) { f += rest % n[a] * s[a]; rest /= n[a]; }
    for (int b = 0; b < @SIZE; b++) to[at*@SIZE + b] = f[b];
  }
}

//! PIECE
extern "C" __global__ void __launch_bounds__(256) @NAME(@T *__restrict__ to, const @T *__restrict__ from, const int64_t n) {
  for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n; at += (int64_t)gridDim.x*256) to[at] = from[at];
}

//! ZEROS
extern "C" __global__ void __launch_bounds__(256) @NAME(@T *__restrict__ to, const int64_t n) {
  for (int64_t at = (int64_t)blockIdx.x*256 + threadIdx.x; at < n; at += (int64_t)gridDim.x*256) to[at] = 0;
}
