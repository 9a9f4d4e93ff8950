/* Loops whose counters choose elements of private arrays: unrolled, they leave registers where the arrays
 * were. LLVM weighs the instructions alone and takes up to some 150 of them, whatever becomes of the memory.
 */
#ifndef KILN_COMPILER_SPMD_ARRAY_LOOPS_H
#define KILN_COMPILER_SPMD_ARRAY_LOOPS_H

#include <llvm-c/Types.h>

/* Marks loops for unrolling where that makes every index into an array known that they look at, or what a
 * function of the builtins gives, unless the program has a say in it: those of one block and known turns, and
 * loops whose bounds are another loop's counter, as in sorting, with that other loop. Wants rotated loops. */
void kiln_spmd_unroll_array_loops(LLVMModuleRef module);

#endif
