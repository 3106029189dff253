// Convolutions: patches as columns of a matrix, one product with BLAS per tile of images, and both adjoints.

// Lengths of input n, kernel k, output m; padding before; strides x, w, y in elements.
typedef struct {
  int64_t b, c, o, groups, flip, n[3], k[3], m[3], before[3], stride[3], gap[3], x[5], w[5], y[5];
} eq_conv_plan__@T;

static inline int64_t eq_conv_rows__@T(const eq_conv_plan__@T *g) {
  return g->c / g->groups * g->k[0] * g->k[1] * g->k[2];
}

static inline int64_t eq_conv_size__@T(const eq_conv_plan__@T *g) {
  return g->m[0] * g->m[1] * g->m[2];
}

// Images whose patches are in memory at once.
static int64_t eq_conv_tile__@T(int64_t images, int64_t rows, int64_t size) {
  int64_t one = rows * size, fit = one > 0 ? 65536 / one : 1;
  return fit < 1 ? 1 : fit > images ? (images > 0 ? images : 1) : fit;
}

// Parts into which the tiles are cut: each is one, or where their products are added up (what = 2) they are at most 8,
// however many threads there are, so that the sums are always the same.
static int64_t eq_conv_parts__@T(int64_t what, int64_t images, int64_t tile) {
  int64_t tiles = (images + tile - 1) / tile;
  return what == 2 ? eq_least(tiles, 8) : tiles;
}

// Threads that take a part of a group each; where there are fewer of these, threads share the work on one.
static int64_t eq_conv_lanes__@T(int64_t tasks) { return tasks < eq_lanes() ? 1 : eq_lanes(); }

// Memory for the columns and one operand of a thread.
static int64_t eq_conv_each__@T(int64_t rows, int64_t size, int64_t o, int64_t groups, int64_t tile) {
  return (rows + (groups > 0 ? o / groups : 0)) * size * tile;
}

// For all threads, and for the kernel or the sums of the parts.
static int64_t eq_conv_room__@T(int64_t what, int64_t images, int64_t rows, int64_t size, int64_t o, int64_t groups) {
  int64_t tile = eq_conv_tile__@T(images, rows, size), parts = eq_conv_parts__@T(what, images, tile);
  int64_t lanes = eq_conv_lanes__@T(parts * groups);
  return eq_conv_each__@T(rows, size, o, groups, tile) * lanes + o * rows * (what == 2 ? parts : 1) + 1;
}

static void eq_conv_columns__@T(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const eq_conv_plan__@T *g = p[0];
  int64_t per = g->c / g->groups, area = g->k[0] * g->k[1] * g->k[2], size = eq_conv_size__@T(g), length = v[2] * size;
  for (int64_t t = low; t < high; t++) {
    int64_t image = t / per, channel = t % per;
    const @T *from = (const @T *)p[1] + (v[0] + image) * g->x[0] + (v[1] * per + channel) * g->x[1];
    for (int64_t e = 0; e < area; e++) {
      int64_t e2 = e % g->k[2], e1 = e / g->k[2] % g->k[1], e0 = e / g->k[2] / g->k[1];
      if (g->flip) { e0 = g->k[0] - 1 - e0; e1 = g->k[1] - 1 - e1; e2 = g->k[2] - 1 - e2; }
      int64_t i0 = e0 * g->gap[0] - g->before[0], i1 = e1 * g->gap[1] - g->before[1], i2 = e2 * g->gap[2] - g->before[2];
      int64_t step = g->stride[2], first = i2 >= 0 ? 0 : (-i2 + step - 1) / step;
      int64_t last = g->n[2] > i2 ? (g->n[2] - i2 + step - 1) / step : 0;
      if (last > g->m[2]) last = g->m[2];
      if (first > last) first = last;
      @T *to = (@T *)p[2] + (channel * area + e) * length + image * size;
      for (int64_t q0 = 0; q0 < g->m[0]; q0++) for (int64_t q1 = 0; q1 < g->m[1]; q1++, to += g->m[2]) {
        int64_t s0 = q0 * g->stride[0] + i0, s1 = q1 * g->stride[1] + i1;
        if (s0 < 0 || s0 >= g->n[0] || s1 < 0 || s1 >= g->n[1]) { for (int64_t q = 0; q < g->m[2]; q++) to[q] = 0; continue; }
        const @T *row = from + s0 * g->x[2] + s1 * g->x[3] + i2 * g->x[4];
        int64_t by = step * g->x[4];
        for (int64_t q = 0; q < first; q++) to[q] = 0;
        if (by == 1) for (int64_t q = first; q < last; q++) to[q] = row[q];
        else for (int64_t q = first; q < last; q++) to[q] = row[q * by];
        for (int64_t q = last; q < g->m[2]; q++) to[q] = 0;
      }
    }
  }
}

