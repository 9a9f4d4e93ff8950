/* Scalar code for one lane after the other, within code for a vector of work-items: values that differ from
 * lane to lane stand for those of one of them. */
#ifndef KILN_COMPILER_SPMD_LANE_SERIAL_H
#define KILN_COMPILER_SPMD_LANE_SERIAL_H

#include "compiler/spmd/lane_access.h"

struct kl_serial_value;

struct kl_serial {
  struct kl_lanes *l;
  struct kl_lane_loop loop;
  LLVMValueRef index; /* the lane's number, as i64 */
  struct kl_serial_value *value;
  uint32_t n;
  struct kl_ids ids; /* as they are for all lanes */
};

/* From here on up to kiln_serial_close() code is for one lane of the mask at hand, of which none may be on.
 * in: n values that the code takes from before; those that lanes share may be missing. unrolls: LLVM may
 * unroll the loop over lanes. */
void kiln_serial_open(struct kl_serial *s, struct kl_lanes *l, const uint32_t *in, uint32_t n, bool unrolls);
/* Puts the lane's scalar of a value into what all lanes will have. */
void kiln_serial_put(struct kl_serial *s, const struct kl_cells *cells, LLVMValueRef scalar);
void kiln_serial_close(struct kl_serial *s, bool unrolls);

#endif
