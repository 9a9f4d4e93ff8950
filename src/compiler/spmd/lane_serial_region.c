/* Code of several blocks in which the lanes that are on take turns, as scalars (serial_regions.h). It leaves
 * to code for vectors by edges: which of them each lane took, and what it brings, is gathered by lane. */
#include "compiler/spmd/lane_code.h"
#include "compiler/spmd/lane_serial.h"

#include <llvm-c/DebugInfo.h>

/* Of the region at hand, and otherwise empty: one for a whole kernel, which may have many regions. */
struct kl_serial_room {
  bool *is_input;        /* by value: it comes from before */
  struct kl_cells *left; /* by value: of those that leave it, as the lanes have left them */
};

/* An edge that leaves the region. */
struct exit {
  uint32_t block, k;  /* edge k of it */
  LLVMValueRef taken; /* variable: by lane, i8, whether it took it */
};

struct region {
  struct kl_lane_code *c;
  struct kl_serial_room *room;
  uint32_t root;            /* block */
  uint32_t place, past;     /* its nodes in the order */
  struct kl_list block;     /* in the order, the root first */
  struct kl_list in;        /* values that come from before */
  struct exit *exit;        /* in the order of blocks */
  uint32_t nexit, emitted;  /* how many; of them, those that code leads to */
  LLVMBasicBlockRef turned; /* where a lane is done */
  struct kl_serial serial;
};

static bool is_in(const struct region *r, uint32_t block) {
  return kiln_tree_above(&r->c->l->shapes->uniform.dom, r->root, block);
}

/* ---- what is emitted so ---- */

/* The node that follows whatever is taken; KL_NONE: there are several, or the nodes are not those of the
 * blocks. */
static uint32_t find_next(struct region *r) {
  const struct kl_flow *flow = r->c->l->flow;
  uint32_t next = KL_NONE;
  for (uint32_t i = r->place; i < r->past; i++) {
    const uint32_t n = flow->order[i];
    const struct kl_node *node = &flow->node[n];
    if (n < flow->nblock && !is_in(r, r->c->l->block[n])) return KL_NONE;
    const uint32_t edges = n >= flow->nblock ? (node->kind == KL_NODE_LATCH && node->diverges ? 2 : 1)
                           : node->branches  ? node->nsucc
                                             : 1;
    for (uint32_t k = 0; k < edges; k++) {
      const uint32_t to = flow->next[node->next0 + k], place = flow->node[to].place;
      if (place >= r->place && place < r->past) continue;
      if (next != KL_NONE && next != to) return KL_NONE;
      next = to;
    }
    if (n < flow->nblock) kiln_list_push(r->c->e->env, &r->block, r->c->l->block[n]);
  }
  const struct kl_node *root = &flow->node[flow->order[r->place]];
  return root->guard && root->skip != next ? KL_NONE : next;
}

static bool has_all_blocks(const struct region *r) {
  const struct kiln_tree *dom = &r->c->l->shapes->uniform.dom;
  return dom->end[r->root] - dom->pre[r->root] == r->block.n;
}

static uint32_t count_edges(const struct region *r) {
  const struct kiln_graph *g = &r->c->e->f->graph;
  uint32_t n = 0;
  for (uint32_t b = 0; b < r->block.n; b++) n += g->succ0[r->block.at[b] + 1] - g->succ0[r->block.at[b]];
  return n;
}

/* ---- from before, to later ---- */

static bool is_from_before(const struct region *r, uint32_t v) {
  const struct kl_func *f = r->c->e->f;
  const uint32_t block = f->inst[v].bb;
  return block == KL_NONE || !is_in(r, block) || (block == r->root && f->inst[v].op == LLVMPHI);
}

static void add_input(struct region *r, uint32_t v) {
  if (!is_from_before(r, v) || r->room->is_input[v]) return;
  r->room->is_input[v] = true;
  kiln_list_push(r->c->e->env, &r->in, v);
}

