/* Products of bytes in vectors, for which processors have no instruction. */
#ifndef KILN_COMPILER_BYTE_PRODUCTS_H
#define KILN_COMPILER_BYTE_PRODUCTS_H

#include <llvm-c/Types.h>

/* Two products of words stand for one of bytes, without a shuffle: five instructions, where code generation
 * would have nine that unpack and pack. Not in modules with hundreds of them. To be done when no pass follows
 * that narrows words. */
void kiln_multiply_bytes_by_words(LLVMModuleRef module);

#endif
