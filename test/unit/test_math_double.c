/* Accuracy of the math builtins of double: random arguments and the edges, against libquadmath, in units of the
 * last place, held to the bounds of the specification. KILN_TEST_SAMPLES sets the number per function. */
#include "builtins_jit.h"

#include <float.h>
#include <quadmath.h>

typedef void batch(double *out, const double *a, const double *b, int n);
typedef __float128 quad;

static quad ref_sinpi(quad x) {
  quad r = remainderq(x, 2);
  if (r == 0 || fabsq(r) == 1) return copysignq(0, x);
  if (fabsq(r) > 0.5q) r = copysignq(1, r) - r;
  return sinq(M_PIq * r);
}
static quad ref_cospi(quad x) {
  quad r = fabsq(remainderq(x, 2));
  if (r == 0.5q) return 0;
  return r < 0.25q || r > 0.75q ? cosq(M_PIq * r) : sinq(M_PIq * (0.5q - r));
}
static quad ref_tanpi(quad x) {
  quad r = remainderq(x, 1);
  if (fabsq(r) == 0.5q) return fmodq(floorq(x), 2) == 0 ? HUGE_VALQ : -HUGE_VALQ;
  if (r == 0) return copysignq(0, fmodq(x, 2) == 0 ? x : -x);
  return fabsq(r) > 0.25q ? copysignq(1, r) / tanq(M_PIq * (0.5q - fabsq(r))) : tanq(M_PIq * r);
}
static quad ref_asinpi(quad x) { return asinq(x) / M_PIq; }
static quad ref_acospi(quad x) { return acosq(x) / M_PIq; }
static quad ref_atanpi(quad x) { return atanq(x) / M_PIq; }
static quad ref_rsqrt(quad x) { return 1 / sqrtq(x); }
static quad ref_exp10(quad x) { return powq(10, x); }
static quad ref_atan2pi(quad y, quad x) { return atan2q(y, x) / M_PIq; }
static quad ref_powr(quad x, quad y) {
  if (x < 0 || (x == 1 && isinfq(y)) || (y == 0 && (x == 0 || isinfq(x))) || isnanq(x) || isnanq(y)) return nanq("");
  return powq(fabsq(x), y);
}
static quad ref_rootn(quad x, quad y) {
  int n = (int)y;
  if (n == 0 || (x < 0 && n % 2 == 0)) return nanq("");
  quad r = powq(fabsq(x), 1 / (quad)n);
  return n % 2 ? copysignq(r, x) : r;
}
/* libquadmath's own loses its last digits in the reflection, and overflows where the quotient is not 0. */
static quad ref_tgamma(quad x) {
  if (!(x < -20) || x == floorq(x) || isinfq(x)) return tgammaq(x);
  quad y = -x;
  return -M_PIq / (y * ref_sinpi(y) * tgammaq(y));
}

