/* Arithmetic on 8- and 16-bit numbers whose result is one: (r + g + b) / 3 of bytes, which the language
 * computes as ints. In 16 bits registers hold twice as many.
 *
 * Must not know who computes what side by side. */
#ifndef KILN_COMPILER_FEW_BITS_H
#define KILN_COMPILER_FEW_BITS_H

#include <llvm-c/Types.h>

/* Computes truncated results in 16 bits if they are made of 8- and 16-bit numbers by divisions and shifts to
 * the right by constants, or as the smaller or larger of two, and whatever these operate on fits. Results
 * stay the same. */
void kiln_few_bits(LLVMModuleRef module);

#endif
