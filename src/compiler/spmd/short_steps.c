/* Steps shorter than a vector; see short_steps.h. Of `i ^ step`, `i & (step - 1)` and `i >> n`,
 * where the step comes by an argument, the check of each vector (lane_check.c) finds the same in all of a
 * launch: bits by which lanes differ are turned, or cut off. Gathers and scatters of short steps take
 * 6 to 8 times as long as work-items one at a time on Zen 4 and Sapphire Rapids (a Walsh transform; with AVX2
 * 2 times), as what a scatter has stored cannot be gathered before it is in the cache. */
#include "compiler/spmd/short_steps.h"

enum {
  MOST_SIZE = 100, /* instructions of the kernel: all of it is there twice */
  MOST_STEPS = 8,
  MOST_DEPTH = 8 /* operations on the way to an address, and to a step */
};

struct steps {
  struct kl_group *g;
  const struct kl_func *f;
  const struct kl_shapes *shapes;
  uint32_t at[MOST_STEPS], n; /* operations on bits by a step */
};

/* ---- where work-items one at a time do the same ---- */

static bool accepts(const struct steps *s, uint32_t i) {
  const struct kl_inst *inst = &s->f->inst[i];
  switch (inst->op) {
  case KL_QUERY:
    return inst->sub < KL_Q_SUB_GROUP_ID;
  case LLVMCall:
    return LLVMGetIntrinsicID(LLVMGetCalledValue(inst->v)) != 0;
  case LLVMAlloca:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case KL_COLLECTIVE:
  case KL_SUB_GROUP:
  case KL_FENCE:
  case KL_PRINTF:
    return false;
  default:
    return true;
  }
}

static bool is_simple(const struct steps *s) {
  const struct kl_group *g = s->g;
  const struct kl_mapping *map = &s->shapes->map;
  if (g->is_rare || g->plan->nregion != 1 || g->plan->nslot != 0 || s->shapes->uniform.loops.count != 0 ||
      g->lane_plan->is_sub_group || map->rows != 1 || map->linear || s->f->ninst - s->f->narg > MOST_SIZE)
    return false;
  for (uint32_t i = s->f->narg; i < s->f->ninst; i++)
    if (s->f->inst[i].bb != KL_NONE && !accepts(s, i)) return false;
  return true;
}

/* Made of what lies in memory, as far as can be seen. */
static bool is_found(const struct steps *s, uint32_t v, unsigned depth) {
  const struct kl_inst *inst = &s->f->inst[v];
  if (v < s->f->narg || inst->op == KL_CONST || s->shapes->of[v].kind != KL_VARYING) return false;
  if (depth == 0 || inst->op == LLVMLoad || inst->op == LLVMPHI) return true;
  for (uint32_t k = 0; k < inst->nops; k++)
    if (is_found(s, kl_operand(s->f, v, k), depth - 1)) return true;
  return false;
}

/* A branch by data, as of what is sorted, the processor foretells badly: lanes take 0.35 of the time even so.
 */
static bool branches_by_data(const struct steps *s) {
  for (uint32_t b = 0; b < s->f->graph.n; b++)
    if (kiln_uniform_is_divergent(&s->shapes->uniform, s->f, b) &&
        is_found(s, kl_operand(s->f, kl_last_of(s->f, b), 0), MOST_DEPTH))
      return true;
  return false;
}

/* ---- steps ---- */

/* Of arguments and constants. */
static bool is_said(const struct steps *s, uint32_t v, unsigned depth) {
  const struct kl_inst *inst = &s->f->inst[v];
  if (v < s->f->narg || inst->op == KL_CONST) return true;
  if (depth == 0 || kl_is_division(inst->op) ||
      (!LLVMIsABinaryOperator(inst->v) && !LLVMIsACastInst(inst->v)))
    return false;
  for (uint32_t k = 0; k < inst->nops; k++)
    if (!is_said(s, kl_operand(s->f, v, k), depth - 1)) return false;
  return true;
}

static bool is_bits(unsigned op) { return op == LLVMAnd || op == LLVMOr || op == LLVMXor; }

static bool is_shift(unsigned op) { return op == LLVMLShr || op == LLVMAShr; }

