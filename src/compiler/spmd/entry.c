/* The work-group function around the code of a group; see entry.h.
 *
 * With a known local size there are two copies of the kernel: full groups run the one in which the sizes are
 * constants, in the function itself; the smaller groups at the edges of a non-uniform launch run a general
 * one, in a function of its own that is kept small. Where all launches are uniform that one is missing.
 *
 * Neighbouring groups of the first dimension run as one when nothing ties a group together (mapping.h): then
 * there is one copy, for a group as long as the range allows. */
#include "compiler/spmd/entry.h"

#include "base/abi.h"
#include "compiler/spmd/group.h"
#include "compiler/spmd/lane_function.h"
#include "compiler/spmd/lane_routine.h"
#include "compiler/spmd/own_scope.h"
#include "compiler/spmd/stream.h"
#include "compiler/spmd/tally.h"

#include <llvm-c/DebugInfo.h>
#include <stddef.h>
#include <string.h>

/* The layout that the emitted code relies on. */
_Static_assert(offsetof(struct kiln_launch, args) == 0, "launch");
_Static_assert(offsetof(struct kiln_launch, globals) == 8, "launch");
_Static_assert(offsetof(struct kiln_launch, global_offset) == 16, "launch");
_Static_assert(offsetof(struct kiln_launch, global_size) == 40, "launch");
_Static_assert(offsetof(struct kiln_launch, num_groups) == 64, "launch");
_Static_assert(offsetof(struct kiln_launch, local_size) == 88, "launch");
_Static_assert(offsetof(struct kiln_launch, work_dim) == 100, "launch");
_Static_assert(offsetof(struct kiln_worker, local) == 0, "worker");
_Static_assert(offsetof(struct kiln_worker, arena) == 8, "worker");
_Static_assert(offsetof(struct kiln_worker, group) == 40, "worker");

struct entry {
  struct kl_group g;
  const struct kiln_spmd_options *options;
  bool sized;              /* the local size is known */
  bool merges;             /* neighbouring groups run as one */
  LLVMValueRef part;       /* function for the smaller groups; NULL if there can be none */
  LLVMBasicBlockRef start; /* where setup leads to */
};

/* ---- arguments ---- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static LLVMValueRef load_argument(struct entry *n, LLVMValueRef args, uint32_t offset, LLVMTypeRef type) {
  struct kl_emit *e = &n->g.e;
  LLVMValueRef x = LLVMBuildLoad2(e->setup, type, kiln_emit_at(e, e->setup, args, offset), "");
  LLVMSetAlignment(x, least(kiln_map_align(e->map, type), 16));
  LLVMSetMetadata(x, LLVMGetMDKindIDInContext(e->env->context, "invariant.load", 14),
                  LLVMMetadataAsValue(e->env->context, LLVMMDNodeInContext2(e->env->context, NULL, 0)));
  return x;
}

/* Structs, which are only read (own_arguments.c), stay in the argument block when it is aligned well enough
 * for them. */
static void pass_byval(struct entry *n, uint32_t i, LLVMValueRef args, uint32_t offset) {
  struct kl_emit *e = &n->g.e;
  LLVMValueRef source = kiln_emit_at(e, e->setup, args, offset);
  uint32_t known = least(16, offset == 0 ? 16 : offset & -offset);
  LLVMTypeRef type = kiln_byval_type(e->map, e->f->fn, i);
  uint32_t align = kiln_map_align(e->map, type);
  e->fixed[i] = source;
  if (align <= known) return;
  e->fixed[i] = LLVMBuildAlloca(e->top, type, "");
  LLVMValueRef size = LLVMConstInt(e->map->i64, kiln_map_size(e->map, type), false);
  LLVMBuildMemCpy(e->setup, e->fixed[i], align, source, known, size);
}

static bool is_buffer(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMPointerTypeKind) return false;
  return LLVMGetPointerAddressSpace(type) == KL_AS_GLOBAL ||
         LLVMGetPointerAddressSpace(type) == KL_AS_CONSTANT;
}

