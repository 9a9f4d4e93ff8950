/* __kiln_permute, which is what shuffle is of 16 bytes by a mask: component i of the result is component
 * m[i] % 16 of x. It stays one call until code is made, as processors have an instruction for it. */
#ifndef KILN_COMPILER_PERMUTES_H
#define KILN_COMPILER_PERMUTES_H

#include <llvm-c/Types.h>
#include <stdbool.h>

enum { KILN_PERMUTED = 16 /* bytes, and components */ };

bool kiln_is_permute(LLVMValueRef instruction);
/* Makes permutes whose mask is constant shuffles, and unless there is an instruction for them (is_native) all
 * others components that are picked one by one. */
void kiln_permutes_settle(LLVMModuleRef module, bool is_native);

#endif
