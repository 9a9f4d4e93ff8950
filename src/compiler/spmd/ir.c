/* Reads an LLVM function into flat arrays; see ir.h. Owns the numbering and the recognition of calls that the
 * work-group compiler gives a meaning. */
#include "compiler/spmd/ir.h"

#include "compiler/spmd/combine.h"
#include "compiler/spmd/endless.h"
#include "compiler/spmd/subgroup.h"
#include "compiler/value.h"

#include <stdlib.h>
#include <string.h>

/* ---- calls by name ---- */

static const struct call_name {
  const char *name;
  uint16_t op, sub;
} call_names[] = {
    {"get_global_id", KL_QUERY, KL_Q_GLOBAL_ID},
    {"get_local_id", KL_QUERY, KL_Q_LOCAL_ID},
    {"get_group_id", KL_QUERY, KL_Q_GROUP_ID},
    {"get_global_size", KL_QUERY, KL_Q_GLOBAL_SIZE},
    {"get_local_size", KL_QUERY, KL_Q_LOCAL_SIZE},
    {"get_enqueued_local_size", KL_QUERY, KL_Q_ENQUEUED_LOCAL_SIZE},
    {"get_num_groups", KL_QUERY, KL_Q_NUM_GROUPS},
    {"get_global_offset", KL_QUERY, KL_Q_GLOBAL_OFFSET},
    {"get_work_dim", KL_QUERY, KL_Q_WORK_DIM},
    {"get_global_linear_id", KL_QUERY, KL_Q_GLOBAL_LINEAR_ID},
    {"get_local_linear_id", KL_QUERY, KL_Q_LOCAL_LINEAR_ID},
    {"get_sub_group_id", KL_QUERY, KL_Q_SUB_GROUP_ID},
    {"get_sub_group_local_id", KL_QUERY, KL_Q_SUB_GROUP_LOCAL_ID},
    {"get_sub_group_size", KL_QUERY, KL_Q_SUB_GROUP_SIZE},
    {"get_max_sub_group_size", KL_QUERY, KL_Q_MAX_SUB_GROUP_SIZE},
    {"get_num_sub_groups", KL_QUERY, KL_Q_NUM_SUB_GROUPS},
    {"get_enqueued_num_sub_groups", KL_QUERY, KL_Q_ENQUEUED_NUM_SUB_GROUPS},
    {"barrier", KL_BARRIER, 0},
    {"work_group_barrier", KL_BARRIER, 0},
    {"sub_group_barrier", KL_FENCE, 0},
    {"printf", KL_PRINTF, 0},
    {"__to_global", KL_SPACE, KL_TO_GLOBAL},
    {"__to_local", KL_SPACE, KL_TO_LOCAL},
    {"__to_private", KL_SPACE, KL_TO_PRIVATE},
    {"get_fence", KL_SPACE, KL_GET_FENCE},
    {"__translate_sampler_initializer", KL_SAME, 0},
    {"__kiln_sampler", KL_SAME, 0},
    {"__kiln_image", KL_SAME, 0},
};

/* The source name in a mangled or plain name. */
static const char *source_name(const char *name, size_t *len) {
  if (strncmp(name, "_Z", 2) == 0 && name[2] >= '1' && name[2] <= '9') {
    char *end;
    unsigned long n = strtoul(name + 2, &end, 10);
    if (n <= strlen(end)) {
      *len = n;
      return end;
    }
  }
  *len = strlen(name);
  return name;
}

static bool has_prefix(const char *s, size_t len, const char *prefix) {
  return len >= strlen(prefix) && memcmp(s, prefix, strlen(prefix)) == 0;
}

static unsigned classify_intrinsic(const char *name, size_t len, uint16_t *sub_out) {
  *sub_out = has_prefix(name, len, "llvm.lifetime.start");
  if (has_prefix(name, len, "llvm.lifetime.")) return KL_LIFETIME;
  static const char *const meaningless[] = {"llvm.dbg.", "llvm.assume",
                                            "llvm.experimental.noalias.scope.decl", "llvm.sideeffect"};
  for (size_t i = 0; i < sizeof meaningless / sizeof *meaningless; i++)
    if (has_prefix(name, len, meaningless[i])) return KL_DROP;
  return LLVMCall;
}

unsigned kiln_call_classify(LLVMValueRef callee, uint16_t *sub_out) {
  size_t len;
  *sub_out = 0;
  if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee)) return LLVMCall;
  const char *full = LLVMGetValueName2(callee, &len);
  if (has_prefix(full, len, "llvm.")) return classify_intrinsic(full, len, sub_out);
  const char *name = source_name(full, &len);
  for (size_t i = 0; i < sizeof call_names / sizeof *call_names; i++)
    if (strlen(call_names[i].name) == len && memcmp(call_names[i].name, name, len) == 0) {
      *sub_out = call_names[i].sub;
      return call_names[i].op;
    }
  if (kiln_collective_parse(name, len, sub_out)) return KL_COLLECTIVE;
  return kiln_sub_group_parse(name, len, sub_out) ? (unsigned)KL_SUB_GROUP : LLVMCall;
}

