/* shuffle and shuffle2: OpenCL C 3.0, section 6.15.14. Only the low bits of a
 * mask component count; constant masks fold to register moves. */
#include "kiln.h"

#define PICK1(x, m, i, M) x[m[i] & (M - 1)]
#define PICK2(x, y, m, i, M) ((m[i] & M) ? y[m[i] & (M - 1)] : x[m[i] & (M - 1)])

#define SHUFFLE_2(T, U, M)                                                                         \
  OVER T##2 shuffle(T##M x, U##2 m) { return (T##2)(PICK1(x, m, 0, M), PICK1(x, m, 1, M)); }       \
  OVER T##2 shuffle2(T##M x, T##M y, U##2 m) {                                                     \
    return (T##2)(PICK2(x, y, m, 0, M), PICK2(x, y, m, 1, M));                                     \
  }

/* Wider results from halves. */
#define SHUFFLE_N(T, U, M, N, H)                                                                   \
  OVER T##N shuffle(T##M x, U##N m) { return (T##N)(shuffle(x, m.lo), shuffle(x, m.hi)); }         \
  OVER T##N shuffle2(T##M x, T##M y, U##N m) {                                                     \
    return (T##N)(shuffle2(x, y, m.lo), shuffle2(x, y, m.hi));                                     \
  }

/* Sixteen bytes of sixteen are one instruction on most processors; component i is x[m[i] & 15]. */
__attribute__((const)) uchar16 __kiln_permute(uchar16 x, uchar16 m);
#define SHUFFLE_BYTES(T)                                                                           \
  OVER T##16 shuffle(T##16 x, uchar16 m) { return as_##T##16(__kiln_permute(as_uchar16(x), m)); }  \
  OVER T##16 shuffle2(T##16 x, T##16 y, uchar16 m) {                                               \
    return (m & (uchar16)16) != (uchar16)0 ? shuffle(y, m) : shuffle(x, m);                        \
  }

#define SHUFFLE_UP_TO_8(T, U, M) SHUFFLE_2(T, U, M) SHUFFLE_N(T, U, M, 4, 2) SHUFFLE_N(T, U, M, 8, 4)
#define SHUFFLE_FROM(T, U, M) SHUFFLE_UP_TO_8(T, U, M) SHUFFLE_N(T, U, M, 16, 8)
#define SHUFFLES_OF_8(T, U) SHUFFLE_FROM(T, U, 2) SHUFFLE_FROM(T, U, 4) SHUFFLE_FROM(T, U, 8)
#define SHUFFLES(T, U) SHUFFLES_OF_8(T, U) SHUFFLE_FROM(T, U, 16)
SHUFFLES_OF_8(char, uchar) SHUFFLE_UP_TO_8(char, uchar, 16) SHUFFLE_BYTES(char)
SHUFFLES_OF_8(uchar, uchar) SHUFFLE_UP_TO_8(uchar, uchar, 16) SHUFFLE_BYTES(uchar)
SHUFFLES(short, ushort) SHUFFLES(ushort, ushort)
SHUFFLES(int, uint) SHUFFLES(uint, uint) SHUFFLES(long, ulong) SHUFFLES(ulong, ulong)
SHUFFLES(half, ushort) SHUFFLES(float, uint) SHUFFLES(double, ulong)
