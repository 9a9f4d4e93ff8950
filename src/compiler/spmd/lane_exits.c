/* What lanes take along out of a loop that they leave at different turns. A phi of the loop's header that
 * gets a new value in each turn has a variable, which those who have left change no more: what follows the
 * loop reads it there, once, instead of a variable of its own that each turn would blend. Not so with what
 * decides who leaves: turns would wait for that, which processors otherwise begin before it is known
 * (Newton's method 0.9 of the speed). */
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/lane_code.h"

#include <string.h>

/* A phi of what follows a loop, and the phi of the loop in whose variable it is found. */
struct exit_phi {
  uint32_t phi, own;
  uint32_t target; /* node that lanes leave to; KL_NONE: all that come to the loop */
  bool is_there;   /* lanes that do not come to the loop bring the phi what they would begin it with */
  uint32_t next_of_phi, next_of_loop;
};

struct kl_lane_exits {
  uint32_t *turn;        /* by phi of such a loop: what it gets in each turn; KL_NONE by all other values */
  uint32_t *stored;      /* by node: first of the phis that get it at the end of its block; KL_NONE */
  uint32_t *next_stored; /* by such a phi */
  struct exit_phi *exit;
  uint32_t nexit, cap;
  uint32_t *by_phi, *by_loop; /* first of exit[]; KL_NONE */
  uint32_t *asked;            /* by value: the last loop looked at of which an end depends on it; KL_NONE */
};

struct loop {
  struct kl_lane_code *c;
  uint32_t loop, header, latch; /* header and latch: nodes */
  struct kiln_edge *exit;       /* by which lanes leave: a node and the number of its edge */
  uint32_t nexit;
  bool ends; /* some leave the region */
};

/* ---- the loop ---- */

static bool is_in(const struct loop *p, uint32_t node) {
  return node != KL_NONE && kiln_loops_contain(&p->c->l->flow->loops, p->loop, node);
}

/* The block of the program that an edge leads to. */
static uint32_t end_of(const struct kl_lane_code *c, struct kiln_edge edge) {
  const struct kiln_graph *g = &c->e->f->graph;
  return g->succ[g->succ0[c->l->block[edge.from]] + edge.to];
}

static bool ends_region(const struct kl_lane_code *c, uint32_t node) {
  const uint32_t block = c->l->block[node];
  const struct kiln_graph *g = &c->e->f->graph;
  return c->e->f->block[block].barrier != 0 || g->succ0[block] == g->succ0[block + 1];
}

/* Lanes run side by side, and who leaves by which edge is known where the block ends. */
static bool is_plain_block(const struct kl_lane_code *c, uint32_t node) {
  const struct kl_lane_turns *turns = &c->g->lane_plan->turns;
  const uint32_t block = c->l->block[node];
  return (turns->root == NULL || (turns->root[block] == KL_NONE && !turns->twice[block])) &&
         c->e->f->inst[kl_last_of(c->e->f, block)].op != LLVMSwitch;
}

static bool find_edges(struct loop *p) {
  const struct kl_flow *flow = p->c->l->flow;
  uint32_t most = 0;
  for (uint32_t n = 0; n < flow->nblock; n++) most += is_in(p, n) ? flow->node[n].nsucc : 0;
  p->exit = kl_new(p->c->e->env, most, struct kiln_edge);
  p->header = flow->loops.header[p->loop];
  for (uint32_t n = 0; n < flow->nblock; n++) {
    if (!is_in(p, n)) continue;
    if (!is_plain_block(p->c, n)) return false;
    p->ends |= ends_region(p->c, n);
    for (uint32_t k = 0; !ends_region(p->c, n) && k < flow->node[n].nsucc; k++) {
      const struct kiln_edge edge = {n, k};
      const uint32_t to = p->c->l->node_of[end_of(p->c, edge)];
      if (to == p->header) p->latch = n;
      else if (!is_in(p, to)) p->exit[p->nexit++] = edge;
    }
  }
  return flow->loops.of[p->latch] == p->loop;
}

/* ---- its phis ---- */

/* Kept in a variable of its own, in all lanes. */
static bool is_plain(const struct kl_lane_code *c, uint32_t phi) {
  const struct kl_shapes *shapes = c->l->shapes;
  return shapes->of[phi].kind == KL_VARYING && shapes->checked[phi].kind == KL_VARYING &&
         !kiln_packed_wanted(c->l, phi);
}

