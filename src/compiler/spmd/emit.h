/* Emits flat instructions as code of the new module: one output function at a time, its blocks possibly
 * several times (once per region). */
#ifndef KILN_COMPILER_SPMD_EMIT_H
#define KILN_COMPILER_SPMD_EMIT_H

#include "compiler/spmd/program.h"
#include "compiler/spmd/report.h"

/* Where this work-item stands, as code knows it; all of `type` but work_dim (i32). */
struct kl_ids {
  LLVMTypeRef type; /* i32 when no number here reaches 2^31, else i64 */
  LLVMValueRef local_id[3], group_id[3];
  LLVMValueRef linear;        /* the linear local id, where code goes by it (kl_mapping.linear); or NULL */
  LLVMValueRef local_size[3]; /* of this group */
  LLVMValueRef group_base[3]; /* global offset + group * enqueued size: the global id of local id 0 */
  LLVMValueRef enqueued_size[3], global_size[3], num_groups[3], global_offset[3];
  LLVMValueRef work_dim;
};

/* What a function of ours that needs it gets as first parameter: KL_CTX_WORDS 64-bit words. */
enum {
  KL_CTX_LAUNCH,
  KL_CTX_WORKER,
  KL_CTX_FRAME, /* start of the frame block */
  KL_CTX_LOCAL_ID,
  KL_CTX_GROUP_ID = KL_CTX_LOCAL_ID + 3,
  KL_CTX_LOCAL_SIZE = KL_CTX_GROUP_ID + 3,
  KL_CTX_GROUP_BASE = KL_CTX_LOCAL_SIZE + 3,
  KL_CTX_WORDS = KL_CTX_GROUP_BASE + 3
};

struct kl_emit {
  struct kl_env *env;
  struct kl_map *map;
  struct kl_program *program;
  const struct kl_func *f;
  LLVMValueRef fn;
  LLVMBuilderRef b;     /* the code at hand */
  LLVMBuilderRef top;   /* end of the entry block: allocas only */
  LLVMBuilderRef setup; /* end of the block after it: what is computed once per call */
  LLVMValueRef launch, worker;
  LLVMValueRef context; /* KL_CTX_* block for calls; NULL when no callee needs one */
  struct kl_ids ids;
  bool lines;
  const uint8_t *unit; /* kl_shapes.unit, for lanes; or NULL */
  unsigned lanes;      /* work-items of the code at hand, by which distances in such objects are multiplied */
  unsigned sub_group;  /* work-items of a sub-group that is not the last of its group */
  struct kl_report *report; /* what becomes of the kernel's instructions; NULL: nobody asks */
  const bool *streams;      /* by argument: stores through it pass by the caches; NULL: none does */
  struct kl_tally *tally;   /* by argument: where atomics through it are gathered; NULL: nowhere */
  bool plain;               /* leaves out what is promised of operands: no overflow, in bounds */

  /* By value number. fixed[]: the same in the whole function (constants, arguments, addresses of allocas).
     value[] and cell[] hold while stamp[] equals `pass`: the emission of one region. A value with a cell
     lives in that alloca, because several definitions reach its uses. */
  LLVMValueRef *fixed, *value, *cell;
  uint32_t *value_pass, *cell_pass, pass;
  /* By block, for the region at hand: first and last emitted block (printf makes several). */
  LLVMBasicBlockRef *begin, *end;
  uint32_t *block_pass;
  /* By block: what it gives to the phi named by the stamp, pass and number. */
  LLVMValueRef *input;
  uint64_t *input_stamp;
};

/* Prepares the arrays for f; fn has been added; makes the entry and setup blocks. */
void kiln_emit_start(struct kl_emit *e, const struct kl_func *f, LLVMValueRef fn);
/* The arrays by value and by block, with nothing in them, for e->f. */
void kiln_emit_new_values(struct kl_emit *e);
void kiln_emit_next_pass(struct kl_emit *e); /* forgets value, cell and block */

LLVMBasicBlockRef kiln_emit_new_block(struct kl_emit *e, const char *name);
LLVMValueRef kiln_emit_operand(struct kl_emit *e, uint32_t value); /* at the builder's position */
bool kiln_emit_has(const struct kl_emit *e, uint32_t value);       /* it has been emitted, or needs not be */
void kiln_emit_define(struct kl_emit *e, uint32_t inst, LLVMValueRef value);
/* Any instruction but phis, terminators and allocas. */
void kiln_emit_inst(struct kl_emit *e, uint32_t inst);
/* Copies what an instruction promises (no overflow, fast mathematics) to its new form. */
void kiln_emit_flags(LLVMValueRef old, LLVMValueRef made);
/* Phis come first and get their inputs when all blocks of the region are there. */
void kiln_emit_phi(struct kl_emit *e, uint32_t inst);
void kiln_emit_phi_inputs(struct kl_emit *e, uint32_t inst);
/* Operand k, which comes from block `from`: at the end of that. */
LLVMValueRef kiln_emit_phi_input(struct kl_emit *e, uint32_t inst, uint32_t k, uint32_t from);
/* A branch or switch to the emitted blocks of its successors. */
void kiln_emit_branch(struct kl_emit *e, uint32_t inst);
/* Bytes that a GEP into an object whose elements lie lane by lane, of so many lanes, adds: a constant, and
 * each index that index_of is told of, times its step. */
