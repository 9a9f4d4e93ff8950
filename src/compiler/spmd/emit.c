/* One flat instruction to one emitted instruction; see emit.h. */
#include "compiler/spmd/emit.h"

#include "base/abi.h"
#include "compiler/spmd/own_scope.h"
#include "compiler/spmd/stream.h"
#include "compiler/spmd/workgroup.h"

#include <llvm-c/DebugInfo.h>
#include <stddef.h>
#include <string.h>

void kiln_emit_new_values(struct kl_emit *e) {
  const struct kl_func *f = e->f;
  e->fixed = kl_new(e->env, f->nvalue, LLVMValueRef);
  e->value = kl_new(e->env, f->nvalue, LLVMValueRef);
  e->cell = kl_new(e->env, f->nvalue, LLVMValueRef);
  e->value_pass = kl_new(e->env, f->nvalue, uint32_t);
  e->cell_pass = kl_new(e->env, f->nvalue, uint32_t);
  e->begin = kl_new(e->env, f->graph.n, LLVMBasicBlockRef);
  e->end = kl_new(e->env, f->graph.n, LLVMBasicBlockRef);
  e->block_pass = kl_new(e->env, f->graph.n, uint32_t);
  e->input = kl_new(e->env, f->graph.n, LLVMValueRef);
  e->input_stamp = kl_new(e->env, f->graph.n, uint64_t);
}

void kiln_emit_start(struct kl_emit *e, const struct kl_func *f, LLVMValueRef fn) {
  e->f = f;
  e->fn = fn;
  kiln_emit_new_values(e);
  e->pass = 1;
  e->unit = NULL;
  e->lanes = 1;
  LLVMPositionBuilderAtEnd(e->top, kiln_emit_new_block(e, "entry"));
  LLVMPositionBuilderAtEnd(e->setup, kiln_emit_new_block(e, "setup"));
}

void kiln_emit_next_pass(struct kl_emit *e) { e->pass++; }

void kiln_emit_attribute(LLVMValueRef fn, unsigned index, const char *name, uint64_t value) {
  const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(fn));
  LLVMAddAttributeAtIndex(fn, index, LLVMCreateEnumAttribute(context, kind, value));
}

LLVMBasicBlockRef kiln_emit_new_block(struct kl_emit *e, const char *name) {
  return LLVMAppendBasicBlockInContext(e->env->context, e->fn, name);
}

LLVMValueRef kiln_emit_at(struct kl_emit *e, LLVMBuilderRef b, LLVMValueRef base, uint64_t offset) {
  LLVMValueRef index = LLVMConstInt(e->map->i64, offset, false);
  return offset == 0 ? base : LLVMBuildInBoundsGEP2(b, e->map->i8, base, &index, 1, "");
}

/* ---- values ---- */

static LLVMValueRef emit_constant(struct kl_emit *e, LLVMValueRef c);

static LLVMValueRef emit_variable(struct kl_emit *e, LLVMValueRef variable) {
  uint64_t *offset = kiln_table_find(&e->map->local_offset, variable);
  LLVMValueRef base;
  uint64_t at;
  if (offset != NULL) {
    base = kiln_emit_load_worker(e, offsetof(struct kiln_worker, local), e->map->ptr);
    kiln_scope_mark_own(base);
    at = *offset;
  } else {
    base = kiln_emit_load_launch(e, offsetof(struct kiln_launch, globals), e->map->ptr);
    at = kiln_spmd_global_offset(variable);
  }
  return kiln_emit_at(e, e->setup, base, at);
}

static LLVMValueRef emit_gep_constant(struct kl_emit *e, LLVMValueRef c) {
  unsigned n = (unsigned)LLVMGetNumOperands(c);
  LLVMValueRef *index = kl_new(e->env, n, LLVMValueRef);
  for (unsigned i = 0; i < n; i++) index[i] = emit_constant(e, LLVMGetOperand(c, i));
  return LLVMBuildGEPWithNoWrapFlags(e->setup, kiln_map_type(e->map, LLVMGetGEPSourceElementType(c)),
                                     index[0], index + 1, n - 1, "", LLVMGEPGetNoWrapFlags(c));
}

