/* Owns the form of relaxed quotients with AVX-512; see guessed_quotients.h. Must know nothing of kernels. */
#include "compiler/guessed_quotients.h"

#include "compiler/elementwise.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <stdio.h>

enum { FEWEST = 4, REGISTER = 16 /* floats in the shortest and the widest registers */ };

static bool is_root(LLVMValueRef v) {
  return LLVMIsAIntrinsicInst(v) != NULL && kiln_name_begins(LLVMGetCalledValue(v), "llvm.sqrt.");
}

static bool is_case(LLVMValueRef i) {
  const unsigned wanted = LLVMFastMathAllowReciprocal | LLVMFastMathNoInfs;
  LLVMTypeRef type = LLVMTypeOf(i);
  if (LLVMIsABinaryOperator(i) == NULL || LLVMGetInstructionOpcode(i) != LLVMFDiv) return false;
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || !kiln_is_of(type, LLVMFloatTypeKind)) return false;
  const unsigned n = LLVMGetVectorSize(type);
  LLVMValueRef divisor = LLVMGetOperand(i, 1);
  return n >= FEWEST && n <= KILN_MOST_PICKED && (n & (n - 1)) == 0 &&
         (LLVMGetFastMathFlags(i) & wanted) == wanted && !LLVMIsConstant(divisor) && !is_root(divisor);
}

/* Of as many elements as a register has, or half of them together after the other half. */
static LLVMValueRef guess(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  const unsigned n = LLVMGetVectorSize(type);
  LLVMValueRef none = LLVMGetPoison(type);
  if (n > REGISTER) {
    LLVMValueRef low = guess(b, module, kiln_pick(b, x, none, 0, n / 2)),
                 high = guess(b, module, kiln_pick(b, x, none, n / 2, n / 2));
    return kiln_pick(b, low, high, 0, n);
  }
  char name[32];
  const int length = snprintf(name, sizeof name, "llvm.x86.avx512.rcp14.ps.%u", n * 32);
  LLVMValueRef rcp14 =
      LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, (size_t)length), NULL, 0);
  LLVMTypeRef mask = LLVMIntTypeInContext(LLVMGetTypeContext(type), n < 8 ? 8 : n);
  LLVMValueRef operands[] = {x, none, LLVMConstAllOnes(mask)};
  return LLVMBuildCall2(b, LLVMGlobalGetValueType(rcp14), rcp14, operands, 3, "");
}

/* With y = (1 - e)/b: a y + a y e. Where b is infinite or 0, e is NaN; any small positive number does
 * instead, which the second operand of minps is. */
static LLVMValueRef quotient(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef x, LLVMValueRef divisor) {
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef y = guess(b, module, divisor), most = kiln_real_like(type, 0x1p-13);
  LLVMValueRef rest[] = {LLVMBuildFNeg(b, divisor, ""), y, kiln_real_like(type, 1)};
  LLVMValueRef e = kiln_elementwise_call(b, "llvm.fma", type, rest, 3);
  e = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, e, most, ""), e, most, "");
  LLVMValueRef first = LLVMBuildFMul(b, x, y, ""), terms[] = {first, e, first};
  return kiln_elementwise_call(b, "llvm.fma", type, terms, 3);
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (!is_case(i)) return next;
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
  LLVMPositionBuilderBefore(b, i);
  LLVMReplaceAllUsesWith(i, quotient(b, module, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)));
  LLVMInstructionEraseFromParent(i);
  return next;
}

void kiln_guess_quotients(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
