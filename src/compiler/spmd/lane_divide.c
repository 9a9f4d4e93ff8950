/* Integer divisions of all lanes. Processors divide vectors of floating-point numbers only. */
#include "compiler/spmd/lanes.h"

static bool is_signed(LLVMOpcode op) { return op == LLVMSDiv || op == LLVMSRem; }

static LLVMValueRef to_real(LLVMBuilderRef b, LLVMOpcode op, LLVMValueRef x, LLVMTypeRef real) {
  return is_signed(op) ? LLVMBuildSIToFP(b, x, real, "") : LLVMBuildUIToFP(b, x, real, "");
}

bool kiln_lanes_divides_as_real(LLVMTypeRef element) { return LLVMGetIntTypeWidth(element) <= 32; }

/* The quotient in a format with 8 bits more than the dividend has, rounded to nearest, never crosses the
 * integer above: it is at least 1/y away, and the rounding moves it by less. Constants have better forms,
 * which LLVM knows. */
LLVMValueRef kiln_lanes_divide(struct kl_lanes *l, LLVMOpcode op, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef type = LLVMTypeOf(x), element = LLVMGetElementType(type);
  if (LLVMIsConstant(y) || !kiln_lanes_divides_as_real(element)) return LLVMBuildBinOp(b, op, x, y, "");
  LLVMContextRef context = l->e->env->context;
  LLVMTypeRef real =
      kiln_lanes_type(l, LLVMGetIntTypeWidth(element) <= 16 ? LLVMFloatTypeInContext(context)
                                                            : LLVMDoubleTypeInContext(context));
  LLVMValueRef ratio = LLVMBuildFDiv(b, to_real(b, op, x, real), to_real(b, op, y, real), "");
  LLVMValueRef quotient =
      is_signed(op) ? LLVMBuildFPToSI(b, ratio, type, "") : LLVMBuildFPToUI(b, ratio, type, "");
  if (op == LLVMUDiv || op == LLVMSDiv) return quotient;
  return LLVMBuildSub(b, x, LLVMBuildMul(b, quotient, y, ""), "");
}
