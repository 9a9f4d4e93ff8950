/* Code of a region for a vector of work-items at a time: the loops, the nodes of its flow with their masks,
 * what comes from before and what stays for later. Full vectors and the last, shorter one of a row have code
 * of their own, but where groups are rare. */
#include "compiler/spmd/collective.h"
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/lane_code.h"
#include "compiler/spmd/lane_unroll.h"
#include "compiler/spmd/long_loops.h"

#include <string.h>

/* ---- edges ---- */

static void deliver(struct kl_lane_code *c, uint32_t node, LLVMValueRef mask) {
  LLVMValueRef in = c->l->in[node];
  c->choice[node] = NULL;
  if (in == NULL) return;
  LLVMValueRef old = LLVMBuildLoad2(c->e->b, LLVMTypeOf(mask), in, "");
  LLVMBuildStore(c->e->b, LLVMBuildOr(c->e->b, old, mask, ""), in);
}

static bool phi_is_scalar(struct kl_lane_code *c, uint32_t phi) {
  return c->l->shapes->of[phi].kind != KL_VARYING;
}

/* The variable of a scalar phi in a row. */
static LLVMValueRef phi_cell(struct kl_lane_code *c, uint32_t phi, unsigned row) {
  LLVMValueRef *cell = &c->l->phi_base[(size_t)row * c->e->f->nvalue + phi];
  if (*cell == NULL) *cell = LLVMBuildAlloca(c->e->top, kiln_group_value_type(c->g, phi), "");
  return *cell;
}

static unsigned rows_of(struct kl_lane_code *c, uint32_t value) {
  return kiln_lanes_is_uneven(c->l, value) ? c->l->map->rows : 1;
}

/* ---- phis whose lanes follow a pattern while checks hold ---- */

static bool phi_is_looked_at(struct kl_lane_code *c, uint32_t phi) {
  return kiln_shape_is_looked_at(c->l->shapes, c->e->f, phi);
}

/* Its check comes with what it gets. */
static bool phi_is_checked(struct kl_lane_code *c, uint32_t phi) {
  return c->l->shapes->checked[phi].kind != KL_VARYING && !phi_is_looked_at(c, phi);
}

static LLVMValueRef ok_cell(struct kl_lane_code *c, uint32_t phi) {
  LLVMValueRef *cell = &c->l->phi_ok[phi];
  if (*cell == NULL) *cell = LLVMBuildAlloca(c->e->top, c->e->map->i1, "");
  return *cell;
}

/* Lane 0 of an input, and whether the lanes follow it. */
struct checked_input {
  LLVMValueRef scalar, ok;
};

static struct checked_input checked_input(struct kl_lane_code *c, uint32_t phi, uint32_t v) {
  struct checked_input in;
  if (kiln_lanes_checked_scalar(c->l, v, &in.scalar, &in.ok)) return in;
  LLVMTypeRef type = kiln_group_value_type(c->g, phi);
  return (struct checked_input){LLVMConstNull(type), LLVMConstNull(c->e->map->i1)};
}

static void pass_checked(struct kl_lane_code *c, uint32_t phi, struct checked_input in) {
  LLVMBuildStore(c->e->b, in.scalar, phi_cell(c, phi, 0));
  LLVMBuildStore(c->e->b, in.ok, ok_cell(c, phi));
}

static void take_checked(struct kl_lane_code *c, uint32_t phi) {
  LLVMBuilderRef b = c->e->b;
  LLVMValueRef scalar = LLVMBuildLoad2(b, kiln_group_value_type(c->g, phi), phi_cell(c, phi, 0), "");
  kiln_lanes_define_checked(c->l, phi, scalar, LLVMBuildLoad2(b, c->e->map->i1, ok_cell(c, phi), ""));
}

/* The lanes that have come from several ways: whether they follow the pattern of one of these is seen. */
static void look_at(struct kl_lane_code *c, uint32_t phi) {
  LLVMBuilderRef b = c->e->b;
  LLVMValueRef lanes = kiln_lanes_part(c->l, phi, 0);
  LLVMValueRef first = LLVMBuildExtractElement(b, lanes, LLVMConstNull(c->e->map->i32), "");
  LLVMValueRef pattern = kiln_lanes_spread(c->l, first, c->l->shapes->checked[phi].stride);
  LLVMValueRef follow = LLVMBuildICmp(b, LLVMIntEQ, lanes, pattern, "");
  kiln_lanes_define_checked(c->l, phi, first, kiln_lanes_all(c->l, follow));
}

/* ---- edges with what they bring ---- */

static struct kl_pack input_in_lanes(struct kl_lane_code *c, uint32_t v) {
  const struct kl_cells *left = kiln_lane_left(c, v);
  return left != NULL ? kiln_lanes_load(c->l, left) : kiln_lanes_operand(c->l, v);
}

void kiln_lane_store_phi(struct kl_lane_code *c, uint32_t phi, struct kl_pack pack, LLVMValueRef mask) {
  if (kiln_packed_wanted(c->l, phi)) kiln_packed_store(c->l, &c->l->phi[phi], pack, mask);
  else kiln_lanes_store(c->l, &c->l->phi[phi], pack, mask);
}

/* Who brings what they have to the phis of a block: the lanes of `mask`, or all. */
struct comers {
  LLVMValueRef mask;
  bool agree;        /* nobody else comes to the block */
  bool all;          /* others need nothing kept, unless they have got what is usual */
  LLVMValueRef asks; /* kiln_lane_side_asks; NULL: nothing */
};

