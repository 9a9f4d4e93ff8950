/* The floating-point control word of the calling thread (x86: MXCSR). */
#ifndef KILN_DRIVERS_CPU_FPU_H
#define KILN_DRIVERS_CPU_FPU_H

#include <stdbool.h>
#include <stdint.h>
#include <xmmintrin.h>

/* Round to nearest, no traps, denormals kept, or flushed and read as zero: what kernels expect. */
static inline uint32_t kiln_fpu_for_kernels(bool denorms_zero) { return denorms_zero ? 0x9fc0u : 0x1f80u; }
static inline uint32_t kiln_fpu_get(void) { return _mm_getcsr(); }
static inline void kiln_fpu_set(uint32_t word) { _mm_setcsr(word); }

static inline uint64_t kiln_ticks(void) { return __builtin_ia32_rdtsc(); }

#endif
