/* Relaxed quotients from the processor's guesses of reciprocals. */
#ifndef KILN_COMPILER_GUESSED_QUOTIENTS_H
#define KILN_COMPILER_GUESSED_QUOTIENTS_H

#include <llvm-c/Types.h>

/* Divisions of vectors of floats that allow reciprocals and promise finite numbers become products with a
 * guess of 14 bits (AVX-512), refined once: to some 1.5 units in the last place. Quotients by infinity and by
 * nothing are what division makes of them, where code generation's own form makes NaN: programs clamp them
 * (Mandelbulber). Divisors beyond 2^126 count as infinity. Quotients by roots are left to code generation. */
void kiln_guess_quotients(LLVMModuleRef module);

#endif