static void eq_conv_back__@T(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const eq_conv_plan__@T *g = p[0];
  int64_t per = g->c / g->groups, area = g->k[0] * g->k[1] * g->k[2], size = eq_conv_size__@T(g), length = v[2] * size;
  for (int64_t t = low; t < high; t++) {
    int64_t image = t / per, channel = t % per;
    @T *from = (@T *)p[1] + (v[0] + image) * g->x[0] + (v[1] * per + channel) * g->x[1];
    for (int64_t e = 0; e < area; e++) {
      int64_t e2 = e % g->k[2], e1 = e / g->k[2] % g->k[1], e0 = e / g->k[2] / g->k[1];
      if (g->flip) { e0 = g->k[0] - 1 - e0; e1 = g->k[1] - 1 - e1; e2 = g->k[2] - 1 - e2; }
      int64_t i0 = e0 * g->gap[0] - g->before[0], i1 = e1 * g->gap[1] - g->before[1], i2 = e2 * g->gap[2] - g->before[2];
      int64_t step = g->stride[2], first = i2 >= 0 ? 0 : (-i2 + step - 1) / step;
      int64_t last = g->n[2] > i2 ? (g->n[2] - i2 + step - 1) / step : 0;
      if (last > g->m[2]) last = g->m[2];
      if (first > last) first = last;
      @T *to = (@T *)p[2] + (channel * area + e) * length + image * size;
      for (int64_t q0 = 0; q0 < g->m[0]; q0++) for (int64_t q1 = 0; q1 < g->m[1]; q1++, to += g->m[2]) {
        int64_t s0 = q0 * g->stride[0] + i0, s1 = q1 * g->stride[1] + i1;
        if (s0 < 0 || s0 >= g->n[0] || s1 < 0 || s1 >= g->n[1]) {  continue; }
        @T *row = from + s0 * g->x[2] + s1 * g->x[3] + i2 * g->x[4];
        int64_t by = step * g->x[4];
        if (by == 1) for (int64_t q = first; q < last; q++) row[q] += to[q];
        else for (int64_t q = first; q < last; q++) row[q * by] += to[q];
      }
    }
  }
}

// Channels of a tile of outputs between their own strides and a matrix with one row per channel.
static void eq_conv_pack__@T(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const eq_conv_plan__@T *g = p[0];
  int64_t per = g->o / g->groups, size = eq_conv_size__@T(g), length = v[2] * size;
  for (int64_t t = low; t < high; t++) {
    int64_t image = t / per, channel = t % per;
    @T *y = (@T *)p[1] + (v[0] + image) * g->y[0] + (v[1] * per + channel) * g->y[1];
    @T *to = (@T *)p[2] + channel * length + image * size;
    for (int64_t a = 0; a < g->m[0]; a++) for (int64_t b = 0; b < g->m[1]; b++, to += g->m[2]) {
      @T *row = y + a * g->y[2] + b * g->y[3];
      int64_t by = g->y[4];
      if (v[3]) for (int64_t q = 0; q < g->m[2]; q++) row[q * by] = to[q];
      else for (int64_t q = 0; q < g->m[2]; q++) to[q] = row[q * by];
    }
  }
}

static int eq_conv_plain__@T(const eq_conv_plan__@T *g) {
  return g->y[4] == 1 && g->y[3] == g->m[2] && g->y[2] == g->m[1] * g->m[2] && g->y[1] == eq_conv_size__@T(g);
}

static const @T *eq_conv_kernel__@T(const eq_conv_plan__@T *g, const @T *w, @T *room) {
  int64_t per = g->c / g->groups, *const s = (int64_t *)g->w, *const k = (int64_t *)g->k;
  if (s[4] == 1 && s[3] == k[2] && s[2] == k[1] * k[2] && s[1] == k[0] * s[2] && s[0] == per * s[1]) return w;
  @T *to = room;
  for (int64_t o = 0; o < g->o; o++) for (int64_t c = 0; c < per; c++) for (int64_t a = 0; a < k[0]; a++)
    for (int64_t b = 0; b < k[1]; b++) for (int64_t e = 0; e < k[2]; e++)
      *to++ = w[o * s[0] + c * s[1] + a * s[2] + b * s[3] + e * s[4]];
  return room;
}

// Columns of the row-major C (m, n) = A B + beta C, in slices that do not depend on the threads; v: whether A and B are stored
// transposed, m, k, lengths of rows of A, B and C, beta.
static void eq_conv_slices__@T(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  int mm = (int)v[2], kk = (int)v[3], ia = (int)v[4], ib = (int)v[5], ic = (int)v[6];
  @T one = 1, beta = (@T)v[7];
  for (int64_t j = low; j < high; j += 512) {
    int nn = (int)eq_least(512, high - j);
    eq_blas_gemm__@T(v[1] ? "T" : "N", v[0] ? "T" : "N", &nn, &mm, &kk, &one, (@T *)p[1] + (v[1] ? j * v[5] : j), &ib,
      (@T *)p[0], &ia, &beta, (@T *)p[2] + j, &ic);
  }
}

