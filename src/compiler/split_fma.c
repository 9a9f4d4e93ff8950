/* Owns what stands for llvm.fma on processors without it; see split_fma.h. Must know nothing of kernels.
 *
 * All of it rests on two facts. The error of a sum is a number of the same type (Knuth's two-sum). And a
 * number rounded to odd, which is cut off, with the last bit set where something was lost, gives what one
 * rounding would when it is rounded again to a type or a sum two bits and more shorter. */
#include "compiler/split_fma.h"

#include "compiler/elementwise.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <stdio.h>

/* Doubles, or vectors of them, and integers of their bits. */
struct split {
  LLVMBuilderRef b;
  LLVMTypeRef number, bits;
};

struct pair {
  LLVMValueRef high, low; /* their sum is what is meant */
};

static struct split split_like(LLVMBuilderRef b, LLVMTypeRef type) {
  LLVMContextRef context = LLVMGetTypeContext(type);
  return (struct split){.b = b,
                        .number = kiln_type_like(type, LLVMDoubleTypeInContext(context)),
                        .bits = kiln_type_like(type, LLVMInt64TypeInContext(context))};
}

static LLVMValueRef add(const struct split *s, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildFAdd(s->b, x, y, "");
}

static LLVMValueRef subtract(const struct split *s, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildFSub(s->b, x, y, "");
}

static LLVMValueRef multiply(const struct split *s, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildFMul(s->b, x, y, "");
}

/* Knuth, The Art of Computer Programming 2, 4.2.2. */
static struct pair sum_exact(const struct split *s, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef high = add(s, x, y), from_y = subtract(s, high, x), from_x = subtract(s, high, from_y);
  return (struct pair){high, add(s, subtract(s, x, from_x), subtract(s, y, from_y))};
}

/* Halves of a number of 26 bits each (Veltkamp). */
static struct pair halve(const struct split *s, LLVMValueRef x) {
  LLVMValueRef t = multiply(s, x, kiln_real_like(s->number, 0x1p27 + 1)),
               high = subtract(s, t, subtract(s, t, x));
  return (struct pair){high, subtract(s, x, high)};
}

/* Dekker, Numerische Mathematik 18, 1971. Exact where neither it nor what it is made of goes out of range. */
static struct pair product_exact(const struct split *s, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef high = multiply(s, x, y);
  struct pair a = halve(s, x), b = halve(s, y);
  LLVMValueRef rest = subtract(s, multiply(s, a.high, b.high), high);
  rest = add(s, rest, multiply(s, a.high, b.low));
  rest = add(s, rest, multiply(s, a.low, b.high));
  return (struct pair){high, add(s, rest, multiply(s, a.low, b.low))};
}

/* The sum of a pair, which two-sum made, rounded to odd. Infinities and NaN stay. */
static LLVMValueRef round_to_odd(const struct split *s, struct pair sum) {
  LLVMValueRef bits = LLVMBuildBitCast(s->b, sum.high, s->bits, ""),
               error = LLVMBuildBitCast(s->b, sum.low, s->bits, ""),
               inexact = LLVMBuildFCmp(s->b, LLVMRealONE, sum.low, kiln_real_like(s->number, 0), "");
  /* one step towards 0 where rounding went away from it */
  LLVMValueRef differ =
      LLVMBuildLShr(s->b, LLVMBuildXor(s->b, bits, error, ""), kiln_integer_like(s->bits, 63), "");
  LLVMValueRef odd =
      LLVMBuildOr(s->b, LLVMBuildSub(s->b, bits, differ, ""), kiln_integer_like(s->bits, 1), "");
  return LLVMBuildBitCast(s->b, LLVMBuildSelect(s->b, inexact, odd, bits, ""), s->number, "");
}

/* ---- floats: a product is exact in double ---- */

static LLVMValueRef widen(const struct split *s, LLVMValueRef x) {
  return LLVMBuildFPExt(s->b, x, s->number, "");
}

static LLVMValueRef of_floats(LLVMBuilderRef b, LLVMValueRef call) {
  const struct split s = split_like(b, LLVMTypeOf(call));
  LLVMValueRef product = multiply(&s, widen(&s, LLVMGetOperand(call, 0)), widen(&s, LLVMGetOperand(call, 1)));
  struct pair sum = sum_exact(&s, product, widen(&s, LLVMGetOperand(call, 2)));
  return LLVMBuildFPTrunc(b, round_to_odd(&s, sum), LLVMTypeOf(call), "");
}

/* ---- doubles ---- */

static LLVMValueRef magnitude(const struct split *s, LLVMValueRef x) {
  return kiln_elementwise_call(s->b, "llvm.fabs", s->number, &x, 1);
}

static LLVMValueRef is_below(const struct split *s, LLVMValueRef x, double limit) {
  return LLVMBuildFCmp(s->b, LLVMRealOLT, magnitude(s, x), kiln_real_like(s->number, limit), "");
}

