/* Powers and roots of float: 2^(y log2 x), with log2 and the product as pairs of floats where fma is one
 * instruction, else in double. */
#include "math.h"

/* |x|^y with the limits at 0 and infinity; log2 and y as double. */
INLINE float power_of_log(double t) {
  t = t < -200.0 ? -200.0 : t;
  t = t > 200.0 ? 200.0 : t;
  return (float)(t < -151.0 ? 0.0 : exp2_medium(t)); /* else slow: see scale in math.h */
}

/* log2 of a >= 0 that a float holds, to 2^-35 relative: atanh series in s = (m - 1)/(m + 1), minimax. */
INLINE double log2_of_float(double a) {
  ulong b = as_ulong(a) + EXPONENT_TO_1024;
  double m = as_double((b & 0x000fffffffffffff) + 0x3fe8000000000000), e = exponent_of(b);
  e = a == 0.0 ? -INFINITY : e;
  e = a < INFINITY ? e : a; /* infinity and NaN stay */
  double s = (m - 1.0) * reciprocal_medium(m + 1.0), z = s * s;
  double p = POLY4(z, 0x1.71547652d7f2p+1, 0x1.ec709b5a164bbp-1, 0x1.2778a49649755p-1, 0x1.a513ac19543d3p-2,
                   0x1.64bbf3739247cp-2);
  return term_of(s, p, e);
}

INLINE double log2_all(float x) { return log2_of_float((double)fabs_of(x)); }

/* ---- pairs: an unevaluated sum of a float and a smaller one ---- */

/* log2 of a >= 0 to 2^-31 relative; of 0 and infinity *low is anything. a = 2^e m, c near 1/m by the nearest sixteenth
 * of m, exactly 1 about 1 and so short that r = m c - 1 is exact: e - log2 c + (r - r^2/2)/ln 2 + r^3 P(r), |r| < 0.06;
 * P minimax relative to the sum, 2^-32. -log2 c is two parts, the first so short that its sum with e is exact. */
INLINE float log2_pair(float a, __private float *low) {
  float m, e = split_mantissa(a, &m);
  int i = as_int(m + 0x1.8p+19f);
  float c = __kiln_look_up_f(i, 0x1p+0f, 0x1.ep-1f, 0x1.c8p-1f, 0x1.bp-1f, 0x1.98p-1f, 0x1.88p-1f, 0x1.7p-1f,
                             0x1.6p-1f, 0x1.58p-1f, 0x0p+0f, 0x0p+0f, 0x0p+0f, 0x1.5p+0f, 0x1.4p+0f, 0x1.2p+0f,
                             0x1.1p+0f);
  float t = __kiln_look_up_f(i, 0x0p+0f, 0x1.7d6p-4f, 0x1.564p-3f, 0x1.f6p-3f, 0x1.4f7p-2f, 0x1.8a88p-2f, 0x1.e7ep-2f,
                             0x1.14c6p-1f, 0x1.25cp-1f, 0x0p+0f, 0x0p+0f, 0x0p+0f, -0x1.91bcp-2f, -0x1.49a8p-2f,
                             -0x1.5cp-3f, -0x1.664p-4f);
  float tl = __kiln_look_up_f(i, 0x0p+0f, 0x1.25b3eep-22f, -0x1.1eb002p-18f, -0x1.3ab7cep-18f, -0x1.134c4ep-20f,
                              0x1.80abfcp-18f, -0x1.40358ep-19f, -0x1.3e032ep-18f, 0x1.408c78p-18f, 0x0p+0f, 0x0p+0f,
                              0x0p+0f, 0x1.5db83ap-20f, 0x1.ed0cbap-20f, -0x1.a39fbep-19f, 0x1.20a6dep-21f);
  float r = fma_of(m, c, -1.0f), z = r * r, whole = e + t;
  float first = fma_of(r, LOG2E_HI_F, whole), high = fma_of(z, -0.5f * LOG2E_HI_F, first);
  float rest = fma_of(r, LOG2E_HI_F, whole - first) + fma_of(z, -0.5f * LOG2E_HI_F, first - high);
  float p = POLY3(r, 0x1.ec707p-2f, -0x1.7159bcp-2f, 0x1.284454p-2f, -0x1.de65eep-3f);
  *low = fma_of(r * z, p, fma_of(r, LOG2E_LO_F, tl) + rest);
  if (__kiln_avx512()) return high; /* e has brought the ends along */
  high = a == 0.0f ? -INFINITY : high;
  return a < INFINITY ? high : a;
}

/* Results of pairs are for exponents within this; beyond and for NaN see exp2_limit. */
#define MOST_EXPONENT 200.0f

/* 2^(t + low), |low| < 8; minimax relative, 2^-27.4. */
INLINE float exp2_pair(float t, float low) {
  int n;
  float whole = nearest(t + low, &n), r = (t - whole) + low;
  float p = POLY6(r, 1.0f, 0x1.62e432p-1f, 0x1.ebfbe6p-3f, 0x1.c6adaap-5f, 0x1.3b21b2p-7f, 0x1.5fbbf4p-10f,
                  0x1.4bee92p-13f);
  return scale(p, whole, n);
}

