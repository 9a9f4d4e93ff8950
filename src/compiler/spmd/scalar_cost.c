/* Owns the estimate of what a work-item costs by itself, where OpenCL vectors lie in the processor's
 * registers. Must not know lanes. */
#include "compiler/spmd/called_cost.h"
#include "compiler/spmd/chase.h"
#include "compiler/spmd/lane_cost.h"
#include "compiler/spmd/lane_live.h"
#include "compiler/spmd/map.h"
#include "compiler/spmd/op_cost.h"
#include "compiler/spmd/row_loop.h"
#include "compiler/spmd/search_loop.h"
#include "compiler/spmd/steady_load.h"

enum {
  REGISTER = 128,    /* bits that all processors' registers have */
  MOST_STEPS = 4,    /* of operations on a component */
  HELD = 384,        /* operations that a processor holds, of one turn or of several (MD5 is 430, MD4 280) */
  SCALARS_BEGUN = 4, /* operations on scalar integers, in a turn */
  SEARCH_GAIN = 2,   /* for that */
  ROW_GAIN = 12,     /* times as fast as one by one are vectors along a row: measured 6 to 25 */
  ROW_STEP = 32,     /* elements of such vectors; what is left is done one by one, or */
  REST_TOGETHER = 4, /* so many at once where the turns are known, and */
  LEAST_UNROLLED = 16, /* at least as many as these */
  SHORT_STEP = 8,      /* of those of a row that has no more */
  SUM_UP = 1,          /* turns that it takes to put together what the elements of one have made */
  WRITTEN_GAIN = 4,    /* along one that is written: measured 5 to 14, but less in short rows, as of rests */
  WIDE_WRITTEN_GAIN = 8, /* with AVX-512 */
  MANY_WAYS = 4,         /* of a switch, which is a jump by a table from here on */
  WRONG_WAY = 8          /* what such a jump costs that is often foretold badly */
};

static LLVMTypeRef mapped_type(const struct kl_lane_costs *in, LLVMValueRef v) {
  return kiln_map_type(in->map, LLVMTypeOf(v));
}

/* Of what an instruction computes, or stores. Halves are computed as floats where there is nothing else. */
static uint64_t bits_of(const struct kl_lane_costs *in, uint32_t i) {
  const bool is_store = in->f->inst[i].op == LLVMStore;
  LLVMValueRef v = in->f->inst[is_store ? kl_operand(in->f, i, 0) : i].v;
  if (kl_is_void(v)) return 0;
  LLVMTypeKind kind = LLVMGetTypeKind(kiln_type_part(LLVMTypeOf(v), 0));
  const bool is_widened = kind == LLVMHalfTypeKind && !in->has_half && !is_store;
  return 8 * kiln_map_size(in->map, mapped_type(in, v)) * (is_widened ? 2 : 1);
}

/* A component by itself, for all of a vector: one operation of three instructions, the last of which counts.
 */
static bool is_of_splat(const struct kl_lane_costs *in, uint32_t i) {
  const struct kl_inst *inst = &in->f->inst[i];
  if (inst->op == LLVMInsertElement) return LLVMIsUndef(LLVMGetOperand(inst->v, 0));
  if (inst->op != LLVMExtractElement) return false;
  for (uint32_t u = in->uses->first[i]; u < in->uses->first[i + 1]; u++)
    if (in->f->inst[in->uses->at[u]].op != LLVMInsertElement || !is_of_splat(in, in->uses->at[u]))
      return false;
  return true;
}

/* Components of so many that LLVM computes at once (target_cpu.c): numbers unpacked from integers, each by
 * itself, and put together again, as weights of four bits are. 1: it is none of such. */
static uint32_t joined_components(const struct kl_lane_costs *in, uint32_t i) {
  for (unsigned step = 0; step < MOST_STEPS; step++) {
    const struct kl_inst *inst = &in->f->inst[i];
    const unsigned last = inst->op == LLVMInsertElement ? in->f->inst[kl_operand(in->f, i, 1)].op : 0;
    if (last == LLVMUIToFP || last == LLVMSIToFP) return kiln_type_parts(LLVMTypeOf(inst->v));
    const uint32_t first = in->uses->first[i];
    if (last != 0 || in->uses->first[i + 1] != first + 1) return 1;
    i = in->uses->at[first];
  }
  return 1;
}

static double alone_cost(const struct kl_lane_costs *in, uint32_t i) {
  const struct kl_inst *inst = &in->f->inst[i];
  if (kiln_calls_function(inst)) return kiln_called_cost(in, inst, 1);
  const bool by_element = kl_is_serial(inst, in->native) || kl_is_division(inst->op);
  double cost = by_element ? kl_serial_cost(inst) : kl_op_cost(inst);
  if (kiln_lane_is_free(inst->op)) return is_of_splat(in, i) ? 0 : cost;
  uint64_t bits = bits_of(in, i), whole = by_element ? REGISTER : 32ull * in->native;
  return bits > whole ? cost * (double)bits / (double)whole : cost;
}

