/* Emits flat instructions for a vector of work-items: one scalar for what all lanes share, one for each row
 * of lanes for what is strided (that of its first lane; one for all where rows begin alike), one vector per
 * component for the rest (compiler.md 2.3 steps 9 and 10). */
#ifndef KILN_COMPILER_SPMD_LANES_H
#define KILN_COMPILER_SPMD_LANES_H

#include "compiler/spmd/emit.h"
#include "compiler/spmd/flow.h"
#include "compiler/spmd/shape.h"

enum { KL_MOST_LANES = 512 };

/* A value in all lanes: a vector of `width` elements per component. An OpenCL vector has several, a struct
 * one per field. */
struct kl_pack {
  LLVMValueRef *part;
  uint32_t n;
};

/* The value of a pack where several definitions reach its uses: an alloca per component, or empty. */
struct kl_cells {
  LLVMValueRef *part;
  uint32_t n;
  bool is_lent; /* they are those of a phi, which gets what is stored (lane_exits.c) */
};

/* Row r's scalar is the first one's plus r * by; modulo 2^bits of the value, and without wrapping where seen
 * as signed or unsigned. */
struct kl_row_step {
  LLVMValueRef by; /* i64, bytes of a pointer; NULL: rows have scalars of their own */
  bool is_signed, is_unsigned;
};

/* A copy of code for all lanes on. */
struct kl_full {
  LLVMValueRef branch;     /* to it, or to the copy for some lanes */
  LLVMBasicBlockRef since; /* the last block made before it */
  LLVMBasicBlockRef *code; /* where it begins, and blocks made before that are part of it */
  uint32_t ncode;
};

/* Accesses that follow one another and are done together: see lane_group.c. */
enum { KL_MOST_COLUMNS = 8 };
struct kl_columns {
  uint32_t inst[KL_MOST_COLUMNS], n; /* in order */
  uint32_t pass;                     /* of the emitter, when they were found */
};

struct kl_lanes {
  struct kl_emit *e; /* scalars are its values, those of the first row where rows differ */
  const struct kl_shapes *shapes;
  const struct kl_plan *plan;
  unsigned width;
  const struct kl_mapping *map;
  struct kl_row_step *step; /* by value; valid with those in e */
  LLVMValueRef **row; /* by row, by value without a step: scalars of the rows after the first; the same */
  LLVMValueRef id[3]; /* map->linear: the lanes' local ids, vectors of i32 */

  struct kl_pack *pack; /* by value; valid while pack_pass equals e->pass */
  uint32_t *pack_pass;
  struct kl_cells *kept;  /* by value: as left in loops that lanes leave at different turns, or as computed by
                             several runs of a region */
  struct kl_cells *phi;   /* by value: inputs of a phi */
  LLVMValueRef *phi_base; /* by row, by value: inputs of a uniform or strided phi, of lane 0 if it has a
                             checked shape */
  LLVMValueRef *phi_ok;   /* by value: variable for what is ok of a phi with a checked shape */
  const bool *in_rows;    /* by value: see lane_in_rows.h; NULL: none is */
  bool *again;            /* by value: always read from `kept` in the region at hand */

  /* By value with a checked shape, while ok_pass equals e->pass: its scalar of lane 0 is a value of e, and
     the checked shape holds when ok is true (NULL: always). */
  LLVMValueRef *ok;
  uint32_t *ok_pass;
  unsigned elements,
      most_elements; /* components whose accesses became code for each lane, and how many may */
  bool seldom; /* the code at hand is for what is left at the end of rows and the like: short, not fast */
  bool called; /* a form of a function */
  bool parted; /* the code at hand is for some lanes on: a copy for all of them, in rows, stands beside it */
  struct kl_full *full;                 /* of the copy at hand for all lanes on; or NULL */
  unsigned copied;                      /* registers written by such copies so far */
  unsigned texels;                      /* elements of images that are read in place */
  bool calls;                           /* kiln_called_is_worth, with registers for masks */
  unsigned loops;                       /* stores that are loops over lanes, where calls could be */
  const bool *called_records;           /* by load: see lane_routine.h; NULL: none is */
  struct kl_table packed, packed_place; /* see lane_packed.c */
  struct kl_columns columns;            /* at hand */
  uint32_t *update;                     /* by instruction: see lane_private.h */
  uint32_t *done_pass;           /* by load: equals e->pass when it was done together with one before it */
  LLVMValueRef spare;            /* memory that lanes store to which are off; NULL until there is some */
  struct kl_serial_room *serial; /* see lane_serial_region.c; NULL until there is such code */
  LLVMBasicBlockRef *pack_block; /* by value: where its pack was computed, when that was put off; or NULL */

