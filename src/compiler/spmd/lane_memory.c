/* Loads and stores of a vector of work-items: one access, a row, a deinterleaved block, or a gather. Inactive
 * lanes touch nothing. */
#include "compiler/spmd/lanes.h"

#include <string.h>

/* How the lanes' addresses lie. */
struct access {
  LLVMTypeRef part; /* type of a component */
  uint32_t parts;
  uint64_t size;  /* bytes of a component */
  unsigned align; /* of each lane's address */
  struct kl_shape shape;
  uint32_t pointer;  /* value */
  LLVMValueRef base; /* address of lane 0; NULL when the addresses are anywhere */
};

static struct access describe(struct kl_lanes *l, LLVMValueRef inst, LLVMTypeRef type, uint32_t pointer) {
  struct access a = {.part = kiln_type_part(type, 0), .parts = kiln_type_parts(type), .pointer = pointer};
  a.size = kiln_map_size(l->e->map, a.part);
  a.align = LLVMGetAlignment(inst);
  a.shape = kiln_lanes_shape(l, pointer);
  if (a.shape.kind != KL_VARYING) a.base = kiln_emit_operand(l->e, pointer);
  return a;
}

static unsigned part_align(const struct access *a, uint32_t k) {
  unsigned align = a->align == 0 ? 1 : a->align;
  uint64_t offset = k * a->size;
  while (offset % align != 0) align /= 2;
  return align;
}

static LLVMValueRef call_intrinsic(struct kl_lanes *l, const char *name, LLVMTypeRef *types,
                                   unsigned num_types, LLVMValueRef *args, unsigned num_args) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(l->e->env->module, id, types, num_types);
  return LLVMBuildCall2(l->e->b, LLVMGlobalGetValueType(fn), fn, args, num_args, "");
}

static LLVMValueRef align_operand(struct kl_lanes *l, unsigned align) {
  return LLVMConstInt(l->e->map->i32, align, false);
}

/* ---- rows ---- */

static LLVMValueRef load_wide(struct kl_lanes *l, LLVMTypeRef type, LLVMValueRef base, unsigned align,
                              LLVMValueRef mask) {
  if (kiln_lanes_is_full(mask)) {
    LLVMValueRef made = LLVMBuildLoad2(l->e->b, type, base, "");
    LLVMSetAlignment(made, align);
    return made;
  }
  LLVMTypeRef types[] = {type, l->e->map->ptr};
  LLVMValueRef args[] = {base, align_operand(l, align), mask, LLVMGetPoison(type)};
  return call_intrinsic(l, "llvm.masked.load", types, 2, args, 4);
}

static void store_wide(struct kl_lanes *l, LLVMValueRef value, LLVMValueRef base, unsigned align,
                       LLVMValueRef mask) {
  if (kiln_lanes_is_full(mask)) {
    LLVMSetAlignment(LLVMBuildStore(l->e->b, value, base), align);
    return;
  }
  LLVMTypeRef types[] = {LLVMTypeOf(value), l->e->map->ptr};
  LLVMValueRef args[] = {value, base, align_operand(l, align), mask};
  call_intrinsic(l, "llvm.masked.store", types, 2, args, 4);
}

LLVMValueRef kiln_lanes_load_row(struct kl_lanes *l, LLVMTypeRef part, LLVMValueRef base, unsigned align,
                                 LLVMValueRef mask) {
  return load_wide(l, kiln_lanes_type(l, part), base, align, mask);
}

void kiln_lanes_store_row(struct kl_lanes *l, LLVMValueRef value, LLVMValueRef base, unsigned align,
                          LLVMValueRef mask) {
  store_wide(l, value, base, align, mask);
}

static LLVMValueRef number(struct kl_lanes *l, uint64_t x) { return LLVMConstInt(l->e->map->i32, x, false); }

static LLVMValueRef shuffle(struct kl_lanes *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *index,
                            unsigned n) {
  return LLVMBuildShuffleVector(l->e->b, a, b, LLVMConstVector(index, n), "");
}

static LLVMValueRef reverse(struct kl_lanes *l, LLVMValueRef v) {
  LLVMValueRef index[KL_MOST_LANES];
  if (LLVMIsConstant(v) && kiln_lanes_is_full(v)) return v;
  for (unsigned i = 0; i < l->width; i++) index[i] = number(l, l->width - 1 - i);
  return shuffle(l, v, LLVMGetPoison(LLVMTypeOf(v)), index, l->width);
}

