/* Which objects in memory are known to have nothing in common: variables, and arguments that `restrict` tells
 * apart from others (C99 6.7.3.1), or the launch does (kiln_spec.apart). */
#ifndef KILN_COMPILER_SPMD_APART_H
#define KILN_COMPILER_SPMD_APART_H

#include "compiler/spmd/ir.h"

/* Functions that meet other work-items (at barriers, by atomics) keep what `restrict` says from LLVM, which
 * takes it that no barrier changes what such an argument points to, as nobody else may: others may, by
 * theirs. To be called before callees are inlined, and again when there is more of them. */
void kiln_restrict_guard(LLVMModuleRef module);
/* As if the program had said `restrict` of all arguments. */
void kiln_restrict_all(LLVMValueRef kernel);

/* a and b, what addresses are computed from (kiln_address_root), are different objects for sure. */
bool kiln_are_apart(LLVMValueRef a, LLVMValueRef b);
/* Loads or stores a and b are to such. */
bool kiln_accesses_are_apart(const struct kl_func *f, uint32_t a, uint32_t b);
/* Whether any block of the kernel, or a loop of one, goes back and forth between two arguments that might
 * point to the same memory, as in `o[3 * i] = a[3 * i]; o[3 * i + 1] = a[3 * i + 1]`: if they were known to
 * lie apart, what lies side by side could be accessed together. */
bool kiln_spmd_may_group_apart(LLVMValueRef kernel);

#endif
