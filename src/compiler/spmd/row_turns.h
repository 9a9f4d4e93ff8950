/* Arguments that tell how long the rows are which loops sum up. */
#ifndef KILN_COMPILER_SPMD_ROW_TURNS_H
#define KILN_COMPILER_SPMD_ROW_TURNS_H

#include "compiler/compiler.h"

#include <llvm-c/Types.h>

/* Sets kiln_arg_info.turns of the kernel's arguments. Wants rotated loops. */
void kiln_row_turns_note(LLVMValueRef kernel, struct kiln_kernel_info *info);

#endif
