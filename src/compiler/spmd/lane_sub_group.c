/* Sub-group functions where the lanes are the sub-group, in order: its active work-items are the lanes that
 * are on. What all of them share is a scalar. Results for other lanes, and from them, are anything. */
#include "compiler/spmd/combine.h"
#include "compiler/spmd/lanes.h"
#include "compiler/spmd/subgroup.h"

struct call {
  struct kl_lanes *l;
  LLVMBuilderRef b;
  uint32_t i;
  uint16_t sub;
  LLVMValueRef mask;
};

/* ---- operands and results ---- */

static uint32_t operand_of(const struct call *c, uint32_t k) { return kl_operand(c->l->e->f, c->i, k); }

static LLVMValueRef operand(const struct call *c, uint32_t k) {
  return kiln_lanes_part(c->l, operand_of(c, k), 0);
}

static bool is_uniform(const struct call *c, uint32_t k) {
  return kiln_lanes_shape(c->l, operand_of(c, k)).kind == KL_UNIFORM;
}

static LLVMValueRef word(const struct call *c, uint64_t x) {
  return LLVMConstInt(c->l->e->map->i32, x, false);
}

static LLVMValueRef all_words(const struct call *c, uint64_t x) { return kiln_lanes_splat(c->l, word(c, x)); }

static LLVMTypeRef result_type(const struct call *c) {
  return kiln_map_type(c->l->e->map, LLVMTypeOf(c->l->e->f->inst[c->i].v));
}

static void define_lanes(const struct call *c, LLVMValueRef all) {
  struct kl_pack pack = kiln_lanes_new_pack(c->l, 1);
  pack.part[0] = all;
  kiln_lanes_define(c->l, c->i, pack);
}

static bool has_shared_result(const struct call *c) { return c->l->shapes->of[c->i].kind == KL_UNIFORM; }

/* One for all lanes, of the result's type. Each lane has it as its own where the plan says so
 * (kl_plan.apart).
 */
static void define_shared(const struct call *c, LLVMValueRef scalar) {
  kiln_emit_define(c->l->e, c->i, scalar);
  if (has_shared_result(c)) {
    kiln_lanes_keep(c->l, c->i);
    return;
  }
  struct kl_pack pack = kiln_lanes_new_pack(c->l, kiln_lanes_parts(c->l, c->i));
  for (uint32_t k = 0; k < pack.n; k++) pack.part[k] = kiln_lanes_spread_value(c->l, c->i, k);
  kiln_lanes_define(c->l, c->i, pack);
}

static void define_truth(const struct call *c, LLVMValueRef is) {
  define_shared(c, LLVMBuildZExt(c->b, is, result_type(c), ""));
}

static LLVMValueRef intrinsic(const struct call *c, const char *name, LLVMValueRef x, bool has_flag) {
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef args[] = {x, LLVMConstNull(c->l->e->map->i1)};
  return kiln_lanes_intrinsic(c->l, name, &type, 1, args, has_flag ? 2 : 1);
}

/* ---- masks ---- */

static LLVMValueRef bits_of(const struct call *c, LLVMValueRef mask) { return kiln_lanes_bits(c->l, mask); }

/* A number below the width, also where no lane is on. */
static LLVMValueRef first_lane(const struct call *c) {
  LLVMValueRef at = intrinsic(c, "llvm.cttz", bits_of(c, c->mask), true);
  at = LLVMBuildIntCast2(c->b, at, c->l->e->map->i32, false, "");
  return LLVMBuildAnd(c->b, at, word(c, c->l->width - 1), "");
}

/* Lanes that are on and give a true operand. */
static LLVMValueRef agreeing(const struct call *c) {
  LLVMValueRef x = operand(c, 0);
  LLVMValueRef is = LLVMBuildICmp(c->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
  return LLVMBuildAnd(c->b, c->mask, is, "");
}

static LLVMValueRef is_same_mask(const struct call *c, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildICmp(c->b, LLVMIntEQ, bits_of(c, a), bits_of(c, b), "");
}

/* What lanes must agree on. */
static LLVMValueRef agreed(const struct call *c, uint32_t k) {
  if (is_uniform(c, k)) return kiln_emit_operand(c->l->e, operand_of(c, k));
  return LLVMBuildExtractElement(c->b, operand(c, k), first_lane(c), "");
}

static void vote(const struct call *c, enum kl_sub_group what) {
  LLVMValueRef agree = agreeing(c);
  if (what == KL_SG_ANY) define_truth(c, kiln_lanes_any(c->l, agree));
  else define_truth(c, is_same_mask(c, agree, c->mask));
}

static void all_equal(const struct call *c) {
  LLVMValueRef x = operand(c, 0), same;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(x)));
  LLVMValueRef first = kiln_lanes_splat(c->l, LLVMBuildExtractElement(c->b, x, first_lane(c), ""));
  if (kind == LLVMIntegerTypeKind) same = LLVMBuildICmp(c->b, LLVMIntEQ, x, first, "");
  else same = LLVMBuildFCmp(c->b, LLVMRealOEQ, x, first, "");
  define_truth(c, is_same_mask(c, LLVMBuildAnd(c->b, c->mask, same, ""), c->mask));
}

