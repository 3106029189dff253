// Convolutions and their adjoints: see convolutions.py. @T is the element type, @V a number, @HARD what unrolls loops.

//! SUPPORT
static int64_t lane_of(const eq_call *c) { return c->threads > 1 ? c->lane() : 0; }
// The offset of an operand's element in a copy, at a place that counts its zeros, and in the operand as it lies.
static int64_t offset_of(const eq_conv_form *f, const int64_t *at) {
  if (!f->copied) return at[0] * f->s[2] + at[1] * f->s[3] + at[2] * f->s[4];
  const eq_conv_axis *a = f->a;
  int64_t plane = a[1].size / a[1].split * f->s[3], s1 = a[1].split, s2 = a[2].split;
  return at[0] * f->s[2] + (at[1] % s1 * s2 + at[2] % s2) * plane + at[1] / s1 * f->s[3] + at[2] / s2;
}
static int64_t tap_of(const eq_conv_plan *g, const eq_conv_form *f, int d, int64_t t) {
  int64_t e = f->a[d].first + t * f->a[d].every;
  return g->flip ? g->k[d] - 1 - e : e;
}
// Per channel and tap: the offset in the operand, and that of the filters' element for channel (and lane) 0.
static void taps_of(const eq_conv_plan *g, const eq_conv_form *f, int64_t *to, int64_t *weight) {
  const eq_conv_axis *a = f->a;
  int64_t p = 0;
  for (int64_t c = 0; c < f->depth; c++) for (int64_t u = 0; u < a[0].taps; u++) for (int64_t v = 0; v < a[1].taps; v++)
    for (int64_t e = 0; e < a[2].taps; e++, p++) {
      int64_t at[3] = {a[0].low + a[0].from + u * a[0].by, a[1].low + a[1].from + v * a[1].by, a[2].low + a[2].from + e * a[2].by};
      to[p] = c * f->s[1] + offset_of(f, at);
      weight[p] = c * g->w[g->what == 1 ? 0 : 1] + tap_of(g, f, 0, u) * g->w[2] + tap_of(g, f, 1, v) * g->w[3] + tap_of(g, f, 2, e) * g->w[4];
    }
}
// Per place of the images that are together: its offset in the operand, and in the result (what < 2) or in y.
static void places_of(const eq_conv_form *f, const int64_t *s, int64_t *from, int64_t *to) {
  const eq_conv_axis *a = f->a;
  for (int64_t b = 0; b < f->together; b++) for (int64_t i = 0; i < a[0].count; i++) for (int64_t j = 0; j < a[1].count; j++)
    for (int64_t k = 0; k < a[2].count; k++) {
      int64_t at[3] = {i * a[0].step, j * a[1].step, k * a[2].step};
      *from++ = b * f->s[0] + offset_of(f, at);
      *to++ = b * s[0] + (a[0].place + i * a[0].every_place) * s[2] + (a[1].place + j * a[1].every_place) * s[3]
        + (a[2].place + k * a[2].every_place) * s[4];
    }
}

//! TILE
// c (ROWS, VECTORS wide) = or += sums over p of a[row][to[p]] b[p].
@HARD static void tile@V_@T(int64_t k, const @T *const *a, const int64_t *to, const @T *b, @T *c, int64_t more) {
  vector_@T s[ROWS][@V];
  const @T *x[ROWS];
  for (int r = 0; r < ROWS; r++) {
    x[r] = a[r];
    for (int v = 0; v < @V; v++) {
      s[r][v] = (vector_@T){0};
      if (more) s[r][v] = ((vector_@T *)c)[r * @V + v];
    }
  }
  for (int64_t p = 0; p < k; p++, b += @V * WIDE_@T) {
    vector_@T u[@V];
    int64_t q = to[p];
    for (int v = 0; v < @V; v++) { u[v] = ((const vector_@T *)b)[v]; IN_REGISTER(u[v]); }
    for (int r = 0; r < ROWS; r++) for (int v = 0; v < @V; v++) s[r][v] += x[r][q] * u[v];
  }
  for (int r = 0; r < ROWS; r++) for (int v = 0; v < @V; v++) ((vector_@T *)c)[r * @V + v] = s[r][v];
}

