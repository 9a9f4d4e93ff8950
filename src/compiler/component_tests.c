/* Owns joining the comparisons of components that a chain of || or && connects; see component_tests.h. Must
 * know nothing of kernels. */
#include "compiler/component_tests.h"

#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEAST_TESTS = 4, MOST_LANES = 64, MOST_TERMS = 64 };

enum kind { NEITHER, ANY, ALL };

struct chain {
  enum kind kind;
  LLVMIntPredicate predicate;
  LLVMValueRef x, y; /* y: a vector like x, or what all components are compared with */
  uint64_t lanes;    /* that are tested */
  unsigned tests;
};

static bool is_truth(LLVMValueRef v, uint64_t value) {
  return LLVMIsAConstantInt(v) != NULL && LLVMConstIntGetZExtValue(v) == value;
}

/* What a connective connects, which may be written as a choice. */
static enum kind connective(LLVMValueRef v, LLVMValueRef *a, LLVMValueRef *b) {
  LLVMTypeRef type = LLVMTypeOf(v);
  if (LLVMIsAInstruction(v) == NULL || LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
      LLVMGetIntTypeWidth(type) != 1)
    return NEITHER;
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  if (op != LLVMSelect && op != LLVMOr && op != LLVMAnd) return NEITHER;
  *a = LLVMGetOperand(v, 0);
  *b = LLVMGetOperand(v, 1);
  if (op == LLVMOr) return ANY;
  if (op == LLVMAnd) return ALL;
  if (LLVMTypeOf(*a) != type) return NEITHER;
  if (is_truth(*b, 1)) {
    *b = LLVMGetOperand(v, 2);
    return ANY;
  }
  return is_truth(LLVMGetOperand(v, 2), 0) ? ALL : NEITHER;
}

/* ---- one test ---- */

/* The vector whose constant component v is; NULL: it is none. */
static LLVMValueRef component(LLVMValueRef v, unsigned *lane) {
  if (LLVMIsAExtractElementInst(v) == NULL) return NULL;
  LLVMValueRef index = LLVMGetOperand(v, 1), of = LLVMGetOperand(v, 0);
  if (LLVMIsAConstantInt(index) == NULL) return NULL;
  uint64_t k = LLVMConstIntGetZExtValue(index);
  *lane = (unsigned)k;
  return k < LLVMGetVectorSize(LLVMTypeOf(of)) && k < MOST_LANES ? of : NULL;
}

static bool add_test(struct chain *c, LLVMValueRef test) {
  unsigned lane, other;
  if (LLVMIsAICmpInst(test) == NULL) return false;
  LLVMValueRef a = LLVMGetOperand(test, 0), b = LLVMGetOperand(test, 1), x = component(a, &lane),
               y = component(b, &other);
  if (x == NULL) return false;
  if (y == NULL || other != lane || LLVMTypeOf(y) != LLVMTypeOf(x)) y = b;
  if (c->tests == 0) {
    c->predicate = LLVMGetICmpPredicate(test);
    c->x = x;
    c->y = y;
  }
  bool fits = c->predicate == LLVMGetICmpPredicate(test) && c->x == x && c->y == y;
  if (!fits || (c->lanes >> lane & 1) != 0) return false;
  c->lanes |= (uint64_t)1 << lane;
  c->tests++;
  return true;
}

/* ---- the chain ---- */

/* All that the connectives of one kind connect that lead to root. */
static bool find_tests(struct chain *c, LLVMValueRef root) {
  LLVMValueRef term[MOST_TERMS], a, b;
  unsigned n = 0;
  for (term[n++] = root; n > 0;) {
    LLVMValueRef v = term[--n];
    bool connects = (v == root || kiln_is_used_once(v)) && connective(v, &a, &b) == c->kind;
    if (!connects && !add_test(c, v)) return false;
    if (!connects) continue;
    if (n + 2 > MOST_TERMS) return false;
    term[n++] = a;
    term[n++] = b;
  }
  return c->tests >= LEAST_TESTS;
}

static bool is_root(LLVMValueRef v, enum kind kind) {
  LLVMValueRef a, b;
  return !kiln_is_used_once(v) || connective(LLVMGetUser(LLVMGetFirstUse(v)), &a, &b) != kind;
}

static LLVMValueRef splat(LLVMBuilderRef b, LLVMValueRef x, unsigned n) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(x)));
  LLVMValueRef one =
      LLVMBuildInsertElement(b, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(x), n)), x, LLVMConstNull(i32), "");
  return LLVMBuildShuffleVector(b, one, one, LLVMConstNull(LLVMVectorType(i32, n)), "");
}

/* A test that the chain would not have come to may be of a number that is not defined: hence the freeze. */
static LLVMValueRef build(LLVMBuilderRef b, const struct chain *c) {
  unsigned n = LLVMGetVectorSize(LLVMTypeOf(c->x));
  LLVMValueRef y = LLVMTypeOf(c->y) == LLVMTypeOf(c->x) ? c->y : splat(b, c->y, n);
  LLVMValueRef each = LLVMBuildFreeze(b, LLVMBuildICmp(b, c->predicate, c->x, y, ""), "");
  LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(c->x)), n);
  LLVMValueRef lanes = LLVMConstInt(type, c->lanes, false);
  LLVMValueRef bits = LLVMBuildAnd(b, LLVMBuildBitCast(b, each, type, ""), lanes, "");
  return c->kind == ANY ? LLVMBuildICmp(b, LLVMIntNE, bits, LLVMConstNull(type), "")
                        : LLVMBuildICmp(b, LLVMIntEQ, bits, lanes, "");
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i), left, right;
  struct chain c = {.kind = connective(i, &left, &right)};
  if (c.kind == NEITHER || !is_root(i, c.kind) || !find_tests(&c, i)) return next;
  LLVMPositionBuilderBefore(b, i);
  LLVMReplaceAllUsesWith(i, build(b, &c));
  LLVMInstructionEraseFromParent(i);
  return next;
}

void kiln_join_component_tests(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
