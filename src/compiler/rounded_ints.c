/* Owns a change before code generation: conversions to integers that take what rint made; see rounded_ints.h.
 * Must know nothing of kernels. */
#include "compiler/rounded_ints.h"

#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>

/* Integers of 32 bits, one by one or as many as registers hold. */
static bool is_case(LLVMTypeRef type) {
  const LLVMTypeRef element = kiln_element_type(type);
  const unsigned n = type == element ? 1 : LLVMGetVectorSize(type);
  return LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 32 &&
         (n & (n - 1)) == 0;
}

/* The number that v is rounded from; NULL: v is made otherwise, or of halfs. */
static LLVMValueRef unrounded(LLVMValueRef v) {
  if (LLVMIsAIntrinsicInst(v) == NULL || !kiln_name_begins(LLVMGetCalledValue(v), "llvm.rint.")) return NULL;
  return LLVMGetTypeKind(kiln_element_type(LLVMTypeOf(v))) == LLVMHalfTypeKind ? NULL : LLVMGetOperand(v, 0);
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  static const char name[] = "llvm.lrint";
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (LLVMIsAFPToSIInst(i) == NULL || !is_case(LLVMTypeOf(i))) return next;
  LLVMValueRef rounded = LLVMGetOperand(i, 0), from = unrounded(rounded);
  if (from == NULL) return next;
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
  LLVMTypeRef types[] = {LLVMTypeOf(i), LLVMTypeOf(from)};
  const unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
  LLVMPositionBuilderBefore(b, i);
  LLVMReplaceAllUsesWith(i,
                         LLVMBuildCall2(b, LLVMIntrinsicGetType(LLVMGetModuleContext(module), id, types, 2),
                                        LLVMGetIntrinsicDeclaration(module, id, types, 2), &from, 1, ""));
  LLVMInstructionEraseFromParent(i);
  if (LLVMGetFirstUse(rounded) == NULL) LLVMInstructionEraseFromParent(rounded);
  return next;
}

void kiln_join_rounded_ints(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
