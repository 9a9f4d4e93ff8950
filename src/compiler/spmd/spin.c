/* What the exits of loops depend on: a backward walk from the conditions under which loops are left. */
#include "compiler/spmd/spin.h"

struct walk {
  const struct kl_func *f;
  const struct kl_uses *uses;
  const struct kiln_loops *loops;
  struct kl_env *env;
  uint8_t *seen;       /* by value */
  uint8_t *branches;   /* by loop: its branches have been followed */
  uint32_t *latches;   /* by loop */
  struct kl_list todo; /* values */
  bool found;          /* a value that other work-items decide on */
};

static bool is_used(struct walk *w, uint32_t v) { return w->uses->first[v] != w->uses->first[v + 1]; }

/* An answer in a loop that may depend on when it is asked. */
static bool asks_others(struct walk *w, uint32_t v) {
  const struct kl_inst *inst = &w->f->inst[v];
  if (inst->bb == KL_NONE || w->loops->of[inst->bb] == KL_NONE) return false;
  if (inst->op == LLVMLoad) return !kl_is_ordinary(inst->v);
  return (inst->op == LLVMAtomicRMW || inst->op == LLVMAtomicCmpXchg) && is_used(w, v);
}

static void follow(struct walk *w, uint32_t v) {
  if (v >= w->f->ninst || w->seen[v]) return;
  w->seen[v] = 1;
  kiln_list_push(w->env, &w->todo, v);
}

/* The condition of a block's branch. */
static void follow_branch(struct walk *w, uint32_t block) {
  uint32_t last = w->f->block[block].first + w->f->block[block].n - 1;
  unsigned op = w->f->inst[last].op;
  if ((op == LLVMBr || op == LLVMSwitch) && w->f->inst[last].nops == 1) follow(w, kl_operand(w->f, last, 0));
}

/* All that decides on the way through a turn of the loop. */
static void follow_branches(struct walk *w, uint32_t loop) {
  if (loop == KL_NONE || w->branches[loop]) return;
  w->branches[loop] = 1;
  for (uint32_t b = 0; b < w->f->graph.n; b++)
    if (kiln_loops_contain(w->loops, loop, b)) follow_branch(w, b);
}

static void count_latches(struct walk *w) {
  const struct kiln_graph *g = &w->f->graph;
  for (uint32_t l = 0; l < w->loops->count; l++) {
    uint32_t header = w->loops->header[l];
    for (uint32_t p = g->pred0[header]; p < g->pred0[header + 1]; p++)
      if (kiln_loops_contain(w->loops, l, g->pred[p])) w->latches[l]++;
  }
}

/* Every turn that does not leave the loop elsewhere comes by. */
static bool is_on_every_turn(struct walk *w, uint32_t loop, uint32_t block) {
  const struct kiln_graph *g = &w->f->graph;
  uint32_t header = w->loops->header[loop];
  if (block == header) return true;
  for (uint32_t s = g->succ0[block]; s < g->succ0[block + 1]; s++)
    if (g->succ[s] == header) return w->latches[loop] == 1;
  return false;
}

static void follow_exits(struct walk *w) {
  const struct kiln_graph *g = &w->f->graph;
  for (uint32_t b = 0; b < g->n; b++) {
    for (uint32_t l = w->loops->of[b]; l != KL_NONE; l = w->loops->parent[l]) {
      bool leaves = false;
      for (uint32_t s = g->succ0[b]; s < g->succ0[b + 1]; s++)
        leaves |= !kiln_loops_contain(w->loops, l, g->succ[s]);
      if (!leaves) continue;
      follow_branch(w, b);
      if (!is_on_every_turn(w, l, b)) follow_branches(w, l);
    }
  }
}

static void follow_phi(struct walk *w, uint32_t v) {
  const struct kl_inst *inst = &w->f->inst[v];
  uint32_t loop = w->loops->of[inst->bb];
  for (uint32_t k = 0; k < inst->nops; k += 2) follow(w, kl_operand(w->f, v, k));
  bool of_turns = loop != KL_NONE && w->loops->header[loop] == inst->bb && w->latches[loop] == 1;
  if (!of_turns) follow_branches(w, loop);
}

static bool calls_code(const struct kl_inst *inst) {
  if (inst->op != LLVMCall) return false;
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(inst->v));
  return fn == NULL || LLVMGetIntrinsicID(fn) == 0;
}

/* What is loaded in a loop may have been stored by it. */
static void visit(struct walk *w, uint32_t v) {
  const struct kl_inst *inst = &w->f->inst[v];
  if (inst->bb == KL_NONE || w->loops->of[inst->bb] == KL_NONE) return;
  w->found |= asks_others(w, v) || inst->op == LLVMLoad || calls_code(inst);
  if (inst->op == LLVMPHI) follow_phi(w, v);
  else
    for (uint32_t k = 0; k < inst->nops; k++) follow(w, kl_operand(w->f, v, k));
}

bool kiln_may_spin(struct kl_env *env, const struct kl_func *f, const struct kl_uses *uses,
                   const struct kiln_loops *loops) {
  struct walk w = {.f = f, .uses = uses, .loops = loops, .env = env};
  bool asks = false;
  for (uint32_t v = f->narg; v < f->ninst && !asks; v++) asks = asks_others(&w, v);
  if (!asks) return false;
  w.seen = kl_new(env, f->ninst, uint8_t);
  w.branches = kl_new(env, loops->count, uint8_t);
  w.latches = kl_new(env, loops->count, uint32_t);
  count_latches(&w);
  follow_exits(&w);
  for (uint32_t i = 0; i < w.todo.n && !w.found; i++) visit(&w, w.todo.at[i]);
  return w.found;
}
