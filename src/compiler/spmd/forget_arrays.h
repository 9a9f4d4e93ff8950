/* Private arrays of a block, which have no values each time it begins. */
#ifndef KILN_COMPILER_SPMD_FORGET_ARRAYS_H
#define KILN_COMPILER_SPMD_FORGET_ARRAYS_H

#include <llvm-c/Types.h>

/* Where the lifetime of a small array or structure starts it is undefined from then on. LLVM forgets
 * lifetimes when it makes values of variables: the elements of an array in a loop's body, set on some ways
 * only, would be carried from turn to turn, and across barriers. Single variables stay as they are: programs
 * that forget to set one find its last value everywhere. To be done before passes that make values;
 * kiln_spmd_drop_undefined afterwards takes away what they have left of it. */
void kiln_spmd_forget_arrays(LLVMModuleRef module);
void kiln_spmd_drop_undefined(LLVMModuleRef module);

#endif
