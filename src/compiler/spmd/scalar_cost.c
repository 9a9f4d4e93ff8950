/* Owns the estimate of what a work-item costs by itself, where OpenCL vectors lie in the processor's
 * registers. Must not know lanes. */
#include "compiler/spmd/lane_cost.h"
#include "compiler/spmd/lane_live.h"
#include "compiler/spmd/map.h"
#include "compiler/spmd/op_cost.h"
#include "compiler/spmd/row_loop.h"
#include "compiler/spmd/search_loop.h"

enum {
  REGISTER = 128,  /* bits that all processors' registers have */
  SEARCH_GAIN = 2, /* four integer operations begin in a turn */
  ROW_GAIN = 12    /* times as fast as one by one are vectors along a row: measured 6 to 25 */
};

static LLVMTypeRef mapped_type(const struct kl_lane_costs *in, LLVMValueRef v) {
  return kiln_map_type(in->map, LLVMTypeOf(v));
}

/* Of what an instruction computes, or stores. */
static uint64_t bits_of(const struct kl_lane_costs *in, uint32_t i) {
  uint32_t value = in->f->inst[i].op == LLVMStore ? kl_operand(in->f, i, 0) : i;
  LLVMValueRef v = in->f->inst[value].v;
  return kl_is_void(v) ? 0 : 8 * kiln_map_size(in->map, mapped_type(in, v));
}

/* OpenCL vectors go by registers of the processor; what has no vector form goes by elements. */
static double cost_of(const struct kl_lane_costs *in, uint32_t i) {
  const struct kl_inst *inst = &in->f->inst[i];
  const bool by_element = kl_is_serial(inst, in->native) || kl_is_division(inst->op);
  double cost = by_element ? kl_serial_cost(inst) : kl_op_cost(inst);
  if (kiln_lane_is_free(inst->op)) return cost;
  uint64_t bits = bits_of(in, i), whole = by_element ? REGISTER : 32ull * in->native;
  return bits > whole ? cost * (double)bits / (double)whole : cost;
}

/* ---- chains ---- */

/* Turns until what an instruction computes of OpenCL vectors is there. Scalars are left out: lanes have them
 * no sooner. */
static uint32_t latency_of(const struct kl_lane_costs *in, uint32_t i) {
  const struct kl_inst *inst = &in->f->inst[i];
  if (bits_of(in, i) <= REGISTER || kiln_lane_is_free(inst->op) || inst->op == LLVMPHI) return 0;
  return kl_turns(LLVMTypeOf(inst->v), in->integer_turns);
}

struct chains {
  const struct kl_lane_costs *in;
  const struct kiln_loops *loops;
  uint32_t
      *after;     /* by value: turns after the values that its innermost loop carries; KL_NONE: not of them */
  double *ops;    /* by loop: cost of a turn, inner loops left out */
  uint32_t *wait; /* by loop: turns from what it carries to what it carries next */
};

static void follow(struct chains *c, uint32_t i) {
  const struct kl_func *f = c->in->f;
  const struct kl_inst *inst = &f->inst[i];
  uint32_t loop = c->loops->of[inst->bb];
  c->after[i] = KL_NONE;
  if (loop == KL_NONE) return;
  if (inst->op == LLVMPHI && c->loops->header[loop] == inst->bb) {
    c->after[i] = 0;
    return;
  }
  const uint32_t step = inst->op == LLVMPHI ? 2 : 1;
  for (uint32_t k = 0; k < inst->nops; k += step) {
    uint32_t v = kl_operand(f, i, k);
    if (v < f->narg || v >= i || c->after[v] == KL_NONE || c->loops->of[f->inst[v].bb] != loop) continue;
    uint32_t now = c->after[v] + latency_of(c->in, i);
    if (c->after[i] == KL_NONE || now > c->after[i]) c->after[i] = now;
  }
}

static void close_phi(struct chains *c, uint32_t i) {
  const struct kl_func *f = c->in->f;
  uint32_t loop = c->loops->of[f->inst[i].bb];
  if (loop == KL_NONE || c->loops->header[loop] != f->inst[i].bb) return;
  for (uint32_t k = 0; k < f->inst[i].nops; k += 2) {
    uint32_t v = kl_operand(f, i, k);
    if (v < f->narg || v >= f->ninst || f->inst[v].bb == KL_NONE || c->loops->of[f->inst[v].bb] != loop)
      continue;
    if (c->after[v] != KL_NONE && c->after[v] > c->wait[loop]) c->wait[loop] = c->after[v];
  }
}

/* What loops wait for the vectors that they carry, beyond what there is to do meanwhile. */
static double waiting(const struct kl_lane_costs *in, const struct kiln_loops *loops) {
  const struct kl_func *f = in->f;
  struct chains c = {.in = in,
                     .loops = loops,
                     .after = kl_new(in->env, f->nvalue, uint32_t),
                     .ops = kl_new(in->env, (size_t)loops->count + 1, double),
                     .wait = kl_new(in->env, (size_t)loops->count + 1, uint32_t)};
  double total = 0;
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    if (f->inst[i].bb == KL_NONE) continue;
    follow(&c, i);
    if (loops->of[f->inst[i].bb] != KL_NONE) c.ops[loops->of[f->inst[i].bb]] += cost_of(in, i);
  }
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (f->inst[i].bb != KL_NONE && f->inst[i].op == LLVMPHI) close_phi(&c, i);
  for (uint32_t l = 0; l < loops->count; l++) {
    double wait = (double)BEGUN * c.wait[l];
    if (wait > c.ops[l]) total += kl_weight(loops, loops->header[l]) * (wait - c.ops[l]);
  }
  return total;
}

/* By loop: how much sooner a turn is done than its operations one by one. */
static double *find_gains(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kiln_loops *loops = &shapes->uniform.loops;
  const bool *searches = kiln_search_loops_find(in, shapes);
  double *gain = kl_new(in->env, (size_t)loops->count + 1, double);
  for (uint32_t l = 0; l < loops->count; l++)
    gain[l] = kiln_is_row_loop(in, loops, l) ? ROW_GAIN : searches[l] ? SEARCH_GAIN : 1;
  return gain;
}

double kiln_scalar_cost(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kiln_loops *loops = &shapes->uniform.loops;
  const double *gain = find_gains(in, shapes);
  double total = waiting(in, loops);
  for (uint32_t i = in->f->narg; i < in->f->ninst; i++) {
    const struct kl_inst *inst = &in->f->inst[i];
    if (inst->bb == KL_NONE || inst->op == KL_DROP || inst->op == KL_LIFETIME) continue;
    uint32_t loop = loops->of[inst->bb];
    total += kl_weight(loops, inst->bb) * cost_of(in, i) / (loop == KL_NONE ? 1 : gain[loop]);
  }
  return total;
}
