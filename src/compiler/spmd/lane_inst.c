/* One flat instruction for a vector of work-items: which form it takes, and the element-wise ones. */
#include "compiler/spmd/lanes.h"

#include "compiler/value.h"

#include <string.h>

enum { MOST_BITS = 4 /* of the number of a component */ };

/* ---- parts ---- */

typedef LLVMValueRef build_part(struct kl_lanes *l, uint32_t i, uint32_t k);

static void define_parts(struct kl_lanes *l, uint32_t i, build_part *build) {
  struct kl_pack pack = kiln_lanes_new_pack(l, kiln_lanes_parts(l, i));
  for (uint32_t k = 0; k < pack.n; k++) pack.part[k] = build(l, i, k);
  kiln_lanes_define(l, i, pack);
}

static LLVMValueRef part(struct kl_lanes *l, uint32_t i, uint32_t operand, uint32_t k) {
  return kiln_lanes_part(l, kl_operand(l->e->f, i, operand), k);
}

static LLVMValueRef with_flags(struct kl_lanes *l, uint32_t i, LLVMValueRef made) {
  kiln_emit_flags(l->e->f->inst[i].v, made);
  return made;
}

static LLVMValueRef build_binary(struct kl_lanes *l, uint32_t i, uint32_t k) {
  LLVMValueRef x = part(l, i, 0, k), y = part(l, i, 1, k);
  return with_flags(l, i, LLVMBuildBinOp(l->e->b, (LLVMOpcode)l->e->f->inst[i].op, x, y, ""));
}

static LLVMValueRef build_compare(struct kl_lanes *l, uint32_t i, uint32_t k) {
  LLVMValueRef old = l->e->f->inst[i].v, x = part(l, i, 0, k), y = part(l, i, 1, k);
  if (l->e->f->inst[i].op == LLVMICmp) return LLVMBuildICmp(l->e->b, LLVMGetICmpPredicate(old), x, y, "");
  return with_flags(l, i, LLVMBuildFCmp(l->e->b, LLVMGetFCmpPredicate(old), x, y, ""));
}

/* One condition for all components, or one each. */
static LLVMValueRef build_select(struct kl_lanes *l, uint32_t i, uint32_t k) {
  uint32_t condition = kl_operand(l->e->f, i, 0);
  bool one = kiln_lanes_parts(l, condition) == 1;
  LLVMValueRef c = one && kiln_lanes_shape(l, condition).kind == KL_UNIFORM
                       ? kiln_emit_operand(l->e, condition)
                       : kiln_lanes_part(l, condition, one ? 0 : k);
  return with_flags(l, i, LLVMBuildSelect(l->e->b, c, part(l, i, 1, k), part(l, i, 2, k), ""));
}

static LLVMValueRef build_unary(struct kl_lanes *l, uint32_t i, uint32_t k) {
  LLVMValueRef x = part(l, i, 0, k);
  if (l->e->f->inst[i].op == LLVMFreeze) return LLVMBuildFreeze(l->e->b, x, "");
  return with_flags(l, i, LLVMBuildFNeg(l->e->b, x, ""));
}

static LLVMTypeRef part_type(struct kl_lanes *l, uint32_t value, uint32_t k) {
  return kiln_type_part(kiln_map_type(l->e->map, LLVMTypeOf(l->e->f->inst[value].v)), k);
}

static LLVMValueRef build_cast(struct kl_lanes *l, uint32_t i, uint32_t k) {
  LLVMOpcode op = (LLVMOpcode)l->e->f->inst[i].op;
  LLVMValueRef x = part(l, i, 0, k);
  LLVMTypeRef type = kiln_lanes_type(l, part_type(l, i, k));
  if (op == LLVMAddrSpaceCast || LLVMTypeOf(x) == type) return x;
  return with_flags(l, i, LLVMBuildCast(l->e->b, op, x, type, ""));
}

