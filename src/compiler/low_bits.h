/* Sums whose low bits alone are kept are sums of low bits: an int that get_global_size(0), a size_t, is added
 * to stays an int, and lanes see that it changes evenly.
 *
 * Must not know what is added up. */
#ifndef KILN_COMPILER_LOW_BITS_H
#define KILN_COMPILER_LOW_BITS_H

#include <llvm-c/Types.h>

/* Replaces (int)((long)x + y) by x + (int)y, for sums, differences, products and bit operations of any
 * integer types. */
void kiln_low_bits(LLVMModuleRef module);

#endif
