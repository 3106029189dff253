// What translation units begin with beside runtime/abi.c, each part where it is used.

//! PROFILE
// Seconds per step, for functions made with profile=True.
int clock_gettime(int, void *);
__attribute__((visibility("default"))) double eq_spent[STEPS];
static void eq_tick(int64_t k) {
  static int64_t last; int64_t t[2]; clock_gettime(1, t);
  int64_t now = t[0] * 1000000000 + t[1];
  if (k >= 0) eq_spent[k] += (double)(now - last) * 1e-9;
  last = now;
}

//! ROWS
// Rows of a block, of which one takes so many bytes: about as many as are near, in blocks of nearly equal numbers.
static int64_t eq_rows_near(int64_t row, int64_t rows, int64_t near, int64_t wide) {
  if (rows < 1) return 1;
  if (row >= wide && rows < 64) return rows;
  int64_t many = row < 1 ? rows : near / row;
  if (many < 1) many = 1;
  int64_t blocks = (rows + many - 1) / many;
  return (rows + blocks - 1) / blocks;
}
// Rows of a block that are spread over memory: some times the least number, all where so few would not be near.
static int64_t eq_columns_near(int64_t row, int64_t rows, int64_t near, int64_t least) {
  int64_t many = row < 1 ? rows : near / row;
  return many < least || many >= rows ? (rows < 1 ? 1 : rows) : many - many % least;
}
static int64_t eq_blocks(int64_t rows, int64_t many) { return rows < 1 ? 1 : (rows + many - 1) / many; }

//! FILL
// The arguments of a call that has many: the first are pointers; of the numbers those below 0 stand for themselves.
static __attribute__((noinline)) void eq_fill(const eq_call *c, int64_t *to, const int64_t *from, int64_t pointers, int64_t all) {
  for (int64_t i = 0; i < pointers; i++) to[i] = (int64_t)c->P[from[i]];
  for (int64_t i = pointers; i < all; i++) to[i] = from[i] < 0 ? ~from[i] : c->N[from[i]];
}

//! FIRST
// From where on elements of x lie on lines of memory: vectors that lie on two are loaded more slowly. The end where there are few.
static inline int64_t eq_first(const void *x, int64_t size, int64_t low, int64_t high) {
  return high - low < 4096 ? high : low + (-((int64_t)x + low*size) & 63)/size;
}

//! APART
// A product that is rounded before it is added.
#if defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define eq_apart(x) __builtin_assoc_barrier(x)
#else
#define eq_apart(x) (x)
#endif

//! ADDED
// A sum and a product of floats, which double has all digits of: both ways give the same bits.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define eq_added(x, y, sum) __builtin_fma(x, y, sum)
#else
#define eq_added(x, y, sum) ((double)(x) * (double)(y) + (sum))
#endif

//! ALONE
// Bounds the threads of BLAS, and no longer: to one where it has little to do, else to those of the function.
static void (*eq_bound)(int64_t, int64_t);

//! MATH
// Functions of doubles, with an f at the end of floats; those under EXACT are instructions, never functions of vectors.
double exp(double); double exp2(double); double exp10(double); double expm1(double); double log(double);
double log1p(double); double log2(double); double log10(double); double tanh(double); double sin(double);
double cos(double); double tan(double); double asin(double); double acos(double); double atan(double);
double sinh(double); double cosh(double); double asinh(double); double acosh(double); double atanh(double);
double erf(double); double erfc(double); double cbrt(double); double sqrt(double); double fabs(double);
double floor(double); double ceil(double); double rint(double); double round(double); double trunc(double);
double tgamma(double); double lgamma(double); double pow(double, double); double fmod(double, double);
double copysign(double, double); double fmax(double, double); double fmin(double, double);
double atan2(double, double); double hypot(double, double); double remainder(double, double);

//! COMPLEX
complex128_t cexp(complex128_t); complex128_t clog(complex128_t); complex128_t csqrt(complex128_t);
complex128_t csin(complex128_t); complex128_t ccos(complex128_t); complex128_t ctan(complex128_t);
complex128_t csinh(complex128_t); complex128_t ccosh(complex128_t); complex128_t ctanh(complex128_t);
complex128_t casin(complex128_t); complex128_t cacos(complex128_t); complex128_t catan(complex128_t);
complex128_t casinh(complex128_t); complex128_t cacosh(complex128_t); complex128_t catanh(complex128_t);
complex128_t cpow(complex128_t, complex128_t);

//! EXACT
sqrt fabs floor ceil rint round trunc fmod copysign fmax fmin remainder
