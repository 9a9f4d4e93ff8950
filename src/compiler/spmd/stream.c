/* Which arguments are only stored through; see stream.h. */
#include "compiler/spmd/stream.h"

#include <string.h>

struct tracer {
  const struct kl_func *f;
  struct kl_map *map;
  const struct kl_uses *uses;
  uint64_t bytes;
};

enum { MOST_DEPTH = 16 };

/* Everything made of the pointer is stored to, by plain stores; adds up their bytes. */
static bool is_stored_only(struct tracer *t, uint32_t pointer, unsigned depth) {
  if (depth > MOST_DEPTH) return false;
  for (uint32_t k = t->uses->first[pointer]; k < t->uses->first[pointer + 1]; k++) {
    uint32_t user = t->uses->at[k];
    switch (t->f->inst[user].op) {
    case LLVMGetElementPtr:
    case LLVMAddrSpaceCast:
      if (!is_stored_only(t, user, depth + 1)) return false;
      break;
    case LLVMStore: {
      uint32_t value = kl_operand(t->f, user, 0);
      if (value == pointer || !kiln_is_ordinary(t->f->inst[user].v)) return false;
      t->bytes += kiln_map_size(t->map, kiln_map_type(t->map, LLVMTypeOf(t->f->inst[value].v)));
      break;
    }
    default:
      return false;
    }
  }
  return true;
}

bool kiln_stream_find(struct kl_env *env, const struct kl_program *program, struct kiln_kernel_info *info) {
  struct kl_uses uses;
  bool any = false;
  if (program->orders_memory || program->kernel->orders_memory) return false;
  kiln_uses_find(env, program->kernel, &uses);
  for (uint32_t i = 0; i < info->num_args; i++) {
    struct tracer t = {program->kernel, program->map, &uses, 0};
    bool only = info->args[i].kind == KILN_ARG_GLOBAL && is_stored_only(&t, i, 0);
    info->args[i].stored = only && t.bytes < UINT32_MAX ? (uint32_t)t.bytes : 0;
    any |= info->args[i].stored != 0;
  }
  return any;
}

const bool *kiln_stream_arguments(struct kl_env *env, const struct kiln_kernel_info *info) {
  bool *streams = kl_new(env, info->num_args, bool);
  for (uint32_t i = 0; i < info->num_args; i++) streams[i] = info->args[i].stored != 0;
  return streams;
}

bool kiln_stream_is(const struct kl_emit *e, uint32_t pointer) {
  const struct kl_func *f = e->f;
  if (e->streams == NULL || f != e->program->kernel) return false;
  while (f->inst[pointer].op == LLVMGetElementPtr || f->inst[pointer].op == LLVMAddrSpaceCast)
    pointer = kl_operand(f, pointer, 0);
  return pointer < f->narg && e->streams[pointer];
}

void kiln_stream_mark(const struct kl_emit *e, LLVMValueRef store) {
  LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(e->map->i32, 1, false));
  LLVMValueRef one = LLVMMetadataAsValue(e->env->context, LLVMMDNodeInContext2(e->env->context, &number, 1));
  LLVMSetMetadata(store, LLVMGetMDKindIDInContext(e->env->context, "nontemporal", 11), one);
}

void kiln_stream_end(struct kl_emit *e) {
  static const char name[] = "llvm.x86.sse.sfence";
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->env->context), NULL, 0, false);
  LLVMValueRef fn = LLVMGetNamedFunction(e->env->module, name);
  if (fn == NULL) fn = LLVMAddFunction(e->env->module, name, type);
  LLVMBuildCall2(e->b, type, fn, NULL, 0, "");
}