static void pass_arguments(struct entry *n) {
  struct kl_emit *e = &n->g.e;
  const struct kiln_kernel_info *info = n->options->info;
  LLVMValueRef args = kiln_emit_load_launch(e, offsetof(struct kiln_launch, args), e->map->ptr);
  if (info->num_args != e->f->narg)
    kiln_env_fail(e->env, "the kernel has %u arguments but its description %u", e->f->narg, info->num_args);
  for (uint32_t i = 0; i < e->f->narg; i++) {
    LLVMTypeRef old = LLVMTypeOf(e->f->inst[i].v), type = kiln_map_type(e->map, old);
    uint32_t offset = info->args[i].offset;
    if (kiln_is_byval(e->f->fn, i)) {
      pass_byval(n, i, args, offset);
    } else if (LLVMGetTypeKind(old) == LLVMPointerTypeKind &&
               LLVMGetPointerAddressSpace(old) == KL_AS_LOCAL) {
      LLVMValueRef at = LLVMBuildZExt(e->setup, load_argument(n, args, offset, e->map->i32), e->map->i64, "");
      LLVMValueRef local = kiln_emit_load_worker(e, offsetof(struct kiln_worker, local), e->map->ptr);
      kiln_scope_mark_own(local);
      e->fixed[i] = LLVMBuildInBoundsGEP2(e->setup, e->map->i8, local, &at, 1, "");
    } else {
      e->fixed[i] = load_argument(n, args, offset, type);
      if (is_buffer(old)) kiln_scope_mark_buffer(e->fixed[i]);
    }
  }
}

/* ---- what both functions begin with ---- */

static void use_known_sizes(struct entry *n) {
  struct kl_emit *e = &n->g.e;
  for (unsigned d = 0; d < 3; d++) {
    uint32_t size = n->options->spec->local_size[d];
    if (size != 0) e->ids.enqueued_size[d] = kiln_emit_index(e, size);
    if (n->options->spec->offset_zero) e->ids.global_offset[d] = kiln_emit_index(e, 0);
  }
}

static bool has_context(const struct kl_program *program) {
  for (uint32_t i = 0; i < program->ncallee; i++)
    if (program->callee[i].needs_context) return true;
  return false;
}

static void store_context(struct kl_emit *e, LLVMBuilderRef b, unsigned word, LLVMValueRef value) {
  if (LLVMTypeOf(value) == e->map->i32) value = LLVMBuildZExt(b, value, e->map->i64, "");
  LLVMBuildStore(b, value, kiln_emit_at(e, b, e->context, 8u * word));
}

static void begin_function(struct entry *n, LLVMValueRef fn) {
  struct kl_emit *e = &n->g.e;
  kiln_emit_start(e, e->program->kernel, fn);
  LLVMSetCurrentDebugLocation2(e->b, NULL);
  n->start = kiln_emit_new_block(e, "start");
  LLVMPositionBuilderAtEnd(e->b, n->start);
  e->launch = LLVMGetParam(fn, 0);
  e->worker = LLVMGetParam(fn, 1);
  e->ids.type = n->options->spec->small ? e->map->i32 : e->map->i64;
  if (n->g.lane_plan->width > 1) {
    n->g.lanes = kl_new(e->env, 1, struct kl_lanes);
    n->g.rest = kl_new(e->env, 1, struct kl_lanes);
    kiln_lanes_start(n->g.rest, e, &n->g.lane_plan->rest, n->g.plan);
    kiln_lanes_start(n->g.lanes, e, &n->g.lane_plan->shapes, n->g.plan);
  }
  kiln_emit_launch_ids(e);
  use_known_sizes(n);
  pass_arguments(n);
  LLVMValueRef arena = kiln_emit_load_worker(e, offsetof(struct kiln_worker, arena), e->map->ptr);
  kiln_scope_mark_own(arena);
  kiln_group_setup(&n->g, arena);
  e->context = NULL;
  if (!has_context(e->program)) return;
  e->context = LLVMBuildAlloca(e->top, LLVMArrayType2(e->map->i64, KL_CTX_WORDS), "context");
  store_context(e, e->setup, KL_CTX_LAUNCH, e->launch);
  store_context(e, e->setup, KL_CTX_WORKER, e->worker);
  store_context(e, e->setup, KL_CTX_FRAME, n->g.frame);
}