static void elect(const struct call *c) {
  LLVMValueRef bits = bits_of(c, c->mask),
               lowest = LLVMBuildAnd(c->b, bits, LLVMBuildNeg(c->b, bits, ""), "");
  LLVMValueRef is = LLVMBuildBitCast(c->b, lowest, LLVMTypeOf(c->mask), "");
  define_lanes(c, LLVMBuildZExt(c->b, is, kiln_lanes_type(c->l, result_type(c)), ""));
}

/* ---- reductions and scans ---- */

static LLVMValueRef shuffle(const struct call *c, LLVMValueRef v, LLVMValueRef lanes) {
  return LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(LLVMTypeOf(v)), lanes, "");
}

/* Each lane with its neighbours at doubling distances, as long as these are in its cluster. */
static LLVMValueRef combine_clusters(const struct call *c, LLVMValueRef v) {
  LLVMValueRef size = agreed(c, 1);
  for (unsigned by = 1; by < c->l->width; by *= 2) {
    LLVMValueRef other = shuffle(c, v, LLVMConstXor(kiln_lanes_numbers(c->l), all_words(c, by)));
    LLVMValueRef both = kiln_combine_build(c->b, c->sub, v, other);
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntUGT, size, LLVMConstInt(LLVMTypeOf(size), by, false), "");
    v = LLVMBuildSelect(c->b, more, both, v, "");
  }
  return v;
}

static void combine(const struct call *c, enum kl_sub_group what) {
  LLVMValueRef x = kiln_combine_operand(c->b, c->sub, operand(c, 0));
  LLVMValueRef neutral = kiln_lanes_neutral(c->l, c->sub, LLVMGetElementType(LLVMTypeOf(x)));
  x = kiln_lanes_only(c->l, x, c->mask, neutral);
  if (what == KL_SG_CLUSTERED_COMBINE) define_lanes(c, combine_clusters(c, x));
  else if (kl_form_of(c->sub) == KL_SCAN_INCLUSIVE)
    define_lanes(c, kiln_lanes_up_to(c->l, c->sub, x, neutral));
  else if (kl_form_of(c->sub) == KL_SCAN_EXCLUSIVE)
    define_lanes(c, kiln_lanes_before(c->l, c->sub, x, neutral));
  else define_shared(c, kiln_lanes_fold(c->l, c->sub, x));
}

/* ---- one lane's value for all ---- */

static void broadcast(const struct call *c, LLVMValueRef lane) {
  LLVMTypeRef type = result_type(c);
  if (is_uniform(c, 0)) {
    define_shared(c, kiln_emit_operand(c->l->e, operand_of(c, 0)));
    return;
  }
  struct kl_pack pack = kiln_lanes_operand(c->l, operand_of(c, 0));
  lane = LLVMBuildAnd(c->b, lane, LLVMConstInt(LLVMTypeOf(lane), c->l->width - 1, false), "");
  LLVMValueRef whole = LLVMBuildExtractElement(c->b, pack.part[0], lane, "");
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
    LLVMValueRef first = whole;
    whole = LLVMBuildInsertElement(c->b, LLVMGetPoison(type), first, word(c, 0), "");
    for (uint32_t k = 1; k < pack.n; k++) {
      LLVMValueRef part = LLVMBuildExtractElement(c->b, pack.part[k], lane, "");
      whole = LLVMBuildInsertElement(c->b, whole, part, word(c, k), "");
    }
  }
  define_shared(c, whole);
}

/* ---- each lane another's value ---- */

/* Code generation knows this form of a variable permutation of 32-bit elements. */
static LLVMValueRef permute_words(const struct call *c, LLVMValueRef v, LLVMValueRef from) {
  if (LLVMIsConstant(from)) return shuffle(c, v, from);
  LLVMValueRef made = LLVMGetPoison(LLVMTypeOf(v));
  for (unsigned i = 0; i < c->l->width; i++) {
    LLVMValueRef at = LLVMBuildExtractElement(c->b, from, word(c, i), "");
    LLVMValueRef one = LLVMBuildExtractElement(c->b, v, at, "");
    made = LLVMBuildInsertElement(c->b, made, one, word(c, i), "");
  }
  return made;
}

static LLVMTypeRef lanes_of_bits(const struct call *c, unsigned bits) {
  return kiln_lanes_type(c->l, LLVMIntTypeInContext(c->l->e->env->context, bits));
}

