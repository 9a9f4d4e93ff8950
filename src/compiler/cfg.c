/* Control-flow graphs; see cfg.h. Dominators by Lengauer and Tarjan with path compression, loops by walking
 * back from the back edges and jumping over loops already found. */
#include "compiler/cfg.h"

#include <string.h>

static uint32_t *new_array(struct kiln_arena *arena, size_t n) {
  return kiln_arena_alloc(arena, n, sizeof(uint32_t));
}

static uint32_t *new_filled(struct kiln_arena *arena, size_t n, uint32_t value) {
  uint32_t *a = new_array(arena, n);
  for (size_t i = 0; i < n; i++) a[i] = value;
  return a;
}

/* ---- graph ---- */

static void group_edges(uint32_t n, const struct kiln_edge *edges, size_t count, bool back, uint32_t *first,
                        uint32_t *out) {
  for (size_t i = 0; i < count; i++) first[(back ? edges[i].to : edges[i].from) + 1]++;
  for (uint32_t b = 0; b < n; b++) first[b + 1] += first[b];
  for (size_t i = count; i-- > 0;) { /* backwards: each group ends up filled from its end, in order */
    uint32_t key = back ? edges[i].to : edges[i].from;
    out[--first[key + 1]] = back ? edges[i].from : edges[i].to;
  }
  /* first[b + 1] now holds the start of group b. */
  for (uint32_t b = 0; b < n; b++) first[b] = first[b + 1];
  first[n] = (uint32_t)count;
}

void kiln_graph_build(struct kiln_graph *g, struct kiln_arena *arena, uint32_t n,
                      const struct kiln_edge *edges, size_t count) {
  g->n = n;
  g->succ0 = new_array(arena, (size_t)n + 1);
  g->pred0 = new_array(arena, (size_t)n + 1);
  g->succ = new_array(arena, count);
  g->pred = new_array(arena, count);
  group_edges(n, edges, count, false, g->succ0, g->succ);
  group_edges(n, edges, count, true, g->pred0, g->pred);
}

/* A depth-first walk with a stack of its own. */
struct walk {
  const uint32_t *first, *next;
  uint32_t *stack, *at; /* block, and how many of its edges are done */
  uint32_t depth;
};

static void walk_start(struct walk *w, struct kiln_arena *arena, uint32_t n, const uint32_t *first,
                       const uint32_t *next) {
  *w = (struct walk){first, next, new_array(arena, n), new_array(arena, n), 0};
}

static void walk_enter(struct walk *w, uint32_t block) {
  w->stack[w->depth] = block;
  w->at[w->depth++] = w->first[block];
}

/* The next edge's end from the top block, or KILN_NONE when it has no more. */
static uint32_t walk_edge(struct walk *w) {
  uint32_t block = w->stack[w->depth - 1], *at = &w->at[w->depth - 1];
  return *at < w->first[block + 1] ? w->next[(*at)++] : KILN_NONE;
}

bool kiln_graph_has_cycles(const struct kiln_graph *g) {
  for (uint32_t b = 0; b < g->n; b++)
    for (uint32_t k = g->succ0[b]; k < g->succ0[b + 1]; k++)
      if (g->succ[k] <= b) return true;
  return false;
}

uint32_t *kiln_graph_order(const struct kiln_graph *g, struct kiln_arena *arena, uint32_t entry,
                           uint32_t *count_out) {
  uint32_t *order = new_array(arena, g->n), n = g->n;
  bool *seen = kiln_arena_alloc(arena, g->n, sizeof *seen);
  struct walk w;
  walk_start(&w, arena, g->n, g->succ0, g->succ);
  seen[entry] = true;
  walk_enter(&w, entry);
  while (w.depth > 0) {
    uint32_t to = walk_edge(&w);
    if (to == KILN_NONE) order[--n] = w.stack[--w.depth];
    else if (!seen[to]) seen[to] = true, walk_enter(&w, to);
  }
  *count_out = g->n - n;
  return order + n;
}

/* ---- dominators ---- */

