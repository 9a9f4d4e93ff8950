/* A function as flat arrays: what the analyses read and the emitter walks (compiler.md 2.2).
 *
 * Values are numbered in one space: arguments first, then instructions in reverse post-order, block by block,
 * then the constants met as operands. Blocks of LLVM are split after each barrier or collective, so these
 * end their block. */
#ifndef KILN_COMPILER_SPMD_IR_H
#define KILN_COMPILER_SPMD_IR_H

#include "compiler/cfg.h"
#include "compiler/spmd/env.h"
#include "compiler/value.h"

/* kl_inst.op is an LLVMOpcode or one of these. */
enum kl_op {
  KL_ARG = 256,
  KL_CONST,
  KL_DROP,       /* no meaning here: debug intrinsics, assumptions (of lanes that are on) */
  KL_QUERY,      /* work-item function; sub: enum kl_query; operand: dimension, if it has one */
  KL_BARRIER,    /* group barrier; sub: 0; the last instruction of its block */
  KL_COLLECTIVE, /* a value from all work-items of the group; sub: combine.h; ends its block like a barrier */
  KL_SUB_GROUP,  /* sub-group function; sub: subgroup.h; operands: its arguments */
  KL_FENCE,      /* sub-group barrier: nothing to wait for, orders memory */
  KL_PRINTF,     /* operands: format, arguments */
  KL_SPACE,      /* address space test of a generic pointer; sub: enum kl_space */
  KL_SAME,       /* the operand, of another type: an image is its descriptor, a sampler its bits */
  KL_LIFETIME,   /* sub: 1 start, 0 end; operand: pointer */
};

enum kl_query {
  KL_Q_GLOBAL_ID,
  KL_Q_LOCAL_ID,
  KL_Q_GROUP_ID,
  KL_Q_GLOBAL_SIZE,
  KL_Q_LOCAL_SIZE,
  KL_Q_ENQUEUED_LOCAL_SIZE,
  KL_Q_NUM_GROUPS,
  KL_Q_GLOBAL_OFFSET,
  KL_Q_WORK_DIM, /* from here on without a dimension */
  KL_Q_GLOBAL_LINEAR_ID,
  KL_Q_LOCAL_LINEAR_ID,
  KL_Q_SUB_GROUP_ID,
  KL_Q_SUB_GROUP_LOCAL_ID,
  KL_Q_SUB_GROUP_SIZE,
  KL_Q_MAX_SUB_GROUP_SIZE,
  KL_Q_NUM_SUB_GROUPS,
  KL_Q_ENQUEUED_NUM_SUB_GROUPS,
};
enum kl_space { KL_TO_GLOBAL, KL_TO_LOCAL, KL_TO_PRIVATE, KL_GET_FENCE };

/* sub of divisions: the dividend, and so what is made of it, is the same number as a signed and as an
 * unsigned one; the divisor as well where these are signed. */
enum { KL_POSITIVE = 1 };

struct kl_inst {
  uint16_t op, sub;
  uint32_t nops, op0; /* operands: func.ops[op0 ...]; PHI: pairs of value and block */
  uint32_t bb;        /* KL_NONE for arguments and constants */
  LLVMValueRef v;
};
struct kl_block {
  uint32_t first, n; /* instructions */
  uint32_t barrier; /* number of the barrier that ends the block, from 1; 0: an ordinary terminator ends it */
};

struct kl_func {
  LLVMValueRef fn;
  struct kl_inst *inst;
  uint32_t narg, ninst; /* ninst: arguments and instructions; constants follow up to nvalue */
  uint32_t nvalue, cap;
  struct kl_list ops;
  struct kl_block *block; /* in reverse post-order; 0 is the entry */
  struct kiln_graph graph;
  uint32_t nbarrier;
  bool orders_memory; /* atomics, fences, volatile accesses: other work-items' stores can be seen between
                         barriers */
  bool has_printf, has_space_test;
  struct kl_list
      callees; /* numbers of the constants that are called functions with a body, each once per call */
  struct kl_table index; /* LLVM value to number */
};

/* Reads fn, which has a body. Fails on what OpenCL C cannot produce (indirect calls, exceptions). */
struct kl_func *kiln_func_read(struct kl_env *env, LLVMValueRef fn);
/* The loops of fn, whose blocks are numbered as LLVM lists them: the list that is returned. Both lie in env's
 * arena. */
LLVMBasicBlockRef *kiln_blocks_loops(struct kl_env *env, LLVMValueRef fn, struct kiln_loops *loops);
/* The function behind a called value: through aliases; NULL when it is no function. */
LLVMValueRef kiln_func_resolve(LLVMValueRef callee);