  /* The region at hand. */
  const struct kl_flow *flow;
  const uint32_t *block;   /* by node: the block's number */
  uint32_t *node_of;       /* by block */
  LLVMValueRef *in, *mask; /* by node: variable that collects its lanes; its mask once it runs */
  uint32_t at;             /* node whose code is emitted */
};

/* Prepares for the kernel of e; kiln_emit_start has been called. */
void kiln_lanes_start(struct kl_lanes *l, struct kl_emit *e, const struct kl_shapes *shapes,
                      const struct kl_plan *plan);

/* ---- values (lanes.c) ---- */
uint32_t kiln_lanes_parts(struct kl_lanes *l, uint32_t value); /* components */
/* Components of a type of the new module; what is no vector and no struct is its own. */
uint32_t kiln_type_parts(LLVMTypeRef type);
LLVMTypeRef kiln_type_part(LLVMTypeRef type, uint32_t k);
LLVMTypeRef kiln_lanes_type(struct kl_lanes *l, LLVMTypeRef part); /* <width x part> */
LLVMValueRef kiln_lanes_splat(struct kl_lanes *l, LLVMValueRef scalar);
/* The value as seen by the code at hand: all lanes, or one component of them. */
struct kl_pack kiln_lanes_operand(struct kl_lanes *l, uint32_t value);
LLVMValueRef kiln_lanes_part(struct kl_lanes *l, uint32_t value, uint32_t k);
struct kl_shape kiln_lanes_shape(struct kl_lanes *l, uint32_t value); /* as seen by the code at hand */
bool kiln_lanes_is_left(struct kl_lanes *l, uint32_t value); /* its lanes have left a loop one by one */
void kiln_lanes_define(struct kl_lanes *l, uint32_t value, struct kl_pack pack);
/* A scalar, vector or struct of which component k is `part` now; a scalar is its own. */
LLVMValueRef kiln_lanes_put_part(struct kl_lanes *l, LLVMValueRef whole, LLVMValueRef part, uint32_t k);
struct kl_pack kiln_lanes_new_pack(struct kl_lanes *l, uint32_t n);
struct kl_cells kiln_lanes_new_cells(struct kl_lanes *l, uint32_t value);
void kiln_lanes_empty(struct kl_lanes *l,
                      const struct kl_cells *cells); /* nothing in them is asked for again */
struct kl_pack kiln_lanes_load(struct kl_lanes *l, const struct kl_cells *cells);
/* Stores to the lanes of mask only. */
void kiln_lanes_store(struct kl_lanes *l, const struct kl_cells *cells, struct kl_pack pack,
                      LLVMValueRef mask);
/* After the scalar form of a uniform or strided value was emitted: keeps it for uses outside the loop. */
void kiln_lanes_keep(struct kl_lanes *l, uint32_t value);
/* One vector whose rows all begin with base and go up by stride. */
LLVMValueRef kiln_lanes_spread(struct kl_lanes *l, LLVMValueRef base, int64_t stride);

/* ---- scalars of rows (lane_step.c) ---- */
bool kiln_lanes_is_uneven(struct kl_lanes *l, uint32_t value); /* its rows begin with different scalars */
/* The scalar of a uniform or strided value in a row, for code at hand. */
LLVMValueRef kiln_lanes_row_scalar(struct kl_lanes *l, uint32_t value, unsigned row);
/* Emits the scalar form of a uniform or strided instruction: of the first row, and of the others where no
 * step leads to them. */
