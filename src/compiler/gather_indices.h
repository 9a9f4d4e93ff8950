/* Indices of gathers and scatters. */
#ifndef KILN_COMPILER_GATHER_INDICES_H
#define KILN_COMPILER_GATHER_INDICES_H

#include <llvm-c/Types.h>

/* Indices of 32 bits that are known not to be negative are widened by their sign: code generation takes them
 * as they are then, by one instruction for what two do with 64 bits. It does not look for the promise that
 * their sign does not matter, with which passes widen them by zeros. */
void kiln_sign_gather_indices(LLVMModuleRef module);

#endif
