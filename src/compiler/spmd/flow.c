/* Partial linearization; see flow.h. The order is a walk over the dominator tree: what a node dominates comes
 * right after it, and before that what stays in its loop. This is what makes definitions still dominate their
 * uses afterwards. */
#include "compiler/spmd/flow.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 3000 }; /* sets of nodes are bit sets: squared memory */

struct finder {
  struct kl_flow *flow;
  struct kiln_arena *arena;
  const struct kl_flow_input *in;
  struct kiln_tree post; /* of the region as it is, within turns */
  struct kiln_edge *edges;
  size_t nedge, cap;
  uint32_t *hop;           /* by edge of the input: the node that it leads to first */
  struct kiln_graph graph; /* of nodes */
  struct kiln_tree dom;
  struct kiln_tree turn_post; /* post-dominators within a turn of the loops around */
  uint32_t *rank, *at;        /* by node: reverse post-order; place in flow->order */
  uint64_t *waiting;          /* by node: places of the nodes that are still to run after it */
  uint32_t words;
};

#define new_of(f, count, type) ((type *)kiln_arena_alloc((f)->arena, (count), sizeof(type)))

/* ---- loops ---- */

static void find_divergent_loops(struct finder *f) {
  const struct kiln_loops *loops = &f->flow->loops;
  f->flow->loop_diverges = new_of(f, loops->count, bool);
  for (uint32_t b = 0; b < f->flow->nblock; b++) {
    if (!f->in->divergent[b]) continue;
    for (uint32_t l = loops->of[b]; l != KILN_NONE; l = loops->parent[l])
      if (kiln_loops_split(loops, &f->in->graph, &f->post, l, b)) f->flow->loop_diverges[l] = true;
  }
}

static uint32_t add_node(struct finder *f, enum kl_node_kind kind, uint32_t loop) {
  f->flow->node[f->flow->n] = (struct kl_node){.kind = (uint8_t)kind, .loop = loop};
  return f->flow->n++;
}

static uint32_t count_latches(struct finder *f, uint32_t loop) {
  const struct kiln_graph *g = &f->in->graph;
  uint32_t header = f->flow->loops.header[loop], count = 0;
  for (uint32_t k = g->pred0[header]; k < g->pred0[header + 1]; k++)
    count += kiln_loops_contain(&f->flow->loops, loop, g->pred[k]);
  return count;
}

static void add_loop_nodes(struct finder *f) {
  struct kl_flow *flow = f->flow;
  uint32_t count = flow->loops.count;
  flow->loop_enter = new_of(f, count, uint32_t);
  flow->loop_latch = new_of(f, count, uint32_t);
  flow->loop_exits = new_of(f, count, uint32_t);
  for (uint32_t l = 0; l < count; l++) {
    flow->loop_enter[l] = add_node(f, KL_NODE_ENTER, l);
    flow->loop_latch[l] = flow->loop_exits[l] = KILN_NONE;
    if (flow->loop_diverges[l] || count_latches(f, l) > 1) {
      flow->loop_latch[l] = add_node(f, KL_NODE_LATCH, l);
      flow->node[flow->loop_latch[l]].diverges = flow->loop_diverges[l];
    }
    if (flow->loop_diverges[l]) flow->loop_exits[l] = add_node(f, KL_NODE_EXITS, l);
  }
}

bool kiln_flow_is_left(const struct kl_flow *flow, uint32_t from, uint32_t at) {
  for (uint32_t l = flow->loops.of[from]; l != KILN_NONE; l = flow->loops.parent[l])
    if (flow->loop_diverges[l] && (at >= flow->nblock || !kiln_loops_contain(&flow->loops, l, at)))
      return true;
  return false;
}

/* ---- the graph of nodes ---- */

static void add_edge(struct finder *f, uint32_t from, uint32_t to) {
  if (f->nedge == f->cap) {
    struct kiln_edge *bigger = new_of(f, f->cap * 2, struct kiln_edge);
    memcpy(bigger, f->edges, f->cap * sizeof *bigger);
    f->edges = bigger;
    f->cap *= 2;
  }
  f->edges[f->nedge++] = (struct kiln_edge){from, to};
}

static uint32_t loop_of_header(const struct kl_flow *flow, uint32_t block) {
  uint32_t l = block < flow->nblock ? flow->loops.of[block] : KILN_NONE;
  return l != KILN_NONE && flow->loops.header[l] == block ? l : KILN_NONE;
}