static void pass_phi(struct kl_lane_code *c, uint32_t phi, uint32_t v, struct kl_pack pack,
                     const struct comers *comers) {
  if (v == c->usual[phi]) return;
  const bool all = comers->agree || (comers->all && c->usual[phi] == KL_NONE);
  const bool by_side = comers->asks != NULL && c->usual[phi] == KL_NONE;
  kiln_lane_store_phi(c, phi, pack,
                      all       ? LLVMConstAllOnes(LLVMTypeOf(comers->mask))
                      : by_side ? comers->asks
                                : comers->mask);
}

/* All inputs are read before any phi changes. */
static void pass_phis(struct kl_lane_code *c, uint32_t from, uint32_t to, const struct comers *comers) {
  const struct kl_func *f = c->e->f;
  uint32_t first = f->block[to].first, end = kl_end_of_phis(f, to);
  if (first == end) return;
  struct kl_pack *pack = kl_new(c->e->env, end - first, struct kl_pack);
  struct checked_input *checked = kl_new(c->e->env, end - first, struct checked_input);
  for (uint32_t i = first; i < end; i++) {
    uint32_t v = kl_phi_input(f, i, from);
    if (kiln_lane_is_put_off(c, i, from)) continue;
    if (phi_is_checked(c, i)) checked[i - first] = checked_input(c, i, v);
    if (!phi_is_scalar(c, i)) {
      pack[i - first] = input_in_lanes(c, v);
      continue;
    }
    pack[i - first] = kiln_lanes_new_pack(c->l, rows_of(c, i));
    for (unsigned r = 0; r < pack[i - first].n; r++)
      pack[i - first].part[r] = kiln_lanes_row_scalar(c->l, v, r);
  }
  for (uint32_t i = first; i < end; i++) {
    if (kiln_lane_is_put_off(c, i, from)) continue;
    if (phi_is_scalar(c, i)) {
      for (unsigned r = 0; r < pack[i - first].n; r++)
        LLVMBuildStore(c->e->b, pack[i - first].part[r], phi_cell(c, i, r));
    } else {
      pass_phi(c, i, kl_phi_input(f, i, from), pack[i - first], comers);
    }
    if (phi_is_checked(c, i)) pass_checked(c, i, checked[i - first]);
  }
}

uint32_t kiln_lane_target(const struct kl_lane_code *c, uint32_t node, uint32_t k) {
  return c->l->flow->succ[c->l->flow->node[node].succ0 + k];
}

static bool all_come(struct kl_lane_code *c, uint32_t node, uint32_t k, bool agreed) {
  const struct kl_flow *flow = c->l->flow;
  return agreed && flow->node[kiln_lane_target(c, node, k)].owner == flow->node[node].owner;
}

/* Lanes that do not come this way need nothing kept: they come later, or have left the loop. */
static bool takes_all(struct kl_lane_code *c, uint32_t node, uint32_t k) {
  const struct kl_flow *flow = c->l->flow;
  uint32_t to = kiln_lane_target(c, node, k),
           block = c->l->node_of[c->e->f->graph.succ[c->e->f->graph.succ0[c->l->block[node]] + k]];
  if (block != KL_NONE && kiln_lane_comes_first(c, node, block)) return true;
  if (to >= flow->nblock) return false;
  uint32_t loop = flow->loops.of[to];
  return loop != KL_NONE && flow->loops.header[loop] == to && flow->loop_diverges[loop] &&
         kiln_lane_plan_latches(c->g->lane_plan, c->r, loop) == 1;
}

/* asks: as comers have it. */
static void pass_edge(struct kl_lane_code *c, uint32_t node, uint32_t k, LLVMValueRef mask, bool agreed,
                      LLVMValueRef asks) {
  const struct kiln_graph *graph = &c->e->f->graph;
  uint32_t block = c->l->block[node], to = graph->succ[graph->succ0[block] + k];
  const struct comers comers = {mask, all_come(c, node, k, agreed), takes_all(c, node, k), asks};
  deliver(c, kiln_lane_target(c, node, k), mask);
  pass_phis(c, block, to, &comers);
}

void kiln_lane_pass_edge(struct kl_lane_code *c, uint32_t node, uint32_t k, LLVMValueRef mask, bool agreed) {
  pass_edge(c, node, k, mask, agreed, NULL);
}

bool kiln_lane_edge_is_asked(struct kl_lane_code *c, uint32_t node, uint32_t k) {
  const struct kl_func *f = c->e->f;
  uint32_t to = f->graph.succ[f->graph.succ0[c->l->block[node]] + k];
  bool asks = c->l->in[kiln_lane_target(c, node, k)] != NULL;
  for (uint32_t i = f->block[to].first; i < kl_end_of_phis(f, to) && !asks; i++)
    asks = c->usual[i] != KL_NONE || !takes_all(c, node, k);
  return asks;
}

static void go_to(struct kl_lane_code *c, uint32_t next) { LLVMBuildBr(c->e->b, c->code[next]); }

/* ---- ends of blocks ---- */

static void end_function(struct kl_lane_code *c, uint32_t ret, LLVMValueRef mask) {
  if (c->e->f->inst[ret].nops != 0)
    kiln_lanes_store(c->l, c->result, kiln_lanes_operand(c->l, kl_operand(c->e->f, ret, 0)), mask);
}