static void find_inputs(struct region *r) {
  const struct kl_func *f = r->c->e->f;
  for (uint32_t b = 0; b < r->block.n; b++) {
    const uint32_t block = r->block.at[b];
    uint32_t i = block == r->root ? kl_end_of_phis(f, block) : f->block[block].first;
    for (; i <= kl_last_of(f, block); i++) {
      const uint32_t step = f->inst[i].op == LLVMPHI ? 2 : 1;
      for (uint32_t k = 0; f->inst[i].op != KL_DROP && k < f->inst[i].nops; k += step)
        add_input(r, kl_operand(f, i, k));
    }
  }
}

static void add_output(struct region *r, uint32_t v) {
  if (!is_from_before(r, v) && r->room->left[v].n == 0) r->room->left[v] = kiln_lanes_new_cells(r->c->l, v);
}

static void find_passed(struct region *r, uint32_t from, uint32_t to) {
  const struct kl_func *f = r->c->e->f;
  for (uint32_t i = f->block[to].first; i < kl_end_of_phis(f, to); i++)
    add_output(r, kl_phi_input(f, i, from));
}

static void add_exit(struct region *r, uint32_t block, uint32_t k) {
  struct kl_emit *e = r->c->e;
  LLVMTypeRef lanes = kiln_lanes_type(r->c->l, e->map->i8);
  struct exit *exit = &r->exit[r->nexit++];
  *exit = (struct exit){block, k, LLVMBuildAlloca(e->top, lanes, "")};
  LLVMBuildStore(e->b, LLVMConstNull(lanes), exit->taken);
}

/* Values leave by phis, or as what a loop around the region keeps. */
static void find_outputs(struct region *r) {
  const struct kl_func *f = r->c->e->f;
  const struct kiln_graph *g = &f->graph;
  for (uint32_t b = 0; b < r->block.n; b++) {
    const uint32_t block = r->block.at[b];
    for (uint32_t v = f->block[block].first; v <= kl_last_of(f, block); v++)
      if (r->c->l->kept[v].n != 0) add_output(r, v);
    for (uint32_t k = g->succ0[block]; k < g->succ0[block + 1]; k++) {
      if (is_in(r, g->succ[k])) continue;
      find_passed(r, block, g->succ[k]);
      add_exit(r, block, k - g->succ0[block]);
    }
  }
}

const struct kl_cells *kiln_lane_left(const struct kl_lane_code *c, uint32_t value) {
  if (c->l->serial == NULL || c->l->serial->left[value].n == 0) return NULL;
  return &c->l->serial->left[value];
}

/* ---- scalar code ---- */

static void new_blocks(struct region *r) {
  struct kl_emit *e = r->c->e;
  for (uint32_t b = 0; b < r->block.n; b++) {
    const uint32_t block = r->block.at[b];
    e->begin[block] = e->end[block] = kiln_emit_new_block(e, "");
    e->block_pass[block] = e->pass;
    e->input_stamp[block] = 0;
  }
  r->turned = kiln_emit_new_block(e, "");
}

static void put_left(struct region *r, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++)
    if (r->room->left[i].n != 0) kiln_serial_put(&r->serial, &r->room->left[i], r->c->e->value[i]);
}

/* A lane that leaves notes by which edge. */
static LLVMBasicBlockRef emit_exit(struct region *r, const struct exit *exit) {
  struct kl_emit *e = r->c->e;
  LLVMBasicBlockRef block = kiln_emit_new_block(e, "");
  LLVMPositionBuilderAtEnd(e->b, block);
  LLVMValueRef at = LLVMBuildGEP2(e->b, e->map->i8, exit->taken, &r->serial.index, 1, "");
  LLVMBuildStore(e->b, LLVMConstInt(e->map->i8, 1, false), at);
  LLVMBuildBr(e->b, r->turned);
  return block;
}

