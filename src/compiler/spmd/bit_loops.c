/* Counting loops become one instruction; see bit_loops.h. They are of one block, which becomes straight code
 * in its place. Must not know lanes. */
#include "compiler/spmd/bit_loops.h"

#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MOST_COUNTERS = 4 };

/* What takes bits away: `next` of `bits`. */
enum step { NO_STEP, LOWEST, SHIFT };

struct counter {
  LLVMValueRef phi, next, each; /* each: a constant added every turn; NULL: the lowest bit, */
  LLVMValueRef times;           /* times this constant; NULL: once */
};

struct bit_loop {
  LLVMBasicBlockRef block, before, after;
  enum step step;
  LLVMValueRef bits, next, start;
  bool is_guarded; /* start is known not to be 0 */
  struct counter counter[MOST_COUNTERS];
  unsigned n;
};

/* ---- what values are ---- */

static bool is_in(const struct bit_loop *l, LLVMValueRef v) {
  return LLVMIsAInstruction(v) != NULL && LLVMGetInstructionParent(v) == l->block;
}

static bool is_op(const struct bit_loop *l, LLVMValueRef v, LLVMOpcode op) {
  return is_in(l, v) && LLVMGetInstructionOpcode(v) == op;
}

static bool is_number(LLVMValueRef v, int64_t x) {
  return LLVMIsAConstantInt(v) != NULL && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 &&
         LLVMConstIntGetSExtValue(v) == x;
}

static bool has_operands(LLVMValueRef v, LLVMValueRef a, int64_t b) {
  return LLVMGetOperand(v, 0) == a && is_number(LLVMGetOperand(v, 1), b);
}

/* A comparison of v with 0: 1 if it says that v is not, -1 if that it is, else 0. */
static int tells_of_zero(LLVMValueRef condition, LLVMValueRef v) {
  if (LLVMIsAICmpInst(condition) == NULL || !has_operands(condition, v, 0)) return 0;
  LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
  return p == LLVMIntNE || p == LLVMIntUGT ? 1 : p == LLVMIntEQ ? -1 : 0;
}

/* The branch goes to `to` where its condition says that v is not 0. */
static bool goes_on_bits(LLVMValueRef branch, LLVMValueRef v, LLVMBasicBlockRef to) {
  if (LLVMIsABranchInst(branch) == NULL || !LLVMIsConditional(branch)) return false;
  const int says = tells_of_zero(LLVMGetCondition(branch), v);
  if (says == 0 || LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1)) return false;
  return LLVMGetSuccessor(branch, says > 0 ? 0 : 1) == to;
}

/* ---- one loop ---- */

static enum step step_of(const struct bit_loop *l, LLVMValueRef bits, LLVMValueRef next) {
  if (is_op(l, next, LLVMLShr)) return has_operands(next, bits, 1) ? SHIFT : NO_STEP;
  if (!is_op(l, next, LLVMAnd)) return NO_STEP;
  LLVMValueRef a = LLVMGetOperand(next, 0), b = LLVMGetOperand(next, 1), less = a == bits ? b : a;
  if (a != bits && b != bits) return NO_STEP;
  if (is_op(l, less, LLVMSub)) return has_operands(less, bits, 1) ? LOWEST : NO_STEP;
  return is_op(l, less, LLVMAdd) && has_operands(less, bits, -1) ? LOWEST : NO_STEP;
}

static bool find_step(struct bit_loop *l) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(l->block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    LLVMValueRef next = kiln_phi_from(i, l->block);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(i)) > 64 ||
        (l->step = step_of(l, i, next)) == NO_STEP ||
        !goes_on_bits(LLVMGetBasicBlockTerminator(l->block), next, l->block))
      continue;
    l->bits = i;
    l->next = next;
    l->start = kiln_phi_from(i, l->before);
    l->is_guarded = goes_on_bits(LLVMGetBasicBlockTerminator(l->before), l->start, l->block);
    return true;
  }
  return false;
}

/* bits & 1, in whatever type. */
static bool is_lowest_bit(const struct bit_loop *l, LLVMValueRef v) {
  while (is_op(l, v, LLVMZExt) || (is_op(l, v, LLVMTrunc) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 1))
    v = LLVMGetOperand(v, 0);
  return is_op(l, v, LLVMAnd) && has_operands(v, l->bits, 1);
}