/* Narrow elements as words, wide ones as two. */
static LLVMValueRef permute(const struct call *c, LLVMValueRef v, LLVMValueRef from) {
  LLVMTypeRef type = LLVMTypeOf(v), words = lanes_of_bits(c, 32);
  unsigned bits = (unsigned)(8 * kiln_map_size(c->l->e->map, LLVMGetElementType(type)));
  if (LLVMIsConstant(from)) return shuffle(c, v, from);
  LLVMValueRef x = LLVMBuildBitCast(c->b, v, lanes_of_bits(c, bits), "");
  if (bits <= 32) {
    x = permute_words(c, LLVMBuildZExtOrBitCast(c->b, x, words, ""), from);
    x = LLVMBuildTruncOrBitCast(c->b, x, lanes_of_bits(c, bits), "");
  } else {
    LLVMTypeRef wide = LLVMTypeOf(x);
    LLVMValueRef half = kiln_lanes_splat(c->l, LLVMConstInt(c->l->e->map->i64, 32, false));
    LLVMValueRef high = LLVMBuildTrunc(c->b, LLVMBuildLShr(c->b, x, half, ""), words, "");
    LLVMValueRef low = permute_words(c, LLVMBuildTrunc(c->b, x, words, ""), from);
    high = LLVMBuildZExt(c->b, permute_words(c, high, from), wide, "");
    x = LLVMBuildOr(c->b, LLVMBuildZExt(c->b, low, wide, ""), LLVMBuildShl(c->b, high, half, ""), "");
  }
  return LLVMBuildBitCast(c->b, x, type, "");
}

/* By lane, the number of the lane whose value it gets. */
static LLVMValueRef source_lanes(const struct call *c, enum kl_sub_group what) {
  LLVMBuilderRef b = c->b;
  LLVMValueRef lane = kiln_lanes_numbers(c->l), by = operand(c, 1);
  switch (what) {
  case KL_SG_SHUFFLE:
    return by;
  case KL_SG_SHUFFLE_XOR:
    return LLVMBuildXor(b, lane, by, "");
  case KL_SG_SHUFFLE_UP:
    return LLVMBuildSub(b, lane, by, "");
  case KL_SG_CLUSTERED_ROTATE: {
    LLVMValueRef low = LLVMBuildSub(b, operand(c, 2), all_words(c, 1), "");
    LLVMValueRef within = LLVMBuildAnd(b, LLVMBuildAdd(b, lane, by, ""), low, "");
    return LLVMBuildOr(b, LLVMBuildAnd(b, lane, LLVMBuildNot(b, low, ""), ""), within, "");
  }
  default:
    return LLVMBuildAdd(b, lane, by, "");
  }
}

static void exchange(const struct call *c, enum kl_sub_group what) {
  LLVMValueRef from = LLVMBuildAnd(c->b, source_lanes(c, what), all_words(c, c->l->width - 1), "");
  struct kl_pack old = kiln_lanes_operand(c->l, operand_of(c, 0)), pack = kiln_lanes_new_pack(c->l, old.n);
  for (uint32_t k = 0; k < pack.n; k++)
    pack.part[k] = is_uniform(c, 0) ? old.part[k] : permute(c, old.part[k], from);
  kiln_lanes_define(c->l, c->i, pack);
}

/* ---- ballots: at most 32 lanes are in the first word ---- */

static void ballot(const struct call *c) {
  LLVMValueRef bits = LLVMBuildIntCast2(c->b, bits_of(c, agreeing(c)), c->l->e->map->i32, false, "");
  LLVMValueRef none = LLVMConstNull(result_type(c));
  define_shared(c, LLVMBuildInsertElement(c->b, none, bits, word(c, 0), ""));
}

/* By lane, the words with the bits of those up to it (lane + 1 = to), or before it. */
static LLVMValueRef low_bits(const struct call *c, bool own) {
  LLVMValueRef low[KL_MOST_LANES];
  for (unsigned i = 0; i < c->l->width; i++) low[i] = word(c, ((uint64_t)1 << (i + own)) - 1);
  return LLVMConstVector(low, c->l->width);
}

static LLVMValueRef every_lane(const struct call *c) { return word(c, ((uint64_t)1 << c->l->width) - 1); }

/* The first word of a ballot: one for all, or one each. */
static LLVMValueRef first_word(const struct call *c) {
  if (!has_shared_result(c)) return operand(c, 0);
  return LLVMBuildExtractElement(c->b, kiln_emit_operand(c->l->e, operand_of(c, 0)), word(c, 0), "");
}

static LLVMValueRef like(const struct call *c, LLVMValueRef scalar) {
  return has_shared_result(c) ? scalar : kiln_lanes_splat(c->l, scalar);
}

