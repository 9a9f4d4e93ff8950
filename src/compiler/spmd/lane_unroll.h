/* Groups of a few vectors: these follow one another without loops where the code stays small, and what lives
 * across barriers stays in registers. */
#ifndef KILN_COMPILER_SPMD_LANE_UNROLL_H
#define KILN_COMPILER_SPMD_LANE_UNROLL_H

#include "compiler/spmd/group.h"

/* Vectors of a full group; 0: many, not known at build, or not all of them full. */
uint32_t kiln_lane_group_vectors(const struct kl_group *g);
/* Slots of values are variables, which become registers: their places are known in each vector's code. Looks
 * at all regions: g->slots_are_registers keeps the answer. */
bool kiln_lane_slots_are_registers(const struct kl_group *g);
/* The loops over the vectors of region r shall be unrolled. */
bool kiln_lane_unrolls(const struct kl_group *g, uint32_t r);

#endif
