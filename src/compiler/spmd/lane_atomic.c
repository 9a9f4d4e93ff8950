/* Atomics of all lanes on one address, as if the lanes came one after the other with nothing between them:
 * one atomic of what they make together; what each lane finds is the old value and what the lanes before it
 * made of it. */
#include "compiler/spmd/combine.h"
#include "compiler/spmd/lanes.h"

static LLVMValueRef intrinsic(struct kl_lanes *l, const char *name, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  return kiln_lanes_intrinsic(l, name, &type, 1, &x, 1);
}

LLVMValueRef kiln_lanes_count(struct kl_lanes *l, LLVMValueRef mask, LLVMTypeRef type) {
  if (kiln_lanes_is_full(mask)) return LLVMConstInt(type, l->width, false);
  LLVMValueRef count = intrinsic(l, "llvm.ctpop", kiln_lanes_bits(l, mask));
  return LLVMBuildIntCast2(l->e->b, count, type, false, "");
}

/* The value that all lanes share, times the lanes that are on. */
static LLVMValueRef times_lanes(struct kl_lanes *l, LLVMValueRef scalar, LLVMValueRef mask) {
  LLVMTypeRef type = LLVMTypeOf(scalar);
  return LLVMBuildMul(l->e->b, scalar, kiln_lanes_count(l, mask, type), "");
}

/* Its values in all lanes differ. */
static bool is_distinct(struct kl_lanes *l, uint32_t value) {
  const struct kl_shape shape = kiln_lanes_shape(l, value);
  LLVMTypeRef type = LLVMTypeOf(l->e->f->inst[value].v);
  if (shape.kind != KL_STRIDED || shape.stride == 0 || LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return false;
  const uint64_t span = (uint64_t)(shape.stride < 0 ? -shape.stride : shape.stride) * l->width;
  return l->map->rows == 1 && span - 1 <= UINT64_MAX >> (64 - LLVMGetIntTypeWidth(type));
}

/* Behind `if (id == x)`: one lane is on at most. */
static bool is_for_one(struct kl_lanes *l, uint32_t i) {
  const struct kl_func *f = l->e->f;
  const struct kiln_graph *graph = &f->graph;
  const uint32_t block = f->inst[i].bb, first = graph->pred0[block];
  if (graph->pred0[block + 1] != first + 1) return false;
  const uint32_t before = graph->pred[first], last = kl_last_of(f, before);
  if (f->inst[last].op != LLVMBr || f->inst[last].nops != 1 || graph->succ[graph->succ0[before]] != block)
    return false;
  const uint32_t condition = kl_operand(f, last, 0);
  if (f->inst[condition].op != LLVMICmp || LLVMGetICmpPredicate(f->inst[condition].v) != LLVMIntEQ)
    return false;
  const uint32_t x = kl_operand(f, condition, 0), y = kl_operand(f, condition, 1);
  return (is_distinct(l, x) && kiln_lanes_shape(l, y).kind == KL_UNIFORM) ||
         (is_distinct(l, y) && kiln_lanes_shape(l, x).kind == KL_UNIFORM);
}

struct joint {
  uint16_t sub;                                   /* combine.h */
  LLVMValueRef atomic, address, mask, all, total; /* all: each lane's operand, the identity where it is off */
  bool for_one;                                   /* no lane finds what others made */
};

/* All lanes add one value: what they make is a multiple of it. */
static bool adds_the_same(struct kl_lanes *l, uint32_t value, const struct joint *j) {
  return (j->sub >> KL_COMBINE_SHIFT & KL_COMBINE_MASK) == KL_ADD &&
         kiln_lanes_shape(l, value).kind == KL_UNIFORM;
}

static LLVMValueRef total_of(struct kl_lanes *l, uint32_t value, const struct joint *j) {
  if (j->for_one && kiln_lanes_shape(l, value).kind == KL_UNIFORM) return kiln_emit_operand(l->e, value);
  if (adds_the_same(l, value, j)) return times_lanes(l, kiln_emit_operand(l->e, value), j->mask);
  return kiln_lanes_fold(l, j->sub, j->all);
}

/* What the lanes before each one make. */
static LLVMValueRef made_before(struct kl_lanes *l, uint32_t value, const struct joint *j,
                                LLVMValueRef neutral) {
  if (j->for_one) return neutral;
  if (!adds_the_same(l, value, j)) return kiln_lanes_before(l, j->sub, j->all, neutral);
  LLVMValueRef each = kiln_lanes_splat(l, kiln_emit_operand(l->e, value));
  LLVMValueRef count =
      LLVMBuildIntCast2(l->e->b, kiln_lanes_count_before(l, j->mask), LLVMTypeOf(each), false, "");
  return LLVMBuildMul(l->e->b, count, each, "");
}

/* The one atomic; not where no lane is on, whose address may be none. */
static LLVMValueRef emit_joint(struct kl_lanes *l, const struct joint *j) {
  struct kl_emit *e = l->e;
  if (kiln_lanes_is_full(j->mask)) return kiln_emit_rmw(e, j->atomic, j->address, j->total);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), some = kiln_emit_new_block(e, "joint"),
                    after = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(e->b, kiln_lanes_any(l, j->mask), some, after);
  LLVMPositionBuilderAtEnd(e->b, some);
  LLVMValueRef old = kiln_emit_rmw(e, j->atomic, j->address, j->total);
  some = LLVMGetInsertBlock(e->b);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
  LLVMValueRef found = LLVMBuildPhi(e->b, LLVMTypeOf(old), ""), none = LLVMGetPoison(LLVMTypeOf(old));
  LLVMAddIncoming(found, &old, &some, 1);
  LLVMAddIncoming(found, &none, &from, 1);
  return found;
}

