/* The function that drivers call: reads the launch, walks over the groups. */
#ifndef KILN_COMPILER_SPMD_ENTRY_H
#define KILN_COMPILER_SPMD_ENTRY_H

#include "compiler/spmd/lane_plan.h"
#include "compiler/spmd/report.h"
#include "compiler/spmd/workgroup.h"

/* Emits KILN_ENTRY_SYMBOL, and the functions that it calls. report: NULL, or receives what becomes of
 * instructions. */
void kiln_entry_emit(struct kl_program *program, const struct kl_plan *plan,
                     const struct kl_lane_plan *lane_plan, const struct kiln_spmd_options *options,
                     struct kl_report *report);

#endif
