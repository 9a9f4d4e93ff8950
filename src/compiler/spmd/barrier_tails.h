/* Regions that would begin in the middle of a loop.
 *
 * Work-items that come from a barrier in some turns of a loop run on to its end and around, through turns
 * without a barrier: all of that is one region (regions.c). Where they may come back to the loop's code at
 * two places (a `continue` after the barrier, code after both), the region has a cycle with two entries,
 * which has no form in lanes (flow.h), though the kernel's own loops are all in order. */
#ifndef KILN_COMPILER_SPMD_BARRIER_TAILS_H
#define KILN_COMPILER_SPMD_BARRIER_TAILS_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Gives such barriers a copy of their own of what lies between them and the next turn, so that the loop is
 * entered by its header alone. Barriers are never copied. Where that would be much code, all stays as it is.
 * False when memory is short (*error_out: NULL) or a pass of LLVM's fails (a sentence; kiln_alloc). */
bool kiln_spmd_part_tails(LLVMModuleRef module, char **error_out);

#endif
