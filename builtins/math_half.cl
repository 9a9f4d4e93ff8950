/* Half versions of the inexact math functions: the float function, rounded. Its
 * error of a few units of float's last place is 2^-11 of half's. */
#include "kiln.h"

#define ONE(F)                                                                                     \
  OVER float F(float);                                                                             \
  OVER half F(half x) { return (half)F((float)x); }
#define TWO(F)                                                                                     \
  OVER float F(float, float);                                                                      \
  OVER half F(half x, half y) { return (half)F((float)x, (float)y); }
#define WITH_INT(F)                                                                                \
  OVER float F(float, int);                                                                        \
  OVER half F(half x, int n) { return (half)F((float)x, n); }

ONE(acos) ONE(acosh) ONE(acospi) ONE(asin) ONE(asinh) ONE(asinpi) ONE(atan) ONE(atanh) ONE(atanpi)
ONE(cbrt) ONE(cos) ONE(cosh) ONE(cospi) ONE(erf) ONE(erfc) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1)
ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sin) ONE(sinh) ONE(sinpi) ONE(tan) ONE(tanh) ONE(tanpi)
ONE(tgamma) ONE(lgamma)
TWO(atan2) TWO(atan2pi) TWO(hypot) TWO(pow) TWO(powr)
WITH_INT(pown) WITH_INT(rootn)

#define POINTERS(SPACE)                                                                            \
  OVER half sincos(half x, SPACE half *cosine) {                                                   \
    *cosine = (half)cos((float)x);                                                                 \
    return (half)sin((float)x);                                                                    \
  }                                                                                                \
  OVER float lgamma_r(float, SPACE int *);                                                         \
  OVER half lgamma_r(half x, SPACE int *sign) { return (half)lgamma_r((float)x, sign); }
FOR_SPACES(POINTERS)
