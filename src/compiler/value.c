/* What several stages ask of a value; see value.h. */
#include "compiler/value.h"

#include "compiler/elementwise.h"

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

LLVMValueRef kiln_fenced(LLVMBuilderRef b, LLVMValueRef v) {
  enum { REGISTER_BYTES = 16 };
  LLVMTypeRef type = LLVMTypeOf(v), word = LLVMFloatTypeInContext(LLVMGetTypeContext(type));
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
  const uint64_t bytes = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(module), type);
  if (bytes % REGISTER_BYTES != 0) return v;
  LLVMTypeRef words = LLVMVectorType(word, (unsigned)(bytes / 4)); /* the fence is of floats alone */
  v = LLVMBuildBitCast(b, v, words, "");
  v = kiln_elementwise_call(b, "llvm.arithmetic.fence", words, &v, 1);
  return LLVMBuildBitCast(b, v, type, "");
}

static bool is_computation(LLVMValueRef v) {
  return LLVMIsABinaryOperator(v) != NULL || LLVMIsACastInst(v) != NULL ||
         LLVMIsAGetElementPtrInst(v) != NULL;
}

void kiln_erase_unused(LLVMValueRef v) {
  if (!is_computation(v) || LLVMGetFirstUse(v) != NULL) return;
  for (int k = 0; k < LLVMGetNumOperands(v); k++) {
    LLVMValueRef operand = LLVMGetOperand(v, (unsigned)k);
    LLVMSetOperand(v, (unsigned)k, LLVMGetUndef(LLVMTypeOf(operand)));
    kiln_erase_unused(operand);
  }
  LLVMInstructionEraseFromParent(v);
}

/* LLVM's effects on memory: two bits a kind of memory, the higher for writes. */
static bool call_may_write(LLVMValueRef call) {
  static const char memory[] = "memory";
  LLVMValueRef fn = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(fn)) return true;
  LLVMAttributeRef effects =
      LLVMGetEnumAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                  LLVMGetEnumAttributeKindForName(memory, sizeof memory - 1));
  return effects == NULL || (LLVMGetEnumAttributeValue(effects) & 0xaaaaaaaau) != 0;
}

bool kiln_may_write(LLVMValueRef instruction) {
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMStore:
  case LLVMFence:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return true;
  case LLVMCall:
    return call_may_write(instruction);
  default:
    return false;
  }
}
