/* Loops whose counter goes from a start up to the least of a limit and that start and a number, as those over
 * the few rows that a work-item takes of an image: `for (y = y0; y < min(rows, y0 + 4); y++)`. */
#ifndef KILN_COMPILER_SPMD_FEW_TURNS_H
#define KILN_COMPILER_SPMD_FEW_TURNS_H

#include <llvm-c/Types.h>

/* Ends those of one turn with it. Others that the program asks to be unrolled, without a number, are by as
 * many turns as they have at most, where LLVM would take eight, which never come. Wants rotated loops. */
void kiln_spmd_bound_turns(LLVMModuleRef module);

#endif
