/* vload_half, vloada_half and vstore_half, vstorea_half in every rounding mode:
 * OpenCL C 3.0, section 6.15.8. The aligned forms step by four elements for
 * vectors of three. */
#include "half.h"

#define UNALIGNED(N)                                                                               \
  typedef struct __attribute__((packed, aligned(2))) {                                             \
    half##N v;                                                                                     \
  } unaligned_half##N;
UNALIGNED(2) UNALIGNED(4) UNALIGNED(8) UNALIGNED(16)

/* ---- loads ---- */

#define LOAD(SPACE, N)                                                                             \
  OVER float##N vload_half##N(size_t i, const SPACE half *p) {                                     \
    return __builtin_convertvector(((const SPACE unaligned_half##N *)(p + i * N))->v, float##N);   \
  }                                                                                                \
  OVER float##N vloada_half##N(size_t i, const SPACE half *p) {                                    \
    return __builtin_convertvector(((const SPACE half##N *)p)[i], float##N);                       \
  }
#define LOADS(SPACE)                                                                               \
  LOAD(SPACE, 2) LOAD(SPACE, 4) LOAD(SPACE, 8) LOAD(SPACE, 16)                                     \
  OVER float vload_half(size_t i, const SPACE half *p) { return (float)p[i]; }                     \
  OVER float vloada_half(size_t i, const SPACE half *p) { return (float)p[i]; }                    \
  OVER float3 vload_half3(size_t i, const SPACE half *p) {                                         \
    p += i * 3;                                                                                    \
    return (float3)((float)p[0], (float)p[1], (float)p[2]);                                        \
  }                                                                                                \
  OVER float3 vloada_half3(size_t i, const SPACE half *p) {                                        \
    p += i * 4;                                                                                    \
    return (float3)((float)p[0], (float)p[1], (float)p[2]);                                        \
  }
FOR_SPACES(LOADS)
LOADS(__constant)

/* ---- stores: F the source type, R the rounding function ---- */

#define ROUND2(v, R) R((v).s0), R((v).s1)
#define ROUND4(v, R) ROUND2((v).lo, R), ROUND2((v).hi, R)
#define ROUND8(v, R) ROUND4((v).lo, R), ROUND4((v).hi, R)
#define ROUND16(v, R) ROUND8((v).lo, R), ROUND8((v).hi, R)

#define STORE(SPACE, F, N, SUFFIX, R)                                                              \
  OVER void vstore_half##N##SUFFIX(F##N v, size_t i, SPACE half *p) {                              \
    ((SPACE unaligned_half##N *)(p + i * N))->v = (half##N)(ROUND##N(v, R));                       \
  }                                                                                                \
  OVER void vstorea_half##N##SUFFIX(F##N v, size_t i, SPACE half *p) {                             \
    ((SPACE half##N *)p)[i] = (half##N)(ROUND##N(v, R));                                           \
  }
#define STORE_ALL(SPACE, F, SUFFIX, R)                                                             \
  OVER void vstore_half##SUFFIX(F v, size_t i, SPACE half *p) { p[i] = R(v); }                     \
  OVER void vstorea_half##SUFFIX(F v, size_t i, SPACE half *p) { p[i] = R(v); }                    \
  OVER void vstore_half3##SUFFIX(F##3 v, size_t i, SPACE half *p) {                                \
    p += i * 3;                                                                                    \
    p[0] = R(v.s0);                                                                                \
    p[1] = R(v.s1);                                                                                \
    p[2] = R(v.s2);                                                                                \
  }                                                                                                \
  OVER void vstorea_half3##SUFFIX(F##3 v, size_t i, SPACE half *p) {                               \
    p += i * 4;                                                                                    \
    p[0] = R(v.s0);                                                                                \
    p[1] = R(v.s1);                                                                                \
    p[2] = R(v.s2);                                                                                \
  }                                                                                                \
  STORE(SPACE, F, 2, SUFFIX, R) STORE(SPACE, F, 4, SUFFIX, R)                                      \
  STORE(SPACE, F, 8, SUFFIX, R) STORE(SPACE, F, 16, SUFFIX, R)
#define STORES(SPACE, F)                                                                           \
  STORE_ALL(SPACE, F, , half_rte) STORE_ALL(SPACE, F, _rte, half_rte)                              \
  STORE_ALL(SPACE, F, _rtz, half_rtz) STORE_ALL(SPACE, F, _rtp, half_rtp)                          \
  STORE_ALL(SPACE, F, _rtn, half_rtn)
FOR_SPACES(STORES, float)
FOR_SPACES(STORES, double)
