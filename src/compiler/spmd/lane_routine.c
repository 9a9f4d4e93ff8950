/* Functions that the emitter adds; see lane_routine.h. */
#include "compiler/spmd/lane_routine.h"

LLVMValueRef kiln_routine_declare(struct kl_lanes *l, const char *name, LLVMTypeRef result,
                                  LLVMTypeRef *param, unsigned n) {
  LLVMValueRef fn = LLVMAddFunction(l->e->env->module, name, LLVMFunctionType(result, param, n, false));
  LLVMSetLinkage(fn, LLVMInternalLinkage);
  unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
  LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(l->e->env->context, kind, 0));
  return fn;
}

struct kl_routine_place kiln_routine_enter(struct kl_lanes *l, LLVMValueRef fn) {
  struct kl_emit *e = l->e;
  struct kl_routine_place before = {.fn = e->fn,
                                    .top = LLVMGetInsertBlock(e->top),
                                    .at = LLVMGetInsertBlock(e->b),
                                    .line = LLVMGetCurrentDebugLocation2(e->b)};
  e->fn = fn;
  LLVMPositionBuilderAtEnd(e->top, kiln_emit_new_block(e, ""));
  before.begin = kiln_emit_new_block(e, "");
  LLVMSetCurrentDebugLocation2(e->b, NULL);
  LLVMPositionBuilderAtEnd(e->b, before.begin);
  return before;
}

void kiln_routine_leave(struct kl_lanes *l, struct kl_routine_place before) {
  LLVMBuildBr(l->e->top, before.begin);
  LLVMPositionBuilderAtEnd(l->e->top, before.top);
  l->e->fn = before.fn;
  LLVMPositionBuilderAtEnd(l->e->b, before.at);
  LLVMSetCurrentDebugLocation2(l->e->b, before.line);
}
