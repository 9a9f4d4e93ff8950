/* Accuracy of the math builtins of float: sampled over all bit patterns against double functions of libm, in
 * units of the last place, held to the bounds of the specification's full profile. KILN_TEST_STRIDE sets the
 * distance of samples (1: every float; the default takes seconds). */
#include "builtins_jit.h"

#include <fenv.h>
#include <float.h>

typedef void batch(float *out, const float *a, const float *b, int n);

static double pi_reduced(double x, double (*f)(double)) {
  return f(M_PI * remainder(x, 2.0));
}
static double ref_sinpi(double x) {
  double r = remainder(x, 2.0);
  if (r == 0.0 || fabs(r) == 1.0) return copysign(0.0, x);
  if (fabs(r) > 0.5) r = copysign(1.0, r) - r;
  return sin(M_PI * r);
}
static double ref_cospi(double x) {
  double r = fabs(remainder(x, 2.0));
  if (r == 0.5) return 0.0;
  return r < 0.25 || r > 0.75 ? pi_reduced(x, cos) : sin(M_PI * (0.5 - r));
}
static double ref_tanpi(double x) {
  double r = remainder(x, 1.0);
  if (fabs(r) == 0.5) return fmod(floor(x), 2.0) == 0.0 ? INFINITY : -INFINITY;
  if (r == 0.0) return copysign(0.0, fmod(x, 2.0) == 0.0 ? x : -x);
  return fabs(r) > 0.25 ? copysign(1.0, r) / tan(M_PI * (0.5 - fabs(r))) : tan(M_PI * r);
}
static double ref_asinpi(double x) { return asin(x) / M_PI; }
static double ref_acospi(double x) { return acos(x) / M_PI; }
static double ref_atanpi(double x) { return atan(x) / M_PI; }
static double ref_rsqrt(double x) { return 1.0 / sqrt(x); }
static double ref_exp10(double x) { return pow(10.0, x); }
static double ref_atan2pi(double y, double x) { return atan2(y, x) / M_PI; }
static double ref_powr(double x, double y) {
  if (x < 0.0 || (x == 1.0 && isinf(y)) || (y == 0.0 && (x == 0.0 || isinf(x)))) return NAN;
  if (isnan(y) || isnan(x)) return NAN;
  return pow(fabs(x), y);
}
static double ref_pown(double x, double y) { return pow(x, (double)(int)y); }
static double ref_rootn(double x, double y) {
  int n = (int)y;
  if (n == 0 || (x < 0 && n % 2 == 0)) return NAN;
  double r = pow(fabs(x), 1.0 / n);
  return n % 2 ? copysign(r, x) : r;
}

/* One argument. A bound of 0 means exact. */
static const struct {
  const char *name;
  double (*reference)(double);
  double bound;
} unary[] = {
    {"acos", acos, 4},         {"acosh", acosh, 4},       {"acospi", ref_acospi, 5}, {"asin", asin, 4},
    {"asinh", asinh, 4},       {"asinpi", ref_asinpi, 5}, {"atan", atan, 5},         {"atanh", atanh, 5},
    {"atanpi", ref_atanpi, 5}, {"cbrt", cbrt, 2},         {"cos", cos, 4},           {"cosh", cosh, 4},
    {"cospi", ref_cospi, 4},   {"erf", erf, 16},          {"erfc", erfc, 16},        {"exp", exp, 3},
    {"exp2", exp2, 3},         {"exp10", ref_exp10, 3},   {"expm1", expm1, 3},       {"log", log, 3},
    {"log2", log2, 3},         {"log10", log10, 3},       {"log1p", log1p, 2},       {"rsqrt", ref_rsqrt, 2},
    {"sin", sin, 4},           {"sinh", sinh, 4},         {"sinpi", ref_sinpi, 4},   {"sqrt", sqrt, 0.5},
    {"tan", tan, 5},           {"tanh", tanh, 5},         {"tanpi", ref_tanpi, 6},   {"tgamma", tgamma, 16},
    {"fabs", fabs, 0},         {"floor", floor, 0},       {"ceil", ceil, 0},         {"trunc", trunc, 0},
    {"rint", rint, 0},         {"round", round, 0},       {"logb", logb, 0},         {"lgamma", lgamma, 1e30},
};
static const struct {
  const char *name;
  double (*reference)(double, double);
  double bound;
  bool integer; /* second argument */
} binary[] = {
    {"atan2", atan2, 6, false},     {"atan2pi", ref_atan2pi, 6, false}, {"hypot", hypot, 4, false},
    {"pow", pow, 16, false},        {"powr", ref_powr, 16, false},      {"pown", ref_pown, 16, true},
    {"rootn", ref_rootn, 16, true}, {"fmod", fmod, 0, false},           {"remainder", remainder, 0, false},
    {"fdim", fdim, 0.5, false},     {"copysign", copysign, 0, false},   {"fmax", fmax, 0, false},
    {"fmin", fmin, 0, false},
};

