/* Rounding to whole numbers, where the processor has no instruction for it. */
#ifndef KILN_COMPILER_ROUNDING_H
#define KILN_COMPILER_ROUNDING_H

#include <llvm-c/Types.h>

/* llvm.rint, trunc, floor and ceil of floats and doubles, by themselves or in vectors, become sums, where
 * code generation would call the C library for each element. Kernels run with rounding to the nearest
 * (drivers/cpu/fpu.h). To be done when no pass follows that takes sums apart. */
void kiln_round_by_sums(LLVMModuleRef module);

#endif
