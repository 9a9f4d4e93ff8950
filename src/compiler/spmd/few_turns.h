/* Loops whose counter goes from a start up to the least of a limit and that start and a number, as those over
 * the few rows that a work-item takes of an image: `for (y = y0; y < min(rows, y0 + 4); y++)`. */
#ifndef KILN_COMPILER_SPMD_FEW_TURNS_H
#define KILN_COMPILER_SPMD_FEW_TURNS_H

#include <llvm-c/Types.h>

/* Ends those of one turn with it. Of those of a few turns, nobody knows how many, it takes hints back to
 * unroll them without a number: LLVM would take eight turns at once, which never come. Wants rotated loops.
 */
void kiln_spmd_bound_turns(LLVMModuleRef module);

#endif
