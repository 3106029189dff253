// A convolution, or one of its adjoints, as a product by tiles of 64 x 64: what is read by windows is found by the index as it is loaded.
// b images of c channels, o filters of c / groups channels. A thread loads one column of a tile, and 4 rows at one place of the sum.
// Zeros around images meet the filters; around a gradient there is nothing that an infinite filter could meet.

//! CONVOLUTION
extern "C" __global__ void __launch_bounds__(256) @NAME(const int64_t b, const int64_t c, const int64_t o, const int64_t groups, const int64_t flip,
    const int64_t n0, const int64_t n1, const int64_t n2, const int64_t k0, const int64_t k1, const int64_t k2, const int64_t m0, const int64_t m1, const int64_t m2,
    const int64_t f0, const int64_t f1, const int64_t f2, const int64_t s0, const int64_t s1, const int64_t s2, const int64_t g0, const int64_t g1, const int64_t g2,
    const int64_t x0, const int64_t x1, const int64_t x2, const int64_t x3, const int64_t x4, const int64_t w0, const int64_t w1, const int64_t w2, const int64_t w3, const int64_t w4,
    const int64_t y0, const int64_t y1, const int64_t y2, const int64_t y3, const int64_t y4, @CX @T *__restrict__ x, @CW @T *__restrict__ w, @CY @T *__restrict__ y) {
  __shared__ @T left[16][65];
  __shared__ @T right[16][65];
  @THERE
  const int64_t filters = o / groups, channels = c / groups, taps = k0*k1*k2;
  const int64_t rows = @ROWS, columns = @COLUMNS, inner = @INNER;
  const int64_t high = (rows + 63) / 64, wide = (columns + 63) / 64;
  const int tx = (int)threadIdx.x % 16, ty = (int)threadIdx.x / 16, mine = (int)threadIdx.x % 64;
  for (int64_t tile = blockIdx.x; tile < groups*high*wide; tile += gridDim.x) {
    const int64_t group = tile / (high*wide), row = tile / wide % high * 64, column = tile % wide * 64;
    const int64_t own = column + mine;
    @COLUMN
    @T s[4][4];
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) s[i][j] = 0;
    for (int64_t first = 0; first < inner; first += 16) {
      {
        const int64_t p = first + tx;
        @PLACE
        for (int i = ty; i < 64; i += 16) left[tx][i] = row + i < rows && p < inner ? @LEFT : 0;
      }
      for (int q = (int)threadIdx.x / 64; q < 16; q += 4) {
        const int64_t p = first + q;
        @T found = 0;
        @NOT_THERE
        if (own < columns && p < inner) {
          @FOUND
        }
        right[q][mine] = found;
      }
      __syncthreads();
      for (int p = 0; p < 16; p++) {
        @T u[4];
        @T v[4];
        for (int i = 0; i < 4; i++) { u[i] = left[p][ty + 16*i]; v[i] = right[p][tx + 16*i]; }
        for (int j = 0; j < 4; j++) @IF_THERE for (int i = 0; i < 4; i++) s[i][j] = @FMA(u[i], v[j], s[i][j]);
      }
      __syncthreads();
    }
    for (int j = 0; j < 4; j++) {
      const int64_t at = column + tx + 16*j;
      if (at >= columns) continue;
      @TARGET
      for (int i = 0; i < 4; i++) {
        const int64_t to = row + ty + 16*i;
        if (to < rows) @STORE = s[i][j];
      }
    }
  }
}

//! TAP
const int64_t e2 = @P % k2, e1 = @P / k2 % k1, e0 = @P / (k1*k2) % k0;

//! WEIGHT
(flip ? k0 - 1 - e0 : e0)*w2 + (flip ? k1 - 1 - e1 : e1)*w3 + (flip ? k2 - 1 - e2 : e2)*w4

//! FORWARD_COLUMN
const int64_t u2 = own % m2*s2 - f2, u1 = own / m2 % m1*s1 - f1, u0 = own / (m1*m2) % m0*s0 - f0, image = own / (m0*m1*m2)*x0;