enum { BATCH = 4096 };
static LLVMOrcLLJITRef jit;

static float as_float(uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}

/* Distance in units of the last place of the reference; infinity counts as 2^128. */
static double ulp_error(float got, double want, bool zero_signs) {
  if (isnan(want)) return isnan(got) ? 0.0 : INFINITY;
  if (isnan(got)) return INFINITY;
  if (want == 0.0 && got == 0.0 && zero_signs) return !signbit(want) != !signbit(got) ? INFINITY : 0.0;
  if (isinf(got) && isinf(want)) return !signbit(want) != !signbit(got) ? INFINITY : 0.0;
  double g = isinf(got) ? copysign(0x1p128, got) : (double)got;
  double w = fabs(want) > 0x1p128 ? copysign(0x1p128, want) : want;
  int e = w == 0.0 ? -126 : ilogb(w);
  e = e < -126 ? -126 : e > 127 ? 127 : e;
  return fabs(g - w) / ldexp(1.0, e - 23);
}

static uint32_t stride(uint32_t fallback) {
  const char *text = getenv("KILN_TEST_STRIDE");
  return text ? (uint32_t)strtoul(text, NULL, 0) : fallback;
}

struct worst {
  double error;
  float a, b, got;
  double want;
};

static void note(struct worst *w, double error, float a, float b, float got, double want) {
  if (error <= w->error) return;
  *w = (struct worst){error, a, b, got, want};
}

static bool report(const char *name, const struct worst *w, double bound) {
  bool good = w->error <= bound;
  print_message("%-10s %8.3f ulp of %4g at %a, %a%s\n", name, w->error, bound, w->a, w->b, good ? "" : "   <-- BAD");
  if (!good) print_message("    got %a, want %a\n", w->got, w->want);
  return good;
}

static void one_argument(void **state) {
  static float a[BATCH], out[BATCH];
  unsigned bad = 0;
  uint32_t step = stride(4099);
  for (size_t f = 0; f < sizeof unary / sizeof *unary; f++) {
    char symbol[32];
    snprintf(symbol, sizeof symbol, "t_%s", unary[f].name);
    batch *run = (batch *)(uintptr_t)jit_symbol(jit, symbol);
    struct worst w = {-1, 0, 0, 0, 0};
    for (uint64_t bits = 0; bits < 0x100000000u;) {
      int n = 0;
      for (; n < BATCH && bits < 0x100000000u; n++) {
        /* every 16th sample is at the edge of an exponent */
        uint32_t edge = (uint32_t)(bits & 0xff800000u) + (uint32_t)(n >> 4 & 15) - 8;
        a[n] = as_float(n & 15 ? (uint32_t)bits : edge);
        bits += step;
      }
      run(out, a, a, n);
      for (int i = 0; i < n; i++) {
        double want = unary[f].reference((double)a[i]);
        note(&w, ulp_error(out[i], want, true), a[i], 0, out[i], want);
      }
    }
    bad += !report(unary[f].name, &w, unary[f].bound);
  }
  assert_int_equal(bad, 0);
}

static const float special[] = {0.0f,     -0.0f,   1.0f,    -1.0f,   2.0f,     -2.0f,   3.0f,     -3.0f,     0.5f,
                                -0.5f,    1.5f,    -1.5f,   INFINITY, -INFINITY, NAN,    FLT_MAX,  -FLT_MAX,  FLT_MIN,
                                -FLT_MIN, 0x1p-149f, -0x1p-149f, 16777215.0f, 16777216.0f, -16777217.0f, 0x1p31f,
                                0x1.fffffep-1f, 0x1.000002p0f, 100.0f, -100.0f, 7.0f, 0x1p-64f, 0x1p64f};
