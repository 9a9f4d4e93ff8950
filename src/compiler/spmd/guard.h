/* What LLVM leaves undefined and OpenCL C does not, made harmless before any pass may draw conclusions. */
#ifndef KILN_COMPILER_SPMD_GUARD_H
#define KILN_COMPILER_SPMD_GUARD_H

#include <llvm-c/Types.h>

/* Integer divisions by zero, and of the least value by -1, give some value; so do conversions of a
 * floating-point value that the integer type cannot hold. Guarded code stays as it is when this runs again.
 */
void kiln_spmd_guard(LLVMModuleRef module);

#endif
