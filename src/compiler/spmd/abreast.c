/* Finds out which code two work-items run together, and emits it; see abreast.h. */
#include "compiler/spmd/abreast.h"

#include "compiler/spmd/group.h"

#include <string.h>

enum { MOST_INSTRUCTIONS = 3000 }; /* of the kernel: its code is there twice */

/* ---- who runs what together ---- */

struct finder {
  struct kl_abreast *a;
  struct kl_env *env;
  const struct kl_func *f;
  bool has_objects; /* private ones in memory */
};

static bool returns_at_once(const struct kl_func *f, uint32_t block) {
  return f->block[block].n == 1 && f->inst[f->block[block].first].op == LLVMRet;
}

/* Everything that can follow, but for the way out, comes by this branch, once. What lies in memory stays with
 * the one that leaves: values only can be handed over. */
static bool find_leaving(struct finder *d, uint32_t block) {
  const struct kl_func *f = d->f;
  const struct kl_uniform *u = d->a->uniform;
  const uint32_t *to = &f->graph.succ[f->graph.succ0[block]];
  if (d->has_objects || f->inst[kl_last_of(f, block)].op != LLVMBr || u->loops.of[block] != KL_NONE ||
      returns_at_once(f, to[0]) == returns_at_once(f, to[1]))
    return false;
  for (uint32_t b = block + 1; b < f->graph.n; b++)
    if (!returns_at_once(f, b) && !kiln_tree_above(&u->dom, block, b)) return false;
  return d->a->leaves[block] = true;
}

static bool is_entered_by(const struct finder *d, uint32_t block, uint32_t branch) {
  const struct kiln_graph *g = &d->f->graph;
  for (uint32_t k = g->pred0[block]; k < g->pred0[block + 1]; k++)
    if (g->pred[k] != branch && d->a->branch[g->pred[k]] != branch) return false;
  return true;
}

/* The blocks from a branch to where all ways meet. False where these are entered from elsewhere, as in a loop
 * that work-items leave at different turns. */
static bool find_parting(struct finder *d, uint32_t block) {
  const struct kiln_graph *g = &d->f->graph;
  const uint32_t meet = d->a->uniform->postdom.parent[block];
  struct kl_list todo = {0}, found = {0};
  d->a->parts[block] = true;
  kiln_list_push(d->env, &todo, block);
  while (todo.n > 0) {
    uint32_t b = todo.at[--todo.n];
    for (uint32_t k = g->succ0[b]; k < g->succ0[b + 1]; k++) {
      uint32_t to = g->succ[k];
      if (to == block) return false;
      if (to == meet || d->a->branch[to] == block) continue;
      if (d->a->branch[to] != KL_NONE) return false;
      d->a->branch[to] = block;
      kiln_list_push(d->env, &todo, to);
      kiln_list_push(d->env, &found, to);
    }
  }
  for (uint32_t i = 0; i < found.n; i++)
    if (!is_entered_by(d, found.at[i], block)) return false;
  return true;
}

/* Each private object is on the stack, and nothing is kept in memory for other regions. */
static bool is_simple(const struct kl_program *program, const struct kl_plan *plan, bool *has_objects) {
  const struct kl_func *f = program->kernel;
  if (plan->nregion != 1 || plan->nslot != 0 || program->has_sub_groups) return false;
  for (uint32_t v = f->narg; v < f->ninst; v++) {
    if (plan->place[v] != KL_PLACE_NONE && plan->place[v] != KL_PLACE_STACK) return false;
    *has_objects |= plan->place[v] != KL_PLACE_NONE;
  }
  return f->ninst - f->narg <= MOST_INSTRUCTIONS;
}

bool kiln_abreast_find(struct kl_abreast *a, struct kl_env *env, const struct kl_program *program,
                       const struct kl_plan *plan, const struct kl_uniform *uniform) {
  const struct kl_func *f = program->kernel;
  struct finder d = {.a = a, .env = env, .f = f};
  if (!is_simple(program, plan, &d.has_objects) || uniform->loops.irreducible) return false;
  a->uniform = uniform;
  a->branch = kl_new(env, f->graph.n, uint32_t);
  a->parts = kl_new(env, f->graph.n, bool);
  a->leaves = kl_new(env, f->graph.n, bool);
  memset(a->branch, 0xff, f->graph.n * sizeof *a->branch);
  for (uint32_t b = 0; b < f->graph.n; b++) {
    if (a->branch[b] != KL_NONE || !kiln_uniform_is_divergent(uniform, f, b)) continue;
    if (!find_leaving(&d, b) && !find_parting(&d, b)) return false;
  }
  return true;
}

