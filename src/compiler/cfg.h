/* Control-flow graphs on block numbers: order, dominators, loops, frontiers.
 *
 * Knows blocks and edges only, no LLVM. Every result lies in the caller's arena. Costs are O(m log n) or
 * better (m edges, n blocks) and no function recurses, so generated kernels of tens of thousands of branches
 * are fine. */
#ifndef KILN_COMPILER_CFG_H
#define KILN_COMPILER_CFG_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define KILN_NONE UINT32_MAX

/* Edges of n blocks, both ways: the successors of b are succ[succ0[b]] to succ[succ0[b + 1] - 1], in the
 * order given; parallel edges stay. */
struct kiln_graph {
  uint32_t n;
  uint32_t *succ0, *succ, *pred0, *pred;
};
struct kiln_edge {
  uint32_t from, to;
};
void kiln_graph_build(struct kiln_graph *g, struct kiln_arena *arena, uint32_t n,
                      const struct kiln_edge *edges, size_t count);

/* There are cycles; blocks are numbered in reverse post-order, so each has an edge to one that does not come
 * later. */
bool kiln_graph_has_cycles(const struct kiln_graph *g);

/* Blocks reachable from entry in reverse post-order; *count_out: how many. */
uint32_t *kiln_graph_order(const struct kiln_graph *g, struct kiln_arena *arena, uint32_t entry,
                           uint32_t *count_out);

/* A tree over the blocks (dominators or post-dominators), root included. */
struct kiln_tree {
  uint32_t root;
  uint32_t *parent;    /* KILN_NONE for the root and for blocks outside the tree */
  uint32_t *depth;     /* 0 for the root */
  uint32_t *pre, *end; /* a is an ancestor of b or b itself: pre[a] <= pre[b] && pre[b] < end[a] */
};
/* Immediate dominators of the blocks reachable from entry. */
void kiln_tree_dominators(struct kiln_tree *t, const struct kiln_graph *g, struct kiln_arena *arena,
                          uint32_t entry);
/* Immediate post-dominators. The root is the virtual block n, where every block without successors leads, and
 * so does one block of each endless loop. */
void kiln_tree_postdominators(struct kiln_tree *t, const struct kiln_graph *g, struct kiln_arena *arena);
static inline bool kiln_tree_above(const struct kiln_tree *t, uint32_t a, uint32_t b) {
  return t->pre[a] <= t->pre[b] && t->pre[b] < t->end[a];
}

/* Natural loops: back edges lead to a block that dominates their start. */
struct kiln_loops {
  uint32_t count;
  uint32_t *header; /* by loop; an outer loop has a higher number than its inner ones */
  uint32_t *parent; /* by loop; KILN_NONE outside */
  uint32_t *of;     /* by block: innermost loop or KILN_NONE */
  bool irreducible; /* there are cycles that are no natural loops */
};
void kiln_loops_find(struct kiln_loops *l, const struct kiln_graph *g, const struct kiln_tree *dom,
                     struct kiln_arena *arena);
bool kiln_loops_contain(const struct kiln_loops *l, uint32_t loop, uint32_t block);
/* The block is the header of a loop. */
static inline bool kiln_loops_begin(const struct kiln_loops *l, uint32_t block) {
  return l->of[block] != KILN_NONE && l->header[l->of[block]] == block;
}
/* The block that leads back to the loop's header; KILN_NONE: several do. */
uint32_t kiln_loops_latch(const struct kiln_loops *l, const struct kiln_graph *g, uint32_t loop);
/* By loop: none is inside. The arena's. */
bool *kiln_loops_innermost(const struct kiln_loops *l, struct kiln_arena *arena);
/* An edge leads from the block out of the loop. */
bool kiln_loops_leave(const struct kiln_loops *l, const struct kiln_graph *g, uint32_t loop, uint32_t block);

/* Immediate post-dominators within a turn of the loops around: an edge back to the header of loop l leads to
 * node n + l, and from there to where the loop is left to. The root is node n + l->count. */
void kiln_tree_turn_postdominators(struct kiln_tree *t, const struct kiln_graph *g,
                                   const struct kiln_tree *dom, const struct kiln_loops *l,
                                   struct kiln_arena *arena);
/* Paths from block `from` may leave `loop` before they all meet; t from kiln_tree_turn_postdominators. */
bool kiln_loops_split(const struct kiln_loops *l, const struct kiln_graph *g, const struct kiln_tree *t,
                      uint32_t loop, uint32_t from);

/* Dominance frontiers: those of b are at[first[b]] to at[first[b + 1] - 1]. */
struct kiln_frontiers {
  uint32_t *first, *at;
};
void kiln_frontiers_find(struct kiln_frontiers *f, const struct kiln_graph *g, const struct kiln_tree *dom,
                         struct kiln_arena *arena);

#endif
