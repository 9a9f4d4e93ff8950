/* What LLVM leaves undefined and OpenCL C does not, made harmless before any pass may draw conclusions. */
#ifndef KILN_COMPILER_SPMD_GUARD_H
#define KILN_COMPILER_SPMD_GUARD_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Integer divisions by zero, and of the least value by -1, give some value; so do conversions of a
 * floating-point value that the integer type cannot hold. Guarded code stays as it is when this runs again.
 */
void kiln_spmd_guard(LLVMModuleRef module);
/* Whether the divisor of a division or remainder is one of these guards, and nothing else: what it guards is
 * its operand 2. */
bool kiln_spmd_is_guarded(LLVMValueRef division);

#endif
