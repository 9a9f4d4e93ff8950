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

static void lgamma_positive_of(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t round) {
  mpfr_t x;
  mpfr_init2(x, 64);
  mpfr_abs(x, a, round); /* exact */
  lgamma_of(r, x, round);
  mpfr_clear(x);
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
UNARY(lgamma_positive, lgamma_positive_of)
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

/* ---- in double and in long double ---- */

#define BOTH(T, L)                                                                                           \
  static T quick_acospi##L(T x) { return acos##L(x) / (T)M_PIl; }                                            \
  static T quick_asinpi##L(T x) { return asin##L(x) / (T)M_PIl; }                                            \
  static T quick_atanpi##L(T x) { return atan##L(x) / (T)M_PIl; }                                            \
  static T quick_rsqrt##L(T x) { return 1 / sqrt##L(x); }                                                    \
  static T quick_reciprocal##L(T x) { return 1 / x; }                                                        \
  static T quick_lgamma_positive##L(T x) { return lgamma##L(fabs##L(x)); }                                   \
  static T quick_divide##L(T x, T y) { return x / y; }                                                       \
  static T quick_powr##L(T x, T y) {                                                                         \
    bool none = isnan(x) || x < 0 || isnan(y) || (x == 1 && isinf(y)) || (y == 0 && (x == 0 || isinf(x)));   \
    return none ? (T)NAN : pow##L(fabs##L(x), y);                                                            \
  }                                                                                                          \
  static T quick_atan2pi##L(T y, T x) { return atan2##L(y, x) / (T)M_PIl; }                                  \
  static T quick_sinpi##L(T x) {                                                                             \
    T r = remainder##L(x, 2);                                                                                \
    if (r == 0 || fabs##L(r) == 1) return copysign##L(0, x);                                                 \
    return sin##L((T)M_PIl * (fabs##L(r) > (T)0.5 ? copysign##L(1, r) - r : r));                             \
  }                                                                                                          \
  static T quick_cospi##L(T x) {                                                                             \
    T r = fabs##L(remainder##L(x, 2)), pi = (T)M_PIl;                                                        \
    return r < (T)0.25 ? cos##L(pi * r) : r > (T)0.75 ? -cos##L(pi * (1 - r)) : sin##L(pi * ((T)0.5 - r));   \
  }                                                                                                          \
  static T quick_tanpi##L(T x) { return quick_sinpi##L(x) / quick_cospi##L(x); }
BOTH(double, )
BOTH(long double, l)

/* clang-format off */
#define C1(name) { #name, name, name##l, NULL, NULL }
#define C2(name) { NULL, NULL, NULL, name, name##l }
#define NO_QUICK { NULL, NULL, NULL, NULL, NULL }
#define F1(name, half, single, full) { #name, NULL, ONE, {half, single, full}, exact_##name, C1(name) }
#define F1Q(name, half, single, full) \
  { #name, NULL, ONE, {half, single, full}, exact_##name, {NULL, quick_##name, quick_##name##l, NULL, NULL} }
#define F2(name, half, single, full) { #name, NULL, TWO, {half, single, full}, exact_##name, C2(name) }
#define F2Q(name, code, half, single, full) \
  { #name, code, TWO, {half, single, full}, exact_##name, C2(quick_##name) }
/* half_NAME: the function NAME, a looser bound */
#define HALF1(name) { "half_" #name, NULL, ONE, {-1, 8192, -1}, exact_##name, C1(name) }
#define HALF1Q(name, exact) { "half_" #name, NULL, ONE, {-1, 8192, -1}, exact_##exact, C1(quick_##exact) }
/* clang-format on */
#define NONE ((double)INFINITY)

const struct function functions[] = {
    F1(acos, 2, 4, 4),
    F1(acosh, 2, 4, 4),
    F1Q(acospi, 2, 5, 5),
    F1(asin, 2, 4, 4),
    F1(asinh, 2, 4, 4),
    F1Q(asinpi, 2, 5, 5),
    F1(atan, 2, 5, 5),
    F1(atanh, 2, 5, 5),
    F1Q(atanpi, 2, 5, 5),
    F1(cbrt, 2, 2, 2),
    F1(cos, 2, 4, 4),
    F1(cosh, 2, 4, 4),
    F1Q(cospi, 2, 4, 4),
    F1(erf, 4, 16, 16),
    F1(erfc, 4, 16, 16),
    F1(exp, 2, 3, 3),
    F1(exp2, 2, 3, 3),
    F1(exp10, 2, 3, 3),
    F1(expm1, 2, 3, 3),
    F1(lgamma, NONE, NONE, NONE),
    /* bounds of our own: nothing is lost about 1 and 2, where it is 0 */
    {"lgamma of |x|",
     "r = lgamma(fabs(a))",
     ONE,
     {1, 4, 8},
     exact_lgamma_positive,
     C1(quick_lgamma_positive)},
    {"lgamma_r of |x|",
     "r = lgamma_r(fabs(a), &i)",
     ONE,
     {1, 4, 8},
     exact_lgamma_positive,
     C1(quick_lgamma_positive)},
    F1(log, 2, 3, 3),
    F1(log2, 2, 3, 3),
    F1(log10, 2, 3, 3),
    F1(log1p, 2, 2, 2),
    {"reciprocal", "r = 1 / a", ONE, {1, 2.5, 0.5}, exact_reciprocal, C1(quick_reciprocal)},
    F1Q(rsqrt, 1, 2, 2),
    F1(sin, 2, 4, 4),
    {"sincos", "r = sincos(a, &second)", ONE, {2, 4, 4}, exact_sin, C1(sin)},
    {"sincos's cosine", "sincos(a, &r)", ONE, {2, 4, 4}, exact_cos, C1(cos)},
    F1(sinh, 2, 4, 4),
    F1Q(sinpi, 2, 4, 4),
    F1(sqrt, 0.5, 3, 0.5),
    F1(tan, 2, 5, 5),
    F1(tanh, 2, 5, 5),
    F1Q(tanpi, 2, 6, 6),
    F1(tgamma, 4, 16, 16),
    F2(atan2, 2, 6, 6),
    F2Q(atan2pi, NULL, 2, 6, 6),
    F2Q(divide, "r = a / b", 1, 2.5, 0.5),
    F2(fdim, 0.5, 0.5, 0.5),
    F2(fmod, 0, 0, 0),
    F2(hypot, 2, 4, 4),
    F2(pow, 4, 16, 16),
    F2Q(powr, NULL, 4, 16, 16),
    F2(remainder, 0, 0, 0),
    {"pown", NULL, WITH_INT, {4, 16, 16}, exact_pown, C2(pow)},
    {"rootn", NULL, WITH_INT, {4, 16, 16}, exact_rootn, NO_QUICK},
    {"fma", NULL, THREE, {0.5, 0.5, 0.5}, fma_of, NO_QUICK},
    HALF1(cos),
    HALF1(exp),
    HALF1(exp2),
    HALF1(exp10),
    HALF1(log),
    HALF1(log2),
    HALF1(log10),
    HALF1Q(recip, reciprocal),
    HALF1Q(rsqrt, rsqrt),
    HALF1(sin),
    HALF1(sqrt),
    HALF1(tan),
    {"half_divide", NULL, TWO, {-1, 8192, -1}, exact_divide, C2(quick_divide)},
    {"half_powr", NULL, TWO, {-1, 8192, -1}, exact_powr, C2(quick_powr)},
};
const size_t num_functions = sizeof functions / sizeof *functions;
