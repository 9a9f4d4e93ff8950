/* Products and sums that are rounded once, where the processor has no instruction for that. */
#ifndef KILN_COMPILER_SPLIT_FMA_H
#define KILN_COMPILER_SPLIT_FMA_H

#include <llvm-c/Types.h>

/* llvm.fma of floats and doubles, by itself or in vectors, becomes products and sums: the same to the last
 * bit, where code generation would call the C library for each element. */
void kiln_split_fma(LLVMModuleRef module);

#endif
