/* Accesses to a private array where ways meet, at an index that the way taken decides, as behind a loop that
 * makes room in a list kept in order: `while (k > 0 && d[k - 1] > x) { d[k] = d[k - 1]; k--; } d[k] = x;`.
 * Unrolled, each of its ends has a number for k. The accesses are done on each way, where they are at a place
 * that is known: the array becomes registers. */
#ifndef KILN_COMPILER_SPMD_CHOSEN_PLACES_H
#define KILN_COMPILER_SPMD_CHOSEN_PLACES_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Only where the array's other places are known as well. False: there are none. Blocks are left that only
 * jump to the next, and copies of code to simplify. */
bool kiln_spmd_choose_places(LLVMModuleRef module);

#endif