static uint32_t node_of(const struct kl_lane_code *c, uint32_t v) {
  const uint32_t block = c->e->f->inst[v].bb;
  return block == KL_NONE ? KL_NONE : c->l->node_of[block];
}

/* What the phi gets at the end of a turn, if it is made in the loop. */
static uint32_t turn_of(const struct loop *p, uint32_t phi) {
  const struct kl_func *f = p->c->e->f;
  const uint32_t v = kl_phi_input(f, phi, p->c->l->block[p->latch]);
  return v != phi && v >= f->narg && v < f->ninst && is_in(p, node_of(p->c, v)) ? v : KL_NONE;
}

/* The node at whose end it gets it. */
static uint32_t store_of(const struct loop *p, uint32_t phi) {
  const uint32_t node = node_of(p->c, p->c->exits->turn[phi]);
  return p->c->l->flow->loops.of[node] == p->loop ? node : p->latch;
}

/* What a lane that leaves by this edge has in the phi's variable. */
static uint32_t found_at(const struct loop *p, uint32_t phi, struct kiln_edge edge) {
  const struct kiln_tree *dom = &p->c->l->shapes->uniform.dom;
  const uint32_t *block = p->c->l->block;
  return kiln_tree_above(dom, block[store_of(p, phi)], block[edge.from]) ? p->c->exits->turn[phi] : phi;
}

/* Marks what is computed in the loop to find who leaves it. */
static void find_asked(const struct loop *p) {
  struct kl_env *env = p->c->e->env;
  const struct kl_func *f = p->c->e->f;
  struct kl_list todo = {0};
  for (uint32_t i = 0; i < p->nexit; i++)
    kiln_list_push(env, &todo, kl_last_of(f, p->c->l->block[p->exit[i].from]));
  while (todo.n > 0) {
    const uint32_t v = todo.at[--todo.n];
    if (v < f->narg || v >= f->ninst || p->c->exits->asked[v] == p->loop || !is_in(p, node_of(p->c, v)))
      continue;
    p->c->exits->asked[v] = p->loop;
    for (uint32_t k = 0; k < f->inst[v].nops; k += f->inst[v].op == LLVMPHI ? 2 : 1)
      kiln_list_push(env, &todo, kl_operand(f, v, k));
  }
}

/* ---- phis of what follows ---- */

/* The phi of the loop in whose variable lanes that leave by an edge to the same block find what they bring
 * the phi there; KL_NONE: there is none. */
static uint32_t brought_by(const struct loop *p, uint32_t to, uint32_t phi) {
  const struct kl_lane_code *c = p->c;
  const struct kl_func *f = c->e->f;
  const uint32_t block = c->l->block[p->header], end = kl_end_of_phis(f, block);
  for (uint32_t own = f->block[block].first; own < end; own++) {
    bool all = c->exits->turn[own] != KL_NONE && LLVMTypeOf(f->inst[own].v) == LLVMTypeOf(f->inst[phi].v);
    for (uint32_t i = 0; i < p->nexit && all; i++)
      all = end_of(c, p->exit[i]) != to ||
            kl_phi_input(f, phi, c->l->block[p->exit[i].from]) == found_at(p, own, p->exit[i]);
    if (all) return own;
  }
  return KL_NONE;
}

/* A phi has one value from all blocks outside the loop: *v, unless that is KL_NONE and set here. */
static bool has_one(const struct loop *p, uint32_t phi, uint32_t *v) {
  const struct kl_func *f = p->c->e->f;
  for (uint32_t k = 0; k < f->inst[phi].nops; k += 2) {
    if (is_in(p, p->c->l->node_of[kl_operand(f, phi, k + 1)])) continue;
    if (*v != KL_NONE && kl_operand(f, phi, k) != *v) return false;
    *v = kl_operand(f, phi, k);
  }
  return true;
}

static bool begins_alike(const struct loop *p, uint32_t own, uint32_t phi) {
  const struct kiln_loops *loops = &p->c->l->flow->loops;
  uint32_t v = KL_NONE;
  if (loops->of[node_of(p->c, phi)] != loops->parent[p->loop]) return false; /* or in another turn */
  return has_one(p, own, &v) && has_one(p, phi, &v);
}

static struct exit_phi *new_exit(struct kl_lane_code *c) {
  struct kl_lane_exits *x = c->exits;
  if (x->nexit == x->cap) {
    struct exit_phi *more = kl_new(c->e->env, 2 * x->cap + 8, struct exit_phi);
    if (x->nexit != 0) memcpy(more, x->exit, x->nexit * sizeof *more);
    x->exit = more;
    x->cap = 2 * x->cap + 8;
  }
  return &x->exit[x->nexit++];
}