//! RUN
// @V rows of results along a run of places: c[r] = sums over p of w[r][p] x[to[p] ...], as many vectors at a time as registers hold.
enum { ALONG@V_@T = FEW_REGISTERS && @V == 4 ? 3 : 4 };
@HARD static void run@V_@T(int64_t k, const @T *x, const int64_t *to, const @T *w, @T *c, int64_t n) {
  int64_t i = 0;
  for (; i + ALONG@V_@T * WIDE_@T <= n; i += ALONG@V_@T * WIDE_@T) {
    vector_@T s[@V][ALONG@V_@T] = {0};
    for (int64_t p = 0; p < k; p++) {
      vector_@T u[ALONG@V_@T];
      for (int v = 0; v < ALONG@V_@T; v++) { u[v] = ((const vector_@T *)(x + to[p] + i))[v]; IN_REGISTER(u[v]); }
      for (int r = 0; r < @V; r++) for (int v = 0; v < ALONG@V_@T; v++) s[r][v] += w[r * k + p] * u[v];
    }
    for (int r = 0; r < @V; r++) for (int v = 0; v < ALONG@V_@T; v++) ((vector_@T *)(c + r * n + i))[v] = s[r][v];
  }
  for (; i < n; i += WIDE_@T) {
    vector_@T s[@V] = {0};
    for (int64_t p = 0; p < k; p++) for (int r = 0; r < @V; r++) s[r] += w[r * k + p] * *(const vector_@T *)(x + to[p] + i);
    for (int r = 0; r < @V; r++) *(vector_@T *)(c + r * n + i) = s[r];
  }
}

//! DIRECT
static int64_t block_@T(int64_t rest) {
  int64_t vectors = (rest + WIDE_@T - 1) / WIDE_@T;
  return (vectors == 4 ? 2 : eq_least(vectors, 3)) * WIDE_@T;
}
static void tiles_@T(int64_t w, int64_t k, const @T *const *a, const int64_t *to, const @T *b, @T *c, int64_t more) {
  if (w == WIDE_@T) tile1_@T(k, a, to, b, c, more);
  else if (w == 2 * WIDE_@T) tile2_@T(k, a, to, b, c, more);
  else tile3_@T(k, a, to, b, c, more);
}
static int64_t whole_@T(int64_t n) { return (n + WIDE_@T - 1) / WIDE_@T * WIDE_@T; }

static inline void row_@T(@T *to, const @T *from, int64_t by, int64_t n) {
  int64_t k = 0;
  if (by == 1 && n >= WIDE_@T) {
    for (; k + WIDE_@T <= n; k += WIDE_@T) *(vector_@T *)(to + k) = *(const vector_@T *)(from + k);
    if (k < n) *(vector_@T *)(to + n - WIDE_@T) = *(const vector_@T *)(from + n - WIDE_@T);
  }
  else if (by == 1 && n >= WIDE_@T / 2) {
    memcpy(to, from, BYTES / 2); memcpy(to + n - WIDE_@T / 2, from + n - WIDE_@T / 2, BYTES / 2);
  }
  else for (; k < n; k++) to[k] = from[k * by];
}
// Every other element of a row, and the others.
@HARD static void halves_@T(@T *even, @T *odd, const @T *from, int64_t n) {
  int64_t k = 0;
#ifndef __clang__
  lanes_@T lane = numbered_@T();
  for (; k + 2 * WIDE_@T <= n; k += 2 * WIDE_@T) {
    vector_@T a = *(const vector_@T *)(from + k), b = *(const vector_@T *)(from + k + WIDE_@T);
    *(vector_@T *)(even + k / 2) = __builtin_shuffle(a, b, lane * 2);
    *(vector_@T *)(odd + k / 2) = __builtin_shuffle(a, b, lane * 2 + 1);
  }
#endif
  for (; k < n; k++) (k & 1 ? odd : even)[k / 2] = from[k];
}

