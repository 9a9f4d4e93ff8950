/* Loops that count the bits of a number one by one: `for (; v != 0; v &= v - 1) n++` and
 * `for (; v != 0; v >>= 1) n += v & 1`. In lanes each would go around until the lane with the most bits is
 * done; processors count them in one instruction, and others in a few. */
#ifndef KILN_COMPILER_SPMD_BIT_LOOPS_H
#define KILN_COMPILER_SPMD_BIT_LOOPS_H

#include <llvm-c/Types.h>

/* Wants rotated loops, values in registers; leaves blocks that simplifycfg joins to others. */
void kiln_spmd_count_bits(LLVMModuleRef module);

#endif
