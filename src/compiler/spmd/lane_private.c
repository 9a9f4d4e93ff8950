/* Private arrays whose elements lie lane by lane (lane_object.c), at places that lanes choose: each lane's
 * element by itself. Nobody else changes such an array, so an element that is loaded, changed and stored back
 * (`h[x]++`) can be changed in place. */
#include "compiler/spmd/lane_private.h"

#include "compiler/elementwise.h"

/* ---- places ---- */

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

bool kiln_private_is_choosing(const struct kl_access *a) { return a->by_lane && a->base == NULL; }

/* The row behind an array on the stack (group.c), for lanes that are off: of one component. NULL: there is
 * none. */
static LLVMValueRef spare_row(struct kl_lanes *l, uint32_t object) {
  LLVMValueRef number[KL_MOST_LANES];
  if (l->plan->place[object] != KL_PLACE_STACK) return NULL;
  const uint64_t unit = l->shapes->unit[object],
                 size = l->width * kiln_lane_object_size(l->e->map, l->e->f->inst[object].v);
  for (unsigned i = 0; i < l->width; i++) number[i] = kiln_lanes_number(l, size + i * unit);
  return LLVMConstVector(number, l->width);
}

/* Offset as a word, of one that was widened or is a constant; NULL: it is none. */
static LLVMValueRef as_words(struct kl_lanes *l, LLVMValueRef wide) {
  if (LLVMIsASExtInst(wide) != NULL) return LLVMGetOperand(wide, 0);
  if (!LLVMIsConstant(wide)) return NULL;
  return LLVMBuildTrunc(l->e->b, wide, kiln_lanes_type(l, l->e->map->i32), "");
}

LLVMValueRef kiln_private_offsets(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                                  LLVMValueRef *base) {
  LLVMValueRef address = kiln_lanes_part(l, a->pointer, 0), sum = NULL;
  const uint32_t object = kl_object_of(l->e->f, a->pointer);
  if (l->e->f->inst[object].op != LLVMAlloca) return NULL;
  while (LLVMIsAGetElementPtrInst(address) != NULL && is_vector(address) && LLVMGetNumIndices(address) == 1) {
    LLVMValueRef words = as_words(l, LLVMGetOperand(address, 1));
    if (words == NULL || !is_vector(words)) return NULL;
    sum = sum == NULL ? words : LLVMBuildAdd(l->e->b, sum, words, "");
    address = LLVMGetOperand(address, 0);
  }
  *base = kiln_emit_operand(l->e, object);
  if (address != *base) return NULL;
  if (kiln_lanes_is_full(mask)) return sum;
  LLVMValueRef spare = a->n == 1 ? spare_row(l, object) : NULL;
  return spare == NULL ? NULL : LLVMBuildSelect(l->e->b, mask, sum, spare, "");
}

/* The address of each lane's first component, of lanes that are off one that nobody reads. False: the access
 * is to something else, or there is no short way to them. */
static bool find_places(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *at) {
  LLVMValueRef base, offsets = kiln_private_is_choosing(a) ? kiln_private_offsets(l, a, mask, &base) : NULL;
  if (offsets == NULL) return false;
  for (unsigned i = 0; i < l->width; i++) {
    LLVMValueRef one = LLVMBuildExtractElement(l->e->b, offsets, kiln_lanes_number(l, i), "");
    one = LLVMBuildZExt(l->e->b, one, l->e->map->i64, "");
    at[i] = LLVMBuildGEP2(l->e->b, l->e->map->i8, base, &one, 1, "");
  }
  return true;
}

/* Processors with AVX-512 store so, and gather words. */
static bool goes_by_lane(const struct kl_lanes *l, const struct kl_access *a) {
  return kiln_private_is_choosing(a) && l->elements < l->most_elements && l->e->program->native < 16;
}

bool kiln_private_load(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask, LLVMValueRef *out) {
  LLVMValueRef at[KL_MOST_LANES];
  if (!goes_by_lane(l, a) || (a->size >= 4 && l->e->program->native >= 8) || !find_places(l, a, mask, at))
    return false;
  for (uint32_t k = 0; k < a->n; k++, l->elements++) {
    out[k] = LLVMGetPoison(kiln_lanes_type(l, a->type[k]));
    for (unsigned i = 0; i < l->width; i++) {
      LLVMValueRef one = LLVMBuildLoad2(l->e->b, a->type[k], kiln_access_component(l, a, at[i], k), "");
      LLVMSetAlignment(one, kiln_access_align(a, k));
      out[k] = LLVMBuildInsertElement(l->e->b, out[k], one, kiln_lanes_number(l, i), "");
    }
  }
  return true;
}