static void eq_conv_product__@T(eq_call *c, int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k, @T *a, int64_t la,
    @T *b, int64_t lb, int64_t beta, @T *out, int64_t lc) {
  eq_spread(c, eq_conv_slices__@T, n, 512, m * n / 16 * k, (void *[]){a, b, out}, (int64_t[]){ta, tb, m, k, la, lb, lc, beta});
}

// what = 0: y from x and w; 1: x from y and w; 2: w from x and y, added where there is more. One tile of one group.
static void eq_conv_one__@T(eq_call *c, int64_t what, const eq_conv_plan__@T *g, int64_t start, int64_t count, int64_t group,
    @T *x, @T *w, @T *y, @T *columns, int64_t more) {
  int64_t rows = eq_conv_rows__@T(g), size = eq_conv_size__@T(g), per = g->c / g->groups, o = g->o / g->groups;
  int64_t length = count * size, v[4] = {start, group, count, what == 0};
  int direct = count == 1 && eq_conv_plain__@T(g);
  @T *side = columns + rows * length, *packed = direct ? y + start * g->y[0] + group * o * g->y[1] : side;
  w += group * o * rows;
  if (!direct && what) eq_spread(c, eq_conv_pack__@T, count * o, 1, length * o, (void *[]){(void *)g, y, side}, v);
  if (what != 1) eq_spread(c, eq_conv_columns__@T, count * per, 1, length * rows, (void *[]){(void *)g, x, columns}, v);
  if (what == 0) eq_conv_product__@T(c, 0, 0, o, length, rows, w, rows, columns, length, 0, packed, length);
  if (what == 1) eq_conv_product__@T(c, 1, 0, rows, length, o, w, rows, packed, length, 0, columns, length);
  if (what == 2) eq_conv_product__@T(c, 0, 1, o, rows, length, packed, length, columns, length, more, w, rows);
  if (what == 1) eq_spread(c, eq_conv_back__@T, count * per, 1, length * rows, (void *[]){(void *)g, x, columns}, v);
  if (!direct && !what) eq_spread(c, eq_conv_pack__@T, count * o, 1, length * o, (void *[]){(void *)g, y, side}, v);
}

// Tasks are the groups of each part. v: what, tile, parts, memory of a thread, threads.
static void eq_conv_tasks__@T(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  const eq_conv_plan__@T *g = p[0];
  int64_t tile = v[1], parts = v[2], tiles = (g->b + tile - 1) / tile, all = g->o * eq_conv_rows__@T(g);
  eq_call alone = {.serial = 1}, *c = v[4] > 1 ? &alone : p[5];
  @T *columns = (@T *)p[4] + (v[4] > 1 ? eq_lane() : 0) * v[3];
  for (int64_t task = low; task < high; task++) {
    int64_t part = task / g->groups, first = part * tiles / parts, last = (part + 1) * tiles / parts;
    @T *w = (@T *)p[2] + (v[0] == 2 ? part * all : 0);
    for (int64_t k = first; k < last; k++)
      eq_conv_one__@T(c, v[0], g, k * tile, eq_least(tile, g->b - k * tile), task % g->groups, p[1], w, p[3], columns, k > first);
  }
}

// The result is C-contiguous. Products of tiles run on one thread each: threads of BLAS and ours would wait for one another.
static void eq_conv__@T(eq_call *c, int64_t what, eq_conv_plan__@T *g, @T *x, @T *w, @T *y, @T *room) {
  int64_t rows = eq_conv_rows__@T(g), size = eq_conv_size__@T(g), all = g->o * rows;
  int64_t tile = eq_conv_tile__@T(g->b, rows, size), parts = eq_conv_parts__@T(what, g->b, tile), tasks = parts * g->groups;
  int64_t lanes = eq_conv_lanes__@T(tasks), each = eq_conv_each__@T(rows, size, g->o, g->groups, tile);
  int64_t full = g->b * g->c * g->n[0] * g->n[1] * g->n[2];
  @T *more = room + each * lanes, *kernel = what != 2 ? (@T *)eq_conv_kernel__@T(g, w, more) : parts > 1 ? more : w;
  if (what == 1) memset(x, 0, (size_t)full * sizeof(@T));
  if (what == 2) memset(w, 0, (size_t)all * sizeof(@T));
  if (rows == 0 && what == 0) memset(y, 0, (size_t)(g->b * g->o * size) * sizeof(@T));
  if (rows == 0 || size == 0 || g->o == 0 || tasks == 0) return;
  void *p[] = {g, x, kernel, y, room, c};
  int64_t v[] = {what, tile, parts, each, lanes};
  eq_alone(1);
  if (lanes == 1) eq_conv_tasks__@T(0, tasks, p, v);
  else eq_spread(c, eq_conv_tasks__@T, tasks, 1, g->b * size * (all / g->groups) / 16, p, v);
  eq_alone(-1);
  if (what == 2 && parts > 1) for (int64_t part = 0; part < parts; part++)
    for (int64_t k = 0; k < all; k++) w[k] += kernel[part * all + k];
}
