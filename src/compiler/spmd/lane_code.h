/* Code of a region for a vector of work-items, as lane_region.c makes it, and what goes in and out of it. */
#ifndef KILN_COMPILER_SPMD_LANE_CODE_H
#define KILN_COMPILER_SPMD_LANE_CODE_H

#include "compiler/spmd/group.h"

/* A switch that lanes take differently, as long as code of its cases is still to come. */
struct kl_choice {
  uint32_t node, n;     /* that it ends; its edges */
  uint32_t others;      /* node whose variable holds the lanes that have taken no case so far; KL_NONE */
  LLVMValueRef inst, x; /* in the source; the number, by lane */
  LLVMValueRef mask;
};

struct kl_lane_exits;

/* A block to which lanes come by one edge of a branch that they take differently. */
struct kl_side {
  uint32_t branch;   /* a node */
  LLVMValueRef asks; /* holds for those of the lanes there that come; NULL: it is no such block */
};

struct kl_lane_code {
  struct kl_group *g;
  struct kl_lanes *l;
  struct kl_emit *e;
  const struct kl_region *region;
  uint32_t r;
  bool unrolls;            /* no loops over vectors shall be left */
  LLVMValueRef active;     /* mask of the lanes that are work-items */
  LLVMBasicBlockRef *code; /* by node */
  const struct kl_choice *
      *choice;            /* by node that is a case: the switch, while its mask is to be found; or NULL */
  uint32_t *first_into;   /* by node of a block: the first of those that lead there to run; KL_NONE */
  struct kl_side *side;   /* by node of a block */
  uint32_t *meeting;      /* by node of a block: first of those where lanes meet that part there; KL_NONE */
  uint32_t *next_meeting; /* by such a node: the next one */
  uint32_t *usual;        /* by phi: what it has got already, for all lanes; KL_NONE: nothing */
  LLVMValueRef *shared;   /* by value: KL_KEEP_GROUP values as they were before the region */
  const struct kl_pack *args;    /* of a function that is no kernel: those that vary; else NULL */
  const struct kl_cells *result; /* of such a function: what it returns */
  struct kl_lane_exits *exits;   /* see lane_exits.c; NULL: there is nothing of the kind */
  struct kl_cells *left; /* by value: of lanes that ran one by one, on the edges by which they leave */
};

/* ---- edges (lane_region.c) ---- */
/* Edge k of the block of `node`, taken by the lanes of mask; agreed: by all that run the block. */
void kiln_lane_pass_edge(struct kl_lane_code *c, uint32_t node, uint32_t k, LLVMValueRef mask, bool agreed);
/* The node that edge k of the block of `node` leads to. */
uint32_t kiln_lane_target(const struct kl_lane_code *c, uint32_t node, uint32_t k);
/* Something depends on which lanes take edge k of the block of `node`, of those that run it. */
bool kiln_lane_edge_is_asked(struct kl_lane_code *c, uint32_t node, uint32_t k);
/* The lanes of the mask bring the phi a value. */
void kiln_lane_store_phi(struct kl_lane_code *c, uint32_t phi, struct kl_pack pack, LLVMValueRef mask);
void kiln_lane_emit_phis(struct kl_lane_code *c, uint32_t block);

/* ---- ways to a block (lane_ways.c) ---- */
/* Of the region: fills first_into and, with nothing, side. */
void kiln_lane_find_ways(struct kl_lane_code *c);
/* No lane has come to the block `to` before in the turn of the loop around it that runs. */
bool kiln_lane_comes_first(const struct kl_lane_code *c, uint32_t node, uint32_t to);
/* Edge k of the block of `node` is taken by those of its lanes for which `asks` holds. */
void kiln_lane_note_side(struct kl_lane_code *c, uint32_t node, uint32_t k, LLVMValueRef asks);
/* At the end of the block of `node`, which leads to one block only: what tells its lanes from all others that
 * come there, which have come; NULL: nothing less than its mask. */
LLVMValueRef kiln_lane_side_asks(const struct kl_lane_code *c, uint32_t node);

/* ---- out of loops (lane_exits.c) ---- */
/* Of the region: what lanes that leave a loop at different turns find in the variables of its phis. */
void kiln_lane_find_exits(struct kl_lane_code *c);
/* The phi of a loop keeps what the lanes had that have left. */
bool kiln_lane_stays(const struct kl_lane_code *c, uint32_t phi);
/* What the phi gets from block `from` it gets by one of the two below. */
bool kiln_lane_is_put_off(const struct kl_lane_code *c, uint32_t phi, uint32_t from);
/* Where the block of `node` ends: phis of the loop around it get what its lanes, the mask's, have made. */
void kiln_lane_end_turn(struct kl_lane_code *c, uint32_t node, LLVMValueRef mask);
/* After the last turn: phis of what follows get what the lanes left with. */
void kiln_lane_leave_loop(struct kl_lane_code *c, uint32_t loop);

/* ---- many ways to a block (lane_usual.c) ---- */
/* Of the region: fills meeting and next_meeting. */
void kiln_lane_find_meetings(struct kl_lane_code *c);
/* At the end of the block of `node`: gives the phis of the blocks where its lanes meet again what they get on
 * most ways, which c->usual then holds: ways with that bring them nothing. */
void kiln_lane_give_usual(struct kl_lane_code *c, uint32_t node);

/* ---- switches (lane_switch.c) ---- */
/* Passes the edges of the switch `last`, which lanes of the mask take differently: the end of the block of
 * `node`. The code of its cases then has c->choice. */
void kiln_lane_switch(struct kl_lane_code *c, uint32_t node, uint32_t last, LLVMValueRef mask);
/* The mask of a node that has c->choice, at its beginning. */
LLVMValueRef kiln_lane_take_case(struct kl_lane_code *c, uint32_t node);
/* The mask's lanes, which run the node's code, are no longer among those that no case may hold for. To be
 * called where that code is not jumped over: code generation would put off what is computed on all ways, and
 * keep all masks until then. */
void kiln_lane_leave_default(struct kl_lane_code *c, uint32_t node, LLVMValueRef mask);

/* ---- lanes that run one by one (lane_serial_region.c) ---- */
/* The code that begins with a node which has been opened is such, and has been emitted: up to which place in
 * the order of nodes. 0: it is none. */
uint32_t kiln_lane_serial_region(struct kl_lane_code *c, uint32_t node);
/* At an open node, before the code for vectors: where few lanes are on the region runs one by one instead. */
void kiln_lane_few(struct kl_lane_code *c, uint32_t node);
/* While edges that leave such code are passed: a value of it as its lanes have left it; NULL: none of it. */
const struct kl_cells *kiln_lane_left(const struct kl_lane_code *c, uint32_t value);

/* ---- from before, to later (lane_slot.c) ---- */
/* Values that come from before and may be computed anew in this region go through variables. */
void kiln_lane_enter_values(struct kl_lane_code *c);
void kiln_lane_enter_objects(struct kl_lane_code *c);
/* What region `to` and those after it want. */
void kiln_lane_leave_values(struct kl_lane_code *c, const struct kl_region *to);
/* Adds the lanes' values to the collective before region `to`. */
void kiln_lane_give_collective(struct kl_lane_code *c, uint32_t to, LLVMValueRef mask);

/* ---- work-items that have returned (lane_slot.c) ---- */
void kiln_lane_set_exited(struct kl_lane_code *c, bool exited, LLVMValueRef mask);
/* The lanes that go on; the vector is skipped when there are none. */
LLVMValueRef kiln_lane_skip_exited(struct kl_lane_code *c);

#endif
