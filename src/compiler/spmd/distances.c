/* Comparisons by distances; see distances.h. Must not know lanes: what may differ from work-item to work-item
 * is guessed, as the comparison is the same whatever it is of. */
#include "compiler/spmd/distances.h"

#include "compiler/spmd/ir.h"
#include "compiler/spmd/loop_blocks.h"
#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>

enum {
  MOST_STEPS = 8,    /* from a value to what it comes of */
  MOST_SEEN = 32,    /* values, to tell whether one may differ */
  MOST_COUNTERS = 32 /* of a function */
};

/* Loops count how far a phi is from the base. */
struct counter {
  LLVMValueRef phi, base, count;
  LLVMTypeRef element; /* of a pointer; else NULL */
};

struct distances {
  LLVMBuilderRef b;
  LLVMTypeRef type; /* of distances: that of the integers, or 64 bits for pointers, in elements */
  LLVMTypeRef element;
  LLVMValueRef base;
  struct counter counter[MOST_COUNTERS];
  unsigned n;
};

/* ---- what may differ from work-item to work-item ---- */

static bool is_size(LLVMValueRef call) {
  uint16_t query;
  return kiln_call_classify(LLVMGetCalledValue(call), &query) == KL_QUERY && kl_is_size(query);
}

/* left: values that may still be looked at. */
static bool differs(LLVMValueRef v, unsigned *left) {
  if (LLVMIsAInstruction(v) == NULL) return false;
  if (*left == 0 || LLVMIsAPHINode(v) != NULL || LLVMIsAAllocaInst(v) != NULL) return true;
  --*left;
  if (LLVMIsACallInst(v) != NULL) return !is_size(v);
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
    if (differs(LLVMGetOperand(v, k), left)) return true;
  return false;
}

static bool may_differ(LLVMValueRef v) {
  unsigned left = MOST_SEEN;
  return differs(v, &left);
}

/* ---- what a value comes of ---- */

/* Elements beyond a pointer, within what it points into. */
static bool is_step_of_pointer(LLVMValueRef v) {
  return kiln_is_op(v, LLVMGetElementPtr) && LLVMGetNumOperands(v) == 2 && LLVMIsInBounds(v) &&
         LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind &&
         LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 1))) == LLVMIntegerTypeKind;
}

/* The operand that v is a step away from; the other one is the step. NO_OPERAND: v is no such sum. */
enum { NO_OPERAND = 2 };
static unsigned origin_of(LLVMValueRef v) {
  if (is_step_of_pointer(v)) return may_differ(LLVMGetOperand(v, 1)) ? NO_OPERAND : 0;
  if (kiln_is_op(v, LLVMSub)) return may_differ(LLVMGetOperand(v, 1)) ? NO_OPERAND : 0;
  if (!kiln_is_op(v, LLVMAdd)) return NO_OPERAND;
  for (unsigned k = 0; k < 2; k++)
    if (!may_differ(LLVMGetOperand(v, 1 - k))) return k;
  return NO_OPERAND;
}

/* v is (x + step) * by. */
struct product {
  LLVMValueRef sum, by;
};

static bool is_product(LLVMValueRef v, struct product *p) {
  for (unsigned k = 0; kiln_is_op(v, LLVMMul) && k < 2; k++) {
    *p = (struct product){LLVMGetOperand(v, k), LLVMGetOperand(v, 1 - k)};
    if (kiln_is_op(p->sum, LLVMAdd) && origin_of(p->sum) != NO_OPERAND && !may_differ(p->by)) return true;
  }
  return false;
}

/* x * by, if the code has it; else NULL. */
static LLVMValueRef smaller_product(const struct product *p) {
  LLVMValueRef x = LLVMGetOperand(p->sum, origin_of(p->sum));
  if (LLVMIsAInstruction(x) == NULL) return NULL;
  for (LLVMUseRef u = LLVMGetFirstUse(x); u != NULL; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (kiln_is_op(user, LLVMMul) && (LLVMGetOperand(user, 0) == p->by || LLVMGetOperand(user, 1) == p->by))
      return user;
  }
  return NULL;
}

static LLVMValueRef step_back(LLVMValueRef v) {
  struct product p;
  const unsigned k = origin_of(v);
  if (k != NO_OPERAND) return LLVMGetOperand(v, k);
  return is_product(v, &p) ? smaller_product(&p) : NULL;
}

