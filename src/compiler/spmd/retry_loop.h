/* Loops that only come again where another work-item got in between: whoever did has made its way, so none
 * waits, and lanes may go around together. */
#ifndef KILN_COMPILER_SPMD_RETRY_LOOP_H
#define KILN_COMPILER_SPMD_RETRY_LOOP_H

#include "compiler/spmd/ir.h"

/* True if each way around the loop goes by an exchange that failed though it expected what lay there just
 * before, or by a value read back that is no more what was just stored. ways: by block of f, all 0, for this
 * search, which leaves it so. */
bool kiln_loop_retries(const struct kl_func *f, const struct kiln_loops *loops, uint32_t loop, uint8_t *ways);

#endif