/* ---- groups ---- */

/* Global id of the group's first work-item, and how many items are left from there to the end. */
static LLVMValueRef locate_group(struct entry *n, unsigned d) {
  struct kl_emit *e = &n->g.e;
  LLVMValueRef start = LLVMBuildMul(e->b, e->ids.group_id[d], e->ids.enqueued_size[d], "");
  if (LLVMIsAInstruction(start)) LLVMSetNUW(start, true), LLVMSetNSW(start, n->options->spec->small != 0);
  e->ids.group_base[d] = LLVMBuildAdd(e->b, e->ids.global_offset[d], start, "");
  if (LLVMIsAInstruction(e->ids.group_base[d]) && LLVMGetInstructionOpcode(e->ids.group_base[d]) == LLVMAdd) {
    LLVMSetNUW(e->ids.group_base[d], true);
    LLVMSetNSW(e->ids.group_base[d], n->options->spec->small != 0);
  }
  return LLVMBuildSub(e->b, e->ids.global_size[d], start, "");
}

static bool is_uniform(const struct entry *n) { return n->options->spec->uniform != 0; }

static bool has_one(const struct entry *n, unsigned d) { return n->options->spec->local_size[d] == 1; }

/* Sizes of any group; `left` from locate_group. */
static void size_group(struct entry *n, LLVMValueRef left[3]) {
  struct kl_emit *e = &n->g.e;
  for (unsigned d = 0; d < 3; d++) {
    e->ids.local_size[d] = e->ids.enqueued_size[d];
    if (is_uniform(n) || has_one(n, d)) continue;
    LLVMValueRef small = LLVMBuildICmp(e->b, LLVMIntULT, left[d], e->ids.enqueued_size[d], "");
    e->ids.local_size[d] = LLVMBuildSelect(e->b, small, left[d], e->ids.enqueued_size[d], "");
  }
}

static void emit_group(struct entry *n, LLVMBasicBlockRef done) {
  struct kl_emit *e = &n->g.e;
  for (unsigned d = 0; d < 3 && e->context != NULL; d++) {
    store_context(e, e->b, KL_CTX_GROUP_ID + d, e->ids.group_id[d]);
    store_context(e, e->b, KL_CTX_LOCAL_SIZE + d, e->ids.local_size[d]);
    store_context(e, e->b, KL_CTX_GROUP_BASE + d, e->ids.group_base[d]);
  }
  kiln_group_emit(&n->g, done);
}

/* Full groups here, smaller ones by a call. */
static void emit_sized_group(struct entry *n, LLVMValueRef left[3], LLVMBasicBlockRef done) {
  struct kl_emit *e = &n->g.e;
  LLVMValueRef full = LLVMConstInt(e->map->i1, 1, false);
  for (unsigned d = 0; d < 3; d++) {
    e->ids.local_size[d] = e->ids.enqueued_size[d];
    if (has_one(n, d)) continue;
    LLVMValueRef fits = LLVMBuildICmp(e->b, LLVMIntUGE, left[d], e->ids.enqueued_size[d], "");
    full = LLVMIsConstant(full) ? fits : LLVMBuildAnd(e->b, full, fits, "");
  }
  if (n->part != NULL && !LLVMIsConstant(full)) {
    LLVMBasicBlockRef whole = kiln_emit_new_block(e, "group.full"),
                      part = kiln_emit_new_block(e, "group.part");
    LLVMBuildCondBr(e->b, full, whole, part);
    LLVMPositionBuilderAtEnd(e->b, part);
    LLVMValueRef args[] = {e->launch, e->worker, e->ids.group_id[0], e->ids.group_id[1], e->ids.group_id[2]};
    LLVMBuildCall2(e->b, LLVMGlobalGetValueType(n->part), n->part, args, 5, "");
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, whole);
  }
  emit_group(n, done);
}

