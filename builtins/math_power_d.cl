/* Powers and roots of double: y ln x as a pair of doubles, then e to that. */
#include "math_d.h"

INLINE double power(double x, double y) {
  double ll, l = log_pair(fabs_of(x), &ll);
  double tl, t = product_exact(l, y, &tl);
  return power_of_log(t, fma_of(y, ll, tl), 0);
}

/* What x^y is where x is not positive and finite or y not finite; r is |x|^y where both are finite and x is not
 * 0. */
INLINE double power_special(double x, double y, double r) {
  double a = fabs_of(x), half_y = 0.5 * y;
  bool integer = y == trunc_of(y); /* infinities, too */
  bool odd = integer & (half_y != trunc_of(half_y));
  bool limit = (a == 0.0) | (a == INFINITY) | (fabs_of(y) == INFINITY);
  double end = (a > 1.0) == (y > 0.0) ? INFINITY : 0.0;
  r = limit ? (a == 1.0 ? 1.0 : end) : r;
  r = negate_if(r, (as_long(x) < 0) & odd);
  r = ((x < 0.0) & (x > -INFINITY) & !integer) ? NAN : r;
  r = ((x != x) | (y != y)) ? x + y : r;
  return ((x == 1.0) | (y == 0.0)) ? 1.0 : r;
}

OVER double pow(double x, double y) {
  double r = power(x, y);
  if (unlikely(!((x > 0.0) & (x < INFINITY) & (fabs_of(y) < INFINITY)))) r = power_special(x, y, r);
  return r;
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
  double ll, l = log_pair(fabs_of(x), &ll), d = (double)n;
  double over = 1.0 / d, t = l * over;
  double tl = (fma_of(-t, d, l) + ll) * over;
  double r = negate_if(power_of_log(t, tl, 0), as_long(x) < 0 && (n & 1));
  bool bad = n == 0 || (x < 0.0 && !(n & 1));
  return bad ? NAN : r;
}

/* As the float function; one more step. Bits become numbers by way of 2^52. */
OVER double cbrt(double x) {
  double a = fabs_of(x);
  bool tiny = a < 0x1p-1022;
  a = tiny ? a * 0x1p+54 : a;
  double bits = as_double(as_ulong(a) >> 12 | 0x4330000000000000) - 0x1p+52;
  double r = as_double(as_ulong(fma_of(bits, -0x1.5555555555555p-2, 0x1.553ee978d4fdfp+52)) << 12);
  for (int step = 0; step < 2; step++) {
    double h = fma_of(-(a * r), r * r, 1.0);
    r = fma_of(r * h, fma_of(h, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), r);
  }
  double y = a * r * r;
  double h = fma_of(-r, y, 1.0);
  y = fma_of(y * h, 0x1.5555555555555p-1, y);
  y = tiny ? y * 0x1p-18 : y;
  return a < INFINITY ? copysign_of(y, x) : x;
}

OVER double hypot(double x, double y) {
  double s = fma_of(x, x, y * y), r = sqrt_quick(s);
  if (unlikely(!(s > 0x1p-900 && s < INFINITY))) {
    double a = fabs_of(x), b = fabs_of(y);
    bool large = a > 1.0 || b > 1.0;
    double down = large ? 0x1p-600 : 0x1p+600, up = large ? 0x1p+600 : 0x1p-600;
    a *= down;
    b *= down;
    r = up * sqrt_of(fma_of(a, a, b * b));
    r = fabs_of(x) == INFINITY || fabs_of(y) == INFINITY ? INFINITY : r;
  }
  return r;
}
