/* Estimates of what a vector of work-items costs, for choices between mappings. Units: about one simple
 * instruction on a register. Loops count as eight turns. */
#ifndef KILN_COMPILER_SPMD_LANE_COST_H
#define KILN_COMPILER_SPMD_LANE_COST_H

#include "compiler/spmd/shape.h"

/* Code for one lane after the other, by block; see serial_regions.h. */
struct kl_lane_turns {
  const uint32_t *root; /* the one that the code begins with which it is part of, and which dominates all of
                           that; KL_NONE: it runs for vectors. NULL: all blocks do */
  const uint8_t *few;   /* where at most so many lanes are on, what it dominates runs so, beside the code for
                           vectors; 0: never */
  const bool *twice;    /* it is part of such code */
};

struct kl_lane_cost {
  double total;    /* of a vector; of a work-item when the width is 1 */
  double sparse;   /* what it costs beyond that where few lanes are on */
  double traffic;  /* of that, what moves from and to memory, as much as in scalar code */
  double crowding; /* of it, what lanes cost because rows that each writes have more lines than fit side by
                      side, which still makes them no slower than work-items by themselves */
  double crowding_read; /* the same of rows that each only reads, which does */
  double per_lane;      /* of it, what grows with the lanes without end: gathers, shuffles, lane by lane */
  uint32_t elements;    /* that have code for each lane, once for each instruction */
  uint32_t vectors;     /* registers written by the code, once for each instruction */
  uint32_t live;        /* registers with vectors, at the place where they are most */
  uint32_t live_inside; /* the same in innermost loops, where there are loops */
  uint32_t carried;     /* registers with vectors that loops carry from turn to turn */
  uint32_t longest; /* turns of the processor from the first to the last of the longest chain of operations on
                       vectors, once for each instruction */
  uint32_t wait;    /* the same in the code of loops */
  uint32_t row_bytes; /* of the widest component of OpenCL vectors that loops carry in rows (lane_in_rows.h);
                         0: none */
  struct kl_lane_turns turns;
  double left_out; /* the same */
  double serial;   /* the part of the total that regions with loops cost which go lane by lane */
  bool joins;      /* has an atomic of all lanes together, for which the processors wait in turn */
  bool chases;     /* loops look things up where what they have looked up before says */
  double chasing;  /* of what runs for vectors, the part of those that wait for it */
  bool returns;    /* loops look things up in private arrays that they store to: a turn waits for another */
  bool chains;     /* loops or long code carry vectors from one operation to the next: their latency shows */
};

/* What is told of the cost of what was chosen. */
struct kl_lane_estimate {
  double cost; /* of a work-item, with what it waits for results */
  bool chains; /* as in kl_lane_cost */
};

/* What the estimate looks at. native: 32-bit elements of a register; integer_turns, lines_in_place, has_half:
 * see kl_program; local_size: work-items of a group in each dimension, 0: not known. */
struct kl_lane_costs {
  struct kl_env *env;
  struct kl_map *map;
  const struct kl_func *f;
  const struct kl_uses *uses;
  const struct kl_plan *plan;
  const bool *word_loads; /* word_loads.h; NULL: of no interest */
  const uint32_t *local_size;
  unsigned native, integer_turns, lines_in_place;
  uint32_t rows; /* kiln_spec.rows */
  bool has_half;
};

/* Turns of a loop; 0: the source does not tell. */
uint64_t kiln_loop_turns_known(const struct kl_func *f, const struct kiln_loops *loops, uint32_t loop);
/* Of each loop, as estimates count them: TURNS where they are not known, and MOST_TURNS at most (op_cost.h).
 */
uint32_t *kiln_loop_turns_find(const struct kl_lane_costs *in, const struct kiln_loops *loops);
/* With the mapping that the shapes are for. */
struct kl_lane_cost kiln_lane_cost(const struct kl_lane_costs *in, const struct kl_shapes *shapes,
                                   const struct kl_mapping *map);
/* Of an instruction in scalar code: OpenCL vectors go by registers, what has no vector form by elements. */
double kiln_scalar_op_cost(const struct kl_lane_costs *in, uint32_t inst);
/* Of a work-item in scalar code: of its operations, those of them that its neighbours do at the same time,
 * and of waiting for the results of these, in which the processor has time for a neighbour's. */
struct kl_scalar_cost {
  double work, common, wait;
};
/* shapes: those of the lanes that it is compared with. own: by block, KL_NONE for those that neighbours run
 * at the same time; NULL: all of them. */
struct kl_scalar_cost kiln_scalar_cost(const struct kl_lane_costs *in, const struct kl_shapes *shapes,
                                       const uint32_t *own);

#endif