/* Where an edge from block `from` that has left its divergent loops arrives; *latch_out: by way of it. */
static uint32_t landing(const struct kl_flow *flow, uint32_t from, uint32_t to, uint32_t *latch_out) {
  uint32_t l = loop_of_header(flow, to);
  *latch_out = KILN_NONE;
  if (l == KILN_NONE) return to;
  if (!kiln_loops_contain(&flow->loops, l, from)) return flow->loop_enter[l];
  *latch_out = flow->loop_latch[l];
  return to;
}

static bool exits_loop(const struct kl_flow *flow, uint32_t loop, uint32_t to) {
  return to >= flow->nblock || !kiln_loops_contain(&flow->loops, loop, to);
}

static void route_edge(struct finder *f, uint32_t from, uint32_t edge) {
  struct kl_flow *flow = f->flow;
  uint32_t to = f->in->graph.succ[edge], latch, at = from;
  uint32_t last = landing(flow, from, to, &latch);
  flow->succ[edge] = last;
  f->hop[edge] = KILN_NONE;
  for (uint32_t l = flow->loops.of[from]; l != KILN_NONE && exits_loop(flow, l, to);
       l = flow->loops.parent[l]) {
    if (!flow->loop_diverges[l]) continue;
    if (f->hop[edge] == KILN_NONE) f->hop[edge] = flow->loop_latch[l];
    add_edge(f, at, flow->loop_latch[l]);
    at = flow->loop_exits[l];
  }
  uint32_t next = latch != KILN_NONE ? latch : last;
  if (f->hop[edge] == KILN_NONE) f->hop[edge] = next;
  add_edge(f, at, next);
}

static int compare_edges(const void *a, const void *b) {
  const struct kiln_edge *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

/* The walk that finds the order ends with what it meets first: the default of a switch shall come after the
 * cases, as lanes of which none holds are known only then. */
static void put_defaults_first(struct finder *f, size_t n) {
  const struct kiln_graph *g = &f->in->graph;
  for (size_t i = 0; i < n; i++) {
    uint32_t b = f->edges[i].from;
    size_t first = i;
    if (b >= f->flow->nblock) return; /* those of blocks are before the others */
    while (i + 1 < n && f->edges[i + 1].from == b) i++;
    if (g->succ0[b + 1] - g->succ0[b] <= 2) continue;
    size_t k = first;
    while (f->edges[k].to != f->hop[g->succ0[b]]) k++;
    struct kiln_edge others = f->edges[k];
    memmove(f->edges + first + 1, f->edges + first, (k - first) * sizeof *f->edges);
    f->edges[first] = others;
  }
}

/* The nodes' edges, each once. */
static void build_graph(struct finder *f) {
  struct kl_flow *flow = f->flow;
  const struct kiln_graph *g = &f->in->graph;
  f->cap = 64;
  f->edges = new_of(f, f->cap, struct kiln_edge);
  flow->succ = new_of(f, g->succ0[g->n], uint32_t);
  f->hop = new_of(f, g->succ0[g->n], uint32_t);
  for (uint32_t b = 0; b < flow->nblock; b++)
    for (uint32_t k = g->succ0[b]; k < g->succ0[b + 1]; k++) route_edge(f, b, k);
  for (uint32_t l = 0; l < flow->loops.count; l++) {
    uint32_t latch = flow->loop_latch[l];
    add_edge(f, flow->loop_enter[l], flow->loops.header[l]);
    if (latch == KILN_NONE) continue;
    add_edge(f, latch, flow->loops.header[l]);
    if (flow->loop_diverges[l]) add_edge(f, latch, flow->loop_exits[l]);
  }
  qsort(f->edges, f->nedge, sizeof *f->edges, compare_edges);
  size_t n = 0;
  for (size_t i = 0; i < f->nedge; i++)
    if (n == 0 || compare_edges(&f->edges[n - 1], &f->edges[i]) != 0) f->edges[n++] = f->edges[i];
  put_defaults_first(f, n);
  kiln_graph_build(&f->graph, f->arena, flow->n, f->edges, n);
}

static bool is_back_edge(const struct finder *f, uint32_t from, uint32_t to) {
  uint32_t l = loop_of_header(f->flow, to);
  return l != KILN_NONE && from != f->flow->loop_enter[l];
}

/* ---- order ---- */

static uint32_t loop_of_node(const struct kl_flow *flow, uint32_t n) {
  const struct kl_node *node = &flow->node[n];
  if (node->kind == KL_NODE_BLOCK) return flow->loops.of[n];
  if (node->kind == KL_NODE_LATCH) return node->loop;
  return node->loop == KILN_NONE ? KILN_NONE : flow->loops.parent[node->loop];
}

static bool in_loop(const struct kl_flow *flow, uint32_t loop, uint32_t n) {
  for (uint32_t l = loop_of_node(flow, n); l != KILN_NONE; l = flow->loops.parent[l])
    if (l == loop) return true;
  return false;
}

/* How many loops around `from` the step to `to` leaves. */
static uint32_t loops_left(const struct kl_flow *flow, uint32_t from, uint32_t to) {
  uint32_t left = 0;
  for (uint32_t l = loop_of_node(flow, from); l != KILN_NONE && !in_loop(flow, l, to);
       l = flow->loops.parent[l])
    left++;
  return left;
}

static bool comes_before(const struct finder *f, uint32_t parent, uint32_t a, uint32_t b) {
  uint32_t x = loops_left(f->flow, parent, a), y = loops_left(f->flow, parent, b);
  return x != y ? x < y : f->rank[a] < f->rank[b];
}

static void sort_children(const struct finder *f, uint32_t parent, uint32_t *child, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    uint32_t x = child[i], k = i;
    for (; k > 0 && comes_before(f, parent, x, child[k - 1]); k--) child[k] = child[k - 1];
    child[k] = x;
  }
}