// One image's channels with zeros around them.
static void copy_@T(const eq_conv_form *f, int64_t channels, const @T *x, const int64_t *s, @T *to) {
  const eq_conv_axis *a = f->a;
  int64_t s1 = a[1].split, s2 = a[2].split, plane = a[1].size / s1 * f->s[3];
  int64_t phase = s1 == 1 ? 0 : a[1].low % s1, start = s1 == 1 ? a[1].low : a[1].low / s1;
  for (int64_t c = 0; c < channels; c++) for (int64_t i = 0; i < a[0].n; i++) for (int64_t j = 0, e = phase, q = start; j < a[1].n; j++) {
    const @T *from = x + c * s[1] + i * s[2] + j * s[3];
    @T *row = to + c * f->s[1] + (i + a[0].low) * f->s[2] + e * s2 * plane + q * f->s[3];
    if (++e == s1) { e = 0; q++; }
    if (s2 == 1) row_@T(row + a[2].low, from, s[4], a[2].n);
    else if (s2 == 2 && s[4] == 1) {
      int64_t low = a[2].low, first = low & 1;
      halves_@T(row + first * plane + low / 2, row + !first * plane + (low + 1) / 2, from, a[2].n);
    }
    else for (int64_t e = 0; e < s2; e++) {
      int64_t k = ((e - a[2].low) % s2 + s2) % s2;
      @T *r = row + e * plane + (k + a[2].low) / s2;
      for (; k < a[2].n; k += s2) *r++ = from[k * s[4]];
    }
  }
}

// The lowest and the highest offset of the filters' elements.
static void ends_of(const eq_conv_plan *g, int64_t *ends) {
  int64_t n[5] = {g->o, g->c / g->groups, g->k[0], g->k[1], g->k[2]};
  ends[0] = ends[1] = 0;
  for (int d = 0; d < 5; d++) ends[g->w[d] > 0] += (n[d] - 1) * g->w[d];
}
// How many numbers from the first on are neighbours, one up or one down each, at most so many.
static inline int64_t neighbours(const int64_t *to, int64_t most, int64_t *up) {
  int64_t n = 1;
  *up = most > 1 ? to[1] - to[0] : 1;
  if (*up == 1 || *up == -1) while (n < most && to[n] - to[n - 1] == *up) n++;
  return n;
}
// Filters with the result's channels side by side, in blocks of a tile's width; says where one is not finite.
@HARD static void pack_filters_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  const eq_conv_plan *g = at[0]; const eq_conv_form *f = at[1];
  const int64_t *weight = (const int64_t *)at[2] + f->depth * f->area;
  int64_t side = g->w[g->what == 1], all = f->depth * f->area, width = whole_@T(f->wide), bad = 0, ends[2];
  int64_t chunks = (f->depth + EQ_CONV_PACKED - 1) / EQ_CONV_PACKED;
  vector_@T odd = {0};
  ends_of(g, ends);
  for (int64_t task = low; task < high; task++) {
    int64_t group = task / chunks, c = task % chunks * EQ_CONV_PACKED, last = eq_least(f->depth, c + EQ_CONV_PACKED) * f->area;
    int64_t shift = group * (g->what == 1 ? f->depth * g->w[0] : f->wide * side);
    const @T *w = (const @T *)at[3] + shift;
    @T *to = (@T *)at[4] + group * all * width;
    for (int64_t j = 0, b; j < f->wide; j += b, to += all * b) {
      b = block_@T(f->wide - j);
      int64_t some = eq_least(b, f->wide - j);
      for (int64_t p = c * f->area, n, up; p < last; p += n) {
        n = neighbours(weight + p, eq_least(WIDE_@T, last - p), &up);
        int64_t l = 0, start = up == 1 ? weight[p] : weight[p + n - 1];
        if (n > 2 && side >= 0) for (; l + WIDE_@T <= some; l += WIDE_@T) {
          vector_@T t[WIDE_@T];
          int64_t from = start + (j + l) * side;
          if (shift + from < ends[0] || shift + from + (WIDE_@T - 1) * (side + 1) > ends[1]) break;
          for (int i = 0; i < WIDE_@T; i++) { t[i] = *(const vector_@T *)(w + from + i * side); odd += t[i] - t[i]; }
          turn_@T(t);
          for (int i = 0; i < WIDE_@T; i++) if (i < n) *(vector_@T *)(to + (p + (up == 1 ? i : n - 1 - i)) * b + l) = t[i];
        }
        for (int64_t q = p; q < p + n; q++) {
          const @T *from = w + weight[q] + j * side;
          for (int64_t k = l; k < some; k++) { @T e = from[k * side]; to[q * b + k] = e; bad |= !(e - e == 0); }
          for (int64_t k = some; k < b; k++) to[q * b + k] = 0;
        }
      }
    }
  }
  for (int k = 0; k < WIDE_@T; k++) bad |= !(odd[k] == 0);
  if (bad) *(int64_t *)at[5] = 1;
}

