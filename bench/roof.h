/* What bench/roof.c times. The functions that do floating-point arithmetic are compiled twice, with strict
 * and with relaxed rules; see roof_math.c. */
#ifndef KILN_BENCH_ROOF_H
#define KILN_BENCH_ROOF_H

#include <stddef.h>

#define ROOF_MATH_FUNCTIONS(X) X(nbody) X(blackscholes) X(mandelbrot) X(matmul)

/* Each works on the case's buffers in the order of the kernel's arguments, without local ones; n: the number
 * of items, bodies or pixels in the first dimension. */
typedef void roof_function(size_t n, void *const buffer[]);

#define X(name) roof_function roof_##name##_strict, roof_##name##_relaxed;
ROOF_MATH_FUNCTIONS(X)
#undef X

#endif
