/* The blocks of a loop in LLVM's form, before functions are read (ir.h). */
#ifndef KILN_COMPILER_SPMD_LOOP_BLOCKS_H
#define KILN_COMPILER_SPMD_LOOP_BLOCKS_H

#include <llvm-c/Types.h>
#include <stdbool.h>

enum { KL_LOOP_BLOCKS = 64 };

struct kl_loop_blocks {
  LLVMBasicBlockRef at[KL_LOOP_BLOCKS]; /* the header is the first */
  unsigned n;
};

bool kiln_loop_blocks_hold(const struct kl_loop_blocks *blocks, LLVMBasicBlockRef block);
/* All blocks from which the latch, which branches back to the header, is reached but by the header: at most
 * `most`, which is KL_LOOP_BLOCKS or less. False: there are more. */
bool kiln_loop_blocks_find(struct kl_loop_blocks *blocks, LLVMBasicBlockRef header, LLVMBasicBlockRef latch,
                           unsigned most);
/* What holds where the instruction that ends a block branches to `next`, and does not hold elsewhere; NULL:
 * it is no such branch. */
LLVMValueRef kiln_condition_for(LLVMValueRef last, LLVMBasicBlockRef next);
/* The only block that branches to this one; NULL: there are several, or none. */
LLVMBasicBlockRef kiln_only_block_before(LLVMBasicBlockRef block);

#endif