// Rows of a scratch become columns of the result.
@HARD static void put_@T(const @T *from, int64_t w, int64_t wide, int64_t rows, const int64_t *to, int64_t apart, int64_t side, @T *y) {
  int64_t r = 0;
  for (; r < rows;) {
    int64_t n = eq_least(rows - r, WIDE_@T);
    if (apart && n == WIDE_@T && to[r + n - 1] - to[r] == n - 1) for (int64_t l = 0; l < wide; l += WIDE_@T) {
      vector_@T t[WIDE_@T];
      for (int i = 0; i < WIDE_@T; i++) t[i] = *(const vector_@T *)(from + (r + i) * w + l);
      turn_@T(t);
      int64_t some = eq_least(WIDE_@T, wide - l);
      for (int i = 0; i < some; i++) *(vector_@T *)(y + to[r] + (l + i) * side) = t[i];
    }
    else for (int64_t l = 0; l < wide; l++) for (int64_t i = r; i < r + n; i++) y[to[i] + l * side] = from[i * w + l];
    r += n;
  }
}

// Tasks are batches of images, groups and cuts of the channels of the result. at: plan, form, tables, operand, packed, result,
// memory of the threads, call.
static void direct_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  const eq_conv_plan *g = at[0]; const eq_conv_form *f = at[1];
  int64_t all = f->depth * f->area, width = whole_@T(f->wide), count = f->together * f->places;
  const int64_t *taps = at[2], *from = taps + 2 * all, *to = from + count, *xs = g->what == 1 ? g->y : g->x, *ys = g->what == 1 ? g->x : g->y;
  @T *own = (@T *)at[6] + lane_of(at[7]) * f->lanes, *scratch = own + f->image;
  int64_t have = -1;
  if (f->image) memset(own, 0, (size_t)f->image * sizeof(@T));
  for (int64_t task = low; task < high; task++) {
    int64_t cut = task % f->cuts, group = task / f->cuts % g->groups, batch = task / f->cuts / g->groups, first = batch * f->together;
    int64_t images = eq_least(f->together, g->b - first), rows = images * f->places;
    const @T *x = (const @T *)at[3] + first * xs[0] + group * f->depth * xs[1];
    if (f->copied) {
      if (have != task / f->cuts) for (int64_t b = 0; b < images; b++) copy_@T(f, f->depth, x + b * xs[0], xs, own + b * f->s[0]);
      x = own; have = task / f->cuts;
    }
    @T *y = (@T *)at[5] + first * ys[0] + group * f->wide * ys[1];
    for (int64_t r0 = 0; r0 < rows; r0 += EQ_CONV_ROWS) {
      int64_t some = eq_least(EQ_CONV_ROWS, rows - r0), number = 0;
      const @T *w = (const @T *)at[4] + group * all * width;
      for (int64_t j = 0, b; j < f->wide; j += b, w += all * b, number++) {
        b = block_@T(f->wide - j);
        if (number % f->cuts != cut) continue;
        for (int64_t p = 0; p == 0 || p < all; p += EQ_CONV_DEEP) for (int64_t r = 0; r < some; r += ROWS) {
          const @T *a[ROWS];
          for (int i = 0; i < ROWS; i++) a[i] = x + from[r0 + eq_least(r + i, some - 1)];
          tiles_@T(b, eq_least(EQ_CONV_DEEP, all - p), a, taps + p, w + p * b, scratch + r * b, p > 0);
        }
        put_@T(scratch, b, eq_least(b, f->wide - j), some, to + r0, 1, ys[1], y + j * ys[1]);
      }
    }
  }
}

