/* Operations that treat each element of an OpenCL vector alone: the intrinsics that do, and functions on
 * scalars made of nothing else, in the form for whole vectors.
 *
 * Must not know what the functions are for. */
#ifndef KILN_COMPILER_ELEMENTWISE_H
#define KILN_COMPILER_ELEMENTWISE_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* An intrinsic with one type in its name. */
struct kiln_elementwise {
  const char *name;      /* without the type: "llvm.fma" */
  unsigned char scalars; /* operands that are scalars in vector forms too, as bits */
};

/* NULL: the function is something else. */
const struct kiln_elementwise *kiln_elementwise_find(LLVMValueRef function);

/* Calls the form of an intrinsic for a type, in the builder's module. */
LLVMValueRef kiln_elementwise_call(LLVMBuilderRef builder, const char *name, LLVMTypeRef type,
                                   LLVMValueRef *args, unsigned n);

/* The function is one block of element-wise operations on scalars. */
bool kiln_elementwise_is_straight(LLVMValueRef function);

/* Such a function's operations on vectors of `lanes` elements, at the builder's position; args: a vector or a
 * scalar for all elements for each parameter. The function may be of another module of the same context.
 * Returns the vector result. */
LLVMValueRef kiln_elementwise_build(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *args,
                                    unsigned lanes);

#endif