LLVMValueRef kiln_func_resolve(LLVMValueRef callee) {
  while (callee != NULL && LLVMIsAGlobalAlias(callee)) callee = LLVMAliasGetAliasee(callee);
  return callee != NULL && LLVMIsAFunction(callee) ? callee : NULL;
}

/* ---- order of LLVM's blocks ---- */

struct reader {
  struct kl_env *env;
  struct kl_func *f;
  uint32_t nllvm; /* blocks of LLVM reached, in reverse post-order */
  LLVMBasicBlockRef *llvm;
  uint32_t *first_piece;       /* by LLVM block: its pieces are first_piece[i] to first_piece[i + 1] - 1 */
  struct kl_table block_index; /* LLVM block to its place in llvm[] */
};

/* All blocks of fn as LLVM lists them, and the edges between them. */
static LLVMBasicBlockRef *list_blocks(struct kl_env *env, LLVMValueRef fn, struct kiln_graph *g) {
  uint32_t n = LLVMCountBasicBlocks(fn), count = 0, nedge = 0, cap = 64;
  struct kiln_edge *edges = kl_new(env, cap, struct kiln_edge);
  LLVMBasicBlockRef *all = kl_new(env, n, LLVMBasicBlockRef);
  struct kl_table numbers = {0};
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b != NULL; b = LLVMGetNextBasicBlock(b)) {
    kiln_table_put(env, &numbers, b, count);
    all[count++] = b;
  }
  for (uint32_t i = 0; i < n; i++) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(all[i]);
    for (unsigned k = 0, ns = LLVMGetNumSuccessors(t); k < ns; k++) {
      if (nedge == cap) {
        struct kiln_edge *bigger = kl_new(env, (size_t)cap * 2, struct kiln_edge);
        memcpy(bigger, edges, cap * sizeof *edges);
        edges = bigger;
        cap *= 2;
      }
      edges[nedge++] = (struct kiln_edge){i, (uint32_t)*kiln_table_find(&numbers, LLVMGetSuccessor(t, k))};
    }
  }
  kiln_graph_build(g, &env->arena, n, edges, nedge);
  return all;
}

LLVMBasicBlockRef *kiln_blocks_loops(struct kl_env *env, LLVMValueRef fn, struct kiln_loops *loops) {
  struct kiln_graph g;
  struct kiln_tree dominators;
  LLVMBasicBlockRef *blocks = list_blocks(env, fn, &g);
  kiln_tree_dominators(&dominators, &g, &env->arena, 0);
  kiln_loops_find(loops, &g, &dominators, &env->arena);
  return blocks;
}

static void order_blocks(struct reader *r) {
  struct kl_env *env = r->env;
  struct kiln_graph g;
  uint32_t reached;
  LLVMBasicBlockRef *all = list_blocks(env, r->f->fn, &g);
  if (kiln_endless_open(env, r->f->fn, all, &g)) all = list_blocks(env, r->f->fn, &g);
  uint32_t *order = kiln_graph_order(&g, &env->arena, 0, &reached);
  r->nllvm = reached;
  r->llvm = kl_new(env, reached, LLVMBasicBlockRef);
  for (uint32_t i = 0; i < reached; i++) {
    r->llvm[i] = all[order[i]];
    kiln_table_put(env, &r->block_index, r->llvm[i], i);
  }
}

/* ---- numbering ---- */

static uint32_t add_value(struct reader *r, LLVMValueRef v, unsigned op) {
  struct kl_func *f = r->f;
  if (f->nvalue == f->cap) {
    struct kl_inst *bigger = kl_new(r->env, (size_t)f->cap * 2, struct kl_inst);
    memcpy(bigger, f->inst, f->cap * sizeof *bigger);
    f->inst = bigger;
    f->cap *= 2;
  }
  kiln_table_put(r->env, &f->index, v, f->nvalue);
  f->inst[f->nvalue] = (struct kl_inst){.op = (uint16_t)op, .bb = KL_NONE, .v = v};
  return f->nvalue++;
}

static unsigned read_opcode(struct reader *r, LLVMValueRef v, uint16_t *sub) {
  unsigned op = LLVMGetInstructionOpcode(v);
  *sub = 0;
  if (op != LLVMCall) return op;
  LLVMValueRef callee = LLVMGetCalledValue(v), fn = kiln_func_resolve(callee);
  if (fn == NULL) {
    if (LLVMIsAInlineAsm(callee)) return op;
    kiln_env_fail(r->env, "a call through a pointer cannot be compiled");
  }
  return kiln_call_classify(fn, sub);
}

