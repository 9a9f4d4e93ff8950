/* What values that are few operations apart have to do with each other: indices, their addresses, accesses.
 */
#ifndef KILN_COMPILER_SPMD_NEAR_H
#define KILN_COMPILER_SPMD_NEAR_H

#include "compiler/spmd/ir.h"
#include "compiler/spmd/map.h"

/* The access whose address `value` is part of; KL_NONE: none is near. *unit_out: bytes that it moves where
 * value is an offset in bytes, 1 where it is an index. */
uint32_t kiln_near_access(const struct kl_func *f, const struct kl_uses *uses, struct kl_map *map,
                          uint32_t value, int64_t *unit_out);
/* An address is computed from value. */
bool kiln_near_address(const struct kl_func *f, const struct kl_uses *uses, uint32_t value);
/* A value that is the same in every turn of the loop, in which the value stands in no other loop. */
bool kiln_is_steady(const struct kl_func *f, const struct kiln_loops *loops, uint32_t value, uint32_t loop);
/* It, or what it is computed from, is loaded or returned by a call: lanes side by side find anything there.
 */
bool kiln_near_load(const struct kl_func *f, uint32_t value);

#endif
