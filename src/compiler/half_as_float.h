/* What is wrong or loose when processors do it with halves is done with floats. */
#ifndef KILN_COMPILER_HALF_AS_FLOAT_H
#define KILN_COMPILER_HALF_AS_FLOAT_H

#include <llvm-c/Core.h>

/* Both to be done when no pass follows that would undo it. */

/* Relaxed quotients of halves are within half's bounds. */
void kiln_widen_half_quotients(LLVMModuleRef module);
/* Comparisons of vectors of halves come out right. */
void kiln_widen_half_comparisons(LLVMModuleRef module);

#endif
