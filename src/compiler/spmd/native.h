/* Operations of mathematics that some processors have as one instruction. Builtins call them by the names
 * __kiln_* and ask __kiln_avx512() first, which is settled for a processor before lowering (builtins.h); the
 * other way round the call is dead, and a look-up one in memory. */
#ifndef KILN_COMPILER_SPMD_NATIVE_H
#define KILN_COMPILER_SPMD_NATIVE_H

#include "compiler/spmd/emit.h"

enum { KL_NATIVE_ARGUMENTS = 17 }; /* at most */

struct kl_native;
/* The operation that fn stands for; NULL: none. */
const struct kl_native *kiln_native_find(LLVMValueRef fn);
/* args: scalars, or vectors of one power-of-two length, as many as the operation takes. What it looks up in
 * are constants. */
LLVMValueRef kiln_native_build(struct kl_emit *e, const struct kl_native *native, const LLVMValueRef *args);
/* `count` lanes of a, and of b where it is not NULL, one after the other, from lane `first` on; those past
 * the end are of no use. */
LLVMValueRef kiln_native_cut(struct kl_emit *e, LLVMValueRef a, LLVMValueRef b, unsigned first,
                             unsigned count);

#endif
