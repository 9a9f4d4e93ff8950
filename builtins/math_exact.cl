/* Math functions with exact or correctly rounded results: OpenCL C 3.0,
 * section 6.15.2. All three types are computed in their own precision, half
 * where an operation would round twice in float. */
#include "half.h"
#include "math.h"

/* ---- bits ---- */

#define BITS(T, I, U, M, BIAS)                                                                     \
  INLINE U bits_of(T x) { return __builtin_astype(x, U); }                                         \
  INLINE T from_bits_##T(U x) { return __builtin_astype(x, T); }                                   \
  INLINE bool is_nan(T x) { return x != x; }                                                       \
  INLINE bool is_inf(T x) { return fabs_of(x) == (T)INFINITY; }
BITS(half, short, ushort, 10, 15)
BITS(float, int, uint, 23, 127)
BITS(double, long, ulong, 52, 1023)

/* ---- one instruction each ---- */

#define DIRECT(T, I, U, N)                                                                         \
  OVER T fabs(T x) { return fabs_of(x); }                                                          \
  OVER T floor(T x) { return floor_of(x); }                                                        \
  OVER T ceil(T x) { return ceil_of(x); }                                                          \
  OVER T trunc(T x) { return trunc_of(x); }                                                        \
  OVER T rint(T x) { return rint_of(x); }                                                          \
  OVER T copysign(T x, T y) { return copysign_of(x, y); }                                          \
  OVER T fmax(T x, T y) { return most(x, y); }                                                     \
  OVER T fmin(T x, T y) { return least(x, y); }                                                    \
  OVER T mad(T x, T y, T z) { return term_of(x, y, z); }                                           \
  OVER T fdim(T x, T y) {                                                                          \
    T d = x - y;                                                                                   \
    return x <= y ? (T)0 : d;                                                                      \
  }                                                                                                \
  OVER T nan(U code) { return __builtin_astype((U)((code & NAN_MASK_##T) | NAN_BITS_##T), T); }    \
  OVER T nan(I code) { return nan((U)code); }                                                      \
  OVER T maxmag(T x, T y) {                                                                        \
    T a = fabs_of(x), b = fabs_of(y);                                                              \
    return a > b ? x : b > a ? y : most(x, y);                                                     \
  }                                                                                                \
  OVER T minmag(T x, T y) {                                                                        \
    T a = fabs_of(x), b = fabs_of(y);                                                              \
    return a < b ? x : b < a ? y : least(x, y);                                                    \
  }
#define NAN_BITS_half 0x7e00
#define NAN_BITS_float 0x7fc00000u
#define NAN_BITS_double 0x7ff8000000000000u
#define NAN_MASK_half 0x1ff
#define NAN_MASK_float 0x3fffffu
#define NAN_MASK_double 0x7ffffffffffffu
FOR_FLOATS(DIRECT)

OVER float fma(float x, float y, float z) { return fma_of(x, y, z); }
OVER double fma(double x, double y, double z) { return fma_of(x, y, z); }

/* The product of halves is exact in float, its sum with a half in double but for bits that only matter as
 * sticky: the double rounds to odd first, if at all, far below half's last place. */
OVER half fma(half x, half y, half z) {
  return half_rte((double)((float)x * (float)y) + (double)(float)z);
}

OVER float sqrt(float x) { return sqrt_of(x); }
OVER double sqrt(double x) { return sqrt_of(x); }
OVER half sqrt(half x) { return (half)sqrt_of((float)x); }
/* A guess and one step of Newton's, of double two; at 0 and infinity the guess is exact and the step's error none. */
OVER float rsqrt(float x) {
  float r = one_over_root(x);
  return __kiln_avx512() && is_nan(r) ? __kiln_rsqrt14_f(x) : r;
}
OVER double rsqrt(double x) {
  if (!__kiln_avx512()) return 1.0 / sqrt_of(x);
  double guess = __kiln_rsqrt14_d(x), e = fma_of(-(x * guess), guess, 1.0);
  double y = fma_of(guess * e, fma_of(e, 0.375, 0.5), guess), left = fma_of(-(x * y), y, 1.0);
  return is_nan(e) ? guess : fma_of(y * left, 0.5, y);
}
OVER half rsqrt(half x) { return (half)(1.0f / sqrt_of((float)x)); }

/* Half away from zero. The largest value below a half is added, not a half, with which that value itself would become
 * 1; to the magnitude of what is to be rounded up it adds enough, as the sum is rounded to even. */
#define ROUND(T, I, U, N) OVER T round(T x) { return trunc_of(x + copysign_of(BELOW_HALF_##T, x)); }
#define BELOW_HALF_half ((half)0x1.ffcp-2f)
#define BELOW_HALF_float 0x1.fffffep-2f
#define BELOW_HALF_double 0x1.fffffffffffffp-2
FOR_FLOATS(ROUND)

/* Neighbours differ by one as integers once negative numbers are mirrored. */
#define NEXTAFTER(T, I, U, N)                                                                      \
  OVER T nextafter(T x, T y) {                                                                     \
    I low = (I)((U)1 << (N - 1));                                                                  \
    I a = (I)bits_of(x), b = (I)bits_of(y);                                                        \
    I ma = a < 0 ? (I)(low - a) : a, mb = b < 0 ? (I)(low - b) : b;                                \
    I next = (I)(ma < mb ? ma + 1 : ma - 1);                                                       \
    next = next < 0 ? (I)(low - next) : next;                                                      \
    T r = from_bits_##T((U)next);                                                                  \
    return is_nan(x) || is_nan(y) ? x + y : ma == mb ? y : r;                                      \
  }
FOR_FLOATS(NEXTAFTER)

/* ---- exponents ---- */

INLINE bool has_getexp(half x) { return false; }
INLINE bool has_getexp(float x) { return __kiln_avx512(); }
INLINE bool has_getexp(double x) { return __kiln_avx512(); }
INLINE half getexp(half x) { return x; }
INLINE float getexp(float x) { return __kiln_getexp_f(x); }
INLINE double getexp(double x) { return __kiln_getexp_d(x); }

/* M mantissa bits, E the bias, BIG = 2^(M+1) which makes a denormal normal. */
#define EXPONENT(T, I, U, N, M, E)                                                                 \
  INLINE int exponent_field(T x) { return (int)((bits_of(x) >> M) & (2 * E + 1)); }                \
  OVER int ilogb(T x) {                                                                            \
    int e = exponent_field(x) - E;                                                                 \
    int tiny = exponent_field(x * (T)((U)1 << (M + 1))) - E - (M + 1);                             \
    int r = fabs_of(x) < SMALLEST_##T ? tiny : e;                                                  \
    if (has_getexp(x)) r = (int)(fabs_of(getexp(x)) < (T)INFINITY ? getexp(x) : (T)0);             \
    r = x == (T)0 ? FP_ILOGB0 : r;                                                                 \
    r = is_inf(x) ? INT_MAX : r;                                                                   \
    return is_nan(x) ? FP_ILOGBNAN : r;                                                            \
  }                                                                                                \
  OVER T logb(T x) {                                                                               \
    if (has_getexp(x)) return getexp(x);                                                           \
    T r = (T)ilogb(x);                                                                             \
    r = x == (T)0 ? (T)-INFINITY : r;                                                              \
    return is_nan(x) ? x : is_inf(x) ? (T)INFINITY : r;                                            \
  }                                                                                                \
  /* 2^e for e in the range of normal numbers */                                                   \
  INLINE T power_of_two_##T(int e) { return from_bits_##T((U)((U)(e + E) << M)); }                 \
  /* A step that may round into the denormals must be the last: the ones before it stay M + 1 above the
     smallest normal power, and then what is left sends any denormal to 0 or the smallest. */               \
  INLINE int ldexp_step(T x, int n) {                                                              \
    return n < -(E - 1) ? -(E - 1) + M + 1 : n > E ? E : n;                                        \
  }                                                                                                \
  INLINE T frexp_of(T x, int *e) {                                                                 \
    bool tiny = fabs_of(x) < SMALLEST_##T, plain = !(x == (T)0 || is_inf(x) || is_nan(x));         \
    T y = tiny ? x * (T)((U)1 << (M + 1)) : x;                                                     \
    int field = exponent_field(y);                                                                 \
    U b = (U)((bits_of(y) & (U) ~((U)(2 * E + 1) << M)) | ((U)(E - 1) << M));                      \
    *e = plain ? field - (E - 1) - (tiny ? M + 1 : 0) : 0;                                         \
    return plain ? from_bits_##T(b) : x;                                                           \
  }
#define SMALLEST_half ((half)0x1p-14f)
#define SMALLEST_float 0x1p-126f
#define SMALLEST_double 0x1p-1022
EXPONENT(half, short, ushort, 16, 10, 15)
EXPONENT(float, int, uint, 32, 23, 127)
EXPONENT(double, long, ulong, 64, 52, 1023)

#define LDEXP(T, E, M)                                                                             \
  OVER T ldexp(T x, int n) {                                                                       \
    int lim = 2 * E + M + 4;                                                                       \
    n = n < -lim ? -lim : n > lim ? lim : n;                                                       \
    int a = ldexp_step(x, n), b = ldexp_step(x, n - a), c = ldexp_step(x, n - a - b);              \
    return ((x * power_of_two_##T(a)) * power_of_two_##T(b)) * power_of_two_##T(c);                \
  }
LDEXP(float, 127, 23)
LDEXP(double, 1023, 52)
/* Exact in float but for the last step. */
OVER half ldexp(half x, int n) {
  n = n < -60 ? -60 : n > 60 ? 60 : n;
  return (half)((float)x * power_of_two_float(n));
}

/* ---- second results through pointers ---- */

#define BELOW_ONE_half ((half)0x1.ffcp-1f)
#define BELOW_ONE_float 0x1.fffffep-1f
#define BELOW_ONE_double 0x1.fffffffffffffp-1
#define PARTS(SPACE, T)                                                                            \
  OVER T fract(T x, SPACE T *whole) {                                                              \
    T f = floor_of(x), d = x - f;                                                                  \
    *whole = f;                                                                                    \
    d = d < (T)1 ? d : BELOW_ONE_##T;                                                              \
    T zero = copysign_of((T)0, x);                                                                 \
    d = ((x == (T)0) | is_inf(x)) ? zero : d;                                                      \
    return is_nan(x) ? x : d;                                                                      \
  }                                                                                                \
  OVER T modf(T x, SPACE T *whole) {                                                               \
    T t = trunc_of(x);                                                                             \
    *whole = t;                                                                                    \
    return copysign_of(is_inf(x) ? (T)0 : x - t, x);                                               \
  }                                                                                                \
  OVER T frexp(T x, SPACE int *exponent) {                                                         \
    int e;                                                                                         \
    T r = frexp_of(x, &e);                                                                         \
    *exponent = e;                                                                                 \
    return r;                                                                                      \
  }
FOR_SPACES(PARTS, half)
FOR_SPACES(PARTS, float)
FOR_SPACES(PARTS, double)

/* ---- remainders ---- */

/* Quotients too large for the fast way: long division of the mantissas, 48 bits of the quotient a step. The first step
 * takes what 48 leaves of the exponents' difference, so that the last one's quotient has all the bits that are asked for.
 * The inverse is too large by 2^-50, more than its roundings can take away, so that no quotient is too small; one too
 * large at most, as they are below 2^49. What is left is then a multiple of 2^-53 below 1, and exact. a and b are not
 * negative; bad ones among them give NaN. *quotient: its low bits. */
INLINE double divide_slowly(double a, double b, __private uint *quotient) {
  int ea, eb;
  double r = frexp_of(a, &ea), d = frexp_of(b, &eb), inverse = 1 / d * (1 + 0x1p-50), q = 0;
  bool bad = !(a < INFINITY && b > 0), less = bad || ea < eb;
  int e = less ? 0 : ea - eb;
  double step = (double)(1L << e % 48);
  for (int left = less ? -1 : e / 48; left >= 0; left--) {
    double t = r * step;
    q = trunc_of(t * inverse);
    r = rest_of(t, q, d);
    bool over = r < 0;
    r = over ? r + d : r;
    q = over ? q - 1 : q;
    step = 0x1p48;
  }
  *quotient = (uint)(long)q;
  r = less ? a : ldexp(r, eb);
  return bad ? NAN : r;
}
/* Whether rest_of takes b, which may be infinite where nothing is asked of the rest. */
INLINE bool has_halves(float b) { return true; }
INLINE bool has_halves(double b) { return __kiln_fused() || b < 0x1p+990 || b == INFINITY; }

#define POSITIVE_REST(T, U)                                                                        \
  COLD T __kiln_remainder_rare(T a, T b) {                                                         \
    uint q;                                                                                        \
    return (T)divide_slowly(a, b, &q);                                                             \
  }                                                                                                \
  COLD uint __kiln_quotient_rare(T a, T b) {                                                       \
    uint q;                                                                                        \
    divide_slowly(a, b, &q);                                                                       \
    return q;                                                                                      \
  }                                                                                                \
  /* a mod b. The rounded quotient, cut off, is right or one too large; the difference is exact, and normal    \
     where b is large enough: kernels may flush denormals. */                                      \
  INLINE T remainder_positive(T a, T b, __private uint *quotient) {                                \
    T n = trunc_of(a / b);                                                                         \
    T r = rest_of(a, n, b);                                                                        \
    r = n == (T)0 ? a : r; /* b may be infinite */                                                 \
    bool over = r < (T)0;                                                                          \
    r = over ? r + b : r;                                                                          \
    uint q = (uint)(U)n - over;                                                                    \
    if (unlikely(!(a < b * unit_##T && b >= SMALLEST_##T * unit_##T && has_halves(b)))) {          \
      r = __kiln_remainder_rare(a, b);                                                             \
      q = __kiln_quotient_rare(a, b);                                                              \
    }                                                                                              \
    *quotient = q;                                                                                 \
    return r;                                                                                      \
  }
#define unit_float 0x1p+24f
#define unit_double 0x1p+53
POSITIVE_REST(float, uint)
POSITIVE_REST(double, ulong)

#define REMAINDERS(T, I, U, N)                                                                     \
  OVER T fmod(T x, T y) {                                                                          \
    uint q;                                                                                        \
    return copysign_of(remainder_positive(fabs_of(x), fabs_of(y), &q), x);                         \
  }                                                                                                \
  /* The remainder nearest to zero, ties to an even quotient; seven bits of the quotient. */       \
  INLINE T remainder_of(T x, T y, __private int *quotient) {                                       \
    uint q;                                                                                        \
    T b = fabs_of(y), r = remainder_positive(fabs_of(x), b, &q);                                   \
    bool up = r > b - r || (r == b - r && (q & 1));                                                \
    r = up ? r - b : r;                                                                            \
    int low = (int)((q + up) & 0x7f);                                                              \
    low = (bits_of(x) ^ bits_of(y)) >> (N - 1) ? -low : low;                                       \
    *quotient = r != r ? 0 : low;                                                                  \
    T s = bits_of(x) >> (N - 1) ? -r : r;                                                          \
    return r == (T)0 ? copysign_of((T)0, x) : s;                                                   \
  }                                                                                                \
  OVER T remainder(T x, T y) {                                                                     \
    int q;                                                                                         \
    return remainder_of(x, y, &q);                                                                 \
  }
REMAINDERS(float, int, uint, 32)
REMAINDERS(double, long, ulong, 64)
OVER half fmod(half x, half y) { return (half)fmod((float)x, (float)y); }
OVER half remainder(half x, half y) { return (half)remainder((float)x, (float)y); }

#define REMQUO(SPACE, T)                                                                           \
  OVER T remquo(T x, T y, SPACE int *quotient) {                                                   \
    int q;                                                                                         \
    T r = remainder_of(x, y, &q);                                                                  \
    *quotient = q;                                                                                 \
    return r;                                                                                      \
  }
FOR_SPACES(REMQUO, float)
FOR_SPACES(REMQUO, double)
#define REMQUO_HALF(SPACE)                                                                         \
  OVER half remquo(half x, half y, SPACE int *quotient) {                                          \
    int q;                                                                                         \
    float r = remainder_of((float)x, (float)y, &q);                                                \
    *quotient = q;                                                                                 \
    return (half)r;                                                                                \
  }
FOR_SPACES(REMQUO_HALF)

/* ---- half_ forms that are one operation ---- */

OVER float half_sqrt(float x) { return sqrt_of(x); }
OVER float half_rsqrt(float x) { return __kiln_avx512() ? __kiln_rsqrt14_f(x) : 1.0f / sqrt_of(x); }
OVER float half_recip(float x) { return __kiln_avx512() ? __kiln_rcp14_f(x) : 1.0f / x; }
OVER float half_divide(float x, float y) { return x / y; }
