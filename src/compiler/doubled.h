/* Remainders by numbers that loops double or halve, as in trees of sums whose steps are 1, 2, 4 ...: powers
 * of two that nobody knows when code is made.
 *
 * Must not know who computes what side by side. */
#ifndef KILN_COMPILER_DOUBLED_H
#define KILN_COMPILER_DOUBLED_H

#include <llvm-c/Types.h>

/* Writes x % y as bit operations where y can only be a power of two, or 0, by which results are undefined
 * anyway. */
void kiln_doubled(LLVMModuleRef module);

#endif