/* Children of the dominator tree, grouped by parent. */
static uint32_t *group_children(struct finder *f, uint32_t **first_out) {
  uint32_t n = f->flow->n, *first = new_of(f, (size_t)n + 2, uint32_t), *child = new_of(f, n, uint32_t);
  for (uint32_t i = 0; i < n; i++)
    if (f->dom.parent[i] != KILN_NONE) first[f->dom.parent[i] + 2]++;
  for (uint32_t i = 1; i < n + 2; i++) first[i] += first[i - 1];
  for (uint32_t i = 0; i < n; i++)
    if (f->dom.parent[i] != KILN_NONE) child[first[f->dom.parent[i] + 1]++] = i;
  for (uint32_t i = 0; i < n; i++) sort_children(f, i, child + first[i], first[i + 1] - first[i]);
  *first_out = first;
  return child;
}

static void walk_tree(struct finder *f) {
  uint32_t *first, *child = group_children(f, &first), *stack = new_of(f, f->flow->n, uint32_t);
  uint32_t depth = 0, count = 0;
  stack[depth++] = f->flow->entry;
  while (depth > 0) {
    uint32_t n = stack[--depth];
    f->at[n] = count;
    f->flow->order[count++] = n;
    for (uint32_t k = first[n + 1]; k-- > first[n];)
      if (child[k] != f->flow->end) stack[depth++] = child[k];
  }
  f->at[f->flow->end] = count; /* after the rest of a loop that work-items leave together, too */
  f->flow->order[count] = f->flow->end;
}

/* The order begins each subtree of dominators with its root. */
static void find_places(struct finder *f) {
  struct kl_flow *flow = f->flow;
  for (uint32_t i = 0; i < flow->n; i++) flow->node[flow->order[i]].place = i;
  for (uint32_t i = flow->n; i-- > 0;) {
    struct kl_node *node = &flow->node[flow->order[i]];
    if (node->past == 0) node->past = i + 1;
    uint32_t parent = f->dom.parent[flow->order[i]];
    if (parent != KILN_NONE && flow->order[i] != flow->end && flow->node[parent].past < node->past)
      flow->node[parent].past = node->past;
  }
}

/* False when a node cannot be reached: an endless loop. */
static bool find_order(struct finder *f) {
  uint32_t reached, n = f->flow->n;
  struct kiln_loops loops;
  uint32_t *order = kiln_graph_order(&f->graph, f->arena, f->flow->entry, &reached);
  if (reached != n) return false;
  f->rank = new_of(f, n, uint32_t);
  f->at = new_of(f, n, uint32_t);
  f->flow->order = new_of(f, n, uint32_t);
  for (uint32_t i = 0; i < n; i++) f->rank[order[i]] = i;
  kiln_tree_dominators(&f->dom, &f->graph, f->arena, f->flow->entry);
  kiln_loops_find(&loops, &f->graph, &f->dom, f->arena);
  kiln_tree_turn_postdominators(&f->turn_post, &f->graph, &f->dom, &loops, f->arena);
  walk_tree(f);
  find_places(f);
  return true;
}

