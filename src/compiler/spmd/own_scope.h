/* Local memory, and what work-items keep across barriers, lie apart from buffers. */
#ifndef KILN_COMPILER_SPMD_OWN_SCOPE_H
#define KILN_COMPILER_SPMD_OWN_SCOPE_H

#include <llvm-c/Types.h>

/* What a load brings: the address of memory that only the thread at hand has; of a buffer of the host's. */
void kiln_scope_mark_own(LLVMValueRef load);
void kiln_scope_mark_buffer(LLVMValueRef load);
/* Tells LLVM of each access that goes by an address made of one so marked (alias.scope and noalias). In the
 * source address spaces say so, of which the module has one only. */
void kiln_scope_tell(LLVMModuleRef module);

#endif