void kiln_lanes_scalar(struct kl_lanes *l, uint32_t inst);

/* ---- rows (lane_tile.c) ---- */
/* Component k of a strided value in all lanes. */
LLVMValueRef kiln_lanes_spread_value(struct kl_lanes *l, uint32_t value, uint32_t k);
/* Loads and stores whose addresses are strided within several rows; false: no such form. */
bool kiln_lanes_load_rows(struct kl_lanes *l, uint32_t inst);
bool kiln_lanes_store_rows(struct kl_lanes *l, uint32_t inst);
/* Local ids of a dimension in all lanes, of ids.type. */
LLVMValueRef kiln_lanes_local_id(struct kl_lanes *l, unsigned dimension);
/* A work-item function in all lanes: ids are affine in the lane's place. */
void kiln_lanes_query(struct kl_lanes *l, uint32_t inst);

/* For explanations: what became of an instruction of the kernel in the code at hand (lanes.c). */
void kiln_lanes_report(struct kl_lanes *l, uint32_t inst, struct kl_note note);

/* ---- lanes by linear local id (lane_linear.c) ---- */
LLVMValueRef kiln_lanes_numbers(struct kl_lanes *l);            /* 0, 1, ... of i32 */
LLVMValueRef kiln_lanes_number(struct kl_lanes *l, uint64_t x); /* i32 */
/* n elements of a vector, from `first` on. */
LLVMValueRef kiln_lanes_some_of(struct kl_lanes *l, LLVMValueRef v, unsigned first, unsigned n);
/* n vectors of one type, a power of 2, side by side in one; changes them. */
LLVMValueRef kiln_lanes_joined(struct kl_lanes *l, LLVMValueRef *part, unsigned n);
/* The code at hand is for the work-items from the linear local id `first` on. */
void kiln_lanes_set_linear(struct kl_lanes *l, LLVMValueRef first);
/* The ids of the code at hand become those of one lane (i32). */
void kiln_lanes_set_linear_lane(struct kl_lanes *l, LLVMValueRef lane);
/* An id in all lanes, of the instruction's type. */
LLVMValueRef kiln_lanes_linear_query(struct kl_lanes *l, uint32_t inst);

/* ---- masks (lanes.c) ---- */
LLVMValueRef kiln_lanes_mask(struct kl_lanes *l);                    /* of the code at hand */
bool kiln_lanes_is_full(LLVMValueRef mask);                          /* all lanes, known now */
LLVMValueRef kiln_lanes_any(struct kl_lanes *l, LLVMValueRef mask);  /* i1 */
LLVMValueRef kiln_lanes_all(struct kl_lanes *l, LLVMValueRef mask);  /* i1 */
LLVMValueRef kiln_lanes_bits(struct kl_lanes *l, LLVMValueRef mask); /* an integer of width bits */
/* The number of a lane that is on, i32; of lane 0 when none is. */
LLVMValueRef kiln_lanes_some(struct kl_lanes *l, LLVMValueRef mask);
/* v, where lanes that are off have what another lane has, one that is on if there is one. */
LLVMValueRef kiln_lanes_borrow(struct kl_lanes *l, LLVMValueRef v, LLVMValueRef mask);

/* ---- copies for all lanes on (lane_full.c) ---- */
/* Whether the code of a node, and of those that follow it in flow->order, is worth a copy for when all lanes
 * are on: up to which place; 0: it is not. No value of it is used elsewhere but by phis and as kept[]. */
uint32_t kiln_lanes_full_copy(struct kl_lanes *l, uint32_t node);
/* Has the condition tested where the copy for all lanes on begins, so that it holds in the copy: lanes that
 * do not meet it take the other one. False: there is no such copy at hand, or what is asked is not known
 * there. */
bool kiln_lanes_full_demand(struct kl_lanes *l, LLVMValueRef condition);
/* Values of such nodes, from `place` up to `end`, are computed anew by the code that follows. */
void kiln_lanes_forget(struct kl_lanes *l, uint32_t place, uint32_t end);

