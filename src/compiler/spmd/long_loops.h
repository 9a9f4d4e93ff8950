/* Loops that are not unrolled before lowering. Without private arrays nothing becomes a register
 * by it, while each turn would become code as wide as the lanes, several vectors of it. */
#ifndef KILN_COMPILER_SPMD_LONG_LOOPS_H
#define KILN_COMPILER_SPMD_LONG_LOOPS_H

#include <llvm-c/Types.h>

/* Marks the loops of many turns in functions without private arrays, unless the program itself asks for or
 * against unrolling them. Wants rotated loops. */
void kiln_spmd_keep_long_loops(LLVMModuleRef module);

#endif
