/* Atomic sums in place of loops; see exchange_loops.h. */
#include "compiler/spmd/exchange_loops.h"

#include "compiler/spmd/loop_blocks.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

enum { MOST_OPERANDS = 64 }; /* looked at within the loop for what is added */

/* What is found in a block that follows itself until the exchange is done. */
struct loop {
  LLVMBasicBlockRef block, exit;
  LLVMValueRef exchange, /* the cmpxchg */
      old,               /* what it has found there */
      expected,          /* a phi, or read from there in the loop: by `reading` */
      reading,           /* a load or an atomic that changes nothing; NULL: expected is a phi */
      sum,               /* an fadd or fsub */
      added;             /* what is added */
};

static bool is_within(const struct loop *loop, LLVMValueRef v) {
  return LLVMIsAInstruction(v) != NULL && LLVMGetInstructionParent(v) == loop->block;
}

/* The same bits as another type. */
static LLVMValueRef bits_of(LLVMValueRef v) {
  while (LLVMIsABitCastInst(v)) v = LLVMGetOperand(v, 0);
  return v;
}

/* ---- the end of the loop ---- */

static bool has_fields_only(LLVMValueRef exchange) {
  for (LLVMUseRef use = LLVMGetFirstUse(exchange); use != NULL; use = LLVMGetNextUse(use))
    if (LLVMIsAExtractValueInst(LLVMGetUser(use)) == NULL) return false;
  return true;
}

static LLVMValueRef field(LLVMValueRef exchange, unsigned k) {
  for (LLVMUseRef use = LLVMGetFirstUse(exchange); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef v = LLVMGetUser(use);
    if (LLVMIsAExtractValueInst(v) && LLVMGetIndices(v)[0] == k) return v;
  }
  return NULL;
}

/* Whether v says that the exchange was done, or (negated) that it was not. */
static bool is_success(const struct loop *loop, LLVMValueRef v, bool negated) {
  if (LLVMIsAExtractValueInst(v))
    return !negated && LLVMGetOperand(v, 0) == loop->exchange && LLVMGetIndices(v)[0] == 1;
  if (LLVMIsAICmpInst(v) == NULL) return false;
  const LLVMIntPredicate is = LLVMGetICmpPredicate(v);
  LLVMValueRef x = bits_of(LLVMGetOperand(v, 0)), y = bits_of(LLVMGetOperand(v, 1));
  const LLVMValueRef expected = bits_of(loop->expected);
  return is == (negated ? LLVMIntNE : LLVMIntEQ) && loop->old != NULL &&
         ((x == loop->old && y == expected) || (y == loop->old && x == expected));
}

/* The block comes again where the exchange was not done, and only there. */
static bool ends_with_success(struct loop *loop) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(loop->block);
  if (LLVMIsABranchInst(end) == NULL || !LLVMIsConditional(end)) return false;
  const bool again_if = LLVMGetSuccessor(end, 0) == loop->block;
  loop->exit = LLVMGetSuccessor(end, again_if ? 1 : 0);
  return loop->exit != loop->block && LLVMGetSuccessor(end, again_if ? 0 : 1) == loop->block &&
         is_success(loop, LLVMGetCondition(end), again_if);
}

/* ---- what is expected ---- */

/* Read anew in each turn, or what the turn before has found. */
static bool find_expected(struct loop *loop) {
  LLVMValueRef v = loop->expected = bits_of(LLVMGetOperand(loop->exchange, 1));
  if (!is_within(loop, v)) return false;
  if (LLVMIsAPHINode(v)) {
    LLVMValueRef again = kiln_phi_from(v, loop->block);
    return again != NULL && loop->old != NULL && bits_of(again) == loop->old;
  }
  loop->reading = v;
  return (LLVMIsALoadInst(v) || kiln_is_atomic_reading(v)) &&
         LLVMGetOperand(v, 0) == LLVMGetOperand(loop->exchange, 0);
}

/* ---- what is added ---- */

/* Is made of what the address holds, or of too much to say. Nothing else in the loop changes (is_alone). */
static bool changes(const struct loop *loop, LLVMValueRef v, unsigned *left) {
  if (!is_within(loop, v)) return false;
  if (v == loop->expected || v == loop->reading || v == loop->exchange || *left == 0) return true;
  --*left;
  for (int k = 0; k < LLVMGetNumOperands(v); k++)
    if (changes(loop, LLVMGetOperand(v, (unsigned)k), left)) return true;
  return false;
}

static bool find_sum(struct loop *loop) {
  LLVMValueRef sum = loop->sum = bits_of(LLVMGetOperand(loop->exchange, 2));
  if (!is_within(loop, sum) || LLVMIsABinaryOperator(sum) == NULL) return false;
  const LLVMOpcode op = LLVMGetInstructionOpcode(sum);
  LLVMValueRef x = LLVMGetOperand(sum, 0), y = LLVMGetOperand(sum, 1);
  if (op == LLVMFAdd && bits_of(y) == loop->expected) loop->added = x;
  else if ((op == LLVMFAdd || op == LLVMFSub) && bits_of(x) == loop->expected) loop->added = y;
  else return false;
  return LLVMGetTypeKind(LLVMTypeOf(sum)) != LLVMVectorTypeKind;
}