struct dominance {
  const uint32_t *succ0, *succ, *pred0, *pred;
  uint32_t n, count; /* blocks; blocks reached */
  uint32_t *number;  /* block to visit number, KILN_NONE if not reached */
  uint32_t *vertex;  /* visit number to block */
  uint32_t *up;      /* the rest by visit number: parent in the walk */
  uint32_t *semi, *idom, *ancestor, *label, *bucket, *chain, *path;
};

static void number_blocks(struct dominance *d, struct kiln_arena *arena, uint32_t root) {
  struct walk w;
  walk_start(&w, arena, d->n, d->succ0, d->succ);
  d->number[root] = 0;
  d->vertex[d->count++] = root;
  walk_enter(&w, root);
  while (w.depth > 0) {
    uint32_t from = w.stack[w.depth - 1], to = walk_edge(&w);
    if (to == KILN_NONE) {
      w.depth--;
    } else if (d->number[to] == KILN_NONE) {
      d->number[to] = d->count;
      d->up[d->count] = d->number[from];
      d->vertex[d->count++] = to;
      walk_enter(&w, to);
    }
  }
}

/* The block of least semi-dominator on the linked path above v. */
static uint32_t evaluate(struct dominance *d, uint32_t v) {
  if (d->ancestor[v] == KILN_NONE) return v;
  uint32_t n = 0;
  for (uint32_t u = v; d->ancestor[d->ancestor[u]] != KILN_NONE; u = d->ancestor[u]) d->path[n++] = u;
  while (n-- > 0) {
    uint32_t u = d->path[n], a = d->ancestor[u];
    if (d->semi[d->label[a]] < d->semi[d->label[u]]) d->label[u] = d->label[a];
    d->ancestor[u] = d->ancestor[a];
  }
  return d->label[v];
}

static void empty_bucket(struct dominance *d, uint32_t p) {
  for (uint32_t v = d->bucket[p]; v != KILN_NONE; v = d->chain[v]) {
    uint32_t u = evaluate(d, v);
    d->idom[v] = d->semi[u] < d->semi[v] ? u : p;
  }
  d->bucket[p] = KILN_NONE;
}

static void find_dominators(struct dominance *d) {
  for (uint32_t w = d->count; w-- > 1;) {
    uint32_t block = d->vertex[w], p = d->up[w];
    for (uint32_t i = d->pred0[block]; i < d->pred0[block + 1]; i++) {
      uint32_t v = d->number[d->pred[i]];
      if (v == KILN_NONE) continue;
      uint32_t u = evaluate(d, v);
      if (d->semi[u] < d->semi[w]) d->semi[w] = d->semi[u];
    }
    d->chain[w] = d->bucket[d->semi[w]];
    d->bucket[d->semi[w]] = w;
    d->ancestor[w] = p;
    empty_bucket(d, p);
  }
  for (uint32_t w = 1; w < d->count; w++)
    if (d->idom[w] != d->semi[w]) d->idom[w] = d->idom[d->idom[w]];
}

/* Depths and intervals; vertex order puts parents first. */
static void measure_tree(struct kiln_tree *t, const struct dominance *d, struct kiln_arena *arena) {
  uint32_t *size = new_filled(arena, d->n, 1), *next = new_array(arena, d->n);
  for (uint32_t w = d->count; w-- > 1;) size[t->parent[d->vertex[w]]] += size[d->vertex[w]];
  for (uint32_t w = 0; w < d->count; w++) {
    uint32_t block = d->vertex[w], up = t->parent[block];
    t->depth[block] = w == 0 ? 0 : t->depth[up] + 1;
    t->pre[block] = w == 0 ? 0 : next[up];
    if (w != 0) next[up] += size[block];
    next[block] = t->pre[block] + 1;
    t->end[block] = t->pre[block] + size[block];
  }
}

