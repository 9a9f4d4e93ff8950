/* See number.h. */
#include "number.h"

#include <math.h>
#include <string.h>

const struct number_format number_formats[NUM_TYPES] = {
    [HALF] = {"half", 2, 11, 15, -14},
    [FLOAT] = {"float", 4, 24, 127, -126},
    [DOUBLE] = {"double", 8, 53, 1023, -1022},
};

double number_value(enum number_type type, uint64_t bits) {
  _Float16 h;
  float f;
  double d;
  switch (type) {
  case HALF:
    memcpy(&h, &bits, sizeof h);
    return (double)h;
  case FLOAT:
    memcpy(&f, &bits, sizeof f);
    return (double)f;
  default:
    memcpy(&d, &bits, sizeof d);
    return d;
  }
}

uint64_t number_bits(enum number_type type, double value) {
  _Float16 h = (_Float16)value;
  float f = (float)value;
  uint64_t bits = 0;
  if (type == HALF) memcpy(&bits, &h, sizeof h);
  else if (type == FLOAT) memcpy(&bits, &f, sizeof f);
  else memcpy(&bits, &value, sizeof value);
  return bits;
}

/* Exponent of the unit of the last place of a number between 2^e and 2^(e + 1). */
static int unit_exponent(const struct number_format *f, long e) {
  if (e > f->most) e = f->most;
  if (e < f->least) e = f->least;
  return (int)e - f->digits + 1;
}

double number_error(enum number_type type, double got, mpfr_srcptr want, mpfr_ptr scratch) {
  const struct number_format *f = &number_formats[type];
  if (mpfr_nan_p(want) || isnan(got)) return mpfr_nan_p(want) && isnan(got) ? 0.0 : (double)INFINITY;
  bool same_sign = !mpfr_signbit(want) == !signbit(got);
  if (mpfr_zero_p(want) && got == 0.0) return same_sign ? 0.0 : (double)INFINITY;
  if (mpfr_inf_p(want) && isinf(got)) return same_sign ? 0.0 : (double)INFINITY;
  if (mpfr_inf_p(want)) return INFINITY;
  /* an exponent of MPFR belongs to 1/2 <= m < 1 */
  int unit = unit_exponent(f, mpfr_zero_p(want) ? f->least : (long)mpfr_get_exp(want) - 1);
  mpfr_t exact;
  mpfr_init2(exact, 64);
  if (isinf(got)) mpfr_set_si_2exp(exact, got < 0 ? -1 : 1, f->most + 1, MPFR_RNDN);
  else mpfr_set_d(exact, got, MPFR_RNDN);
  mpfr_sub(scratch, exact, want, MPFR_RNDN);
  if (isinf(got) && mpfr_cmpabs(want, exact) > 0) mpfr_set_zero(scratch, 1);
  mpfr_mul_2si(scratch, scratch, -unit, MPFR_RNDN);
  mpfr_clear(exact);
  return fabs(mpfr_get_d(scratch, MPFR_RNDN));
}

bool number_is_within(enum number_type type, double got, long double want, double limit) {
  const struct number_format *f = &number_formats[type];
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
  if (!signbit(want) != !signbit(got)) return false;
  if (isinf(got)) return fabsl(want) >= ldexpl(1.0L, f->most + 1);
  if (isinf(want)) return false;
  if (got == 0.0 && want == 0.0L) return true;
  return fabsl(got - want) <= limit * ldexpl(1.0L, unit_exponent(f, ilogbl(want)));
}
