/* The functions under test: what they are in OpenCL C, how MPFR computes them, how far off they may be. */
#ifndef KILN_TEST_ACCURACY_REFERENCE_H
#define KILN_TEST_ACCURACY_REFERENCE_H

#include "number.h"

enum arguments { ONE, TWO, THREE, WITH_INT /* a number and an int */ };

struct function {
  const char *name;
  const char *code; /* OpenCL C that sets r from a, b, c; NULL: a call of that name */
  enum arguments arguments;
  double bound[NUM_TYPES]; /* of the full profile; INFINITY: none; negative: not for this type */
  /* Sets r, rounded once at the precision it has. The arguments are exact; i is b of WITH_INT. */
  void (*exact)(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c, long i);
  double (*quick)(double); /* ONE: in double, wrong by less than 2^-45; NULL: there is none */
};

extern const struct function functions[];
extern const size_t num_functions;

#endif
