/* Places in memory that a loop changes turn by turn, as in `for (...) out[i] += ...`: each of them is loaded
 * before the loop, carried in a register and stored behind it. In memory, a sum waits for its own last store
 * in every turn, and lanes for gathers and scatters where places are not side by side. What every turn loads
 * alike, and none stores, is loaded before it, too. */
#ifndef KILN_COMPILER_SPMD_CARRIED_PLACES_H
#define KILN_COMPILER_SPMD_CARRIED_PLACES_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Innermost loops of one block, rotated, with a block of their own before them. Other work-items may not look
 * at such a place meanwhile: loops with barriers, atomics and calls that touch memory stay as they are, and
 * so do places that another access of the loop may meet: of one address space, unless it is another field of
 * the same element, another local variable, or what `restrict` tells apart. */
void kiln_spmd_carry_places(LLVMModuleRef module);
/* The same loops: what they load by an index that the turn before chose between two, or took, where it has
 * loaded by these, too (`if (key[f] > key[g]) ... else f = g;`), and no turn stores. To be run when indices
 * from memory are handed on from turn to turn. */
void kiln_spmd_carry_chosen(LLVMModuleRef module);
/* Whether any loop may gain by arguments that point to memory apart from each other, as if each was
 * `restrict`, be it one with a block of its own before it or not. */
bool kiln_spmd_may_carry_apart(LLVMValueRef kernel);
/* A loop of one block may load what the turn before has stored (`a[k] += a[k - 1]`), which LLVM can hand on.
 */
bool kiln_spmd_may_hand_on(LLVMValueRef function);
/* Makes plain by how much indices of those loops lie apart (`a[i * n + k]` and `a[i * n + k - 1]`, widened to
 * 64 bits). True if there is such a loop. */
bool kiln_spmd_split_indices(LLVMValueRef function);

#endif
