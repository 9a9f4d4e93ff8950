/* How many registers hold vectors at the same time, by an estimate that follows the code from its first
 * instruction to its last. */
#ifndef KILN_COMPILER_SPMD_LANE_LIVE_H
#define KILN_COMPILER_SPMD_LANE_LIVE_H

#include "compiler/spmd/lane_cost.h"

/* Registers of a component in all lanes, for the mapping that the shapes are for; truth values count as one.
 */
uint32_t kiln_lane_registers(const struct kl_lane_costs *in, const struct kl_mapping *map, LLVMTypeRef type);

/* Other names of values and components, no work. */
bool kiln_lane_is_free(unsigned op);
/* A product that becomes part of the one sum that wants it, on processors with AVX2: with more registers, and
 * on longer vectors, it may be counted by itself. */
bool kiln_lane_is_fused(const struct kl_lane_costs *in, uint32_t v);

/* Fills cost->vectors, live and live_inside. skip[v]: v has no vector (a scalar and a check stand for it). */
void kiln_lane_live(const struct kl_lane_costs *in, const struct kl_shapes *shapes,
                    const struct kl_mapping *map, const bool *skip, struct kl_lane_cost *cost);

#endif
