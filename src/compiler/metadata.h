/* What the runtime must know of a program's kernels, read from normalised IR. */
#ifndef KILN_COMPILER_METADATA_H
#define KILN_COMPILER_METADATA_H

#include "compiler/compiler.h"

#include <llvm-c/Types.h>
#include <stdbool.h>

/* True for a function with the calling convention of kernels and a body. */
bool kiln_is_kernel(LLVMValueRef function);

/* Marks a kernel with what only the options of its source say: enum KILN_KERNEL_* bits, kept in the bitcode.
 */
void kiln_metadata_mark(LLVMValueRef kernel, uint32_t flags);
/* The marks of a kernel, 0 if it has none. */
uint32_t kiln_metadata_flags(LLVMValueRef kernel);

/* Fills image->kernels from the module, but for what kiln_spmd_describe() finds in the code. False without
 * memory; image is then to be finished. */
bool kiln_metadata_read(LLVMModuleRef module, struct kiln_program_image *image);

#endif