static void end_region(struct kl_lane_code *c, uint32_t block, LLVMValueRef mask) {
  const struct kl_block *b = &c->e->f->block[block];
  if (c->args != NULL) {
    end_function(c, b->first + b->n - 1, mask);
    return;
  }
  if (b->barrier != 0) {
    kiln_lane_leave_values(c, &c->g->plan->region[b->barrier]);
    kiln_lane_give_collective(c, b->barrier, mask);
    kiln_group_set_next(c->g, b->barrier);
    return;
  }
  kiln_lane_set_exited(c, true, mask);
  if (!c->g->plan->exits_early) kiln_group_set_next(c->g, 0);
}

static uint32_t next_of(struct kl_lane_code *c, uint32_t node, uint32_t k) {
  return c->l->flow->next[c->l->flow->node[node].next0 + k];
}

/* On which all lanes that are on agree; see kl_uniform.agreed. */
static LLVMValueRef agreed_condition(struct kl_lane_code *c, uint32_t last, LLVMValueRef mask) {
  LLVMValueRef x = kiln_lanes_part(c->l, kl_operand(c->e->f, last, 0), 0);
  return kiln_lanes_any(c->l, LLVMBuildAnd(c->e->b, x, mask, ""));
}

static bool is_uniform(const struct kl_lane_code *c, uint32_t value, uint32_t block) {
  return kiln_shape_at(c->l->shapes, c->e->f, value, block).kind == KL_UNIFORM;
}

static void branch_together(struct kl_lane_code *c, uint32_t node, uint32_t last, LLVMValueRef mask) {
  const struct kl_inst *inst = &c->e->f->inst[last];
  uint32_t n = c->l->flow->node[node].nsucc;
  LLVMBasicBlockRef *edge = kl_new(c->e->env, n, LLVMBasicBlockRef);
  LLVMValueRef condition = is_uniform(c, kl_operand(c->e->f, last, 0), inst->bb)
                               ? kiln_emit_operand(c->e, kl_operand(c->e->f, last, 0))
                               : agreed_condition(c, last, mask);
  for (uint32_t k = 0; k < n; k++) edge[k] = kiln_emit_new_block(c->e, "");
  if (inst->op == LLVMSwitch) {
    LLVMValueRef made = LLVMBuildSwitch(c->e->b, condition, edge[0], n - 1);
    for (uint32_t k = 1; k < n; k++) LLVMAddCase(made, LLVMGetOperand(inst->v, 2 * k), edge[k]);
  } else {
    LLVMBuildCondBr(c->e->b, condition, edge[0], edge[1]);
  }
  for (uint32_t k = 0; k < n; k++) {
    LLVMPositionBuilderAtEnd(c->e->b, edge[k]);
    kiln_lane_pass_edge(c, node, k, mask, true);
    go_to(c, next_of(c, node, k));
    if (next_of(c, node, k) == node && (kiln_spmd_is_large_loop(inst->v) || kiln_spmd_is_kept_loop(inst->v)))
      kiln_loop_hint(c->e->env->context, LLVMGetBasicBlockTerminator(edge[k]), "llvm.loop.unroll.disable");
  }
}

/* Lanes that take a branch differently. */
static void branch_apart(struct kl_lane_code *c, uint32_t node, uint32_t last, LLVMValueRef mask) {
  LLVMValueRef x = kiln_lanes_part(c->l, kl_operand(c->e->f, last, 0), 0);
  LLVMValueRef asks[] = {x, LLVMBuildNot(c->e->b, x, "")}, taken[2];
  for (uint32_t k = 0; k < 2; k++) taken[k] = LLVMBuildAnd(c->e->b, mask, asks[k], "");
  for (uint32_t k = 0; k < 2; k++) {
    kiln_lane_note_side(c, node, k, asks[k]);
    kiln_lane_pass_edge(c, node, k, taken[k], false);
  }
}

static void end_block(struct kl_lane_code *c, uint32_t node, LLVMValueRef mask) {
  const struct kl_node *what = &c->l->flow->node[node];
  const struct kl_block *b = &c->e->f->block[c->l->block[node]];
  uint32_t last = b->first + b->n - 1;
  unsigned op = c->e->f->inst[last].op;
  kiln_lane_end_turn(c, node, mask);
  kiln_lane_give_usual(c, node);
  if (b->barrier != 0 || op == LLVMRet) {
    end_region(c, c->l->block[node], mask);
  } else if (what->branches) {
    kiln_lanes_report(c->l, last, (struct kl_note){.fate = KL_FATE_ONCE});
    branch_together(c, node, last, mask);
    return;
  } else if (what->nsucc == 1 && op != LLVMUnreachable) {
    pass_edge(c, node, 0, mask, true, kiln_lane_side_asks(c, node));
  } else if (op != LLVMUnreachable) {
    kiln_lanes_report(c->l, last, (struct kl_note){.fate = KL_FATE_PARTED});
    if (op == LLVMSwitch) kiln_lane_switch(c, node, last, mask);
    else branch_apart(c, node, last, mask);
  }
  go_to(c, next_of(c, node, 0));
}

/* ---- nodes ---- */

static void emit_scalar_phi(struct kl_lane_code *c, uint32_t i) {
  LLVMTypeRef type = kiln_group_value_type(c->g, i);
  for (unsigned r = 1; r < rows_of(c, i); r++)
    c->l->row[r][i] = LLVMBuildLoad2(c->e->b, type, phi_cell(c, i, r), "");
  c->l->step[i].by = NULL;
  kiln_emit_define(c->e, i, LLVMBuildLoad2(c->e->b, type, phi_cell(c, i, 0), ""));
  kiln_lanes_keep(c->l, i);
}