static void dominate(struct kiln_tree *t, struct dominance *d, struct kiln_arena *arena, uint32_t root) {
  uint32_t n = d->n;
  d->number = new_filled(arena, n, KILN_NONE);
  d->vertex = new_array(arena, n);
  d->up = new_array(arena, n);
  d->idom = new_array(arena, n);
  d->path = new_array(arena, n);
  d->chain = new_array(arena, n);
  d->ancestor = new_filled(arena, n, KILN_NONE);
  d->bucket = new_filled(arena, n, KILN_NONE);
  d->semi = new_array(arena, n);
  d->label = new_array(arena, n);
  for (uint32_t i = 0; i < n; i++) d->semi[i] = d->label[i] = i;
  number_blocks(d, arena, root);
  find_dominators(d);
  t->root = root;
  t->parent = new_filled(arena, n, KILN_NONE);
  t->depth = new_array(arena, n);
  t->pre = new_filled(arena, n, KILN_NONE); /* outside the tree: nobody's child, empty interval */
  t->end = new_array(arena, n);
  for (uint32_t w = 1; w < d->count; w++) t->parent[d->vertex[w]] = d->vertex[d->idom[w]];
  measure_tree(t, d, arena);
}

void kiln_tree_dominators(struct kiln_tree *t, const struct kiln_graph *g, struct kiln_arena *arena,
                          uint32_t entry) {
  struct dominance d = {.succ0 = g->succ0, .succ = g->succ, .pred0 = g->pred0, .pred = g->pred, .n = g->n};
  dominate(t, &d, arena, entry);
}

/* Marks every block from which `block` can be reached. */
static void mark_backwards(const struct kiln_graph *g, uint32_t block, bool *seen, uint32_t *stack) {
  uint32_t n = 0;
  if (seen[block]) return;
  seen[block] = true;
  stack[n++] = block;
  while (n > 0) {
    uint32_t b = stack[--n];
    for (uint32_t i = g->pred0[b]; i < g->pred0[b + 1]; i++) {
      uint32_t p = g->pred[i];
      if (!seen[p]) seen[p] = true, stack[n++] = p;
    }
  }
}

void kiln_tree_postdominators(struct kiln_tree *t, const struct kiln_graph *g, struct kiln_arena *arena) {
  uint32_t n = g->n, edges = g->succ0[n], count = edges;
  bool *seen = kiln_arena_alloc(arena, n, sizeof *seen);
  uint32_t *stack = new_array(arena, n);
  struct kiln_edge *e = kiln_arena_alloc(arena, (size_t)edges + n, sizeof *e);
  for (uint32_t b = 0, i = 0; b < n; b++)
    for (; i < g->succ0[b + 1]; i++) e[i] = (struct kiln_edge){b, g->succ[i]};
  for (uint32_t b = 0; b < n; b++)
    if (g->succ0[b] == g->succ0[b + 1]) {
      e[count++] = (struct kiln_edge){b, n};
      mark_backwards(g, b, seen, stack);
    }
  for (uint32_t b = n;
       b-- > 0;) /* from the end: the block numbered last is a latch more often than a header */
    if (!seen[b]) {
      e[count++] = (struct kiln_edge){b, n};
      mark_backwards(g, b, seen, stack);
    }
  struct kiln_graph whole;
  kiln_graph_build(&whole, arena, n + 1, e, count);
  struct dominance d = {
      .succ0 = whole.pred0, .succ = whole.pred, .pred0 = whole.succ0, .pred = whole.succ, .n = n + 1};
  dominate(t, &d, arena, n);
}

/* ---- loops ---- */

static uint32_t outermost(uint32_t *root, uint32_t loop) {
  while (root[loop] != loop) loop = root[loop] = root[root[loop]];
  return loop;
}

static bool is_back_edge(const struct kiln_tree *dom, uint32_t from, uint32_t header) {
  return dom->pre[from] != KILN_NONE && kiln_tree_above(dom, header, from);
}