/* ---- code ---- */

/* Where the ways of both after a branch have met; by phi of the block there, what each has. And the block
 * from which both go there at once, or NULL. */
struct landing {
  LLVMBasicBlockRef block, around;
  LLVMValueRef *value[2];
};

struct pair {
  struct kl_group *g;
  const struct kl_abreast *plan;
  const struct kl_func *f;
  struct kl_emit second, *item[2];
  LLVMBuilderRef b;
  LLVMValueRef both;    /* the second is a work-item of its own */
  LLVMValueRef *phi[2]; /* by value: of common code, which take_over() may have replaced for what follows */
  uint32_t given;       /* up to here they have their inputs */
  struct landing *landing; /* by block that parts them */
};

static bool is_true(LLVMValueRef x) { return LLVMIsAConstantInt(x) && LLVMConstIntGetZExtValue(x) == 1; }

static bool has_value(const struct pair *p, uint32_t i) {
  return p->item[0]->value_pass[i] == p->item[0]->pass;
}

static void share(struct pair *p, uint32_t i) {
  if (has_value(p, i)) kiln_emit_define(&p->second, i, p->item[0]->value[i]);
}

static bool is_ordered(const struct kl_inst *inst) {
  return (inst->op == LLVMLoad || inst->op == LLVMStore) && !kiln_is_ordinary(inst->v);
}

/* Both have the same, or do the same to the same place. */
static bool is_shared(const struct pair *p, uint32_t i) {
  const struct kl_inst *inst = &p->f->inst[i];
  return !p->plan->uniform->varying[i] && !(inst->op == LLVMStore && is_ordered(inst));
}

static bool may_repeat(const struct kl_inst *inst) {
  if (inst->op == LLVMCall) return kiln_call_is_pure(inst->v) || LLVMIsAIntrinsicInst(inst->v) != NULL;
  return inst->op != LLVMAtomicRMW && inst->op != LLVMAtomicCmpXchg && inst->op != KL_PRINTF &&
         !is_ordered(inst);
}

static void emit_unrepeated(struct pair *p, uint32_t i) {
  LLVMBasicBlockRef from = LLVMGetInsertBlock(p->b), own = kiln_emit_new_block(&p->second, ""),
                    after = kiln_emit_new_block(&p->second, "");
  LLVMBuildCondBr(p->b, p->both, own, after);
  LLVMPositionBuilderAtEnd(p->b, own);
  kiln_emit_inst(&p->second, i);
  LLVMBasicBlockRef end = LLVMGetInsertBlock(p->b);
  LLVMBuildBr(p->b, after);
  LLVMPositionBuilderAtEnd(p->b, after);
  if (!has_value(p, i) || LLVMGetTypeKind(LLVMTypeOf(p->second.value[i])) == LLVMVoidTypeKind) return;
  LLVMValueRef value[] = {p->second.value[i], p->item[0]->value[i]},
               phi = LLVMBuildPhi(p->b, LLVMTypeOf(value[0]), "");
  LLVMBasicBlockRef block[] = {end, from};
  LLVMAddIncoming(phi, value, block, 2);
  kiln_emit_define(&p->second, i, phi);
}

static void emit_inst(struct pair *p, uint32_t i) {
  const struct kl_inst *inst = &p->f->inst[i];
  if (inst->op == LLVMAlloca) return;
  kiln_emit_inst(p->item[0], i);
  if (is_shared(p, i)) share(p, i);
  else if (is_true(p->both) || may_repeat(inst)) kiln_emit_inst(&p->second, i);
  else emit_unrepeated(p, i);
}

/* ---- ways of their own ---- */

static uint32_t parting_of(const struct pair *p, uint32_t from) {
  return p->plan->parts[from] ? from : p->plan->branch[from];
}

static void set_block(struct kl_emit *e, uint32_t block, LLVMBasicBlockRef made) {
  e->begin[block] = e->end[block] = made;
  e->block_pass[block] = e->pass;
}

