/* Code of one work-group: loops over work-items around regions, and the steps between regions. */
#ifndef KILN_COMPILER_SPMD_GROUP_H
#define KILN_COMPILER_SPMD_GROUP_H

#include "compiler/spmd/emit.h"
#include "compiler/spmd/plan.h"

struct kl_group {
  struct kl_emit e;
  const struct kl_plan *plan;
  LLVMValueRef frame;            /* start of the callees' frame block */
  LLVMValueRef *slot_base;       /* by slot: its first work-item's entry */
  LLVMValueRef *group_cell;      /* by value: variable of KL_KEEP_GROUP values */
  LLVMValueRef *item_cell;       /* by value: variable for values that several definitions reach, or NULL */
  LLVMValueRef *byval_source;    /* by argument: where a byval argument lies in the argument block */
  uint32_t byval_align;          /* what is known of its alignment */
  LLVMValueRef *total;           /* by region: what the collective before it has gathered so far, or NULL */
  LLVMValueRef next;             /* variable: region to run next */
  LLVMBasicBlockRef *head;       /* by region */
  LLVMBasicBlockRef latch, done; /* end of the innermost work-item loop; after the group */
  LLVMValueRef item;             /* linear local id, 64 bits */
};

/* Once per function, in setup, with ids' launch part, args in e.fixed and arena known: lays out the context.
 */
void kiln_group_setup(struct kl_group *g, LLVMValueRef arena);
/* Emits a group at the builder's position; ends with branches to `done`. ids are complete but for local_id.
 */
void kiln_group_emit(struct kl_group *g, LLVMBasicBlockRef done);
/* The work-item's place in a context slot; in a region. */
LLVMValueRef kiln_group_slot(struct kl_group *g, uint32_t slot);

#endif