static LLVMValueRef last_lane_address(struct kl_lanes *l, const struct access *a) {
  LLVMValueRef offset =
      LLVMConstInt(l->e->map->i64, (uint64_t)(a->shape.stride * (int64_t)(l->width - 1)), true);
  return LLVMBuildGEP2(l->e->b, l->e->map->i8, a->base, &offset, 1, "");
}

/* ---- blocks: the components of one lane, then those of the next ---- */

enum { MOST_PARTS = 16, MOST_WIDE = KL_MOST_LANES * MOST_PARTS };

/* Elements from lane to lane when the lanes' vectors follow one another; 0 otherwise. A vector of three may
 * have a fourth element's room. */
static uint32_t block_pitch(struct kl_lanes *l, const struct access *a) {
  if (a->shape.kind != KL_STRIDED || a->parts < 2 || a->parts > MOST_PARTS) return 0;
  if (a->shape.stride != (int64_t)(a->parts * a->size) &&
      !(a->parts == 3 && a->shape.stride == (int64_t)(4 * a->size)))
    return 0;
  return (uint32_t)((uint64_t)a->shape.stride / a->size);
}

/* The mask of the lanes as one of the block's elements. */
static LLVMValueRef block_mask(struct kl_lanes *l, LLVMValueRef mask, uint32_t pitch, uint32_t parts) {
  LLVMValueRef index[MOST_WIDE];
  unsigned n = l->width * pitch;
  if (kiln_lanes_is_full(mask) && pitch == parts) return LLVMConstAllOnes(LLVMVectorType(l->e->map->i1, n));
  for (unsigned i = 0; i < n; i++) index[i] = number(l, i % pitch < parts ? i / pitch : l->width);
  return shuffle(l, mask, LLVMConstNull(LLVMTypeOf(mask)), index, n);
}

static struct kl_pack load_block(struct kl_lanes *l, const struct access *a, uint32_t pitch,
                                 LLVMValueRef mask) {
  struct kl_pack pack = kiln_lanes_new_pack(l, a->parts);
  LLVMValueRef index[KL_MOST_LANES];
  LLVMTypeRef type = LLVMVectorType(a->part, l->width * pitch);
  LLVMValueRef wide = load_wide(l, type, a->base, part_align(a, 0), block_mask(l, mask, pitch, a->parts));
  for (uint32_t k = 0; k < a->parts; k++) {
    for (unsigned i = 0; i < l->width; i++) index[i] = number(l, i * pitch + k);
    pack.part[k] = shuffle(l, wide, LLVMGetPoison(type), index, l->width);
  }
  return pack;
}

/* Two vectors of n elements as one of 2 n. */
static LLVMValueRef join(struct kl_lanes *l, LLVMValueRef a, LLVMValueRef b) {
  LLVMValueRef index[MOST_WIDE];
  unsigned n = LLVMGetVectorSize(LLVMTypeOf(a));
  for (unsigned i = 0; i < 2 * n; i++) index[i] = number(l, i);
  return shuffle(l, a, b, index, 2 * n);
}

static void store_block(struct kl_lanes *l, const struct access *a, struct kl_pack pack, uint32_t pitch,
                        LLVMValueRef mask) {
  LLVMValueRef half[MOST_PARTS], index[MOST_WIDE];
  uint32_t n = 1;
  while (n < a->parts) n *= 2;
  for (uint32_t k = 0; k < n; k++)
    half[k] = k < a->parts ? pack.part[k] : LLVMGetPoison(kiln_lanes_type(l, a->part));
  for (uint32_t count = n; count > 1; count /= 2)
    for (uint32_t k = 0; k < count / 2; k++) half[k] = join(l, half[2 * k], half[2 * k + 1]);
  for (unsigned i = 0; i < l->width * pitch; i++) index[i] = number(l, (i % pitch) * l->width + i / pitch);
  LLVMValueRef wide = shuffle(l, half[0], LLVMGetPoison(LLVMTypeOf(half[0])), index, l->width * pitch);
  store_wide(l, wide, a->base, part_align(a, 0), block_mask(l, mask, pitch, a->parts));
}