/* ---- code for one lane after the other (lanes.c) ---- */
/* A loop over the lanes of a mask, which may be none; code for one lane stands between opening and closing.
 */
struct kl_lane_loop {
  LLVMBasicBlockRef head, done;
  LLVMValueRef left, rest; /* lanes to do as bits; without this one. Or by numbers: this one; the next */
  LLVMValueRef end;        /* what is the rest after the last */
  LLVMValueRef lane;       /* this one's number, i32 */
};
void kiln_lanes_open_loop(struct kl_lanes *l, struct kl_lane_loop *loop, LLVMValueRef mask);
/* The same for all lanes, of which each turn does so many, a divisor of all: the one told and those after. */
void kiln_lanes_open_full_loop(struct kl_lanes *l, struct kl_lane_loop *loop, unsigned each);
void kiln_lanes_close_loop(struct kl_lanes *l, const struct kl_lane_loop *loop);

/* ---- shapes that hold while checks hold (lane_check.c) ---- */
/* As kiln_lanes_shape; the checked shape of a varying value that has one. */
struct kl_shape kiln_lanes_checked_shape(struct kl_lanes *l, uint32_t value);
/* The value is varying, but its lane 0 and l->ok are there. */
bool kiln_lanes_has_check(struct kl_lanes *l, uint32_t value);
/* Emits lane 0 and the check of an instruction; false: it has none. */
bool kiln_lanes_check(struct kl_lanes *l, uint32_t inst);
/* Lane 0 of a value, which is uniform, strided or has a check, and what is ok of it (i1). False: none is
 * there. */
bool kiln_lanes_checked_scalar(struct kl_lanes *l, uint32_t value, LLVMValueRef *scalar, LLVMValueRef *ok);
/* A phi has this lane 0, and this is ok of it. */
void kiln_lanes_define_checked(struct kl_lanes *l, uint32_t phi, LLVMValueRef scalar, LLVMValueRef ok);

/* ---- what lanes make together (lane_combine.c); sub: combine.h ---- */
LLVMValueRef kiln_lanes_neutral(struct kl_lanes *l, uint16_t sub, LLVMTypeRef type); /* in all lanes */
/* v in the lanes of mask, `neutral` in the others. */
LLVMValueRef kiln_lanes_only(struct kl_lanes *l, LLVMValueRef v, LLVMValueRef mask, LLVMValueRef neutral);
LLVMValueRef kiln_lanes_fold(struct kl_lanes *l, uint16_t sub, LLVMValueRef v); /* one scalar */
/* Lane i gets lane i - by; those without one get `neutral`. */
LLVMValueRef kiln_lanes_shift_up(struct kl_lanes *l, LLVMValueRef v, LLVMValueRef neutral, unsigned by);
/* In each lane, what the lanes up to it make, or those before it. */
LLVMValueRef kiln_lanes_up_to(struct kl_lanes *l, uint16_t sub, LLVMValueRef v, LLVMValueRef neutral);
LLVMValueRef kiln_lanes_before(struct kl_lanes *l, uint16_t sub, LLVMValueRef v, LLVMValueRef neutral);
/* In each lane of mask, how many of mask are before it (i32); anything in the others. */
LLVMValueRef kiln_lanes_count_before(struct kl_lanes *l, LLVMValueRef mask);

/* Calls an intrinsic of that name, before the part that spells types, for `types` (lanes.c). */
LLVMValueRef kiln_lanes_intrinsic(struct kl_lanes *l, const char *name, LLVMTypeRef *types,
                                  unsigned num_types, LLVMValueRef *args, unsigned num_args);

/* ---- instructions ---- */
/* One component of an instruction that works element by element, for the mask at hand; NULL if i is no such
 * instruction (lane_inst.c). */
LLVMValueRef kiln_lanes_element(struct kl_lanes *l, uint32_t inst, uint32_t k);
/* Any instruction but phis, terminators and allocas (lane_inst.c). */
void kiln_lanes_inst(struct kl_lanes *l, uint32_t inst);
void kiln_lanes_load_inst(struct kl_lanes *l, uint32_t inst);  /* lane_memory.c */
void kiln_lanes_store_inst(struct kl_lanes *l, uint32_t inst); /* lane_memory.c */
/* Registers that hold the constant table which an instruction loads an element of; 0: it does not, or the
 * table is too large, or the processor has no instruction for it (lane_table.c). */
