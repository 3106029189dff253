// Launches that come again with the same arguments are replayed as one graph: plain at first, captured the second time.

//! GRAPHS
/* The launches between two waits of a call, one after the other: module, kernel, geometry, the number of words, the words. */
enum { HEAD = 7, FEWEST = 4, MOST_LAUNCHES = 2048, FORMS = 4, SECTIONS = 8, GRAPH = 'g' };
typedef struct { uint64_t *words; int64_t count, room, launches; void *graph; } series;
typedef struct section { series form[FORMS]; int64_t oldest; } section; /* outputs lie at a few addresses in turn */
static series latest;
static section *here; /* of the present call; 0 where launches go out at once */
static unsigned fits;  /* forms that begin as the present launches do, which wait as long as there is one */
static int64_t gone;   /* words of the present series that were launched */

static int64_t run_from(const series *s, int64_t at) {
  for (const uint64_t *w = s->words + at; w < s->words + s->count; w += HEAD + w[6])
    if (device.launch((void *)w[0], (int64_t)w[1], (const int64_t *)w + 2, w + HEAD, (int64_t)w[6])) return 1;
  return 0;
}

static void open_section(section *s) {
  here = s; latest.count = latest.launches = gone = 0; fits = 0;
  for (int f = 0; s && f < FORMS; f++) fits |= (unsigned)(s->form[f].launches > 0) << f;
}

static int64_t launch(void *module, int64_t kernel, const int64_t *geometry, const uint64_t *words, int64_t count) {
  pending = 1;
  if (!here) return device.launch(module, kernel, geometry, words, count);
  int64_t at = latest.count, size = HEAD + count;
  if (at + size > latest.room) {
    uint64_t *more = realloc(latest.words, (size_t)(latest.room = 2 * (at + size)) * sizeof *words);
    if (!more) return lost("no memory for launches");
    latest.words = more;
  }
  uint64_t *w = latest.words + at;
  w[0] = (uint64_t)module; w[1] = (uint64_t)kernel; w[6] = (uint64_t)count;
  memcpy(w + 2, geometry, 4 * sizeof *w); memcpy(w + HEAD, words, (size_t)count * sizeof *w);
  latest.count += size; latest.launches++;
  for (int f = 0; fits >> f; f++)
    if (fits >> f & 1 && (here->form[f].count < latest.count || memcmp(here->form[f].words + at, w, (size_t)size * sizeof *w))) fits &= ~(1u << f);
  if (fits) return 0;
  int64_t from = gone;
  gone = latest.count;
  if (latest.launches > MOST_LAUNCHES) open_section(0);
  return from == at ? device.launch(module, kernel, geometry, words, count) : run_from(&latest, from);
}

static void throw_away(char *at, char place);
static void remember(section *s) {
  series *old = &s->form[s->oldest++ % FORMS], kept = latest;
  throw_away(old->graph, GRAPH);
  latest = *old; latest.graph = 0;
  *old = kept; old->graph = 0;
}

/* What waits is launched. */
static int64_t flush(section *next) {
  section *s = here;
  if (!s || !latest.launches) return 0;
  series *found = 0;
  int64_t failed;
  for (int f = 0; fits >> f; f++) if (fits >> f & 1 && s->form[f].count == latest.count) found = &s->form[f];
  here = 0;
  if (found) {
    if (!found->graph) found->graph = device.capture(found->words, found->count);
    failed = found->graph ? device.replay(found->graph) : run_from(&latest, 0);
  } else {
    failed = run_from(&latest, gone);
    if (latest.launches >= FEWEST) remember(s);
  }
  open_section(next);
  return failed;
}
