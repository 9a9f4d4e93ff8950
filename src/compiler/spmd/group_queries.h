/* What work-items ask about their group, answered by their place in the launch: where groups have a known
 * size in the first dimension and are one work-item wide in the others. */
#ifndef KILN_COMPILER_SPMD_GROUP_QUERIES_H
#define KILN_COMPILER_SPMD_GROUP_QUERIES_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stdint.h>

struct kl_group_row {
  uint32_t size;    /* work-items of a group in the first dimension, which they divide */
  bool offset_zero; /* the launch's offset is 0 */
  bool small;       /* offset + global size < 2^31 */
};

/* The answer to a call of query (an enum of KL_Q_..., ir.h), built before it; NULL: the query is about
 * something else, or a dimension known at run time only. */
LLVMValueRef kiln_group_query_answer(LLVMBuilderRef b, LLVMValueRef call, unsigned query,
                                     const struct kl_group_row *row);

/* Answers all of them in a module. False, with some left, if work-items ask something that has no answer, or
 * wait for each other. *count_out: how many there were that tell where a group begins. */
bool kiln_group_queries_answer(LLVMModuleRef module, const struct kl_group_row *row, uint32_t *count_out);

#endif