static void emit_branch(struct region *r, uint32_t block) {
  struct kl_emit *e = r->c->e;
  const struct kiln_graph *g = &e->f->graph;
  for (; r->emitted < r->nexit && r->exit[r->emitted].block == block; r->emitted++)
    e->begin[g->succ[g->succ0[block] + r->exit[r->emitted].k]] = emit_exit(r, &r->exit[r->emitted]);
  LLVMPositionBuilderAtEnd(e->b, e->end[block]);
  kiln_emit_branch(e, kl_last_of(e->f, block));
}

/* Phis of the root are for all lanes, and there. */
static void emit_phis(struct region *r, uint32_t block, uint32_t end) {
  const uint32_t first = r->c->e->f->block[block].first;
  if (block == r->root) return;
  for (uint32_t i = first; i < end; i++) kiln_emit_phi(r->c->e, i);
  put_left(r, first, end);
}

static void emit_block(struct region *r, uint32_t block) {
  struct kl_emit *e = r->c->e;
  const uint32_t first = kl_end_of_phis(e->f, block), end = kl_last_of(e->f, block);
  LLVMPositionBuilderAtEnd(e->b, e->begin[block]);
  emit_phis(r, block, first);
  for (uint32_t i = first; i < end; i++) {
    if (e->f->inst[i].op == KL_DROP) continue;
    kiln_emit_inst(e, i);
    put_left(r, i, i + 1);
    kiln_lanes_report(r->c->l, i, (struct kl_note){.fate = KL_FATE_LANES});
  }
  e->end[block] = LLVMGetInsertBlock(e->b);
  emit_branch(r, block);
}

static void emit_inputs(struct region *r) {
  struct kl_emit *e = r->c->e;
  for (uint32_t b = 1; b < r->block.n; b++) {
    const uint32_t block = r->block.at[b];
    for (uint32_t i = e->f->block[block].first; i < kl_end_of_phis(e->f, block); i++)
      kiln_emit_phi_inputs(e, i);
  }
}

/* ---- back to vectors ---- */

static void forget(struct region *r) {
  struct kl_lanes *l = r->c->l;
  const struct kl_func *f = r->c->e->f;
  for (uint32_t b = 0; b < r->block.n; b++) {
    const uint32_t block = r->block.at[b];
    for (uint32_t i = f->block[block].first; i <= kl_last_of(f, block); i++) {
      if (is_from_before(r, i)) continue;
      r->c->e->value_pass[i] = l->pack_pass[i] = l->ok_pass[i] = 0;
      if (l->kept[i].n != 0)
        kiln_lanes_store(l, &l->kept[i], kiln_lanes_load(l, &r->room->left[i]), kiln_lanes_mask(l));
    }
  }
}

static void empty_room(struct region *r) {
  const struct kl_func *f = r->c->e->f;
  for (uint32_t i = 0; i < r->in.n; i++) r->room->is_input[r->in.at[i]] = false;
  for (uint32_t b = 0; b < r->block.n; b++)
    for (uint32_t v = f->block[r->block.at[b]].first; v <= kl_last_of(f, r->block.at[b]); v++)
      r->room->left[v].n = 0;
}

static void pass_on(struct region *r) {
  struct kl_lane_code *c = r->c;
  LLVMTypeRef lanes = kiln_lanes_type(c->l, c->e->map->i8);
  const uint32_t root = c->l->at;
  for (const struct exit *exit = r->exit; exit < r->exit + r->nexit; exit++) {
    LLVMValueRef taken = LLVMBuildLoad2(c->e->b, lanes, exit->taken, "");
    taken = LLVMBuildICmp(c->e->b, LLVMIntNE, taken, LLVMConstNull(lanes), "");
    c->l->at = c->l->node_of[exit->block];
    kiln_lane_pass_edge(c, c->l->at, exit->k, taken, false);
  }
  c->l->at = root;
}

/* Nobody goes to where its nodes would be for vectors. */
static void drop_nodes(struct region *r) {
  for (uint32_t i = r->place + 1; i < r->past; i++) LLVMDeleteBasicBlock(r->c->code[r->c->l->flow->order[i]]);
}