/* low, high: exponents of the random arguments, besides wholly random ones. */
static const struct {
  const char *name;
  quad (*reference)(quad);
  double bound;
  int low, high;
} unary[] = {
    {"acos", acosq, 4, -4, -1},       {"acosh", acoshq, 4, 0, 10},      {"acospi", ref_acospi, 5, -4, -1},
    {"asin", asinq, 4, -10, -1},      {"asinh", asinhq, 4, -10, 10},    {"asinpi", ref_asinpi, 5, -10, -1},
    {"atan", atanq, 5, -10, 10},      {"atanh", atanhq, 5, -10, -1},    {"atanpi", ref_atanpi, 5, -10, 10},
    {"cbrt", cbrtq, 2, -10, 10},      {"cos", cosq, 4, -10, 1023},      {"cosh", coshq, 4, -5, 9},
    {"cospi", ref_cospi, 4, -10, 10}, {"erf", erfq, 16, -10, 3},        {"erfc", erfcq, 16, -5, 4},
    {"exp", expq, 3, -10, 9},         {"exp2", exp2q, 3, -10, 10},      {"exp10", ref_exp10, 3, -10, 8},
    {"expm1", expm1q, 3, -20, 9},     {"log", logq, 3, -2, 1},          {"log2", log2q, 3, -2, 1},
    {"log10", log10q, 3, -2, 1},      {"log1p", log1pq, 2, -20, 5},     {"rsqrt", ref_rsqrt, 2, -2, 2},
    {"sin", sinq, 4, -10, 1023},      {"sinh", sinhq, 4, -10, 9},       {"sinpi", ref_sinpi, 4, -10, 10},
    {"sqrt", sqrtq, 0.5, -2, 2},      {"tan", tanq, 5, -10, 1023},      {"tanh", tanhq, 5, -10, 4},
    {"tanpi", ref_tanpi, 6, -10, 10}, {"tgamma", ref_tgamma, 16, -4, 7}, {"lgamma", lgammaq, 1e300, -4, 10},
    {"fabs", fabsq, 0, -5, 5},        {"floor", floorq, 0, -5, 54},     {"ceil", ceilq, 0, -5, 54},
    {"trunc", truncq, 0, -5, 54},     {"rint", rintq, 0, -5, 54},       {"round", roundq, 0, -5, 54},
};
static const struct {
  const char *name;
  quad (*reference)(quad, quad);
  double bound;
  bool integer; /* second argument */
} binary[] = {
    {"atan2", atan2q, 6, false},    {"atan2pi", ref_atan2pi, 6, false}, {"hypot", hypotq, 4, false},
    {"pow", powq, 16, false},       {"powr", ref_powr, 16, false},      {"pown", powq, 16, true},
    {"rootn", ref_rootn, 16, true}, {"fmod", fmodq, 0, false},          {"remainder", remainderq, 0, false},
    {"fdim", fdimq, 0.5, false},    {"copysign", copysignq, 0, false},
};

enum { BATCH = 1024 };
static LLVMOrcLLJITRef jit;

static double ulp_error(double got, quad want) {
  if (isnanq(want)) return isnan(got) ? 0.0 : INFINITY;
  if (isnan(got)) return INFINITY;
  if (want == 0 && got == 0.0) return !signbitq(want) != !signbit(got) ? INFINITY : 0.0;
  if (isinf(got) && isinfq(want)) return !signbitq(want) != !signbit(got) ? INFINITY : 0.0;
  quad g = isinf(got) ? copysignq(ldexpq(1, 1024), (quad)got) : (quad)got;
  quad w = fabsq(want) > ldexpq(1, 1024) ? copysignq(ldexpq(1, 1024), want) : want;
  int e = w == 0 ? -1022 : ilogbq(w);
  e = e < -1022 ? -1022 : e > 1023 ? 1023 : e;
  return (double)(fabsq(g - w) / ldexpq(1, e - 52));
}

struct worst {
  double error, a, b, got, want;
};

static void note(struct worst *w, double error, double a, double b, double got, quad want) {
  if (error > w->error) *w = (struct worst){error, a, b, got, (double)want};
}

static bool report(const char *name, const struct worst *w, double bound) {
  bool good = w->error <= bound;
  print_message("%-10s %8.3f ulp of %4g at %a, %a%s\n", name, w->error, bound, w->a, w->b, good ? "" : "   <-- BAD");
  if (!good) print_message("    got %a, want %a\n", w->got, w->want);
  return good;
}

