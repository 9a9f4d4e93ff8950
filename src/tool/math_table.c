/* The functions of `kiln bench math`. */
#include "tool/math.h"

#define ONE(name, sleef, low, high)                                                                          \
  { #name, #name "(x)", sleef, low, high, false }
#define TWO(name, sleef, low, high)                                                                          \
  { #name, #name "(x, y)", sleef, low, high, true }

const struct math_function math_functions[] = {
    ONE(sin, "u10", -20, 20),
    ONE(cos, "u10", -20, 20),
    ONE(tan, "u10", -20, 20),
    ONE(exp, "u10", -20, 20),
    ONE(exp2, "u10", -20, 20),
    ONE(exp10, "u10", -10, 10),
    ONE(expm1, "u10", -20, 20),
    ONE(log, "u10", 1e-3, 1e3),
    ONE(log2, "u10", 1e-3, 1e3),
    ONE(log10, "u10", 1e-3, 1e3),
    ONE(log1p, "u10", -0.9, 1e3),
    TWO(pow, "u10", 0.1, 10),
    TWO(powr, NULL, 0.1, 10),
    {"pown", "pown(x, (int)y)", NULL, 0.1, 10, true},
    {"rootn", "rootn(x, (int)y + 1)", NULL, 0.1, 10, true},
    ONE(sqrt, "u05", 0, 1e3),
    ONE(rsqrt, NULL, 1e-3, 1e3),
    ONE(cbrt, "u10", -1e3, 1e3),
    TWO(hypot, "u05", -1e3, 1e3),
    ONE(asin, "u10", -1, 1),
    ONE(acos, "u10", -1, 1),
    ONE(atan, "u10", -20, 20),
    TWO(atan2, "u10", -20, 20),
    ONE(sinh, "u10", -20, 20),
    ONE(cosh, "u10", -20, 20),
    ONE(tanh, "u10", -5, 5),
    ONE(asinh, "u10", -1e3, 1e3),
    ONE(acosh, "u10", 1, 1e3),
    ONE(atanh, "u10", -0.99, 0.99),
    ONE(sinpi, "u05", -20, 20),
    ONE(cospi, "u05", -20, 20),
    ONE(tanpi, NULL, -20, 20),
    ONE(asinpi, NULL, -1, 1),
    ONE(acospi, NULL, -1, 1),
    ONE(atanpi, NULL, -20, 20),
    TWO(atan2pi, NULL, -20, 20),
    ONE(erf, "u10", -4, 4),
    ONE(erfc, "u15", -4, 4),
    ONE(tgamma, "u10", 0.1, 20),
    ONE(lgamma, "u10", 0.1, 100),
    TWO(fmod, "", 0.1, 100),
    TWO(remainder, NULL, 0.1, 100),
    TWO(fdim, "", -20, 20),
    ONE(rint, "", -1e3, 1e3),
    ONE(round, "", -1e3, 1e3),
};
const size_t num_math_functions = sizeof math_functions / sizeof *math_functions;
