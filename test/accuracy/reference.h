/* The functions under test: what they are in OpenCL C, how MPFR computes them, how far off they may be. */
#ifndef KILN_TEST_ACCURACY_REFERENCE_H
#define KILN_TEST_ACCURACY_REFERENCE_H

#include "number.h"

enum arguments { ONE, TWO, THREE, WITH_INT /* a number and an int */ };

/* Results good enough to tell which arguments need MPFR; NULL: there is none. Wrong by less than 2^-37 of
 * their value (for half and float) and 2^-58 (the long ones, for double). */
struct quick {
  const char *name; /* of `one` in the C library, which may have it for vectors; NULL: not there */
  double (*one)(double);
  long double (*one_long)(long double);
  double (*two)(double, double); /* TWO and WITH_INT */
  long double (*two_long)(long double, long double);
};

struct function {
  const char *name;
  const char *code; /* OpenCL C that sets r from a, b, c; NULL: a call of that name */
  enum arguments arguments;
  double bound[NUM_TYPES]; /* of the full profile; INFINITY: none; negative: not for this type */
  /* Sets r, rounded once at the precision it has. The arguments are exact; i is b of WITH_INT. */
  void (*exact)(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c, long i);
  struct quick quick;
};

extern const struct function functions[];
extern const size_t num_functions;

#endif