/* ---- masks ---- */

static bool splits(const struct finder *f, uint32_t n) {
  if (f->graph.succ0[n + 1] - f->graph.succ0[n] < 2) return false;
  return f->flow->node[n].kind == KL_NODE_EXITS || (n < f->flow->nblock && f->in->divergent[n]);
}

/* The one mask that all edges into n carry, or KILN_NONE. */
static uint32_t common_owner(const struct finder *f, uint32_t n) {
  uint32_t owner = KILN_NONE;
  for (uint32_t k = f->graph.pred0[n]; k < f->graph.pred0[n + 1]; k++) {
    uint32_t p = f->graph.pred[k];
    if (splits(f, p) || (owner != KILN_NONE && f->flow->node[p].owner != owner)) return KILN_NONE;
    owner = f->flow->node[p].owner;
  }
  return owner;
}

static uint32_t find_owner(const struct finder *f, uint32_t n) {
  const struct kl_flow *flow = f->flow;
  uint32_t l = loop_of_header(flow, n);
  if (n == flow->entry) return n;
  if (l != KILN_NONE) return flow->loop_diverges[l] ? n : flow->node[flow->loop_enter[l]].owner;
  if (flow->node[n].kind == KL_NODE_LATCH) return flow->node[flow->loops.header[flow->node[n].loop]].owner;
  if (flow->node[n].kind == KL_NODE_EXITS) return flow->node[flow->loop_enter[flow->node[n].loop]].owner;
  uint32_t owner = common_owner(f, n), above = f->dom.parent[n];
  if (owner != KILN_NONE) return owner;
  return kiln_tree_above(&f->turn_post, n, above) ? flow->node[above].owner : n;
}

static bool is_sure(const struct finder *f, uint32_t n) {
  const struct kl_node *node = &f->flow->node[n];
  if (n == f->flow->entry || node->kind == KL_NODE_LATCH || node->kind == KL_NODE_EXITS) return true;
  if (loop_of_header(f->flow, n) != KILN_NONE) return true; /* entered through a node that is */
  for (uint32_t d = f->dom.parent[n]; d != KILN_NONE; d = f->dom.parent[d])
    if (f->flow->node[d].owner == node->owner && f->flow->node[d].sure) return true;
  return false;
}

static void find_masks(struct finder *f) {
  for (uint32_t i = 0; i < f->flow->n; i++) {
    uint32_t n = f->flow->order[i];
    struct kl_node *node = &f->flow->node[n];
    node->owner = find_owner(f, n);
    node->sure = is_sure(f, n);
    bool shy = node->kind == KL_NODE_ENTER || (node->kind == KL_NODE_BLOCK && f->in->shy[n]);
    node->guard = !node->sure && shy;
    node->sure |= node->guard;
  }
}

/* ---- what follows what ---- */

static uint64_t *waiting_at(const struct finder *f, uint32_t n) { return f->waiting + (size_t)n * f->words; }

static void set_bit(uint64_t *set, uint32_t i) { set[i / 64] |= (uint64_t)1 << i % 64; }

static uint32_t least_bit(const struct finder *f, const uint64_t *set) {
  for (uint32_t w = 0; w < f->words; w++)
    if (set[w] != 0) return w * 64 + (uint32_t)__builtin_ctzll(set[w]);
  return KILN_NONE;
}

/* The first node of the set; the others wait until after it. */
static uint32_t go_on(struct finder *f, const uint64_t *set) {
  uint32_t place = least_bit(f, set);
  if (place == KILN_NONE) return KILN_NONE;
  uint32_t next = f->flow->order[place];
  uint64_t *after = waiting_at(f, next);
  for (uint32_t w = 0; w < f->words; w++) after[w] |= set[w];
  after[place / 64] &= ~((uint64_t)1 << place % 64);
  return next;
}

static uint32_t go_to(struct finder *f, uint32_t from, uint32_t to, uint64_t *set) {
  if (is_back_edge(f, from, to)) return to;
  memcpy(set, waiting_at(f, from), f->words * sizeof *set);
  set_bit(set, f->at[to]);
  return go_on(f, set);
}