/* ---- the walk over groups ---- */

struct cursor {
  LLVMValueRef linear, at[3]; /* phis: linear number, coordinates */
  LLVMValueRef step;          /* groups that run as one, from here; 64 bits */
};

static LLVMValueRef narrow(struct kl_emit *e, LLVMValueRef x) {
  return LLVMTypeOf(x) == e->ids.type ? x : LLVMBuildTrunc(e->b, x, e->ids.type, "");
}

static void open_walk(struct entry *n, struct cursor *c, LLVMValueRef first) {
  struct kl_emit *e = &n->g.e;
  LLVMValueRef at[3];
  for (unsigned d = 0; d < 3; d++)
    at[d] = kiln_emit_load_worker(e, (uint32_t)(offsetof(struct kiln_worker, group) + 8 * d), e->ids.type);
  LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), head = kiln_emit_new_block(e, "group");
  LLVMBuildBr(e->b, head);
  LLVMPositionBuilderAtEnd(e->b, head);
  c->linear = LLVMBuildPhi(e->b, e->map->i64, "");
  LLVMAddIncoming(c->linear, &first, &from, 1);
  for (unsigned d = 0; d < 3; d++) {
    e->ids.group_id[d] = c->at[d] = LLVMBuildPhi(e->b, e->ids.type, "");
    LLVMAddIncoming(c->at[d], &at[d], &from, 1);
  }
  c->step = LLVMConstInt(e->map->i64, 1, false);
}

/* Groups that run as one, at most; 0: any number. */
static uint32_t most_merged(const struct kiln_spmd_options *options, const struct kl_lane_plan *lanes) {
  const struct kl_mapping *map = &lanes->shapes.map;
  bool along_row = lanes->width > 1 && map->along == 0;
  return lanes->merges ? kiln_mapping_merge(options->spec, along_row ? map->run : 1) : 1;
}

static LLVMValueRef lesser(struct kl_emit *e, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, a, b, ""), a, b, "");
}

/* The groups from the cursor on, to the end of the row or of the call, become one. */
static void merge_groups(struct entry *n, struct cursor *c, LLVMValueRef last, LLVMValueRef left) {
  struct kl_emit *e = &n->g.e;
  uint32_t most = most_merged(n->options, n->g.lane_plan);
  LLVMValueRef row = LLVMBuildSub(e->b, e->ids.num_groups[0], c->at[0], "");
  if (LLVMTypeOf(row) == e->map->i32) row = LLVMBuildZExt(e->b, row, e->map->i64, "");
  c->step = lesser(e, LLVMBuildSub(e->b, last, c->linear, ""), row);
  if (most != 0) c->step = lesser(e, c->step, LLVMConstInt(e->map->i64, most, false));
  LLVMValueRef items = LLVMBuildMul(e->b, narrow(e, c->step), e->ids.enqueued_size[0], "");
  e->ids.local_size[0] = lesser(e, items, left);
}

/* Next coordinates by carry: no division per group. */
static void close_walk(struct entry *n, struct cursor *c, LLVMBasicBlockRef head, LLVMValueRef last,
                       LLVMBasicBlockRef out) {
  struct kl_emit *e = &n->g.e;
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b);
  LLVMValueRef carry = narrow(e, c->step);
  for (unsigned d = 0; d < 3; d++) {
    LLVMValueRef next = LLVMBuildAdd(e->b, c->at[d], carry, "");
    if (d < 2) {
      LLVMValueRef wraps = LLVMBuildICmp(e->b, LLVMIntEQ, next, e->ids.num_groups[d], "");
      next = LLVMBuildSelect(e->b, wraps, LLVMConstNull(e->ids.type), next, "");
      carry = LLVMBuildZExt(e->b, wraps, e->ids.type, "");
    }
    LLVMAddIncoming(c->at[d], &next, &latch, 1);
  }
  LLVMValueRef linear = LLVMBuildAdd(e->b, c->linear, c->step, "");
  LLVMSetNUW(linear, true);
  LLVMAddIncoming(c->linear, &linear, &latch, 1);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, linear, last, ""), head, out);
}

