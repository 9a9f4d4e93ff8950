/* Addresses in innermost loops. */
#ifndef KILN_COMPILER_COUNTED_ADDRESS_H
#define KILN_COMPILER_COUNTED_ADDRESS_H

#include <llvm-c/Types.h>

/* In loops of one block, places at known distances from each other of which the loop's counter decides get
 * one pointer, which goes along with the counter: each access is then a register and a constant away.
 * Processors of Intel's cut an operation whose operand in memory has an index into two (Optimization
 * Reference Manual, "micro-fusion"), and what the counter is multiplied by is computed only once. Runs after
 * all other passes.
 */
void kiln_count_addresses(LLVMModuleRef module);

#endif
