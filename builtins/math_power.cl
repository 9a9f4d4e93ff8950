/* Powers and roots of float, in double: 2^(y log2 x) rounds only once. */
#include "math.h"

/* |x|^y with the limits at 0 and infinity; log2 and y as double. */
INLINE float power_of_log(double t) {
  t = t < -200.0 ? -200.0 : t;
  t = t > 200.0 ? 200.0 : t;
  return (float)exp2_medium(t);
}

/* log2 of a >= 0 that a float holds, to 2^-35 relative: atanh series in s = (m - 1)/(m + 1), minimax. */
INLINE double log2_of_float(double a) {
  double m, e;
  if (__kiln_avx512()) {
    m = __kiln_getmant_d(a);
    e = __kiln_getexp_d(a) - __kiln_getexp_d(m);
  } else {
    long b = as_long(a) - 0x3fe8000000000000;
    m = as_double((b & 0x000fffffffffffff) + 0x3fe8000000000000);
    e = (double)(int)(b >> 52);
    e = a == 0.0 ? -INFINITY : e;
    e = a < INFINITY ? e : a; /* infinity and NaN stay */
  }
  double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = POLY4(z, 0x1.71547652d7f2p+1, 0x1.ec709b5a164bbp-1, 0x1.2778a49649755p-1, 0x1.a513ac19543d3p-2,
                   0x1.64bbf3739247cp-2);
  return fma_of(s, p, e);
}

INLINE double log2_all(float x) { return log2_of_float((double)fabs_of(x)); }

INLINE float negate_if(float x, bool negative) { return as_float(as_int(x) ^ (negative ? (int)0x80000000 : 0)); }

OVER float pow(float x, float y) {
  float half_y = 0.5f * y;
  bool integer = y == trunc_of(y);
  bool odd = integer & (half_y != trunc_of(half_y));
  bool negative = as_int(x) < 0;
  float r = power_of_log((double)y * log2_all(x));
  r = negate_if(r, negative & odd);
  r = x < 0.0f && x > -INFINITY && !integer && y == y ? NAN : r;
  bool one = x == 1.0f || y == 0.0f || (x == -1.0f && fabs_of(y) == INFINITY);
  return one ? 1.0f : r;
}

OVER float powr(float x, float y) {
  float r = power_of_log((double)y * log2_all(x));
  return x < 0.0f ? NAN : r;
}

OVER float pown(float x, int n) {
  float r = power_of_log((double)n * log2_all(x));
  r = negate_if(r, as_int(x) < 0 && (n & 1));
  return n == 0 ? 1.0f : r;
}

OVER float rootn(float x, int n) {
  float r = power_of_log(log2_all(x) / (double)n);
  r = negate_if(r, as_int(x) < 0 && (n & 1));
  bool bad = n == 0 || (x < 0.0f && !(n & 1));
  return bad ? NAN : r;
}

OVER float half_powr(float x, float y) { return powr(x, y); }
OVER float native_powr(float x, float y) { return powr(x, y); }

INLINE float halley(float y, float a) {
  float c = y * y * y;
  return y * ((c + (a + a)) / (c + c + a));
}

/* A third of the exponent by integer division, two steps of Halley's method, then one of Newton's with the
 * residual exact to the last place. */
OVER float cbrt(float x) {
  float a = fabs_of(x);
  bool tiny = a < 0x1p-100f, huge = a > 0x1p+100f;
  a *= tiny ? 0x1p+48f : huge ? 0x1p-48f : 1.0f;
  float y = as_float((int)((uint)as_int(a) / 3 + 0x2a5137a0));
  y = halley(halley(y, a), a);
  float s = y * y;
  float residual = fma_of(s, y, -a) + fma_of(y, y, -s) * y;
  y = y - residual / (3.0f * s);
  y *= tiny ? 0x1p-16f : huge ? 0x1p+16f : 1.0f;
  return x == 0.0f || !(fabs_of(x) < INFINITY) ? x : copysign_of(y, x);
}

/* In double no float square overflows or vanishes. */
OVER float hypot(float x, float y) {
  double a = (double)x, b = (double)y;
  float r = (float)sqrt_of(fma_of(a, a, b * b));
  return fabs_of(x) == INFINITY || fabs_of(y) == INFINITY ? INFINITY : r;
}
