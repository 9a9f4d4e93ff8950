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
    ulong b = as_ulong(a) + EXPONENT_TO_1024;
    m = as_double((b & 0x000fffffffffffff) + 0x3fe8000000000000);
    e = exponent_of(b);
    e = a == 0.0 ? -INFINITY : e;
    e = a < INFINITY ? e : a; /* infinity and NaN stay */
  }
  double s = (m - 1.0) * reciprocal_medium(m + 1.0), z = s * s;
  double p = POLY4(z, 0x1.71547652d7f2p+1, 0x1.ec709b5a164bbp-1, 0x1.2778a49649755p-1, 0x1.a513ac19543d3p-2,
                   0x1.64bbf3739247cp-2);
  return fma_of(s, p, e);
}

INLINE double log2_all(float x) { return log2_of_float((double)fabs_of(x)); }

INLINE float negate_if(float x, bool negative) { return as_float(as_int(x) ^ (negative ? (int)0x80000000 : 0)); }

/* What x^y is where x is not positive and finite or y not finite; r is |x|^y where both are finite and x is not
 * 0. */
INLINE float power_special(float x, float y, float r) {
  float a = fabs_of(x), half_y = 0.5f * y;
  bool integer = y == trunc_of(y); /* infinities, too */
  bool odd = integer & (half_y != trunc_of(half_y));
  bool limit = (a == 0.0f) | (a == INFINITY) | (fabs_of(y) == INFINITY);
  float end = (a > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
  r = limit ? (a == 1.0f ? 1.0f : end) : r;
  r = negate_if(r, (as_int(x) < 0) & odd);
  r = ((x < 0.0f) & (x > -INFINITY) & !integer) ? NAN : r;
  r = ((x != x) | (y != y)) ? x + y : r;
  return ((x == 1.0f) | (y == 0.0f)) ? 1.0f : r;
}

OVER float pow(float x, float y) {
  float r = power_of_log((double)y * log2_all(x));
  if (unlikely(!((x > 0.0f) & (x < INFINITY) & (fabs_of(y) < INFINITY)))) r = power_special(x, y, r);
  return r;
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
  float r = power_of_log(log2_all(x) * reciprocal_medium((double)n));
  r = negate_if(r, as_int(x) < 0 && (n & 1));
  bool bad = n == 0 || (x < 0.0f && !(n & 1));
  return bad ? NAN : r;
}

OVER float half_powr(float x, float y) { return powr(x, y); }

/* A third of the exponent and more by arithmetic on the bits gives r = a^(-1/3) with h = 1 - a r^3 below 0.11;
 * (1 - h)^(-1/3) = 1 + h/3 + 2/9 h^2 + ... once, and with y = a r^2 = a^(1/3) (1 - h)^(2/3) the last step. */
OVER float cbrt(float x) {
  float a = fabs_of(x);
  bool tiny = a < 0x1p-126f;
  a = tiny ? a * 0x1p+24f : a;
  float r = as_float((int)fma_of((float)as_int(a), -0x1.555556p-2f, 0x1.5287ep+30f));
  float h = fma_of(-(a * r), r * r, 1.0f);
  r = fma_of(r * h, fma_of(h, 0x1.c71c72p-3f, 0x1.555556p-2f), r);
  float y = a * r * r;
  h = fma_of(-r, y, 1.0f);
  y = fma_of(y * h, fma_of(h, 0x1.1c71c8p-1f, 0x1.555556p-1f), y);
  y = tiny ? y * 0x1p-8f : y;
  return a < INFINITY ? copysign_of(y, x) : x;
}

/* Where the sum of squares overflows or comes near what vanishes, both are scaled. */
OVER float hypot(float x, float y) {
  float s = fma_of(x, x, y * y), r = sqrt_of(s);
  if (unlikely(!(s > 0x1p-90f && s < INFINITY))) {
    float a = fabs_of(x), b = fabs_of(y);
    bool large = a > 1.0f || b > 1.0f;
    float down = large ? 0x1p-70f : 0x1p+90f, up = large ? 0x1p+70f : 0x1p-90f;
    a *= down;
    b *= down;
    r = up * sqrt_of(fma_of(a, a, b * b));
    r = fabs_of(x) == INFINITY || fabs_of(y) == INFINITY ? INFINITY : r;
  }
  return r;
}