static void define_found(struct kl_lanes *l, uint32_t i, const struct joint *j, LLVMValueRef old,
                         LLVMValueRef before) {
  LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(j->atomic);
  struct kl_pack pack = kiln_lanes_new_pack(l, 1);
  pack.part[0] = kiln_atomic_result(l->e->b, op, kiln_lanes_splat(l, old), before);
  kiln_lanes_define(l, i, pack);
}

/* ---- sums of floats ---- */

/* Floats are added one after the other: another order could give a number that no order of work-items does.
 */
static LLVMValueRef add_in_turn(struct kl_lanes *l, LLVMValueRef old, LLVMValueRef all) {
  LLVMTypeRef type = LLVMTypeOf(all);
  LLVMValueRef args[] = {old, all};
  return kiln_lanes_intrinsic(l, "llvm.vector.reduce.fadd", &type, 1, args, 2);
}

/* Exchanged for what was there, again until nobody came between. */
static void emit_exchanged_sum(struct kl_lanes *l, LLVMValueRef atomic, LLVMValueRef address,
                               LLVMValueRef all) {
  struct kl_emit *e = l->e;
  LLVMTypeRef type = LLVMTypeOf(atomic),
              bits = LLVMIntTypeInContext(e->env->context, 8 * (unsigned)kiln_map_size(e->map, type));
  LLVMValueRef first = LLVMBuildLoad2(e->b, bits, address, "");
  LLVMSetAlignment(first, LLVMGetAlignment(atomic));
  LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), again = kiln_emit_new_block(e, "exchange"),
                    after = kiln_emit_new_block(e, "");
  LLVMBuildBr(e->b, again);
  LLVMPositionBuilderAtEnd(e->b, again);
  LLVMValueRef expected = LLVMBuildPhi(e->b, bits, "");
  LLVMValueRef sum = add_in_turn(l, LLVMBuildBitCast(e->b, expected, type, ""), all);
  LLVMValueRef exchange =
      LLVMBuildAtomicCmpXchg(e->b, address, expected, LLVMBuildBitCast(e->b, sum, bits, ""),
                             LLVMGetOrdering(atomic), LLVMAtomicOrderingMonotonic, false);
  LLVMSetAlignment(exchange, LLVMGetAlignment(atomic));
  LLVMValueRef found = LLVMBuildExtractValue(e->b, exchange, 0, "");
  LLVMAddIncoming(expected, &first, &from, 1);
  LLVMAddIncoming(expected, &found, &again, 1);
  LLVMBuildCondBr(e->b, LLVMBuildExtractValue(e->b, exchange, 1, ""), after, again);
  LLVMPositionBuilderAtEnd(e->b, after);
}