/* What the source calls by a name that the driver looks for is to have none. */
static void free_name(struct kl_emit *e, const char *name) {
  LLVMModuleRef module = e->env->module;
  LLVMValueRef old = LLVMGetNamedFunction(module, name);
  if (old == NULL) old = LLVMGetNamedGlobal(module, name);
  if (old == NULL) old = LLVMGetNamedGlobalAlias(module, name, strlen(name));
  if (old != NULL) LLVMSetValueName2(old, "", 0);
}

static LLVMValueRef declare(struct entry *n, const char *name, LLVMTypeRef coordinate, unsigned count) {
  struct kl_emit *e = &n->g.e;
  LLVMTypeRef param[5] = {e->map->ptr, e->map->ptr, coordinate, coordinate, coordinate};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->env->context), param, 2 + count, false);
  free_name(e, name);
  LLVMValueRef fn = LLVMAddFunction(e->env->module, name, type);
  kiln_map_attributes(e->map, e->program->kernel->fn, fn, 0, false, 0);
  kiln_emit_attribute(fn, 1, "noalias", 0);
  kiln_emit_attribute(fn, 2, "noalias", 0);
  return fn;
}

static void emit_entry(struct entry *n) {
  struct kl_emit *e = &n->g.e;
  LLVMValueRef fn = declare(n, KILN_ENTRY_SYMBOL, LLVMInt64TypeInContext(e->env->context), 2), left[3];
  LLVMMetadataRef subprogram = LLVMGetSubprogram(e->program->kernel->fn);
  e->lines = n->options->lines && subprogram != NULL;
  if (e->lines) LLVMSetSubprogram(fn, subprogram);
  begin_function(n, fn);
  if (n->options->spec->tallies) kiln_tally_open(e, n->options->info);
  LLVMValueRef first = LLVMGetParam(fn, 2), last = LLVMGetParam(fn, 3);
  LLVMBasicBlockRef done = kiln_emit_new_block(e, "group.done"), out = kiln_emit_new_block(e, "out");
  struct cursor cursor;
  open_walk(n, &cursor, first);
  LLVMBasicBlockRef head = LLVMGetInsertBlock(e->b);
  for (unsigned d = 0; d < 3; d++) left[d] = locate_group(n, d);
  if (n->sized && !n->merges) {
    emit_sized_group(n, left, done);
  } else {
    size_group(n, left);
    if (n->merges) merge_groups(n, &cursor, last, left[0]);
    emit_group(n, done);
  }
  LLVMPositionBuilderAtEnd(e->b, done);
  LLVMSetCurrentDebugLocation2(e->b, NULL);
  close_walk(n, &cursor, head, last, out);
  LLVMPositionBuilderAtEnd(e->b, out);
  if (e->tally != NULL) kiln_tally_end(e);
  if (e->streams != NULL) kiln_stream_end(e);
  LLVMBuildRetVoid(e->b);
  LLVMBuildBr(e->top, LLVMGetInsertBlock(e->setup));
  LLVMBuildCondBr(e->setup, LLVMBuildICmp(e->setup, LLVMIntULT, first, last, ""), n->start, out);
}

/* void part(launch, worker, x, y, z): one group of any size. */
static void emit_part(struct entry *n) {
  struct kl_emit *e = &n->g.e;
  LLVMValueRef left[3];
  n->g.is_rare = true;
  e->tally = NULL;
  e->lines = false; /* one function only may stand for the source's */
  begin_function(n, n->part);
  LLVMBasicBlockRef done = kiln_emit_new_block(e, "done");
  for (unsigned d = 0; d < 3; d++) {
    e->ids.group_id[d] = LLVMGetParam(n->part, 2 + d);
    left[d] = locate_group(n, d);
  }
  size_group(n, left);
  emit_group(n, done);
  LLVMPositionBuilderAtEnd(e->b, done);
  LLVMBuildRetVoid(e->b);
  LLVMBuildBr(e->top, LLVMGetInsertBlock(e->setup));
  LLVMBuildBr(e->setup, n->start);
}

