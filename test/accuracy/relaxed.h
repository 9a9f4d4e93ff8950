/* How far off results may be under -cl-fast-relaxed-math. Knows nothing of devices. */
#ifndef KILN_TEST_ACCURACY_RELAXED_H
#define KILN_TEST_ACCURACY_RELAXED_H

#include "reference.h"

struct relaxed_bound {
  double ulps; /* where `allowed` is NULL */
  double (*allowed)(double a, double b, double want);
};
struct relaxed_bound relaxed_bound(const struct function *function);

/* The error that is allowed where the exact result is `want`, in units of its last place; INFINITY: none is
 * asked for, as for arguments and results that are not finite, or denormal. b: the second argument, of
 * WITH_INT the integer, or 0. Results below the normal numbers may also be 0. */
double relaxed_allowed(const struct relaxed_bound *bound, double a, double b, double want);

/* The bound in words. */
const char *relaxed_text(const struct function *function);

#endif
