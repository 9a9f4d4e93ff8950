/* Atomics whose results nobody uses, as in histograms: each thread gathers what is to be added to an address
 * in a small table of its own, and does one atomic when the entry is wanted for another address or the call
 * ends. Relaxed atomics promise no more (OpenCL C 3.1, section 6.15.12.1: no order between locations), and
 * threads do not wait for each other's cache lines. Where addresses hardly come again, the thread finds out
 * and does the others at once. Atomics of other orders, sequential consistency too, are gathered where
 * nothing else in the program could tell: no result of theirs is used, and without further atomics, the order
 * that they give to ordinary accesses cannot be known to any work-item, so such accesses that rely on it
 * would race in the execution in which they come the other way round. Whether it is done is decided for each
 * launch (core/tally.h), when it is known that no other argument is the same memory. */
#ifndef KILN_COMPILER_SPMD_TALLY_H
#define KILN_COMPILER_SPMD_TALLY_H

#include "compiler/compiler.h"
#include "compiler/spmd/emit.h"

/* Fills in kiln_arg_info.tallied of each argument of the kernel. False if all are 0. */
bool kiln_tally_find(struct kl_env *env, const struct kl_program *program, struct kiln_kernel_info *info);
/* Makes empty tables for the call at hand: e->tally. */
void kiln_tally_open(struct kl_emit *e, const struct kiln_kernel_info *info);
/* An instruction of the code at hand is gathered. */
bool kiln_tally_takes(struct kl_emit *e, uint32_t inst);
/* Emits, for an atomicrmw that goes through such an argument, what is done in its place; false: it does not.
 */
bool kiln_tally_add(struct kl_emit *e, LLVMValueRef atomic, LLVMValueRef address, LLVMValueRef value);
/* Code for many atomics of that instruction may ask first whether its table is still of use in this call:
 * seven of eight addresses were not there otherwise. times: how many come. Returns an i1. */
LLVMValueRef kiln_tally_is_closed(struct kl_emit *e, uint32_t inst, LLVMValueRef times);
/* What the code that follows knows of that. */
enum kl_tally_state { KL_TALLY_ASKS, KL_TALLY_OPEN, KL_TALLY_CLOSED };
void kiln_tally_set_state(struct kl_emit *e, uint32_t inst, enum kl_tally_state state);
/* Does the atomics that are left, at the builder's position. */
void kiln_tally_end(struct kl_emit *e);

#endif
