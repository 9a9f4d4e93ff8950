/* Follows the ways around a loop; see retry_loop.h. */
#include "compiler/spmd/retry_loop.h"

#include <string.h>

struct retry {
  const struct kl_func *f;
  const struct kiln_loops *loops;
  uint32_t loop;
};

/* The same bits as another type. */
static uint32_t bits_of(const struct kl_func *f, uint32_t v) {
  while (f->inst[v].op == LLVMBitCast) v = kl_operand(f, v, 0);
  return v;
}

static bool is_field(const struct kl_func *f, uint32_t v, unsigned k) {
  return f->inst[v].op == LLVMExtractValue && f->inst[kl_operand(f, v, 0)].op == LLVMAtomicCmpXchg &&
         LLVMGetIndices(f->inst[v].v)[0] == k;
}

static bool is_within(const struct retry *r, uint32_t v) {
  const uint32_t block = r->f->inst[v].bb;
  return block != KL_NONE && kiln_loops_contain(r->loops, r->loop, block);
}

/* ---- exchanges ---- */

/* What an exchange has found at an address. */
static bool is_found_at(const struct retry *r, uint32_t v, uint32_t address) {
  v = bits_of(r->f, v);
  return is_field(r->f, v, 0) && kl_operand(r->f, kl_operand(r->f, v, 0), 0) == address;
}

/* Of a phi behind an exchange, which there is one way from; or of a choice, by which it is if it failed. */
static bool is_found_if_failed(const struct retry *r, uint32_t v, uint32_t expected, uint32_t address) {
  const struct kl_func *f = r->f;
  v = bits_of(f, v);
  if (is_found_at(r, v, address)) return true;
  if (f->inst[v].op == LLVMSelect) {
    const uint32_t x = kl_operand(f, v, 1), y = kl_operand(f, v, 2);
    return (is_found_at(r, x, address) && bits_of(f, y) == expected) ||
           (is_found_at(r, y, address) && bits_of(f, x) == expected);
  }
  for (uint32_t k = 0; f->inst[v].op == LLVMPHI && k < f->inst[v].nops; k += 2) {
    const uint32_t found = bits_of(f, kl_operand(f, v, k)), from = kl_operand(f, v, k + 1);
    if (is_found_at(r, found, address) && f->inst[kl_operand(f, found, 0)].bb == from &&
        f->graph.succ0[from + 1] == f->graph.succ0[from] + 1)
      return true;
  }
  return false;
}

/* From turn to turn. */
static bool is_carried(const struct retry *r, uint32_t phi, uint32_t address) {
  const struct kl_inst *inst = &r->f->inst[phi];
  for (uint32_t k = 0; k < inst->nops; k += 2)
    if (kiln_loops_contain(r->loops, r->loop, kl_operand(r->f, phi, k + 1)) &&
        !is_found_if_failed(r, kl_operand(r->f, phi, k), phi, address))
      return false;
  return true;
}

/* The exchange expects what lay there in this turn, or what the turn before has found. */
static bool is_fresh(const struct retry *r, uint32_t exchange) {
  const uint32_t address = kl_operand(r->f, exchange, 0), v = bits_of(r->f, kl_operand(r->f, exchange, 1));
  const struct kl_inst *inst = &r->f->inst[v];
  if (!is_within(r, v)) return false;
  if (inst->op == LLVMPHI) return inst->bb == r->loops->header[r->loop] && is_carried(r, v, address);
  return (inst->op == LLVMLoad || kiln_is_atomic_reading(inst->v)) && kl_operand(r->f, v, 0) == address;
}

/* ---- values read back ---- */

static bool may_write(unsigned op) {
  return op == LLVMStore || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || op == LLVMCall ||
         op == LLVMFence;
}

/* The load reads back what the block has stored there last. */
static bool reads_back(const struct retry *r, uint32_t load, uint32_t value) {
  const struct kl_func *f = r->f;
  if (f->inst[load].op != LLVMLoad || f->inst[load].bb == KL_NONE) return false;
  for (uint32_t v = load; v-- > f->block[f->inst[load].bb].first;)
    if (may_write(f->inst[v].op))
      return f->inst[v].op == LLVMStore && bits_of(f, kl_operand(f, v, 0)) == value &&
             kl_operand(f, v, 1) == kl_operand(f, load, 0);
  return false;
}

