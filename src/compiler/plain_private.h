/* Volatile variables that nobody else can see. */
#ifndef KILN_COMPILER_PLAIN_PRIVATE_H
#define KILN_COMPILER_PLAIN_PRIVATE_H

#include <llvm-c/Types.h>

/* Accesses of private variables whose address stays in their function are no longer volatile, so that the
 * variables can become values: nothing outside a work-item observes its private memory. */
void kiln_plain_private(LLVMModuleRef module);

#endif
