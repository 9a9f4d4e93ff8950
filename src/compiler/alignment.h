/* What is promised of addresses. */
#ifndef KILN_COMPILER_ALIGNMENT_H
#define KILN_COMPILER_ALIGNMENT_H

#include <llvm-c/Types.h>

/* Loads and stores of vectors, but those past the caches, no longer promise to be aligned as vectors are,
 * which programs do not always keep (float4 in records of ten floats). Costs nothing with AVX, and with SSE
 * an instruction where one could have read its operand from memory. */
void kiln_promise_no_vectors(LLVMModuleRef module);

#endif
