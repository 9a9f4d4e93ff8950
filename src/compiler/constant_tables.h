/* Private arrays that are copies of constants. */
#ifndef KILN_COMPILER_CONSTANT_TABLES_H
#define KILN_COMPILER_CONSTANT_TABLES_H

#include <llvm-c/Types.h>

/* Variables that only ever hold a constant, as `const float weight[] = {...}` within a function, are read
 * where the constant lies: a work-item needs no copy of it. */
void kiln_constant_tables(LLVMModuleRef module);

#endif