static LLVMValueRef emit_aggregate_constant(struct kl_emit *e, LLVMValueRef c, LLVMTypeRef type) {
  LLVMValueRef whole = LLVMGetPoison(type);
  for (unsigned i = 0, n = (unsigned)LLVMGetNumOperands(c); i < n; i++) {
    LLVMValueRef part = emit_constant(e, LLVMGetOperand(c, i));
    whole = LLVMIsAConstantVector(c)
                ? LLVMBuildInsertElement(e->setup, whole, part, LLVMConstInt(e->map->i32, i, false), "")
                : LLVMBuildInsertValue(e->setup, whole, part, i, "");
  }
  return whole;
}

/* Constants with an address known only at run time become code in the setup block. */
static LLVMValueRef emit_constant(struct kl_emit *e, LLVMValueRef c) {
  if (!kiln_map_is_moving(e->map, c)) return kiln_map_constant(e->map, c);
  if (LLVMIsAGlobalVariable(c)) return emit_variable(e, c);
  LLVMTypeRef type = kiln_map_type(e->map, LLVMTypeOf(c));
  if (!LLVMIsAConstantExpr(c)) return emit_aggregate_constant(e, c, type);
  LLVMOpcode op = LLVMGetConstOpcode(c);
  if (op == LLVMGetElementPtr) return emit_gep_constant(e, c);
  LLVMValueRef a = emit_constant(e, LLVMGetOperand(c, 0));
  if (op == LLVMAddrSpaceCast || op == LLVMBitCast) return a;
  if (op == LLVMPtrToInt || op == LLVMIntToPtr || op == LLVMTrunc)
    return LLVMBuildCast(e->setup, op, a, type, "");
  LLVMValueRef second = emit_constant(e, LLVMGetOperand(c, 1));
  if (op == LLVMExtractElement) return LLVMBuildExtractElement(e->setup, a, second, "");
  if (op == LLVMShuffleVector)
    return LLVMBuildShuffleVector(e->setup, a, second, kiln_map_shuffle_mask(e->map, c), "");
  if (op == LLVMInsertElement)
    return LLVMBuildInsertElement(e->setup, a, second, emit_constant(e, LLVMGetOperand(c, 2)), "");
  return LLVMBuildBinOp(e->setup, op, a, second, "");
}

bool kiln_emit_has(const struct kl_emit *e, uint32_t v) {
  return e->fixed[v] != NULL || e->f->inst[v].op == KL_CONST || e->cell_pass[v] == e->pass ||
         e->value_pass[v] == e->pass;
}

LLVMValueRef kiln_emit_operand(struct kl_emit *e, uint32_t v) {
  if (e->fixed[v] != NULL) return e->fixed[v];
  if (e->f->inst[v].op == KL_CONST) return e->fixed[v] = emit_constant(e, e->f->inst[v].v);
  if (e->cell_pass[v] == e->pass)
    return LLVMBuildLoad2(e->b, kiln_map_type(e->map, LLVMTypeOf(e->f->inst[v].v)), e->cell[v], "");
  if (e->value_pass[v] != e->pass)
    kiln_env_fail(e->env, "internal: value %u is used before it is emitted", v);
  return e->value[v];
}

void kiln_emit_define(struct kl_emit *e, uint32_t i, LLVMValueRef value) {
  e->value[i] = value;
  e->value_pass[i] = e->pass;
  if (e->cell_pass[i] == e->pass) LLVMBuildStore(e->b, value, e->cell[i]);
}

static LLVMValueRef operand(struct kl_emit *e, uint32_t i, uint32_t k) {
  return kiln_emit_operand(e, kl_operand(e->f, i, k));
}

static LLVMTypeRef type_of(struct kl_emit *e, LLVMValueRef old) {
  return kiln_map_type(e->map, LLVMTypeOf(old));
}

/* ---- what instructions carry beside operands ---- */

void kiln_emit_position(struct kl_emit *e, uint32_t i) {
  if (!e->lines) return;
  LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(e->f->inst[i].v));
}

/* other: a second hint, or NULL. */
static void set_loop(LLVMContextRef context, LLVMValueRef latch, LLVMMetadataRef hint,
                     LLVMMetadataRef other) {
  LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
  LLVMMetadataRef part[] = {self, hint, other};
  LLVMMetadataRef loop = LLVMMDNodeInContext2(context, part, other == NULL ? 2 : 3);
  LLVMMetadataReplaceAllUsesWith(self, loop);
  LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9),
                  LLVMMetadataAsValue(context, loop));
}

static LLVMMetadataRef hint(LLVMContextRef context, const char *what) {
  LLVMMetadataRef name = LLVMMDStringInContext2(context, what, strlen(what));
  return LLVMMDNodeInContext2(context, &name, 1);
}

