/* Which arguments are only stored through; see stream.h. */
#include "compiler/spmd/stream.h"

#include <string.h>

struct tracer {
  const struct kl_func *f;
  struct kl_map *map;
  const struct kl_uses *uses;
  uint64_t bytes;
};

enum { MOST_DEPTH = 16, MOST_STEPS = 8 /* of arithmetic: each has two operands */ };

/* ---- loops that together write all that there is ---- */

/* What is looked for among the operands of arithmetic. */
typedef bool accepts(const struct kl_func *f, uint32_t value, uint32_t wanted);

static bool is_same(const struct kl_func *f, uint32_t value, uint32_t wanted) {
  (void)f;
  return value == wanted;
}

static bool is_size_of_launch(const struct kl_func *f, uint32_t value, uint32_t wanted) {
  (void)wanted;
  const struct kl_inst *inst = &f->inst[value];
  return inst->op == KL_QUERY && (inst->sub == KL_Q_GLOBAL_SIZE || inst->sub == KL_Q_NUM_GROUPS);
}

static bool is_arithmetic(const struct kl_inst *inst) {
  switch (inst->op) {
  case LLVMGetElementPtr:
  case LLVMAddrSpaceCast:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
    return true;
  default:
    return LLVMIsABinaryOperator(inst->v);
  }
}

static bool has_among(const struct kl_func *f, uint32_t v, accepts *accept, uint32_t wanted, unsigned depth) {
  if (accept(f, v, wanted)) return true;
  if (depth > MOST_STEPS || !is_arithmetic(&f->inst[v])) return false;
  for (uint32_t k = 0; k < f->inst[v].nops; k++)
    if (has_among(f, kl_operand(f, v, k), accept, wanted, depth + 1)) return true;
  return false;
}

/* The counter of a loop in steps of the launch's size: `for (i = id; i < n; i += get_global_size(0))`. */
static bool leaps(const struct kl_func *f, uint32_t phi, uint32_t wanted) {
  (void)wanted;
  if (f->inst[phi].op != LLVMPHI) return false;
  for (uint32_t k = 0; k < f->inst[phi].nops; k += 2) {
    uint32_t next = kl_operand(f, phi, k);
    if (has_among(f, next, is_same, phi, 0) && has_among(f, next, is_size_of_launch, KL_NONE, 0)) return true;
  }
  return false;
}

/* ---- stores ---- */

static void add_store(struct tracer *t, uint32_t store) {
  uint32_t value = kl_operand(t->f, store, 0), pointer = kl_operand(t->f, store, 1);
  t->bytes += kiln_map_size(t->map, kiln_map_type(t->map, LLVMTypeOf(t->f->inst[value].v)));
  if (has_among(t->f, pointer, leaps, KL_NONE, 0)) t->bytes = KILN_STORES_ALL;
}

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
      add_store(t, user);
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
    if (t.bytes > KILN_STORES_ALL) t.bytes = KILN_STORES_ALL;
    info->args[i].stored = only ? (uint32_t)t.bytes : 0;
    any |= info->args[i].stored != 0;
  }
  return any;
}

unsigned kiln_stream_lanes(const struct kiln_spec *spec, const struct kiln_kernel_info *info,
                           unsigned native) {
  /* an addition of 64 MB by 2, 4, 8, 16 vectors with AVX-512: 20, 30, 36, 33 GB/s; with AVX2, where long
   * masks take more than they gain, by 2, 4: 14, 25 */
  const bool has_masks = native >= 16;
  const unsigned packets = has_masks ? 8 : 4;
  unsigned lanes = 1;
  for (uint32_t i = 0; i < info->num_args && spec->streams; i++) {
    uint32_t stored = info->args[i].stored;
    unsigned wanted = stored == KILN_STORES_ALL  ? packets * native
                      : has_masks && stored != 0 ? KL_LINE / stored
                                                 : 1;
    if (lanes < wanted) lanes = wanted;
  }
  return lanes;
}

const bool *kiln_stream_arguments(struct kl_env *env, const struct kiln_kernel_info *info) {
  bool *streams = kl_new(env, info->num_args, bool);
  for (uint32_t i = 0; i < info->num_args; i++) streams[i] = info->args[i].stored != 0;
  return streams;
}

bool kiln_stream_is(const struct kl_emit *e, uint32_t pointer) {
  const struct kl_func *f = e->f;
  if (e->streams == NULL || f != e->program->kernel) return false;
  const uint32_t object = kl_object_of(f, pointer);
  return object < f->narg && e->streams[object];
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