static bool has_exit(const struct loop *p, uint32_t phi) {
  const struct kl_lane_exits *x = p->c->exits;
  const uint32_t last = x->by_phi[phi];
  return last != KL_NONE && is_in(p, node_of(p->c, x->exit[last].own));
}

/* Whether all lanes that come to the loop leave to where edge i leads. */
static bool is_only_way(const struct loop *p, uint32_t i) {
  for (uint32_t k = 0; k < p->nexit; k++)
    if (end_of(p->c, p->exit[k]) != end_of(p->c, p->exit[i])) return false;
  return !p->ends;
}

static void find_exits(const struct loop *p, uint32_t i) {
  struct kl_lane_code *c = p->c;
  struct kl_lane_exits *x = c->exits;
  const struct kl_func *f = c->e->f;
  const struct kl_flow *flow = c->l->flow;
  const uint32_t to = end_of(c, p->exit[i]), node = c->l->node_of[to],
                 target = is_only_way(p, i) ? KL_NONE : kiln_lane_target(c, p->exit[i].from, p->exit[i].to);
  if (node == KL_NONE || (target != KL_NONE && c->l->in[target] == NULL)) return;
  const uint32_t around = flow->loops.of[node];
  if (around != KL_NONE && flow->loops.header[around] == node &&
      kiln_loops_contain(&flow->loops, around, p->header))
    return; /* a turn of a loop around this one */
  for (uint32_t phi = f->block[to].first, end = kl_end_of_phis(f, to); phi < end; phi++) {
    if (!is_plain(c, phi) || has_exit(p, phi)) continue;
    const uint32_t own = brought_by(p, to, phi);
    if (own == KL_NONE) continue;
    *new_exit(c) =
        (struct exit_phi){phi, own, target, begins_alike(p, own, phi), x->by_phi[phi], x->by_loop[p->loop]};
    x->by_phi[phi] = x->by_loop[p->loop] = x->nexit - 1;
  }
}

/* ---- values of the loop ---- */

static bool is_found(const struct loop *p, uint32_t own) {
  const struct kl_lane_exits *x = p->c->exits;
  for (uint32_t i = x->by_loop[p->loop]; i != KL_NONE; i = x->exit[i].next_of_loop)
    if (x->exit[i].own == own) return true;
  return false;
}

/* Whoever comes to the loop again, while others have left the loops around it, would change what these have
 * left. */
static bool comes_again(const struct loop *p) {
  const struct kl_flow *flow = p->c->l->flow;
  for (uint32_t l = flow->loops.parent[p->loop]; l != KL_NONE; l = flow->loops.parent[l])
    if (flow->loop_diverges[l]) return true;
  return false;
}

/* What is used after the loop and found in the variable of a phi has none of its own. */
static bool lend(const struct loop *p, uint32_t own) {
  struct kl_lane_code *c = p->c;
  const uint32_t v = c->exits->turn[own];
  if (comes_again(p) || c->g->plan->keep[v] != KL_KEEP_NONE || store_of(p, own) != node_of(c, v) ||
      !kiln_lane_plan_is_kept(c->g->lane_plan, c->r, v) || c->l->kept[v].n != 0)
    return false;
  if (c->l->phi[own].n == 0) c->l->phi[own] = kiln_lanes_new_cells(c->l, own);
  c->l->kept[v] = c->l->phi[own];
  c->l->kept[v].is_lent = true;
  return true;
}

static void find_in(struct kl_lane_code *c, uint32_t loop) {
  struct loop p = {.c = c, .loop = loop};
  struct kl_lane_exits *x = c->exits;
  const struct kl_func *f = c->e->f;
  if (!find_edges(&p)) return;
  const uint32_t block = c->l->block[p.header], first = f->block[block].first, end = kl_end_of_phis(f, block);
  find_asked(&p);
  for (uint32_t phi = first; phi < end; phi++)
    if (is_plain(c, phi) && x->asked[phi] != loop) x->turn[phi] = turn_of(&p, phi);
  for (uint32_t i = 0; i < p.nexit; i++) find_exits(&p, i);
  for (uint32_t phi = first; phi < end; phi++) {
    if (x->turn[phi] == KL_NONE) continue;
    const bool is_lent = lend(&p, phi);
    if (!is_lent && !is_found(&p, phi)) {
      x->turn[phi] = KL_NONE;
      continue;
    }
    const uint32_t node = store_of(&p, phi);
    x->next_stored[phi] = x->stored[node];
    x->stored[node] = phi;
  }
}