double kiln_scalar_op_cost(const struct kl_lane_costs *in, uint32_t i) {
  return alone_cost(in, i) / joined_components(in, i);
}

/* ---- chains ---- */

static bool is_logic(unsigned op) { return op == LLVMAnd || op == LLVMOr || op == LLVMXor; }

/* It becomes part of a ternary operation with its only user. */
static bool is_absorbed(const struct kl_lane_costs *in, uint32_t i) {
  const uint32_t first = in->uses->first[i];
  return in->native >= 16 && is_logic(in->f->inst[i].op) && in->uses->first[i + 1] == first + 1 &&
         is_logic(in->f->inst[in->uses->at[first]].op);
}

/* Operations on integers of OpenCL vectors that begin in a turn: three on registers of up to 256 bits, two on
 * 512 bits; four where results take two turns (measured on Zen 5: add, xor, ternary logic; two that shift).
 */
static uint32_t integers_begun(const struct kl_lane_costs *in) {
  return in->native < 16 ? 3 : BEGUN * in->integer_turns;
}

/* Operations that a processor begins until what an instruction computes of OpenCL vectors is there. Scalars
 * are left out: lanes have them no sooner. */
static uint32_t latency_of(const struct kl_lane_costs *in, uint32_t i) {
  const struct kl_inst *inst = &in->f->inst[i];
  if (LLVMGetTypeKind(LLVMTypeOf(inst->v)) != LLVMVectorTypeKind || kiln_lane_is_free(inst->op) ||
      inst->op == LLVMPHI || is_absorbed(in, i))
    return 0;
  const uint32_t turns = kl_turns(inst, in->integer_turns);
  return turns * (turns == REAL_TURNS ? BEGUN : integers_begun(in));
}

struct chains {
  const struct kl_lane_costs *in;
  const struct kiln_loops *loops;
  const uint32_t *own; /* see kiln_scalar_cost */
  /* By value, in operations begun: after what its innermost loop carries (KL_NONE: not of that); after the
     code of that loop began. */
  uint32_t *carried, *after;
  /* By loop, inner ones left out, and at last of what is in none. */
  double *ops;              /* cost of a turn */
  uint32_t *wait, *longest; /* from what it carries to what it carries next; of its longest chain */
};

static bool is_common(const struct chains *c, uint32_t i) {
  const uint32_t block = c->in->f->inst[i].bb;
  return block != KL_NONE && (c->own == NULL || c->own[block] == KL_NONE);
}

/* Code in no loop is there once for each work-item. */
static uint32_t loop_of(const struct chains *c, uint32_t i) {
  uint32_t loop = c->loops->of[c->in->f->inst[i].bb];
  return loop == KL_NONE ? c->loops->count : loop;
}

static bool is_of_header(const struct chains *c, uint32_t i) {
  uint32_t loop = loop_of(c, i);
  return loop < c->loops->count && c->loops->header[loop] == c->in->f->inst[i].bb;
}

static void follow(struct chains *c, uint32_t i) {
  const struct kl_func *f = c->in->f;
  const struct kl_inst *inst = &f->inst[i];
  const uint32_t loop = loop_of(c, i), latency = latency_of(c->in, i), step = inst->op == LLVMPHI ? 2 : 1;
  const bool begins = inst->op == LLVMPHI && is_of_header(c, i);
  if (begins) c->carried[i] = 0;
  for (uint32_t k = 0; !begins && k < inst->nops; k += step) {
    uint32_t v = kl_operand(f, i, k);
    if (v < f->narg || v >= i || !is_common(c, v) || loop_of(c, v) != loop) continue;
    if (c->after[v] + latency > c->after[i]) c->after[i] = c->after[v] + latency;
    if (c->carried[v] != KL_NONE && (c->carried[i] == KL_NONE || c->carried[v] + latency > c->carried[i]))
      c->carried[i] = c->carried[v] + latency;
  }
  if (c->after[i] > c->longest[loop]) c->longest[loop] = c->after[i];
}

static void close_phi(struct chains *c, uint32_t i) {
  const struct kl_func *f = c->in->f;
  const uint32_t loop = loop_of(c, i);
  if (!is_of_header(c, i)) return;
  for (uint32_t k = 0; k < f->inst[i].nops; k += 2) {
    uint32_t v = kl_operand(f, i, k);
    if (v < f->narg || v >= f->ninst || !is_common(c, v) || loop_of(c, v) != loop) continue;
    if (c->carried[v] != KL_NONE && c->carried[v] > c->wait[loop]) c->wait[loop] = c->carried[v];
  }
}

