/* Stores to private memory on one side of a branch that data decide, as where loops put numbers in order:
 * `if (a[k] > a[k + 1])` they change places. They are done on both ways, the old values once more on the
 * other one: the loop becomes one block, and what it stores can be handed on to its next turn. Lanes seldom
 * agree on such a branch, and no processor foretells it. */
#ifndef KILN_COMPILER_SPMD_CHOSEN_STORES_H
#define KILN_COMPILER_SPMD_CHOSEN_STORES_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Loops of a test, stores to places which the block of the test has loaded, and what comes behind both,
 * rotated. False: there are none. Blocks are left that only jump to the next. */
bool kiln_spmd_choose_stores(LLVMModuleRef module);

#endif