void kiln_lane_emit_phis(struct kl_lane_code *c, uint32_t block) {
  const struct kl_func *f = c->e->f;
  for (uint32_t i = f->block[block].first, end = kl_end_of_phis(f, block); i < end; i++) {
    if (phi_is_scalar(c, i)) {
      emit_scalar_phi(c, i);
      continue;
    }
    kiln_lanes_define(c->l, i,
                      kiln_packed_wanted(c->l, i) ? kiln_packed_load(c->l, &c->l->phi[i])
                                                  : kiln_lanes_load(c->l, &c->l->phi[i]));
    if (!kiln_lane_stays(c, i)) kiln_lanes_empty(c->l, &c->l->phi[i]);
    if (phi_is_checked(c, i)) take_checked(c, i);
    if (phi_is_looked_at(c, i)) look_at(c, i);
  }
}

static void emit_block(struct kl_lane_code *c, uint32_t node) {
  const struct kl_func *f = c->e->f;
  uint32_t block = c->l->block[node], end = kl_last_of(f, block);
  kiln_lane_emit_phis(c, block);
  for (uint32_t i = kl_end_of_phis(f, block); i < end; i++)
    if (f->inst[i].op != LLVMAlloca) {
      kiln_lanes_inst(c->l, i);
      kiln_packed_make(c->l, i);
    }
  kiln_emit_position(c->e, end);
  end_block(c, node, kiln_lanes_mask(c->l));
}

static void emit_latch(struct kl_lane_code *c, uint32_t node) {
  const struct kl_node *what = &c->l->flow->node[node];
  uint32_t header = next_of(c, node, 0);
  if (!what->diverges) {
    go_to(c, header);
    return;
  }
  LLVMTypeRef type = LLVMTypeOf(c->active);
  LLVMValueRef staying = LLVMBuildLoad2(c->e->b, type, c->l->in[header], "");
  LLVMBuildCondBr(c->e->b, kiln_lanes_any(c->l, staying), c->code[header], c->code[next_of(c, node, 1)]);
}

/* Takes the lanes that have arrived; skips the node when there are none and it must not run for nobody. */
static void open_node(struct kl_lane_code *c, uint32_t node) {
  const struct kl_node *what = &c->l->flow->node[node];
  LLVMPositionBuilderAtEnd(c->e->b, c->code[node]);
  LLVMSetCurrentDebugLocation2(c->e->b, NULL);
  if (c->choice[node] != NULL) {
    c->l->mask[node] = kiln_lane_take_case(c, node);
  } else if (c->l->in[node] != NULL) {
    LLVMTypeRef type = LLVMTypeOf(c->active);
    c->l->mask[node] = LLVMBuildLoad2(c->e->b, type, c->l->in[node], "");
    LLVMBuildStore(c->e->b, LLVMConstNull(type), c->l->in[node]);
  }
  if (what->guard) {
    LLVMBasicBlockRef some = kiln_emit_new_block(c->e, "");
    LLVMBuildCondBr(c->e->b, kiln_lanes_any(c->l, kiln_lanes_mask(c->l)), some, c->code[what->skip]);
    LLVMPositionBuilderAtEnd(c->e->b, some);
  }
  kiln_lane_leave_default(c, node, kiln_lanes_mask(c->l));
}

static void emit_opened(struct kl_lane_code *c, uint32_t node) {
  switch (c->l->flow->node[node].kind) {
  case KL_NODE_BLOCK:
    emit_block(c, node);
    break;
  case KL_NODE_END:
    LLVMBuildBr(c->e->b, c->g->latch);
    break;
  case KL_NODE_ENTER:
    deliver(c, c->l->flow->loops.header[c->l->flow->node[node].loop], kiln_lanes_mask(c->l));
    go_to(c, next_of(c, node, 0));
    break;
  case KL_NODE_LATCH:
    emit_latch(c, node);
    break;
  case KL_NODE_EXITS:
    kiln_lane_leave_loop(c, c->l->flow->node[node].loop);
    go_to(c, next_of(c, node, 0));
    break;
  default:
    go_to(c, next_of(c, node, 0));
  }
}

static void emit_nodes(struct kl_lane_code *c, uint32_t place, uint32_t end);

/* A node that was opened, and those after it. */
static void emit_from(struct kl_lane_code *c, uint32_t node, uint32_t end) {
  c->l->at = node;
  emit_opened(c, node);
  emit_nodes(c, c->l->flow->node[node].place + 1, end);
}

/* The same once more, in blocks and with values of its own. */
static void emit_again(struct kl_lane_code *c, uint32_t node, uint32_t end) {
  const struct kl_flow *flow = c->l->flow;
  uint32_t place = flow->node[node].place;
  for (uint32_t i = place + 1; i < end; i++) c->code[flow->order[i]] = kiln_emit_new_block(c->e, "");
  kiln_lanes_forget(c->l, place, end);
  emit_from(c, node, end);
}