/* ---- any addresses ---- */

static LLVMValueRef addresses(struct kl_lanes *l, const struct access *a, uint32_t k) {
  LLVMValueRef all =
      a->base == NULL ? kiln_lanes_part(l, a->pointer, 0) : kiln_lanes_spread(l, a->base, a->shape.stride);
  LLVMValueRef offset = LLVMConstInt(l->e->map->i64, k * a->size, false);
  return k == 0 ? all : LLVMBuildGEP2(l->e->b, l->e->map->i8, all, &offset, 1, "");
}

static LLVMValueRef gather_from(struct kl_lanes *l, LLVMTypeRef part, LLVMValueRef from, unsigned align,
                                LLVMValueRef mask) {
  LLVMTypeRef types[] = {kiln_lanes_type(l, part), LLVMTypeOf(from)};
  LLVMValueRef args[] = {from, align_operand(l, align), mask, LLVMGetPoison(types[0])};
  return call_intrinsic(l, "llvm.masked.gather", types, 2, args, 4);
}

/* Processors gather words: a byte or half word is cut out of the aligned word around it, which lies on the
 * same page. */
static LLVMValueRef gather_small(struct kl_lanes *l, LLVMTypeRef part, unsigned bits, LLVMValueRef from,
                                 LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef wide = kiln_lanes_type(l, l->e->map->i64), word = kiln_lanes_type(l, l->e->map->i32);
  LLVMValueRef three = kiln_lanes_splat(l, LLVMConstInt(l->e->map->i64, 3, false));
  LLVMValueRef within = LLVMBuildAnd(b, LLVMBuildPtrToInt(b, from, wide, ""), three, "");
  LLVMValueRef back = LLVMBuildNeg(b, within, "");
  LLVMValueRef start = LLVMBuildGEP2(b, l->e->map->i8, from, &back, 1, "");
  LLVMValueRef words = gather_from(l, l->e->map->i32, start, 4, mask);
  LLVMValueRef shift = LLVMBuildShl(b, LLVMBuildTrunc(b, within, word, ""),
                                    kiln_lanes_splat(l, LLVMConstInt(l->e->map->i32, 3, false)), "");
  LLVMTypeRef small = kiln_lanes_type(l, LLVMIntTypeInContext(l->e->env->context, bits));
  LLVMValueRef made = LLVMBuildTrunc(b, LLVMBuildLShr(b, words, shift, ""), small, "");
  return LLVMBuildBitCast(b, made, kiln_lanes_type(l, part), "");
}

static LLVMValueRef gather(struct kl_lanes *l, const struct access *a, uint32_t k, LLVMValueRef mask) {
  LLVMValueRef from = addresses(l, a, k);
  unsigned align = part_align(a, k);
  if (a->size < 4 && align >= a->size) return gather_small(l, a->part, (unsigned)(8 * a->size), from, mask);
  return gather_from(l, a->part, from, align, mask);
}

static void scatter(struct kl_lanes *l, const struct access *a, uint32_t k, LLVMValueRef value,
                    LLVMValueRef mask) {
  LLVMValueRef to = addresses(l, a, k);
  LLVMTypeRef types[] = {LLVMTypeOf(value), LLVMTypeOf(to)};
  LLVMValueRef args[] = {value, to, align_operand(l, part_align(a, k)), mask};
  call_intrinsic(l, "llvm.masked.scatter", types, 2, args, 4);
}

/* ---- instructions ---- */

static bool is_ordinary(LLVMValueRef inst) {
  return !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
}

static bool is_row(const struct access *a, int direction) {
  return a->shape.kind == KL_STRIDED && a->parts == 1 && a->shape.stride == direction * (int64_t)a->size;
}

/* There is something better than one address per lane. */
static bool has_pattern(struct kl_lanes *l, const struct access *a) {
  return a->shape.kind == KL_UNIFORM || is_row(a, 1) || is_row(a, -1) || block_pitch(l, a) != 0;
}

