/* Loops over the components of pixels and points, as in `for (c = 0; c < 3; c++) o[3 * i + c] = ...`: as code
 * for each component, what they access side by side goes together (lane_group.c). */
#ifndef KILN_COMPILER_SPMD_COMPONENT_LOOPS_H
#define KILN_COMPILER_SPMD_COMPONENT_LOOPS_H

#include <llvm-c/Types.h>

/* Asks for such loops to be unrolled, unless the program has a say in it. Wants rotated loops. */
void kiln_spmd_unroll_component_loops(LLVMModuleRef module);

#endif
