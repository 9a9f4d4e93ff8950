/* See reference.h. Bounds: OpenCL C 3.0, section 7.4, the tables of the full profile. */
#include "reference.h"

#include <math.h>

#define UNARY(NAME, CALL)                                                                                    \
  static void exact_##NAME(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c, long i) {                \
    (void)b, (void)c, (void)i;                                                                               \
    CALL(r, a, MPFR_RNDN);                                                                                   \
  }
#define BINARY(NAME, CALL)                                                                                   \
  static void exact_##NAME(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c, long i) {                \
    (void)c, (void)i;                                                                                        \
    CALL(r, a, b, MPFR_RNDN);                                                                                \
  }
#define INTEGER(NAME, CALL)                                                                                  \
  static void exact_##NAME(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c, long i) {                \
    (void)b, (void)c;                                                                                        \
    CALL(r, a, i, MPFR_RNDN);                                                                                \
  }

/* ---- where MPFR's special values are not OpenCL's ---- */

static void rsqrt_of(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t round) {
  mpfr_rec_sqrt(r, a, round);
  if (mpfr_zero_p(a)) mpfr_set_inf(r, mpfr_signbit(a) ? -1 : 1);
}

static void lgamma_of(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t round) {
  int sign;
  mpfr_lgamma(r, &sign, a, round);
}

/* OpenCL: NaN in either argument gives NaN, also with a base of 1. */
static void powr_of(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t round) {
  if (mpfr_nan_p(a) || mpfr_nan_p(b)) mpfr_set_nan(r);
  else mpfr_powr(r, a, b, round);
}

static void reciprocal_of(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t round) { mpfr_ui_div(r, 1, a, round); }

static void fma_of(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c, long i) {
  (void)i;
  mpfr_fma(r, a, b, c, MPFR_RNDN);
}

UNARY(acos, mpfr_acos)
UNARY(acosh, mpfr_acosh)
UNARY(acospi, mpfr_acospi)
UNARY(asin, mpfr_asin)
UNARY(asinh, mpfr_asinh)
UNARY(asinpi, mpfr_asinpi)
UNARY(atan, mpfr_atan)
UNARY(atanh, mpfr_atanh)
UNARY(atanpi, mpfr_atanpi)
UNARY(cbrt, mpfr_cbrt)
UNARY(cos, mpfr_cos)
UNARY(cosh, mpfr_cosh)
UNARY(cospi, mpfr_cospi)
UNARY(erf, mpfr_erf)
UNARY(erfc, mpfr_erfc)
UNARY(exp, mpfr_exp)
UNARY(exp2, mpfr_exp2)
UNARY(exp10, mpfr_exp10)
UNARY(expm1, mpfr_expm1)
UNARY(lgamma, lgamma_of)
UNARY(log, mpfr_log)
UNARY(log2, mpfr_log2)
UNARY(log10, mpfr_log10)
UNARY(log1p, mpfr_log1p)
UNARY(reciprocal, reciprocal_of)
UNARY(rsqrt, rsqrt_of)
UNARY(sin, mpfr_sin)
UNARY(sinh, mpfr_sinh)
UNARY(sinpi, mpfr_sinpi)
UNARY(sqrt, mpfr_sqrt)
UNARY(tan, mpfr_tan)
UNARY(tanh, mpfr_tanh)
UNARY(tanpi, mpfr_tanpi)
UNARY(tgamma, mpfr_gamma)
BINARY(atan2, mpfr_atan2)
BINARY(atan2pi, mpfr_atan2pi)
BINARY(divide, mpfr_div)
BINARY(fdim, mpfr_dim)
BINARY(fmod, mpfr_fmod)
BINARY(hypot, mpfr_hypot)
BINARY(pow, mpfr_pow)
BINARY(powr, powr_of)
BINARY(remainder, mpfr_remainder)
INTEGER(pown, mpfr_pow_si)
INTEGER(rootn, mpfr_rootn_si)

/* ---- in double ---- */

static double quick_acospi(double x) { return acos(x) / M_PI; }
static double quick_asinpi(double x) { return asin(x) / M_PI; }
static double quick_atanpi(double x) { return atan(x) / M_PI; }
static double quick_rsqrt(double x) { return 1.0 / sqrt(x); }
static double quick_reciprocal(double x) { return 1.0 / x; }

static double quick_sinpi(double x) {
  double r = remainder(x, 2.0);
  if (r == 0.0 || fabs(r) == 1.0) return copysign(0.0, x);
  return sin(M_PI * (fabs(r) > 0.5 ? copysign(1.0, r) - r : r));
}

static double quick_cospi(double x) {
  double r = fabs(remainder(x, 2.0));
  return r < 0.25 ? cos(M_PI * r) : r > 0.75 ? -cos(M_PI * (1.0 - r)) : sin(M_PI * (0.5 - r));
}