static void emit_own_blocks(struct pair *p, struct kl_emit *e, uint32_t branch, LLVMBasicBlockRef land) {
  const struct kl_func *f = p->f;
  for (uint32_t b = branch + 1; b < f->graph.n; b++) {
    if (p->plan->branch[b] != branch) continue;
    uint32_t last = kl_last_of(f, b);
    kiln_emit_block(e, b);
    if (f->inst[last].op == LLVMRet) LLVMBuildBr(p->b, land);
    else if (f->inst[last].op == LLVMUnreachable) LLVMBuildUnreachable(p->b);
    else kiln_emit_branch(e, last);
  }
  for (uint32_t b = branch + 1; b < f->graph.n; b++)
    for (uint32_t i = f->block[b].first; p->plan->branch[b] == branch && i < kl_end_of_phis(f, b); i++)
      kiln_emit_phi_inputs(e, i);
}

/* What one of them brings to phi i where the ways meet. */
static LLVMValueRef land_phi(struct pair *p, struct kl_emit *e, uint32_t branch, uint32_t i,
                             LLVMBasicBlockRef land) {
  LLVMPositionBuilderAtEnd(p->b, land);
  LLVMValueRef phi = LLVMBuildPhi(p->b, kiln_group_value_type(p->g, i), "");
  for (uint32_t k = 0; k < p->f->inst[i].nops; k += 2) {
    uint32_t from = kl_operand(p->f, i, k + 1);
    if (parting_of(p, from) != branch) continue;
    LLVMValueRef input = kiln_emit_phi_input(e, i, k, from);
    LLVMAddIncoming(phi, &input, &e->end[from], 1);
  }
  return phi;
}

/* From the branch, whose condition is there, to where the ways meet; `beside`: the block from which a second
 * that is none goes there at once, or NULL. */
static void emit_own_way(struct pair *p, unsigned which, uint32_t branch, LLVMBasicBlockRef land,
                         LLVMBasicBlockRef beside) {
  struct kl_emit *e = p->item[which];
  const struct kl_func *f = p->f;
  const uint32_t meet = p->plan->uniform->postdom.parent[branch];
  const bool meets = meet < f->graph.n;
  LLVMBasicBlockRef met = meets ? e->begin[meet] : NULL;
  e->end[branch] = LLVMGetInsertBlock(p->b);
  for (uint32_t b = branch + 1; b < f->graph.n; b++)
    if (p->plan->branch[b] == branch) set_block(e, b, kiln_emit_new_block(e, ""));
  if (meets) e->begin[meet] = land;
  kiln_emit_branch(e, kl_last_of(f, branch));
  emit_own_blocks(p, e, branch, land);
  if (meets) {
    e->begin[meet] = met;
    struct landing *l = &p->landing[branch];
    uint32_t first = f->block[meet].first, end = kl_end_of_phis(f, meet);
    l->value[which] = kl_new(e->env, end - first + 1, LLVMValueRef);
    for (uint32_t i = first; i < end; i++) {
      LLVMValueRef phi = l->value[which][i - first] = land_phi(p, e, branch, i, land);
      if (beside != NULL) LLVMAddIncoming(phi, &l->value[0][i - first], &beside, 1);
    }
  }
  LLVMPositionBuilderAtEnd(p->b, land);
}

/* Where a branch only leads around something, that is left out when neither has to do it. Which also has both
 * compute what they go by before either goes: code generation would move the second's down to its branch. */
static void emit_way_around(struct pair *p, uint32_t branch, uint32_t meet) {
  const struct kl_func *f = p->f;
  const uint32_t last = kl_last_of(f, branch), *to = &f->graph.succ[f->graph.succ0[branch]];
  LLVMValueRef enters[2];
  if (f->inst[last].op != LLVMBr || meet >= f->graph.n || (to[0] != meet && to[1] != meet)) return;
  for (unsigned k = 0; k < 2; k++) {
    enters[k] = kiln_emit_operand(p->item[k], kl_operand(f, last, 0));
    if (to[0] == meet) enters[k] = LLVMBuildNot(p->b, enters[k], "");
  }
  LLVMBasicBlockRef some = kiln_emit_new_block(p->item[0], "");
  p->landing[branch].around = LLVMGetInsertBlock(p->b);
  LLVMBuildCondBr(p->b, LLVMBuildOr(p->b, enters[0], enters[1], ""), some, p->item[0]->begin[meet]);
  LLVMPositionBuilderAtEnd(p->b, some);
}