/* Gives every instruction of one LLVM block its number; barriers end blocks of ours. */
static void number_block(struct reader *r, uint32_t i, struct kl_block *block, uint32_t *nblock) {
  struct kl_func *f = r->f;
  r->first_piece[i] = *nblock;
  block[*nblock].first = f->nvalue;
  for (LLVMValueRef v = LLVMGetFirstInstruction(r->llvm[i]); v != NULL; v = LLVMGetNextInstruction(v)) {
    uint16_t sub;
    unsigned op = read_opcode(r, v, &sub);
    uint32_t n = add_value(r, v, op);
    f->inst[n].sub = sub;
    f->inst[n].bb = *nblock;
    f->has_printf |= op == KL_PRINTF;
    f->has_space_test |= op == KL_SPACE;
    if (!kl_is_barrier(op)) continue;
    block[*nblock].n = f->nvalue - block[*nblock].first;
    block[*nblock].barrier = ++f->nbarrier;
    block[++*nblock].first = f->nvalue;
  }
  block[*nblock].n = f->nvalue - block[*nblock].first;
  ++*nblock;
}

static uint32_t count_barriers(struct reader *r, uint32_t *ninst) {
  uint32_t n = 0;
  uint16_t sub;
  for (uint32_t i = 0; i < r->nllvm; i++)
    for (LLVMValueRef v = LLVMGetFirstInstruction(r->llvm[i]); v != NULL; v = LLVMGetNextInstruction(v)) {
      ++*ninst;
      n += LLVMGetInstructionOpcode(v) == LLVMCall && kl_is_barrier(read_opcode(r, v, &sub));
    }
  return n;
}

static void number_values(struct reader *r, uint32_t *nblock_out) {
  struct kl_func *f = r->f;
  uint32_t ninst = 0, nblock = 0, barriers = count_barriers(r, &ninst);
  f->narg = LLVMCountParams(f->fn);
  f->cap = f->narg + ninst + 64;
  f->inst = kl_new(r->env, f->cap, struct kl_inst);
  f->block = kl_new(r->env, (size_t)r->nllvm + barriers, struct kl_block);
  r->first_piece = kl_new(r->env, (size_t)r->nllvm + 1, uint32_t);
  for (uint32_t i = 0; i < f->narg; i++) add_value(r, LLVMGetParam(f->fn, i), KL_ARG);
  for (uint32_t i = 0; i < r->nllvm; i++) number_block(r, i, f->block, &nblock);
  r->first_piece[r->nllvm] = nblock;
  f->ninst = f->nvalue;
  *nblock_out = nblock;
}

/* ---- operands ---- */

static uint32_t number_of(struct reader *r, LLVMValueRef v) {
  uint64_t *n = kiln_table_find(&r->f->index, v);
  return n != NULL ? (uint32_t)*n : add_value(r, v, KL_CONST);
}

static void push_operand(struct reader *r, LLVMValueRef v) {
  uint32_t n = number_of(r, v);
  kiln_list_push(r->env, &r->f->ops, n);
}

/* Incoming edges from blocks that nothing reaches are left out. */
static void read_phi(struct reader *r, LLVMValueRef v) {
  for (unsigned k = 0, n = LLVMCountIncoming(v); k < n; k++) {
    uint64_t *from = kiln_table_find(&r->block_index, LLVMGetIncomingBlock(v, k));
    if (from == NULL) continue;
    push_operand(r, LLVMGetIncomingValue(v, k));
    kiln_list_push(r->env, &r->f->ops, r->first_piece[*from + 1] - 1);
  }
}

static void note_memory_order(struct kl_func *f, unsigned op, LLVMValueRef v) {
  if (op == LLVMFence || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || op == KL_FENCE)
    f->orders_memory = true;
  if (op == LLVMLoad || op == LLVMStore) f->orders_memory |= !kiln_is_ordinary(v);
}

bool kiln_call_is_pure(LLVMValueRef call) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(call));
  return fn != NULL && LLVMIsDeclaration(fn) && kiln_leaves_memory(fn);
}

static bool is_texel(LLVMValueRef fn) { return kiln_name_begins(fn, "__kiln_texel"); }

bool kiln_call_is_texel(LLVMValueRef call) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(call));
  return fn != NULL && is_texel(fn);
}

bool kiln_call_is_of_image(LLVMValueRef call) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(call));
  size_t len;
  if (fn == NULL || LLVMIsDeclaration(fn)) return false;
  const char *name = LLVMGetValueName2(fn, &len);
  return is_texel(fn) ||
         (kiln_name_begins(fn, "_Z") && (strstr(name, "read_image") || strstr(name, "write_image")));
}