/* What loops wait for the vectors that they carry, and code for its longest chain, beyond what there is to do
 * meanwhile: of short code the processor holds several turns, or work-items, which wait together. */
static void find_waiting(struct kl_scalar_cost *cost, const struct kl_lane_costs *in,
                         const struct kiln_loops *loops, const uint32_t *turns, const uint32_t *own) {
  const struct kl_func *f = in->f;
  const size_t n = (size_t)loops->count + 1;
  struct chains c = {.in = in,
                     .loops = loops,
                     .own = own,
                     .carried = kl_new(in->env, f->nvalue, uint32_t),
                     .after = kl_new(in->env, f->nvalue, uint32_t),
                     .ops = kl_new(in->env, n, double),
                     .wait = kl_new(in->env, n, uint32_t),
                     .longest = kl_new(in->env, n, uint32_t)};
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    c.carried[i] = KL_NONE;
    if (!is_common(&c, i)) continue;
    follow(&c, i);
    if (!is_absorbed(in, i)) c.ops[loop_of(&c, i)] += kiln_scalar_op_cost(in, i);
  }
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (is_common(&c, i) && f->inst[i].op == LLVMPHI) close_phi(&c, i);
  for (uint32_t l = 0; l < n; l++) {
    const double part = c.ops[l] < HELD ? c.ops[l] / HELD : 1, chain = part * c.longest[l];
    const double wait = chain > c.wait[l] ? chain : c.wait[l];
    double weight = l == loops->count ? 1 : kl_weight(loops, turns, loops->header[l]);
    cost->common += weight * c.ops[l];
    if (wait > c.ops[l]) cost->wait += weight * (wait - c.ops[l]);
  }
}

/* What loops wait for to know where to look next, beyond what there is to do meanwhile. */
static void find_chasing(struct kl_scalar_cost *cost, const struct kl_lane_costs *in,
                         const struct kiln_loops *loops, const uint32_t *turns, const uint32_t *own) {
  const struct kl_func *f = in->f;
  const uint32_t *chases = kiln_chases_find(in, loops);
  double *ops = kl_new(in->env, (size_t)loops->count + 1, double);
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    const uint32_t loop = f->inst[i].bb == KL_NONE ? KL_NONE : loops->of[f->inst[i].bb];
    if (loop != KL_NONE && chases[loop] != 0) ops[loop] += kiln_scalar_op_cost(in, i);
  }
  for (uint32_t l = 0; l < loops->count; l++) {
    const double wait = (double)SCALARS_BEGUN * chases[l] - ops[l];
    const bool is_own = own != NULL && own[loops->header[l]] != KL_NONE;
    if (wait > 0) *(is_own ? &cost->work : &cost->wait) += wait * kl_weight(loops, turns, loops->header[l]);
  }
}

/* Work-items write rows of their own in a loop. Where all of them write one, lanes do so together. */
static bool writes_apart(const struct kl_lane_costs *in, const struct kl_shapes *shapes, uint32_t loop) {
  const struct kl_block *b = &in->f->block[shapes->uniform.loops.header[loop]];
  for (uint32_t i = b->first; i < b->first + b->n; i++)
    if (in->f->inst[i].op == LLVMStore && shapes->of[kl_pointer_of(in->f, i)].kind == KL_UNIFORM)
      return false;
  return true;
}

/* Work-items read rows of their own. What all of them read lanes do together. */
static bool reads_apart(const struct kl_lane_costs *in, const struct kl_shapes *shapes, uint32_t loop) {
  const struct kl_block *b = &in->f->block[shapes->uniform.loops.header[loop]];
  for (uint32_t i = b->first; i < b->first + b->n; i++)
    if (in->f->inst[i].op == LLVMLoad && shapes->of[kl_pointer_of(in->f, i)].kind != KL_UNIFORM) return true;
  return false;
}

/* turns: 0 where they are not known. */
static double gain_along(uint64_t turns, double gain) {
  if (turns == 0) return gain;
  const bool is_short = turns < ROW_STEP;
  const uint64_t rest = turns % (is_short ? SHORT_STEP : ROW_STEP);
  const double together = turns < LEAST_UNROLLED ? 1 : REST_TOGETHER;
  return (double)turns / ((double)(turns - rest) / gain + (double)rest / together + (is_short ? SUM_UP : 0));
}

/* Elements that lie between others of their kind are shuffled out of vectors, and into them. */
static double shuffled(double gain, uint32_t each) { return gain > each ? gain / each : 1; }