typedef void kl_index_of(void *user, uint32_t value, uint64_t step);
int64_t kiln_offset_by_lane(struct kl_map *map, const struct kl_func *f, uint32_t gep, unsigned lanes,
                            kl_index_of *index_of, void *user);
/* index: as LLVM counts results, parameters and the function itself; value: of an attribute that has one. */
void kiln_emit_attribute(LLVMValueRef fn, unsigned index, const char *name, uint64_t value);
void kiln_emit_position(struct kl_emit *e, uint32_t inst);     /* sets the source position */
void kiln_emit_likely(struct kl_emit *e, LLVMValueRef branch); /* to its first target */
/* Asks for something of the loop that `latch` closes: "llvm.loop.unroll.disable" or the like. */
void kiln_loop_hint(LLVMContextRef context, LLVMValueRef latch, const char *what);
#define KL_KEPT "kiln.loop.kept" /* nothing to LLVM */
/* That it not be unrolled before row_walks.c has seen it. */
void kiln_loop_keep(LLVMContextRef context, LLVMValueRef latch);
#define KL_UNROLL_COUNT "llvm.loop.unroll.count"
#define KL_UNROLL_LATER "kiln.loop.unroll.count" /* nothing to LLVM; row_walks.c takes it up */
/* That so many turns of it be one; when: one of these. */
void kiln_loop_unroll_by(LLVMContextRef context, LLVMValueRef latch, const char *when, uint64_t turns);

void kiln_emit_call(struct kl_emit *e, uint32_t inst);                   /* call.c */
void kiln_emit_printf(struct kl_emit *e, uint32_t inst);                 /* call.c */
void kiln_emit_atomic(struct kl_emit *e, uint32_t inst);                 /* atomic.c */
void kiln_emit_query(struct kl_emit *e, uint32_t inst);                  /* query.c */
void kiln_emit_space_test(struct kl_emit *e, uint32_t inst);             /* query.c */
void kiln_emit_sub_group(struct kl_emit *e, uint32_t inst);              /* subgroup.c */
LLVMValueRef kiln_emit_global_id(struct kl_emit *e, unsigned dimension); /* query.c */
LLVMValueRef kiln_emit_local_linear(struct kl_emit *e);                  /* query.c: linear local id, i64 */
LLVMValueRef kiln_emit_load_launch(struct kl_emit *e, size_t offset,
                                   LLVMTypeRef type); /* query.c: in setup */
LLVMValueRef kiln_emit_load_worker(struct kl_emit *e, size_t offset, LLVMTypeRef type); /* likewise */
LLVMValueRef kiln_emit_index(struct kl_emit *e, uint64_t x);                            /* of ids.type */
LLVMValueRef kiln_emit_at(struct kl_emit *e, LLVMBuilderRef b, LLVMValueRef base, uint64_t offset);

/* An atomicrmw like `atomic` of one value; what was there before (atomic.c). */
LLVMValueRef kiln_emit_rmw(struct kl_emit *e, LLVMValueRef atomic, LLVMValueRef address, LLVMValueRef value);
/* Local memory is seen by one thread only, the one that runs the group: whatever order is asked for, its
 * atomics need no locked instruction (atomic.c). */
bool kiln_atomic_is_alone(LLVMValueRef atomic);
/* An atomicrmw that need not be done where it would change nothing: max, min, and, or, none of which orders
 * what stands around it. */
bool kiln_atomic_may_rest(LLVMValueRef atomic);
/* What op leaves in memory, for scalars or vectors; NULL if no instruction does it (atomic.c). */
LLVMValueRef kiln_atomic_result(LLVMBuilderRef b, LLVMAtomicRMWBinOp op, LLVMValueRef old,
                                LLVMValueRef operand);
/* How several operands of op become one, as combine.h has it; false if they do not (atomic.c). */
bool kiln_atomic_combination(LLVMAtomicRMWBinOp op, uint16_t *sub_out);

/* ids that are the same in the whole launch (query.c): in setup. */
void kiln_emit_launch_ids(struct kl_emit *e);

/* function.c: declares c->out; emits c->f as its body, after all are declared. */
void kiln_emit_declare_callee(struct kl_emit *e, struct kl_callee *c);
void kiln_emit_callee(struct kl_emit *e, struct kl_callee *c);
/* function.c: launch, worker and ids, of the type that ids.type says, as e->context, the function's first
 * parameter, has them: in setup. */
void kiln_emit_read_context(struct kl_emit *e);
/* call.c: the ids that a callee will read; the rest of the block is written once per group. */
void kiln_emit_store_local_ids(struct kl_emit *e);
/* Emits the instructions of one block (not its last when that is a barrier or a return): begin[] is there. */
void kiln_emit_block(struct kl_emit *e, uint32_t block);

#endif