/* ---- bits seen as other components ---- */

static unsigned type_bits(struct kl_lanes *l, LLVMTypeRef type) {
  return (unsigned)(8 * kiln_map_size(l->e->map, type));
}

static LLVMValueRef to_bits(struct kl_lanes *l, LLVMValueRef x, unsigned bits) {
  LLVMTypeRef type = kiln_lanes_type(l, LLVMIntTypeInContext(l->e->env->context, bits));
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(x));
  if (LLVMGetTypeKind(element) == LLVMPointerTypeKind) return LLVMBuildPtrToInt(l->e->b, x, type, "");
  return LLVMBuildBitCast(l->e->b, x, type, "");
}

static LLVMValueRef shift_count(struct kl_lanes *l, LLVMTypeRef type, unsigned bits) {
  return kiln_lanes_splat(l, LLVMConstInt(LLVMGetElementType(type), bits, false));
}

/* Component k of the new type, `ratio` old ones wide. */
static LLVMValueRef gather_bits(struct kl_lanes *l, uint32_t i, uint32_t k, unsigned ratio, unsigned bits) {
  LLVMTypeRef wide = kiln_lanes_type(l, LLVMIntTypeInContext(l->e->env->context, bits * ratio));
  LLVMValueRef whole = NULL;
  for (unsigned n = 0; n < ratio; n++) {
    LLVMValueRef x = LLVMBuildZExt(l->e->b, to_bits(l, part(l, i, 0, k * ratio + n), bits), wide, "");
    if (n > 0) x = LLVMBuildShl(l->e->b, x, shift_count(l, wide, n * bits), "");
    whole = whole == NULL ? x : LLVMBuildOr(l->e->b, whole, x, "");
  }
  return whole;
}

static LLVMValueRef build_bitcast(struct kl_lanes *l, uint32_t i, uint32_t k) {
  LLVMTypeRef from = part_type(l, kl_operand(l->e->f, i, 0), 0), to = part_type(l, i, 0);
  LLVMTypeRef type = kiln_lanes_type(l, to);
  unsigned old_bits = type_bits(l, from), new_bits = type_bits(l, to);
  if (from == to) return part(l, i, 0, k);
  LLVMValueRef bits;
  if (new_bits >= old_bits) {
    bits = gather_bits(l, i, k, new_bits / old_bits, old_bits);
  } else {
    unsigned ratio = old_bits / new_bits;
    LLVMValueRef whole = to_bits(l, part(l, i, 0, k / ratio), old_bits);
    LLVMTypeRef small = kiln_lanes_type(l, LLVMIntTypeInContext(l->e->env->context, new_bits));
    if (k % ratio != 0)
      whole = LLVMBuildLShr(l->e->b, whole, shift_count(l, LLVMTypeOf(whole), k % ratio * new_bits), "");
    bits = LLVMBuildTrunc(l->e->b, whole, small, "");
  }
  return LLVMTypeOf(bits) == type ? bits : LLVMBuildBitCast(l->e->b, bits, type, "");
}

/* ---- components of OpenCL vectors and of structs: names only ---- */

static bool constant_index(struct kl_lanes *l, uint32_t value, uint64_t *index) {
  LLVMValueRef c = l->e->f->inst[value].v;
  if (!LLVMIsAConstantInt(c)) return false;
  *index = LLVMConstIntGetZExtValue(c);
  return true;
}

static LLVMValueRef is_index(struct kl_lanes *l, uint32_t value, uint32_t k) {
  LLVMValueRef index = kiln_lanes_part(l, value, 0);
  LLVMValueRef number = LLVMConstInt(LLVMGetElementType(LLVMTypeOf(index)), k, false);
  return LLVMBuildICmp(l->e->b, LLVMIntEQ, index, kiln_lanes_splat(l, number), "");
}