//! FEW
// Few channels of the result in a group: runs of places, over the ends of rows, for each of them. Tasks are images and groups.
static void few_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  const eq_conv_plan *g = at[0]; const eq_conv_form *f = at[1];
  const eq_conv_axis *a = f->a;
  int64_t all = f->depth * f->area, back = g->what == 1;
  const int64_t *taps = at[2], *weight = taps + all, *xs = back ? g->y : g->x, *ys = back ? g->x : g->y;
  @T *own = (@T *)at[6] + lane_of(at[7]) * f->lanes, *weights = own + f->image, *out = weights + (all * 4 + 63) / 64 * 64;
  int64_t run = whole_@T(a[1].count > 0 ? (a[1].count - 1) * f->s[3] + a[2].count : 0), have = -1, bad = 0;
  memset(own, 0, (size_t)f->image * sizeof(@T));
  for (int64_t task = low; task < high; task++) {
    int64_t image = task % g->b, group = task / g->b;
    const @T *w = (const @T *)at[4] + group * (back ? f->depth * g->w[0] : f->wide * g->w[0]);
    copy_@T(f, f->depth, (const @T *)at[3] + image * xs[0] + group * f->depth * xs[1], xs, own);
    for (int64_t j = 0, n; j < f->wide; j += n) {
      n = f->wide - j > 2 ? 4 : f->wide - j;
      int64_t some = eq_least(n, f->wide - j);
      if (have != group || f->wide > 4) for (int64_t r = 0; r < n; r++) for (int64_t p = 0; p < all; p++) {
        @T e = r < some ? w[weight[p] + (j + r) * g->w[back]] : 0;
        weights[r * all + p] = e; bad |= !(e - e == 0);
      }
      have = group;
      for (int64_t q = 0; q < a[0].count; q++) {
        const @T *x = own + q * a[0].step * f->s[2];
        if (n == 1) run1_@T(all, x, taps, weights, out, run);
        else if (n == 2) run2_@T(all, x, taps, weights, out, run);
        else run4_@T(all, x, taps, weights, out, run);
        for (int64_t r = 0; r < some; r++) for (int64_t i = 0; i < a[1].count; i++) {
          @T *y = (@T *)at[5] + image * ys[0] + (group * f->wide + j + r) * ys[1] + (a[0].place + q * a[0].every_place) * ys[2]
            + (a[1].place + i * a[1].every_place) * ys[3] + a[2].place * ys[4];
          const @T *from = out + r * run + i * f->s[3];
          int64_t by = a[2].every_place * ys[4];
          if (by == 1) row_@T(y, from, 1, a[2].count);
          else for (int64_t k = 0; k < a[2].count; k++) y[k * by] = from[k];
        }
      }
    }
  }
  if (bad) *(int64_t *)at[8] = 1;
}

