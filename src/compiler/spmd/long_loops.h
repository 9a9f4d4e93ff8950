/* Loops that are not unrolled before lowering. Without private arrays nothing becomes a register
 * by it, while each turn would become code as wide as the lanes, several vectors of it. */
#ifndef KILN_COMPILER_SPMD_LONG_LOOPS_H
#define KILN_COMPILER_SPMD_LONG_LOOPS_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stdint.h>

/* The function has private arrays of its own, or may have been given those of its callers. */
bool kiln_spmd_sees_private_arrays(LLVMValueRef fn);
/* Marks the loops of many turns in functions without private arrays, unless the program itself asks for or
 * against unrolling them. Wants rotated loops. */
void kiln_spmd_keep_long_loops(LLVMModuleRef module);
/* Turns of the loop that `branch` closes and a counter with known bounds ends; 0: not known. */
uint64_t kiln_spmd_loop_turns(LLVMValueRef branch);
/* The same, or the mean where the bounds are counters of loops with known bounds around it (triangles). */
uint64_t kiln_spmd_mean_turns(LLVMValueRef branch);
/* How many turns of that loop the program asks to be one; UINT64_MAX: as many as fit; 0: does not ask. */
uint64_t kiln_spmd_turns_asked_for(LLVMValueRef branch);
/* How many turns are to be one if the kernel gets lanes (KL_UNROLL_LATER); 0: none are. */
uint64_t kiln_spmd_turns_put_off(LLVMValueRef branch);
/* What the counter that ends it is compared with; NULL: no counter does. */
LLVMValueRef kiln_spmd_loop_limit(LLVMValueRef branch);
/* That loop is one block, */
bool kiln_spmd_is_one_block(LLVMValueRef branch);
uint64_t kiln_spmd_block_size(LLVMBasicBlockRef block); /* of so many instructions */
/* The program has a say in it, or more to say than is read. */
bool kiln_spmd_unrolling_is_decided(LLVMValueRef branch);
/* That it is not to be unrolled is decided only until lanes go along rows in it. */
bool kiln_spmd_is_kept_for_now(LLVMValueRef branch);
/* `branch` closes a loop of few turns that would be too much code, in such a function: LLVM would not unroll
 * it either, but of code in lanes takes up to 20 ms to find that out. */
bool kiln_spmd_is_large_loop(LLVMValueRef branch);
/* The branch closes a loop that is not to be unrolled, of a function with private arrays: others are kept
 * only until their lanes are known. */
bool kiln_spmd_is_kept_loop(LLVMValueRef branch);

#endif