static void define(const struct call *c, LLVMValueRef made) {
  if (has_shared_result(c)) define_shared(c, made);
  else define_lanes(c, made);
}

static void bit_of_ballot(const struct call *c, LLVMValueRef lane) {
  lane = LLVMBuildAnd(c->b, lane, like(c, word(c, 31)), "");
  LLVMValueRef shifted = LLVMBuildLShr(c->b, first_word(c), lane, "");
  define(c, LLVMBuildAnd(c->b, shifted, like(c, word(c, 1)), ""));
}

static void count_ballot(const struct call *c, LLVMValueRef which) {
  define(c, intrinsic(c, "llvm.ctpop", LLVMBuildAnd(c->b, first_word(c), which, ""), false));
}

static void find_in_ballot(const struct call *c, enum kl_sub_group what) {
  LLVMValueRef x = LLVMBuildAnd(c->b, first_word(c), like(c, every_lane(c)), "");
  if (what == KL_SG_BALLOT_FIND_LSB) define(c, intrinsic(c, "llvm.cttz", x, true));
  else define(c, LLVMBuildSub(c->b, like(c, word(c, 31)), intrinsic(c, "llvm.ctlz", x, true), ""));
}

static void of_ballot(const struct call *c, enum kl_sub_group what) {
  LLVMValueRef index;
  switch (what) {
  case KL_SG_INVERSE_BALLOT:
    bit_of_ballot(c, kiln_lanes_numbers(c->l));
    break;
  case KL_SG_BALLOT_BIT_EXTRACT:
    index = has_shared_result(c) ? kiln_emit_operand(c->l->e, operand_of(c, 1)) : operand(c, 1);
    bit_of_ballot(c, index);
    break;
  case KL_SG_BALLOT_BIT_COUNT:
    count_ballot(c, like(c, every_lane(c)));
    break;
  case KL_SG_BALLOT_SCAN_INCLUSIVE:
  case KL_SG_BALLOT_SCAN_EXCLUSIVE:
    count_ballot(c, low_bits(c, what == KL_SG_BALLOT_SCAN_INCLUSIVE));
    break;
  default:
    find_in_ballot(c, what);
  }
}

static void lane_mask(const struct call *c, enum kl_sub_group what) {
  LLVMValueRef before = low_bits(c, false), to = low_bits(c, true),
               all = kiln_lanes_splat(c->l, every_lane(c));
  LLVMValueRef bits = what == KL_SG_MASK_LT   ? before
                      : what == KL_SG_MASK_LE ? to
                      : what == KL_SG_MASK_EQ ? LLVMConstXor(to, before)
                      : what == KL_SG_MASK_GE ? LLVMConstXor(all, before)
                                              : LLVMConstXor(all, to);
  struct kl_pack pack = kiln_lanes_new_pack(c->l, kiln_lanes_parts(c->l, c->i));
  for (uint32_t k = 0; k < pack.n; k++) pack.part[k] = k == 0 ? bits : all_words(c, 0);
  kiln_lanes_define(c->l, c->i, pack);
}

/* ---- which ---- */

void kiln_lanes_sub_group(struct kl_lanes *l, uint32_t i) {
  const struct call c = {l, l->e->b, i, l->e->f->inst[i].sub, kiln_lanes_mask(l)};
  enum kl_sub_group what = (enum kl_sub_group)(c.sub >> KL_SUB_GROUP_SHIFT);
  switch (what) {
  case KL_SG_COMBINE:
  case KL_SG_CLUSTERED_COMBINE:
    combine(&c, what);
    break;
  case KL_SG_ALL:
  case KL_SG_ANY:
    vote(&c, what);
    break;
  case KL_SG_ALL_EQUAL:
    all_equal(&c);
    break;
  case KL_SG_ELECT:
    elect(&c);
    break;
  case KL_SG_BROADCAST:
    broadcast(&c, agreed(&c, 1));
    break;
  case KL_SG_BROADCAST_FIRST:
    broadcast(&c, first_lane(&c));
    break;
  case KL_SG_SHUFFLE:
  case KL_SG_SHUFFLE_XOR:
  case KL_SG_SHUFFLE_UP:
  case KL_SG_SHUFFLE_DOWN:
  case KL_SG_ROTATE:
  case KL_SG_CLUSTERED_ROTATE:
    exchange(&c, what);
    break;
  case KL_SG_BALLOT:
    ballot(&c);
    break;
  case KL_SG_MASK_EQ:
  case KL_SG_MASK_GE:
  case KL_SG_MASK_GT:
  case KL_SG_MASK_LE:
  case KL_SG_MASK_LT:
    lane_mask(&c, what);
    break;
  default:
    of_ballot(&c, what);
  }
}
