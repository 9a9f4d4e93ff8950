/* How values change from lane to lane (compiler.md 1.3 and 2.3 step 6). */
#ifndef KILN_COMPILER_SPMD_SHAPE_H
#define KILN_COMPILER_SPMD_SHAPE_H

#include "compiler/spmd/mapping.h"
#include "compiler/spmd/plan.h"
#include "compiler/spmd/uniform.h"

enum kl_shape_kind {
  KL_UNKNOWN, /* during the analysis only */
  KL_UNIFORM, /* the same in all active lanes */
  KL_STRIDED, /* within a row: that of its first lane plus (lane >> alike) * stride; integers and pointers */
  KL_VARYING
};

struct kl_shape {
  uint8_t kind;
  /* The first lane plus lane * stride holds without wrapping, the values seen as signed or as unsigned. */
  bool no_signed_wrap, no_unsigned_wrap;
  bool small;     /* in [0, 2^31) in all lanes */
  bool uneven;    /* rows begin with values of their own */
  uint8_t alike;  /* of a checked shape: 2^alike lanes side by side have one value, and the stride is from
                     them to the next ones, as in x >> alike */
  int64_t stride; /* in units of an integer, in bytes of a pointer */
};

struct kl_shapes {
  struct kl_shape *of; /* by value */
  /* By value, of a varying one: how it changes from lane to lane while checks made as the code runs hold
   * (lane_check.c): that no index wraps, that a quotient is the same for all. KL_VARYING: nothing is known.
   */
  struct kl_shape *checked;
  bool *exact; /* by value with a checked shape: something else than addresses needs it in all lanes */
  /* By value, of a pointer into a private object whose elements lie lane by lane (lane_object.c): bytes of an
   * element; 0: it is no such pointer. Its distances count `width` times. */
  uint8_t *unit;
  struct kl_uniform uniform;
  struct kl_mapping map;
  uint32_t widest; /* mapping for which the checks may hold: with more lanes one of them always fails */
  bool whole_rows; /* no vector of a full group ends before its last lane */
};

bool kiln_shape_is_same(struct kl_shape x, struct kl_shape y);
/* Shapes of the kernel's values. small_ids: all ids and sizes are below 2^31. A private object has one copy
 * per lane: lane by lane by element, or one behind the other at distances of kiln_lane_object_size.
 * whole_rows: no vector of a full group ends before its last lane. */
void kiln_shapes_find(struct kl_shapes *s, struct kl_env *env, struct kl_program *program,
                      const struct kl_plan *plan, const struct kl_mapping *map, bool small_ids,
                      bool whole_rows);
/* By value: kl_shapes.unit. */
uint8_t *kiln_lane_objects_find(struct kl_env *env, struct kl_program *program, const struct kl_plan *plan,
                                const struct kl_uses *uses, bool whole_rows);
/* By argument of a function, of a pointer through which all accesses are to elements of one size: that size
 * in bytes, and 0 of others. Of what is passed so the elements may lie lane by lane. */
const uint8_t *kiln_lane_argument_units(struct kl_env *env, struct kl_program *program,
                                        struct kl_callee *callee);
/* Bytes from the copy of one lane to that of the next. */
uint64_t kiln_lane_object_size(struct kl_map *map, LLVMValueRef alloca_inst);
/* Of a phi: it has a checked shape, and the check is whether the lanes' values follow it. */
bool kiln_shape_is_looked_at(const struct kl_shapes *s, const struct kl_func *f, uint32_t phi);
/* The shape of a value as code in `block` sees it. */
struct kl_shape kiln_shape_at(const struct kl_shapes *s, const struct kl_func *f, uint32_t value,
                              uint32_t block);
/* The same; of a varying one the checked shape. */
struct kl_shape kiln_shape_checked_at(const struct kl_shapes *s, const struct kl_func *f, uint32_t value,
                                      uint32_t block);
/* Instruction i is llvm.smin and the like: its predicate, by which the result compares to the operands (SLE
 * for smin); 0: it is none. */
LLVMIntPredicate kiln_shape_extremum(const struct kl_inst *inst);
/* The divisor of a guarded division (guard.c), as the program has it: a value of f, or KL_NONE. */
uint32_t kiln_shape_divisor(const struct kl_func *f, uint32_t division);

#endif