/* Its blocks: those of the nodes after the one that is open, and what is made from `first` on. */
static struct kl_full *full_copy_of(struct kl_lane_code *c, uint32_t node, uint32_t end, LLVMValueRef branch,
                                    LLVMBasicBlockRef first) {
  const struct kl_flow *flow = c->l->flow;
  uint32_t place = flow->node[node].place + 1;
  struct kl_full *full = kl_new(c->e->env, 1, struct kl_full);
  *full = (struct kl_full){.branch = branch,
                           .since = LLVMGetPreviousBasicBlock(first),
                           .code = kl_new(c->e->env, 1 + end - place, LLVMBasicBlockRef)};
  full->code[full->ncode++] = first;
  for (uint32_t i = place; i < end; i++) full->code[full->ncode++] = c->code[flow->order[i]];
  return full;
}

/* For all lanes on, and for some. */
static void emit_full_and_parted(struct kl_lane_code *c, uint32_t node, uint32_t end) {
  struct kl_lanes *l = c->l;
  LLVMValueRef mask = l->mask[node];
  LLVMBasicBlockRef full = kiln_emit_new_block(c->e, "full"), parted = kiln_emit_new_block(c->e, "");
  LLVMValueRef branch = LLVMBuildCondBr(c->e->b, kiln_lanes_all(l, mask), full, parted);
  kiln_emit_likely(c->e, branch);
  LLVMPositionBuilderAtEnd(c->e->b, full);
  l->mask[node] = LLVMConstAllOnes(LLVMTypeOf(mask));
  l->full = full_copy_of(c, node, end, branch, full);
  emit_from(c, node, end);
  l->full = NULL;
  LLVMPositionBuilderAtEnd(c->e->b, parted);
  l->mask[node] = mask;
  l->parted = true;
  emit_again(c, node, end);
  l->parted = false;
}

static uint32_t full_copy(struct kl_lane_code *c, uint32_t node) {
  if (c->unrolls || c->args != NULL || !kiln_lanes_is_full(c->active)) return 0;
  return kiln_lanes_full_copy(c->l, node);
}

/* Nodes of the order, from `place` up to `end`. */
static void emit_nodes(struct kl_lane_code *c, uint32_t place, uint32_t end) {
  const struct kl_flow *flow = c->l->flow;
  while (place < end) {
    uint32_t node = flow->order[place];
    c->l->at = node;
    open_node(c, node);
    const uint32_t serial = kiln_lane_serial_region(c, node);
    if (serial == 0) kiln_lane_few(c, node);
    const uint32_t copied = serial == 0 ? full_copy(c, node) : 0;
    if (copied != 0) emit_full_and_parted(c, node, copied);
    else if (serial == 0) emit_opened(c, node);
    place = serial != 0 ? serial : copied != 0 ? copied : place + 1;
  }
}

/* ---- one vector ---- */

static void start_masks(struct kl_lane_code *c, LLVMValueRef mask) {
  const struct kl_flow *flow = c->l->flow;
  for (uint32_t n = 0; n < flow->n; n++)
    if (c->l->in[n] != NULL) LLVMBuildStore(c->e->b, LLVMConstNull(LLVMTypeOf(mask)), c->l->in[n]);
  c->l->mask[flow->entry] = mask;
}

/* Number of runs of `length` in dimension d. */
static LLVMValueRef count_runs(struct kl_emit *e, unsigned d, unsigned length) {
  LLVMValueRef more = LLVMBuildAdd(e->b, e->ids.local_size[d], kiln_emit_index(e, length - 1), "");
  return LLVMBuildUDiv(e->b, more, kiln_emit_index(e, length), "");
}

/* Places of a row. Where rows of full groups are whole vectors, those of smaller groups count as such: a
 * vector's items are then its own, also those beyond the row's end. */
static LLVMValueRef row_places(struct kl_lane_code *c) {
  const struct kl_mapping *m = c->l->map;
  if (m->rows > 1) return count_runs(c->e, m->along, m->run);
  if (!c->l->shapes->whole_rows) return c->e->ids.local_size[m->along];
  return LLVMBuildMul(c->e->b, count_runs(c->e, m->along, m->run), kiln_emit_index(c->e, m->run), "");
}

/* Lane 0's place in a context slot: the vectors of lanes in several rows follow one another. */
static LLVMValueRef item_number(struct kl_lane_code *c) {
  struct kl_emit *e = c->e;
  const struct kl_mapping *m = c->l->map;
  if (m->linear) return LLVMBuildZExtOrBitCast(e->b, e->ids.linear, e->map->i64, "");
  unsigned run = m->rows > 1 ? m->run : 1, width = m->rows > 1 ? m->width : 1;
  LLVMValueRef x = LLVMBuildUDiv(e->b, e->ids.local_id[m->along], kiln_emit_index(e, run), "");
  LLVMValueRef y = LLVMBuildUDiv(e->b, e->ids.local_id[m->across], kiln_emit_index(e, m->rows), "");
  LLVMValueRef n =
      LLVMBuildMul(e->b, e->ids.local_id[3 - m->along - m->across], count_runs(e, m->across, m->rows), "");
  n = LLVMBuildMul(e->b, LLVMBuildAdd(e->b, n, y, ""), row_places(c), "");
  n = LLVMBuildMul(e->b, LLVMBuildAdd(e->b, n, x, ""), kiln_emit_index(e, width), "");
  return LLVMTypeOf(n) == e->map->i64 ? n : LLVMBuildZExt(e->b, n, e->map->i64, "");
}

/* What the vector before has left must not be carried to this one, in registers all the way: lanes find in
 * variables only what they have put there. */