//! FILTERS
// Sums over places for the filters. Tasks are parts of the images, groups and cuts of the channels of x; a task adds up its own.
static void filters_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  const eq_conv_plan *g = at[0]; const eq_conv_form *f = at[1];
  int64_t all = f->depth * f->area, width = whole_@T(f->wide), count = f->together * f->places;
  int64_t each = (f->depth + f->cuts - 1) / f->cuts, tall = (each * f->area + ROWS - 1) / ROWS * ROWS;
  const int64_t *taps = at[2], *from = taps + 2 * all, *to = from + count;
  @T *own = (@T *)at[6] + lane_of(at[7]) * f->lanes, *packed = own + f->image;
  if (f->image) memset(own, 0, (size_t)f->image * sizeof(@T));
  for (int64_t task = low; task < high; task++) {
    int64_t cut = task % f->cuts, group = task / f->cuts % g->groups, part = task / f->cuts / g->groups;
    int64_t c0 = eq_least(f->depth, cut * each), channels = eq_least(each, f->depth - c0), rows = channels * f->area;
    int64_t first = part * f->batches / f->parts, last = (part + 1) * f->batches / f->parts;
    @T *sums = (@T *)at[5] + task * tall * width;
    memset(sums, 0, (size_t)(tall * width) * sizeof(@T));
    for (int64_t batch = first; batch < last; batch++) {
      int64_t start = batch * f->together, images = eq_least(f->together, g->b - start), places = images * f->places;
      const @T *x = (const @T *)at[3] + start * g->x[0] + (group * f->depth + c0) * g->x[1];
      const @T *y = (const @T *)at[4] + start * g->y[0] + group * f->wide * g->y[1];
      if (f->copied) {
        for (int64_t b = 0; b < images; b++) copy_@T(f, channels, x + b * g->x[0], g->x, own + b * f->s[0]);
        x = own;
      }
      for (int64_t p0 = 0; p0 < places; p0 += EQ_CONV_DEEP) {
        int64_t deep = eq_least(EQ_CONV_DEEP, places - p0);
        @T *c = sums;
        for (int64_t j = 0, b; j < f->wide; j += b, c += tall * b) {
          b = block_@T(f->wide - j);
          for (int64_t p = 0, n; p < deep; p += n) { /* pieces that lie side by side */
            for (n = 1; p + n < deep && to[p0 + p + n] == to[p0 + p] + n; n++);
            pack_@T(packed + p * b, b, n, eq_least(b, f->wide - j), y + to[p0 + p] + j * g->y[1], 1, g->y[1]);
          }
          for (int64_t r = 0; r < rows; r += ROWS) {
            const @T *a[ROWS];
            for (int i = 0; i < ROWS; i++) a[i] = x + taps[eq_least(r + i, rows - 1)];
            tiles_@T(b, deep, a, from + p0, packed, c + r * b, 1);
          }
        }
      }
    }
  }
}

// The parts of the sums, added up in order, as the filters lie. Tasks are groups, cuts and vectors of channels of the result.
static void join_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  const eq_conv_plan *g = at[0]; const eq_conv_form *f = at[1];
  const int64_t *weight = (const int64_t *)at[2] + f->depth * f->area;
  int64_t width = whole_@T(f->wide), each = (f->depth + f->cuts - 1) / f->cuts, tall = (each * f->area + ROWS - 1) / ROWS * ROWS;
  int64_t blocks = width / WIDE_@T, apart = g->groups * f->cuts * tall * width;
  for (int64_t task = low; task < high; task++) {
    int64_t lane = task % blocks * WIDE_@T, cut = task / blocks % f->cuts, group = task / blocks / f->cuts, j = 0, b = block_@T(f->wide);
    for (; j + b <= lane; b = block_@T(f->wide - j)) j += b;
    int64_t c0 = eq_least(f->depth, cut * each), rows = eq_least(each, f->depth - c0) * f->area;
    @T *sums = (@T *)at[5] + (group * f->cuts + cut) * tall * width + j * tall + lane - j;
    for (int64_t r = 0; r < rows; r++) for (int64_t part = 1; part < f->parts; part++)
      *(vector_@T *)(sums + r * b) += *(const vector_@T *)(sums + part * apart + r * b);
    @T *w = (@T *)at[3] + (group * f->wide + lane) * g->w[0];
    put_@T(sums, b, eq_least(WIDE_@T, f->wide - lane), rows, weight + c0 * f->area, 1, g->w[0], w);
  }
}