static void define_word(struct entry *n, const char *symbol, uint32_t value) {
  LLVMTypeRef i32 = n->g.e.map->i32;
  LLVMValueRef word = LLVMAddGlobalInAddressSpace(n->g.e.env->module, i32, symbol, 0);
  LLVMSetInitializer(word, LLVMConstInt(i32, value, false));
  LLVMSetGlobalConstant(word, true);
}

/* What is known of the code, beside it (base/abi.h). */
static void describe_code(struct entry *n) {
  const struct kl_lane_plan *plan = n->g.lane_plan;
  free_name(&n->g.e, KILN_LANES_SYMBOL);
  free_name(&n->g.e, KILN_ANY_NUMBER_SYMBOL);
  free_name(&n->g.e, KILN_TALLIES_SYMBOL);
  if (n->merges && plan->width != 1 && plan->shapes.map.along == 0)
    define_word(n, KILN_LANES_SYMBOL, plan->shapes.map.run);
  if (n->merges && plan->abreast != NULL) define_word(n, KILN_LANES_SYMBOL, 2);
  if (plan->any_number) define_word(n, KILN_ANY_NUMBER_SYMBOL, 1);
  if (n->options->spec->tallies) define_word(n, KILN_TALLIES_SYMBOL, 1);
}

static bool needs_part(const struct entry *n) {
  const uint32_t *size = n->options->spec->local_size;
  return n->sized && !n->merges && !is_uniform(n) && (size[0] > 1 || size[1] > 1 || size[2] > 1);
}

void kiln_entry_emit(struct kl_program *program, const struct kl_plan *plan,
                     const struct kl_lane_plan *lane_plan, const struct kiln_spmd_options *options,
                     struct kl_report *report) {
  struct entry n = {.options = options};
  struct kl_emit *e = &n.g.e;
  n.g.plan = plan;
  n.g.lane_plan = lane_plan;
  n.sized = options->spec->local_size[0] != 0;
  n.merges = most_merged(options, lane_plan) != 1;
  e->env = program->env;
  e->map = program->map;
  e->program = program;
  e->report = report;
  e->b = kiln_env_builder(e->env);
  e->top = kiln_env_builder(e->env);
  e->setup = kiln_env_builder(e->env);
  for (uint32_t i = 0; i < program->ncallee; i++) kiln_emit_declare_callee(e, &program->callee[i]);
  if (options->spec->streams) e->streams = kiln_stream_arguments(e->env, options->info);
  e->ids.type = options->spec->small ? e->map->i32 : e->map->i64;
  e->sub_group = lane_plan->sub_group;
  if (needs_part(&n)) {
    n.part = declare(&n, "kiln_part", e->ids.type, 3);
    LLVMSetLinkage(n.part, LLVMInternalLinkage);
    kiln_emit_attribute(n.part, (unsigned)LLVMAttributeFunctionIndex, "noinline", 0);
    kiln_emit_attribute(n.part, (unsigned)LLVMAttributeFunctionIndex, "cold", 0);
    kiln_emit_attribute(n.part, (unsigned)LLVMAttributeFunctionIndex, "optsize", 0);
  }
  emit_entry(&n);
  describe_code(&n);
  if (n.part != NULL) emit_part(&n);
  kiln_lane_functions_emit(e);
  e->lines = options->lines;
  for (uint32_t i = 0; i < program->ncallee; i++) kiln_emit_callee(e, &program->callee[i]);
  kiln_routines_finish(e->env);
  kiln_scope_tell(e->env->module);
}
