/* Values that count the turns of a loop. */
#ifndef KILN_COMPILER_SPMD_TURN_COUNTER_H
#define KILN_COMPILER_SPMD_TURN_COUNTER_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* v is one more in each turn of the loop that is this block: its counter, or that and what is the same in all
 * turns. */
bool kiln_spmd_counts_turns(LLVMValueRef v, LLVMBasicBlockRef loop);

#endif
