/* Owns what stands for conversions of 64 bits in vectors, on processors without AVX512DQ; see
 * long_conversions.h. Must know nothing of kernels.
 *
 * Halves of 32 bits are numbers of their own: the sum of a whole number and 2^52 or 1.5 2^52 has it in its
 * low bits, modulo 2^32 with sign in the second case. */
#include "compiler/long_conversions.h"

#include "compiler/elementwise.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <stdint.h>

struct conversion {
  LLVMBuilderRef b;
  LLVMTypeRef number, bits; /* vectors of doubles and of integers as wide */
};

static LLVMValueRef bits_of(const struct conversion *c, LLVMValueRef v) {
  return LLVMBuildBitCast(c->b, v, c->bits, "");
}

static LLVMValueRef round_to(const struct conversion *c, const char *name, LLVMValueRef v) {
  return kiln_elementwise_call(c->b, name, c->number, &v, 1);
}

/* x = high 2^32 + low, 0 <= low < 2^32, after what follows the point is gone. */
static LLVMValueRef to_integer(const struct conversion *c, LLVMValueRef x) {
  LLVMBuilderRef b = c->b;
  x = round_to(c, "llvm.trunc", LLVMBuildFPExt(b, x, c->number, ""));
  LLVMValueRef high = round_to(c, "llvm.floor", LLVMBuildFMul(b, x, kiln_real_like(c->number, 0x1p-32), ""));
  LLVMValueRef low = LLVMBuildFSub(b, x, LLVMBuildFMul(b, high, kiln_real_like(c->number, 0x1p32), ""), "");
  high = bits_of(c, LLVMBuildFAdd(b, high, kiln_real_like(c->number, 0x1.8p52), ""));
  low = bits_of(c, LLVMBuildFAdd(b, low, kiln_real_like(c->number, 0x1p52), ""));
  low = LLVMBuildXor(b, low, bits_of(c, kiln_real_like(c->number, 0x1p52)), "");
  return LLVMBuildOr(b, LLVMBuildShl(b, high, kiln_integer_like(c->bits, 32), ""), low, "");
}

/* The halves as the low bits of 2^84 and 2^52, the upper one with 2^31 added; one rounding, of the sum. */
static LLVMValueRef to_number(const struct conversion *c, LLVMValueRef v) {
  LLVMBuilderRef b = c->b;
  LLVMValueRef high = LLVMBuildLShr(b, v, kiln_integer_like(c->bits, 32), "");
  high = LLVMBuildXor(b, high, bits_of(c, kiln_real_like(c->number, 0x1.000008p84)), "");
  LLVMValueRef low = LLVMBuildAnd(b, v, kiln_integer_like(c->bits, UINT32_MAX), "");
  low = LLVMBuildOr(b, low, bits_of(c, kiln_real_like(c->number, 0x1p52)), "");
  high = LLVMBuildFSub(b, LLVMBuildBitCast(b, high, c->number, ""),
                       kiln_real_like(c->number, 0x1.00000801p84), "");
  return LLVMBuildFAdd(b, high, LLVMBuildBitCast(b, low, c->number, ""), "");
}

static bool is_vector_of_longs(LLVMTypeRef type) {
  LLVMTypeRef element = kiln_element_type(type);
  return element != type && element == LLVMInt64TypeInContext(LLVMGetTypeContext(type));
}

static bool is_floating(LLVMTypeRef type) {
  const LLVMTypeKind kind = LLVMGetTypeKind(kiln_element_type(type));
  return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static LLVMValueRef convert(LLVMBuilderRef b, LLVMValueRef i, bool signs) {
  const LLVMOpcode op = LLVMGetInstructionOpcode(i);
  const bool from = op == LLVMFPToUI || (op == LLVMFPToSI && signs), to = op == LLVMSIToFP && signs;
  if (!from && !to) return NULL;
  LLVMValueRef x = LLVMGetOperand(i, 0);
  LLVMTypeRef integers = LLVMTypeOf(from ? i : x), numbers = LLVMTypeOf(from ? x : i);
  if (!is_vector_of_longs(integers) || !is_floating(numbers)) return NULL;
  LLVMTypeRef real = LLVMDoubleTypeInContext(LLVMGetTypeContext(integers));
  if (to && kiln_element_type(numbers) != real) return NULL; /* would be rounded twice */
  const struct conversion c = {b, kiln_type_like(integers, real), integers};
  LLVMPositionBuilderBefore(b, i);
  return from ? to_integer(&c, x) : to_number(&c, x);
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i, bool signs) {
  LLVMValueRef next = LLVMGetNextInstruction(i), made = convert(b, i, signs);
  if (made == NULL) return next;
  LLVMReplaceAllUsesWith(i, made);
  LLVMInstructionEraseFromParent(i);
  return next;
}

static LLVMValueRef visit_all(LLVMBuilderRef b, LLVMValueRef i) { return visit(b, i, true); }
static LLVMValueRef visit_unsigned(LLVMBuilderRef b, LLVMValueRef i) { return visit(b, i, false); }

void kiln_convert_longs_by_sums(LLVMModuleRef module, bool signs) {
  kiln_visit_instructions(module, signs ? visit_all : visit_unsigned);
}
