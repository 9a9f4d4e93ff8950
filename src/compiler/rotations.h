/* Rotations of vectors, and the sums of hash functions made of them. */
#ifndef KILN_COMPILER_ROTATIONS_H
#define KILN_COMPILER_ROTATIONS_H

#include <llvm-c/Types.h>

/* Where processors have no rotation of vectors, code generation asks, of each user of one by whole bytes,
 * which is a shuffle there, and of each operand of a sum, which bits of it are known, through all sums and
 * exclusive ors of a hash function's rounds: two thirds of the time that BLAKE2b takes, a third of
 * SHA-256's. Nothing is known of them, so fences that are no instructions say so. */
void kiln_fence_rotations(LLVMModuleRef module);

#endif
