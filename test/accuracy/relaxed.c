/* Bounds: OpenCL C 3.0, section 7.4, the table for unsafe math optimizations, which holds in all profiles.
 * Functions that it lacks have the bounds of the full profile. Where it allows a formula in place of a bound,
 * Kiln keeps to the bound of other implementations. */
#include "relaxed.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* As units of the last place of want. */
static double absolute(double error, double want) {
  int e = want == 0.0 ? -126 : ilogb(want);
  return error / ldexp(1.0, (e < -126 ? -126 : e) - 23);
}

static double ulp_4096(double a, double b, double want) { return 4096; }
static double ulp_8192(double a, double b, double want) { return 8192; }
static double to_88(double a, double b, double want) { return fabs(a) <= 88 ? 8192 : (double)INFINITY; }
static double to_pi(double a, double b, double want) { return fabs(a) <= PI ? 8192 : (double)INFINITY; }
static double exponential(double a, double b, double want) { return 3 + floor(fabs(2 * a)); }
static double logarithm(double a, double b, double want) {
  return a >= 0.5 && a <= 2 ? absolute(0x1p-21, want) : 3;
}
static double wave(double a, double b, double want) {
  return fabs(a) <= PI ? absolute(0x1p-11, want) : (double)INFINITY;
}
static double wave_pi(double a, double b, double want) {
  return fabs(a) <= 1 ? absolute(0x1p-11, want) : (double)INFINITY;
}
static double reciprocal(double a, double b, double want) {
  return fabs(a) >= 0x1p-126 && fabs(a) <= 0x1p+126 ? 2.5 : (double)INFINITY;
}
static double quotient(double a, double b, double want) {
  bool inside = fabs(a) >= 0x1p-62 && fabs(a) <= 0x1p+62 && fabs(b) >= 0x1p-62 && fabs(b) <= 0x1p+62;
  return inside ? 2.5 : (double)INFINITY;
}
static double angle(double a, double b, double want) {
  double ratio = fabs(a / b); /* a quotient must be defined */
  return quotient(a, b, want) < 3 && ratio >= 0x1p-62 && ratio <= 0x1p+62 ? 8192 : (double)INFINITY;
}
static double power(double a, double b, double want) {
  if (a == 0.0 && b == 0.0) return INFINITY;
  return a < 0.0 && (b != trunc(b) || fabs(b) > 0x1p+24) ? (double)INFINITY : 8192;
}
static double power_positive(double a, double b, double want) {
  return a < 0.0 ? (double)INFINITY : power(a, b, want);
}

static const struct relaxed {
  const char *name, *text;
  double (*allowed)(double a, double b, double want);
} table[] = {
    {"acos", "4096", ulp_4096},
    {"asin", "4096", ulp_4096},
    {"atan", "4096", ulp_4096},
    {"atan2", "8192", angle},
    {"cos", "2^-11 absolute to pi", wave},
    {"cosh", "8192 to 88", to_88},
    {"cospi", "2^-11 absolute to 1", wave_pi},
    {"divide", "2.5 from 2^-62 to 2^62", quotient},
    {"exp", "3 + 2\\|x\\|", exponential},
    {"exp10", "8192", ulp_8192},
    {"exp2", "3 + 2\\|x\\|", exponential},
    {"log", "3; 2^-21 absolute from 0.5 to 2", logarithm},
    {"log10", "3; 2^-21 absolute from 0.5 to 2", logarithm},
    {"log2", "3; 2^-21 absolute from 0.5 to 2", logarithm},
    {"pow", "8192", power},
    {"pown", "8192", power},
    {"powr", "8192", power_positive},
    {"reciprocal", "2.5 to 2^126", reciprocal},
    {"rootn", "8192", ulp_8192},
    {"sin", "2^-11 absolute to pi", wave},
    {"sincos", "2^-11 absolute to pi", wave},
    {"sincos's cosine", "2^-11 absolute to pi", wave},
    {"sinh", "8192 to 88", to_88},
    {"sinpi", "2^-11 absolute to 1", wave_pi},
    {"tan", "8192 to pi", to_pi},
    {"tanh", "8192", ulp_8192},
};

static const struct relaxed *find(const struct function *function) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, function->name) == 0) return &table[i];
  return NULL;
}

/* Denormals may be zeros. */
static bool is_out(double x) { return !isfinite(x) || (x != 0.0 && fabs(x) < FLT_MIN); }

struct relaxed_bound relaxed_bound(const struct function *function) {
  const struct relaxed *r = find(function);
  return (struct relaxed_bound){function->bound[FLOAT], r == NULL ? NULL : r->allowed};
}

double relaxed_allowed(const struct relaxed_bound *bound, double a, double b, double want) {
  if (is_out(a) || is_out(b) || !(fabs(want) <= (double)FLT_MAX)) return INFINITY;
  return bound->allowed == NULL ? bound->ulps : bound->allowed(a, b, want);
}

const char *relaxed_text(const struct function *function) {
  static char text[32];
  const struct relaxed *r = find(function);
  if (r != NULL) return r->text;
  snprintf(text, sizeof text, "%g", function->bound[FLOAT]);
  return text;
}
