/* Bitwise functions of three vectors. */
#ifndef KILN_COMPILER_TERNARY_LOGIC_H
#define KILN_COMPILER_TERNARY_LOGIC_H

#include <llvm-c/Types.h>

/* Three or more ands, ors and exclusive ors of the same three vectors become AVX-512's instruction for any
 * function of three bits. LLVM finds those of two operations, and not the majority of hash functions. */
void kiln_join_ternary_logic(LLVMModuleRef module);

#endif
