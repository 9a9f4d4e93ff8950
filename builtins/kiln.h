/* What every builtin source includes first: types, type lists, bit views.
 *
 * Builtins are compiled without clang's own declarations (-cl-no-stdinc), for
 * spir64, as OpenCL C 3.0 with all extensions; each function ends in a bitcode
 * blob of its own. Only scalar forms are written where a builtin works by
 * components: the compiler splits the vector calls. Rules for the code:
 * selects instead of branches, fma() written out (contraction is off), no
 * writable globals, no table over 16 entries, rare paths in COLD functions. */
#ifndef KILN_BUILTINS_KILN_H
#define KILN_BUILTINS_KILN_H

#include "opencl-c-base.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#define OVER __attribute__((overloadable))
#define INLINE static __attribute__((always_inline, overloadable))
/* Of its arguments alone: a result that nobody wants is no call. */
#define COLD __attribute__((noinline, cold, const, overloadable))

/* M(type, unsigned type of the same size, bits, ...) */
#define FOR_INTS(M, ...)                                                                           \
  M(char, uchar, 8, ##__VA_ARGS__) M(uchar, uchar, 8, ##__VA_ARGS__)                               \
  M(short, ushort, 16, ##__VA_ARGS__) M(ushort, ushort, 16, ##__VA_ARGS__)                         \
  M(int, uint, 32, ##__VA_ARGS__) M(uint, uint, 32, ##__VA_ARGS__)                                 \
  M(long, ulong, 64, ##__VA_ARGS__) M(ulong, ulong, 64, ##__VA_ARGS__)

/* M(type, signed integer of the same size, unsigned integer, bits, ...) */
#define FOR_FLOATS(M, ...)                                                                         \
  M(half, short, ushort, 16, ##__VA_ARGS__) M(float, int, uint, 32, ##__VA_ARGS__)                 \
  M(double, long, ulong, 64, ##__VA_ARGS__)

/* M(type, ...) */
#define FOR_SCALARS(M, ...)                                                                        \
  M(char, ##__VA_ARGS__) M(uchar, ##__VA_ARGS__) M(short, ##__VA_ARGS__) M(ushort, ##__VA_ARGS__)  \
  M(int, ##__VA_ARGS__) M(uint, ##__VA_ARGS__) M(long, ##__VA_ARGS__) M(ulong, ##__VA_ARGS__)      \
  M(half, ##__VA_ARGS__) M(float, ##__VA_ARGS__) M(double, ##__VA_ARGS__)

/* M(space, ...): the spaces one may write to */
#define FOR_SPACES(M, ...)                                                                         \
  M(__private, ##__VA_ARGS__) M(__global, ##__VA_ARGS__) M(__local, ##__VA_ARGS__)                 \
  M(__generic, ##__VA_ARGS__)

/* Instructions that every target has: one llvm intrinsic each. */
#define fma_of(x, y, z) __builtin_elementwise_fma(x, y, z)
#define fabs_of(x) __builtin_elementwise_abs(x)
#define sqrt_of(x) __builtin_elementwise_sqrt(x)
#define rint_of(x) __builtin_elementwise_rint(x)
#define floor_of(x) __builtin_elementwise_floor(x)
#define ceil_of(x) __builtin_elementwise_ceil(x)
#define trunc_of(x) __builtin_elementwise_trunc(x)
#define copysign_of(x, y) __builtin_elementwise_copysign(x, y)
#define max_of(x, y) __builtin_elementwise_max(x, y)
#define min_of(x, y) __builtin_elementwise_min(x, y)
#define unlikely(c) __builtin_expect((c) != 0, 0)

/* x y + z: one operation or, where the processor has no such, two. */
#define TERM(T)                                                                                    \
  INLINE T term_of(T x, T y, T z) {                                                                \
    _Pragma("OPENCL FP_CONTRACT ON") return x * y + z;                                             \
  }
TERM(float) TERM(double)
#undef TERM
INLINE half term_of(half x, half y, half z) { return fma_of(x, y, z); }

#endif
