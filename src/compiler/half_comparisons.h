/* Comparisons of vectors of halves come out right. */
#ifndef KILN_COMPILER_HALF_COMPARISONS_H
#define KILN_COMPILER_HALF_COMPARISONS_H

#include <llvm-c/Core.h>

/* To be done when no pass follows that would undo it. */
void kiln_widen_half_comparisons(LLVMModuleRef module);

#endif