static void emit_own_ways(struct pair *p, uint32_t branch) {
  const uint32_t meet = p->plan->uniform->postdom.parent[branch];
  LLVMBasicBlockRef first = kiln_emit_new_block(p->item[0], ""), second = kiln_emit_new_block(p->item[0], ""),
                    beside = NULL;
  emit_way_around(p, branch, meet);
  emit_own_way(p, 0, branch, first, NULL);
  if (!is_true(p->both)) {
    LLVMBasicBlockRef own = kiln_emit_new_block(p->item[0], "");
    beside = first;
    LLVMBuildCondBr(p->b, p->both, own, second);
    LLVMPositionBuilderAtEnd(p->b, own);
  }
  emit_own_way(p, 1, branch, second, beside);
  p->landing[branch].block = second;
  LLVMBuildBr(p->b, meet < p->f->graph.n ? p->item[0]->begin[meet] : p->g->latch);
}

/* ---- phis ---- */

/* Edges from ways of their own become one, from where these have met. */
static void give_inputs(struct pair *p, unsigned which, uint32_t i) {
  struct kl_emit *e = p->item[which];
  LLVMValueRef phi = p->phi[which][i];
  const uint32_t nth = i - p->f->block[p->f->inst[i].bb].first;
  for (uint32_t k = 0; k < p->f->inst[i].nops; k += 2) {
    uint32_t from = kl_operand(p->f, i, k + 1), branch = parting_of(p, from);
    if (branch == KL_NONE) {
      LLVMValueRef input = kiln_emit_phi_input(e, i, k, from);
      LLVMAddIncoming(phi, &input, &e->end[from], 1);
      continue;
    }
    struct landing *l = &p->landing[branch];
    if (from == branch && l->around != NULL) {
      LLVMValueRef input = kiln_emit_operand(e, kl_operand(p->f, i, k));
      LLVMAddIncoming(phi, &input, &l->around, 1);
    }
    bool is_first = true;
    for (uint32_t j = 0; j < k; j += 2) is_first &= parting_of(p, kl_operand(p->f, i, j + 1)) != branch;
    if (is_first) LLVMAddIncoming(phi, &l->value[which][nth], &l->block, 1);
  }
}

/* Of common code, up to instruction `end`. */
static void give_phis_inputs(struct pair *p, uint32_t end) {
  for (; p->given < end; p->given++) {
    uint32_t i = p->given;
    if (p->f->inst[i].op != LLVMPHI || p->plan->branch[p->f->inst[i].bb] != KL_NONE) continue;
    give_inputs(p, 0, i);
    if (!is_shared(p, i)) give_inputs(p, 1, i);
  }
}

/* ---- ways out ---- */

/* Each gets what the one that goes on has. */
static void take_over(struct pair *p, LLVMValueRef goes_on[2], LLVMValueRef *first, LLVMValueRef *second) {
  LLVMValueRef a = *first, b = *second;
  if (a == b) return;
  *first = LLVMBuildSelect(p->b, goes_on[0], a, b, "");
  *second = LLVMBuildSelect(p->b, goes_on[1], b, a, "");
}

/* A value that the end of a common block has for both. */
static bool is_known_at(const struct pair *p, uint32_t v, uint32_t block) {
  const uint32_t home = p->f->inst[v].bb;
  return has_value(p, v) && p->plan->branch[home] == KL_NONE &&
         kiln_tree_above(&p->plan->uniform->dom, home, block) &&
         LLVMGetTypeKind(LLVMTypeOf(p->item[0]->value[v])) != LLVMVoidTypeKind;
}

/* What comes before has its phis complete: values have other names from here on. */
static void emit_leaving(struct pair *p, uint32_t block) {
  const struct kl_func *f = p->f;
  const uint32_t last = kl_last_of(f, block), *to = &f->graph.succ[f->graph.succ0[block]];
  const unsigned out = returns_at_once(f, to[0]) ? 0 : 1;
  struct kl_emit *e = p->item[0];
  LLVMValueRef goes_on[2];
  give_phis_inputs(p, last);
  LLVMPositionBuilderAtEnd(p->b, e->end[block]);
  for (unsigned k = 0; k < 2; k++) {
    goes_on[k] = kiln_emit_operand(p->item[k], kl_operand(f, last, 0));
    if (out == 0) goes_on[k] = LLVMBuildNot(p->b, goes_on[k], "");
  }
  LLVMBasicBlockRef on = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(p->b, LLVMBuildOr(p->b, goes_on[0], goes_on[1], ""), on, p->g->latch);
  LLVMPositionBuilderAtEnd(p->b, on);
  LLVMValueRef stay = LLVMBuildAnd(p->b, goes_on[0], goes_on[1], "");
  p->both = LLVMBuildAnd(p->b, p->both, stay, "");
  take_over(p, goes_on, &e->ids.local_id[0], &p->second.ids.local_id[0]);
  for (uint32_t v = f->narg; v < f->ninst; v++)
    if (is_known_at(p, v, block)) take_over(p, goes_on, &e->value[v], &p->second.value[v]);
  e->end[block] = p->second.end[block] = on;
  LLVMBuildBr(p->b, e->begin[to[1 - out]]);
}

