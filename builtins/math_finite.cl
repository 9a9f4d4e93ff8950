/* The root for calls that allow approximations and promise finite numbers, and native_ forms: compiled with
 * -cl-fast-relaxed-math, so that code generation may refine a first guess where the processor has a good one,
 * and share it between a root and its reciprocal. The linker puts __kiln_finite_F in the place of F. */
#include "kiln.h"

#define FINITE(F) OVER float __kiln_finite_##F
#define NATIVE(F) OVER float native_##F

FINITE(sqrt)(float x) { return sqrt_of(x); }
NATIVE(sqrt)(float x) { return sqrt_of(x); }
NATIVE(recip)(float x) { return 1.0f / x; }
NATIVE(divide)(float x, float y) { return x / y; }