static void emit(struct region *r) {
  struct kl_lane_code *c = r->c;
  struct kl_emit *e = c->e;
  kiln_lane_emit_phis(c, r->root);
  find_inputs(r);
  find_outputs(r);
  new_blocks(r);
  kiln_serial_open(&r->serial, c->l, r->in.at, r->in.n, false);
  LLVMBuildBr(e->b, e->begin[r->root]);
  for (uint32_t b = 0; b < r->block.n; b++) emit_block(r, r->block.at[b]);
  emit_inputs(r);
  LLVMPositionBuilderAtEnd(e->b, r->turned);
  LLVMSetCurrentDebugLocation2(e->b, NULL);
  kiln_serial_close(&r->serial, false);
  forget(r);
  pass_on(r);
  empty_room(r);
}

static struct kl_serial_room *find_room(struct kl_lane_code *c) {
  const struct kl_func *f = c->e->f;
  if (c->l->serial != NULL) return c->l->serial;
  c->l->serial = kl_new(c->e->env, 1, struct kl_serial_room);
  *c->l->serial = (struct kl_serial_room){.is_input = kl_new(c->e->env, f->nvalue, bool),
                                          .left = kl_new(c->e->env, f->nvalue, struct kl_cells)};
  return c->l->serial;
}

/* The node that follows the region; KL_NONE: it has no such form. */
static uint32_t open_region(struct region *r, struct kl_lane_code *c, uint32_t node) {
  const struct kl_node *root = &c->l->flow->node[node];
  *r = (struct region){.c = c, .root = c->l->block[node], .place = root->place, .past = root->past};
  const uint32_t next = find_next(r);
  return has_all_blocks(r) ? next : KL_NONE;
}

static void emit_to(struct region *r, uint32_t next) {
  r->room = find_room(r->c);
  r->exit = kl_new(r->c->e->env, count_edges(r), struct exit);
  emit(r);
  LLVMBuildBr(r->c->e->b, r->c->code[next]);
}

/* The block of a node whose lanes are not all on; KL_NONE: it is none. */
static uint32_t parted_block(const struct kl_lane_code *c, uint32_t node) {
  const struct kl_flow *flow = c->l->flow;
  if (c->g->lane_plan->turns.root == NULL || node >= flow->nblock || flow->node[node].owner != node ||
      kiln_lanes_is_full(kiln_lanes_mask(c->l)))
    return KL_NONE;
  return c->l->block[node];
}

uint32_t kiln_lane_serial_region(struct kl_lane_code *c, uint32_t node) {
  const uint32_t root = parted_block(c, node);
  struct region r;
  if (root == KL_NONE || c->g->lane_plan->turns.root[root] != root) return 0;
  const uint32_t next = open_region(&r, c, node);
  if (next == KL_NONE) return 0;
  emit_to(&r, next);
  drop_nodes(&r);
  return r.past;
}

void kiln_lane_few(struct kl_lane_code *c, uint32_t node) {
  const uint32_t root = parted_block(c, node);
  LLVMBuilderRef b = c->e->b;
  struct region r;
  if (root == KL_NONE || c->g->lane_plan->turns.few[root] == 0 || c->l->seldom) return;
  const uint32_t next = open_region(&r, c, node);
  if (next == KL_NONE) return;
  LLVMValueRef on = kiln_lanes_count(c->l, kiln_lanes_mask(c->l), c->e->map->i32),
               most = LLVMConstInt(c->e->map->i32, c->g->lane_plan->turns.few[root], false);
  LLVMBasicBlockRef few = kiln_emit_new_block(c->e, "few"), many = kiln_emit_new_block(c->e, "");
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULE, on, most, ""), few, many);
  LLVMPositionBuilderAtEnd(b, few);
  emit_to(&r, next);
  kiln_lanes_forget(c->l, r.place, r.past);
  LLVMPositionBuilderAtEnd(b, many);
}
