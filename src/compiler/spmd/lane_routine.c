/* Functions that the emitter adds; see lane_routine.h. */
#include "compiler/spmd/lane_routine.h"

#include "compiler/large.h"

#include <string.h>

enum { FEW_CALLS = 1 }; /* for which a function is not worth it */

static void add_attribute(LLVMValueRef fn, const char *name, uint64_t value) {
  kiln_emit_attribute(fn, (unsigned)LLVMAttributeFunctionIndex, name, value);
}

LLVMValueRef kiln_routine_declare(struct kl_lanes *l, const char *name, LLVMTypeRef result,
                                  LLVMTypeRef *param, unsigned n) {
  LLVMValueRef fn = LLVMAddFunction(l->e->env->module, name, LLVMFunctionType(result, param, n, false));
  LLVMSetLinkage(fn, LLVMInternalLinkage);
  add_attribute(fn, "nounwind", 0);
  return fn;
}

void kiln_routine_only(LLVMValueRef fn, enum kl_touch touch) {
  add_attribute(fn, "memory", touch);
  add_attribute(fn, "willreturn", 0);
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

static bool is_called_seldom(LLVMValueRef fn) {
  unsigned n = 0;
  for (LLVMUseRef u = LLVMGetFirstUse(fn); u != NULL && n <= FEW_CALLS; u = LLVMGetNextUse(u)) n++;
  return n <= FEW_CALLS;
}

void kiln_routines_finish(struct kl_env *env) {
  bool any = false;
  for (LLVMValueRef fn = LLVMGetFirstFunction(env->module); fn != NULL; fn = LLVMGetNextFunction(fn)) {
    size_t length;
    if (strncmp(LLVMGetValueName2(fn, &length), KL_ACCESS_NAME, sizeof KL_ACCESS_NAME - 1) != 0 ||
        !is_called_seldom(fn))
      continue;
    add_attribute(fn, "alwaysinline", 0);
    any = true;
  }
  if (!any) return;
  kiln_env_check(env, kiln_run_passes(env->module, NULL, "always-inline"));
}
