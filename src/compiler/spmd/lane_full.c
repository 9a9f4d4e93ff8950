/* Which guarded code is there twice: for all lanes on, as in the middle of an image or below the size that a
 * kernel is told, and for some of them (compiler.md 2.3 step 9). */
#include "compiler/spmd/lanes.h"
#include "compiler/spmd/stream.h"

enum {
  MOST_INSTRUCTIONS = 64, /* of what is copied */
  MOST_REGISTERS = 128    /* written by the copies of a function */
};

/* Where masks have no registers of their own, each row that is accessed under one takes longer. Where they
 * have, only lines of memory that are written whole do not need the old ones. */
static bool gains(const struct kl_lanes *l, uint32_t i) {
  const struct kl_inst *inst = &l->e->f->inst[i];
  if (inst->op != LLVMStore && inst->op != LLVMLoad) return false;
  uint32_t pointer = kl_operand(l->e->f, i, inst->op == LLVMStore);
  struct kl_shape shape = kiln_shape_checked_at(l->shapes, l->e->f, pointer, inst->bb);
  if (shape.kind != KL_STRIDED || l->shapes->unit[pointer] != 0) return false;
  return l->e->program->native < 16 || (inst->op == LLVMStore && kiln_stream_is(l->e, pointer));
}

bool kiln_lanes_wants_full(struct kl_lanes *l, uint32_t node) {
  const struct kl_flow *flow = l->flow;
  const struct kl_node *top = &flow->node[node];
  unsigned native = l->e->program->native,
           registers = native > 0 && l->width > native ? l->width / native : 1;
  uint32_t size = 0, gained = 0;
  if (!top->guard || top->owner != node || l->seldom || l->parted) return false;
  for (uint32_t i = top->place; i < top->past; i++) {
    uint32_t n = flow->order[i];
    if (n >= flow->nblock) continue;
    const struct kl_block *b = &l->e->f->block[l->block[n]];
    size += b->n;
    if (size > MOST_INSTRUCTIONS) return false;
    for (uint32_t v = b->first; flow->node[n].owner == node && v < b->first + b->n; v++)
      gained += gains(l, v);
  }
  if (gained == 0 || l->copied + size * registers > MOST_REGISTERS) return false;
  l->copied += size * registers;
  return true;
}

void kiln_lanes_forget(struct kl_lanes *l, uint32_t node) {
  const struct kl_flow *flow = l->flow;
  const struct kl_func *f = l->e->f;
  for (uint32_t i = flow->node[node].place; i < flow->node[node].past; i++) {
    uint32_t n = flow->order[i];
    if (n >= flow->nblock) continue;
    const struct kl_block *b = &f->block[l->block[n]];
    for (uint32_t v = b->first; v < b->first + b->n; v++)
      if (f->inst[v].op != LLVMAlloca)
        l->e->value_pass[v] = l->pack_pass[v] = l->ok_pass[v] = l->done_pass[v] = 0;
  }
}