/* One component of a vector for each lane. */
struct picker {
  struct kl_lanes *l;
  uint32_t whole, n, at;       /* values: the vector, of n components, and the index */
  LLVMValueRef bit[MOST_BITS]; /* of the index; NULL: not asked for so far */
};

static LLVMValueRef has_bit(struct picker *p, unsigned bit) {
  LLVMBuilderRef b = p->l->e->b;
  if (p->bit[bit] != NULL) return p->bit[bit];
  LLVMValueRef index = kiln_lanes_part(p->l, p->at, 0);
  LLVMTypeRef type = LLVMTypeOf(index);
  LLVMValueRef one = LLVMBuildAnd(b, index, kiln_integer_like(type, 1ull << bit), "");
  return p->bit[bit] = LLVMBuildICmp(b, LLVMIntNE, one, LLVMConstNull(type), "");
}

/* Among 2 ** bits components, of which the last need not be there: halves by the highest bit of the index. */
static LLVMValueRef pick(struct picker *p, uint32_t first, unsigned bits) {
  if (bits == 0) return kiln_lanes_part(p->l, p->whole, first);
  const uint32_t half = 1u << (bits - 1);
  LLVMValueRef low = pick(p, first, bits - 1);
  if (first + half >= p->n) return low;
  LLVMValueRef high = pick(p, first + half, bits - 1);
  return LLVMBuildSelect(p->l->e->b, has_bit(p, bits - 1), high, low, "");
}

static LLVMValueRef build_extract(struct kl_lanes *l, uint32_t i, uint32_t k) {
  uint32_t whole = kl_operand(l->e->f, i, 0), at = kl_operand(l->e->f, i, 1), n = kiln_lanes_parts(l, whole);
  uint64_t index;
  (void)k;
  if (constant_index(l, at, &index)) {
    if (index < n) return kiln_lanes_part(l, whole, (uint32_t)index);
    return LLVMGetPoison(kiln_lanes_type(l, part_type(l, whole, 0)));
  }
  struct picker p = {.l = l, .whole = whole, .n = n, .at = at};
  return pick(&p, 0, n < 2 ? 0 : 32 - (unsigned)__builtin_clz(n - 1));
}

static LLVMValueRef build_insert(struct kl_lanes *l, uint32_t i, uint32_t k) {
  uint32_t at = kl_operand(l->e->f, i, 2);
  uint64_t index;
  if (constant_index(l, at, &index)) return index == k ? part(l, i, 1, 0) : part(l, i, 0, k);
  return LLVMBuildSelect(l->e->b, is_index(l, at, k), part(l, i, 1, 0), part(l, i, 0, k), "");
}

static LLVMValueRef build_shuffle(struct kl_lanes *l, uint32_t i, uint32_t k) {
  int from = LLVMGetMaskValue(l->e->f->inst[i].v, k);
  uint32_t n = kiln_lanes_parts(l, kl_operand(l->e->f, i, 0));
  if (from == LLVMGetUndefMaskElem()) return LLVMGetPoison(kiln_lanes_type(l, part_type(l, i, 0)));
  return (uint32_t)from < n ? part(l, i, 0, (uint32_t)from) : part(l, i, 1, (uint32_t)from - n);
}

static LLVMValueRef build_extract_value(struct kl_lanes *l, uint32_t i, uint32_t k) {
  (void)k;
  return part(l, i, 0, LLVMGetIndices(l->e->f->inst[i].v)[0]);
}

static LLVMValueRef build_insert_value(struct kl_lanes *l, uint32_t i, uint32_t k) {
  return k == LLVMGetIndices(l->e->f->inst[i].v)[0] ? part(l, i, 1, 0) : part(l, i, 0, k);
}

/* ---- addresses ---- */

/* Indices by lane, added up; NULL: none yet. */
struct scaled {
  struct kl_lanes *l;
  LLVMValueRef sum;
};