static void read_call(struct reader *r, uint32_t i, LLVMValueRef v) {
  unsigned op = r->f->inst[i].op;
  if (op == KL_DROP || op == KL_BARRIER || op == KL_FENCE) return;
  unsigned first = op == KL_LIFETIME ? 1 : 0;
  for (unsigned k = first, n = LLVMGetNumArgOperands(v); k < n; k++) push_operand(r, LLVMGetOperand(v, k));
  LLVMValueRef callee = kiln_func_resolve(LLVMGetCalledValue(v));
  if (op != LLVMCall || callee == NULL || LLVMIsDeclaration(callee)) return;
  uint32_t n = number_of(r, callee);
  kiln_list_push(r->env, &r->f->callees, n);
}

static void read_operands(struct reader *r, uint32_t i) {
  LLVMValueRef v = r->f->inst[i].v;
  unsigned op = r->f->inst[i].op;
  uint32_t start = r->f->ops.n;
  note_memory_order(r->f, op, v);
  switch (op) {
  case LLVMPHI:
    read_phi(r, v);
    break;
  case LLVMBr:
    if (LLVMIsConditional(v)) push_operand(r, LLVMGetCondition(v));
    break;
  case LLVMSwitch:
    push_operand(r, LLVMGetOperand(v, 0));
    break;
  case LLVMIndirectBr:
  case LLVMInvoke:
  case LLVMCallBr:
  case LLVMVAArg:
    kiln_env_fail(r->env, "an instruction that OpenCL C does not have");
  default:
    if (LLVMIsACallInst(v)) read_call(r, i, v);
    else
      for (unsigned k = 0, n = (unsigned)LLVMGetNumOperands(v); k < n; k++)
        push_operand(r, LLVMGetOperand(v, k));
  }
  r->f->inst[i].op0 = start;
  r->f->inst[i].nops = r->f->ops.n - start;
}

static void read_edges(struct reader *r, uint32_t nblock) {
  struct kl_func *f = r->f;
  size_t count = 0, cap = nblock;
  for (uint32_t i = 0; i < r->nllvm; i++)
    cap += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(r->llvm[i]));
  struct kiln_edge *edges = kl_new(r->env, cap, struct kiln_edge);
  for (uint32_t i = 0; i < r->nllvm; i++) {
    uint32_t piece = r->first_piece[i], last = r->first_piece[i + 1] - 1;
    for (; piece < last; piece++) edges[count++] = (struct kiln_edge){piece, piece + 1};
    LLVMValueRef t = LLVMGetBasicBlockTerminator(r->llvm[i]);
    for (unsigned k = 0, n = LLVMGetNumSuccessors(t); k < n; k++) {
      uint32_t to = (uint32_t)*kiln_table_find(&r->block_index, LLVMGetSuccessor(t, k));
      edges[count++] = (struct kiln_edge){last, r->first_piece[to]};
    }
  }
  kiln_graph_build(&f->graph, &r->env->arena, nblock, edges, count);
}

struct kl_func *kiln_func_read(struct kl_env *env, LLVMValueRef fn) {
  struct reader r = {.env = env, .f = kl_new(env, 1, struct kl_func)};
  uint32_t nblock;
  r.f->fn = fn;
  order_blocks(&r);
  number_values(&r, &nblock);
  for (uint32_t i = r.f->narg; i < r.f->ninst; i++) read_operands(&r, i);
  read_edges(&r, nblock);
  return r.f;
}

/* ---- uses ---- */

static void visit_uses(const struct kl_func *f, void (*visit)(struct kl_uses *, uint32_t v, uint32_t user),
                       struct kl_uses *uses) {
  for (uint32_t i = f->narg; i < f->ninst; i++) {
    uint32_t step = f->inst[i].op == LLVMPHI ? 2 : 1;
    for (uint32_t k = 0; k < f->inst[i].nops; k += step) visit(uses, kl_operand(f, i, k), i);
  }
}

static void count_use(struct kl_uses *uses, uint32_t v, uint32_t user) {
  (void)user;
  uses->first[v]++;
}

static void store_use(struct kl_uses *uses, uint32_t v, uint32_t user) { uses->at[--uses->first[v]] = user; }

void kiln_uses_find(struct kl_env *env, const struct kl_func *f, struct kl_uses *uses) {
  uint32_t total = 0;
  uses->first = kl_new(env, (size_t)f->nvalue + 1, uint32_t);
  visit_uses(f, count_use, uses);
  for (uint32_t v = 0; v < f->nvalue; v++) uses->first[v] = total += uses->first[v];
  uses->first[f->nvalue] = total;
  uses->at = kl_new(env, total, uint32_t);
  visit_uses(f, store_use, uses);
}