static double row_gain(const struct kl_lane_costs *in, const struct kl_shapes *shapes, uint32_t loop) {
  const uint64_t turns = kiln_loop_turns_known(in->f, &shapes->uniform.loops, loop);
  uint32_t each = 1;
  switch (kiln_row_loop_find(in, &shapes->uniform.loops, loop, &each)) {
  case KL_READ_ROW:
    return shuffled(gain_along(turns, in->rows == KILN_ROWS_SHORT ? 1 : ROW_GAIN), each);
  case KL_SUMMED_REALS:
    if (turns == 0 && in->rows != KILN_ROWS_LONG) return 1;
    return reads_apart(in, shapes, loop) ? shuffled(gain_along(turns, ROW_GAIN), each) : 1;
  case KL_WRITTEN_ROW:
    if (!writes_apart(in, shapes, loop)) return 1;
    return shuffled(in->native >= 16 ? WIDE_WRITTEN_GAIN : WRITTEN_GAIN, each);
  default:
    return 1;
  }
}

/* By loop: how much sooner a turn is done than its operations one by one. */
static double *find_gains(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kiln_loops *loops = &shapes->uniform.loops;
  const enum kl_search *searches = kiln_search_loops_find(in, shapes);
  double *gain = kl_new(in->env, (size_t)loops->count + 1, double);
  for (uint32_t l = 0; l < loops->count; l++) {
    gain[l] = row_gain(in, shapes, l);
    if (gain[l] == 1 && searches[l] != KL_NO_SEARCH) gain[l] = SEARCH_GAIN;
  }
  return gain;
}

/* Interpreters, and others that go by what they find. */
static bool is_foretold_badly(const struct kl_lane_costs *in, const struct kl_shapes *shapes, uint32_t i) {
  return in->f->inst[i].op == LLVMSwitch && shapes->of[kl_operand(in->f, i, 0)].kind == KL_VARYING &&
         LLVMGetNumSuccessors(in->f->inst[i].v) > MANY_WAYS;
}

/* In loops that work-items leave at turns of their own: on one side of a branch on which they differ, and
 * which leads nowhere out of the loop. Some of them run it; lanes do as long as one is on. Measured with a
 * walk down a tree whose nodes are either summed up or opened: lanes take 4 times as long. (Not so the ways
 * of a switch: interpreters of one program are 1.4 times as fast with lanes.) */
static bool is_chosen_side(const struct kl_lane_costs *in, const struct kl_shapes *shapes, uint32_t block) {
  const struct kl_uniform *u = &shapes->uniform;
  const uint32_t above = u->dom.parent[block];
  if (above == KILN_NONE || !kiln_uniform_is_side(u, in->f, block)) return false;
  if (in->f->inst[kl_last_of(in->f, above)].op != LLVMBr) return false;
  const uint32_t loop = u->loops.of[above];
  return loop != KL_NONE && u->loop_diverges[loop] &&
         !kiln_loops_leave(&u->loops, &in->f->graph, loop, above);
}

/* By block: the part of its turns that a work-item runs. */
static double *find_shares(const struct kl_lane_costs *in, const struct kl_shapes *shapes) {
  const struct kl_func *f = in->f;
  double *share = kl_new(in->env, f->graph.n, double);
  for (uint32_t b = 0; b < f->graph.n; b++) {
    const uint32_t above = shapes->uniform.dom.parent[b];
    share[b] = (above == KILN_NONE ? 1 : share[above]) * (is_chosen_side(in, shapes, b) ? SHARE : 1);
  }
  return share;
}

struct kl_scalar_cost kiln_scalar_cost(const struct kl_lane_costs *in, const struct kl_shapes *shapes,
                                       const uint32_t *own) {
  const struct kiln_loops *loops = &shapes->uniform.loops;
  const double *gain = find_gains(in, shapes);
  const double *share = find_shares(in, shapes);
  const bool *steady = kiln_steady_loads_find(in, shapes);
  const uint32_t *turns = kiln_loop_turns_find(in, loops);
  struct kl_scalar_cost cost = {0};
  find_waiting(&cost, in, loops, turns, own);
  find_chasing(&cost, in, loops, turns, own);
  for (uint32_t i = in->f->narg; i < in->f->ninst; i++) {
    const struct kl_inst *inst = &in->f->inst[i];
    if (inst->bb == KL_NONE || inst->op == KL_DROP || inst->op == KL_LIFETIME) continue;
    uint32_t loop = loops->of[inst->bb];
    const double weight = share[inst->bb] * kl_weight(loops, turns, inst->bb) / (steady[i] ? turns[loop] : 1);
    cost.work += weight * kiln_scalar_op_cost(in, i) / (loop == KL_NONE ? 1 : gain[loop]);
    if (is_foretold_badly(in, shapes, i)) cost.work += weight * WRONG_WAY;
  }
  return cost;
}