static bool adds_the_same(const struct loop *loop) {
  unsigned left = MOST_OPERANDS;
  return !changes(loop, loop->added, &left);
}

/* ---- the whole block ---- */

static bool is_used_outside(const struct loop *loop, LLVMValueRef v) {
  for (LLVMUseRef use = LLVMGetFirstUse(v); use != NULL; use = LLVMGetNextUse(use))
    if (LLVMGetInstructionParent(LLVMGetUser(use)) != loop->block) return true;
  return false;
}

static bool has_effect(LLVMValueRef v) {
  return LLVMIsAStoreInst(v) || LLVMIsACallInst(v) || LLVMIsAAtomicRMWInst(v) || LLVMIsAFenceInst(v) ||
         LLVMIsAAtomicCmpXchgInst(v) || (LLVMIsALoadInst(v) && !kiln_is_ordinary(v));
}

/* Nothing else is done in the loop, nor taken out of it. */
static bool is_alone(const struct loop *loop) {
  for (LLVMValueRef v = LLVMGetFirstInstruction(loop->block); v != NULL; v = LLVMGetNextInstruction(v)) {
    if (v == loop->exchange || v == loop->reading) continue;
    if (LLVMIsAPHINode(v) && v != loop->expected) return false;
    if (has_effect(v)) return false;
    if (v != loop->old && v != loop->expected && is_used_outside(loop, v)) return false;
  }
  return true;
}

static bool find(struct loop *loop, LLVMValueRef exchange) {
  *loop = (struct loop){
      .exchange = exchange, .block = LLVMGetInstructionParent(exchange), .old = field(exchange, 0)};
  return has_fields_only(exchange) && find_expected(loop) && ends_with_success(loop) && is_alone(loop) &&
         find_sum(loop) && adds_the_same(loop);
}

/* ---- the atomic ---- */

/* Behind what is added. */
static void position(LLVMBuilderRef b, const struct loop *loop) {
  LLVMValueRef at = is_within(loop, loop->added) ? LLVMGetNextInstruction(loop->added)
                                                 : LLVMGetFirstInstruction(loop->block);
  while (LLVMIsAPHINode(at)) at = LLVMGetNextInstruction(at);
  LLVMPositionBuilderBefore(b, at);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(loop->exchange));
}

static LLVMAtomicRMWBinOp operation(const struct loop *loop) {
  const bool adds = LLVMGetInstructionOpcode(loop->sum) == LLVMFAdd;
  return adds ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpFSub;
}

static LLVMValueRef build_atomic(LLVMBuilderRef b, const struct loop *loop) {
  LLVMValueRef exchange = loop->exchange, made;
  made = LLVMBuildAtomicRMW(b, operation(loop), LLVMGetOperand(exchange, 0), loop->added,
                            LLVMGetCmpXchgSuccessOrdering(exchange), false);
  LLVMSetAlignment(made, LLVMGetAlignment(exchange));
  LLVMSetVolatile(made, LLVMGetVolatile(exchange));
  return made;
}

/* All that the exchange has told is told by what the atomic has found. */
static void replace_fields(LLVMBuilderRef b, const struct loop *loop, LLVMValueRef found) {
  for (LLVMUseRef use; (use = LLVMGetFirstUse(loop->exchange)) != NULL;) {
    LLVMValueRef field = LLVMGetUser(use);
    LLVMTypeRef type = LLVMTypeOf(field);
    LLVMReplaceAllUsesWith(field, LLVMGetIndices(field)[0] == 0 ? LLVMBuildBitCast(b, found, type, "")
                                                                : LLVMConstAllOnes(type));
    LLVMInstructionEraseFromParent(field);
  }
}

/* The exchange, and values that led to it and nowhere else; uses come after what they use. */
static void erase_unused(const struct loop *loop) {
  for (LLVMValueRef v = LLVMGetLastInstruction(loop->block), previous; v != NULL; v = previous) {
    previous = LLVMGetPreviousInstruction(v);
    if (LLVMGetFirstUse(v) == NULL && LLVMIsATerminatorInst(v) == NULL &&
        (!has_effect(v) || v == loop->exchange || v == loop->reading))
      LLVMInstructionEraseFromParent(v);
  }
}

static void lead_to(LLVMBuilderRef b, const struct loop *loop, LLVMBasicBlockRef to) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(loop->block);
  LLVMPositionBuilderBefore(b, end);
  LLVMBuildBr(b, to);
  LLVMInstructionEraseFromParent(end);
}

/* What was read before the loop is of no more use. */
static void drop_reading(LLVMValueRef v, LLVMValueRef address) {
  while (LLVMIsAInstruction(v) != NULL && LLVMGetFirstUse(v) == NULL) {
    const bool is_load = LLVMIsALoadInst(v) != NULL && LLVMGetOperand(v, 0) == address;
    if (!is_load && !LLVMIsABitCastInst(v)) return;
    LLVMValueRef from = LLVMGetOperand(v, 0);
    LLVMInstructionEraseFromParent(v);
    if (is_load) return;
    v = from;
  }
}