/* 2^t where r is that only for exponents in range. */
INLINE float exp2_limit(float t, float r) {
  r = t >= MOST_EXPONENT ? INFINITY : r;
  r = t <= -MOST_EXPONENT ? 0.0f : r;
  return t != t ? t : r;
}

INLINE bool in_range(float t) { return fabs_of(t) < MOST_EXPONENT; }

/* The same, where few exponents are out of range. */
INLINE float exp2_limited(float t, float r) {
  if (unlikely(!in_range(t))) r = exp2_limit(t, r);
  return r;
}

/* |x|^y where *t, the first part of the exponent, is in range. */
INLINE float power_by_pairs(float x, float y, __private float *t) {
  float low, high = log2_pair(fabs_of(x), &low);
  *t = high * y;
  return exp2_pair(*t, fma_of(low, y, fma_of(high, y, -*t)));
}

/* |x|^n likewise; n, too, as a pair. */
INLINE float whole_power_by_pairs(float x, int n, __private float *t) {
  float upper = (float)(n & ~0xff), lower = (float)(n & 0xff), y = upper + lower, yl = lower - (y - upper);
  float low, high = log2_pair(fabs_of(x), &low);
  *t = high * y;
  return exp2_pair(*t, fma_of(high, yl, fma_of(low, y, fma_of(high, y, -*t))));
}

INLINE float root_by_pairs(float x, int n, __private float *t) {
  float low, high = log2_pair(fabs_of(x), &low), d = (float)n, over = quotient(1.0f, d);
  *t = high * over;
  return exp2_pair(*t, (fma_of(-*t, d, high) + low) * over);
}

/* ---- the functions ---- */

INLINE float negate_if(float x, bool negative) { return as_float(as_int(x) ^ (negative ? (int)0x80000000 : 0)); }

/* r with the sign that x has where n is odd. */
INLINE float with_sign(float r, float x, int n) {
  return as_float(as_int(r) ^ (as_int(x) & (int)((uint)n << 31)));
}

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
  if (__kiln_fused()) {
    float t, r = power_by_pairs(x, y, &t);
    if (unlikely(!((x > 0.0f) & in_range(t)))) r = power_special(x, y, exp2_limit(t, r));
    return r;
  }
  float r = power_of_log((double)y * log2_all(x));
  if (unlikely(!((x > 0.0f) & (x < INFINITY) & (fabs_of(y) < INFINITY)))) r = power_special(x, y, r);
  return r;
}

OVER float powr(float x, float y) {
  float r;
  if (__kiln_fused()) {
    float t;
    r = power_by_pairs(x, y, &t);
    r = exp2_limited(t, r);
  } else {
    r = power_of_log((double)y * log2_all(x));
  }
  return x < 0.0f ? NAN : r;
}

OVER float pown(float x, int n) {
  float r;
  if (__kiln_fused()) {
    float t;
    r = whole_power_by_pairs(x, n, &t);
    r = with_sign(exp2_limited(t, r), x, n);
  } else {
    r = power_of_log((double)n * log2_all(x));
    r = negate_if(r, as_int(x) < 0 && (n & 1));
  }
  return n == 0 ? 1.0f : r;
}

OVER float rootn(float x, int n) {
  float r;
  if (__kiln_fused()) {
    float t;
    r = root_by_pairs(x, n, &t);
    r = with_sign(exp2_limited(t, r), x, n);
  } else {
    r = power_of_log(log2_all(x) * reciprocal_medium((double)n));
    r = negate_if(r, as_int(x) < 0 && (n & 1));
  }
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
  float r = as_float((int)term_of((float)as_int(a), -0x1.555556p-2f, 0x1.5287ep+30f));
  float h = term_of(-(a * r), r * r, 1.0f);
  r = term_of(r * h, term_of(h, 0x1.c71c72p-3f, 0x1.555556p-2f), r);
  float y = a * r * r;
  h = rest_of(1.0f, r, y);
  y = term_of(y * h, term_of(h, 0x1.1c71c8p-1f, 0x1.555556p-1f), y);
  y = tiny ? y * 0x1p-8f : y;
  return a < INFINITY ? copysign_of(y, x) : x;
}

/* Where the sum of squares overflows or comes near what vanishes, both are scaled. */
OVER float hypot(float x, float y) {
  float s = term_of(x, x, y * y), r = sqrt_of(s);
  if (unlikely(!(s > 0x1p-90f && s < INFINITY))) {
    float a = fabs_of(x), b = fabs_of(y);
    bool large = a > 1.0f || b > 1.0f;
    float down = large ? 0x1p-70f : 0x1p+90f, up = large ? 0x1p+70f : 0x1p-90f;
    a *= down;
    b *= down;
    r = up * sqrt_of(term_of(a, a, b * b));
    r = fabs_of(x) == INFINITY || fabs_of(y) == INFINITY ? INFINITY : r;
  }
  return r;
}