static void empty_cells(struct kl_lane_code *c) {
  const struct kl_func *f = c->e->f;
  for (uint32_t i = 0; i < c->region->nblock; i++) {
    const struct kl_block *b = &f->block[c->region->block[i]];
    for (uint32_t v = b->first; v < b->first + b->n; v++) {
      if (f->inst[v].op == LLVMPHI && !phi_is_scalar(c, v)) {
        if (c->l->phi[v].n == 0) c->l->phi[v] = kiln_lanes_new_cells(c->l, v);
        kiln_lanes_empty(c->l, &c->l->phi[v]);
      }
      kiln_lanes_empty(c->l, &c->l->kept[v]);
    }
  }
}

/* At the builder's position, for the lanes of active; ends with branches to g->latch. */
static void emit_vector(struct kl_lane_code *c) {
  struct kl_lanes *l = c->l;
  kiln_emit_next_pass(c->e);
  for (uint32_t i = 0; i < c->region->live.n; i++)
    if (c->shared[c->region->live.at[i]] != NULL)
      kiln_emit_define(c->e, c->region->live.at[i], c->shared[c->region->live.at[i]]);
  for (uint32_t i = 0; c->args != NULL && i < c->e->f->narg; i++)
    if (c->args[i].n != 0) kiln_lanes_define(l, i, c->args[i]);
  memset(c->usual, 0xff, c->e->f->nvalue * sizeof *c->usual);
  memset(l->again, 0, c->e->f->nvalue * sizeof *l->again);
  c->g->item = c->g->plan->nslot != 0 ? item_number(c) : NULL;
  LLVMValueRef mask = c->active;
  if (c->g->plan->exits_early && c->r != 0) mask = kiln_lane_skip_exited(c);
  if (c->g->plan->exits_early && c->r == 0) kiln_lane_set_exited(c, false, c->active);
  for (uint32_t n = 0; n < l->flow->n; n++) c->code[n] = kiln_emit_new_block(c->e, "");
  start_masks(c, mask);
  empty_cells(c);
  l->at = l->flow->entry;
  kiln_lane_enter_values(c);
  kiln_lane_enter_objects(c);
  go_to(c, l->flow->entry);
  emit_nodes(c, 0, l->flow->n);
}

/* ---- loops ---- */

enum { MOST_UNROLLED = 600 }; /* instructions, before they are optimised */

struct row_loop {
  LLVMBasicBlockRef head;
  LLVMValueRef phi;
  unsigned step;
};

static void open_rows(struct kl_lane_code *c, struct row_loop loop[3]) {
  struct kl_emit *e = c->e;
  const struct kl_mapping *map = c->l->map;
  for (unsigned d = 3; d-- > 0;) {
    loop[d] = (struct row_loop){.step = d == map->across ? map->rows : 1};
    LLVMValueRef zero = e->ids.local_id[d] = kiln_emit_index(e, 0);
    if (map->linear || d == map->along || kl_is_number(e->ids.local_size[d], loop[d].step)) continue;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b);
    loop[d].head = kiln_emit_new_block(e, "row");
    LLVMBuildBr(e->b, loop[d].head);
    LLVMPositionBuilderAtEnd(e->b, loop[d].head);
    e->ids.local_id[d] = loop[d].phi = LLVMBuildPhi(e->b, e->ids.type, "");
    LLVMAddIncoming(loop[d].phi, &zero, &from, 1);
  }
}

static LLVMValueRef add_up(struct kl_emit *e, LLVMValueRef x, uint64_t n) {
  LLVMValueRef sum = LLVMBuildAdd(e->b, x, kiln_emit_index(e, n), "");
  if (LLVMIsAInstruction(sum)) LLVMSetNUW(sum, true), LLVMSetNSW(sum, true);
  return sum;
}

static uint64_t size_since(LLVMBasicBlockRef block) {
  uint64_t n = 0;
  for (; block != NULL; block = LLVMGetNextBasicBlock(block)) n += kiln_spmd_block_size(block);
  return n;
}

/* LLVM would try every turn of the loop before it finds that too much would come of it. */
static bool stays_rolled(const struct row_loop *loop, LLVMValueRef limit) {
  if (!LLVMIsAConstantInt(limit)) return true;
  uint64_t turns = (LLVMConstIntGetZExtValue(limit) + loop->step - 1) / loop->step;
  return turns * size_since(loop->head) > MOST_UNROLLED;
}

/* The limit is met exactly: a counter that is only compared for that can count down. */
static bool meets(const struct row_loop *loop, LLVMValueRef limit) {
  if (loop->step == 1) return true;
  return LLVMIsAConstantInt(limit) && LLVMConstIntGetZExtValue(limit) % loop->step == 0;
}

static void close_loop(struct kl_lane_code *c, const struct row_loop *loop, LLVMValueRef limit) {
  struct kl_emit *e = c->e;
  LLVMValueRef next = add_up(e, loop->phi, loop->step);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b), after = kiln_emit_new_block(e, "");
  LLVMIntPredicate more = meets(loop, limit) ? LLVMIntNE : LLVMIntULT;
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, more, next, limit, ""), loop->head, after);
  if (c->unrolls) kiln_loop_hint(e->env->context, again, "llvm.loop.unroll.full");
  else if (stays_rolled(loop, limit)) kiln_loop_hint(e->env->context, again, "llvm.loop.unroll.disable");
  LLVMAddIncoming(loop->phi, &next, &latch, 1);
  LLVMPositionBuilderAtEnd(e->b, after);
}