enum { SPECIALS = sizeof special / sizeof *special };

static uint32_t random_bits(void) {
  static uint64_t seed = 88172645463325252u;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 16);
}

/* Pairs of special values first, then random pairs, half of them of moderate size. */
static float sample(uint64_t i, int which) {
  if (i < SPECIALS * SPECIALS) return special[which ? i % SPECIALS : i / SPECIALS];
  uint32_t r = random_bits();
  if (i & 1) return as_float(r);
  return as_float((r & 0x807fffffu) | (uint32_t)(127 - 12 + (r >> 23) % 24) << 23);
}

static void two_arguments(void **state) {
  static float a[BATCH], b[BATCH], out[BATCH];
  unsigned bad = 0;
  uint64_t total = 0x100000000u / stride(1024);
  for (size_t f = 0; f < sizeof binary / sizeof *binary; f++) {
    char symbol[32];
    snprintf(symbol, sizeof symbol, "t_%s", binary[f].name);
    batch *run = (batch *)(uintptr_t)jit_symbol(jit, symbol);
    struct worst w = {-1, 0, 0, 0, 0};
    for (uint64_t k = 0; k < total;) {
      int n = 0;
      for (; n < BATCH && k < total; n++, k++) {
        a[n] = sample(k, 0);
        b[n] = sample(k, 1);
        if (binary[f].integer) b[n] = fabsf(b[n]) < 0x1p31f ? truncf(b[n]) : 1.0f;
      }
      run(out, a, b, n);
      for (int i = 0; i < n; i++) {
        double want = binary[f].reference((double)a[i], (double)b[i]);
        bool signs = strcmp(binary[f].name, "fmax") != 0 && strcmp(binary[f].name, "fmin") != 0;
        note(&w, ulp_error(out[i], want, signs), a[i], b[i], out[i], want);
      }
    }
    bad += !report(binary[f].name, &w, binary[f].bound);
  }
  assert_int_equal(bad, 0);
}

/* Processors take a hundred turns and more for each result that underflows, and set a flag. */
static void vanishes_at_once(void **state) {
  static const char *const names[] = {"exp", "exp2", "exp10", "erfc", "pow"};
  static float a[BATCH], b[BATCH], out[BATCH];
  for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
    char symbol[32];
    snprintf(symbol, sizeof symbol, "t_%s", names[f]);
    batch *run = (batch *)(uintptr_t)jit_symbol(jit, symbol);
    const bool is_pow = strcmp(names[f], "pow") == 0;
    for (int i = 0; i < BATCH; i++) {
      b[i] = -200.0f - (float)i;
      a[i] = is_pow ? 2.5f : strcmp(names[f], "erfc") == 0 ? -b[i] : b[i];
    }
    feclearexcept(FE_UNDERFLOW);
    run(out, a, b, BATCH);
    if (fetestexcept(FE_UNDERFLOW)) fail_msg("%s underflows", names[f]);
    for (int i = 0; i < BATCH; i++) assert_true(out[i] == 0.0f && !signbit(out[i]));
  }
}

static void load(void) {
  static char source[32768];
  size_t len = 0;
  for (size_t f = 0; f < sizeof unary / sizeof *unary; f++)
    len += (size_t)snprintf(source + len, sizeof source - len,
                            "void t_%s(global float *o, global const float *a, global const float *b, int n)"
                            " { for (int i = 0; i < n; i++) o[i] = %s(a[i]); }\n",
                            unary[f].name, unary[f].name);
  for (size_t f = 0; f < sizeof binary / sizeof *binary; f++)
    len += (size_t)snprintf(source + len, sizeof source - len,
                            "void t_%s(global float *o, global const float *a, global const float *b, int n)"
                            " { for (int i = 0; i < n; i++) o[i] = %s(a[i], %sb[i]); }\n",
                            binary[f].name, binary[f].name, binary[f].integer ? "(int)" : "");
  jit = jit_load(source, "-cl-std=CL1.2", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_argument), cmocka_unit_test(two_arguments),
                                     cmocka_unit_test(vanishes_at_once)};
  load();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