/* phi + number */
static LLVMValueRef added_to(const struct bit_loop *l, LLVMValueRef v, LLVMValueRef phi) {
  if (!is_op(l, v, LLVMAdd) || LLVMGetOperand(v, 0) != phi) return NULL;
  LLVMValueRef number = LLVMGetOperand(v, 1);
  return LLVMIsAConstantInt(number) != NULL ? number : NULL;
}

/* The condition of a selection is that the lowest bit is set (1), is not (-1), or something else. */
static int tells_of_bit(const struct bit_loop *l, LLVMValueRef condition) {
  if (LLVMIsAICmpInst(condition) == NULL) return 0;
  LLVMValueRef bit = LLVMGetOperand(condition, 0);
  if (!is_lowest_bit(l, bit)) return 0;
  if (is_number(LLVMGetOperand(condition, 1), 0)) return tells_of_zero(condition, bit);
  return is_number(LLVMGetOperand(condition, 1), 1) && LLVMGetICmpPredicate(condition) == LLVMIntEQ;
}

static bool is_counter(const struct bit_loop *l, LLVMValueRef phi, struct counter *out) {
  LLVMValueRef next = kiln_phi_from(phi, l->block);
  *out = (struct counter){.phi = phi, .next = next};
  if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind) return false;
  if ((out->each = added_to(l, next, phi)) != NULL) return true;
  if (l->step != SHIFT) return false;
  if (is_op(l, next, LLVMAdd)) {
    LLVMValueRef a = LLVMGetOperand(next, 0), b = LLVMGetOperand(next, 1);
    return (a == phi && is_lowest_bit(l, b)) || (b == phi && is_lowest_bit(l, a));
  }
  if (!is_op(l, next, LLVMSelect)) return false;
  const int says = tells_of_bit(l, LLVMGetOperand(next, 0));
  LLVMValueRef set = LLVMGetOperand(next, says > 0 ? 1 : 2), clear = LLVMGetOperand(next, says > 0 ? 2 : 1);
  return says != 0 && clear == phi && (out->times = added_to(l, set, phi)) != NULL;
}

static const struct counter *counter_of(const struct bit_loop *l, LLVMValueRef next) {
  for (unsigned k = 0; k < l->n; k++)
    if (l->counter[k].next == next) return &l->counter[k];
  return NULL;
}

static bool find_counters(struct bit_loop *l) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(l->block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    if (i == l->bits) continue;
    if (l->n == MOST_COUNTERS || !is_counter(l, i, &l->counter[l->n])) return false;
    l->n++;
  }
  return true;
}

/* Of a counter of turns, which has one less before the last of them: its phi. */
static bool counts_turns(const struct bit_loop *l, LLVMValueRef phi) {
  for (unsigned k = 0; k < l->n; k++)
    if (l->counter[k].phi == phi) return l->counter[k].each != NULL;
  return false;
}

static LLVMValueRef user_outside(const struct bit_loop *l, LLVMValueRef v) {
  for (LLVMUseRef use = LLVMGetFirstUse(v); use != NULL; use = LLVMGetNextUse(use))
    if (!is_in(l, LLVMGetUser(use))) return LLVMGetUser(use);
  return NULL;
}

static bool is_plain(LLVMOpcode op) {
  return op == LLVMPHI || op == LLVMAdd || op == LLVMSub || op == LLVMAnd || op == LLVMLShr ||
         op == LLVMICmp || op == LLVMSelect || op == LLVMZExt || op == LLVMTrunc;
}

/* Nothing else happens in it, and nothing else of it is wanted. */
static bool only_counts(const struct bit_loop *l) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(l->block);
  for (LLVMValueRef i = LLVMGetFirstInstruction(l->block); i != last; i = LLVMGetNextInstruction(i)) {
    if (!is_plain(LLVMGetInstructionOpcode(i))) return false;
    if (i != l->next && counter_of(l, i) == NULL && !counts_turns(l, i) && user_outside(l, i) != NULL)
      return false;
  }
  return true;
}

/* The block that is not the loop's own, of two. */
static LLVMBasicBlockRef find_before(LLVMBasicBlockRef block) {
  LLVMValueRef phi = LLVMGetFirstInstruction(block);
  if (LLVMIsAPHINode(phi) == NULL || LLVMCountIncoming(phi) != 2) return NULL;
  LLVMBasicBlockRef a = LLVMGetIncomingBlock(phi, 0), b = LLVMGetIncomingBlock(phi, 1);
  return a == block ? (b == block ? NULL : b) : b == block ? a : NULL;
}