void kiln_loop_hint(LLVMContextRef context, LLVMValueRef latch, const char *what) {
  set_loop(context, latch, hint(context, what), NULL);
}

void kiln_loop_keep(LLVMContextRef context, LLVMValueRef latch) {
  set_loop(context, latch, hint(context, "llvm.loop.unroll.disable"), hint(context, KL_KEPT));
}

void kiln_loop_unroll_by(LLVMContextRef context, LLVMValueRef latch, const char *when, uint64_t turns) {
  LLVMValueRef count = LLVMConstInt(LLVMInt32TypeInContext(context), turns, false);
  LLVMMetadataRef part[] = {LLVMMDStringInContext2(context, when, strlen(when)), LLVMValueAsMetadata(count)};
  set_loop(context, latch, LLVMMDNodeInContext2(context, part, 2), NULL);
}

void kiln_emit_likely(struct kl_emit *e, LLVMValueRef branch) {
  LLVMContextRef c = e->env->context;
  LLVMMetadataRef weights[] = {LLVMMDStringInContext2(c, "branch_weights", 14),
                               LLVMValueAsMetadata(LLVMConstInt(e->map->i32, 2000, false)),
                               LLVMValueAsMetadata(LLVMConstInt(e->map->i32, 1, false))};
  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(c, "prof", 4),
                  LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, weights, 3)));
}

static void copy_metadata(LLVMValueRef old, LLVMValueRef made) {
  size_t n;
  if (!LLVMHasMetadata(old)) return;
  LLVMValueMetadataEntry *entry = LLVMInstructionGetAllMetadataOtherThanDebugLoc(old, &n);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(old));
  for (unsigned k = 0; k < n; k++)
    LLVMSetMetadata(made, LLVMValueMetadataEntriesGetKind(entry, k),
                    LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entry, k)));
  LLVMDisposeValueMetadataEntries(entry);
}

static void copy_flags(LLVMOpcode op, LLVMValueRef old, LLVMValueRef made) {
  switch (op) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
    LLVMSetNSW(made, LLVMGetNSW(old));
    LLVMSetNUW(made, LLVMGetNUW(old));
    break;
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMLShr:
  case LLVMAShr:
    LLVMSetExact(made, LLVMGetExact(old));
    break;
  case LLVMOr:
    LLVMSetIsDisjoint(made, LLVMGetIsDisjoint(old));
    break;
  case LLVMZExt:
  case LLVMUIToFP:
    LLVMSetNNeg(made, LLVMGetNNeg(old));
    break;
  default:
    if (LLVMCanValueUseFastMathFlags(old)) LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(old));
  }
}

/* The builder may fold to a constant or to an operand: then there is nothing to carry over. */
static bool is_same_kind(LLVMValueRef old, LLVMValueRef made) {
  return LLVMIsAInstruction(made) && LLVMGetInstructionOpcode(made) == LLVMGetInstructionOpcode(old);
}

void kiln_emit_flags(LLVMValueRef old, LLVMValueRef made) {
  if (is_same_kind(old, made)) copy_flags(LLVMGetInstructionOpcode(old), old, made);
}

static void define_like(struct kl_emit *e, uint32_t i, LLVMValueRef made) {
  LLVMValueRef old = e->f->inst[i].v;
  if (is_same_kind(old, made) && !e->plain) {
    copy_flags(LLVMGetInstructionOpcode(old), old, made);
    copy_metadata(old, made);
  }
  kiln_emit_define(e, i, made);
}

/* ---- memory ---- */

/* An image's descriptor does not change while a launch runs. */
static bool is_of_image(struct kl_emit *e, uint32_t i) {
  uint32_t from = kl_operand(e->f, i, 0);
  while (e->f->inst[from].op == LLVMGetElementPtr) from = kl_operand(e->f, from, 0);
  return e->f->inst[from].op == KL_SAME;
}

