/* Relaxed quotients of halves are within half's bounds. */
#ifndef KILN_COMPILER_HALF_QUOTIENTS_H
#define KILN_COMPILER_HALF_QUOTIENTS_H

#include <llvm-c/Core.h>

/* To be done when no pass follows that would undo it. */
void kiln_widen_half_quotients(LLVMModuleRef module);

#endif