/* What a phi of the loop is in the first turn; NULL where there are several. */
static LLVMValueRef first_of(const struct loop *loop) {
  if (loop->reading != NULL || LLVMCountIncoming(loop->expected) != 2) return NULL;
  return LLVMGetIncomingValue(loop->expected, LLVMGetIncomingBlock(loop->expected, 0) == loop->block);
}

static LLVMValueRef join(LLVMBuilderRef b, const struct loop *loop) {
  LLVMValueRef address = LLVMGetOperand(loop->exchange, 0), first = first_of(loop);
  position(b, loop);
  LLVMValueRef atomic = build_atomic(b, loop);
  LLVMReplaceAllUsesWith(loop->expected, LLVMBuildBitCast(b, atomic, LLVMTypeOf(loop->expected), ""));
  replace_fields(b, loop, atomic);
  lead_to(b, loop, loop->exit);
  erase_unused(loop);
  if (first != NULL) drop_reading(first, address);
  return atomic;
}

/* ---- attempts before the loop ---- */

enum { MOST_EMPTY = 8 }; /* blocks in a row */

static bool is_empty(LLVMBasicBlockRef block) {
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  return LLVMIsABranchInst(first) != NULL && !LLVMIsConditional(first);
}

/* Where the way leads that begins here. */
static LLVMBasicBlockRef target(LLVMBasicBlockRef block) {
  for (unsigned n = 0; n < MOST_EMPTY && is_empty(block); n++)
    block = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0);
  return block;
}

/* Nothing is left to do behind it but to ask whether it was done. */
static LLVMValueRef last_exchange(LLVMBasicBlockRef block) {
  LLVMValueRef v = LLVMGetPreviousInstruction(LLVMGetBasicBlockTerminator(block));
  while (v != NULL && (LLVMIsAExtractValueInst(v) || LLVMIsABitCastInst(v) || LLVMIsAICmpInst(v)))
    v = LLVMGetPreviousInstruction(v);
  return v != NULL && LLVMIsAAtomicCmpXchgInst(v) ? v : NULL;
}

static bool are_used_within(const struct loop *loop) {
  for (LLVMUseRef use = LLVMGetFirstUse(loop->exchange); use != NULL; use = LLVMGetNextUse(use))
    if (!is_within(loop, LLVMGetUser(use)) || is_used_outside(loop, LLVMGetUser(use))) return false;
  return true;
}

/* An exchange that would do what the atomic does, which is come to only where it failed. Whatever it expects:
 * where something else lies there, it does nothing. */
static bool find_attempt(struct loop *attempt, const struct loop *loop, LLVMBasicBlockRef next,
                         LLVMValueRef atomic) {
  LLVMBasicBlockRef block = kiln_only_block_before(next), exit = target(loop->exit);
  LLVMValueRef exchange = block != NULL ? last_exchange(block) : NULL;
  if (exchange == NULL || LLVMIsAPHINode(LLVMGetFirstInstruction(exit))) return false;
  *attempt = (struct loop){.block = block,
                           .exchange = exchange,
                           .old = field(exchange, 0),
                           .expected = bits_of(LLVMGetOperand(exchange, 1))};
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  if (LLVMIsABranchInst(end) == NULL || !LLVMIsConditional(end)) return false;
  const bool fails_first = LLVMGetSuccessor(end, 0) == next;
  return target(LLVMGetSuccessor(end, fails_first ? 1 : 0)) == exit && has_fields_only(exchange) &&
         is_success(attempt, LLVMGetCondition(end), fails_first) && are_used_within(attempt) &&
         find_sum(attempt) && attempt->added == LLVMGetOperand(atomic, 1) &&
         LLVMGetAtomicRMWBinOp(atomic) == operation(attempt) &&
         LLVMGetOperand(exchange, 0) == LLVMGetOperand(atomic, 0) &&
         LLVMGetCmpXchgSuccessOrdering(exchange) == LLVMGetOrdering(atomic);
}

/* Programs try a few times before they begin the loop. */
static void drop_attempts(LLVMBuilderRef b, const struct loop *loop, LLVMValueRef atomic) {
  struct loop attempt;
  LLVMBasicBlockRef next = loop->block, back;
  if (LLVMGetFirstInstruction(next) != atomic) return;
  do {
    for (unsigned n = 0; n < MOST_EMPTY && (back = kiln_only_block_before(next)) != NULL && is_empty(back);
         n++)
      next = back;
    if (!find_attempt(&attempt, loop, next, atomic)) return;
    lead_to(b, &attempt, next);
    erase_unused(&attempt);
    next = attempt.block;
  } while (is_empty(next));
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  struct loop loop;
  if (LLVMIsAAtomicCmpXchgInst(i) == NULL || !find(&loop, i)) return LLVMGetNextInstruction(i);
  drop_attempts(b, &loop, join(b, &loop));
  return LLVMGetBasicBlockTerminator(loop.block);
}

void kiln_spmd_join_exchanges(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
