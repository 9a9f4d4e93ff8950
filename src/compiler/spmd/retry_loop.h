/* Loops whose turns others do not decide on: those that only come again where another work-item got in
 * between, which has made its way, so that none waits and lanes may go around together; and those in whose
 * turns all work-items catch up. */
#ifndef KILN_COMPILER_SPMD_RETRY_LOOP_H
#define KILN_COMPILER_SPMD_RETRY_LOOP_H

#include "compiler/spmd/ir.h"

/* True if each way around the loop goes by an exchange that failed though it expected what lay there just
 * before, or by a value read back that is no more what was just stored; or if each goes by a barrier. ways:
 * by block of f, all 0, for this search, which leaves it so. */
bool kiln_loop_is_free(const struct kl_func *f, const struct kiln_loops *loops, uint32_t loop, uint8_t *ways);

#endif
