/* The walk over all instructions of a module. */
#ifndef KILN_COMPILER_VISIT_H
#define KILN_COMPILER_VISIT_H

#include <llvm-c/Types.h>

/* Calls visit for each instruction of the module in turn, with a builder for what it makes. It returns the
 * instruction of the same block to go on with, or NULL at the block's end: it may erase what it has passed.
 */
void kiln_visit_instructions(LLVMModuleRef module,
                             LLVMValueRef (*visit)(LLVMBuilderRef builder, LLVMValueRef instruction));

#endif
