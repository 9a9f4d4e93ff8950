/* What several stages ask of a value; see value.h. */
#include "compiler/value.h"

bool kiln_gep_offset(LLVMTargetDataRef layout, LLVMValueRef gep, int64_t *bytes) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  uint64_t sum = 0;
  for (unsigned k = 1, n = (unsigned)LLVMGetNumOperands(gep); k < n; k++) {
    LLVMValueRef index = LLVMGetOperand(gep, k);
    if (LLVMIsAConstantInt(index) == NULL) return false;
    const uint64_t x = (uint64_t)LLVMConstIntGetSExtValue(index);
    if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      sum += LLVMOffsetOfElement(layout, type, (unsigned)x);
      type = LLVMStructGetTypeAtIndex(type, (unsigned)x);
      continue;
    }
    if (k > 1) type = LLVMGetElementType(type);
    sum += x * LLVMABISizeOfType(layout, type);
  }
  *bytes = (int64_t)sum;
  return true;
}

LLVMValueRef kiln_fenced(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef v) {
  static const char name[] = "llvm.arithmetic.fence"; /* of floats alone */
  enum { REGISTER_BYTES = 16 };
  LLVMTypeRef type = LLVMTypeOf(v), word = LLVMFloatTypeInContext(LLVMGetTypeContext(type));
  const uint64_t bytes = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(module), type);
  if (bytes % REGISTER_BYTES != 0) return v;
  LLVMTypeRef words = LLVMVectorType(word, (unsigned)(bytes / 4));
  const unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
  LLVMValueRef fence = LLVMGetIntrinsicDeclaration(module, id, &words, 1);
  v = LLVMBuildBitCast(b, v, words, "");
  v = LLVMBuildCall2(b, LLVMGlobalGetValueType(fence), fence, &v, 1, "");
  return LLVMBuildBitCast(b, v, type, "");
}