/* Collects the body of the loop at `header` by walking back from its latches. */
static void fill_loop(struct kiln_loops *l, const struct kiln_graph *g, const struct kiln_tree *dom,
                      uint32_t header, uint32_t *root, uint32_t *stack) {
  uint32_t loop = l->count++, n = 0;
  l->header[loop] = header;
  l->parent[loop] = KILN_NONE;
  root[loop] = loop;
  for (uint32_t i = g->pred0[header]; i < g->pred0[header + 1]; i++)
    if (is_back_edge(dom, g->pred[i], header)) stack[n++] = g->pred[i];
  while (n > 0) {
    uint32_t b = stack[--n];
    if (dom->pre[b] == KILN_NONE || b == header) continue;
    if (l->of[b] == KILN_NONE) {
      l->of[b] = loop;
    } else {
      uint32_t inner = outermost(root, l->of[b]);
      if (inner == loop) continue;
      l->parent[inner] = root[inner] = loop;
      b = l->header[inner];
    }
    for (uint32_t i = g->pred0[b]; i < g->pred0[b + 1]; i++) stack[n++] = g->pred[i];
  }
  if (l->of[header] == KILN_NONE) l->of[header] = loop;
}

/* An edge that closes a cycle in the walk must be a back edge, or the cycle has two entries. */
static bool has_two_entry_cycles(const struct kiln_graph *g, const struct kiln_tree *dom,
                                 struct kiln_arena *arena) {
  enum { NEW, OPEN, DONE };
  uint8_t *state = kiln_arena_alloc(arena, g->n, 1);
  struct walk w;
  walk_start(&w, arena, g->n, g->succ0, g->succ);
  state[dom->root] = OPEN;
  walk_enter(&w, dom->root);
  while (w.depth > 0) {
    uint32_t from = w.stack[w.depth - 1], to = walk_edge(&w);
    if (to == KILN_NONE) state[w.stack[--w.depth]] = DONE;
    else if (state[to] == NEW) state[to] = OPEN, walk_enter(&w, to);
    else if (state[to] == OPEN && !kiln_tree_above(dom, to, from)) return true;
  }
  return false;
}

void kiln_loops_find(struct kiln_loops *l, const struct kiln_graph *g, const struct kiln_tree *dom,
                     struct kiln_arena *arena) {
  uint32_t count, *order = kiln_graph_order(g, arena, dom->root, &count);
  uint32_t *root = new_array(arena, g->n), *stack = new_array(arena, (size_t)g->succ0[g->n] * 2 + 1);
  l->count = 0;
  l->header = new_array(arena, g->n);
  l->parent = new_array(arena, g->n);
  l->of = new_filled(arena, g->n, KILN_NONE);
  for (uint32_t i = count; i-- > 0;) { /* inner headers come later in the order */
    uint32_t b = order[i];
    bool header = false;
    for (uint32_t k = g->pred0[b]; k < g->pred0[b + 1]; k++) header |= is_back_edge(dom, g->pred[k], b);
    if (header) fill_loop(l, g, dom, b, root, stack);
  }
  l->irreducible = has_two_entry_cycles(g, dom, arena);
}

bool kiln_loops_contain(const struct kiln_loops *l, uint32_t loop, uint32_t block) {
  for (uint32_t i = l->of[block]; i != KILN_NONE; i = l->parent[i])
    if (i == loop) return true;
  return false;
}

uint32_t kiln_loops_latch(const struct kiln_loops *l, const struct kiln_graph *g, uint32_t loop) {
  const uint32_t header = l->header[loop];
  uint32_t latch = KILN_NONE;
  for (uint32_t e = g->pred0[header]; e < g->pred0[header + 1]; e++) {
    const uint32_t from = g->pred[e];
    if (from == latch || !kiln_loops_contain(l, loop, from)) continue;
    if (latch != KILN_NONE) return KILN_NONE;
    latch = from;
  }
  return latch;
}

bool *kiln_loops_innermost(const struct kiln_loops *l, struct kiln_arena *arena) {
  bool *inner = kiln_arena_alloc(arena, (size_t)l->count + 1, sizeof *inner);
  for (uint32_t i = 0; i < l->count; i++) inner[i] = true;
  for (uint32_t i = 0; i < l->count; i++)
    if (l->parent[i] != KILN_NONE) inner[l->parent[i]] = false;
  return inner;
}

