/* Integer functions: OpenCL C 3.0, section 6.15.3, cl_khr_extended_bit_ops and
 * cl_khr_integer_dot_product. Scalars; vectors are split by the compiler. */
#include "kiln.h"

/* (x + y) / 2 without the carry out of the top bit, rounded down and up. */
#define INTEGER(T, U, N)                                                                           \
  OVER U abs(T x) { return (U)(x < (T)0 ? -(U)x : (U)x); }                                         \
  OVER U abs_diff(T x, T y) { return x > y ? (U)((U)x - (U)y) : (U)((U)y - (U)x); }                \
  OVER T hadd(T x, T y) { return (T)((x & y) + ((x ^ y) >> 1)); }                                  \
  OVER T rhadd(T x, T y) { return (T)((x | y) - ((x ^ y) >> 1)); }                                 \
  OVER T max(T x, T y) { return max_of(x, y); }                                                    \
  OVER T min(T x, T y) { return min_of(x, y); }                                                    \
  OVER T clamp(T x, T lo, T hi) { return min_of(max_of(x, lo), hi); }                              \
  OVER T clz(T x) { return (T)__builtin_clzg((U)x, N); }                                           \
  OVER T ctz(T x) { return (T)__builtin_ctzg((U)x, N); }                                           \
  OVER T popcount(T x) { return (T)__builtin_popcountg((U)x); }                                    \
  OVER T rotate(T x, T n) {                                                                        \
    U s = (U)n & (N - 1);                                                                          \
    return (T)((U)((U)x << s) | (U)((U)x >> ((U)-s & (N - 1))));                                   \
  }                                                                                                \
  OVER T bit_reverse(T x) { return (T)__builtin_bitreverse##N((U)x); }
FOR_INTS(INTEGER)

#define SATURATING(T)                                                                              \
  OVER T add_sat(T x, T y) { return __builtin_elementwise_add_sat(x, y); }                         \
  OVER T sub_sat(T x, T y) { return __builtin_elementwise_sub_sat(x, y); }
SATURATING(int) SATURATING(uint) SATURATING(long) SATURATING(ulong)

/* clang would promote these to int. */
#define SATURATING_NARROW(T, LO, HI)                                                               \
  OVER T add_sat(T x, T y) { return (T)min_of(max_of((int)x + (int)y, LO), HI); }                  \
  OVER T sub_sat(T x, T y) { return (T)min_of(max_of((int)x - (int)y, LO), HI); }
SATURATING_NARROW(char, SCHAR_MIN, SCHAR_MAX)
SATURATING_NARROW(uchar, 0, UCHAR_MAX)
SATURATING_NARROW(short, SHRT_MIN, SHRT_MAX)
SATURATING_NARROW(ushort, 0, USHRT_MAX)

/* Products: narrow types in a wider one, 64 bits by halves. */
#define PRODUCT(T, W, N, LO, HI)                                                                   \
  OVER T mul_hi(T x, T y) { return (T)((W)x * (W)y >> N); }                                        \
  OVER T mad_hi(T x, T y, T z) { return (T)(mul_hi(x, y) + z); }                                   \
  OVER T mad_sat(T x, T y, T z) {                                                                  \
    W r = (W)x * (W)y + (W)z;                                                                      \
    return (T)(r > (W)HI ? (W)HI : r < (W)LO ? (W)LO : r);                                         \
  }
PRODUCT(char, int, 8, SCHAR_MIN, SCHAR_MAX)
PRODUCT(uchar, int, 8, 0, UCHAR_MAX)
PRODUCT(short, int, 16, SHRT_MIN, SHRT_MAX)
PRODUCT(ushort, uint, 16, 0, USHRT_MAX)
PRODUCT(int, long, 32, INT_MIN, INT_MAX)
PRODUCT(uint, ulong, 32, 0, UINT_MAX)

/* No partial sum exceeds 64 bits: (2^32-1)^2 + 2 (2^32-1) = 2^64-1. */
OVER ulong mul_hi(ulong x, ulong y) {
  ulong xl = (uint)x, xh = x >> 32, yl = (uint)y, yh = y >> 32;
  ulong mid = xh * yl + (xl * yl >> 32);
  ulong mid2 = xl * yh + (uint)mid;
  return xh * yh + (mid >> 32) + (mid2 >> 32);
}

OVER long mul_hi(long x, long y) {
  ulong r = mul_hi((ulong)x, (ulong)y);
  return (long)(r - (x < 0 ? (ulong)y : 0) - (y < 0 ? (ulong)x : 0));
}

OVER long mad_hi(long x, long y, long z) { return (long)((ulong)mul_hi(x, y) + (ulong)z); }
OVER ulong mad_hi(ulong x, ulong y, ulong z) { return mul_hi(x, y) + z; }

OVER ulong mad_sat(ulong x, ulong y, ulong z) {
  ulong lo = x * y, sum = lo + z;
  return mul_hi(x, y) != 0 || sum < lo ? ULONG_MAX : sum;
}

/* The exact result is hi:lo; it fits when hi is the sign extension of lo. */
OVER long mad_sat(long x, long y, long z) {
  ulong lo = (ulong)x * (ulong)y, sum = lo + (ulong)z;
  long hi = (long)((ulong)mul_hi(x, y) + (ulong)(z >> 63) + (sum < lo));
  return hi == (long)sum >> 63 ? (long)sum : hi < 0 ? LONG_MIN : LONG_MAX;
}

#define UPSAMPLE(W, H, L, N)                                                                       \
  OVER W upsample(H hi, L lo) { return (W)((W)((W)hi << N) | (W)lo); }
UPSAMPLE(short, char, uchar, 8)
UPSAMPLE(ushort, uchar, uchar, 8)
UPSAMPLE(int, short, ushort, 16)
UPSAMPLE(uint, ushort, ushort, 16)
UPSAMPLE(long, int, uint, 32)
UPSAMPLE(ulong, uint, uint, 32)

OVER int mul24(int x, int y) { return (int)((uint)x * (uint)y); }
OVER uint mul24(uint x, uint y) { return x * y; }
OVER int mad24(int x, int y, int z) { return (int)((uint)x * (uint)y + (uint)z); }
OVER uint mad24(uint x, uint y, uint z) { return x * y + z; }

/* Bit fields. A count of 0 gives 0, or the base unchanged. */
#define BITFIELD(T, U, N)                                                                          \
  OVER T bitfield_insert(T base, T insert, uint offset, uint count) {                              \
    U ones = (U)(count >= N ? ~(U)0 : (U)(((U)1 << (count & (N - 1))) - 1));                       \
    U mask = (U)(ones << (offset & (N - 1)));                                                      \
    mask = count == 0 ? (U)0 : mask;                                                               \
    return (T)(((U)base & (U)~mask) | ((U)((U)insert << (offset & (N - 1))) & mask));              \
  }                                                                                                \
  OVER U bitfield_extract_unsigned(T base, uint offset, uint count) {                              \
    U up = (U)((U)base << ((N - offset - count) & (N - 1)));                                       \
    U field = (U)(up >> ((N - count) & (N - 1)));                                                  \
    return count == 0 ? (U)0 : field;                                                              \
  }
FOR_INTS(BITFIELD)

#define BITFIELD_SIGNED(T, S, U, N)                                                                \
  OVER S bitfield_extract_signed(T base, uint offset, uint count) {                                \
    S up = (S)(U)((U)base << ((N - offset - count) & (N - 1)));                                    \
    S field = (S)(up >> ((N - count) & (N - 1)));                                                  \
    return count == 0 ? (S)0 : field;                                                              \
  }
BITFIELD_SIGNED(char, char, uchar, 8)
BITFIELD_SIGNED(uchar, char, uchar, 8)
BITFIELD_SIGNED(short, short, ushort, 16)
BITFIELD_SIGNED(ushort, short, ushort, 16)
BITFIELD_SIGNED(int, int, uint, 32)
BITFIELD_SIGNED(uint, int, uint, 32)
BITFIELD_SIGNED(long, long, ulong, 64)
BITFIELD_SIGNED(ulong, long, ulong, 64)

/* Integer dot product. The packed forms hold four bytes, lowest first. */
#define DOT4(A, B, A4, B4, R, X, PACKED)                                                           \
  OVER R dot(A4 a, B4 b) {                                                                         \
    return (R)a.s0 * (R)b.s0 + (R)a.s1 * (R)b.s1 + (R)a.s2 * (R)b.s2 + (R)a.s3 * (R)b.s3;          \
  }                                                                                                \
  OVER R dot_acc_sat(A4 a, B4 b, R acc) { return add_sat(dot(a, b), acc); }                        \
  OVER R dot_4x8packed_##PACKED(uint a, uint b) {                                                  \
    return dot(__builtin_astype(a, A4), __builtin_astype(b, B4));                                  \
  }                                                                                                \
  OVER R dot_acc_sat_4x8packed_##PACKED(uint a, uint b, R acc) {                                   \
    return add_sat(dot_4x8packed_##PACKED(a, b), acc);                                             \
  }
DOT4(uchar, uchar, uchar4, uchar4, uint, uint, uu_uint)
DOT4(char, char, char4, char4, int, int, ss_int)
DOT4(uchar, char, uchar4, char4, int, int, us_int)
DOT4(char, uchar, char4, uchar4, int, int, su_int)
