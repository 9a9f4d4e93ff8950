/* The C library's double functions a vector at a time, where it has them (glibc's libmvec). */
#ifndef KILN_TEST_ACCURACY_LIBRARY_H
#define KILN_TEST_ACCURACY_LIBRARY_H

#include "reference.h"

#include <stddef.h>

/* out[k] = quick->one(x[k]), perhaps by the vector function of that name; n is a multiple of 8. */
void library_apply(const struct quick *quick, const double *x, double *out, size_t n);

#endif