static struct kl_pack load_one(struct kl_lanes *l, const struct access *a) {
  struct kl_pack pack = kiln_lanes_new_pack(l, a->parts);
  LLVMTypeRef type = a->parts == 1 ? a->part : LLVMVectorType(a->part, a->parts);
  LLVMValueRef one = LLVMBuildLoad2(l->e->b, type, a->base, "");
  LLVMSetAlignment(one, part_align(a, 0));
  for (uint32_t k = 0; k < a->parts; k++)
    pack.part[k] =
        kiln_lanes_splat(l, a->parts == 1 ? one : LLVMBuildExtractElement(l->e->b, one, number(l, k), ""));
  return pack;
}

static struct kl_pack load(struct kl_lanes *l, const struct access *a, LLVMValueRef mask) {
  struct kl_pack pack = kiln_lanes_new_pack(l, a->parts);
  uint32_t pitch = block_pitch(l, a);
  if (a->shape.kind == KL_UNIFORM) return load_one(l, a);
  if (pitch != 0) return load_block(l, a, pitch, mask);
  if (is_row(a, 1)) {
    pack.part[0] = load_wide(l, kiln_lanes_type(l, a->part), a->base, part_align(a, 0), mask);
  } else if (is_row(a, -1)) {
    LLVMValueRef row = load_wide(l, kiln_lanes_type(l, a->part), last_lane_address(l, a), part_align(a, 0),
                                 reverse(l, mask));
    pack.part[0] = reverse(l, row);
  } else {
    for (uint32_t k = 0; k < a->parts; k++) pack.part[k] = gather(l, a, k, mask);
  }
  return pack;
}

static void store(struct kl_lanes *l, const struct access *a, struct kl_pack pack, LLVMValueRef mask) {
  uint32_t pitch = block_pitch(l, a);
  if (is_row(a, 1)) store_wide(l, pack.part[0], a->base, part_align(a, 0), mask);
  else if (is_row(a, -1))
    store_wide(l, reverse(l, pack.part[0]), last_lane_address(l, a), part_align(a, 0), reverse(l, mask));
  else if (pitch != 0) store_block(l, a, pack, pitch, mask);
  else
    for (uint32_t k = 0; k < a->parts; k++) scatter(l, a, k, pack.part[k], mask);
}

/* ---- with a check: the pattern's code, or that for any addresses ---- */

/* The access as it is while the checks of its address hold; false: it has none, or no use for them. */
static bool find_checked(struct kl_lanes *l, const struct access *a, struct access *checked,
                         LLVMValueRef *ok) {
  *checked = *a;
  if (a->shape.kind != KL_VARYING || !kiln_lanes_has_check(l, a->pointer)) return false;
  checked->shape = kiln_lanes_checked_shape(l, a->pointer);
  checked->base = l->e->value[a->pointer];
  *ok = l->ok[a->pointer];
  return has_pattern(l, checked) && (*ok == NULL || !LLVMIsNull(*ok));
}

struct choice {
  LLVMBasicBlockRef fast, slow, done;
};

/* A lane that is off may have left its index undefined, so what the check says then is frozen. */
static struct choice open_choice(struct kl_lanes *l, LLVMValueRef ok) {
  struct choice c = {kiln_emit_new_block(l->e, "checked"), kiln_emit_new_block(l->e, ""),
                     kiln_emit_new_block(l->e, "")};
  LLVMValueRef branch = LLVMBuildCondBr(l->e->b, LLVMBuildFreeze(l->e->b, ok, ""), c.fast, c.slow);
  kiln_emit_likely(l->e, branch);
  LLVMPositionBuilderAtEnd(l->e->b, c.fast);
  return c;
}

static void turn_choice(struct kl_lanes *l, struct choice *c) {
  c->fast = LLVMGetInsertBlock(l->e->b);
  LLVMBuildBr(l->e->b, c->done);
  LLVMPositionBuilderAtEnd(l->e->b, c->slow);
}

static void close_choice(struct kl_lanes *l, struct choice *c) {
  c->slow = LLVMGetInsertBlock(l->e->b);
  LLVMBuildBr(l->e->b, c->done);
  LLVMPositionBuilderAtEnd(l->e->b, c->done);
}

static bool is_certain(LLVMValueRef ok) { return ok == NULL || LLVMIsAConstantInt(ok); }

