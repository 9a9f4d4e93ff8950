/* Relational functions: OpenCL C 3.0, section 6.15.6. Scalars return 1 for
 * true; the compiler makes that -1 when it splits a vector form. */
#include "kiln.h"

#define RELATIONAL(T, I, U, N)                                                                     \
  OVER int isequal(T x, T y) { return x == y; }                                                    \
  OVER int isnotequal(T x, T y) { return x != y; }                                                 \
  OVER int isgreater(T x, T y) { return x > y; }                                                   \
  OVER int isgreaterequal(T x, T y) { return x >= y; }                                             \
  OVER int isless(T x, T y) { return x < y; }                                                      \
  OVER int islessequal(T x, T y) { return x <= y; }                                                \
  OVER int islessgreater(T x, T y) { return x < y || x > y; }                                      \
  OVER int isordered(T x, T y) { return x == x && y == y; }                                        \
  OVER int isunordered(T x, T y) { return x != x || y != y; }                                      \
  OVER int isnan(T x) { return x != x; }                                                           \
  OVER int isinf(T x) { return fabs_of(x) == (T)INFINITY; }                                        \
  OVER int isfinite(T x) { return fabs_of(x) < (T)INFINITY; }                                      \
  OVER int isnormal(T x) { return fabs_of(x) < (T)INFINITY && fabs_of(x) >= SMALLEST_##T; }        \
  OVER int signbit(T x) { return (U)__builtin_astype(x, U) >> (N - 1); }
#define SMALLEST_half ((half)0x1p-14f)
#define SMALLEST_float 0x1p-126f
#define SMALLEST_double 0x1p-1022
FOR_FLOATS(RELATIONAL)

#define BITSELECT(T, U)                                                                            \
  OVER T bitselect(T a, T b, T c) {                                                                \
    U x = __builtin_astype(a, U), y = __builtin_astype(b, U), m = __builtin_astype(c, U);          \
    return __builtin_astype((U)((x & (U)~m) | (y & m)), T);                                        \
  }
BITSELECT(char, uchar) BITSELECT(uchar, uchar) BITSELECT(short, ushort) BITSELECT(ushort, ushort)
BITSELECT(int, uint) BITSELECT(uint, uint) BITSELECT(long, ulong) BITSELECT(ulong, ulong)
BITSELECT(half, ushort) BITSELECT(float, uint) BITSELECT(double, ulong)

#define SELECT(T, I, U)                                                                            \
  OVER T select(T a, T b, I c) { return c ? b : a; }                                               \
  OVER T select(T a, T b, U c) { return c ? b : a; }
SELECT(char, char, uchar) SELECT(uchar, char, uchar) SELECT(short, short, ushort)
SELECT(ushort, short, ushort) SELECT(int, int, uint) SELECT(uint, int, uint)
SELECT(long, long, ulong) SELECT(ulong, long, ulong) SELECT(half, short, ushort)
SELECT(float, int, uint) SELECT(double, long, ulong)

/* any and all look at the top bit of each component. */
#define ANY_ALL(T)                                                                                 \
  OVER int any(T x) { return x < (T)0; }                                                           \
  OVER int all(T x) { return x < (T)0; }                                                           \
  OVER int any(T##2 x) { return (T)(x.s0 | x.s1) < (T)0; }                                         \
  OVER int all(T##2 x) { return (T)(x.s0 & x.s1) < (T)0; }                                         \
  OVER int any(T##3 x) { return (T)(x.s0 | x.s1 | x.s2) < (T)0; }                                  \
  OVER int all(T##3 x) { return (T)(x.s0 & x.s1 & x.s2) < (T)0; }                                  \
  OVER int any(T##4 x) { return any(x.lo | x.hi); }                                                \
  OVER int all(T##4 x) { return all(x.lo & x.hi); }                                                \
  OVER int any(T##8 x) { return any(x.lo | x.hi); }                                                \
  OVER int all(T##8 x) { return all(x.lo & x.hi); }                                                \
  OVER int any(T##16 x) { return any(x.lo | x.hi); }                                               \
  OVER int all(T##16 x) { return all(x.lo & x.hi); }
ANY_ALL(char) ANY_ALL(short) ANY_ALL(int) ANY_ALL(long)