#define F1(name, half, single, full)                                                                         \
  { #name, NULL, ONE, {half, single, full }, exact_##name, name }
#define F1Q(name, half, single, full, quick)                                                                 \
  { #name, NULL, ONE, {half, single, full }, exact_##name, quick }
#define F2(name, half, single, full)                                                                         \
  { #name, NULL, TWO, {half, single, full }, exact_##name, NULL }
#define FI(name, half, single, full)                                                                         \
  { #name, NULL, WITH_INT, {half, single, full }, exact_##name, NULL }
#define NONE ((double)INFINITY)

const struct function functions[] = {
    F1(acos, 2, 4, 4),
    F1(acosh, 2, 4, 4),
    F1Q(acospi, 2, 5, 5, quick_acospi),
    F1(asin, 2, 4, 4),
    F1(asinh, 2, 4, 4),
    F1Q(asinpi, 2, 5, 5, quick_asinpi),
    F1(atan, 2, 5, 5),
    F1(atanh, 2, 5, 5),
    F1Q(atanpi, 2, 5, 5, quick_atanpi),
    F1(cbrt, 2, 2, 2),
    F1(cos, 2, 4, 4),
    F1(cosh, 2, 4, 4),
    F1Q(cospi, 2, 4, 4, quick_cospi),
    F1(erf, 4, 16, 16),
    F1(erfc, 4, 16, 16),
    F1(exp, 2, 3, 3),
    F1(exp2, 2, 3, 3),
    F1(exp10, 2, 3, 3),
    F1(expm1, 2, 3, 3),
    F1Q(lgamma, NONE, NONE, NONE, NULL),
    F1(log, 2, 3, 3),
    F1(log2, 2, 3, 3),
    F1(log10, 2, 3, 3),
    F1(log1p, 2, 2, 2),
    {"reciprocal", "r = 1 / a", ONE, {1, 2.5, 0.5}, exact_reciprocal, quick_reciprocal},
    F1Q(rsqrt, 1, 2, 2, quick_rsqrt),
    F1(sin, 2, 4, 4),
    {"sincos", "r = sincos(a, &second)", ONE, {2, 4, 4}, exact_sin, sin},
    {"sincos's cosine", "sincos(a, &r)", ONE, {2, 4, 4}, exact_cos, cos},
    F1(sinh, 2, 4, 4),
    F1Q(sinpi, 2, 4, 4, quick_sinpi),
    F1(sqrt, 0.5, 3, 0.5),
    F1(tan, 2, 5, 5),
    F1(tanh, 2, 5, 5),
    F1Q(tanpi, 2, 6, 6, NULL),
    F1(tgamma, 4, 16, 16),
    F2(atan2, 2, 6, 6),
    F2(atan2pi, 2, 6, 6),
    {"divide", "r = a / b", TWO, {1, 2.5, 0.5}, exact_divide, NULL},
    F2(fdim, 0.5, 0.5, 0.5),
    F2(fmod, 0, 0, 0),
    F2(hypot, 2, 4, 4),
    F2(pow, 4, 16, 16),
    F2(powr, 4, 16, 16),
    F2(remainder, 0, 0, 0),
    FI(pown, 4, 16, 16),
    FI(rootn, 4, 16, 16),
    {"fma", NULL, THREE, {0.5, 0.5, 0.5}, fma_of, NULL},
    {"half_cos", NULL, ONE, {-1, 8192, -1}, exact_cos, cos},
    {"half_exp", NULL, ONE, {-1, 8192, -1}, exact_exp, exp},
    {"half_exp2", NULL, ONE, {-1, 8192, -1}, exact_exp2, exp2},
    {"half_exp10", NULL, ONE, {-1, 8192, -1}, exact_exp10, exp10},
    {"half_log", NULL, ONE, {-1, 8192, -1}, exact_log, log},
    {"half_log2", NULL, ONE, {-1, 8192, -1}, exact_log2, log2},
    {"half_log10", NULL, ONE, {-1, 8192, -1}, exact_log10, log10},
    {"half_recip", NULL, ONE, {-1, 8192, -1}, exact_reciprocal, quick_reciprocal},
    {"half_rsqrt", NULL, ONE, {-1, 8192, -1}, exact_rsqrt, quick_rsqrt},
    {"half_sin", NULL, ONE, {-1, 8192, -1}, exact_sin, sin},
    {"half_sqrt", NULL, ONE, {-1, 8192, -1}, exact_sqrt, sqrt},
    {"half_tan", NULL, ONE, {-1, 8192, -1}, exact_tan, tan},
    {"half_divide", NULL, TWO, {-1, 8192, -1}, exact_divide, NULL},
    {"half_powr", NULL, TWO, {-1, 8192, -1}, exact_powr, NULL},
};
const size_t num_functions = sizeof functions / sizeof *functions;
