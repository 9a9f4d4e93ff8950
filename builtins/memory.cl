/* vload and vstore: OpenCL C 3.0, section 6.15.8, and the shuffles of 6.15.14.
 * Half loads and stores are in half.cl.
 * Pointers are aligned to the element only. Three components are never read or
 * written as four. */
#include "kiln.h"

#define UNALIGNED(T, N)                                                                            \
  typedef struct __attribute__((packed, aligned(sizeof(T)))) {                                     \
    T##N v;                                                                                        \
  } unaligned_##T##N;
#define UNALIGNED_ALL(T) UNALIGNED(T, 2) UNALIGNED(T, 4) UNALIGNED(T, 8) UNALIGNED(T, 16)
FOR_SCALARS(UNALIGNED_ALL)

#define LOAD(SPACE, T, N)                                                                          \
  OVER T##N vload##N(size_t i, const SPACE T *p) {                                                 \
    return ((const SPACE unaligned_##T##N *)(p + i * N))->v;                                       \
  }
#define LOADS(SPACE, T)                                                                            \
  LOAD(SPACE, T, 2) LOAD(SPACE, T, 4) LOAD(SPACE, T, 8) LOAD(SPACE, T, 16)                         \
  OVER T##3 vload3(size_t i, const SPACE T *p) {                                                   \
    p += i * 3;                                                                                    \
    return (T##3)(p[0], p[1], p[2]);                                                               \
  }
#define LOADS_ALL(SPACE) FOR_SCALARS(LOADS_IN, SPACE)
#define LOADS_IN(T, SPACE) LOADS(SPACE, T)
FOR_SPACES(LOADS_ALL)
LOADS_ALL(__constant)

#define STORE(SPACE, T, N)                                                                         \
  OVER void vstore##N(T##N v, size_t i, SPACE T *p) { ((SPACE unaligned_##T##N *)(p + i * N))->v = v; }
#define STORES(SPACE, T)                                                                           \
  STORE(SPACE, T, 2) STORE(SPACE, T, 4) STORE(SPACE, T, 8) STORE(SPACE, T, 16)                     \
  OVER void vstore3(T##3 v, size_t i, SPACE T *p) {                                                \
    p += i * 3;                                                                                    \
    p[0] = v.s0;                                                                                   \
    p[1] = v.s1;                                                                                   \
    p[2] = v.s2;                                                                                   \
  }
#define STORES_IN(T, SPACE) STORES(SPACE, T)
#define STORES_ALL(SPACE) FOR_SCALARS(STORES_IN, SPACE)
FOR_SPACES(STORES_ALL)