static uint32_t *new_numbers(struct kl_lane_code *c, uint32_t n) {
  uint32_t *number = kl_new(c->e->env, n, uint32_t);
  memset(number, 0xff, n * sizeof *number);
  return number;
}

static bool is_candidate(const struct kl_lane_code *c, uint32_t loop) {
  return c->l->flow->loop_diverges[loop] && kiln_lane_plan_latches(c->g->lane_plan, c->r, loop) == 1;
}

/* Of most regions there are none, and regions may be many. */
static bool has_candidates(const struct kl_lane_code *c) {
  for (uint32_t loop = 0; loop < c->l->flow->loops.count; loop++)
    if (is_candidate(c, loop)) return true;
  return false;
}

void kiln_lane_find_exits(struct kl_lane_code *c) {
  const struct kl_flow *flow = c->l->flow;
  c->exits = NULL;
  if (!has_candidates(c)) return;
  struct kl_lane_exits *x = c->exits = kl_new(c->e->env, 1, struct kl_lane_exits);
  x->turn = new_numbers(c, c->e->f->nvalue);
  x->next_stored = new_numbers(c, c->e->f->nvalue);
  x->asked = new_numbers(c, c->e->f->nvalue);
  x->by_phi = new_numbers(c, c->e->f->nvalue);
  x->stored = new_numbers(c, flow->nblock);
  x->by_loop = new_numbers(c, flow->loops.count);
  for (uint32_t loop = 0; loop < flow->loops.count; loop++)
    if (is_candidate(c, loop)) find_in(c, loop);
}

/* ---- code ---- */

bool kiln_lane_stays(const struct kl_lane_code *c, uint32_t phi) {
  return c->exits != NULL && c->exits->turn[phi] != KL_NONE;
}

bool kiln_lane_is_put_off(const struct kl_lane_code *c, uint32_t phi, uint32_t from) {
  const struct kl_lane_exits *x = c->exits;
  const struct kiln_loops *loops = &c->l->flow->loops;
  const uint32_t node = c->l->node_of[from];
  if (x == NULL) return false;
  if (x->turn[phi] != KL_NONE && kiln_loops_contain(loops, loops->of[node_of(c, phi)], node)) return true;
  for (uint32_t i = x->by_phi[phi]; i != KL_NONE; i = x->exit[i].next_of_phi)
    if (kiln_loops_contain(loops, loops->of[node_of(c, x->exit[i].own)], node)) return true;
  return false;
}

void kiln_lane_end_turn(struct kl_lane_code *c, uint32_t node, LLVMValueRef mask) {
  const struct kl_lane_exits *x = c->exits;
  for (uint32_t phi = x == NULL ? KL_NONE : x->stored[node]; phi != KL_NONE; phi = x->next_stored[phi])
    kiln_lane_store_phi(c, phi, kiln_lanes_operand(c->l, x->turn[phi]), mask);
}

/* Of those that have come to the loop, or of all. */
static LLVMValueRef leavers(struct kl_lane_code *c, uint32_t loop, const struct exit_phi *exit) {
  const struct kl_flow *flow = c->l->flow;
  LLVMValueRef came = c->l->mask[flow->node[flow->loop_enter[loop]].owner];
  if (exit->is_there) return LLVMConstAllOnes(LLVMTypeOf(came));
  if (exit->target == KL_NONE) return came;
  LLVMValueRef there = LLVMBuildLoad2(c->e->b, LLVMTypeOf(came), c->l->in[exit->target], "");
  return LLVMBuildAnd(c->e->b, came, there, "");
}

void kiln_lane_leave_loop(struct kl_lane_code *c, uint32_t loop) {
  const struct kl_lane_exits *x = c->exits;
  LLVMValueRef staying = c->l->in[c->l->flow->loops.header[loop]];
  LLVMBuildStore(c->e->b, LLVMConstNull(LLVMGetAllocatedType(staying)), staying); /* as it is: for LLVM */
  for (uint32_t i = x == NULL ? KL_NONE : x->by_loop[loop]; i != KL_NONE; i = x->exit[i].next_of_loop) {
    const struct exit_phi *exit = &x->exit[i];
    kiln_lane_store_phi(c, exit->phi, kiln_lanes_load(c->l, &c->l->phi[exit->own]), leavers(c, loop, exit));
  }
}
