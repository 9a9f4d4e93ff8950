/* Global ids that a program takes apart itself: divided by the local size they are the group's id, which is
 * the same for all lanes, and what is left is the local id, which tells neighbours. Written so they would be
 * a quotient and a remainder that nothing is known of. */
#ifndef KILN_COMPILER_SPMD_ID_PARTS_H
#define KILN_COMPILER_SPMD_ID_PARTS_H

#include "compiler/compiler.h"
#include "compiler/spmd/ir.h"

/* Makes such divisions, masks and shifts in f, the kernel, queries, for launches that spec describes. Groups
 * must be those of the launch: f may not be one whose groups run as others (mapping.h). */
void kiln_id_parts_find(struct kl_func *f, const struct kiln_spec *spec);

#endif