//! DOTS
// Eight sums of products along a run; lanes that lie between rows count for nothing.
typedef lanes_@T loose_@T __attribute__((aligned(sizeof(@T)), may_alias));
@HARD static void dots_@T(int64_t n, const @T *x, const int64_t *to, const @T *y, const loose_@T *keep, @T *sums) {
  vector_@T s[8] = {0};
  const @T *from[8];
  for (int r = 0; r < 8; r++) from[r] = x + to[r];
  for (int64_t i = 0; i < n; i += WIDE_@T) {
    vector_@T d = *(const vector_@T *)(y + i);
    loose_@T m = keep[i / WIDE_@T];
    for (int r = 0; r < 8; r++) s[r] += (vector_@T)(*(const loose_@T *)(from[r] + i) & m) * d;
  }
  for (int r = 0; r < 8; r++) sums[r] = total_@T(s[r]);
}
// Sums for filters with few channels in a group. Tasks are groups and parts of the images.
static void few_filters_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  const eq_conv_plan *g = at[0]; const eq_conv_form *f = at[1];
  const eq_conv_axis *a = f->a;
  int64_t all = f->depth * f->area, run = whole_@T(a[1].count > 0 ? (a[1].count - 1) * f->s[3] + a[2].count : 0);
  const int64_t *taps = at[2];
  @T *own = (@T *)at[6] + lane_of(at[7]) * f->lanes, *keep = own + f->image, *ys = keep + run;
  memset(own, 0, (size_t)f->lanes * sizeof(@T));
  for (int64_t i = 0; i < a[1].count; i++) memset(keep + i * f->s[3], 255, (size_t)a[2].count * sizeof(@T));
  for (int64_t task = low; task < high; task++) {
    int64_t group = task % g->groups, part = task / g->groups, first = part * g->b / f->parts, last = (part + 1) * g->b / f->parts;
    @T *sums = (@T *)at[5] + task * f->wide * all;
    memset(sums, 0, (size_t)(f->wide * all) * sizeof(@T));
    for (int64_t image = first; image < last; image++) {
      copy_@T(f, f->depth, (const @T *)at[3] + image * g->x[0] + group * f->depth * g->x[1], g->x, own);
      for (int64_t q = 0; q < a[0].count; q++) {
        for (int64_t o = 0; o < f->wide; o++) for (int64_t i = 0; i < a[1].count; i++) {
          const @T *y = (const @T *)at[4] + image * g->y[0] + (group * f->wide + o) * g->y[1] + q * g->y[2] + i * g->y[3];
          row_@T(ys + o * run + i * f->s[3], y, g->y[4], a[2].count);
        }
        for (int64_t p = 0; p < all; p += 8) {
          int64_t to[8];
          for (int i = 0; i < 8; i++) to[i] = q * a[0].step * f->s[2] + taps[eq_least(p + i, all - 1)];
          for (int64_t o = 0; o < f->wide; o++) {
            @T found[8];
            dots_@T(run, own, to, ys + o * run, (const void *)keep, found);
            for (int64_t i = 0; i < eq_least(8, all - p); i++) sums[o * all + p + i] += found[i];
          }
        }
      }
    }
  }
}
static void few_join_@T(const eq_conv_plan *g, const eq_conv_form *f, const int64_t *weight, const @T *sums, @T *w) {
  int64_t all = f->depth * f->area, one = f->wide * all;
  for (int64_t o = 0; o < g->o; o++) for (int64_t p = 0; p < all; p++) {
    @T sum = 0;
    for (int64_t part = 0; part < f->parts; part++) sum += sums[(part * g->groups + o / f->wide) * one + o % f->wide * all + p];
    w[o * g->w[0] + weight[p]] = sum;
  }
}

//! CONVOLUTION
// Product by product, for filters that are not finite: zeros around y would meet them.
static void plain_@T(int64_t low, int64_t high, void *const *at, const int64_t *v) {
  const eq_conv_plan *g = at[0];
  int64_t per = g->c / g->groups, out = g->o / g->groups;
  for (int64_t b = low; b < high; b++) for (int64_t o = 0; o < g->o; o++) for (int64_t c = 0; c < per; c++) {
    @T *x = (@T *)at[1] + b * g->x[0] + (o / out * per + c) * g->x[1];
    const @T *w = (const @T *)at[2] + o * g->w[0] + c * g->w[1], *y = (const @T *)at[3] + b * g->y[0] + o * g->y[1];
    int64_t m[3], k[3], i[3];
    for (m[0] = 0; m[0] < g->m[0]; m[0]++) for (m[1] = 0; m[1] < g->m[1]; m[1]++) for (m[2] = 0; m[2] < g->m[2]; m[2]++)
      for (k[0] = 0; k[0] < g->k[0]; k[0]++) for (k[1] = 0; k[1] < g->k[1]; k[1]++) for (k[2] = 0; k[2] < g->k[2]; k[2]++) {
        int inside = 1;
        for (int d = 0; d < 3; d++) {
          i[d] = m[d] * g->stride[d] + (g->flip ? g->k[d] - 1 - k[d] : k[d]) * g->gap[d] - g->before[d];
          inside &= i[d] >= 0 && i[d] < g->n[d];
        }
        if (inside) x[i[0] * g->x[2] + i[1] * g->x[3] + i[2] * g->x[4]] += w[k[0] * g->w[2] + k[1] * g->w[3] + k[2] * g->w[4]]
          * y[m[0] * g->y[2] + m[1] * g->y[3] + m[2] * g->y[4]];
      }
  }
}

