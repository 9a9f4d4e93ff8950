/* Loops that nothing leaves, which passes make of code that never runs. */
#ifndef KILN_COMPILER_SPMD_ENDLESS_H
#define KILN_COMPILER_SPMD_ENDLESS_H

#include "compiler/cfg.h"
#include "compiler/spmd/env.h"

/* Gives loops of fn from which no path leads out an exit that is never taken, so that every block comes
 * before some end, as lanes need. Block b of g is block[b]. False when there was none to give. */
bool kiln_endless_open(struct kl_env *env, LLVMValueRef fn, const LLVMBasicBlockRef *block,
                       const struct kiln_graph *g);

#endif
