/* Accesses that go along with the turns of a loop. */
#ifndef KILN_COMPILER_SPMD_TURN_COUNTER_H
#define KILN_COMPILER_SPMD_TURN_COUNTER_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* i loads or stores an element after the other, turn by turn of the loop that is this block, of an array of
 * such. */
bool kiln_spmd_goes_by_elements(LLVMValueRef i, LLVMBasicBlockRef loop);

#endif
