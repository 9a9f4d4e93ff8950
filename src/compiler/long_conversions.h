/* Conversions between floating point and integers of 64 bits, where the processor has none for vectors. */
#ifndef KILN_COMPILER_LONG_CONVERSIONS_H
#define KILN_COMPILER_LONG_CONVERSIONS_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Vectors of floats and doubles become integers of 64 bits, and such integers with sign doubles, by sums;
 * code generation would take them apart. Numbers past the integer's range, which have no meaning, give others
 * than an instruction would. signs: those with sign, too, which pays where floor is one instruction and
 * vectors have four doubles. To be done when no pass follows that takes sums apart. */
void kiln_convert_longs_by_sums(LLVMModuleRef module, bool signs);

#endif
