/* Conversions from and to halves that processors have no instructions for, and operations on halves where
 * they have none at all. */
#ifndef KILN_COMPILER_HALF_CONVERSIONS_H
#define KILN_COMPILER_HALF_CONVERSIONS_H

#include <llvm-c/Types.h>

/* To be done when no pass follows that would undo it; code generation would call a function for each element.
 */

/* Doubles become halves by way of floats, rounded as if once. For processors with F16C. */
void kiln_narrow_doubles_by_floats(LLVMModuleRef module);

/* What code generation would do with each element of a vector of halves (intrinsics, comparisons, conversions
 * to integers) is done with vectors of floats. For processors with F16C that do not compute with halves. */
void kiln_keep_halves_together(LLVMModuleRef module);

/* Both and all else: operations on halves are made with floats, and conversions between these and halves
 * with integers. For processors without F16C. */
void kiln_convert_halves_by_integers(LLVMModuleRef module);

#endif
