/* Code of one work-group: loops over work-items around regions, and the steps between regions. */
#ifndef KILN_COMPILER_SPMD_GROUP_H
#define KILN_COMPILER_SPMD_GROUP_H

#include "compiler/spmd/emit.h"
#include "compiler/spmd/lane_plan.h"
#include "compiler/spmd/lanes.h"
#include "compiler/spmd/plan.h"

struct kl_group {
  struct kl_emit e;
  const struct kl_plan *plan;
  LLVMValueRef frame;            /* start of the callees' frame block */
  LLVMValueRef *slot_base;       /* by slot: its first work-item's entry */
  LLVMValueRef slot_gap;         /* kiln_group_slot_gap, but for values of many components */
  LLVMValueRef *group_cell;      /* by value: variable of KL_KEEP_GROUP values */
  LLVMValueRef *item_cell;       /* by value: variable for values that several definitions reach, or NULL */
  LLVMValueRef *total;           /* by region: what the collective before it has gathered so far, or NULL */
  LLVMValueRef next;             /* variable: region to run next */
  LLVMBasicBlockRef *head;       /* by region */
  LLVMBasicBlockRef latch, done; /* end of the innermost work-item loop; after the group */
  LLVMValueRef item;             /* linear local id, 64 bits; of lane 0 */
  LLVMValueRef items;            /* work-items of a full group, 64 bits */
  /* Several work-items at a time: NULL, or what the lanes need. */
  struct kl_lanes *lanes;
  struct kl_lanes *rest;    /* for the rest of a row: the same, or fewer */
  bool is_rare;             /* groups that seldom come: small code before fast code */
  bool slots_are_registers; /* kiln_lane_slots_are_registers */
  const struct kl_lane_plan *lane_plan;
};

/* Once per function, in setup, with ids' launch part, args in e.fixed and arena known: lays out the context.
 */
void kiln_group_setup(struct kl_group *g, LLVMValueRef arena);
void kiln_group_place_objects(struct kl_group *g); /* a part of that: KL_PLACE_STACK */
/* Emits a group at the builder's position; ends with branches to `done`. ids are complete but for local_id.
 */
void kiln_group_emit(struct kl_group *g, LLVMBasicBlockRef done);
/* The work-item's place in a context slot; in a region. */
LLVMValueRef kiln_group_slot(struct kl_group *g, uint32_t slot);
/* Bytes (i64) between one component of all work-items and the next: as sizes of groups are powers of two, a
 * vector of work-items would have all it keeps in one set of the cache. */
LLVMValueRef kiln_group_slot_gap(struct kl_group *g, uint32_t slot);

/* ---- for the code of a region (group.c: one work-item at a time; lane_region.c: several) ---- */
/* A region's loops and blocks, at its head; the builder stays after them. */
void kiln_lane_region_emit(struct kl_group *g, uint32_t region);
/* The whole of a function that is no kernel, at the builder's position, which then is where it ends. args: by
 * argument, those that vary; result: receives what it returns. */
void kiln_lane_region_emit_function(struct kl_group *g, LLVMValueRef mask, const struct kl_pack *args,
                                    const struct kl_cells *result);
LLVMTypeRef kiln_group_value_type(struct kl_group *g, uint32_t value);
/* Its instructions, or a collective before it, make the value. */
bool kiln_group_computes(const struct kl_group *g, const struct kl_region *region, uint32_t value);
void kiln_group_load_values(struct kl_group *g, const struct kl_region *region); /* KL_KEEP_GROUP */
/* By value: what the region's instructions use, and what computing those values again uses. */
bool *kiln_group_used(struct kl_group *g, const struct kl_region *region);
void kiln_group_set_next(struct kl_group *g, uint32_t region);

#endif
