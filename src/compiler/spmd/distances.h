/* Comparisons of two values that both come of one of each work-item's own: `p != end` where end is p + n
 * before the loop. What lies between them is the same for all work-items, which leave such a loop together.
 */
#ifndef KILN_COMPILER_SPMD_DISTANCES_H
#define KILN_COMPILER_SPMD_DISTANCES_H

#include <llvm-c/Types.h>

/* Compares how far both are from the value that they have in common; loops get counters of that, and pointers
 * are computed of these. Wants rotated loops, values in registers; leaves phis and comparisons that dce and
 * early-cse take away. */
void kiln_spmd_compare_distances(LLVMModuleRef module);

#endif
