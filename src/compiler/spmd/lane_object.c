/* Private objects whose elements can lie lane by lane: element e of all lanes together, then element e + 1.
 */
#include "compiler/spmd/shape.h"

struct walk {
  struct kl_env *env;
  const struct kl_func *f;
  const struct kl_uses *uses;
  struct kl_map *map;
  struct kl_list pointers; /* into the object at hand */
  uint32_t *owner;         /* by value: the object at hand + 1, if it points into it */
  uint64_t unit;           /* bytes of all components accessed; 0: none seen yet */
  bool ok;
};

/* Each access is to whole components of one and the same size. */
static void note_access(struct walk *w, uint32_t i, LLVMValueRef value) {
  LLVMTypeRef type = kiln_map_type(w->map, LLVMTypeOf(value));
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || !kiln_is_ordinary(w->f->inst[i].v)) {
    w->ok = false;
    return;
  }
  if (kind == LLVMVectorTypeKind) type = LLVMGetElementType(type);
  uint64_t size = kiln_map_size(w->map, type);
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) w->ok &= LLVMGetIntTypeWidth(type) == 8 * size;
  w->ok &= (w->unit == 0 || w->unit == size) && LLVMGetAlignment(w->f->inst[i].v) >= size;
  w->unit = size;
}

static void follow(struct walk *w, uint32_t pointer, uint32_t object) {
  if (w->owner[pointer] == object + 1) return;
  w->ok &= w->owner[pointer] == 0; /* of two objects */
  w->owner[pointer] = object + 1;
  kiln_list_push(w->env, &w->pointers, pointer);
}

static void note_use(struct walk *w, uint32_t object, uint32_t pointer, uint32_t user) {
  const struct kl_inst *inst = &w->f->inst[user];
  switch (inst->op) {
  case LLVMGetElementPtr:
  case LLVMAddrSpaceCast:
  case LLVMPHI:
  case LLVMSelect:
    follow(w, user, object);
    break;
  case LLVMLoad:
    note_access(w, user, inst->v);
    break;
  case LLVMStore:
    if (kl_operand(w->f, user, 0) == pointer) w->ok = false;
    else note_access(w, user, w->f->inst[kl_operand(w->f, user, 0)].v);
    break;
  case KL_LIFETIME:
  case KL_DROP:
    break;
  default:
    w->ok = false;
  }
}

/* What a phi or select chooses from lies in this object. */
static bool is_closed(const struct walk *w, uint32_t object, uint32_t pointer) {
  const struct kl_inst *inst = &w->f->inst[pointer];
  if (inst->op != LLVMPHI && inst->op != LLVMSelect) return true;
  uint32_t step = inst->op == LLVMPHI ? 2 : 1;
  for (uint32_t k = inst->op == LLVMPHI ? 0 : 1; k < inst->nops; k += step)
    if (w->owner[kl_operand(w->f, pointer, k)] != object + 1) return false;
  return true;
}

static void walk_object(struct walk *w, uint32_t object) {
  w->pointers.n = 0;
  w->unit = 0;
  w->ok = true;
  follow(w, object, object);
  for (uint32_t k = 0; k < w->pointers.n && w->ok; k++) {
    uint32_t p = w->pointers.at[k];
    for (uint32_t u = w->uses->first[p]; u < w->uses->first[p + 1]; u++)
      note_use(w, object, p, w->uses->at[u]);
  }
  for (uint32_t k = 0; k < w->pointers.n && w->ok; k++) w->ok = is_closed(w, object, w->pointers.at[k]);
}

static bool is_candidate(const struct kl_plan *plan, const struct kl_func *f, uint32_t v, bool whole_rows) {
  if (f->inst[v].op != LLVMAlloca) return false;
  return plan->place[v] == KL_PLACE_STACK || plan->place[v] == KL_PLACE_SHARED ||
         (plan->place[v] == KL_PLACE_ITEM && whole_rows);
}

uint8_t *kiln_lane_objects_find(struct kl_env *env, struct kl_program *program, const struct kl_plan *plan,
                                const struct kl_uses *uses, bool whole_rows) {
  const struct kl_func *f = program->kernel;
  uint8_t *unit = kl_new(env, f->nvalue, uint8_t);
  struct walk w = {.env = env, .f = f, .uses = uses, .map = program->map};
  w.owner = kl_new(env, f->nvalue, uint32_t);
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    if (!is_candidate(plan, f, v, whole_rows)) continue;
    walk_object(&w, v);
    uint32_t align = kiln_alloca_align(w.map, f->inst[v].v);
    bool ok = w.ok && w.unit != 0 && w.unit <= 8 && align >= w.unit && w.pointers.n > 1;
    for (uint32_t k = 0; k < w.pointers.n; k++) unit[w.pointers.at[k]] = ok ? (uint8_t)w.unit : 0;
  }
  return unit;
}
