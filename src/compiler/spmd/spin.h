/* Loops that may wait for what another work-item does. */
#ifndef KILN_COMPILER_SPMD_SPIN_H
#define KILN_COMPILER_SPMD_SPIN_H

#include "compiler/spmd/program.h"

/* True unless every loop of f is left, or not, whatever atomics and volatile loads in it give, and functions
 * of the program that have such. A lane that waits in such a loop may wait for another lane of its vector,
 * which waits for it. f: the kernel or a function of program; loops: those of f, all reducible; postdom: its
 * post-dominators. */
bool kiln_may_spin(struct kl_program *program, const struct kl_func *f, const struct kl_uses *uses,
                   const struct kiln_loops *loops, const struct kiln_tree *postdom);
/* True if some function that the kernel calls may, or has irreducible loops and asks. */
bool kiln_callees_may_spin(struct kl_program *program);
/* The same of the kernel and all that it calls: a work-group may wait for another one. */
bool kiln_program_may_spin(struct kl_program *program);

#endif
