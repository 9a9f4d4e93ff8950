/* Structures by value that kernels change. */
#ifndef KILN_COMPILER_OWN_ARGUMENTS_H
#define KILN_COMPILER_OWN_ARGUMENTS_H

#include <llvm-c/Core.h>

/* Gives the kernel a private copy of each; lowering wants it. */
void kiln_own_arguments(LLVMModuleRef module, LLVMValueRef kernel);

#endif
