/* Constants come second. */
#ifndef KILN_COMPILER_SPMD_OPERAND_ORDER_H
#define KILN_COMPILER_SPMD_OPERAND_ORDER_H

#include <llvm-c/Types.h>

/* Of operations whose operands may change places a constant is the second one then, as those expect it who
 * look for steps of counters, multiples and masks (LLVM's instcombine, which is not run, does so, too). */
void kiln_spmd_order_operands(LLVMModuleRef module);

#endif
