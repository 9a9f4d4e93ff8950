/* Functions that stay functions: same code, plain types, and the context as first parameter where needed. */
#include "compiler/spmd/emit.h"

#include "base/abi.h"

#include <llvm-c/DebugInfo.h>

void kiln_emit_declare_callee(struct kl_emit *e, struct kl_callee *c) {
  LLVMTypeRef old = LLVMGlobalGetValueType(c->f->fn), type = kiln_map_type(e->map, old);
  unsigned n = LLVMCountParamTypes(type), shift = c->needs_context;
  LLVMTypeRef *param = kl_new(e->env, n + 1, LLVMTypeRef);
  param[0] = e->map->ptr;
  LLVMGetParamTypes(type, param + shift);
  size_t len;
  const char *name = LLVMGetValueName2(c->f->fn, &len);
  c->out = LLVMAddFunction(e->env->module, name,
                           LLVMFunctionType(LLVMGetReturnType(type), param, n + shift, false));
  LLVMSetLinkage(c->out, LLVMInternalLinkage);
  kiln_map_attributes(e->map, c->f->fn, c->out, n, c->needs_context, shift);
}

/* Of a number, the low half where that is enough. */
static LLVMValueRef load_context(struct kl_emit *e, unsigned word, LLVMTypeRef type) {
  return LLVMBuildLoad2(e->setup, type, kiln_emit_at(e, e->setup, e->context, 8u * word), "");
}

void kiln_emit_read_context(struct kl_emit *e) {
  e->launch = load_context(e, KL_CTX_LAUNCH, e->map->ptr);
  e->worker = load_context(e, KL_CTX_WORKER, e->map->ptr);
  kiln_emit_launch_ids(e);
  for (unsigned d = 0; d < 3; d++) {
    e->ids.local_id[d] = load_context(e, KL_CTX_LOCAL_ID + d, e->ids.type);
    e->ids.group_id[d] = load_context(e, KL_CTX_GROUP_ID + d, e->ids.type);
    e->ids.local_size[d] = load_context(e, KL_CTX_LOCAL_SIZE + d, e->ids.type);
    e->ids.group_base[d] = load_context(e, KL_CTX_GROUP_BASE + d, e->ids.type);
  }
}

static void place_arrays(struct kl_emit *e, const struct kl_callee *c) {
  LLVMValueRef frame = c->frame_size == 0 ? NULL : load_context(e, KL_CTX_FRAME, e->map->ptr);
  uint64_t at = c->frame_at;
  for (uint32_t i = c->f->narg; i < c->f->ninst; i++) {
    if (c->f->inst[i].op != LLVMAlloca) continue;
    uint64_t size = kiln_alloca_size(e->map, c->f->inst[i].v),
             align = kiln_alloca_align(e->map, c->f->inst[i].v);
    if (frame == NULL) {
      e->fixed[i] = LLVMBuildAlloca(e->top, kiln_alloca_type(e->map, c->f->inst[i].v), "");
      LLVMSetAlignment(e->fixed[i], (unsigned)align);
    } else {
      at = (at + align - 1) & ~(align - 1);
      e->fixed[i] = kiln_emit_at(e, e->setup, frame, at);
      at += size;
    }
  }
}

void kiln_emit_block(struct kl_emit *e, uint32_t block) {
  const struct kl_block *b = &e->f->block[block];
  uint32_t end = b->first + b->n - 1, i = b->first; /* the last ends the block */
  LLVMPositionBuilderAtEnd(e->b, e->begin[block]);
  for (; i < end && e->f->inst[i].op == LLVMPHI; i++) kiln_emit_phi(e, i);
  for (uint32_t k = b->first; k < i; k++)
    if (e->cell_pass[k] == e->pass) LLVMBuildStore(e->b, e->value[k], e->cell[k]);
  for (; i < end; i++)
    if (e->f->inst[i].op != LLVMAlloca) kiln_emit_inst(e, i);
  e->end[block] = LLVMGetInsertBlock(e->b);
}

static void emit_end(struct kl_emit *e, uint32_t i) {
  const struct kl_inst *inst = &e->f->inst[i];
  kiln_emit_position(e, i);
  if (inst->op == LLVMUnreachable) LLVMBuildUnreachable(e->b);
  else if (inst->op != LLVMRet) kiln_emit_branch(e, i);
  else if (inst->nops == 0) LLVMBuildRetVoid(e->b);
  else LLVMBuildRet(e->b, kiln_emit_operand(e, kl_operand(e->f, i, 0)));
}

static void emit_body(struct kl_emit *e) {
  uint32_t n = e->f->graph.n;
  for (uint32_t b = 0; b < n; b++) {
    e->begin[b] = e->end[b] = kiln_emit_new_block(e, "");
    e->block_pass[b] = e->pass;
  }
  for (uint32_t b = 0; b < n; b++) {
    kiln_emit_block(e, b);
    emit_end(e, kl_last_of(e->f, b));
  }
  for (uint32_t i = e->f->narg; i < e->f->ninst; i++)
    if (e->f->inst[i].op == LLVMPHI) kiln_emit_phi_inputs(e, i);
}

void kiln_emit_callee(struct kl_emit *e, struct kl_callee *c) {
  kiln_emit_start(e, c->f, c->out);
  e->context = c->needs_context ? LLVMGetParam(c->out, 0) : NULL;
  LLVMSetCurrentDebugLocation2(e->setup, NULL);
  LLVMMetadataRef subprogram = LLVMGetSubprogram(c->f->fn);
  if (e->lines && subprogram != NULL) LLVMSetSubprogram(c->out, subprogram);
  e->ids.type = e->map->i64;
  if (c->needs_context) kiln_emit_read_context(e);
  for (uint32_t i = 0; i < c->f->narg; i++) e->fixed[i] = LLVMGetParam(c->out, i + c->needs_context);
  place_arrays(e, c);
  emit_body(e);
  LLVMBuildBr(e->top, LLVMGetInsertBlock(e->setup));
  LLVMBuildBr(e->setup, e->begin[0]);
}
