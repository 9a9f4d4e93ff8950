/* OpenCL vectors of 16 bytes in an order of their own (compiler/permutes.h), by one instruction. */
#ifndef KILN_COMPILER_SPMD_PERMUTE_H
#define KILN_COMPILER_SPMD_PERMUTE_H

#include "compiler/spmd/lanes.h"

/* x, mask: 16 bytes, or several times as many, whose sixteens are permuted each by itself; the processor has
 * SSSE3 at least. */
LLVMValueRef kiln_permute_build(struct kl_emit *e, LLVMValueRef x, LLVMValueRef mask);
/* The permute i of all lanes: in the order of memory, where sixteens lie side by side. */
void kiln_lanes_permute_bytes(struct kl_lanes *l, uint32_t i);

#endif
