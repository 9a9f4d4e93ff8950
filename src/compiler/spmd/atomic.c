/* Atomic instructions of one work-item. Scopes go: threads of one process are all that can look. */
#include "compiler/spmd/combine.h"
#include "compiler/spmd/emit.h"
#include "compiler/spmd/tally.h"

enum { LOCAL_SPACE = 3 };

/* The combination (combine.h) of what was there and the operand; taking away adds up first. */
bool kiln_atomic_combination(LLVMAtomicRMWBinOp op, uint16_t *sub_out) {
  enum kl_combine combine;
  bool is_unsigned = op == LLVMAtomicRMWBinOpUMax || op == LLVMAtomicRMWBinOpUMin;
  if (op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub) combine = KL_ADD;
  else if (op == LLVMAtomicRMWBinOpAnd) combine = KL_AND;
  else if (op == LLVMAtomicRMWBinOpOr) combine = KL_OR;
  else if (op == LLVMAtomicRMWBinOpXor) combine = KL_XOR;
  else if (op == LLVMAtomicRMWBinOpMax || op == LLVMAtomicRMWBinOpUMax) combine = KL_MAX;
  else if (op == LLVMAtomicRMWBinOpMin || op == LLVMAtomicRMWBinOpUMin) combine = KL_MIN;
  else return false;
  *sub_out = (uint16_t)(KL_REDUCE | combine << KL_COMBINE_SHIFT | (is_unsigned ? KL_COMBINE_UNSIGNED : 0));
  return true;
}

LLVMValueRef kiln_atomic_result(LLVMBuilderRef b, LLVMAtomicRMWBinOp op, LLVMValueRef old,
                                LLVMValueRef operand) {
  uint16_t sub;
  if (op == LLVMAtomicRMWBinOpXchg) return operand;
  if (op == LLVMAtomicRMWBinOpSub) return LLVMBuildSub(b, old, operand, "");
  if (op == LLVMAtomicRMWBinOpFAdd) return LLVMBuildFAdd(b, old, operand, "");
  if (op == LLVMAtomicRMWBinOpFSub) return LLVMBuildFSub(b, old, operand, "");
  return kiln_atomic_combination(op, &sub) ? kiln_combine_build(b, sub, old, operand) : NULL;
}

bool kiln_atomic_is_alone(LLVMValueRef atomic) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(atomic, 0))) == LOCAL_SPACE;
}

static LLVMValueRef load(struct kl_emit *e, LLVMValueRef atomic, LLVMTypeRef type, LLVMValueRef address) {
  LLVMValueRef made = LLVMBuildLoad2(e->b, type, address, "");
  LLVMSetAlignment(made, LLVMGetAlignment(atomic));
  return made;
}

static void store(struct kl_emit *e, LLVMValueRef atomic, LLVMValueRef value, LLVMValueRef address) {
  LLVMSetAlignment(LLVMBuildStore(e->b, value, address), LLVMGetAlignment(atomic));
}

static LLVMValueRef plain_rmw(struct kl_emit *e, LLVMValueRef atomic, LLVMValueRef address,
                              LLVMValueRef value) {
  LLVMValueRef old = load(e, atomic, LLVMTypeOf(value), address);
  LLVMValueRef new = kiln_atomic_result(e->b, LLVMGetAtomicRMWBinOp(atomic), old, value);
  if (new != NULL) store(e, atomic, new, address);
  return new != NULL ? old : NULL;
}

static LLVMValueRef plain_exchange(struct kl_emit *e, LLVMValueRef atomic, LLVMValueRef address,
                                   LLVMValueRef expected, LLVMValueRef value) {
  LLVMValueRef old = load(e, atomic, LLVMTypeOf(value), address);
  LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, old, expected, "");
  store(e, atomic, LLVMBuildSelect(e->b, same, value, old, ""), address);
  LLVMValueRef pair = LLVMGetPoison(kiln_map_type(e->map, LLVMTypeOf(atomic)));
  pair = LLVMBuildInsertValue(e->b, pair, old, 0, "");
  return LLVMBuildInsertValue(e->b, pair, same, 1, "");
}