static void mark_invariant(struct kl_emit *e, LLVMValueRef load) {
  LLVMContextRef context = e->env->context;
  LLVMSetMetadata(load, LLVMGetMDKindIDInContext(context, "invariant.load", 14),
                  LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
}

static void emit_load(struct kl_emit *e, uint32_t i) {
  LLVMValueRef old = e->f->inst[i].v, made = LLVMBuildLoad2(e->b, type_of(e, old), operand(e, i, 0), "");
  LLVMSetAlignment(made, LLVMGetAlignment(old));
  LLVMSetVolatile(made, LLVMGetVolatile(old));
  LLVMSetOrdering(made, LLVMGetOrdering(old));
  if (is_of_image(e, i)) mark_invariant(e, made);
  define_like(e, i, made);
}

static void emit_store(struct kl_emit *e, uint32_t i) {
  LLVMValueRef old = e->f->inst[i].v, made = LLVMBuildStore(e->b, operand(e, i, 0), operand(e, i, 1));
  LLVMSetAlignment(made, LLVMGetAlignment(old));
  LLVMSetVolatile(made, LLVMGetVolatile(old));
  LLVMSetOrdering(made, LLVMGetOrdering(old));
  copy_metadata(old, made);
  uint64_t size = kiln_map_size(e->map, LLVMTypeOf(LLVMGetOperand(made, 0)));
  bool is_lines = size % KL_LINE == 0 && LLVMGetAlignment(made) % KL_LINE == 0;
  if (is_lines && kiln_is_ordinary(made) && kiln_stream_is(e, kl_operand(e->f, i, 1)))
    kiln_stream_mark(e, made);
}

/* Bytes to the elements that index k of a chain of indices counts; *type: what the index before led to. */
static uint64_t step_of(struct kl_map *map, const struct kl_func *f, uint32_t i, uint32_t k,
                        LLVMTypeRef *type, int64_t *field) {
  LLVMValueRef index = f->inst[kl_operand(f, i, k)].v;
  *field = -1;
  if (k == 1) {
    *type = kiln_map_type(map, LLVMGetGEPSourceElementType(f->inst[i].v));
  } else if (LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
    unsigned number = (unsigned)LLVMConstIntGetZExtValue(index);
    *field = (int64_t)LLVMOffsetOfElement(map->env->layout, *type, number);
    *type = LLVMStructGetTypeAtIndex(*type, number);
    return 0;
  } else {
    *type = LLVMGetElementType(*type);
  }
  return kiln_map_size(map, *type);
}

int64_t kiln_offset_by_lane(struct kl_map *map, const struct kl_func *f, uint32_t gep, unsigned lanes,
                            kl_index_of *index_of, void *user) {
  LLVMTypeRef type = NULL;
  int64_t constant = 0;
  for (uint32_t k = 1; k < f->inst[gep].nops; k++) {
    int64_t field;
    const uint64_t step = step_of(map, f, gep, k, &type, &field) * lanes;
    const uint32_t index = kl_operand(f, gep, k);
    LLVMValueRef c = f->inst[index].v;
    if (field >= 0) constant += field * lanes;
    else if (LLVMIsAConstantInt(c)) constant += LLVMConstIntGetSExtValue(c) * (int64_t)step;
    else index_of(user, index, step);
  }
  return constant;
}

/* An address that indices are added to. */
struct scaled {
  struct kl_emit *e;
  LLVMValueRef at;
};

static void add_index(void *user, uint32_t value, uint64_t step) {
  struct scaled *s = user;
  struct kl_emit *e = s->e;
  LLVMValueRef x = kiln_emit_operand(e, value);
  if (LLVMTypeOf(x) != e->map->i64) x = LLVMBuildSExt(e->b, x, e->map->i64, "");
  x = LLVMBuildMul(e->b, x, LLVMConstInt(e->map->i64, step, false), "");
  s->at = LLVMBuildGEP2(e->b, e->map->i8, s->at, &x, 1, "");
}

static void emit_gep_by_lane(struct kl_emit *e, uint32_t i) {
  struct scaled s = {e, operand(e, i, 0)};
  const int64_t constant = kiln_offset_by_lane(e->map, e->f, i, e->lanes, add_index, &s);
  LLVMValueRef rest = LLVMConstInt(e->map->i64, (uint64_t)constant, true);
  kiln_emit_define(e, i, constant == 0 ? s.at : LLVMBuildGEP2(e->b, e->map->i8, s.at, &rest, 1, ""));
}

static void emit_gep(struct kl_emit *e, uint32_t i) {
  if (e->unit != NULL && e->unit[i] != 0) {
    emit_gep_by_lane(e, i);
    return;
  }
  LLVMValueRef old = e->f->inst[i].v, index[32];
  uint32_t n = e->f->inst[i].nops;
  if (n == 0 || n > 32) kiln_env_fail(e->env, "an address of no or more than 31 indices");
  for (uint32_t k = 0; k < n; k++) index[k] = operand(e, i, k);
  define_like(e, i,
              LLVMBuildGEPWithNoWrapFlags(e->b, kiln_map_type(e->map, LLVMGetGEPSourceElementType(old)),
                                          index[0], index + 1, n - 1, "",
                                          e->plain ? 0 : LLVMGEPGetNoWrapFlags(old)));
}

/* ---- vectors and aggregates ---- */

static void emit_shuffle(struct kl_emit *e, uint32_t i) {
  LLVMValueRef mask = kiln_map_shuffle_mask(e->map, e->f->inst[i].v);
  define_like(e, i, LLVMBuildShuffleVector(e->b, operand(e, i, 0), operand(e, i, 1), mask, ""));
}

static void emit_extract_value(struct kl_emit *e, uint32_t i) {
  LLVMValueRef old = e->f->inst[i].v, whole = operand(e, i, 0);
  const unsigned *index = LLVMGetIndices(old);
  for (unsigned k = 0, n = LLVMGetNumIndices(old); k < n; k++)
    whole = LLVMBuildExtractValue(e->b, whole, index[k], "");
  kiln_emit_define(e, i, whole);
}

/* The C interface inserts at one level only: take the inner aggregates out, and put them back. */
static void emit_insert_value(struct kl_emit *e, uint32_t i) {
  LLVMValueRef old = e->f->inst[i].v, level[16], part = operand(e, i, 1);
  const unsigned *index = LLVMGetIndices(old);
  unsigned n = LLVMGetNumIndices(old);
  if (n > 16) kiln_env_fail(e->env, "a value nested more than 16 deep");
  level[0] = operand(e, i, 0);
  for (unsigned k = 1; k < n; k++) level[k] = LLVMBuildExtractValue(e->b, level[k - 1], index[k - 1], "");
  for (unsigned k = n; k-- > 0;) part = LLVMBuildInsertValue(e->b, level[k], part, index[k], "");
  kiln_emit_define(e, i, part);
}

/* ---- control ---- */

void kiln_emit_phi(struct kl_emit *e, uint32_t i) {
  LLVMValueRef old = e->f->inst[i].v, made = LLVMBuildPhi(e->b, type_of(e, old), "");
  if (LLVMCanValueUseFastMathFlags(old)) LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(old));
  e->value[i] = made;
  e->value_pass[i] = e->pass;
}

