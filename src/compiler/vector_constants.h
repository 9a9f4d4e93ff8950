/* Constants of vectors. */
#ifndef KILN_COMPILER_VECTOR_CONSTANTS_H
#define KILN_COMPILER_VECTOR_CONSTANTS_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Whether the module's code uses more than `most` different ones, at most 32, zero not counted. */
bool kiln_has_more_vector_constants(LLVMModuleRef module, unsigned most);

#endif
