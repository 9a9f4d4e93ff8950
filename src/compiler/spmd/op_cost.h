/* Costs of single operations, which the estimates for lanes and for scalar code share. */
#ifndef KILN_COMPILER_SPMD_OP_COST_H
#define KILN_COMPILER_SPMD_OP_COST_H

#include "compiler/cold.h"
#include "compiler/spmd/ir.h"
#include "compiler/spmd/lanes.h"

enum {
  TURNS = 8,       /* of a loop where they are not known */
  LONG_ROW = 64,   /* where rows are long (kiln_spec.rows) */
  MOST_TURNS = 64, /* counted, lest what comes before and after such a loop seems to be nothing */
  DEEPEST = 4,
  BEGUN = 2,      /* operations on vectors that a processor begins in a turn of its own */
  REAL_TURNS = 4, /* its turns until the result of floating-point arithmetic is there */
  WINDOW = 256    /* operations that may wait at a time */
};

/* How often a block runs; turns: by loop (kiln_loop_turns_find). */
static inline double kl_weight(const struct kiln_loops *loops, const uint32_t *turns, uint32_t block) {
  double w = 1;
  unsigned depth = 0;
  for (uint32_t l = loops->of[block]; l != KL_NONE && depth < DEEPEST; l = loops->parent[l], depth++)
    w *= turns[l];
  return w;
}

static inline bool kl_is_void(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind; }

/* Turns of the processor until the result is there. Products of integers take three to ten. */
static inline uint32_t kl_turns(const struct kl_inst *inst, unsigned integer_turns) {
  LLVMTypeKind kind = LLVMGetTypeKind(kiln_type_part(LLVMTypeOf(inst->v), 0));
  bool is_real = kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
  return is_real || inst->op == LLVMMul ? REAL_TURNS : integer_turns;
}

static inline bool kl_is_cheap_division(const struct kl_inst *inst) {
  return LLVMIsConstant(LLVMGetOperand(inst->v, 1)) != 0;
}

static inline bool kl_divides_by_power(const struct kl_inst *inst) {
  LLVMValueRef by = LLVMGetOperand(inst->v, 1);
  if (LLVMIsAConstantInt(by) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(by)) > 64) return false;
  const uint64_t x = LLVMConstIntGetZExtValue(by);
  return x != 0 && (x & (x - 1)) == 0;
}

/* A division of 64 bits; LLVM has a form for lanes only of those by powers of 2. */
static inline bool kl_is_wide_division(const struct kl_inst *inst) {
  return kl_is_division(inst->op) && LLVMGetIntTypeWidth(kiln_type_part(LLVMTypeOf(inst->v), 0)) == 64 &&
         !kl_divides_by_power(inst);
}

/* Goes lane by lane. native: 32-bit elements of a register. */
static inline bool kl_is_serial(const struct kl_inst *inst, unsigned native) {
  if (inst->op == LLVMAtomicRMW || inst->op == LLVMAtomicCmpXchg || inst->op == KL_PRINTF) return true;
  if (kl_is_division(inst->op))
    return !kl_is_cheap_division(inst) &&
           !kiln_lanes_divides_as_real(kiln_type_part(LLVMTypeOf(inst->v), 0), native);
  return inst->op == LLVMCall && !kiln_lanes_has_call(inst->v);
}

static inline double kl_op_cost(const struct kl_inst *inst) {
  if (kl_is_wide_division(inst)) return 20;
  if (kl_is_division(inst->op)) return kl_is_cheap_division(inst) ? 4 : 16;
  return inst->op == LLVMPHI ? 0.2 : 1;
}

/* Of an atomic: other processors may want the memory, too. */
static inline bool kl_is_contended(const struct kl_inst *atomic) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(atomic->v, 0))) == KL_AS_GLOBAL;
}

#define SHARE 0.5 /* of the work-items, on either side of a branch that they take differently */

enum { CALL = 12, MOST_CALLED = 64 };

/* The function that the instruction calls; NULL: it calls none, or one that is not known. */
static inline LLVMValueRef kl_called(const struct kl_inst *inst) {
  return inst->op == LLVMCall ? kiln_func_resolve(LLVMGetCalledValue(inst->v)) : NULL;
}

/* Of a function that is hardly ever called, such as what sin does with large numbers. */
static inline bool kl_calls_cold(const struct kl_inst *inst) {
  LLVMValueRef fn = kl_called(inst);
  return fn != NULL && kiln_is_cold(fn);
}

/* Of what accesses an image: what it consists of, as far as that is looked at. */
static inline double kl_call_cost(const struct kl_inst *call) {
  if (kl_calls_cold(call)) return 1;
  if (!kiln_call_is_of_image(call->v)) return CALL;
  LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kiln_func_resolve(LLVMGetCalledValue(call->v)));
  unsigned n = 0;
  for (; b != NULL && n < MOST_CALLED; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL && n < MOST_CALLED;
         i = LLVMGetNextInstruction(i))
      n++;
  return n < CALL ? CALL : n;
}

/* An atomic on memory that others see keeps the processor for twenty turns and more, unless it may be
 * gathered (tally.h). */
static inline double kl_serial_cost(const struct kl_inst *inst) {
  if (inst->op == LLVMCall) return kl_call_cost(inst);
  if (inst->op != LLVMAtomicRMW && inst->op != LLVMAtomicCmpXchg) return 8;
  if (LLVMGetFirstUse(inst->v) == NULL && LLVMGetTypeKind(LLVMTypeOf(inst->v)) == LLVMIntegerTypeKind)
    return 8;
  return kl_is_contended(inst) ? 40 : 8;
}

#endif