/* A switch may have several edges to the phi's block: they carry one and the same value. */
LLVMValueRef kiln_emit_phi_input(struct kl_emit *e, uint32_t i, uint32_t k, uint32_t from) {
  uint64_t stamp = (uint64_t)e->pass << 32 | i;
  if (e->input_stamp[from] == stamp) return e->input[from];
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(e->end[from]));
  e->input_stamp[from] = stamp;
  return e->input[from] = kiln_emit_operand(e, kl_operand(e->f, i, k));
}

void kiln_emit_phi_inputs(struct kl_emit *e, uint32_t i) {
  const struct kl_inst *inst = &e->f->inst[i];
  for (uint32_t k = 0; k < inst->nops; k += 2) {
    uint32_t from = kl_operand(e->f, i, k + 1);
    if (e->block_pass[from] != e->pass) continue;
    LLVMValueRef input = kiln_emit_phi_input(e, i, k, from);
    LLVMAddIncoming(e->value[i], &input, &e->end[from], 1);
  }
}

static LLVMBasicBlockRef target(struct kl_emit *e, uint32_t from, uint32_t k) {
  return e->begin[e->f->graph.succ[e->f->graph.succ0[from] + k]];
}

void kiln_emit_branch(struct kl_emit *e, uint32_t i) {
  const struct kl_inst *inst = &e->f->inst[i];
  kiln_emit_position(e, i);
  LLVMValueRef made;
  if (inst->op == LLVMSwitch) {
    unsigned n = LLVMGetNumSuccessors(inst->v);
    made = LLVMBuildSwitch(e->b, operand(e, i, 0), target(e, inst->bb, 0), n - 1);
    for (unsigned k = 1; k < n; k++)
      LLVMAddCase(made, LLVMGetOperand(inst->v, 2 * k), target(e, inst->bb, k));
  } else if (inst->nops == 1) {
    made = LLVMBuildCondBr(e->b, operand(e, i, 0), target(e, inst->bb, 0), target(e, inst->bb, 1));
  } else {
    made = LLVMBuildBr(e->b, target(e, inst->bb, 0));
  }
  copy_metadata(inst->v, made);
}

