/* Floating-point types by their bits, and errors in units of the last place. */
#ifndef KILN_TEST_ACCURACY_NUMBER_H
#define KILN_TEST_ACCURACY_NUMBER_H

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum number_type { HALF, FLOAT, DOUBLE, NUM_TYPES };

struct number_format {
  const char *name; /* in OpenCL C */
  unsigned size;    /* bytes */
  int digits;       /* of the significand, the hidden one counted */
  int most, least;  /* exponents of the largest and of the smallest normal number as m * 2^e, 1 <= m < 2 */
};
extern const struct number_format number_formats[NUM_TYPES];

/* Every value of the three types is a double. */
double number_value(enum number_type type, uint64_t bits);
uint64_t number_bits(enum number_type type, double value); /* of a value that the type has */

/* |got - want| in units of the last place of want, as OpenCL defines them: an infinite result counts as the
 * power of two after the largest number. INFINITY when one is NaN and the other is not, or when zeros or
 * infinities differ in sign. Uses scratch, whose precision is at least that of want. */
double number_error(enum number_type type, double got, mpfr_srcptr want, mpfr_ptr scratch);
/* That the error is at most `limit` units, as far as a value near the exact one tells; false: it is more, or
 * cannot be told. */
bool number_is_within(enum number_type type, double got, long double want, double limit);

#endif