static uint64_t random_bits(void) {
  static uint64_t seed = 88172645463325252u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static double as_double(uint64_t u) {
  double d;
  memcpy(&d, &u, 8);
  return d;
}

static double random_between(int low, int high) {
  uint64_t r = random_bits();
  uint64_t e = (uint64_t)(1023 + low) + random_bits() % (uint64_t)(high - low + 1);
  return as_double((r & 0x800fffffffffffffu) | e << 52);
}

static const double special[] = {
    0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, -1.5, INFINITY, -INFINITY, NAN, DBL_MAX, -DBL_MAX,
    DBL_MIN, -DBL_MIN, 0x1p-1074, -0x1p-1074, 0x1p53, -0x1p53, 0x1p31, 0x1.fffffffffffffp-1, 0x1.0000000000001p0,
    100.0, -100.0, 7.0, 0x1p-600, 0x1p600, 709.5, 710.2, -745.1, -746.0, 1023.9, 1024.0, -1074.9, 308.2, 308.3,
    171.5, 171.7, -170.5, -180.5, -183.25, -190.5, 26.5, 27.3, 0x1.921fb54442d18p0, 0x1.921fb54442d18p1,
    0x1.6ac5b262ca1ffp849, 0x1p1023, 0x1p-1073, 0x1.8p-1073, -0x1p-1072, 0x1.75p1014, 0x1p-910};
enum { SPECIALS = sizeof special / sizeof *special };

static uint64_t samples(void) {
  const char *text = getenv("KILN_TEST_SAMPLES");
  return text ? strtoull(text, NULL, 0) : 10000;
}

static void one_argument(void **state) {
  static double a[BATCH], out[BATCH];
  unsigned bad = 0;
  for (size_t f = 0; f < sizeof unary / sizeof *unary; f++) {
    char symbol[32];
    snprintf(symbol, sizeof symbol, "t_%s", unary[f].name);
    batch *run = (batch *)(uintptr_t)jit_symbol(jit, symbol);
    struct worst w = {-1, 0, 0, 0, 0};
    for (uint64_t k = 0; k < samples();) {
      int n = 0;
      for (; n < BATCH; n++, k++) {
        bool any = k % 8 == 0 && unary[f].high < 1000;
        a[n] = k < SPECIALS ? special[k] : any ? as_double(random_bits()) : random_between(unary[f].low, unary[f].high);
      }
      run(out, a, a, n);
      for (int i = 0; i < n; i++) {
        quad want = unary[f].reference((quad)a[i]);
        note(&w, ulp_error(out[i], want), a[i], 0, out[i], want);
      }
    }
    bad += !report(unary[f].name, &w, unary[f].bound);
  }
  assert_int_equal(bad, 0);
}

static double sample(uint64_t i, int which) {
  if (i < SPECIALS * SPECIALS) return special[which ? i % SPECIALS : i / SPECIALS];
  return i % 8 == 0 ? as_double(random_bits()) : random_between(-12, 12);
}

static void two_arguments(void **state) {
  static double a[BATCH], b[BATCH], out[BATCH];
  unsigned bad = 0;
  for (size_t f = 0; f < sizeof binary / sizeof *binary; f++) {
    char symbol[32];
    snprintf(symbol, sizeof symbol, "t_%s", binary[f].name);
    batch *run = (batch *)(uintptr_t)jit_symbol(jit, symbol);
    struct worst w = {-1, 0, 0, 0, 0};
    for (uint64_t k = 0; k < 2 * samples();) {
      int n = 0;
      for (; n < BATCH; n++, k++) {
        a[n] = sample(k, 0);
        b[n] = sample(k, 1);
        if (binary[f].integer) b[n] = fabs(b[n]) < 0x1p31 ? trunc(b[n]) : 1.0;
      }
      run(out, a, b, n);
      for (int i = 0; i < n; i++) {
        quad want = binary[f].reference((quad)a[i], (quad)b[i]);
        note(&w, ulp_error(out[i], want), a[i], b[i], out[i], want);
      }
    }
    bad += !report(binary[f].name, &w, binary[f].bound);
  }
  assert_int_equal(bad, 0);
}

static void load(void) {
  static char source[32768];
  size_t len = 0;
  for (size_t f = 0; f < sizeof unary / sizeof *unary; f++)
    len += (size_t)snprintf(source + len, sizeof source - len,
                            "void t_%s(global double *o, global const double *a, global const double *b, int n)"
                            " { for (int i = 0; i < n; i++) o[i] = %s(a[i]); }\n",
                            unary[f].name, unary[f].name);
  for (size_t f = 0; f < sizeof binary / sizeof *binary; f++)
    len += (size_t)snprintf(source + len, sizeof source - len,
                            "void t_%s(global double *o, global const double *a, global const double *b, int n)"
                            " { for (int i = 0; i < n; i++) o[i] = %s(a[i], %sb[i]); }\n",
                            binary[f].name, binary[f].name, binary[f].integer ? "(int)" : "");
  jit = jit_load(source, "-cl-std=CL1.2", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_argument), cmocka_unit_test(two_arguments)};
  load();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
