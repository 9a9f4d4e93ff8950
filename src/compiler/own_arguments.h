/* Structures that kernels and functions are passed by value. */
#ifndef KILN_COMPILER_OWN_ARGUMENTS_H
#define KILN_COMPILER_OWN_ARGUMENTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Gives f, which has a body, a private copy of each: lowering wants it of those that a kernel changes, and of
 * all that functions are passed. */
void kiln_own_arguments(LLVMModuleRef module, LLVMValueRef f, bool is_kernel);

#endif