static int one_@T(eq_call *call, const eq_conv_plan *g, const int64_t *phase, @T *x, @T *w, @T *y, @T *room) {
  eq_conv_form f;
  eq_conv_form_of(g, phase, sizeof(@T), &f);
  int64_t all = f.depth * f.area, count = f.together * f.places, bad = 0, work = g->b * f.places * all * f.wide * g->groups / 32;
  if (f.places == 0 || f.wide == 0) return 0;
  int64_t *taps = (int64_t *)(((size_t)room + 63) / 64 * 64), *places = taps + 2 * all;
  @T *packed = (@T *)(((size_t)(places + 2 * count) + 63) / 64 * 64), *own = room + f.shared;
  own = (@T *)(((size_t)own + 63) / 64 * 64);
  taps_of(g, &f, taps, taps + all);
  places_of(&f, g->what == 1 ? g->x : g->y, places, places + count);
  if (g->what < 2) {
    void *at[] = {(void *)g, &f, taps, g->what ? y : x, f.few ? w : packed, g->what ? x : y, own, call, &bad};
    if (f.few) eq_spread(call, few_@T, g->b * g->groups, 1, work, at, 0);
    else {
      eq_spread(call, pack_filters_@T, g->groups * ((f.depth + EQ_CONV_PACKED - 1) / EQ_CONV_PACKED), 1, all * g->o / 4, (void *[]){(void *)g, &f, taps, w, packed, &bad}, 0);
      eq_spread(call, direct_@T, f.batches * g->groups * f.cuts, 1, work, at, 0);
    }
    return bad && g->what == 1;
  }
  void *at[] = {(void *)g, &f, taps, x, y, packed, own, call};
  if (f.few) {
    eq_spread(call, few_filters_@T, f.parts * g->groups, 1, work, at, 0);
    few_join_@T(g, &f, taps + all, packed, w);
  } else {
    eq_spread(call, filters_@T, f.parts * g->groups * f.cuts, 1, work, at, 0);
    eq_spread(call, join_@T, g->groups * f.cuts * (whole_@T(f.wide) / WIDE_@T), 1, all * g->o * f.parts / 4, (void *[]){(void *)g, &f, taps, w, 0, packed}, 0);
  }
  return 0;
}

// The result is C-contiguous.
__attribute__((visibility("default"))) void convolution_@T(eq_call *call, const eq_conv_plan *g, @T *x, @T *w, @T *y, @T *room) {
  int64_t ins = g->c * g->n[0] * g->n[1] * g->n[2], filters = g->groups > 0 ? g->c / g->groups * g->k[0] * g->k[1] * g->k[2] : 0;
  int64_t outs = g->o * g->m[0] * g->m[1] * g->m[2], phase[3], n[3], bad = 0;
  if (!g->b || !ins || !filters || !outs) {
    if (g->what == 0) memset(y, 0, (size_t)(g->b * outs) * sizeof(@T));
    if (g->what == 1) memset(x, 0, (size_t)(g->b * ins) * sizeof(@T));
    if (g->what == 2) memset(w, 0, (size_t)(g->o * filters) * sizeof(@T));
    return;
  }
  for (int d = 0; d < 3; d++) n[d] = g->what == 1 ? g->stride[d] : 1;
  for (phase[0] = 0; phase[0] < n[0]; phase[0]++) for (phase[1] = 0; phase[1] < n[1]; phase[1]++)
    for (phase[2] = 0; phase[2] < n[2] && !bad; phase[2]++) bad = one_@T(call, g, phase, x, w, y, room);
  if (!bad) return;
  memset(x, 0, (size_t)(g->b * ins) * sizeof(@T));
  eq_spread(call, plain_@T, g->b, 1, g->b * outs * filters / 4, (void *[]){(void *)g, x, w, y}, 0);
}
