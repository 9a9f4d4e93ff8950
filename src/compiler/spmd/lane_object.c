/* Private objects whose elements can lie lane by lane: element e of all lanes together, then element e + 1.
 */
#include "compiler/cold.h"
#include "compiler/spmd/shape.h"

enum { WORD = 4 };

struct walk {
  struct kl_env *env;
  struct kl_program *program;
  const struct kl_func *f;
  const struct kl_uses *uses;
  struct kl_map *map;
  struct kl_list pointers; /* into the object at hand */
  uint32_t *owner;         /* by value: the object at hand + 1, if it points into it */
  uint64_t unit;           /* bytes of all components accessed; 0: none seen yet */
  bool ok;
};

static void note_unit(struct walk *w, uint64_t unit) {
  w->ok &= w->unit == 0 || w->unit == unit;
  w->unit = unit;
}

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
  w->ok &= LLVMGetAlignment(w->f->inst[i].v) >= size;
  note_unit(w, size);
}

/* What the function does with it. */
static void note_call(struct walk *w, uint32_t pointer, uint32_t call) {
  const struct kl_inst *inst = &w->f->inst[call];
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(inst->v));
  if (fn == NULL || LLVMIsDeclaration(fn) || kiln_is_cold(fn) || w->program->keeps_rows) {
    w->ok = false;
    return;
  }
  const uint8_t *unit = kiln_lane_argument_units(w->env, w->program, kiln_program_callee(w->program, fn));
  for (uint32_t k = 0; k < inst->nops; k++) {
    if (kl_operand(w->f, call, k) != pointer) continue;
    w->ok &= unit[k] != 0;
    note_unit(w, unit[k]);
  }
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
  case LLVMCall:
    note_call(w, pointer, user);
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

static struct walk start_walk(struct kl_env *env, struct kl_program *program, const struct kl_func *f,
                              const struct kl_uses *uses) {
  return (struct walk){.env = env,
                       .program = program,
                       .f = f,
                       .uses = uses,
                       .map = program->map,
                       .owner = kl_new(env, f->nvalue, uint32_t)};
}

/* Bytes of an element; 0: the object is not to lie so. */
static uint8_t unit_of_object(struct walk *w, uint32_t object) {
  walk_object(w, object);
  return w->ok && w->unit <= 8 && w->pointers.n > 1 ? (uint8_t)w->unit : 0;
}

/* A pointer moves, as where a hash function takes block after block: lanes may be at places of their own,
 * where narrow elements side by side are found at once if they lie so for each lane. */
static bool goes_along(const struct walk *w) {
  for (uint32_t k = 0; k < w->pointers.n; k++) {
    const unsigned op = w->f->inst[w->pointers.at[k]].op;
    if (op == LLVMPHI || op == LLVMSelect) return true;
  }
  return false;
}

static bool is_pointer(const struct kl_func *f, uint32_t v) {
  return LLVMGetTypeKind(LLVMTypeOf(f->inst[v].v)) == LLVMPointerTypeKind;
}

const uint8_t *kiln_lane_argument_units(struct kl_env *env, struct kl_program *program,
                                        struct kl_callee *callee) {
  const struct kl_func *f = callee->f;
  struct kl_uses uses;
  if (callee->unit != NULL) return callee->unit;
  uint8_t *unit = kl_new(env, f->narg + 1, uint8_t);
  kiln_uses_find(env, f, &uses);
  struct walk w = start_walk(env, program, f, &uses);
  for (uint32_t v = 0; v < f->narg; v++) {
    if (!is_pointer(f, v) || kiln_is_byval(f->fn, v)) continue;
    unit[v] = unit_of_object(&w, v);
    if (unit[v] < WORD && goes_along(&w)) unit[v] = 0;
  }
  return callee->unit = unit;
}

uint8_t *kiln_lane_objects_find(struct kl_env *env, struct kl_program *program, const struct kl_plan *plan,
                                const struct kl_uses *uses, bool whole_rows) {
  const struct kl_func *f = program->kernel;
  uint8_t *unit = kl_new(env, f->nvalue, uint8_t);
  struct walk w = start_walk(env, program, f, uses);
  for (uint32_t v = 0; v < f->ninst; v++) {
    const bool is_passed = v < f->narg && plan->units != NULL && plan->units[v] != 0;
    if (!is_passed && (v < f->narg || !is_candidate(plan, f, v, whole_rows))) continue;
    uint8_t found = unit_of_object(&w, v);
    if (!is_passed && kiln_alloca_align(w.map, f->inst[v].v) < found) found = 0;
    for (uint32_t k = 0; k < w.pointers.n; k++) unit[w.pointers.at[k]] = found;
  }
  return unit;
}