static bool leads_to(LLVMValueRef v, LLVMValueRef phi) {
  for (unsigned n = 0; v != NULL && v != phi && n < MOST_STEPS; n++) v = step_back(v);
  return v == phi;
}

/* The way by which a phi gets what it goes on from, as the other way comes of itself. NO_OPERAND: neither. */
static unsigned way_in(LLVMValueRef phi) {
  if (LLVMIsAPHINode(phi) == NULL || LLVMCountIncoming(phi) != 2) return NO_OPERAND;
  for (unsigned k = 0; k < 2; k++)
    if (leads_to(LLVMGetIncomingValue(phi, 1 - k), phi)) return k;
  return NO_OPERAND;
}

static LLVMValueRef origin(LLVMValueRef v) {
  const unsigned way = way_in(v);
  return way == NO_OPERAND ? step_back(v) : LLVMGetIncomingValue(v, way);
}

/* What sums are to be like. */
struct form {
  bool exact;          /* of integers: none of them wraps */
  LLVMTypeRef element; /* of pointers: what they all step over; NULL at first */
};

static bool has_form(LLVMValueRef v, struct form *form) {
  if (LLVMIsAPHINode(v) != NULL) return true;
  struct product p;
  if (is_product(v, &p) && form->exact && !(LLVMGetNSW(p.sum) && LLVMGetNSW(smaller_product(&p))))
    return false;
  if (LLVMIsAGetElementPtrInst(v) == NULL) return !form->exact || LLVMGetNSW(v);
  if (form->element == NULL) form->element = LLVMGetGEPSourceElementType(v);
  return form->element == LLVMGetGEPSourceElementType(v);
}

/* v is so many steps from base. */
static bool comes_of(LLVMValueRef v, LLVMValueRef base, struct form *form) {
  for (unsigned n = 0; v != base; n++) {
    if (n == MOST_STEPS) return false;
    const unsigned way = way_in(v);
    LLVMValueRef from = way == NO_OPERAND ? step_back(v) : LLVMGetIncomingValue(v, way);
    if (from == NULL || !has_form(v, form)) return false;
    if (way != NO_OPERAND && !comes_of(LLVMGetIncomingValue(v, 1 - way), v, form)) return false;
    v = from;
  }
  return true;
}

/* What both come of, and differs; NULL: nothing. */
static LLVMValueRef common_base(LLVMValueRef a, LLVMValueRef c, struct form *form) {
  LLVMValueRef base = a;
  for (unsigned n = 0; base != NULL && n < MOST_STEPS; n++, base = origin(base)) {
    struct form found = *form;
    if (!comes_of(c, base, &found) || !comes_of(a, base, &found)) continue;
    *form = found;
    return may_differ(base) ? base : NULL;
  }
  return NULL;
}

/* ---- the loop ---- */

/* Work-items leave the loop of a phi, if it is one, in `block` only: else they part for other reasons, as in
 * searches, which have ways of their own (search_loop.h). */
static bool leaves_in(LLVMValueRef phi, LLVMBasicBlockRef block) {
  struct kl_loop_blocks loop;
  const unsigned way = way_in(phi);
  if (way == NO_OPERAND) return true;
  if (!kiln_loop_blocks_find(&loop, LLVMGetInstructionParent(phi), LLVMGetIncomingBlock(phi, 1 - way),
                             KL_LOOP_BLOCKS))
    return false;
  for (unsigned k = 0; k < loop.n; k++) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(loop.at[k]);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(last) && loop.at[k] != block; s++)
      if (!kiln_loop_blocks_hold(&loop, LLVMGetSuccessor(last, s))) return false;
  }
  return true;
}

/* The same of all phis between v and base. */
static bool all_leave_in(LLVMValueRef v, LLVMValueRef base, LLVMBasicBlockRef block) {
  for (; v != base; v = origin(v))
    if (!leaves_in(v, block)) return false;
  return true;
}

/* ---- distances ---- */

static LLVMValueRef distance(struct distances *d, LLVMValueRef v);

static void place_after(struct distances *d, LLVMValueRef v) {
  LLVMPositionBuilderBefore(d->b, LLVMGetNextInstruction(v));
  LLVMSetCurrentDebugLocation2(d->b, NULL);
}