static LLVMTypeRef mask_type(struct kl_lane_code *c) { return kiln_lanes_type(c->l, c->e->map->i1); }

/* Mask of the lanes below `count`. */
static LLVMValueRef first_lanes(struct kl_lane_code *c, LLVMValueRef numbers, LLVMValueRef count) {
  struct kl_emit *e = c->e;
  if (LLVMTypeOf(count) != e->map->i32) count = LLVMBuildTrunc(e->b, count, e->map->i32, "");
  return LLVMBuildICmp(e->b, LLVMIntULT, numbers, kiln_lanes_splat(c->l, count), "");
}

/* Numbers of the lanes' rows, or of the lanes within their rows. */
static LLVMValueRef lane_numbers(struct kl_lane_code *c, bool of_rows) {
  LLVMValueRef number[KL_MOST_LANES];
  unsigned run = c->l->map->run;
  for (unsigned i = 0; i < c->l->width; i++)
    number[i] = LLVMConstInt(c->e->map->i32, of_rows ? i / run : i % run, false);
  return LLVMConstVector(number, c->l->width);
}

/* The lanes from `first` on that are work-items: up to `limit` in their row, in rows of the group. */
static LLVMValueRef lanes_within(struct kl_lane_code *c, LLVMValueRef first, LLVMValueRef limit) {
  struct kl_emit *e = c->e;
  const struct kl_mapping *map = c->l->map;
  LLVMValueRef left = LLVMBuildSub(e->b, limit, first, "");
  LLVMValueRef mask = first_lanes(c, lane_numbers(c, false), left);
  if (map->rows == 1) return mask;
  left = LLVMBuildSub(e->b, e->ids.local_size[map->across], e->ids.local_id[map->across], "");
  return LLVMBuildAnd(e->b, mask, first_lanes(c, lane_numbers(c, true), left), "");
}

/* Groups at the edge of a launch, and the end of a row of many groups that run as one. */
static bool runs_seldom(const struct kl_lane_code *c, LLVMValueRef limit, bool full) {
  return c->g->is_rare || (!full && c->g->lane_plan->merges && !LLVMIsAConstantInt(limit));
}

/* Vectors from `first` up to `limit`, which is more: with all lanes on, or those that are work-items. */
static void emit_vectors(struct kl_lane_code *c, LLVMValueRef first, LLVMValueRef limit, bool full) {
  struct kl_emit *e = c->e;
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b);
  struct row_loop loop = {.head = kiln_emit_new_block(e, "vector"), .step = c->l->map->run};
  LLVMBuildBr(e->b, loop.head);
  LLVMPositionBuilderAtEnd(e->b, loop.head);
  loop.phi = LLVMBuildPhi(e->b, e->ids.type, "");
  LLVMAddIncoming(loop.phi, &first, &from, 1);
  if (c->l->map->linear) kiln_lanes_set_linear(c->l, loop.phi);
  else e->ids.local_id[c->l->map->along] = loop.phi;
  c->g->latch = kiln_emit_new_block(e, "");
  c->active = full ? LLVMConstAllOnes(mask_type(c)) : lanes_within(c, loop.phi, limit);
  c->l->seldom = runs_seldom(c, limit, full);
  emit_vector(c);
  LLVMPositionBuilderAtEnd(e->b, c->g->latch);
  LLVMSetCurrentDebugLocation2(e->b, NULL);
  close_loop(c, &loop, limit);
}

/* The same, if limit is more than first. */
static void emit_some_vectors(struct kl_lane_code *c, LLVMValueRef first, LLVMValueRef limit, bool full) {
  struct kl_emit *e = c->e;
  LLVMValueRef some = LLVMBuildICmp(e->b, LLVMIntULT, first, limit, "");
  if (kl_is_number(some, 0)) return;
  LLVMBasicBlockRef then = kiln_emit_new_block(e, ""), after = kiln_emit_new_block(e, "");
  LLVMBuildCondBr(e->b, some, then, after);
  LLVMPositionBuilderAtEnd(e->b, then);
  emit_vectors(c, first, limit, full);
  LLVMBuildBr(e->b, after);
  LLVMPositionBuilderAtEnd(e->b, after);
}

/* Rows are known to have no shorter last vector. */
static bool has_no_rest(const struct kl_lane_code *c) {
  const struct kl_mapping *map = c->l->map;
  uint32_t grain = c->g->lane_plan->grain;
  return map->along == 0 && map->rows == 1 && grain != 0 && grain % map->run == 0;
}

/* Items of a row, from its start, that fill vectors: none where rows are missing. */
static LLVMValueRef whole_vectors(struct kl_lane_code *c, LLVMValueRef size) {
  struct kl_emit *e = c->e;
  const struct kl_mapping *map = c->l->map;
  if (has_no_rest(c)) return size;
  LLVMValueRef low = LLVMConstInt(LLVMTypeOf(size), ~(uint64_t)(map->run - 1), true);
  LLVMValueRef whole = LLVMBuildAnd(e->b, size, low, ""), height = e->ids.local_size[map->across];
  if (map->rows == 1 || (LLVMIsAConstantInt(height) && LLVMConstIntGetZExtValue(height) % map->rows == 0))
    return whole;
  LLVMValueRef left = LLVMBuildSub(e->b, height, e->ids.local_id[map->across], "");
  LLVMValueRef enough = LLVMBuildICmp(e->b, LLVMIntUGE, left, kiln_emit_index(e, map->rows), "");
  return LLVMBuildSelect(e->b, enough, whole, kiln_emit_index(e, 0), "");
}

