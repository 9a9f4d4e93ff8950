/* Owns a change before code generation: fences in hash functions; see rotations.h. Must know nothing of
 * kernels. */
#include "compiler/rotations.h"

#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

/* A block with so many rotations is taken for rounds of a hash function. Elsewhere sums are part of what
 * processors have instructions for: rounded means of bytes, addresses of gathers. */
enum { BYTE_BITS = 8, MANY = 16 };

/* By how much a rotation of a vector by a constant goes; NULL: it is something else. */
static LLVMValueRef amount_of(LLVMValueRef i) {
  if (LLVMIsAIntrinsicInst(i) == NULL || !kiln_name_begins(LLVMGetCalledValue(i), "llvm.fsh")) return NULL;
  if (LLVMGetOperand(i, 0) != LLVMGetOperand(i, 1) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVectorTypeKind)
    return NULL;
  LLVMValueRef by = LLVMGetOperand(i, 2), first = LLVMIsConstant(by) ? LLVMGetAggregateElement(by, 0) : NULL;
  if (first == NULL || LLVMIsAConstantInt(first) == NULL) return NULL;
  return kiln_constant_like(LLVMTypeOf(i), first) == by ? first : NULL;
}

/* Returns the instruction behind. */
static LLVMValueRef fence(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i), same = LLVMInstructionClone(i);
  LLVMPositionBuilderBefore(b, i);
  LLVMInsertIntoBuilder(b, same);
  LLVMReplaceAllUsesWith(i, kiln_fenced(b, same));
  LLVMInstructionEraseFromParent(i);
  return next;
}

static LLVMValueRef visit_rotation(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef by = amount_of(i);
  if (by == NULL || LLVMConstIntGetZExtValue(by) % BYTE_BITS != 0) return LLVMGetNextInstruction(i);
  return fence(b, i);
}

/* ---- sums ---- */

static bool has_many(LLVMBasicBlockRef block) {
  unsigned count = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL && count < MANY;
       i = LLVMGetNextInstruction(i))
    count += amount_of(i) != NULL;
  return count == MANY;
}

/* Made of operations on bits, or a sum, that no fence stands behind. */
static bool is_looked_through(LLVMValueRef v) {
  if (LLVMIsAInstruction(v) == NULL) return false;
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMXor:
  case LLVMAnd:
  case LLVMOr:
  case LLVMShl:
  case LLVMLShr:
    return true;
  default:
    return amount_of(v) != NULL;
  }
}

static bool is_deep_sum(LLVMValueRef i) {
  return LLVMGetInstructionOpcode(i) == LLVMAdd && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind &&
         (is_looked_through(LLVMGetOperand(i, 0)) || is_looked_through(LLVMGetOperand(i, 1)));
}

static void fence_sums(LLVMBuilderRef b, LLVMBasicBlockRef block) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;)
    i = is_deep_sum(i) ? fence(b, i) : LLVMGetNextInstruction(i);
}

void kiln_fence_hash_sums(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      if (has_many(block)) fence_sums(b, block);
  LLVMDisposeBuilder(b);
}

void kiln_fence_rotations(LLVMModuleRef module) { kiln_visit_instructions(module, visit_rotation); }