/* Nothing on the way goes out of range; what is 0 does not either. */
static LLVMValueRef in_range(const struct split *s, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
  LLVMValueRef product = multiply(s, x, y), none = kiln_real_like(s->number, 0);
  LLVMValueRef large =
      LLVMBuildFCmp(s->b, LLVMRealOGT, magnitude(s, product), kiln_real_like(s->number, 0x1p-900), "");
  LLVMValueRef zero = LLVMBuildOr(s->b, LLVMBuildFCmp(s->b, LLVMRealOEQ, x, none, ""),
                                  LLVMBuildFCmp(s->b, LLVMRealOEQ, y, none, ""), "");
  LLVMValueRef ok =
      LLVMBuildAnd(s->b, LLVMBuildOr(s->b, large, zero, ""), is_below(s, product, 0x1p1000), "");
  ok = LLVMBuildAnd(s->b, ok, is_below(s, x, 0x1p990), "");
  ok = LLVMBuildAnd(s->b, ok, is_below(s, y, 0x1p990), "");
  return LLVMBuildAnd(s->b, ok, is_below(s, z, 0x1p1000), "");
}

/* Boldo and Melquiond, IEEE Transactions on Computers 57, 2008. */
static LLVMValueRef by_pairs(const struct split *s, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
  struct pair u = product_exact(s, x, y), t = sum_exact(s, z, u.low), v = sum_exact(s, u.high, t.high);
  LLVMValueRef low = round_to_odd(s, sum_exact(s, t.low, v.low));
  /* where the product is exact: zeros keep their signs so */
  LLVMValueRef exact = LLVMBuildFCmp(s->b, LLVMRealOEQ, u.low, kiln_real_like(s->number, 0), "");
  return LLVMBuildSelect(s->b, exact, add(s, u.high, z), add(s, v.high, low), "");
}

/* One element after the other, by the C library. */
static LLVMValueRef by_library(const struct split *s, LLVMValueRef *operands) {
  LLVMTypeRef element = kiln_element_type(s->number),
              i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(element));
  LLVMValueRef result = LLVMGetPoison(s->number);
  if (s->number == element) return kiln_elementwise_call(s->b, "llvm.fma", element, operands, 3);
  for (unsigned k = 0; k < LLVMGetVectorSize(s->number); k++) {
    LLVMValueRef at = LLVMConstInt(i32, k, false), one[3];
    for (unsigned o = 0; o < 3; o++) one[o] = LLVMBuildExtractElement(s->b, operands[o], at, "");
    LLVMValueRef fused = kiln_elementwise_call(s->b, "llvm.fma", element, one, 3);
    result = LLVMBuildInsertElement(s->b, result, fused, at, "");
  }
  return result;
}

static LLVMValueRef are_all(const struct split *s, LLVMValueRef ok) {
  if (LLVMGetTypeKind(s->number) != LLVMVectorTypeKind) return ok;
  LLVMTypeRef bits = LLVMIntTypeInContext(LLVMGetTypeContext(s->bits), LLVMGetVectorSize(s->number));
  return LLVMBuildICmp(s->b, LLVMIntEQ, LLVMBuildBitCast(s->b, ok, bits, ""), LLVMConstAllOnes(bits), "");
}

static void define(LLVMValueRef function, LLVMTypeRef type) {
  LLVMContextRef context = LLVMGetTypeContext(type);
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, function, ""),
                    fast = LLVMAppendBasicBlockInContext(context, function, ""),
                    slow = LLVMAppendBasicBlockInContext(context, function, "");
  const struct split s = split_like(LLVMCreateBuilderInContext(context), type);
  LLVMValueRef operands[3];
  LLVMGetParams(function, operands);
  LLVMPositionBuilderAtEnd(s.b, entry);
  LLVMBuildCondBr(s.b, are_all(&s, in_range(&s, operands[0], operands[1], operands[2])), fast, slow);
  LLVMPositionBuilderAtEnd(s.b, fast);
  LLVMBuildRet(s.b, by_pairs(&s, operands[0], operands[1], operands[2]));
  LLVMPositionBuilderAtEnd(s.b, slow);
  LLVMBuildRet(s.b, by_library(&s, operands));
  LLVMDisposeBuilder(s.b);
}

/* A function of the module for a type: its code is long. */
static LLVMValueRef of_doubles(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef call) {
  char name[32];
  LLVMTypeRef type = LLVMTypeOf(call), parameters[] = {type, type, type};
  const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
  snprintf(name, sizeof name, "kiln.fma.%u", is_vector ? LLVMGetVectorSize(type) : 1);
  LLVMTypeRef of = LLVMFunctionType(type, parameters, 3, false);
  LLVMValueRef function = LLVMGetNamedFunction(module, name), operands[3];
  if (function == NULL) {
    function = LLVMAddFunction(module, name, of);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    define(function, type);
  }
  for (unsigned o = 0; o < 3; o++) operands[o] = LLVMGetOperand(call, o);
  return LLVMBuildCall2(b, of, function, operands, 3, "");
}

/* ---- all ---- */

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i),
               function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
  if (LLVMIsAIntrinsicInst(i) == NULL || !kiln_name_begins(LLVMGetCalledValue(i), "llvm.fma.") ||
      kiln_name_begins(function, "kiln.fma."))
    return next;
  const LLVMTypeKind kind = LLVMGetTypeKind(kiln_element_type(LLVMTypeOf(i)));
  if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) return next;
  LLVMPositionBuilderBefore(b, i);
  LLVMValueRef split =
      kind == LLVMFloatTypeKind ? of_floats(b, i) : of_doubles(b, LLVMGetGlobalParent(function), i);
  LLVMReplaceAllUsesWith(i, split);
  LLVMInstructionEraseFromParent(i);
  return next;
}

void kiln_split_fma(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
