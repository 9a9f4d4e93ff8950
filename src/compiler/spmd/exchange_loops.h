/* Loops that exchange a sum for what was there until no other work-item has come between, which is how
 * programs add floats to memory (OpenCL C before cl_ext_float_atomics has no function for it): one atomic
 * operation, so that lanes need no loop that they leave one by one. Attempts that come before the loop are
 * what its first turns do, and go. */
#ifndef KILN_COMPILER_SPMD_EXCHANGE_LOOPS_H
#define KILN_COMPILER_SPMD_EXCHANGE_LOOPS_H

#include <llvm-c/Types.h>

/* Writes such loops of one block as atomic additions and subtractions of floats; blocks in normal form. */
void kiln_spmd_join_exchanges(LLVMModuleRef module);

#endif
