/* Masks for processors that have no registers for them. */
#ifndef KILN_COMPILER_SPMD_WIDE_MASKS_H
#define KILN_COMPILER_SPMD_WIDE_MASKS_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Masks that live from block to block, and what is computed of them, become vectors of integers as wide as
 * what they are made of and choose from, all ones where a lane is on. Left as they are, they are kept as
 * bytes or half words, and packed and unpacked wherever they meet numbers of 32 bits. bits: of a register of
 * the processor. false: no memory, the module may be half done. */
bool kiln_spmd_widen_masks(LLVMModuleRef module, unsigned bits);

#endif