/* Places that the vectors of a row take, or of the whole group where rows do not matter. */
static LLVMValueRef places_to_fill(struct kl_lane_code *c) {
  struct kl_emit *e = c->e;
  if (!c->l->map->linear) return e->ids.local_size[c->l->map->along];
  LLVMValueRef plane = LLVMBuildMul(e->b, e->ids.local_size[0], e->ids.local_size[1], "");
  return LLVMBuildMul(e->b, plane, e->ids.local_size[2], "");
}

/* ---- the region ---- */

/* The first vector to get through the region changes them. */
static void load_shared(struct kl_lane_code *c) {
  c->shared = kl_new(c->e->env, c->e->f->nvalue, LLVMValueRef);
  kiln_emit_next_pass(c->e);
  kiln_group_load_values(c->g, c->region);
  for (uint32_t i = 0; i < c->region->live.n; i++) {
    uint32_t v = c->region->live.at[i];
    if (c->g->plan->keep[v] == KL_KEEP_GROUP) c->shared[v] = c->e->value[v];
  }
  LLVMValueRef taken = kiln_lane_collective_take(c->g, c->r);
  if (taken != NULL) c->shared[c->region->after] = taken;
}

static void start_region(struct kl_lane_code *c) {
  struct kl_lanes *l = c->l;
  const struct kl_func *f = c->e->f;
  load_shared(c);
  l->flow = &c->g->lane_plan->flow[c->r];
  l->block = c->region->block;
  memset(l->node_of, 0xff, f->graph.n * sizeof *l->node_of);
  for (uint32_t n = 0; n < c->region->nblock; n++) l->node_of[l->block[n]] = n;
  kiln_lane_find_ways(c);
  kiln_lane_find_meetings(c);
  l->in = kl_new(c->e->env, l->flow->n, LLVMValueRef);
  l->mask = kl_new(c->e->env, l->flow->n, LLVMValueRef);
  c->code = kl_new(c->e->env, l->flow->n, LLVMBasicBlockRef);
  c->choice = kl_new(c->e->env, l->flow->n, const struct kl_choice *);
  for (uint32_t n = 0; n < l->flow->n; n++)
    if (l->flow->node[n].owner == n && n != l->flow->entry && n != l->flow->end)
      l->in[n] = LLVMBuildAlloca(c->e->top, mask_type(c), "");
  memset(l->kept, 0, f->nvalue * sizeof *l->kept);
  kiln_lane_find_exits(c);
  for (uint32_t i = 0; i < c->region->nblock; i++) {
    const struct kl_block *b = &f->block[c->region->block[i]];
    for (uint32_t v = b->first; v < b->first + b->n; v++)
      if (l->kept[v].n == 0 && kiln_lane_plan_is_kept(c->g->lane_plan, c->r, v))
        l->kept[v] = kiln_lanes_new_cells(l, v);
  }
}

/* The rest of a row, from its first item on, with fewer lanes. */
static void emit_rest(struct kl_group *g, uint32_t r, LLVMValueRef first, LLVMValueRef size) {
  struct kl_lane_code c = {.g = g, .l = g->rest, .e = &g->e, .region = &g->plan->region[r], .r = r};
  g->e.lanes = c.l->width;
  start_region(&c);
  emit_some_vectors(&c, first, size, false);
  g->e.lanes = g->lanes->width;
}

void kiln_lane_region_emit(struct kl_group *g, uint32_t r) {
  struct kl_lane_code c = {.g = g, .l = g->lanes, .e = &g->e, .region = &g->plan->region[r], .r = r};
  struct row_loop rows[3];
  if (g->plan->exits_early) kiln_group_set_next(g, 0); /* stays when no work-item goes on */
  c.unrolls = kiln_lane_unrolls(g, r);
  start_region(&c);
  for (uint32_t i = 0; i < c.region->next.n; i++) kiln_lane_collective_open(g, c.region->next.at[i]);
  open_rows(&c, rows);
  LLVMValueRef size = places_to_fill(&c), zero = kiln_emit_index(c.e, 0);
  if (g->is_rare) {
    emit_vectors(&c, zero, size, false);
  } else {
    LLVMValueRef whole = whole_vectors(&c, size);
    emit_some_vectors(&c, zero, whole, true);
    bool rest = whole != size, narrow = g->lanes->map->rest < g->lanes->map->run;
    if (rest && narrow) emit_rest(g, r, whole, size);
    else if (rest) emit_some_vectors(&c, whole, size, false);
  }
  for (unsigned d = 0; d < 3; d++)
    if (rows[d].phi != NULL) {
      g->e.ids.local_id[d] = rows[d].phi;
      close_loop(&c, &rows[d], c.e->ids.local_size[d]);
    }
}

void kiln_lane_region_emit_function(struct kl_group *g, LLVMValueRef mask, const struct kl_pack *args,
                                    const struct kl_cells *result) {
  struct kl_lane_code c = {.g = g,
                           .l = g->lanes,
                           .e = &g->e,
                           .region = &g->plan->region[0],
                           .active = mask,
                           .args = args,
                           .result = result};
  start_region(&c);
  g->latch = kiln_emit_new_block(c.e, "");
  emit_vector(&c);
  LLVMPositionBuilderAtEnd(c.e->b, g->latch);
}
