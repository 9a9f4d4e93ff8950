/* Private arrays that are filled by stores of constants. */
#ifndef KILN_COMPILER_TABLE_FILL_H
#define KILN_COMPILER_TABLE_FILL_H

#include <llvm-c/Types.h>

/* The variable is an array that stores of constants and a clearing, all in one block, fill before anything in
 * it is read, as Clang fills `const int x[] = {0, 1, 0, -1}`. Makes a constant of what they leave there and
 * erases them; NULL, with nothing changed: it is not. */
LLVMValueRef kiln_table_of_stores(LLVMValueRef variable);

#endif
