/* Bounds the turns of loops; see few_turns.h. */
#include "compiler/spmd/few_turns.h"

#include "compiler/mangle.h"
#include "compiler/spmd/long_loops.h"
#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { FEW = 8 }; /* turns */

/* How a loop goes on: while next, which is phi plus step, is below the limit. */
struct counter {
  LLVMBasicBlockRef header;
  LLVMValueRef start, limit;
  uint64_t step;
  bool is_signed;
};

/* As if the branch went to the header where the comparison holds. */
static LLVMIntPredicate goes_on_if(LLVMIntPredicate is, bool holds) {
  if (holds) return is;
  switch (is) {
  case LLVMIntSGE:
    return LLVMIntSLT;
  case LLVMIntUGE:
    return LLVMIntULT;
  default:
    return is == LLVMIntEQ ? LLVMIntNE : LLVMIntEQ;
  }
}

static bool is_positive(LLVMValueRef v) {
  return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 && LLVMConstIntGetSExtValue(v) > 0;
}

/* x plus a positive number, without a wrap. */
static bool is_further(LLVMValueRef v, LLVMValueRef x, bool is_signed) {
  return LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMGetOperand(v, 0) == x &&
         is_positive(LLVMGetOperand(v, 1)) && (is_signed ? LLVMGetNSW(v) : LLVMGetNUW(v));
}

/* That it is another number than the limit is asked only of counters that go up one by one and do not wrap:
 * the limit is not below the start then. */
static bool find(struct counter *c, LLVMValueRef branch) {
  if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch)) return false;
  LLVMValueRef test = LLVMGetCondition(branch);
  LLVMValueRef next = LLVMIsAICmpInst(test) ? LLVMGetOperand(test, 0) : NULL;
  if (next == NULL || !LLVMIsABinaryOperator(next) || !LLVMIsAPHINode(LLVMGetOperand(next, 0))) return false;
  LLVMValueRef phi = LLVMGetOperand(next, 0);
  LLVMBasicBlockRef latch = LLVMGetInstructionParent(branch), header = LLVMGetInstructionParent(phi);
  const bool holds = LLVMGetSuccessor(branch, 0) == header;
  if ((!holds && LLVMGetSuccessor(branch, 1) != header) || LLVMCountIncoming(phi) != 2) return false;
  const LLVMIntPredicate is = goes_on_if(LLVMGetICmpPredicate(test), holds);
  const bool is_signed = is == LLVMIntSLT || (is == LLVMIntNE && LLVMGetNSW(next));
  if ((is != LLVMIntSLT && is != LLVMIntULT && is != LLVMIntNE) || kiln_phi_from(phi, latch) != next ||
      !is_further(next, phi, is_signed))
    return false;
  *c = (struct counter){.header = header,
                        .start = LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == latch),
                        .limit = LLVMGetOperand(test, 1),
                        .step = LLVMConstIntGetZExtValue(LLVMGetOperand(next, 1)),
                        .is_signed = is_signed};
  return is != LLVMIntNE || c->step == 1;
}

/* The smaller of two numbers: the builtin function, not one of the program's by that name, or, once there is
 * a launch, its intrinsic. */
static bool is_least(LLVMValueRef v, bool is_signed) {
  LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
  if (callee == NULL || !LLVMIsAFunction(callee)) return false;
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length), *intrinsic = is_signed ? "llvm.smin" : "llvm.umin";
  if (kiln_mangle_is(name, "min"))
    return LLVMIsDeclaration(callee) && strchr(is_signed ? "il" : "jm", name[length - 1]) != NULL;
  return LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));
}

/* The limit is at most the start plus this; 0: not known. */
static uint64_t distance(const struct counter *c) {
  LLVMValueRef limit = c->limit;
  if (is_further(limit, c->start, c->is_signed)) return LLVMConstIntGetZExtValue(LLVMGetOperand(limit, 1));
  for (unsigned k = 0; k < 2 && is_least(limit, c->is_signed); k++)
    if (is_further(LLVMGetOperand(limit, k), c->start, c->is_signed))
      return LLVMConstIntGetZExtValue(LLVMGetOperand(LLVMGetOperand(limit, k), 1));
  return 0;
}

/* Where there is no other limit than the number, LLVM knows the turns, and hints stay. */
static void bound(LLVMValueRef branch) {
  struct counter c;
  if (!find(&c, branch)) return;
  const uint64_t way = distance(&c), turns = way / c.step + (way % c.step != 0);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(branch));
  const bool goes_on = LLVMGetSuccessor(branch, 0) == c.header;
  if (turns == 1) LLVMSetCondition(branch, LLVMConstInt(LLVMInt1TypeInContext(context), !goes_on, false));
  else if (turns != 0 && turns < FEW && is_least(c.limit, c.is_signed) &&
           kiln_spmd_turns_asked_for(branch) == UINT64_MAX)
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9), NULL);
}

void kiln_spmd_bound_turns(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      bound(LLVMGetBasicBlockTerminator(b));
}