bool kiln_private_store(struct kl_lanes *l, const struct kl_access *a, LLVMValueRef mask,
                        LLVMValueRef *value) {
  LLVMValueRef at[KL_MOST_LANES];
  if (!goes_by_lane(l, a) || !find_places(l, a, mask, at)) return false;
  for (uint32_t k = 0; k < a->n; k++, l->elements++)
    for (unsigned i = 0; i < l->width; i++) {
      LLVMValueRef one = LLVMBuildExtractElement(l->e->b, value[k], kiln_lanes_number(l, i), "");
      LLVMSetAlignment(LLVMBuildStore(l->e->b, one, kiln_access_component(l, a, at[i], k)),
                       kiln_access_align(a, k));
    }
  return true;
}

/* ---- what is changed in place ---- */

enum { MOST_OPERANDS = 3 };

/* NULL: it is no call that works element by element. */
static const struct kiln_elementwise *find_call(const struct kl_inst *inst) {
  LLVMValueRef fn = inst->op == LLVMCall ? kiln_func_resolve(LLVMGetCalledValue(inst->v)) : NULL;
  const struct kiln_elementwise *how = fn == NULL ? NULL : kiln_elementwise_find(fn);
  return how != NULL && how->scalars == 0 ? how : NULL;
}

static bool is_operation(const struct kl_inst *inst) {
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(inst->v));
  if (kind != LLVMIntegerTypeKind && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) return false;
  switch (inst->op) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
    return true;
  default:
    return inst->nops <= MOST_OPERANDS && find_call(inst) != NULL;
  }
}

struct search {
  const struct kl_func *f;
  const struct kl_shapes *shapes;
  struct kl_uses uses;
  uint32_t *last_stores; /* by array: the last store to it so far, or KL_NONE; at last: to who knows which */
};

/* Index of last_stores. A pointer may be chosen from several. */
static uint32_t array_of(const struct kl_func *f, uint32_t pointer) {
  const uint32_t object = kl_object_of(f, pointer);
  return f->inst[object].op == LLVMAlloca ? object : f->nvalue;
}

static bool has_one_use(const struct search *s, uint32_t v) {
  return s->uses.first[v + 1] == s->uses.first[v] + 1;
}

static bool is_stored_since(const struct search *s, uint32_t array, uint32_t load) {
  return s->last_stores[array] != KL_NONE && s->last_stores[array] > load;
}

/* Loads what the store will change, and for nothing else; no store to the array comes in between. */
static bool is_loaded_for(const struct search *s, uint32_t load, uint32_t store) {
  const struct kl_inst *inst = &s->f->inst[load];
  const uint32_t pointer = kl_operand(s->f, store, 1), array = array_of(s->f, pointer);
  return array != s->f->nvalue && inst->op == LLVMLoad && has_one_use(s, load) &&
         inst->bb == s->f->inst[store].bb && kl_operand(s->f, load, 0) == pointer &&
         kiln_is_ordinary(inst->v) && !is_stored_since(s, array, load) &&
         !is_stored_since(s, s->f->nvalue, load);
}

/* The load whose element the store puts back changed; KL_NONE: it does something else. */
static uint32_t changed_load(const struct search *s, uint32_t store) {
  const struct kl_func *f = s->f;
  const uint32_t value = kl_operand(f, store, 0), pointer = kl_operand(f, store, 1);
  if (s->shapes->unit[pointer] == 0 || s->shapes->of[pointer].kind != KL_VARYING || value < f->narg ||
      value >= f->ninst || !has_one_use(s, value) || f->inst[value].bb != f->inst[store].bb ||
      !is_operation(&f->inst[value]) || !kiln_is_ordinary(f->inst[store].v))
    return KL_NONE;
  for (uint32_t k = 0; k < f->inst[value].nops; k++)
    if (is_loaded_for(s, kl_operand(f, value, k), store)) return kl_operand(f, value, k);
  return KL_NONE;
}

/* Bytes are, and words where no instruction gathers them. Else words are gathered: it takes longer than
 * changing them in place does at best, but at places that come out of vectors just before, processors at
 * times go wrong about which store a load has to wait for, by where the code lies (Zen 4: counts of 16
 * words 1.7 ms, in place with AVX2 12.3; of 64 floats 1.85 and 1.05). Of few rows each is asked. */
static bool is_better_by_lane(const struct search *s, struct kl_map *map, uint32_t pointer, unsigned native) {
  return kiln_private_rows(map, s->f, s->shapes, pointer, native) == 0 &&
         (native < 8 || s->shapes->unit[pointer] < 4);
}

uint32_t *kiln_updates_find(struct kl_env *env, const struct kl_func *f, const struct kl_shapes *shapes,
                            unsigned native, struct kl_map *map) {
  struct search s = {.f = f, .shapes = shapes, .last_stores = kl_new(env, (size_t)f->nvalue + 1, uint32_t)};
  uint32_t *update = kl_new(env, f->nvalue, uint32_t);
  for (uint32_t v = 0; v < f->nvalue; v++) update[v] = s.last_stores[v] = KL_NONE;
  s.last_stores[f->nvalue] = KL_NONE;
  kiln_uses_find(env, f, &s.uses);
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    if (f->inst[i].op != LLVMStore || f->inst[i].bb == KL_NONE) continue;
    const uint32_t load = changed_load(&s, i);
    if (load != KL_NONE && is_better_by_lane(&s, map, kl_operand(f, i, 1), native))
      update[load] = update[kl_operand(f, i, 0)] = update[i] = i;
    if (shapes->unit[kl_operand(f, i, 1)] != 0) s.last_stores[array_of(f, kl_operand(f, i, 1))] = i;
  }
  return update;
}

