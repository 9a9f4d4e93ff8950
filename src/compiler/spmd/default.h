/* Switches whose default is never taken. */
#ifndef KILN_COMPILER_SPMD_DEFAULT_H
#define KILN_COMPILER_SPMD_DEFAULT_H

#include <llvm-c/Types.h>

/* Their default becomes one of their cases: an edge to code that nothing reaches would look like a way out of
 * loops, taken by some work-items and not by others. */
void kiln_default_close(LLVMModuleRef module);

#endif
