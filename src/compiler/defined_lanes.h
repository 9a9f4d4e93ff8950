/* No undefined lanes where masked loads are known to leave some out. */
#ifndef KILN_COMPILER_DEFINED_LANES_H
#define KILN_COMPILER_DEFINED_LANES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

void kiln_define_lanes(LLVMModuleRef module);

#endif
