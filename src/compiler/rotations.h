/* Sums of hash functions, and rotations of vectors. */
#ifndef KILN_COMPILER_ROTATIONS_H
#define KILN_COMPILER_ROTATIONS_H

#include <llvm-c/Types.h>

/* Code generation asks, of each operand of a sum, which bits of it are known, through all sums and exclusive
 * ors of a hash function's rounds: a third of the time that SHA-256 takes. Nothing is known of them, so
 * fences that are no instructions say so. */
void kiln_fence_hash_sums(LLVMModuleRef module);
/* Where processors have no rotation of vectors, one by whole bytes is a shuffle, of each user of which the
 * same is asked: half of the time that BLAKE2b takes. */
void kiln_fence_rotations(LLVMModuleRef module);

#endif
