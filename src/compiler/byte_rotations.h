/* Rotations by whole bytes. */
#ifndef KILN_COMPILER_BYTE_ROTATIONS_H
#define KILN_COMPILER_BYTE_ROTATIONS_H

#include <llvm-c/Types.h>

/* Where processors have no rotation of vectors, one by whole bytes is a shuffle of bytes. Code generation
 * asks, of each user, which bits of it are known, through the sums and differences of a hash function's
 * rounds and all their shuffles: two thirds of the time that BLAKE2b takes. Nothing is known of it, so a
 * fence that is no instruction says so. */
void kiln_fence_byte_rotations(LLVMModuleRef module);

#endif
