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

#define SHUFFLE_FROM(T, U, M)                                                                      \
  SHUFFLE_2(T, U, M) SHUFFLE_N(T, U, M, 4, 2) SHUFFLE_N(T, U, M, 8, 4) SHUFFLE_N(T, U, M, 16, 8)
#define SHUFFLES(T, U)                                                                             \
  SHUFFLE_FROM(T, U, 2) SHUFFLE_FROM(T, U, 4) SHUFFLE_FROM(T, U, 8) SHUFFLE_FROM(T, U, 16)
SHUFFLES(char, uchar) SHUFFLES(uchar, uchar) SHUFFLES(short, ushort) SHUFFLES(ushort, ushort)
SHUFFLES(int, uint) SHUFFLES(uint, uint) SHUFFLES(long, ulong) SHUFFLES(ulong, ulong)
SHUFFLES(half, ushort) SHUFFLES(float, uint) SHUFFLES(double, ulong)
