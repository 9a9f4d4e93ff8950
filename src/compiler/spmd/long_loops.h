/* Loops that are not unrolled before lowering. Without private arrays nothing becomes a register
 * by it, while each turn would become code as wide as the lanes, several vectors of it. */
#ifndef KILN_COMPILER_SPMD_LONG_LOOPS_H
#define KILN_COMPILER_SPMD_LONG_LOOPS_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Marks the loops of many turns in functions without private arrays, unless the program itself asks for or
 * against unrolling them. Wants rotated loops. */
void kiln_spmd_keep_long_loops(LLVMModuleRef module);
/* The program asks for several turns of the loop that `branch` closes at once, so many or as many as fit. */
bool kiln_spmd_is_to_be_unrolled(LLVMValueRef branch);
/* `branch` closes a loop of few turns that would be too much code, in such a function: LLVM would not unroll
 * it either, but of code in lanes takes up to 20 ms to find that out. */
bool kiln_spmd_is_large_loop(LLVMValueRef branch);

#endif