static LLVMValueRef copy_flags(LLVMValueRef atomic, LLVMValueRef made) {
  LLVMSetAlignment(made, LLVMGetAlignment(atomic));
  LLVMSetVolatile(made, LLVMGetVolatile(atomic));
  return made;
}

bool kiln_atomic_may_rest(LLVMValueRef atomic) {
  static const LLVMAtomicRMWBinOp ops[] = {LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpUMax,
                                           LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpUMin,
                                           LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpOr};
  if (LLVMGetOrdering(atomic) != LLVMAtomicOrderingMonotonic || LLVMGetVolatile(atomic)) return false;
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (LLVMGetAtomicRMWBinOp(atomic) == ops[i]) return true;
  return false;
}

/* Most values change nothing once some have come, and to see that takes no line from other processors. */
static LLVMValueRef rmw_if_changed(struct kl_emit *e, LLVMValueRef atomic, LLVMValueRef address,
                                   LLVMValueRef value) {
  const LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(atomic);
  LLVMBasicBlockRef change = kiln_emit_new_block(e, ""), done = kiln_emit_new_block(e, "");
  LLVMValueRef seen = copy_flags(atomic, LLVMBuildLoad2(e->b, LLVMTypeOf(value), address, ""));
  LLVMSetOrdering(seen, LLVMGetOrdering(atomic));
  LLVMValueRef after = kiln_atomic_result(e->b, op, seen, value);
  LLVMBasicBlockRef from[] = {LLVMGetInsertBlock(e->b), change};
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, after, seen, ""), done, change);
  LLVMPositionBuilderAtEnd(e->b, change);
  LLVMValueRef made =
      copy_flags(atomic, LLVMBuildAtomicRMW(e->b, op, address, value, LLVMGetOrdering(atomic), false));
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, done);
  LLVMValueRef old = LLVMBuildPhi(e->b, LLVMTypeOf(value), ""), either[] = {seen, made};
  LLVMAddIncoming(old, either, from, 2);
  return old;
}

LLVMValueRef kiln_emit_rmw(struct kl_emit *e, LLVMValueRef atomic, LLVMValueRef address, LLVMValueRef value) {
  LLVMValueRef old = kiln_atomic_is_alone(atomic) ? plain_rmw(e, atomic, address, value) : NULL;
  if (old != NULL) return old;
  if (kiln_atomic_may_rest(atomic)) return rmw_if_changed(e, atomic, address, value);
  if (kiln_tally_add(e, atomic, address, value)) return LLVMGetPoison(LLVMTypeOf(value));
  const LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(atomic);
  return copy_flags(atomic, LLVMBuildAtomicRMW(e->b, op, address, value, LLVMGetOrdering(atomic), false));
}

static LLVMValueRef exchange(struct kl_emit *e, LLVMValueRef atomic, LLVMValueRef address,
                             LLVMValueRef expected, LLVMValueRef value) {
  if (kiln_atomic_is_alone(atomic)) return plain_exchange(e, atomic, address, expected, value);
  LLVMValueRef made =
      LLVMBuildAtomicCmpXchg(e->b, address, expected, value, LLVMGetCmpXchgSuccessOrdering(atomic),
                             LLVMGetCmpXchgFailureOrdering(atomic), false);
  LLVMSetWeak(made, LLVMGetWeak(atomic));
  return copy_flags(atomic, made);
}

void kiln_emit_atomic(struct kl_emit *e, uint32_t i) {
  LLVMValueRef atomic = e->f->inst[i].v, operand[3];
  for (uint32_t k = 0; k < e->f->inst[i].nops && k < 3; k++)
    operand[k] = kiln_emit_operand(e, kl_operand(e->f, i, k));
  kiln_emit_define(e, i,
                   e->f->inst[i].op == LLVMAtomicRMW
                       ? kiln_emit_rmw(e, atomic, operand[0], operand[1])
                       : exchange(e, atomic, operand[0], operand[1], operand[2]));
}