/* In 32 bits: private objects are small. */
static void add_index(void *user, uint32_t value, uint64_t step) {
  struct scaled *s = user;
  struct kl_lanes *l = s->l;
  LLVMTypeRef word = kiln_lanes_type(l, l->e->map->i32);
  LLVMValueRef x = kiln_lanes_part(l, value, 0);
  unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x)));
  if (bits > 32) x = LLVMBuildTrunc(l->e->b, x, word, "");
  else if (bits < 32) x = LLVMBuildSExt(l->e->b, x, word, "");
  x = LLVMBuildMul(l->e->b, x, kiln_lanes_splat(l, LLVMConstInt(l->e->map->i32, step, false)), "");
  s->sum = s->sum == NULL ? x : LLVMBuildAdd(l->e->b, s->sum, x, "");
}

/* Into an object whose elements lie lane by lane: from one base with 32-bit offsets, where there is one. */
static LLVMValueRef build_gep_by_lane(struct kl_lanes *l, uint32_t i) {
  uint32_t pointer = kl_operand(l->e->f, i, 0);
  bool one_base = kiln_lanes_shape(l, pointer).kind != KL_VARYING;
  struct scaled s = {l, NULL};
  const int64_t constant = kiln_offset_by_lane(l->e->map, l->e->f, i, l->e->lanes, add_index, &s);
  LLVMValueRef rest = LLVMConstInt(l->e->map->i32, (uint64_t)constant, true);
  LLVMValueRef lanes = kiln_lanes_spread(l, rest, one_base ? kiln_lanes_shape(l, pointer).stride : 0);
  LLVMValueRef sum = s.sum == NULL ? lanes : LLVMBuildAdd(l->e->b, s.sum, lanes, "");
  LLVMValueRef base = one_base ? kiln_emit_operand(l->e, pointer) : kiln_lanes_part(l, pointer, 0);
  LLVMValueRef wide = LLVMBuildSExt(l->e->b, sum, kiln_lanes_type(l, l->e->map->i64), "");
  return LLVMBuildGEP2(l->e->b, l->e->map->i8, base, &wide, 1, "");
}

/* No index of the object, or of the memory of its kind, needs the 32nd bit. */
static bool is_small(LLVMValueRef gep) {
  LLVMValueRef base = LLVMGetOperand(gep, 0);
  if (!LLVMIsInBounds(gep)) return false;
  return LLVMGetPointerAddressSpace(LLVMTypeOf(base)) == KL_AS_LOCAL || LLVMIsAGlobalVariable(base) != NULL;
}

/* A widened unsigned index, as a signed one, which gathers take as it is: the two differ where nothing may be
 * accessed. */
static LLVMValueRef signed_index(struct kl_lanes *l, uint32_t value) {
  const struct kl_inst *inst = &l->e->f->inst[value];
  LLVMValueRef x = kiln_lanes_part(l, value, 0);
  LLVMTypeRef word = kiln_lanes_type(l, l->e->map->i32);
  if (inst->op != LLVMZExt || LLVMTypeOf(LLVMGetOperand(inst->v, 0)) != l->e->map->i32) return x;
  return LLVMBuildSExt(l->e->b, LLVMBuildTrunc(l->e->b, x, word, ""), LLVMTypeOf(x), "");
}

/* Operands that all lanes share stay scalars: a gather then has one base. */
static LLVMValueRef build_gep(struct kl_lanes *l, uint32_t i, uint32_t k) {
  if (l->shapes->unit[i] != 0) return build_gep_by_lane(l, i);
  LLVMValueRef old = l->e->f->inst[i].v, operand[32];
  uint32_t n = l->e->f->inst[i].nops;
  bool is_vector = false;
  (void)k;
  for (uint32_t o = 0; o < n; o++) {
    uint32_t value = kl_operand(l->e->f, i, o);
    bool shared = kiln_lanes_shape(l, value).kind == KL_UNIFORM;
    if (shared) operand[o] = kiln_emit_operand(l->e, value);
    else operand[o] = o > 0 && is_small(old) ? signed_index(l, value) : kiln_lanes_part(l, value, 0);
    is_vector |= !shared;
  }
  if (!is_vector) operand[0] = kiln_lanes_splat(l, operand[0]);
  return LLVMBuildGEPWithNoWrapFlags(l->e->b, kiln_map_type(l->e->map, LLVMGetGEPSourceElementType(old)),
                                     operand[0], operand + 1, n - 1, "", LLVMGEPGetNoWrapFlags(old));
}