/* An operation on an element, for one lane after the other. */
struct change {
  struct kl_lanes *l;
  uint32_t store;
  const struct kl_inst *operation;
  uint32_t old;                   /* operand: what was loaded */
  LLVMValueRef by[MOST_OPERANDS]; /* the others, of all lanes: scalars or vectors */
};

static void start_change(struct change *c, struct kl_lanes *l, uint32_t store) {
  const struct kl_func *f = l->e->f;
  const uint32_t value = kl_operand(f, store, 0);
  *c = (struct change){.l = l, .store = store, .operation = &f->inst[value]};
  for (uint32_t k = 0; k < c->operation->nops; k++) {
    const uint32_t v = kl_operand(f, value, k);
    if (l->update[v] == store) c->old = k;
    else if (kiln_lanes_shape(l, v).kind == KL_UNIFORM) c->by[k] = kiln_emit_operand(l->e, v);
    else c->by[k] = kiln_lanes_part(l, v, 0);
  }
}

static LLVMValueRef operate(const struct change *c, LLVMValueRef *operand) {
  const struct kl_inst *inst = c->operation;
  const struct kiln_elementwise *call = find_call(inst);
  LLVMTypeRef type = LLVMTypeOf(operand[c->old]);
  LLVMValueRef made = call != NULL ? kiln_lanes_intrinsic(c->l, call->name, &type, 1, operand, inst->nops)
                                   : LLVMBuildBinOp(c->l->e->b, inst->op, operand[0], operand[1], "");
  if (LLVMIsAInstruction(made) != NULL && LLVMCanValueUseFastMathFlags(made))
    LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(inst->v));
  return made;
}

/* operand: of this lane, but for the element. */
static void change(const struct change *c, LLVMValueRef at, LLVMValueRef *operand) {
  const struct kl_func *f = c->l->e->f;
  LLVMTypeRef type = kiln_access_type(c->l->e->map, f, c->store);
  const unsigned align = LLVMGetAlignment(f->inst[c->store].v);
  operand[c->old] = LLVMBuildLoad2(c->l->e->b, type, at, "");
  LLVMSetAlignment(operand[c->old], align);
  LLVMSetAlignment(LLVMBuildStore(c->l->e->b, operate(c, operand), at), align);
}

static void change_in_loop(const struct change *c, const struct kl_access *a, LLVMValueRef mask) {
  struct kl_lanes *l = c->l;
  struct kl_lane_loop loop;
  struct kl_extract addresses, by[MOST_OPERANDS];
  LLVMValueRef operand[MOST_OPERANDS];
  kiln_extract_start(l, &addresses, kiln_access_addresses(l, a, 0), KL_EXTRACT_SHORT);
  for (uint32_t k = 0; k < c->operation->nops; k++)
    if (k != c->old && is_vector(c->by[k])) kiln_extract_start(l, &by[k], c->by[k], KL_EXTRACT_SHORT);
  kiln_lanes_open_loop(l, &loop, mask);
  LLVMValueRef lane = LLVMBuildZExt(l->e->b, loop.lane, l->e->map->i64, "");
  for (uint32_t k = 0; k < c->operation->nops; k++)
    if (k != c->old) operand[k] = is_vector(c->by[k]) ? kiln_extract_lane(&by[k], lane) : c->by[k];
  change(c, kiln_extract_lane(&addresses, lane), operand);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->e->b);
  kiln_lanes_close_loop(l, &loop);
  kiln_loop_hint(l->e->env->context, LLVMGetBasicBlockTerminator(latch), "llvm.loop.unroll.disable");
}

static void change_by_lane(const struct change *c, const LLVMValueRef *at) {
  LLVMValueRef operand[MOST_OPERANDS];
  for (unsigned i = 0; i < c->l->width; i++) {
    for (uint32_t k = 0; k < c->operation->nops; k++) {
      operand[k] = c->by[k];
      if (k != c->old && is_vector(operand[k]))
        operand[k] = LLVMBuildExtractElement(c->l->e->b, operand[k], kiln_lanes_number(c->l, i), "");
    }
    change(c, at[i], operand);
  }
}

void kiln_lanes_update(struct kl_lanes *l, uint32_t store, const struct kl_access *a) {
  struct change c;
  LLVMValueRef at[KL_MOST_LANES], mask = kiln_lanes_mask(l);
  start_change(&c, l, store);
  kiln_lanes_report(l, store, (struct kl_note){.fate = KL_FATE_LANES});
  if (l->seldom || l->parted || l->elements >= l->most_elements || !find_places(l, a, mask, at)) {
    change_in_loop(&c, a, mask);
    return;
  }
  l->elements++;
  change_by_lane(&c, at);
}
