/* Integers from numbers that were rounded to the nearest. */
#ifndef KILN_COMPILER_ROUNDED_INTS_H
#define KILN_COMPILER_ROUNDED_INTS_H

#include <llvm-c/Types.h>

/* (int)rint(x) becomes the one instruction that processors have for it, in place of one that rounds and one
 * that cuts off; without SSE4.1 nothing rounds so but this. */
void kiln_join_rounded_ints(LLVMModuleRef module);

#endif