/* ---- dispatch ---- */

static void emit_other(struct kl_emit *e, uint32_t i, LLVMOpcode op) {
  LLVMValueRef old = e->f->inst[i].v;
  switch (op) {
  case LLVMICmp:
    define_like(e, i, LLVMBuildICmp(e->b, LLVMGetICmpPredicate(old), operand(e, i, 0), operand(e, i, 1), ""));
    break;
  case LLVMFCmp:
    define_like(e, i, LLVMBuildFCmp(e->b, LLVMGetFCmpPredicate(old), operand(e, i, 0), operand(e, i, 1), ""));
    break;
  case LLVMSelect:
    define_like(e, i, LLVMBuildSelect(e->b, operand(e, i, 0), operand(e, i, 1), operand(e, i, 2), ""));
    break;
  case LLVMExtractElement:
    define_like(e, i, LLVMBuildExtractElement(e->b, operand(e, i, 0), operand(e, i, 1), ""));
    break;
  case LLVMInsertElement:
    define_like(e, i, LLVMBuildInsertElement(e->b, operand(e, i, 0), operand(e, i, 1), operand(e, i, 2), ""));
    break;
  case LLVMShuffleVector:
    emit_shuffle(e, i);
    break;
  case LLVMExtractValue:
    emit_extract_value(e, i);
    break;
  case LLVMInsertValue:
    emit_insert_value(e, i);
    break;
  case LLVMFNeg:
    define_like(e, i, LLVMBuildFNeg(e->b, operand(e, i, 0), ""));
    break;
  case LLVMFreeze:
    define_like(e, i, LLVMBuildFreeze(e->b, operand(e, i, 0), ""));
    break;
  default:
    kiln_env_fail(e->env, "an instruction of an unknown kind (%u)", (unsigned)op);
  }
}

/* Casts between pointers mean nothing here. */
static void emit_cast(struct kl_emit *e, uint32_t i, LLVMOpcode op) {
  LLVMValueRef old = e->f->inst[i].v, from = operand(e, i, 0);
  LLVMTypeRef type = type_of(e, old);
  if (op == LLVMAddrSpaceCast || (op == LLVMBitCast && LLVMTypeOf(from) == type))
    kiln_emit_define(e, i, from);
  else define_like(e, i, LLVMBuildCast(e->b, op, from, type, ""));
}

static void emit_llvm(struct kl_emit *e, uint32_t i, LLVMOpcode op) {
  if (op >= LLVMAdd && op <= LLVMXor) {
    if (kl_is_division(op)) op = kl_plain_division(&e->f->inst[i]);
    define_like(e, i, LLVMBuildBinOp(e->b, op, operand(e, i, 0), operand(e, i, 1), ""));
  } else if ((op >= LLVMTrunc && op <= LLVMBitCast) || op == LLVMAddrSpaceCast) emit_cast(e, i, op);
  else if (op == LLVMLoad) emit_load(e, i);
  else if (op == LLVMStore) emit_store(e, i);
  else if (op == LLVMGetElementPtr) emit_gep(e, i);
  else if (op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg) kiln_emit_atomic(e, i);
  else if (op == LLVMFence) LLVMBuildFence(e->b, LLVMGetOrdering(e->f->inst[i].v), false, "");
  else if (op == LLVMCall) kiln_emit_call(e, i);
  else emit_other(e, i, op);
}

void kiln_emit_inst(struct kl_emit *e, uint32_t i) {
  unsigned op = e->f->inst[i].op;
  kiln_emit_position(e, i);
  switch (op) {
  case KL_DROP:
    break;
  case KL_QUERY:
    kiln_emit_query(e, i);
    break;
  case KL_PRINTF:
    kiln_emit_printf(e, i);
    break;
  case KL_SPACE:
    kiln_emit_space_test(e, i);
    break;
  case KL_SUB_GROUP:
    kiln_emit_sub_group(e, i);
    break;
  case KL_FENCE:
    LLVMBuildFence(e->b, LLVMAtomicOrderingAcquireRelease, false, "");
    break;
  case KL_SAME:
    kiln_emit_define(e, i, operand(e, i, 0));
    break;
  case KL_LIFETIME:
    kiln_emit_call(e, i);
    break;
  default:
    emit_llvm(e, i, (LLVMOpcode)op);
  }
}
