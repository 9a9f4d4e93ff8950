/* Negations moved behind products and quotients, where they are exact, and dropped where a magnitude or a
 * square is taken: what a kernel computes of x and of -x then has parts in common (both values of an odd
 * function, say). */
#ifndef KILN_COMPILER_SPMD_SIGN_H
#define KILN_COMPILER_SPMD_SIGN_H

#include <llvm-c/Types.h>

void kiln_spmd_move_signs(LLVMModuleRef module);

#endif
