/* Owns the stage that makes literal samplers constants, so that of a read_image function only the addressing
 * and filtering that the sampler asks for is left. Must not know what the bits mean.
 *
 * Clang wraps the bits of a literal in a call, because the type sampler_t is opaque; the builtins take them
 * out of a sampler by another. Once both are in one function, the pair is the number. */
#include "compiler/mangle.h"
#include "compiler/pipeline.h"

#include <llvm-c/Core.h>

static bool is_named(LLVMValueRef function, const char *wanted) {
  return kiln_mangle_is(LLVMGetValueName2(function, &(size_t){0}), wanted);
}

/* The bits of a literal; NULL for a sampler that comes from elsewhere. */
static LLVMValueRef literal_bits(LLVMValueRef sampler) {
  LLVMValueRef callee = LLVMIsACallInst(sampler) ? LLVMIsAFunction(LLVMGetCalledValue(sampler)) : NULL;
  if (callee == NULL || !is_named(callee, "__translate_sampler_initializer")) return NULL;
  return LLVMGetOperand(sampler, 0);
}

static void fold_calls(LLVMValueRef bits_of) {
  LLVMUseRef next;
  for (LLVMUseRef use = LLVMGetFirstUse(bits_of); use != NULL; use = next) {
    LLVMValueRef call = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    LLVMValueRef bits = LLVMIsACallInst(call) ? literal_bits(LLVMGetOperand(call, 0)) : NULL;
    if (bits == NULL) continue;
    LLVMReplaceAllUsesWith(call, bits);
    LLVMInstructionEraseFromParent(call);
  }
}

static void drop_unused(LLVMValueRef literal) {
  LLVMUseRef next;
  for (LLVMUseRef use = LLVMGetFirstUse(literal); use != NULL; use = next) {
    LLVMValueRef call = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    if (LLVMGetFirstUse(call) == NULL) LLVMInstructionEraseFromParent(call);
  }
}

bool kiln_stage_samplers(struct kiln_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
    if (is_named(f, "__kiln_sampler")) fold_calls(f);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
    if (is_named(f, "__translate_sampler_initializer")) drop_unused(f);
  return true;
}
