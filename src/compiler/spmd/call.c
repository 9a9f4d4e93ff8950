/* Calls: of functions that stay functions, of intrinsics, of printf. */
#include "compiler/permutes.h"
#include "compiler/printf.h"
#include "compiler/spmd/native.h"
#include "compiler/spmd/permute.h"

static LLVMValueRef function_argument(struct kl_emit *e, uint32_t i, uint32_t k) {
  return kiln_emit_operand(e, kl_operand(e->f, i, k));
}

void kiln_emit_store_local_ids(struct kl_emit *e) {
  for (unsigned d = 0; d < 3; d++) {
    LLVMValueRef id = e->ids.local_id[d];
    if (LLVMTypeOf(id) != e->map->i64) id = LLVMBuildZExt(e->b, id, e->map->i64, "");
    LLVMBuildStore(e->b, id, kiln_emit_at(e, e->b, e->context, 8u * (KL_CTX_LOCAL_ID + d)));
  }
}

static LLVMValueRef build_call(struct kl_emit *e, uint32_t i, LLVMValueRef callee, LLVMTypeRef type,
                               bool context) {
  const struct kl_inst *inst = &e->f->inst[i];
  LLVMValueRef *args = kl_new(e->env, inst->nops + 1, LLVMValueRef);
  unsigned n = 0;
  if (context) args[n++] = e->context;
  for (uint32_t k = 0; k < inst->nops; k++) args[n++] = function_argument(e, i, k);
  LLVMValueRef made = LLVMBuildCall2(e->b, type, callee, args, n, "");
  kiln_map_attributes(e->map, inst->v, made, inst->nops, context, context);
  if (LLVMCanValueUseFastMathFlags(inst->v)) LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(inst->v));
  return made;
}

static bool is_kernel(struct kl_emit *e) { return e->f == e->program->kernel; }

static LLVMValueRef call_native(struct kl_emit *e, uint32_t i, const struct kl_native *native) {
  LLVMValueRef args[KL_NATIVE_ARGUMENTS];
  for (uint32_t k = 0; k < e->f->inst[i].nops && k < KL_NATIVE_ARGUMENTS; k++)
    args[k] = function_argument(e, i, k);
  return kiln_native_build(e, native, args);
}

static void call_function(struct kl_emit *e, uint32_t i, LLVMValueRef fn) {
  LLVMValueRef made;
  const struct kl_native *native = kiln_native_find(fn);
  if (native != NULL) {
    made = call_native(e, i, native);
  } else if (kiln_is_permute(e->f->inst[i].v)) {
    made = kiln_permute_build(e, function_argument(e, i, 0), function_argument(e, i, 1));
  } else if (LLVMIsDeclaration(fn)) {
    LLVMValueRef callee = kiln_map_declaration(e->map, fn);
    made = build_call(e, i, callee, LLVMGlobalGetValueType(callee), false);
  } else {
    struct kl_callee *c = kiln_program_callee(e->program, fn);
    if (c->needs_context && is_kernel(e)) kiln_emit_store_local_ids(e);
    made = build_call(e, i, c->out, LLVMGlobalGetValueType(c->out), c->needs_context);
  }
  kiln_emit_define(e, i, made);
}

/* Of arrays that stay on the stack only: others are no allocas any more. */
static void emit_lifetime(struct kl_emit *e, uint32_t i) {
  LLVMValueRef object = function_argument(e, i, 0);
  if (!LLVMIsAAllocaInst(object)) return;
  LLVMValueRef args[] = {LLVMGetOperand(e->f->inst[i].v, 0), object};
  LLVMValueRef callee = kiln_map_declaration(e->map, LLVMGetCalledValue(e->f->inst[i].v));
  LLVMBuildCall2(e->b, LLVMGlobalGetValueType(callee), callee, args, 2, "");
}

void kiln_emit_call(struct kl_emit *e, uint32_t i) {
  if (e->f->inst[i].op == KL_LIFETIME) {
    emit_lifetime(e, i);
    return;
  }
  LLVMValueRef callee = LLVMGetCalledValue(e->f->inst[i].v), fn = kiln_func_resolve(callee);
  if (fn != NULL) call_function(e, i, fn);
  else
    kiln_emit_define(
        e, i,
        build_call(e, i, callee, kiln_map_type(e->map, LLVMGetCalledFunctionType(e->f->inst[i].v)), false));
}

void kiln_emit_printf(struct kl_emit *e, uint32_t i) {
  const struct kl_inst *inst = &e->f->inst[i];
  struct kiln_printf_call call = {.builder = e->b,
                                  .module = e->env->module,
                                  .layout = e->env->layout,
                                  .worker = e->worker,
                                  .format = function_argument(e, i, 0),
                                  .num_args = inst->nops - 1};
  LLVMValueRef *args = kl_new(e->env, inst->nops, LLVMValueRef);
  for (uint32_t k = 1; k < inst->nops; k++) args[k - 1] = function_argument(e, i, k);
  call.args = args;
  kiln_emit_define(e, i, kiln_printf_emit(&call));
}
