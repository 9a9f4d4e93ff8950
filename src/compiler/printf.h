/* Lowers a printf call to the record of base/abi.h. Knows LLVM's builder, nothing of kernels or regions. */
#ifndef KILN_COMPILER_PRINTF_H
#define KILN_COMPILER_PRINTF_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

struct kiln_printf_call {
  LLVMBuilderRef builder; /* at the end of an unfinished block; left at the end of a new one */
  LLVMModuleRef module;
  LLVMTargetDataRef layout;
  LLVMValueRef worker; /* struct kiln_worker * */
  LLVMValueRef format; /* address of the format string */
  const LLVMValueRef *args;
  unsigned num_args;
};

/* Emits the code: asks for room, fills the record when there is some. Returns the i32 result of printf: 0, or
 * -1 when the ring was full. */
LLVMValueRef kiln_printf_emit(const struct kiln_printf_call *call);

#endif
