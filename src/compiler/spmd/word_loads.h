/* Loads of bytes or shorts that four of them, side by side, do as one of a word or two. */
#ifndef KILN_COMPILER_SPMD_WORD_LOADS_H
#define KILN_COMPILER_SPMD_WORD_LOADS_H

#include "compiler/spmd/ir.h"
#include "compiler/spmd/map.h"

/* Bytes or shorts that are accessed together, where the first is at a multiple of so many from the root. */
enum { KL_CELL = 4 };

/* By instruction: a load that one before it in its block does with its own, wherever lanes look
 * (kiln_neighbours_of_load). Arena memory of env. */
bool *kiln_word_loads_find(struct kl_env *env, struct kl_map *map, const struct kl_func *f);

#endif
