/* Explicit conversions between scalars: OpenCL C 3.0, section 6.2.3. Rounding
 * modes are done on values and bits: the processor stays in round-to-nearest.
 * Without a mode, to integer rounds toward zero, to floating point to nearest.
 * Saturation takes NaN to 0. */
#include "half.h"

/* M(suffix, mode) for the four modes and the default of each kind of target */
#define INT_MODES(M, ...)                                                                          \
  M(, rtz, ##__VA_ARGS__) M(_rte, rte, ##__VA_ARGS__) M(_rtz, rtz, ##__VA_ARGS__)                  \
  M(_rtp, rtp, ##__VA_ARGS__) M(_rtn, rtn, ##__VA_ARGS__)
#define FLOAT_MODES(M, ...)                                                                        \
  M(, rte, ##__VA_ARGS__) M(_rte, rte, ##__VA_ARGS__) M(_rtz, rtz, ##__VA_ARGS__)                  \
  M(_rtp, rtp, ##__VA_ARGS__) M(_rtn, rtn, ##__VA_ARGS__)

#define MIN_char SCHAR_MIN
#define MAX_char SCHAR_MAX
#define MIN_uchar 0
#define MAX_uchar UCHAR_MAX
#define MIN_short SHRT_MIN
#define MAX_short SHRT_MAX
#define MIN_ushort 0
#define MAX_ushort USHRT_MAX
#define MIN_int INT_MIN
#define MAX_int INT_MAX
#define MIN_uint 0
#define MAX_uint UINT_MAX
#define MIN_long LONG_MIN
#define MAX_long LONG_MAX
#define MIN_ulong 0
#define MAX_ulong ULONG_MAX

/* ---- integer to integer ---- */

#define TO_INT_FROM_INT(SUFFIX, MODE, T, S)                                                        \
  OVER T convert_##T##SUFFIX(S x) { return (T)x; }                                                 \
  OVER T convert_##T##_sat##SUFFIX(S x) { return saturate_##T(x); }

/* Through the widest type of the source's signedness; narrowed again by the optimiser. */
#define SATURATE(T)                                                                                \
  INLINE T saturate_signed_##T(long v) {                                                           \
    T r = v > 0 && (ulong)v > (ulong)MAX_##T ? (T)MAX_##T : (T)v;                                  \
    return v < (long)MIN_##T ? (T)MIN_##T : r;                                                     \
  }                                                                                                \
  INLINE T saturate_unsigned_##T(ulong v) { return v > (ulong)MAX_##T ? (T)MAX_##T : (T)v; }       \
  INLINE T saturate_##T(char x) { return saturate_signed_##T(x); }                                 \
  INLINE T saturate_##T(short x) { return saturate_signed_##T(x); }                                \
  INLINE T saturate_##T(int x) { return saturate_signed_##T(x); }                                  \
  INLINE T saturate_##T(long x) { return saturate_signed_##T(x); }                                 \
  INLINE T saturate_##T(uchar x) { return saturate_unsigned_##T(x); }                              \
  INLINE T saturate_##T(ushort x) { return saturate_unsigned_##T(x); }                             \
  INLINE T saturate_##T(uint x) { return saturate_unsigned_##T(x); }                               \
  INLINE T saturate_##T(ulong x) { return saturate_unsigned_##T(x); }                              \
  INT_MODES(TO_INT_FROM_INT, T, char) INT_MODES(TO_INT_FROM_INT, T, uchar)                         \
  INT_MODES(TO_INT_FROM_INT, T, short) INT_MODES(TO_INT_FROM_INT, T, ushort)                       \
  INT_MODES(TO_INT_FROM_INT, T, int) INT_MODES(TO_INT_FROM_INT, T, uint)                           \
  INT_MODES(TO_INT_FROM_INT, T, long) INT_MODES(TO_INT_FROM_INT, T, ulong)
SATURATE(char) SATURATE(uchar) SATURATE(short) SATURATE(ushort)
SATURATE(int) SATURATE(uint) SATURATE(long) SATURATE(ulong)

/* ---- floating point to integer ---- */

/* The conversion instruction truncates. */
#define INTEGRAL_rtz(x) (x)
#define INTEGRAL_rte(x) rint_of(x)
#define INTEGRAL_rtp(x) ceil_of(x)
#define INTEGRAL_rtn(x) floor_of(x)

/* Narrow integers by way of int. The lower limit is exact in every type; where it is 0 it takes the place of NaN as well,
 * which no comparison finds above it. */
#define TO_INT_FROM_FLOAT(SUFFIX, MODE, T, F, VIA, HOLD)                                           \
  OVER T convert_##T##SUFFIX(F x) { return (T)(VIA)INTEGRAL_##MODE(x); }                           \
  OVER T convert_##T##_sat##SUFFIX(F x) {                                                          \
    F number = MIN_##T == 0 || x == x ? x : (F)0;                                                  \
    F v = number > (F)MIN_##T ? number : (F)MIN_##T;                                               \
    return HOLD(T, F, VIA, MODE, v);                                                               \
  }
/* The upper limit, exact in F; or one past it, a power of two. */
#define HOLD_EXACT(T, F, VIA, MODE, v) ((T)(VIA)INTEGRAL_##MODE((v < (F)MAX_##T ? v : (F)MAX_##T)))
#define HOLD_BELOW(T, F, VIA, MODE, v)                                                             \
  (v >= (F)(MAX_##T / 2 + 1) * 2 ? (T)MAX_##T : (T)(VIA)INTEGRAL_##MODE(v))

/* Half has at most 11 bits: exact in float. */
#define TO_INT_FROM_HALF(SUFFIX, MODE, T)                                                          \
  OVER T convert_##T##SUFFIX(half x) { return convert_##T##SUFFIX((float)x); }                     \
  OVER T convert_##T##_sat##SUFFIX(half x) { return convert_##T##_sat##SUFFIX((float)x); }
#define TO_INT(T, VIA, FLOAT, DOUBLE)                                                              \
  INT_MODES(TO_INT_FROM_FLOAT, T, float, VIA, HOLD_##FLOAT)                                        \
  INT_MODES(TO_INT_FROM_FLOAT, T, double, VIA, HOLD_##DOUBLE)                                      \
  INT_MODES(TO_INT_FROM_HALF, T)
TO_INT(char, int, EXACT, EXACT) TO_INT(uchar, int, EXACT, EXACT)
TO_INT(short, int, EXACT, EXACT) TO_INT(ushort, int, EXACT, EXACT)
TO_INT(int, int, BELOW, EXACT) TO_INT(uint, uint, BELOW, EXACT)
TO_INT(long, long, BELOW, BELOW) TO_INT(ulong, ulong, BELOW, BELOW)

/* ---- integer to floating point ---- */

/* The magnitude with all but the first DIGITS bits cleared converts exactly; when bits were lost, the next value
 * away from zero is one more as bits. */
#define FROM_MAGNITUDE(F, B, U, N, DIGITS)                                                         \
  INLINE F convert_magnitude_##F(U x, bool negative, bool up) {                                    \
    int drop = N - DIGITS - (int)__builtin_clzg(x, N);                                             \
    U low = ((U)1 << (drop > 0 ? drop : 0)) - 1;                                                   \
    F f = (F)(x & ~low);                                                                           \
    f = __builtin_astype((B)(__builtin_astype(f, B) + (B)(up & ((x & low) != 0))), F);             \
    return negative ? -f : f;                                                                      \
  }
FROM_MAGNITUDE(float, uint, uint, 32, 24)
FROM_MAGNITUDE(float, uint, ulong, 64, 24)
FROM_MAGNITUDE(double, ulong, ulong, 64, 53)

#define FROM_WIDE(F, S, U)                                                                         \
  INLINE U magnitude_##F(S x) { return x < 0 ? (U)0 - (U)x : (U)x; }                               \
  OVER F convert_##F(S x) { return (F)x; }                                                         \
  OVER F convert_##F##_rte(S x) { return (F)x; }                                                   \
  OVER F convert_##F##_rtz(S x) { return convert_magnitude_##F(magnitude_##F(x), x < 0, false); }  \
  OVER F convert_##F##_rtp(S x) { return convert_magnitude_##F(magnitude_##F(x), x < 0, x >= 0); } \
  OVER F convert_##F##_rtn(S x) { return convert_magnitude_##F(magnitude_##F(x), x < 0, x < 0); }
FROM_WIDE(float, int, uint) FROM_WIDE(float, uint, uint)
FROM_WIDE(float, long, ulong) FROM_WIDE(float, ulong, ulong)
FROM_WIDE(double, long, ulong) FROM_WIDE(double, ulong, ulong)

#define FROM_EXACT(SUFFIX, MODE, F, S) OVER F convert_##F##SUFFIX(S x) { return (F)x; }
FLOAT_MODES(FROM_EXACT, float, char) FLOAT_MODES(FROM_EXACT, float, uchar)
FLOAT_MODES(FROM_EXACT, float, short) FLOAT_MODES(FROM_EXACT, float, ushort)
FLOAT_MODES(FROM_EXACT, double, char) FLOAT_MODES(FROM_EXACT, double, uchar)
FLOAT_MODES(FROM_EXACT, double, short) FLOAT_MODES(FROM_EXACT, double, ushort)
FLOAT_MODES(FROM_EXACT, double, int) FLOAT_MODES(FROM_EXACT, double, uint)

/* An integer that float cannot hold is far beyond the largest half. */
#define HALF_FROM_INT(SUFFIX, MODE, S) OVER half convert_half##SUFFIX(S x) { return half_##MODE((float)x); }
FLOAT_MODES(HALF_FROM_INT, char) FLOAT_MODES(HALF_FROM_INT, uchar)
FLOAT_MODES(HALF_FROM_INT, short) FLOAT_MODES(HALF_FROM_INT, ushort)
FLOAT_MODES(HALF_FROM_INT, int) FLOAT_MODES(HALF_FROM_INT, uint)
FLOAT_MODES(HALF_FROM_INT, long) FLOAT_MODES(HALF_FROM_INT, ulong)

/* ---- floating point to floating point ---- */

FLOAT_MODES(FROM_EXACT, float, float) FLOAT_MODES(FROM_EXACT, float, half)
FLOAT_MODES(FROM_EXACT, double, double) FLOAT_MODES(FROM_EXACT, double, float)
FLOAT_MODES(FROM_EXACT, double, half) FLOAT_MODES(FROM_EXACT, half, half)
FLOAT_MODES(HALF_FROM_INT, float)
#define HALF_FROM_DOUBLE(SUFFIX, MODE) OVER half convert_half##SUFFIX(double x) { return half_##MODE(x); }
FLOAT_MODES(HALF_FROM_DOUBLE)

/* From the nearest float, one step back where it went the wrong way. */
INLINE float step_back(float f, bool back, int by) {
  return __builtin_astype(__builtin_astype(f, int) + (back ? by : 0), float);
}
OVER float convert_float(double d) { return (float)d; }
OVER float convert_float_rte(double d) { return (float)d; }
OVER float convert_float_rtz(double d) {
  float f = (float)d;
  return step_back(f, fabs_of((double)f) > fabs_of(d), -1);
}
OVER float convert_float_rtp(double d) {
  float f = (float)d;
  return step_back(f, (double)f < d, __builtin_astype(f, int) < 0 ? -1 : 1);
}
OVER float convert_float_rtn(double d) {
  float f = (float)d;
  return step_back(f, (double)f > d, __builtin_astype(f, int) < 0 ? 1 : -1);
}
