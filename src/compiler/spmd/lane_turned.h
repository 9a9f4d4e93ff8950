/* Rows whose lanes change places: `a[x ^ step]`. */
#ifndef KILN_COMPILER_SPMD_LANE_TURNED_H
#define KILN_COMPILER_SPMD_LANE_TURNED_H

#include "compiler/spmd/lane_access.h"

/* An access whose index is neighbours' x, with bits turned that all lanes have alike: where lane 0 begins a
 * block of as many elements as there are lanes, they lie in one such block. */
struct kl_turned {
  LLVMValueRef first, bits; /* x of lane 0; the bits; of one type */
  LLVMValueRef base;
  LLVMTypeRef element;
  bool is_signed;
};

/* False: it is none. Emits the base. */
bool kiln_turned_find(struct kl_lanes *l, const struct kl_access *a, struct kl_turned *t);
/* Whether lane 0 begins a block (i1). */
LLVMValueRef kiln_turned_fits(struct kl_lanes *l, const struct kl_turned *t);
/* Where it does: by one row, and a step of a network for each bit of a lane's number. */
LLVMValueRef kiln_turned_load(struct kl_lanes *l, const struct kl_access *a, const struct kl_turned *t,
                              LLVMValueRef mask);
void kiln_turned_store(struct kl_lanes *l, const struct kl_access *a, const struct kl_turned *t,
                       LLVMValueRef mask, LLVMValueRef value);

#endif