/* ---- choice of form ---- */

static build_part *element_form(const struct kl_inst *inst) {
  switch (inst->op) {
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
    return kiln_lanes_divide;
  case LLVMICmp:
  case LLVMFCmp:
    return build_compare;
  case LLVMSelect:
    return build_select;
  case LLVMFNeg:
  case LLVMFreeze:
    return build_unary;
  case LLVMBitCast:
    return build_bitcast;
  case LLVMExtractElement:
    return build_extract;
  case LLVMInsertElement:
    return build_insert;
  case LLVMShuffleVector:
    return build_shuffle;
  case LLVMExtractValue:
    return build_extract_value;
  case LLVMInsertValue:
    return build_insert_value;
  case LLVMGetElementPtr:
    return build_gep;
  case LLVMAddrSpaceCast:
    return build_cast;
  default:
    if (inst->op >= LLVMTrunc && inst->op <= LLVMIntToPtr) return build_cast;
    return inst->op >= LLVMAdd && inst->op <= LLVMXor ? build_binary : NULL;
  }
}

static bool is_void(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind; }

/* What holds for lane 0 by assumption need not when lane 0 is off. */
static void emit_base(struct kl_lanes *l, uint32_t i) {
  bool all_on = l->flow->node[l->at].owner == l->flow->entry;
  l->e->plain = !all_on && l->shapes->of[i].kind == KL_STRIDED;
  kiln_lanes_scalar(l, i);
  l->e->plain = false;
  kiln_lanes_report(
      l, i, (struct kl_note){.fate = l->e->f->inst[i].op == LLVMLoad ? KL_FATE_SHARED : KL_FATE_ONCE});
  kiln_lanes_keep(l, i);
}

LLVMValueRef kiln_lanes_element(struct kl_lanes *l, uint32_t i, uint32_t k) {
  build_part *build = element_form(&l->e->f->inst[i]);
  return build == NULL ? NULL : build(l, i, k);
}

/* Only code that finds checks to fail needs it for all lanes, and computes it there. */
static bool is_put_off(struct kl_lanes *l, uint32_t i) {
  return kiln_lanes_check(l, i) && !l->shapes->exact[i] && l->kept[i].n == 0 &&
         l->plan->keep[i] == KL_KEEP_NONE && element_form(&l->e->f->inst[i]) != NULL;
}

void kiln_lanes_inst(struct kl_lanes *l, uint32_t i) {
  const struct kl_inst *inst = &l->e->f->inst[i];
  kiln_emit_position(l->e, i);
  if (inst->op == KL_DROP || inst->op == KL_LIFETIME) return;
  if (l->update[i] != KL_NONE && l->update[i] != i) return; /* done by the store */
  if (inst->op == LLVMStore) {
    kiln_lanes_store_inst(l, i);
  } else if (inst->op == LLVMFence || inst->op == KL_FENCE) {
    kiln_emit_inst(l->e, i);
  } else if (inst->op == KL_SUB_GROUP) {
    kiln_lanes_sub_group(l, i);
    bool is_shared = l->shapes->of[i].kind == KL_UNIFORM;
    kiln_lanes_report(l, i, (struct kl_note){.fate = is_shared ? KL_FATE_JOINT : KL_FATE_VECTOR});
  } else if (!is_void(inst->v) && l->shapes->of[i].kind != KL_VARYING) {
    emit_base(l, i);
  } else if (is_put_off(l, i)) {
    kiln_lanes_report(l, i, (struct kl_note){.fate = KL_FATE_ONCE});
  } else if (inst->op == LLVMLoad) {
    kiln_lanes_load_inst(l, i);
  } else if (inst->op == KL_QUERY) {
    kiln_lanes_query(l, i);
  } else if (element_form(inst) != NULL) {
    define_parts(l, i, element_form(inst));
    kiln_lanes_report(l, i, (struct kl_note){.fate = KL_FATE_VECTOR});
  } else if (kiln_lanes_atomic(l, i)) {
    kiln_lanes_report(l, i, (struct kl_note){.fate = KL_FATE_JOINT});
  } else if (inst->op == LLVMCall && kiln_lanes_call(l, i)) {
    kiln_lanes_report(l, i, (struct kl_note){.fate = KL_FATE_VECTOR});
  } else {
    kiln_lanes_serialize(l, i);
  }
}