unsigned kiln_lanes_table(const struct kl_func *f, uint32_t load, unsigned native);
bool kiln_lanes_load_table(struct kl_lanes *l, uint32_t load); /* false: it is no case for that */
/* Lane i gets what lane index[i] has of v, a vector of numbers; index: of 32 bits, below the width. False:
 * the processor has no instruction for it. */
bool kiln_lanes_permute(struct kl_lanes *l, LLVMValueRef v, LLVMValueRef index, LLVMValueRef *out);
/* Nothing at run time: code generation does not look through it. v: a vector of numbers. */
LLVMValueRef kiln_lanes_fence(struct kl_lanes *l, LLVMValueRef v);
/* The processor loads and stores rows of elements of so many bytes under masks. native: 32-bit elements of a
 * register. */
static inline bool kiln_lanes_has_masked_rows(uint64_t size, unsigned native) {
  return native >= 16 || (native >= 8 && size >= 4);
}
/* A vector of `pack` parts from or to consecutive elements at base (the address of lane 0); mask may be full.
 * align: of an element, in bytes (lane_memory.c). */
LLVMValueRef kiln_lanes_load_row(struct kl_lanes *l, LLVMTypeRef part, LLVMValueRef base, unsigned align,
                                 LLVMValueRef mask);
void kiln_lanes_store_row(struct kl_lanes *l, LLVMValueRef value, LLVMValueRef base, unsigned align,
                          LLVMValueRef mask);
bool kiln_lanes_call(struct kl_lanes *l, uint32_t inst); /* lane_call.c: false: no vector form */
bool kiln_lanes_has_call(LLVMValueRef call);             /* lane_call.c: it has */
/* lane_atomic.c: how many lanes are on, as type. */
LLVMValueRef kiln_lanes_count(struct kl_lanes *l, LLVMValueRef mask, LLVMTypeRef type);
/* Such atomics of all lanes on one address are one (lane_atomic.c). */
bool kiln_atomic_joins(LLVMValueRef atomic);
bool kiln_lanes_atomic(struct kl_lanes *l, uint32_t inst); /* lane_atomic.c: false: not on one address */
/* A sub-group function: the lanes are the sub-group (lane_sub_group.c). */
void kiln_lanes_sub_group(struct kl_lanes *l, uint32_t inst);
/* The call accesses elements of an image of which each lane's is in a row of its own (lane_texel.c). */
bool kiln_lanes_leave_row(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t call);
/* Of the elements of an image that the lanes name (lane_texel.c); false: the call is of something else. */
bool kiln_lanes_texel(struct kl_lanes *l, uint32_t inst);
/* The scalar form, lane by lane, for the lanes of the mask (lane_serial.c). */
void kiln_lanes_serialize(struct kl_lanes *l, uint32_t inst);

/* Scalars, vectors of them, flat structs of them (lane_inst.c). */
bool kiln_lanes_accept_type(LLVMTypeRef type);
/* True when every instruction has a form here, in all regions (lane_inst.c). */
bool kiln_lanes_accept(const struct kl_func *f, const struct kl_shapes *shapes, struct kl_map *map);

/* Component k of integer division or remainder i, of all lanes. */
LLVMValueRef kiln_lanes_divide(struct kl_lanes *l, uint32_t i, uint32_t k);
/* The value by which all lanes divide in i, without its guard (guard.h); KL_NONE: each by its own. */
uint32_t kiln_lanes_shared_divisor(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t i);
bool kiln_lanes_is_guard(LLVMValueRef v); /* made there: a divisor, or 1 where lanes are off */
/* Such numbers are divided all at once. native: 32-bit elements of a register. */
bool kiln_lanes_divides_as_real(LLVMTypeRef element, unsigned native);

#endif