/* ---- common code ---- */

static void emit_common_block(struct pair *p, uint32_t block) {
  const struct kl_func *f = p->f;
  const uint32_t last = kl_last_of(f, block);
  uint32_t i = f->block[block].first;
  LLVMPositionBuilderAtEnd(p->b, p->item[0]->begin[block]);
  for (uint32_t end = kl_end_of_phis(f, block); i < end; i++) {
    kiln_emit_phi(p->item[0], i);
    if (is_shared(p, i)) share(p, i);
    else kiln_emit_phi(&p->second, i);
    for (unsigned k = 0; k < 2; k++) p->phi[k][i] = p->item[k]->value[i];
  }
  for (; i < last; i++) emit_inst(p, i);
  p->item[0]->end[block] = p->second.end[block] = LLVMGetInsertBlock(p->b);
  if (f->inst[last].op == LLVMRet) LLVMBuildBr(p->b, p->g->latch);
  else if (f->inst[last].op == LLVMUnreachable) LLVMBuildUnreachable(p->b);
  else if (p->plan->leaves[block]) emit_leaving(p, block);
  else if (p->plan->parts[block]) emit_own_ways(p, block);
  else kiln_emit_branch(p->item[0], last);
}

/* Values and blocks of its own. */
static void start_second(struct pair *p) {
  struct kl_emit *e = &p->g->e, *s = &p->second;
  *s = *e;
  kiln_emit_new_values(s);
  memcpy(s->fixed, e->fixed, p->f->nvalue * sizeof *s->fixed);
}

/* A last one without a neighbour is both. */
static void number_second(struct pair *p) {
  struct kl_emit *e = &p->g->e;
  LLVMValueRef id = e->ids.local_id[0], size = e->ids.local_size[0];
  LLVMValueRef next = LLVMBuildAdd(p->b, id, kiln_emit_index(e, 1), "");
  p->both = LLVMConstInt(e->map->i1, 1, false);
  if (!LLVMIsAConstantInt(size) || LLVMConstIntGetZExtValue(size) % 2 != 0)
    p->both = LLVMBuildICmp(p->b, LLVMIntULT, next, size, "");
  p->second.ids.local_id[0] = is_true(p->both) ? next : LLVMBuildSelect(p->b, p->both, next, id, "");
}

/* Private objects of its own; those of the first if it is that once more, as what stands under branches is
 * done by the first alone then. */
static void place_objects(struct pair *p) {
  struct kl_emit *e = &p->g->e, *s = &p->second;
  for (uint32_t v = p->f->narg; v < p->f->ninst; v++) {
    if (p->g->plan->place[v] != KL_PLACE_STACK) continue;
    LLVMValueRef own = LLVMBuildAlloca(e->top, LLVMGetAllocatedType(e->fixed[v]), "");
    LLVMSetAlignment(own, LLVMGetAlignment(e->fixed[v]));
    s->fixed[v] = is_true(p->both) ? own : LLVMBuildSelect(p->b, p->both, own, e->fixed[v], "");
  }
}

void kiln_abreast_emit(struct kl_group *g, const struct kl_abreast *plan) {
  struct pair p = {
      .g = g, .plan = plan, .f = g->e.f, .b = g->e.b, .item = {&g->e, &p.second}, .given = g->e.f->narg};
  const uint32_t n = p.f->graph.n;
  start_second(&p);
  number_second(&p);
  place_objects(&p);
  p.landing = kl_new(g->e.env, n, struct landing);
  for (unsigned k = 0; k < 2; k++) p.phi[k] = kl_new(g->e.env, p.f->nvalue, LLVMValueRef);
  for (uint32_t b = 0; b < n; b++) {
    if (plan->branch[b] != KL_NONE) continue;
    set_block(&g->e, b, kiln_emit_new_block(&g->e, ""));
    set_block(&p.second, b, g->e.begin[b]);
  }
  LLVMBuildBr(p.b, g->e.begin[0]);
  for (uint32_t b = 0; b < n; b++)
    if (plan->branch[b] == KL_NONE) emit_common_block(&p, b);
  give_phis_inputs(&p, p.f->ninst);
}
