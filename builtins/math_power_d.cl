/* Powers and roots of double: y ln x as a pair of doubles, then e to that. */
#include "math_d.h"

/* ln|x| with the limits at 0 and infinity. */
INLINE double log_all(double x, __private double *low) {
  double a = fabs_of(x);
  double l = log_pair(a, low);
  l = a == 0.0 ? -INFINITY : l;
  bool plain = a > 0.0 && a < INFINITY;
  *low = plain ? *low : 0.0;
  return a < INFINITY ? l : a; /* infinity and NaN stay */
}

INLINE double power(double x, double y) {
  double ll, l = log_all(x, &ll);
  double tl, t = product_exact(l, y, &tl);
  return power_of_log(t, fma_of(y, ll, tl), 0);
}

OVER double pow(double x, double y) {
  double half_y = 0.5 * y;
  bool integer = y == trunc_of(y);
  bool odd = integer & (half_y != trunc_of(half_y));
  double r = negate_if(power(x, y), (as_long(x) < 0) & odd);
  r = x < 0.0 && x > -INFINITY && !integer && y == y ? NAN : r;
  bool one = x == 1.0 || y == 0.0 || (x == -1.0 && fabs_of(y) == INFINITY);
  return one ? 1.0 : r;
}

OVER double powr(double x, double y) {
  double r = power(x, y);
  return x < 0.0 ? NAN : r;
}

OVER double pown(double x, int n) {
  double r = negate_if(power(x, (double)n), as_long(x) < 0 && (n & 1));
  return n == 0 ? 1.0 : r;
}

OVER double rootn(double x, int n) {
  double ll, l = log_all(x, &ll), d = (double)n;
  double t = l / d;
  double tl = (fma_of(-t, d, l) + ll) / d;
  double r = negate_if(power_of_log(t, tl, 0), as_long(x) < 0 && (n & 1));
  bool bad = n == 0 || (x < 0.0 && !(n & 1));
  return bad ? NAN : r;
}

INLINE double halley(double y, double a) {
  double c = y * y * y;
  return y * ((c + (a + a)) / (c + c + a));
}

/* As the float function; one more step of Halley's method. */
OVER double cbrt(double x) {
  double a = fabs_of(x);
  bool tiny = a < 0x1p-900, huge = a > 0x1p+900;
  a *= tiny ? 0x1p+300 : huge ? 0x1p-300 : 1.0;
  double y = as_double(as_ulong(a) / 3 + 0x2a9f84fe00000000);
  y = halley(halley(halley(y, a), a), a);
  double s = y * y;
  double residual = fma_of(s, y, -a) + fma_of(y, y, -s) * y;
  y = y - residual / (3.0 * s);
  y *= tiny ? 0x1p-100 : huge ? 0x1p+100 : 1.0;
  return x == 0.0 || !(fabs_of(x) < INFINITY) ? x : copysign_of(y, x);
}

/* Scaled by a power of two so that no square overflows and none that counts vanishes. */
OVER double hypot(double x, double y) {
  double a = fabs_of(x), b = fabs_of(y);
  double high = a < b ? b : a;
  double s = high > 0x1p+500 ? 0x1p-600 : high < 0x1p-500 ? 0x1p+600 : 1.0;
  double u = high > 0x1p+500 ? 0x1p+600 : high < 0x1p-500 ? 0x1p-600 : 1.0;
  a *= s;
  b *= s;
  double r = sqrt_of(fma_of(a, a, b * b)) * u;
  return fabs_of(x) == INFINITY || fabs_of(y) == INFINITY ? INFINITY : r;
}