static struct kl_pack load_checked(struct kl_lanes *l, const struct access *a, LLVMValueRef mask) {
  struct access checked;
  LLVMValueRef ok;
  if (!find_checked(l, a, &checked, &ok)) return load(l, a, mask);
  if (is_certain(ok)) return load(l, &checked, mask);
  struct choice c = open_choice(l, ok);
  struct kl_pack fast = load(l, &checked, mask);
  turn_choice(l, &c);
  struct kl_pack slow = load(l, a, mask), pack = kiln_lanes_new_pack(l, a->parts);
  close_choice(l, &c);
  for (uint32_t k = 0; k < a->parts; k++) {
    pack.part[k] = LLVMBuildPhi(l->e->b, LLVMTypeOf(fast.part[k]), "");
    LLVMAddIncoming(pack.part[k], &fast.part[k], &c.fast, 1);
    LLVMAddIncoming(pack.part[k], &slow.part[k], &c.slow, 1);
  }
  return pack;
}

static void store_checked(struct kl_lanes *l, const struct access *a, struct kl_pack pack,
                          LLVMValueRef mask) {
  struct access checked;
  LLVMValueRef ok;
  bool found = find_checked(l, a, &checked, &ok) && checked.shape.kind == KL_STRIDED;
  if (!found || is_certain(ok)) {
    store(l, found ? &checked : a, pack, mask);
    return;
  }
  struct choice c = open_choice(l, ok);
  store(l, &checked, pack, mask);
  turn_choice(l, &c);
  store(l, a, pack, mask);
  close_choice(l, &c);
}

void kiln_lanes_load_inst(struct kl_lanes *l, uint32_t i) {
  LLVMValueRef inst = l->e->f->inst[i].v, mask = kiln_lanes_mask(l);
  if (!is_ordinary(inst)) {
    kiln_lanes_serialize(l, i);
    return;
  }
  LLVMTypeRef type = kiln_map_type(l->e->map, LLVMTypeOf(inst));
  struct access a = describe(l, inst, type, kl_operand(l->e->f, i, 0));
  kiln_lanes_define(l, i, load_checked(l, &a, mask));
}

/* All lanes store to one place: the last one's value stays. */
static void store_last(struct kl_lanes *l, const struct access *a, LLVMValueRef inst, struct kl_pack pack,
                       LLVMValueRef mask) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef bits = kiln_lanes_bits(l, mask), no = LLVMConstNull(l->e->map->i1);
  LLVMTypeRef type = LLVMTypeOf(bits);
  LLVMValueRef args[] = {bits, no}, last = LLVMConstInt(type, l->width - 1, false);
  if (!kiln_lanes_is_full(mask))
    last = LLVMBuildSub(b, last, call_intrinsic(l, "llvm.ctlz", &type, 1, args, 2), "");
  LLVMValueRef value = NULL;
  for (uint32_t k = 0; k < pack.n; k++) {
    LLVMValueRef part = LLVMBuildExtractElement(b, pack.part[k], last, "");
    if (pack.n == 1) value = part;
    else {
      if (value == NULL) value = LLVMGetPoison(LLVMVectorType(a->part, pack.n));
      value = LLVMBuildInsertElement(b, value, part, number(l, k), "");
    }
  }
  LLVMValueRef made = LLVMBuildStore(b, value, a->base);
  LLVMSetAlignment(made, LLVMGetAlignment(inst));
  LLVMSetVolatile(made, LLVMGetVolatile(inst));
  LLVMSetOrdering(made, LLVMGetOrdering(inst));
}

void kiln_lanes_store_inst(struct kl_lanes *l, uint32_t i) {
  LLVMValueRef inst = l->e->f->inst[i].v, mask = kiln_lanes_mask(l);
  uint32_t value = kl_operand(l->e->f, i, 0), pointer = kl_operand(l->e->f, i, 1);
  struct access a = describe(l, inst, kiln_map_type(l->e->map, LLVMTypeOf(l->e->f->inst[value].v)), pointer);
  if (a.shape.kind == KL_UNIFORM && kiln_lanes_shape(l, value).kind == KL_UNIFORM) {
    kiln_emit_inst(l->e, i);
    return;
  }
  if (a.shape.kind == KL_UNIFORM) {
    store_last(l, &a, inst, kiln_lanes_operand(l, value), mask);
    return;
  }
  if (!is_ordinary(inst)) {
    kiln_lanes_serialize(l, i);
    return;
  }
  store_checked(l, &a, kiln_lanes_operand(l, value), mask);
}
