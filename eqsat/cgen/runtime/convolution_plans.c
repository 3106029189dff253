// The plan of a convolution and the form that follows from it, which its callers and the library share: see convolutions.py.

//! PLAN
// what = 0: y from x and w; 1: x from y and w; 2: w from x and y. Lengths of input n, kernel k, output m; padding before;
// strides x, w, y in elements.
typedef struct {
  int64_t what, b, c, o, groups, flip, n[3], k[3], m[3], before[3], stride[3], gap[3], x[5], w[5], y[5];
} eq_conv_plan;
// An axis: the result at place + every_place * q, for q below count, reads the operand at q * step + from + by * t, with the
// kernel's element first + every * t, for t below taps. In memory low zeros stand before its n elements, and size is the whole.
typedef struct {
  int64_t count, place, every_place, step, first, every, taps, from, by, n, low, size, split;
} eq_conv_axis;
// depth: channels that are summed over; wide: channels of the result, both of one group; area: taps; places: of one image;
// few: whether vectors lie along places, for few channels or short sums; copied: whether images are copied, together so many at once.
typedef struct {
  eq_conv_axis a[3];
  int64_t depth, wide, area, places, few, copied, together, batches, parts, cuts, s[5], image, shared, lanes;
} eq_conv_form;
enum { EQ_CONV_ROWS = 128, EQ_CONV_DEEP = 256, EQ_CONV_WIDE = 48, EQ_CONV_PACKED = 16 };

static void eq_conv_axis_of(const eq_conv_plan *g, int d, int64_t phase, eq_conv_axis *a) {
  int64_t s = g->stride[d], gap = g->gap[d], k = g->k[d];
  *a = (eq_conv_axis){g->m[d], 0, 1, s, 0, 1, k, -g->before[d], gap, g->n[d], 0, 0, 1};
  if (g->what == 1) {
    int64_t place = ((phase - g->before[d]) % s + s) % s, first = 0, every = 1;
    while (first < s && first * gap % s != phase) first++;
    while (every * gap % s) every++;
    *a = (eq_conv_axis){place < g->n[d] ? (g->n[d] - place + s - 1) / s : 0, place, s, 1, first, every,
      first < s && first < k ? (k - first + every - 1) / every : 0, (place + g->before[d] - first * gap) / s, -every * gap / s, g->m[d], 0, 0, 1};
  }
  int64_t ends[2] = {a->from, a->from + (a->taps - 1) * a->by}, up = ends[1] > ends[0];
  int64_t last = ends[up] + (a->count - 1) * a->step + 1;
  if (a->taps < 1 || a->count < 1) ends[!up] = last = 0;
  a->low = ends[!up] < 0 ? -ends[!up] : 0;
  a->size = a->low + (last > a->n ? last : a->n);
}

// The form of a convolution; bytes are those of an element.
static void eq_conv_form_of(const eq_conv_plan *g, const int64_t *phase, int64_t bytes, eq_conv_form *f) {
  int64_t per = g->groups > 0 ? g->c / g->groups : 0, out = g->groups > 0 ? g->o / g->groups : 0, deep = g->what == 1 ? out : per;
  const int64_t *from = g->what == 1 ? g->y : g->x;
  int padded = 0;
  for (int d = 0; d < 3; d++) {
    eq_conv_axis_of(g, d, phase[d], f->a + d);
    padded |= f->a[d].low > 0 || f->a[d].size > f->a[d].n;
  }
  f->depth = deep; f->wide = g->what == 1 ? per : out;
  f->area = f->a[0].taps * f->a[1].taps * f->a[2].taps;
  f->places = f->a[0].count * f->a[1].count * f->a[2].count;
  f->few = f->wide * bytes <= 32 || (g->what < 2 && f->depth * f->area <= 48 && f->area > 1 && f->a[2].count >= 16);
  f->copied = padded || f->area > 1 || f->few;
  f->together = f->few || f->places >= EQ_CONV_ROWS || f->places < 1 ? 1 : eq_least(EQ_CONV_ROWS / f->places, g->b);
  if (f->together < 1) f->together = 1;
  f->batches = (g->b + f->together - 1) / f->together;
  int64_t all = g->groups * f->depth * f->area * f->wide, tasks;
  f->parts = f->batches;
  if (g->what == 2) f->parts = eq_least(f->batches, all > 16384 ? 131072 / all : 8);
  if (f->parts < 1) f->parts = 1;
  tasks = f->parts * g->groups;
  f->cuts = tasks >= 8 || tasks < 1 || f->few ? 1 : 8 / tasks;
  f->cuts = eq_least(f->cuts, g->what == 2 ? f->depth : (f->wide * bytes + 191) / 192);
  if (f->cuts < 1) f->cuts = 1;
  if (f->few) for (int d = 1; d < 3; d++) {
    f->a[d].split = f->a[d].step;
    f->a[d].size = (f->a[d].size + f->a[d].split - 1) / f->a[d].split * f->a[d].split;
  }
  int64_t s1 = f->a[1].split, s2 = f->a[2].split, flat = f->a[1].size * f->a[2].size;
  f->s[4] = 1; f->s[3] = f->a[2].size / s2; f->s[2] = flat; f->s[1] = f->a[0].size * flat;
  if (!f->few && f->s[1] % 64 == 0) f->s[1] += 16;
  f->s[0] = f->s[1] * f->depth;
  if (!f->copied) for (int d = 0; d < 5; d++) f->s[d] = from[d];
  f->image = f->copied ? (f->s[0] * f->together + 127) / 64 * 64 : 0;
  int64_t run = (f->a[1].count * f->s[3] + 127) / 64 * 64, lanes16 = (f->wide + 15) / 16 * 16, whole = f->depth * f->area;
  f->lanes = f->few ? f->image + run * (g->what == 2 ? f->wide + 2 : 4) + whole * 4 + 64
    : f->image + (g->what == 2 ? EQ_CONV_DEEP : EQ_CONV_ROWS + 16) * EQ_CONV_WIDE;
  f->lanes = (f->lanes + 63) / 64 * 64;
  f->shared = 2 * (2 * f->together * f->places + 2 * whole + 16) + 64;
  if (g->what == 2) f->shared += f->few ? f->parts * all : f->parts * g->groups * (whole + 8 * f->cuts + f->cuts * f->area) * lanes16;
  else if (!f->few) f->shared += g->groups * whole * lanes16;
}

// Elements of working memory of a call, for so many threads.
static __attribute__((noinline)) int64_t eq_conv_elements(const eq_conv_plan *g, int64_t bytes, int64_t threads) {
  int64_t most = 0, phase[3], n[3];
  for (int d = 0; d < 3; d++) n[d] = g->what == 1 ? g->stride[d] : 1;
  for (phase[0] = 0; phase[0] < n[0]; phase[0]++) for (phase[1] = 0; phase[1] < n[1]; phase[1]++)
    for (phase[2] = 0; phase[2] < n[2]; phase[2]++) {
      eq_conv_form f;
      eq_conv_form_of(g, phase, bytes, &f);
      int64_t one = f.shared + f.lanes * threads;
      if (one > most) most = one;
    }
  return most + 64;
}
