/* Functions that the emitter adds to the module: what many instructions would have in place. */
#ifndef KILN_COMPILER_SPMD_LANE_ROUTINE_H
#define KILN_COMPILER_SPMD_LANE_ROUTINE_H

#include "compiler/spmd/lane_access.h"

#define KL_ACCESS_NAME "kiln.access." /* what the names of functions for accesses begin with */

/* Where the emitter was before it began another function, and where that one's code begins. */
struct kl_routine_place {
  LLVMValueRef fn;
  LLVMBasicBlockRef top, at, begin;
  LLVMMetadataRef line;
};

/* A function that only code of this module calls. */
LLVMValueRef kiln_routine_declare(struct kl_lanes *l, const char *name, LLVMTypeRef result,
                                  LLVMTypeRef *param, unsigned n);
/* What the function does to memory that its pointers lead to; it touches no other. (Values as in the LLVM 19
 * attribute `memory`: the lowest two bits are for arguments.) */
enum kl_touch { KL_TOUCH_READ = 1, KL_TOUCH_WRITE = 2 };
void kiln_routine_only(LLVMValueRef fn, enum kl_touch touch);
/* Once all code is there: functions for accesses that are called once go in place. */
void kiln_routines_finish(struct kl_env *env);
/* The emitter goes on in it, variables included; leave: where it was. */
struct kl_routine_place kiln_routine_enter(struct kl_lanes *l, LLVMValueRef fn);
void kiln_routine_leave(struct kl_lanes *l, struct kl_routine_place before);

/* ---- accesses with an address for each lane (lane_called.c) ---- */

/* The function's accesses of elements narrower than words, outside loops, are so many that calls take them.
 */
bool kiln_called_is_worth(const struct kl_func *f, const struct kl_shapes *shapes);
/* By load: components side by side, so many of one kind in the function that calls take them. NULL: none is.
 */
const bool *kiln_called_records(struct kl_env *env, const struct kl_func *f, const struct kl_shapes *shapes);
/* By a call; false: not this one. rare: beside a pattern, which is as a rule; loops: it would be a loop over
 * lanes otherwise. */
bool kiln_called_load(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool rare,
                      LLVMValueRef *out);
bool kiln_called_store(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, bool loops,
                       LLVMValueRef *value);

#endif
