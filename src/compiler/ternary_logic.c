/* Owns a change before code generation: trees of bitwise operations on three vectors become one instruction;
 * see ternary_logic.h. Must know nothing of kernels. */
#include "compiler/ternary_logic.h"

#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  INPUTS = 3,
  LEAST_OPERATIONS = 3, /* of two, code generation makes one instruction by itself */
  MOST_OPERATIONS = 8,
  REGISTER_BITS = 512,
  LEAST_BITS = 128,
  MOST_PARTS = 16
};

/* A function of three bits: what it is for each of their eight values, as the instruction wants it. */
static const unsigned truth_of_input[INPUTS] = {0xf0, 0xcc, 0xaa};

struct tree {
  LLVMValueRef input[INPUTS], operation[MOST_OPERATIONS];
  unsigned inputs, operations;
};

static unsigned element_bits(LLVMTypeRef type) {
  LLVMTypeRef element = LLVMGetElementType(type);
  return LLVMGetTypeKind(element) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(element) : 0;
}

/* Words that fill registers. */
static bool is_case(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return false;
  unsigned each = element_bits(type), bits = each * LLVMGetVectorSize(type);
  return (each == 32 || each == 64) && bits >= LEAST_BITS && (bits & (bits - 1)) == 0 &&
         bits <= REGISTER_BITS * MOST_PARTS;
}

static bool is_operation(LLVMValueRef v) {
  if (LLVMIsABinaryOperator(v) == NULL) return false;
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  return op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

/* ---- the tree ---- */

static unsigned find(LLVMValueRef *list, unsigned n, LLVMValueRef v) {
  unsigned k = 0;
  while (k < n && list[k] != v) k++;
  return k;
}

static bool is_ones(LLVMValueRef v) { return LLVMIsConstant(v) && LLVMConstAllOnes(LLVMTypeOf(v)) == v; }

/* Operations that only lead to the root, from it on; with all they take, or false if that is more than three
 * vectors. */
static bool grow(struct tree *t, LLVMValueRef v) {
  if (t->operations == MOST_OPERATIONS) return false;
  t->operation[t->operations++] = v;
  for (unsigned k = 0; k < 2; k++) {
    LLVMValueRef x = LLVMGetOperand(v, k);
    if (is_operation(x) && kiln_is_used_once(x)) {
      if (!grow(t, x)) return false;
    } else if (!is_ones(x) && find(t->input, t->inputs, x) == t->inputs) {
      if (t->inputs == INPUTS) return false;
      t->input[t->inputs++] = x;
    }
  }
  return true;
}

static unsigned truth_of(struct tree *t, LLVMValueRef v) {
  if (is_ones(v)) return 0xff;
  if (find(t->operation, t->operations, v) == t->operations)
    return truth_of_input[find(t->input, t->inputs, v)];
  unsigned a = truth_of(t, LLVMGetOperand(v, 0)), b = truth_of(t, LLVMGetOperand(v, 1));
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  return op == LLVMAnd ? a & b : op == LLVMOr ? a | b : a ^ b;
}

/* Negations cost nothing. */
static unsigned count_operations(const struct tree *t) {
  unsigned n = 0;
  for (unsigned k = 0; k < t->operations; k++)
    n += !is_ones(LLVMGetOperand(t->operation[k], 0)) && !is_ones(LLVMGetOperand(t->operation[k], 1));
  return n;
}

/* ---- the instruction ---- */

static LLVMValueRef call(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef *args, unsigned truth) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  char name[64];
  snprintf(name, sizeof name, "llvm.x86.avx512.pternlog.%c.%u", element_bits(type) == 32 ? 'd' : 'q',
           element_bits(type) * LLVMGetVectorSize(type));
  LLVMValueRef fn = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
  LLVMValueRef all[] = {args[0], args[1], args[2], LLVMConstInt(i32, truth, false)};
  return LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, all, INPUTS + 1, "");
}

/* By registers. */
static LLVMValueRef build(LLVMBuilderRef b, LLVMModuleRef module, const struct tree *t, unsigned truth) {
  LLVMTypeRef type = LLVMTypeOf(t->input[0]);
  unsigned lanes = LLVMGetVectorSize(type), each = REGISTER_BITS / element_bits(type);
  LLVMValueRef args[INPUTS], made[MOST_PARTS];
  for (unsigned k = 0; k < INPUTS; k++) args[k] = t->input[k < t->inputs ? k : 0];
  if (lanes <= each) return call(b, module, args, truth);
  unsigned parts = lanes / each;
  for (unsigned p = 0; p < parts; p++) {
    LLVMValueRef part[INPUTS];
    for (unsigned k = 0; k < INPUTS; k++)
      part[k] = kiln_pick(b, args[k], LLVMGetPoison(type), p * each, each);
    made[p] = call(b, module, part, truth);
  }
  for (; parts > 1; parts /= 2, each *= 2)
    for (unsigned p = 0; p < parts / 2; p++)
      made[p] = kiln_pick(b, made[2 * p], made[2 * p + 1], 0, 2 * each);
  return made[0];
}

static bool is_inner(LLVMValueRef v) {
  return kiln_is_used_once(v) && is_operation(LLVMGetUser(LLVMGetFirstUse(v)));
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  struct tree t = {.inputs = 0};
  if (!is_operation(i) || !is_case(LLVMTypeOf(i)) || !grow(&t, i) || count_operations(&t) < LEAST_OPERATIONS)
    return next;
  struct tree larger = {.inputs = 0}; /* the one around it, if that fits as well, comes later */
  if (is_inner(i) && grow(&larger, LLVMGetUser(LLVMGetFirstUse(i)))) return next;
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
  LLVMPositionBuilderBefore(b, i);
  LLVMReplaceAllUsesWith(i, build(b, module, &t, truth_of(&t, i)));
  for (unsigned k = 0; k < t.operations; k++) LLVMInstructionEraseFromParent(t.operation[k]);
  return next;
}

void kiln_join_ternary_logic(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