static void follow_block(struct finder *f, uint32_t n, uint64_t *set) {
  struct kl_node *node = &f->flow->node[n];
  const struct kiln_graph *g = &f->in->graph;
  uint32_t first = g->succ0[n], end = g->succ0[n + 1];
  node->succ0 = first;
  node->nsucc = end - first;
  node->branches = node->nsucc > 1 && !f->in->divergent[n];
  node->next0 = first;
  if (node->branches || node->nsucc == 1) {
    for (uint32_t k = first; k < end; k++) f->flow->next[k] = go_to(f, n, f->hop[k], set);
    return;
  }
  memcpy(set, waiting_at(f, n), f->words * sizeof *set);
  for (uint32_t k = first; k < end; k++) set_bit(set, f->at[f->hop[k]]);
  f->flow->next[first] = go_on(f, set);
}

/* Nodes of loops keep what follows at the end of flow->next: two places each. */
static void follow_loop_node(struct finder *f, uint32_t n, uint64_t *set) {
  struct kl_node *node = &f->flow->node[n];
  const struct kl_flow *flow = f->flow;
  node->next0 = f->in->graph.succ0[f->in->graph.n] + 2 * (n - flow->nblock);
  uint32_t *next = flow->next + node->next0;
  if (node->kind == KL_NODE_ENTER) {
    next[0] = go_on(f, (memcpy(set, waiting_at(f, n), f->words * sizeof *set),
                        set_bit(set, f->at[flow->loops.header[node->loop]]), set));
  } else if (node->kind == KL_NODE_LATCH) {
    next[0] = flow->loops.header[node->loop];
    if (node->diverges) next[1] = go_to(f, n, flow->loop_exits[node->loop], set);
  } else {
    memcpy(set, waiting_at(f, n), f->words * sizeof *set);
    for (uint32_t k = f->graph.succ0[n]; k < f->graph.succ0[n + 1]; k++)
      set_bit(set, f->at[f->graph.succ[k]]);
    next[0] = go_on(f, set);
  }
}

static bool linearize(struct finder *f) {
  struct kl_flow *flow = f->flow;
  f->words = (flow->n + 63) / 64;
  f->waiting = new_of(f, (size_t)flow->n * f->words, uint64_t);
  flow->next = new_of(f, f->in->graph.succ0[f->in->graph.n] + 2 * (size_t)(flow->n - flow->nblock), uint32_t);
  uint64_t *set = new_of(f, f->words, uint64_t);
  for (uint32_t i = 0; i < flow->n; i++) {
    uint32_t n = flow->order[i];
    struct kl_node *node = &flow->node[n];
    if (node->guard) {
      memcpy(set, waiting_at(f, n), f->words * sizeof *set);
      node->skip = go_on(f, set);
      if (node->skip == KILN_NONE) node->guard = false; /* nothing else is to run: somebody comes here */
    }
    if (n == flow->end) continue;
    if (n < flow->nblock) follow_block(f, n, set);
    else follow_loop_node(f, n, set);
  }
  return flow->order[flow->n - 1] == flow->end;
}

bool kiln_flow_find(struct kl_flow *flow, struct kiln_arena *arena, const struct kl_flow_input *input) {
  struct finder f = {.flow = flow, .arena = arena, .in = input};
  struct kiln_tree dom;
  uint32_t reached;
  *flow = (struct kl_flow){.nblock = input->graph.n - 1, .entry = input->entry, .end = input->graph.n - 1};
  if (input->graph.n > MOST_NODES) return false;
  kiln_graph_order(&input->graph, arena, input->entry, &reached);
  if (reached != input->graph.n) return false;
  kiln_tree_dominators(&dom, &input->graph, arena, input->entry);
  kiln_loops_find(&flow->loops, &input->graph, &dom, arena);
  kiln_tree_turn_postdominators(&f.post, &input->graph, &dom, &flow->loops, arena);
  if (flow->loops.irreducible) return false;
  flow->node = new_of(&f, input->graph.n + 3 * (size_t)flow->loops.count, struct kl_node);
  for (uint32_t b = 0; b < flow->nblock; b++) add_node(&f, KL_NODE_BLOCK, KILN_NONE);
  add_node(&f, KL_NODE_END, KILN_NONE);
  find_divergent_loops(&f);
  add_loop_nodes(&f);
  build_graph(&f);
  if (flow->n > MOST_NODES || !find_order(&f)) return false;
  find_masks(&f);
  return linearize(&f);
}