static void emit_sum(struct kl_lanes *l, LLVMValueRef atomic, LLVMValueRef address, LLVMValueRef all) {
  LLVMBuilderRef b = l->e->b;
  if (!kiln_atomic_is_alone(atomic)) {
    emit_exchanged_sum(l, atomic, address, all);
    return;
  }
  LLVMValueRef old = LLVMBuildLoad2(b, LLVMTypeOf(atomic), address, "");
  LLVMSetAlignment(old, LLVMGetAlignment(atomic));
  LLVMSetAlignment(LLVMBuildStore(b, add_in_turn(l, old, all), address), LLVMGetAlignment(atomic));
}

/* What lanes add or take away at once; not where none is on, whose address may be none. */
static void emit_sum_of_lanes(struct kl_lanes *l, LLVMValueRef atomic, LLVMValueRef address, LLVMValueRef x) {
  struct kl_emit *e = l->e;
  LLVMValueRef mask = kiln_lanes_mask(l),
               none = kiln_lanes_splat(l, LLVMConstReal(LLVMTypeOf(atomic), -0.0)); /* changes no sum */
  if (LLVMGetAtomicRMWBinOp(atomic) == LLVMAtomicRMWBinOpFSub) x = LLVMBuildFNeg(e->b, x, "");
  if (kiln_lanes_is_full(mask)) {
    emit_sum(l, atomic, address, x);
    return;
  }
  LLVMBasicBlockRef some = kiln_emit_new_block(e, "joint"), after = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(e->b, kiln_lanes_any(l, mask), some, after);
  LLVMPositionBuilderAtEnd(e->b, some);
  emit_sum(l, atomic, address, kiln_lanes_only(l, x, mask, none));
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

/* ---- all kinds ---- */

static bool is_sum(LLVMValueRef atomic) {
  const LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(atomic);
  return (op == LLVMAtomicRMWBinOpFAdd || op == LLVMAtomicRMWBinOpFSub) && LLVMGetFirstUse(atomic) == NULL;
}

bool kiln_atomic_joins(LLVMValueRef atomic) {
  uint16_t sub;
  if (LLVMGetTypeKind(LLVMTypeOf(atomic)) != LLVMIntegerTypeKind) return is_sum(atomic);
  return kiln_atomic_combination(LLVMGetAtomicRMWBinOp(atomic), &sub);
}

bool kiln_lanes_atomic(struct kl_lanes *l, uint32_t i) {
  const struct kl_inst *inst = &l->e->f->inst[i];
  if (inst->op != LLVMAtomicRMW || !kiln_atomic_joins(inst->v)) return false;
  uint32_t address = kl_operand(l->e->f, i, 0), value = kl_operand(l->e->f, i, 1);
  if (kiln_lanes_shape(l, address).kind != KL_UNIFORM) return false;
  if (is_sum(inst->v)) {
    emit_sum_of_lanes(l, inst->v, kiln_emit_operand(l->e, address), kiln_lanes_part(l, value, 0));
    return true;
  }
  struct joint j = {.atomic = inst->v, .mask = kiln_lanes_mask(l), .for_one = is_for_one(l, i)};
  kiln_atomic_combination(LLVMGetAtomicRMWBinOp(inst->v), &j.sub);
  LLVMValueRef neutral = kiln_lanes_neutral(l, j.sub, LLVMTypeOf(inst->v));
  j.address = kiln_emit_operand(l->e, address);
  j.all = kiln_lanes_only(l, kiln_lanes_part(l, value, 0), j.mask, neutral);
  j.total = total_of(l, value, &j);
  LLVMValueRef old = emit_joint(l, &j);
  if (LLVMGetFirstUse(inst->v) != NULL) define_found(l, i, &j, old, made_before(l, value, &j, neutral));
  return true;
}