static bool find(LLVMBasicBlockRef block, struct bit_loop *l) {
  *l = (struct bit_loop){.block = block, .before = find_before(block)};
  LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
  if (l->before == NULL || LLVMIsABranchInst(last) == NULL || !LLVMIsConditional(last)) return false;
  l->after = LLVMGetSuccessor(last, LLVMGetSuccessor(last, 0) == block);
  return find_step(l) && find_counters(l) && only_counts(l);
}

/* ---- what it counts ---- */

static LLVMValueRef call(LLVMBuilderRef b, const char *name, LLVMValueRef *args, unsigned n) {
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(module, id, &type, 1);
  return LLVMBuildCall2(b, LLVMIntrinsicGetType(LLVMGetTypeContext(type), id, &type, 1), fn, args, n, "");
}

static LLVMValueRef number(LLVMValueRef like, uint64_t x) { return LLVMConstInt(LLVMTypeOf(like), x, false); }

static LLVMValueRef count_of(const struct bit_loop *l, LLVMBuilderRef b) {
  LLVMValueRef v = l->start;
  return call(b, "llvm.ctpop", &v, 1);
}

/* The first turn is done whatever there is. */
static LLVMValueRef turns_of(const struct bit_loop *l, LLVMBuilderRef b) {
  LLVMValueRef turns,
      args[] = {l->start,
                LLVMConstInt(LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(l->start))), 0, false)};
  if (l->step == LOWEST) turns = count_of(l, b);
  else
    turns = LLVMBuildSub(b, number(l->start, LLVMGetIntTypeWidth(LLVMTypeOf(l->start))),
                         call(b, "llvm.ctlz", args, 2), "");
  if (l->is_guarded) return turns;
  LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, l->start, number(l->start, 0), "");
  return LLVMBuildAdd(b, turns, LLVMBuildZExt(b, none, LLVMTypeOf(turns), ""), "");
}

static LLVMValueRef result_of(const struct bit_loop *l, const struct counter *c, LLVMBuilderRef b) {
  LLVMValueRef n = c->each != NULL ? turns_of(l, b) : count_of(l, b);
  LLVMValueRef by = c->each != NULL ? c->each : c->times;
  n = LLVMBuildIntCast2(b, n, LLVMTypeOf(c->phi), false, "");
  if (by != NULL) n = LLVMBuildMul(b, n, by, "");
  return LLVMBuildAdd(b, kiln_phi_from(c->phi, l->before), n, "");
}

/* What the loop's phi is in its last turn, which is asked for after it. */
static void replace_last(const struct bit_loop *l, const struct counter *c, LLVMValueRef result,
                         LLVMBuilderRef b) {
  LLVMValueRef user = user_outside(l, c->phi);
  if (user == NULL) return;
  LLVMValueRef last = LLVMBuildSub(b, result, c->each, "");
  for (; user != NULL; user = user_outside(l, c->phi))
    for (unsigned k = 0, n = (unsigned)LLVMGetNumOperands(user); k < n; k++)
      if (LLVMGetOperand(user, k) == c->phi) LLVMSetOperand(user, k, last);
}

static void replace(struct bit_loop *l, LLVMBuilderRef b) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(l->block), result[MOST_COUNTERS];
  LLVMPositionBuilderBefore(b, last);
  for (unsigned k = 0; k < l->n; k++) {
    result[k] = result_of(l, &l->counter[k], b);
    replace_last(l, &l->counter[k], result[k], b);
  }
  LLVMBuildBr(b, l->after);
  for (unsigned k = 0; k < l->n; k++) LLVMReplaceAllUsesWith(l->counter[k].next, result[k]);
  LLVMReplaceAllUsesWith(l->next, number(l->next, 0));
  LLVMInstructionEraseFromParent(last);
}

/* What counted is used by nothing but itself. */
static void clear(const struct bit_loop *l) {
  LLVMValueRef next;
  for (LLVMValueRef i = LLVMGetFirstInstruction(l->block); LLVMIsAPHINode(i); i = next) {
    next = LLVMGetNextInstruction(i);
    LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
    LLVMInstructionEraseFromParent(i);
  }
}

void kiln_spmd_count_bits(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  struct bit_loop l;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      if (find(block, &l)) {
        replace(&l, b);
        clear(&l);
      }
  LLVMDisposeBuilder(b);
}
