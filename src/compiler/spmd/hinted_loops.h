/* Loops that the program asks to be unrolled in part: `#pragma unroll 4`, opencl_unroll_hint(4), or `#pragma
 * unroll` where the number of turns is not known. Done for the code of one work-item, before lowering. */
#ifndef KILN_COMPILER_SPMD_HINTED_LOOPS_H
#define KILN_COMPILER_SPMD_HINTED_LOOPS_H

#include <llvm-c/Error.h>
#include <llvm-c/Types.h>

/* Takes hints back whose code would be so large that the kernel would get no lanes, and puts those off that
 * LLVM's vectorizer would stumble over if the kernel gets none anyway: of loops along bytes or shorts. Wants
 * rotated loops. */
void kiln_spmd_bound_hints(LLVMModuleRef module);
/* Wants rotated loops, those of few turns gone. Private arrays that are indexed by a counter's low bits
 * (rings: r[i & 3], r[i % 4]) become registers by it. NULL or LLVM's error, the caller's to consume. */
LLVMErrorRef kiln_spmd_unroll_hinted(LLVMModuleRef module);

#endif