/* ---- what has no form here ---- */

static bool is_simple(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind || kind == LLVMFloatTypeKind ||
         kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind;
}

static bool is_whole_bytes(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) return true;
  unsigned bits = LLVMGetIntTypeWidth(type);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

bool kiln_lanes_accept_type(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind != LLVMVectorTypeKind && kind != LLVMStructTypeKind) return is_simple(type);
  uint32_t n = kiln_type_parts(type);
  bool ok = n > 0 && n <= 16;
  for (uint32_t k = 0; k < n && ok; k++) ok = is_simple(kiln_type_part(type, k));
  return ok;
}

static bool accept_memory(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) != LLVMStructTypeKind && kiln_lanes_accept_type(type) &&
         is_whole_bytes(kiln_type_part(type, 0));
}

static bool accept_bits(LLVMTypeRef from, LLVMTypeRef to) {
  return is_whole_bytes(kiln_type_part(from, 0)) && is_whole_bytes(kiln_type_part(to, 0));
}

static bool accept_inst(const struct kl_func *f, uint32_t i, const struct kl_shapes *shapes,
                        struct kl_map *map) {
  const struct kl_inst *inst = &f->inst[i];
  LLVMTypeRef type = is_void(inst->v) ? NULL : kiln_map_type(map, LLVMTypeOf(inst->v));
  bool varying = type != NULL && shapes->of[i].kind == KL_VARYING;
  if (varying && !kiln_lanes_accept_type(type)) return false;
  for (uint32_t k = 0; k < inst->nops && inst->op != LLVMPHI; k++) {
    uint32_t v = kl_operand(f, i, k);
    if (shapes->of[v].kind == KL_VARYING &&
        !kiln_lanes_accept_type(kiln_map_type(map, LLVMTypeOf(f->inst[v].v))))
      return false;
  }
  switch (inst->op) {
  case LLVMLoad:
    return !varying || accept_memory(type);
  case LLVMStore:
    type = kiln_map_type(map, LLVMTypeOf(f->inst[kl_operand(f, i, 0)].v));
    return (shapes->of[kl_operand(f, i, 0)].kind == KL_UNIFORM &&
            shapes->of[kl_operand(f, i, 1)].kind == KL_UNIFORM) ||
           accept_memory(type);
  case LLVMBitCast:
    return !varying || accept_bits(kiln_map_type(map, LLVMTypeOf(f->inst[kl_operand(f, i, 0)].v)), type);
  case LLVMExtractValue:
  case LLVMInsertValue:
    return !varying || LLVMGetNumIndices(inst->v) == 1;
  case LLVMGetElementPtr:
    return inst->nops <= 32;
  default:
    return true;
  }
}

bool kiln_lanes_accept(const struct kl_func *f, const struct kl_shapes *shapes, struct kl_map *map) {
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (f->inst[i].bb != KL_NONE && !accept_inst(f, i, shapes, map)) return false;
  return true;
}