/* Operand k of instruction i. */
static inline uint32_t kl_operand(const struct kl_func *f, uint32_t i, uint32_t k) {
  return f->ops.at[f->inst[i].op0 + k];
}

/* The value that load or store i moves; its pointer. */
static inline uint32_t kl_moved_by(const struct kl_func *f, uint32_t i) {
  return f->inst[i].op == LLVMStore ? kl_operand(f, i, 0) : i;
}
static inline uint32_t kl_pointer_of(const struct kl_func *f, uint32_t i) {
  return kl_operand(f, i, f->inst[i].op == LLVMStore ? 1 : 0);
}

/* What an address is a place in: an argument, a private object, or a value of which no more is known. */
static inline uint32_t kl_object_of(const struct kl_func *f, uint32_t pointer) {
  while (f->inst[pointer].op == LLVMGetElementPtr || f->inst[pointer].op == LLVMAddrSpaceCast)
    pointer = kl_operand(f, pointer, 0);
  return pointer;
}

static inline bool kl_is_division(unsigned op) {
  return op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
}

/* Of a division: an unsigned one where that does the same in less code (an exact one does in less still). */
static inline LLVMOpcode kl_plain_division(const struct kl_inst *inst) {
  if (inst->sub == KL_POSITIVE && inst->op == LLVMSDiv && !LLVMGetExact(inst->v)) return LLVMUDiv;
  if (inst->sub == KL_POSITIVE && inst->op == LLVMSRem) return LLVMURem;
  return (LLVMOpcode)inst->op;
}

/* A call of a function without a body whose result depends on its arguments alone and which does nothing
 * else. */
bool kiln_call_is_pure(LLVMValueRef call);
/* A call of __kiln_texel of the builtins, which loads an element of an image. */
bool kiln_call_is_texel(LLVMValueRef call);
/* Of a function of the builtins with a body that reads or writes an element of an image. */
bool kiln_call_is_of_image(LLVMValueRef call);

/* The instruction that ends a block; the first after its phis. */
static inline uint32_t kl_last_of(const struct kl_func *f, uint32_t block) {
  return f->block[block].first + f->block[block].n - 1;
}
static inline uint32_t kl_end_of_phis(const struct kl_func *f, uint32_t block) {
  uint32_t i = f->block[block].first;
  while (f->inst[i].op == LLVMPHI) i++;
  return i;
}

/* What a phi gets from block `from`; KL_NONE: nothing. */
static inline uint32_t kl_phi_input(const struct kl_func *f, uint32_t phi, uint32_t from) {
  for (uint32_t k = 0; k < f->inst[phi].nops; k += 2)
    if (kl_operand(f, phi, k + 1) == from) return kl_operand(f, phi, k);
  return KL_NONE;
}

/* Where values are used: instructions that use v are at[first[v]] to at[first[v + 1] - 1]. */
struct kl_uses {
  uint32_t *first, *at;
};
void kiln_uses_find(struct kl_env *env, const struct kl_func *f, struct kl_uses *uses);

/* A constant integer of that value. */
static inline bool kl_is_number(LLVMValueRef x, uint64_t n) {
  return LLVMIsAConstantInt(x) && LLVMConstIntGetZExtValue(x) == n;
}

/* Of the address of an element, of what a pointer leads to or of the array that it leads to: the element's
 * type and its number, a value. False: the address is something else. */
static inline bool kl_find_element(const struct kl_func *f, uint32_t address, LLVMTypeRef *type,
                                   uint32_t *number) {
  const struct kl_inst *gep = &f->inst[address];
  if (gep->op != LLVMGetElementPtr) return false;
  *type = LLVMGetGEPSourceElementType(gep->v);
  *number = kl_operand(f, address, gep->nops - 1);
  if (gep->nops == 2) return true;
  if (gep->nops != 3 || LLVMGetTypeKind(*type) != LLVMArrayTypeKind ||
      !kl_is_number(f->inst[kl_operand(f, address, 1)].v, 0))
    return false;
  *type = LLVMGetElementType(*type);
  return true;
}

static inline bool kl_is_barrier(unsigned op) { return op == KL_BARRIER || op == KL_COLLECTIVE; }

/* What a call of a function without a body means: an enum kl_op, *sub_out its detail; LLVMCall otherwise. */
unsigned kiln_call_classify(LLVMValueRef callee, uint16_t *sub_out);
/* A query (KL_Q_...) of a size, the same for all work-items; 1 in dimensions that there are not. */
static inline bool kl_is_size(unsigned query) {
  return query == KL_Q_GLOBAL_SIZE || query == KL_Q_LOCAL_SIZE || query == KL_Q_ENQUEUED_LOCAL_SIZE ||
         query == KL_Q_NUM_GROUPS;
}

#endif