/* ---- ways around ---- */

/* The numbers are equal if nobody came between. */
static bool is_untouched(const struct retry *r, uint32_t x, uint32_t y) {
  if (is_field(r->f, x, 0)) {
    const uint32_t exchange = kl_operand(r->f, x, 0);
    return bits_of(r->f, kl_operand(r->f, exchange, 1)) == y && is_fresh(r, exchange);
  }
  return reads_back(r, x, y);
}

enum { TO_FIRST = 1, TO_SECOND = 2, TO_ANY = 0xff }; /* successors of a block */

/* Where a branch leads unless another work-item is to blame. */
static uint8_t ways_by(const struct retry *r, uint32_t condition) {
  const struct kl_func *f = r->f;
  const struct kl_inst *c = &f->inst[condition];
  if (c->op == KL_CONST && LLVMIsAConstantInt(c->v))
    return LLVMConstIntGetZExtValue(c->v) != 0 ? TO_FIRST : TO_SECOND;
  if (is_field(f, condition, 1)) return is_fresh(r, kl_operand(f, condition, 0)) ? TO_FIRST : TO_ANY;
  if (c->op != LLVMICmp) return TO_ANY;
  const LLVMIntPredicate is = LLVMGetICmpPredicate(c->v);
  const uint32_t x = bits_of(f, kl_operand(f, condition, 0)), y = bits_of(f, kl_operand(f, condition, 1));
  if ((is != LLVMIntEQ && is != LLVMIntNE) || !(is_untouched(r, x, y) || is_untouched(r, y, x)))
    return TO_ANY;
  return is == LLVMIntEQ ? TO_FIRST : TO_SECOND;
}

/* The same from the end of a block that was come to from another: a condition of two parts is a phi there. */
static uint8_t ways_from(const struct retry *r, uint32_t block, uint32_t before) {
  const struct kl_func *f = r->f;
  const uint32_t last = kl_last_of(f, block);
  if (f->inst[last].op != LLVMBr || f->inst[last].nops != 1) return TO_ANY;
  const uint32_t condition = kl_operand(f, last, 0);
  if (f->inst[condition].op != LLVMPHI || f->inst[condition].bb != block) return ways_by(r, condition);
  const uint32_t brought = kl_phi_input(f, condition, before);
  return brought != KL_NONE ? ways_by(r, brought) : TO_ANY;
}

/* The same where barriers are to blame, at which all work-items catch up. */
static uint8_t ways_without_barrier(const struct retry *r, uint32_t block, uint32_t before) {
  return r->f->block[block].barrier != 0 ? 0 : TO_ANY;
}

typedef uint8_t ways_function(const struct retry *r, uint32_t block, uint32_t before);

/* A way around is left. ways: see kiln_loop_is_free. */
static bool comes_again(const struct retry *r, uint8_t *ways, ways_function *from) {
  const struct kiln_graph *g = &r->f->graph;
  const uint32_t header = r->loops->header[r->loop];
  bool again = false;
  ways[header] = from(r, header, KL_NONE);
  for (uint32_t b = header; b < g->n && !again; b++) { /* edges lead on, but for those back */
    const uint32_t first = g->succ0[b];
    for (uint32_t s = first; s < g->succ0[b + 1] && ways[b] != 0; s++) {
      const uint32_t to = g->succ[s];
      if ((ways[b] & (s == first ? TO_FIRST : TO_SECOND)) == 0 || !kiln_loops_contain(r->loops, r->loop, to))
        continue;
      again |= to == header;
      ways[to] |= from(r, to, b);
    }
  }
  memset(ways, 0, g->n * sizeof *ways);
  return again;
}

bool kiln_loop_is_free(const struct kl_func *f, const struct kiln_loops *loops, uint32_t loop,
                       uint8_t *ways) {
  const struct retry r = {.f = f, .loops = loops, .loop = loop};
  return !comes_again(&r, ways, ways_from) || !comes_again(&r, ways, ways_without_barrier);
}
