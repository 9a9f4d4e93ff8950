/* Owns what stands for products of bytes; see byte_products.h. Must know nothing of kernels. */
#include "compiler/byte_products.h"

#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>

enum {
  LEAST = 16, /* bytes: of eight, code generation makes words in a register that has room for them */
  MOST = 256  /* products, of nine instructions each, of which large functions would be compiled in haste */
};

static bool is_product_of_bytes(LLVMValueRef i) {
  LLVMTypeRef type = LLVMTypeOf(i), element = kiln_element_type(type);
  return LLVMGetInstructionOpcode(i) == LLVMMul && element != type &&
         element == LLVMInt8TypeInContext(LLVMGetTypeContext(type)) && LLVMGetVectorSize(type) >= LEAST &&
         LLVMGetVectorSize(type) % 2 == 0;
}

/* Of words, of each of which the lower byte comes first: low bytes by the product itself, which has them
 * below others that do not matter, high ones by what is left when those of one factor are moved down and the
 * low ones of the other are gone. */
static LLVMValueRef multiply(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMTypeRef type = LLVMTypeOf(i), word = LLVMInt16TypeInContext(LLVMGetTypeContext(type));
  LLVMTypeRef words = LLVMVectorType(word, LLVMGetVectorSize(type) / 2);
  LLVMValueRef x = LLVMBuildBitCast(b, LLVMGetOperand(i, 0), words, ""),
               y = LLVMBuildBitCast(b, LLVMGetOperand(i, 1), words, "");
  LLVMValueRef low = LLVMBuildAnd(b, LLVMBuildMul(b, x, y, ""), kiln_integer_like(words, 0x00ff), "");
  LLVMValueRef high = LLVMBuildMul(b, LLVMBuildLShr(b, x, kiln_integer_like(words, 8), ""),
                                   LLVMBuildAnd(b, y, kiln_integer_like(words, 0xff00), ""), "");
  return LLVMBuildBitCast(b, LLVMBuildOr(b, low, high, ""), type, "");
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (!is_product_of_bytes(i)) return next;
  LLVMPositionBuilderBefore(b, i);
  LLVMReplaceAllUsesWith(i, multiply(b, i));
  LLVMInstructionEraseFromParent(i);
  return next;
}

static unsigned count_products(LLVMModuleRef module) {
  unsigned n = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
        n += is_product_of_bytes(i);
  return n;
}

void kiln_multiply_bytes_by_words(LLVMModuleRef module) {
  if (count_products(module) <= MOST) kiln_visit_instructions(module, visit);
}
