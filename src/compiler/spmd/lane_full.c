/* Which code under a mask is there twice: for all lanes on, as in the middle of an image, below the size that
 * a kernel is told, or but for the last turn of a loop in steps of the global size, and for some of them
 * (compiler.md 2.3 step 9). */
#include "compiler/spmd/lanes.h"
#include "compiler/spmd/stream.h"

enum {
  MOST_INSTRUCTIONS = 64, /* of what is copied */
  MOST_REGISTERS = 192,   /* written by the copies of a function */
  MOST_MOVED = 32         /* computed before a copy rather than in it */
};

/* Where masks have no registers of their own, each row that is accessed under one takes longer. Where they
 * have, only lines of memory that are written whole do not need the old ones. */
static bool gains(const struct kl_lanes *l, uint32_t i) {
  const struct kl_inst *inst = &l->e->f->inst[i];
  if (inst->op != LLVMStore && inst->op != LLVMLoad) return false;
  uint32_t pointer = kl_pointer_of(l->e->f, i);
  struct kl_shape shape = kiln_shape_checked_at(l->shapes, l->e->f, pointer, inst->bb);
  if (shape.kind != KL_STRIDED || l->shapes->unit[pointer] != 0) return false;
  return l->e->program->native < 16 || (inst->op == LLVMStore && kiln_stream_is(l->e, pointer));
}

/* The end, in the order of nodes, of what belongs to `node`: what is reached by way of it only, or the turn
 * of a loop that lanes leave one by one, of which it is the header. 0: neither, or all lanes are on as it is.
 */
static uint32_t end_of(const struct kl_flow *flow, uint32_t node) {
  const struct kl_node *top = &flow->node[node];
  if (top->owner != node) return 0;
  if (top->guard) return top->past;
  uint32_t loop = node < flow->nblock ? flow->loops.of[node] : KL_NONE;
  if (loop == KL_NONE || flow->loops.header[loop] != node || !flow->loop_diverges[loop]) return 0;
  uint32_t end = flow->node[flow->loop_latch[loop]].place;
  for (uint32_t n = 0; n < flow->nblock; n++)
    if (kiln_loops_contain(&flow->loops, loop, n) !=
        (flow->node[n].place >= top->place && flow->node[n].place < end))
      return 0;
  return end;
}

uint32_t kiln_lanes_full_copy(struct kl_lanes *l, uint32_t node) {
  const struct kl_flow *flow = l->flow;
  unsigned native = l->e->program->native,
           registers = native > 0 && l->width > native ? l->width / native : 1;
  uint32_t size = 0, gained = 0, end = l->seldom || l->parted ? 0 : end_of(flow, node);
  for (uint32_t i = flow->node[node].place; i < end; i++) {
    uint32_t n = flow->order[i];
    if (n >= flow->nblock) continue;
    const struct kl_block *b = &l->e->f->block[l->block[n]];
    size += b->n;
    if (size > MOST_INSTRUCTIONS) return 0;
    for (uint32_t v = b->first; flow->node[n].owner == node && v < b->first + b->n; v++)
      gained += gains(l, v);
  }
  if (gained == 0 || l->copied + size * registers > MOST_REGISTERS) return 0;
  l->copied += size * registers;
  return end;
}

/* ---- what the copy for all lanes on may count on ---- */

static bool is_part(const struct kl_full *full, LLVMBasicBlockRef block) {
  for (uint32_t i = 0; i < full->ncode; i++)
    if (full->code[i] == block) return true;
  for (LLVMBasicBlockRef b = LLVMGetNextBasicBlock(full->since); b != NULL; b = LLVMGetNextBasicBlock(b))
    if (b == block) return true;
  return false;
}

/* Without effects, and defined for whatever it is given. */
static bool is_plain(LLVMValueRef v) {
  if (LLVMIsABinaryOperator(v) != NULL) return !kl_is_division(LLVMGetInstructionOpcode(v));
  return LLVMIsAICmpInst(v) != NULL || LLVMIsASelectInst(v) != NULL || LLVMIsACastInst(v) != NULL;
}

/* A variable of a phi, as it is where the copy begins. */
static bool is_as_found(const struct kl_full *full, LLVMValueRef v) {
  if (LLVMIsALoadInst(v) == NULL || LLVMGetInstructionParent(v) != full->code[0]) return false;
  LLVMValueRef variable = LLVMGetOperand(v, 0);
  if (LLVMIsAAllocaInst(variable) == NULL || LLVMGetVolatile(v)) return false;
  for (LLVMValueRef i = LLVMGetPreviousInstruction(v); i != NULL; i = LLVMGetPreviousInstruction(i)) {
    LLVMValueRef to = LLVMIsAStoreInst(i) != NULL ? LLVMGetOperand(i, 1) : NULL;
    if (LLVMIsACallInst(i) != NULL || (to != NULL && (to == variable || LLVMIsAAllocaInst(to) == NULL)))
      return false;
  }
  return true;
}

/* left: values that may still be looked at */
static bool is_known_before(const struct kl_full *full, LLVMValueRef v, unsigned *left) {
  if (LLVMIsAInstruction(v) == NULL || !is_part(full, LLVMGetInstructionParent(v))) return true;
  if (!is_plain(v) && !is_as_found(full, v)) return false;
  if ((*left)-- == 0) return false;
  for (int k = 0; k < LLVMGetNumOperands(v); k++)
    if (!is_known_before(full, LLVMGetOperand(v, (unsigned)k), left)) return false;
  return true;
}

/* At the builder's position, which is before the copy. */
static void move_before(const struct kl_full *full, LLVMBuilderRef b, LLVMValueRef v) {
  if (LLVMIsAInstruction(v) == NULL || !is_part(full, LLVMGetInstructionParent(v))) return;
  for (int k = 0; k < LLVMGetNumOperands(v); k++) move_before(full, b, LLVMGetOperand(v, (unsigned)k));
  LLVMInstructionRemoveFromParent(v);
  LLVMInsertIntoBuilder(b, v);
}

bool kiln_lanes_full_demand(struct kl_lanes *l, LLVMValueRef condition) {
  const struct kl_full *full = l->full;
  LLVMBuilderRef b = l->e->b;
  unsigned left = MOST_MOVED;
  if (full == NULL || !is_known_before(full, condition, &left)) return false;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
  LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(b);
  LLVMPositionBuilderBefore(b, full->branch);
  move_before(full, b, condition);
  LLVMValueRef all = LLVMGetCondition(full->branch);
  LLVMSetCondition(full->branch, LLVMBuildAnd(b, all, LLVMBuildFreeze(b, condition, ""), ""));
  LLVMPositionBuilderAtEnd(b, here);
  LLVMSetCurrentDebugLocation2(b, line);
  return true;
}

/* ---- the other copy ---- */

void kiln_lanes_forget(struct kl_lanes *l, uint32_t place, uint32_t end) {
  const struct kl_flow *flow = l->flow;
  const struct kl_func *f = l->e->f;
  for (uint32_t i = place; i < end; i++) {
    uint32_t n = flow->order[i];
    if (n >= flow->nblock) continue;
    const struct kl_block *b = &f->block[l->block[n]];
    for (uint32_t v = b->first; v < b->first + b->n; v++)
      if (f->inst[v].op != LLVMAlloca)
        l->e->value_pass[v] = l->pack_pass[v] = l->ok_pass[v] = l->done_pass[v] = 0;
  }
}