bool kiln_loops_leave(const struct kiln_loops *l, const struct kiln_graph *g, uint32_t loop, uint32_t block) {
  for (uint32_t e = g->succ0[block]; e < g->succ0[block + 1]; e++)
    if (!kiln_loops_contain(l, loop, g->succ[e])) return true;
  return false;
}

/* ---- turns of loops ---- */

void kiln_tree_turn_postdominators(struct kiln_tree *t, const struct kiln_graph *g,
                                   const struct kiln_tree *dom, const struct kiln_loops *l,
                                   struct kiln_arena *arena) {
  size_t count = 0, depth = 1;
  for (uint32_t i = 0; i < l->count; i++) { /* the deepest nest bounds the loops that one edge leaves */
    size_t d = 1;
    for (uint32_t p = l->parent[i]; p != KILN_NONE; p = l->parent[p]) d++;
    if (depth <= d) depth = d + 1;
  }
  struct kiln_edge *e = kiln_arena_alloc(arena, (size_t)g->succ0[g->n] * depth, sizeof *e);
  for (uint32_t b = 0; b < g->n; b++)
    for (uint32_t k = g->succ0[b]; k < g->succ0[b + 1]; k++) {
      uint32_t to = g->succ[k];
      bool back = is_back_edge(dom, b, to) && l->of[to] != KILN_NONE;
      e[count++] = (struct kiln_edge){b, back ? g->n + l->of[to] : to};
      for (uint32_t i = l->of[b]; i != KILN_NONE && !back && !kiln_loops_contain(l, i, to); i = l->parent[i])
        e[count++] = (struct kiln_edge){g->n + i, to};
    }
  struct kiln_graph turns;
  kiln_graph_build(&turns, arena, g->n + l->count, e, count);
  kiln_tree_postdominators(t, &turns, arena);
}

bool kiln_loops_split(const struct kiln_loops *l, const struct kiln_graph *g, const struct kiln_tree *t,
                      uint32_t loop, uint32_t from) {
  uint32_t end = t->parent[from];
  if (end < g->n) return !kiln_loops_contain(l, loop, end);
  if (end == KILN_NONE || end >= g->n + l->count) return true;
  for (uint32_t i = end - g->n; i != KILN_NONE; i = l->parent[i])
    if (i == loop) return false;
  return true;
}

/* ---- frontiers ---- */

/* Calls for each (block, join) pair once; a run up the tree ends where the same join came by before. */
static uint32_t frontier_pairs(const struct kiln_graph *g, const struct kiln_tree *dom, uint32_t *last,
                               struct kiln_edge *out) {
  uint32_t count = 0;
  for (uint32_t b = 0; b < g->n; b++) last[b] = KILN_NONE;
  for (uint32_t join = 0; join < g->n; join++) {
    if (dom->pre[join] == KILN_NONE || g->pred0[join + 1] - g->pred0[join] + (join == dom->root) < 2)
      continue;
    for (uint32_t i = g->pred0[join]; i < g->pred0[join + 1]; i++) {
      uint32_t b = g->pred[i];
      if (dom->pre[b] == KILN_NONE) continue;
      while (b != dom->parent[join] && b != KILN_NONE && last[b] != join) {
        last[b] = join;
        if (out != NULL) out[count] = (struct kiln_edge){b, join};
        count++;
        b = dom->parent[b];
      }
    }
  }
  return count;
}

void kiln_frontiers_find(struct kiln_frontiers *f, const struct kiln_graph *g, const struct kiln_tree *dom,
                         struct kiln_arena *arena) {
  uint32_t *last = new_array(arena, g->n);
  uint32_t count = frontier_pairs(g, dom, last, NULL);
  struct kiln_edge *pairs = kiln_arena_alloc(arena, count, sizeof *pairs);
  frontier_pairs(g, dom, last, pairs);
  f->first = new_array(arena, (size_t)g->n + 1);
  f->at = new_array(arena, count);
  group_edges(g->n, pairs, count, false, f->first, f->at);
}