static LLVMValueRef counter_of(struct distances *d, LLVMValueRef phi) {
  for (unsigned k = 0; k < d->n; k++)
    if (d->counter[k].phi == phi && d->counter[k].base == d->base &&
        LLVMTypeOf(d->counter[k].count) == d->type)
      return d->counter[k].count;
  LLVMPositionBuilderBefore(d->b, phi);
  LLVMSetCurrentDebugLocation2(d->b, NULL);
  LLVMValueRef count = LLVMBuildPhi(d->b, d->type, "");
  d->counter[d->n++] = (struct counter){phi, d->base, count, d->element};
  LLVMValueRef value[2];
  LLVMBasicBlockRef from[2];
  for (unsigned k = 0; k < 2; k++) {
    value[k] = distance(d, LLVMGetIncomingValue(phi, k));
    from[k] = LLVMGetIncomingBlock(phi, k);
  }
  LLVMAddIncoming(count, value, from, 2);
  return count;
}

/* What makes a sum of its origin. */
static LLVMValueRef step_of(struct distances *d, LLVMValueRef sum) {
  LLVMValueRef step = LLVMGetOperand(sum, 1 - origin_of(sum));
  return LLVMBuildIntCast2(d->b, step, d->type, true, "");
}

/* From the base to v, beside v. */
static LLVMValueRef distance(struct distances *d, LLVMValueRef v) {
  if (v == d->base) return LLVMConstNull(d->type);
  if (LLVMIsAPHINode(v) != NULL) return counter_of(d, v);
  LLVMValueRef to = distance(d, step_back(v));
  place_after(d, v);
  struct product p;
  if (is_product(v, &p)) {
    LLVMValueRef by = LLVMBuildIntCast2(d->b, p.by, d->type, true, "");
    return LLVMBuildAdd(d->b, to, LLVMBuildMul(d->b, step_of(d, p.sum), by, ""), "");
  }
  return kiln_is_op(v, LLVMSub) ? LLVMBuildSub(d->b, to, step_of(d, v), "")
                                : LLVMBuildAdd(d->b, to, step_of(d, v), "");
}

/* Pointers are as far from the base as is counted. */
static void replace_pointer(struct distances *d, const struct counter *c) {
  LLVMValueRef first = c->phi;
  while (LLVMIsAPHINode(first) != NULL) first = LLVMGetNextInstruction(first);
  LLVMPositionBuilderBefore(d->b, first);
  LLVMSetCurrentDebugLocation2(d->b, NULL);
  LLVMValueRef count = c->count;
  LLVMReplaceAllUsesWith(c->phi, LLVMBuildInBoundsGEP2(d->b, c->element, c->base, &count, 1, ""));
}

/* ---- comparisons ---- */

static bool is_equality(LLVMIntPredicate p) { return p == LLVMIntEQ || p == LLVMIntNE; }

/* Of distances, which have signs. */
static LLVMIntPredicate signed_like(LLVMIntPredicate p) {
  switch (p) {
  case LLVMIntULT:
    return LLVMIntSLT;
  case LLVMIntULE:
    return LLVMIntSLE;
  case LLVMIntUGT:
    return LLVMIntSGT;
  case LLVMIntUGE:
    return LLVMIntSGE;
  default:
    return p;
  }
}

/* v is x + 1, or x - 1; 0: neither. */
static int by_one(LLVMValueRef v, LLVMValueRef x) {
  if (!kiln_is_op(v, LLVMAdd) || LLVMGetOperand(v, 0) != x) return 0;
  LLVMValueRef step = LLVMIsAConstantInt(LLVMGetOperand(v, 1));
  const long long by = step == NULL ? 0 : LLVMConstIntGetSExtValue(step);
  return by == 1 || by == -1 ? (int)by : 0;
}

static bool is_less(LLVMIntPredicate p) { return p == LLVMIntULT || p == LLVMIntSLT; }
static bool is_greater(LLVMIntPredicate p) { return p == LLVMIntUGT || p == LLVMIntSGT; }

static bool compares(LLVMValueRef v, LLVMIntPredicate p, LLVMValueRef a, LLVMValueRef c) {
  return LLVMIsAICmpInst(v) != NULL && LLVMGetICmpPredicate(v) == p && LLVMGetOperand(v, 0) == a &&
         LLVMGetOperand(v, 1) == c;
}

static LLVMValueRef condition_of(LLVMBasicBlockRef block, LLVMBasicBlockRef next) {
  return kiln_condition_for(LLVMGetBasicBlockTerminator(block), next);
}

