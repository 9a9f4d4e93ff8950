/* In which order the blocks of a region run when neighbouring work-items are the lanes of a vector, and under
 * which masks: partial linearization (Moll and Hack, "Partial Control-Flow Linearization", PLDI 2018).
 *
 * Knows blocks, edges and which branches diverge, no instructions and no LLVM. Uniform branches stay
 * branches. The targets of a divergent branch run one after the other, each under its mask. A loop that lanes
 * leave at different turns gets one place to go around or to leave (its latch node), and one to go on from
 * (its exits node). Nodes whose mask may be empty, and which must not run then, get a guard. */
#ifndef KILN_COMPILER_SPMD_FLOW_H
#define KILN_COMPILER_SPMD_FLOW_H

#include "base/arena.h"
#include "compiler/cfg.h"

enum kl_node_kind {
  KL_NODE_BLOCK, /* a block of the region */
  KL_NODE_END,   /* the vector of work-items is done */
  KL_NODE_ENTER, /* before a loop */
  KL_NODE_LATCH, /* end of a turn of a loop: around while any lane wants to, if the loop diverges */
  KL_NODE_EXITS  /* after a loop that diverges: on to where the lanes left to */
};

struct kl_node {
  uint8_t kind;
  bool diverges;         /* LATCH: of a loop that diverges */
  bool guard;            /* runs only if its mask is not empty; else `skip` follows */
  bool sure;             /* its mask is not empty when it runs */
  uint32_t loop;         /* ENTER, LATCH, EXITS: the loop; KILN_NONE otherwise */
  uint32_t owner;        /* the node whose mask this one runs under; itself: it has its own */
  uint32_t skip;         /* with a guard: the node that follows when the mask is empty */
  uint32_t succ0, nsucc; /* flow.succ: the node each edge of the block leads to, as in the source */
  uint32_t next0;        /* flow.next: by edge, the node that follows; one for all if not `branches` */
  bool branches;         /* several edges, and work-items agree which one to take */
  uint32_t place, past;  /* in `order`; nodes that are reached by way of this one only come from there up to
                            `past` (but for the end) */
};

struct kl_flow {
  uint32_t n, nblock, entry, end; /* nodes: the region's blocks first, in its order */
  struct kl_node *node;
  uint32_t *order; /* nodes as they are emitted; the entry first, the end last */
  uint32_t *succ;  /* by edge: the block's target as node: receives the mask; of a loop's header: the ENTER
                      node from outside, the header from inside */
  uint32_t *next;
  struct kiln_loops loops; /* of the region, by node of a block */
  bool *loop_diverges;
  uint32_t *loop_enter, *loop_latch, *loop_exits; /* by loop: its nodes; KILN_NONE if it needs none */
};

/* What the blocks look like. Blocks are 0 to n - 1; graph has n + 1 nodes, the last is the end. */
struct kl_flow_input {
  struct kiln_graph graph;
  uint32_t entry;
  const bool *divergent; /* by block: ends in a branch that lanes take differently */
  const bool *shy;       /* by block: must not run when no lane is active */
};

/* False when the region has cycles that are no loops, or too many blocks. */
bool kiln_flow_find(struct kl_flow *flow, struct kiln_arena *arena, const struct kl_flow_input *input);
/* Block `at` runs after a loop that holds block `from` and that lanes leave at different turns. */
bool kiln_flow_is_left(const struct kl_flow *flow, uint32_t from, uint32_t at);

#endif
