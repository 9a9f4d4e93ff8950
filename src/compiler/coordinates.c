/* Coordinates: integers of OpenCL vectors that scalars were put together to and that are looked at component
 * by component (`pos + (int4)(i, j, 0, 0)`, of which `x + y * width` is an index) are computed by components.
 * Lanes have them so anyhow, and see then how each changes from lane to lane.
 *
 * Must not know who looks at them. */
#include "compiler/elementwise.h"
#include "compiler/pipeline.h"
#include "compiler/spmd/ir.h"
#include "compiler/value.h"

enum {
  MOST_COMPONENTS = 4,
  MOST_NODES = 64, /* of what a vector is made of */
  MOST_OPERANDS = 3
};

static bool is_coordinate(LLVMValueRef v) {
  LLVMTypeRef type = LLVMTypeOf(v);
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) <= MOST_COMPONENTS &&
         LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind;
}

/* The numbers that an operation is done on: all of its operands, but not the function that it calls. */
static unsigned operand_count(LLVMValueRef v) {
  return LLVMIsACallInst(v) != NULL ? LLVMGetNumArgOperands(v) : (unsigned)LLVMGetNumOperands(v);
}

/* smin and the like. */
static bool is_elementwise_call(LLVMValueRef v) {
  LLVMValueRef called = LLVMIsACallInst(v) != NULL ? LLVMGetCalledValue(v) : NULL;
  const struct kiln_elementwise *how =
      called != NULL && LLVMIsAFunction(called) != NULL ? kiln_elementwise_find(called) : NULL;
  return how != NULL && how->scalars == 0 && operand_count(v) <= MOST_OPERANDS;
}

/* Done on each component for itself. */
static bool is_operation(LLVMValueRef v) {
  if (LLVMIsAInstruction(v) == NULL || !is_coordinate(v)) return false;
  const LLVMOpcode op = LLVMGetInstructionOpcode(v);
  if (LLVMIsABinaryOperator(v) != NULL) return !kl_is_division(op);
  if (op == LLVMSelect) return LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMIntegerTypeKind;
  return op == LLVMSExt || op == LLVMZExt || op == LLVMTrunc || is_elementwise_call(v);
}

static bool has_constant_index(LLVMValueRef v, unsigned operand) {
  return LLVMIsAConstantInt(LLVMGetOperand(v, operand)) != NULL;
}

/* Scalars, constants and arguments alone: no loads, which are done as a whole. */
static bool is_made_of_scalars(LLVMValueRef v, unsigned *nodes) {
  if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind) return true;
  if (LLVMIsConstant(v) || LLVMIsAArgument(v) != NULL) return true;
  if (++*nodes > MOST_NODES) return false;
  if (LLVMIsAInsertElementInst(v) != NULL)
    return has_constant_index(v, 2) && is_made_of_scalars(LLVMGetOperand(v, 0), nodes);
  if (!is_operation(v) && LLVMIsAShuffleVectorInst(v) == NULL) return false;
  for (unsigned k = 0; k < operand_count(v); k++)
    if (!is_made_of_scalars(LLVMGetOperand(v, k), nodes)) return false;
  return true;
}

/* Component k of an operand, looked for behind what put it there. */
static LLVMValueRef component(LLVMBuilderRef b, LLVMValueRef v, unsigned k) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
  if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind) return v;
  while (true) {
    if (LLVMIsAInsertElementInst(v) != NULL) {
      if (LLVMConstIntGetZExtValue(LLVMGetOperand(v, 2)) == k) return LLVMGetOperand(v, 1);
      v = LLVMGetOperand(v, 0);
    } else if (LLVMIsAShuffleVectorInst(v) != NULL) {
      const int from = LLVMGetMaskValue(v, k);
      const unsigned n = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
      if (from == LLVMGetUndefMaskElem()) return LLVMGetPoison(LLVMGetElementType(LLVMTypeOf(v)));
      v = LLVMGetOperand(v, (unsigned)from < n ? 0 : 1);
      k = (unsigned)from % n;
    } else {
      return LLVMBuildExtractElement(b, v, LLVMConstInt(i32, k, false), "");
    }
  }
}

/* Component k of an operation, before it. */
static LLVMValueRef build(LLVMBuilderRef b, LLVMValueRef v, unsigned k) {
  LLVMValueRef on[MOST_OPERANDS], made;
  LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(v));
  const LLVMOpcode op = LLVMGetInstructionOpcode(v);
  LLVMPositionBuilderBefore(b, v);
  for (unsigned o = 0; o < operand_count(v); o++) on[o] = component(b, LLVMGetOperand(v, o), k);
  if (op == LLVMCall)
    return kiln_elementwise_call(b, kiln_elementwise_find(LLVMGetCalledValue(v))->name, type, on,
                                 operand_count(v));
  if (op == LLVMSelect) return LLVMBuildSelect(b, on[0], on[1], on[2], "");
  if (LLVMIsACastInst(v)) return LLVMBuildCast(b, op, on[0], type, "");
  made = LLVMBuildBinOp(b, op, on[0], on[1], "");
  if (LLVMIsAInstruction(made) == NULL || LLVMGetInstructionOpcode(made) != op) return made; /* folded */
  if (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl) {
    LLVMSetNSW(made, LLVMGetNSW(v));
    LLVMSetNUW(made, LLVMGetNUW(v));
  }
  if (op == LLVMOr) LLVMSetIsDisjoint(made, LLVMGetIsDisjoint(v));
  return made;
}

/* The component that v's user takes out; MOST_COMPONENTS: it does something else. */
static unsigned taken_out(LLVMValueRef user) {
  if (LLVMIsAExtractElementInst(user) == NULL || !has_constant_index(user, 1)) return MOST_COMPONENTS;
  const uint64_t k = LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1));
  return k < MOST_COMPONENTS ? (unsigned)k : MOST_COMPONENTS;
}

static void take_apart(LLVMBuilderRef b, LLVMValueRef v) {
  LLVMValueRef made[MOST_COMPONENTS] = {NULL};
  unsigned nodes = 0;
  if (!is_operation(v) || !is_made_of_scalars(v, &nodes)) return;
  for (LLVMUseRef use = LLVMGetFirstUse(v), next; use != NULL; use = next) {
    LLVMValueRef user = LLVMGetUser(use);
    const unsigned k = taken_out(user);
    next = LLVMGetNextUse(use);
    if (k >= LLVMGetVectorSize(LLVMTypeOf(v))) continue;
    if (made[k] == NULL) made[k] = build(b, v, k);
    LLVMReplaceAllUsesWith(user, made[k]);
    LLVMInstructionEraseFromParent(user);
  }
  if (LLVMGetFirstUse(v) == NULL) LLVMInstructionEraseFromParent(v);
}

/* From the end on: what one is made of is looked at after it. */
bool kiln_stage_coordinates(struct kiln_unit *unit) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(unit->module));
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetLastBasicBlock(f); block != NULL;
         block = LLVMGetPreviousBasicBlock(block))
      for (LLVMValueRef i = LLVMGetLastInstruction(block), before; i != NULL; i = before) {
        before = LLVMGetPreviousInstruction(i);
        take_apart(b, i);
      }
  LLVMDisposeBuilder(b);
  return true;
}
