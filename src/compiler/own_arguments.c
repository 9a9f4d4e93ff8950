/* Owns the change that gives what is passed a structure by value a private copy of it, as its own variables
 * are. Kernels that change theirs, as to lowering the argument block is memory that is only read; and
 * functions that stay functions, which take a pointer then: to lanes that is an argument like others. Runs
 * when functions are expanded. */
#include "compiler/own_arguments.h"

#include "compiler/value.h"

#include <llvm-c/Target.h>
#include <string.h>

static LLVMAttributeRef attribute(LLVMValueRef f, unsigned param, const char *name) {
  return LLVMGetEnumAttributeAtIndex(f, param + 1, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static bool is_passed_by_value(LLVMValueRef call, LLVMValueRef pointer) {
  unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
  for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
    if (LLVMGetOperand(call, k) == pointer && LLVMGetCallSiteEnumAttribute(call, k + 1, byval) == NULL)
      return false;
  return true;
}

static bool call_changes(LLVMValueRef call, LLVMValueRef pointer) {
  LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
  if (callee == NULL) return true;
  if (kiln_name_begins(callee, "llvm.lifetime.")) return false;
  if (kiln_name_begins(callee, "llvm.memcpy.") || kiln_name_begins(callee, "llvm.memmove."))
    return LLVMGetOperand(call, 0) == pointer;
  return !is_passed_by_value(call, pointer);
}

/* Something is written through the pointer, or may be where it is handed to. */
static bool is_changed(LLVMValueRef pointer, unsigned depth) {
  enum { MOST_DEPTH = 16 }; /* phis may go round */
  if (depth > MOST_DEPTH) return true;
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
      break;
    case LLVMGetElementPtr:
    case LLVMAddrSpaceCast:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
      if (is_changed(user, depth + 1)) return true;
      break;
    case LLVMCall:
      if (call_changes(user, pointer)) return true;
      break;
    default:
      return true;
    }
  }
  return false;
}

static void give_copy(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef f, unsigned k) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
  LLVMValueRef argument = LLVMGetParam(f, k);
  LLVMTypeRef type = LLVMGetTypeAttributeValue(attribute(f, k, "byval"));
  LLVMAttributeRef wanted = attribute(f, k, "align");
  unsigned align = LLVMABIAlignmentOfType(layout, type);
  if (wanted != NULL && LLVMGetEnumAttributeValue(wanted) > align)
    align = (unsigned)LLVMGetEnumAttributeValue(wanted);
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f));
  LLVMPositionBuilderBefore(b, first);
  LLVMValueRef copy = LLVMBuildAlloca(b, type, "");
  LLVMSetAlignment(copy, align);
  LLVMReplaceAllUsesWith(argument, copy);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
  LLVMBuildMemCpy(b, copy, align, argument, align, LLVMConstInt(i64, LLVMABISizeOfType(layout, type), false));
}

/* Of a function and all its calls. What a call copies is there for as long as it lasts, but may be changed by
 * another name meanwhile: copied it is in either case. */
static void pass_pointer(LLVMValueRef f, unsigned k) {
  const unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
  for (LLVMUseRef use = LLVMGetFirstUse(f); use != NULL; use = LLVMGetNextUse(use))
    LLVMRemoveCallSiteEnumAttribute(LLVMGetUser(use), k + 1, byval);
  LLVMRemoveEnumAttributeAtIndex(f, k + 1, byval);
}

void kiln_own_arguments(LLVMModuleRef module, LLVMValueRef f, bool is_kernel) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (unsigned k = 0; k < LLVMCountParams(f); k++) {
    if (attribute(f, k, "byval") == NULL) continue;
    if (!is_kernel || is_changed(LLVMGetParam(f, k), 0)) give_copy(module, b, f, k);
    if (!is_kernel) pass_pointer(f, k);
  }
  LLVMDisposeBuilder(b);
}
