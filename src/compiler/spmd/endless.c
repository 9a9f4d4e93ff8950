/* Exits of endless loops; see endless.h. */
#include "compiler/spmd/endless.h"

struct opener {
  const struct kiln_graph *g;
  bool *ends;      /* by block: some path leads to an end */
  uint32_t *place; /* by block: in reverse post-order; KILN_NONE: not reached */
  uint32_t *stack;
  LLVMValueRef fn;
  LLVMBasicBlockRef exit;
};

static void mark_backwards(struct opener *o, uint32_t block) {
  uint32_t n = 0;
  if (o->ends[block]) return;
  o->ends[block] = true;
  o->stack[n++] = block;
  while (n > 0) {
    uint32_t b = o->stack[--n];
    for (uint32_t i = o->g->pred0[b]; i < o->g->pred0[b + 1]; i++) {
      uint32_t p = o->g->pred[i];
      if (!o->ends[p]) o->ends[p] = true, o->stack[n++] = p;
    }
  }
}

static LLVMBasicBlockRef exit_of(struct opener *o) {
  if (o->exit != NULL) return o->exit;
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(o->fn));
  LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(o->fn));
  LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
  o->exit = LLVMAppendBasicBlockInContext(context, o->fn, "never");
  LLVMPositionBuilderAtEnd(b, o->exit);
  if (LLVMGetTypeKind(result) == LLVMVoidTypeKind) LLVMBuildRetVoid(b);
  else LLVMBuildRet(b, LLVMConstNull(result));
  LLVMDisposeBuilder(b);
  return o->exit;
}

/* Goes back, whatever happens. */
static bool is_latch(const struct opener *o, uint32_t b, LLVMBasicBlockRef block) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
  if (LLVMGetInstructionOpcode(last) != LLVMBr || LLVMIsConditional(last)) return false;
  return o->place[b] != KILN_NONE && o->place[o->g->succ[o->g->succ0[b]]] <= o->place[b];
}

static void give_exit(struct opener *o, LLVMBasicBlockRef block) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
  LLVMBasicBlockRef back = LLVMGetSuccessor(last, 0), never = exit_of(o);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(o->fn));
  LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderBefore(b, last);
  LLVMBuildCondBr(b, LLVMConstInt(LLVMInt1TypeInContext(context), 1, false), back, never);
  LLVMInstructionEraseFromParent(last);
  LLVMDisposeBuilder(b);
}

bool kiln_endless_open(struct kl_env *env, LLVMValueRef fn, const LLVMBasicBlockRef *block,
                       const struct kiln_graph *g) {
  struct opener o = {.g = g, .fn = fn};
  uint32_t reached, *order = kiln_graph_order(g, &env->arena, 0, &reached);
  o.ends = kl_new(env, g->n, bool);
  o.stack = kl_new(env, g->n, uint32_t);
  o.place = kl_new(env, g->n, uint32_t);
  for (uint32_t b = 0; b < g->n; b++) o.place[b] = KILN_NONE;
  for (uint32_t i = 0; i < reached; i++) o.place[order[i]] = i;
  for (uint32_t b = 0; b < g->n; b++)
    if (g->succ0[b] == g->succ0[b + 1]) mark_backwards(&o, b);
  for (uint32_t i = reached; i-- > 0;) {
    uint32_t b = order[i];
    if (o.ends[b] || !is_latch(&o, b, block[b])) continue;
    give_exit(&o, block[b]);
    mark_backwards(&o, b);
  }
  return o.exit != NULL;
}