//! FORWARD_FOUND
@TAP
const int64_t v0 = u0 + e0*g0, v1 = u1 + e1*g1, v2 = u2 + e2*g2;
if (v0 >= 0 && v0 < n0 && v1 >= 0 && v1 < n1 && v2 >= 0 && v2 < n2) found = x[image + (group*channels + p / taps)*x1 + v0*x2 + v1*x3 + v2*x4];

//! FORWARD_PLACE
@TAP
const int64_t weight = p / taps*w1 + @WEIGHT;

//! FORWARD_TARGET
const int64_t place = at / (m0*m1*m2)*y0 + at / (m1*m2) % m0*y2 + at / m2 % m1*y3 + at % m2*y4;

//! INPUT_COLUMN
const int64_t u2 = own % n2 + f2, u1 = own / n2 % n1 + f1, u0 = own / (n1*n2) % n0 + f0, image = own / (n0*n1*n2)*y0;

//! INPUT_FOUND
@TAP
const int64_t v0 = u0 - e0*g0, v1 = u1 - e1*g1, v2 = u2 - e2*g2;
if (v0 >= 0 && v1 >= 0 && v2 >= 0 && v0 % s0 == 0 && v1 % s1 == 0 && v2 % s2 == 0 && v0 / s0 < m0 && v1 / s1 < m1 && v2 / s2 < m2)
  { found = y[image + (group*filters + p / taps)*y1 + v0 / s0*y2 + v1 / s1*y3 + v2 / s2*y4]; there[q][mine] = 1; }

//! INPUT_PLACE
@TAP
const int64_t weight = (group*filters + p / taps)*w0 + @WEIGHT;

//! INPUT_TARGET
const int64_t place = at / (n0*n1*n2)*x0 + at / (n1*n2) % n0*x2 + at / n2 % n1*x3 + at % n2*x4;

//! KERNEL_COLUMN
@TAP
const int64_t u0 = e0*g0 - f0, u1 = e1*g1 - f1, u2 = e2*g2 - f2, image = (group*channels + own / taps)*x1;

//! KERNEL_FOUND
const int64_t v2 = p % m2*s2 + u2, v1 = p / m2 % m1*s1 + u1, v0 = p / (m1*m2) % m0*s0 + u0;
if (v0 >= 0 && v0 < n0 && v1 >= 0 && v1 < n1 && v2 >= 0 && v2 < n2) found = x[image + p / (m0*m1*m2)*x0 + v0*x2 + v1*x3 + v2*x4];

//! KERNEL_PLACE
const int64_t weight = p / (m0*m1*m2)*y0 + p / (m1*m2) % m0*y2 + p / m2 % m1*y3 + p % m2*y4;

//! KERNEL_TARGET
@TAP
const int64_t place = at / taps*w1 + @WEIGHT;

//! HOST
static int eq_convolution@KERNEL(int64_t b, int64_t c, int64_t o, int64_t groups, int64_t flip, int64_t n0, int64_t n1, int64_t n2, int64_t k0, int64_t k1, int64_t k2,
    int64_t m0, int64_t m1, int64_t m2, int64_t f0, int64_t f1, int64_t f2, int64_t s0, int64_t s1, int64_t s2, int64_t g0, int64_t g1, int64_t g2, int64_t x0, int64_t x1, int64_t x2,
    int64_t x3, int64_t x4, int64_t w0, int64_t w1, int64_t w2, int64_t w3, int64_t w4, int64_t y0, int64_t y1, int64_t y2, int64_t y3, int64_t y4, const void *x, const void *w, const void *y) {
  const int64_t filters = o / groups, channels = c / groups, taps = k0*k1*k2, rows = @ROWS, columns = @COLUMNS;
  const int64_t tiles = groups*((rows + 63) / 64)*((columns + 63) / 64);
  (void)filters; (void)channels; (void)taps;
  if (tiles < 1) return 0;
  const uint64_t words[] = {b, c, o, groups, flip, n0, n1, n2, k0, k1, k2, m0, m1, m2, f0, f1, f2, s0, s1, s2, g0, g1, g2, x0, x1, x2, x3, x4, w0, w1, w2, w3, w4, y0, y1, y2, y3, y4,
    (uint64_t)x, (uint64_t)w, (uint64_t)y};
  return (int)eq_gpu->launch(eq_module, @KERNEL, (int64_t[]){eq_least(tiles, 65535), 1, 256, 1}, words, 41);
}