/* What holds where the way to a loop's header comes from `block`, which may be the loop's preheader. */
static LLVMValueRef guard_of(LLVMBasicBlockRef block, LLVMBasicBlockRef header) {
  LLVMValueRef condition = condition_of(block, header);
  LLVMBasicBlockRef back = kiln_only_block_before(block);
  return condition != NULL || back == NULL ? condition : condition_of(back, block);
}

/* A counter that is below its end, or above it, and goes there one by one meets it: the comparison tells
 * whether they differ. The loop is rotated: the guard before it compares what it begins with. */
static bool meets_its_end(LLVMValueRef comparison) {
  const LLVMIntPredicate p = LLVMGetICmpPredicate(comparison);
  LLVMValueRef next = LLVMGetOperand(comparison, 0), end = LLVMGetOperand(comparison, 1);
  LLVMValueRef phi = kiln_is_op(next, LLVMAdd) ? LLVMGetOperand(next, 0) : NULL;
  const unsigned way = phi == NULL ? NO_OPERAND : way_in(phi);
  if (way == NO_OPERAND || LLVMGetIncomingValue(phi, 1 - way) != next) return false;
  const int step = by_one(next, phi);
  if (!(is_less(p) && step > 0) && !(is_greater(p) && step < 0)) return false;
  LLVMBasicBlockRef header = LLVMGetInstructionParent(phi);
  LLVMValueRef guard = guard_of(LLVMGetIncomingBlock(phi, way), header);
  return guard != NULL && compares(guard, p, LLVMGetIncomingValue(phi, way), end) &&
         condition_of(LLVMGetIncomingBlock(phi, 1 - way), header) == comparison;
}

/* How the two are compared by distances. Those of integers that may wrap do so as well, and tell whether they
 * are equal; else they need twice the bits. */
enum way { NOT, AS_POINTERS, AS_THEY_ARE, AS_LONGS };
static enum way way_to_compare(LLVMValueRef v) {
  if (LLVMIsAICmpInst(v) == NULL) return NOT;
  LLVMValueRef a = LLVMGetOperand(v, 0), c = LLVMGetOperand(v, 1);
  if (LLVMIsAInstruction(a) == NULL || LLVMIsAInstruction(c) == NULL) return NOT;
  const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(a));
  if (kind != LLVMIntegerTypeKind) return kind == LLVMPointerTypeKind ? AS_POINTERS : NOT;
  const LLVMIntPredicate p = LLVMGetICmpPredicate(v);
  if (is_equality(p) || meets_its_end(v)) return AS_THEY_ARE;
  return LLVMGetIntTypeWidth(LLVMTypeOf(a)) == 32 && signed_like(p) == p ? AS_LONGS : NOT;
}

static LLVMIntPredicate predicate_of(enum way way, LLVMIntPredicate p) {
  return way == AS_THEY_ARE && !is_equality(p) ? LLVMIntNE : signed_like(p);
}

static void compare(struct distances *d, LLVMValueRef comparison) {
  const enum way way = way_to_compare(comparison);
  if (way == NOT || d->n + 2 * MOST_STEPS > MOST_COUNTERS) return;
  LLVMValueRef side[2] = {LLVMGetOperand(comparison, 0), LLVMGetOperand(comparison, 1)}, by[2];
  LLVMTypeRef type = LLVMTypeOf(side[0]);
  struct form form = {.exact = way == AS_LONGS};
  d->base = common_base(side[0], side[1], &form);
  if (d->base == NULL) return;
  for (unsigned k = 0; k < 2; k++)
    if (!all_leave_in(side[k], d->base, LLVMGetInstructionParent(comparison))) return;
  d->element = form.element;
  d->type = way == AS_THEY_ARE ? type : LLVMInt64TypeInContext(LLVMGetTypeContext(type));
  for (unsigned k = 0; k < 2; k++) by[k] = distance(d, side[k]);
  LLVMPositionBuilderBefore(d->b, comparison);
  LLVMSetCurrentDebugLocation2(d->b, LLVMInstructionGetDebugLoc(comparison));
  const LLVMIntPredicate predicate = predicate_of(way, LLVMGetICmpPredicate(comparison));
  LLVMReplaceAllUsesWith(comparison, LLVMBuildICmp(d->b, predicate, by[0], by[1], ""));
}

void kiln_spmd_compare_distances(LLVMModuleRef module) {
  struct distances d = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
    d.n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
        compare(&d, i);
    for (unsigned k = 0; k < d.n; k++)
      if (d.counter[k].element != NULL) replace_pointer(&d, &d.counter[k]);
  }
  LLVMDisposeBuilder(d.b);
}