static bool is_step(const struct steps *s, uint32_t v, uint32_t x) {
  return s->f->inst[v].op != KL_CONST && s->shapes->of[v].kind == KL_UNIFORM && is_said(s, v, MOST_DEPTH) &&
         s->shapes->of[x].kind == KL_STRIDED && s->shapes->of[x].stride > 0;
}

/* The operand that is the step, or its logarithm; KL_NONE: the instruction is no such operation. */
static uint32_t step_of(const struct steps *s, uint32_t i) {
  const unsigned op = s->f->inst[i].op;
  if (!is_bits(op) && !is_shift(op)) return KL_NONE;
  const uint32_t first = kl_operand(s->f, i, 0), second = kl_operand(s->f, i, 1);
  if (is_step(s, second, first)) return second;
  return is_bits(op) && is_step(s, first, second) ? first : KL_NONE;
}

static void add(struct steps *s, uint32_t i) {
  for (uint32_t k = 0; k < s->n; k++)
    if (s->at[k] == i) return;
  if (s->n < MOST_STEPS) s->at[s->n++] = i;
}

/* On the way to an address that a check may find to be a row's. */
static void look(struct steps *s, uint32_t v, unsigned depth) {
  if (depth == 0 || s->shapes->of[v].kind != KL_VARYING || s->shapes->checked[v].kind != KL_STRIDED) return;
  if (step_of(s, v) != KL_NONE) add(s, v);
  if (s->f->inst[v].op == LLVMPHI) return;
  for (uint32_t k = 0; k < s->f->inst[v].nops; k++) look(s, kl_operand(s->f, v, k), depth - 1);
}

static void find_steps(struct steps *s) {
  for (uint32_t i = s->f->narg; i < s->f->ninst; i++)
    if (s->f->inst[i].bb != KL_NONE && (s->f->inst[i].op == LLVMLoad || s->f->inst[i].op == LLVMStore))
      look(s, kl_pointer_of(s->f, i), MOST_DEPTH);
}

/* ---- the test ---- */

static void emit_operands(struct kl_emit *e, uint32_t v) {
  if (v < e->f->narg || e->f->inst[v].op == KL_CONST || kiln_emit_has(e, v)) return;
  for (uint32_t k = 0; k < e->f->inst[v].nops; k++) emit_operands(e, kl_operand(e->f, v, k));
  kiln_emit_inst(e, v);
}

/* The step leaves alone the bits by which lanes differ, as a mask lets all of them through, or is longer than
 * all of a vector. */
static LLVMValueRef is_long(const struct steps *s, uint32_t i) {
  struct kl_emit *e = &s->g->e;
  const unsigned op = s->f->inst[i].op;
  const uint32_t step = step_of(s, i), x = kl_operand(s->f, i, kl_operand(s->f, i, 0) == step);
  const uint64_t last = (uint64_t)s->shapes->of[x].stride * (s->shapes->map.width - 1);
  unsigned low = 0;
  while (last >> low != 0) low++;
  emit_operands(e, step);
  LLVMValueRef u = kiln_emit_operand(e, step), zero = LLVMConstNull(LLVMTypeOf(u)),
               bits = LLVMConstInt(LLVMTypeOf(u), ((uint64_t)1 << low) - 1, false);
  if (is_shift(op)) return LLVMBuildICmp(e->b, LLVMIntUGE, u, LLVMConstInt(LLVMTypeOf(u), low, false), "");
  return LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, u, bits, ""), op == LLVMAnd ? bits : zero, "");
}

LLVMValueRef kiln_short_steps_test(struct kl_group *g, uint32_t r) {
  struct steps s = {.g = g, .f = g->e.f, .shapes = &g->lane_plan->shapes};
  LLVMValueRef all = NULL;
  if (r != 0 || !is_simple(&s) || branches_by_data(&s)) return NULL;
  find_steps(&s);
  kiln_emit_next_pass(&g->e);
  for (uint32_t k = 0; k < s.n; k++) {
    LLVMValueRef one = is_long(&s, s.at[k]);
    all = all == NULL ? one : LLVMBuildAnd(g->e.b, all, one, "");
  }
  return all;
}
