/* Owns the stage that makes one sincos of a sine and a cosine of the same angle, which then share the
 * reduction of their argument. Rotations and transforms ask for both side by side; both have the bounds of
 * sincos. Works on calls of builtins that have no bodies yet, within a block. Must not know how they are
 * computed. */
#include "compiler/pipeline.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

enum {
  MOST_USES = 64,  /* of an angle, that are looked at for its other call */
  MOST_CODE = 4000 /* instructions of a function: in longer ones calls may stay calls, and memory is slow */
};

static const char *const names[] = {"_Z3sin", "_Z3cos"};

/* The type that follows the name in the mangled one; NULL: the instruction is no call of that function. */
static const char *type_of_call(LLVMValueRef i, const char *name) {
  LLVMValueRef fn = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
  size_t length;
  if (fn == NULL || !LLVMIsDeclaration(fn) || LLVMGetNumArgOperands(i) != 1) return NULL;
  const char *full = LLVMGetValueName2(fn, &length);
  return strncmp(full, name, strlen(name)) == 0 ? full + strlen(name) : NULL;
}

/* The other function's call of the same angle in the block; those before i are done. */
static LLVMValueRef find_other(LLVMValueRef i, const char *name) {
  LLVMValueRef angle = LLVMGetOperand(i, 0);
  unsigned looked_at = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(angle); use != NULL && looked_at < MOST_USES;
       use = LLVMGetNextUse(use), looked_at++) {
    LLVMValueRef other = LLVMGetUser(use);
    if (LLVMIsAInstruction(other) && LLVMGetInstructionParent(other) == LLVMGetInstructionParent(i) &&
        type_of_call(other, name) != NULL)
      return other;
  }
  return NULL;
}

/* sincos of that type with the cosine in private memory. */
static LLVMValueRef declare(LLVMModuleRef module, LLVMValueRef like, const char *type) {
  char name[64];
  const bool is_vector = strncmp(type, "Dv", 2) == 0;
  snprintf(name, sizeof name, "_Z6sincos%sP%s", type, is_vector ? "S_" : type);
  LLVMValueRef fn = LLVMGetNamedFunction(module, name);
  if (fn != NULL) return fn;
  LLVMTypeRef value = LLVMGetReturnType(LLVMGlobalGetValueType(like));
  LLVMTypeRef parameter[] = {value, LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0)};
  fn = LLVMAddFunction(module, name, LLVMFunctionType(value, parameter, 2, false));
  LLVMSetFunctionCallConv(fn, LLVMGetFunctionCallConv(like));
  return fn;
}

static LLVMValueRef make_place(LLVMBuilderRef b, LLVMValueRef fn, LLVMTypeRef type) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
  LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
  return LLVMBuildAlloca(b, type, "cosine");
}

static void replace(LLVMValueRef old, LLVMValueRef by) {
  LLVMReplaceAllUsesWith(old, by);
  LLVMInstructionEraseFromParent(old);
}

/* At the first of the two, `sine` or `cosine`. */
static void join(LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef sine, LLVMValueRef cosine,
                 LLVMValueRef first) {
  LLVMValueRef like = LLVMGetCalledValue(sine), angle = LLVMGetOperand(sine, 0);
  LLVMValueRef callee = declare(LLVMGetGlobalParent(fn), like, type_of_call(sine, names[0]));
  LLVMValueRef place = make_place(b, fn, LLVMTypeOf(sine)), args[] = {angle, place};
  LLVMPositionBuilderBefore(b, first);
  LLVMValueRef both = LLVMBuildCall2(b, LLVMGlobalGetValueType(callee), callee, args, 2, "");
  LLVMSetInstructionCallConv(both, LLVMGetInstructionCallConv(sine));
  LLVMSetFastMathFlags(both, LLVMGetFastMathFlags(sine) & LLVMGetFastMathFlags(cosine));
  replace(cosine, LLVMBuildLoad2(b, LLVMTypeOf(cosine), place, ""));
  replace(sine, both);
}

/* Returns the instruction to go on with. */
static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef i) {
  for (unsigned k = 0; k < 2; k++) {
    if (type_of_call(i, names[k]) == NULL) continue;
    LLVMValueRef other = find_other(i, names[1 - k]);
    if (other == NULL) break;
    LLVMValueRef before = LLVMGetPreviousInstruction(i);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
    join(b, fn, k == 0 ? i : other, k == 0 ? other : i, i);
    return before == NULL ? LLVMGetFirstInstruction(block) : LLVMGetNextInstruction(before);
  }
  return LLVMGetNextInstruction(i);
}

static unsigned length(LLVMValueRef fn) {
  unsigned n = 0;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block != NULL;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i)) n++;
  return n;
}

bool kiln_stage_angles(struct kiln_unit *unit) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(unit->module));
  for (LLVMValueRef fn = LLVMGetFirstFunction(unit->module); fn != NULL; fn = LLVMGetNextFunction(fn)) {
    if (LLVMIsDeclaration(fn) || length(fn) > MOST_CODE) continue;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;) i = visit(b, fn, i);
  }
  LLVMDisposeBuilder(b);
  return true;
}
