/* Common functions: OpenCL C 3.0, section 6.15.4.
 * min and max may return anything for NaN; the compare-and-select form is what
 * the specification words and is one instruction on x86. clamp is defined by
 * fmin and fmax, thus for NaN too. */
#include "math.h"

#define COMMON(T, I, U, N)                                                                         \
  OVER T min(T x, T y) { return y < x ? y : x; }                                                   \
  OVER T max(T x, T y) { return x < y ? y : x; }                                                   \
  OVER T clamp(T x, T lo, T hi) { return least(most(x, lo), hi); }                                 \
  OVER T mix(T x, T y, T a) { return term_of(y - x, a, x); }                                       \
  OVER T step(T edge, T x) { return x < edge ? (T)0 : (T)1; }                                      \
  OVER T smoothstep(T lo, T hi, T x) {                                                             \
    T t = min(max((x - lo) / (hi - lo), (T)0), (T)1);                                              \
    return t * t * term_of((T)-2, t, (T)3);                                                        \
  }                                                                                                \
  OVER T sign(T x) { return x != x ? (T)0 : x == (T)0 ? x : copysign_of((T)1, x); }
FOR_FLOATS(COMMON)

OVER half degrees(half x) { return (half)((float)x * 0x1.ca5dc2p+5f); }
OVER float degrees(float x) { return x * 0x1.ca5dc2p+5f; }
OVER double degrees(double x) { return x * 0x1.ca5dc1a63c1f8p+5; }
OVER half radians(half x) { return (half)((float)x * 0x1.1df46ap-6f); }
OVER float radians(float x) { return x * 0x1.1df46ap-6f; }
OVER double radians(double x) { return x * 0x1.1df46a2529d39p-6; }
