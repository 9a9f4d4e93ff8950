/* The functions that a kernel reaches, and the variables they use. */
#ifndef KILN_COMPILER_SPMD_PROGRAM_H
#define KILN_COMPILER_SPMD_PROGRAM_H

#include "compiler/spmd/ir.h"
#include "compiler/spmd/map.h"

/* A function that stays a function. */
struct kl_callee {
  struct kl_func *f;
  LLVMValueRef out;     /* the emitted function */
  bool orders_memory;   /* it, or one it calls: see kl_func */
  bool needs_context;   /* it, or one it calls, asks for ids, prints, or uses placed variables or the frame */
  uint64_t stack_bytes; /* of its private arrays */
  uint64_t frame_size;  /* bytes of its private arrays that lie in the arena, not on the stack */
  uint64_t frame_at;    /* their offset in the frame block; no two active functions overlap */
  uint8_t *unit;        /* by argument: kiln_lane_argument_units; NULL: not looked at yet */
};

enum { KL_LINES_IN_PLACE = 8 }; /* kl_program.lines_in_place where the processor is not known */

struct kl_program {
  struct kl_env *env;
  struct kl_map *map;
  struct kl_func *kernel;
  struct kl_table number;   /* function to its place in callee[] */
  struct kl_callee *callee; /* each before those that call it */
  uint32_t ncallee;
  uint64_t frame_bytes;    /* of the frame block */
  uint64_t local_bytes;    /* automatic __local variables, not rounded */
  unsigned native;         /* 32-bit values in a register of the processor */
  unsigned most_lanes;     /* where none are forced; 0: any number */
  unsigned lines_in_place; /* of its first cache that lie apart by a power of 2 and stay there together */
  unsigned in_flight;      /* vectors that it needs side by side to be busy while each waits for its result */
  unsigned
      integer_turns; /* of the processor, until the result of an operation on integers of vectors is there */
  bool has_half;     /* it computes with halves */
  bool gathers;      /* it gathers and scatters an element in about the time of a load or store */
  bool deposits;     /* it keeps masks as bits, with instructions that spread bits, and elements by bits */
  uint64_t arena_size; /* of a worker, bytes */
  bool has_printf, has_space_test, orders_memory;
  bool has_sub_groups;                      /* asks for, or works on, sub-groups */
  struct kl_lane_function **lane_functions; /* vector forms that calls have asked for (lane_function.c) */
  bool keeps_rows;    /* private objects that are passed to functions do not lie lane by lane */
  bool *rows_refused; /* set: one has been passed to a function that has no form for it */
};

/* Reads the kernel and everything it calls; lays out the __local variables they use (map->local_offset).
 * Fails on recursion and on barriers outside the kernel. */
void kiln_program_read(struct kl_program *p, struct kl_env *env, struct kl_map *map, LLVMValueRef kernel);
struct kl_callee *kiln_program_callee(struct kl_program *p, LLVMValueRef fn);
/* False only if nothing runs twice. */
bool kiln_program_may_loop(const struct kl_program *p);

/* Bytes of a private array, and the threshold (for one function) from which arrays lie in the arena. */
#define KL_STACK_BYTES 8192u
LLVMTypeRef kiln_alloca_type(struct kl_map *map,
                             LLVMValueRef alloca_inst); /* mapped, an array if it has a count */
uint64_t kiln_alloca_size(struct kl_map *map, LLVMValueRef alloca_inst);
uint32_t kiln_alloca_align(struct kl_map *map, LLVMValueRef alloca_inst);

#endif
