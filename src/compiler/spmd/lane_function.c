/* Vector forms of functions; see lane_function.h. A form takes the context if the function asks for ids, the
 * mask (unless all lanes are on), a scalar for an argument that all lanes share, lane 0's for one that is
 * strided, a vector for each component of another, and no argument at all for a literal sampler, which is a
 * part of the form, as strides are. It gives a vector for each component of the result. */
#include "compiler/spmd/lane_function.h"

#include "compiler/cold.h"
#include "compiler/spmd/group.h"

#include <string.h>

struct kl_lane_function {
  struct kl_lane_function *next;
  const struct kl_callee *callee;
  LLVMValueRef out;          /* NULL: the function has no form of this kind */
  bool full;                 /* all lanes are on */
  struct kl_mapping map;     /* of the lanes; a row, where the function does not ask for ids */
  struct kl_shape *shape;    /* by argument */
  uint8_t *unit;             /* by argument: kl_shapes.unit */
  LLVMValueRef *literal;     /* by argument: a constant, or NULL */
  struct kl_program program; /* as if the function were the kernel */
  struct kl_plan plan;
  struct kl_lane_plan lanes;
};

/* ---- types ---- */

static LLVMTypeRef param_type(struct kl_emit *e, const struct kl_func *f, uint32_t i) {
  return kiln_map_type(e->map, LLVMTypeOf(f->inst[i].v));
}

static LLVMTypeRef result_type(struct kl_emit *e, const struct kl_func *f) {
  return kiln_map_type(e->map, LLVMGetReturnType(LLVMGlobalGetValueType(f->fn)));
}

static bool varies(const struct kl_lane_function *fn, uint32_t i) { return fn->shape[i].kind == KL_VARYING; }

static bool is_void(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMVoidTypeKind; }

static LLVMTypeRef wide(LLVMTypeRef type, uint32_t k, unsigned width) {
  return LLVMVectorType(kiln_type_part(type, k), width);
}

/* One vector, or a struct of several. */
static LLVMTypeRef wide_result(struct kl_emit *e, const struct kl_lane_function *fn) {
  LLVMTypeRef type = result_type(e, fn->callee->f);
  if (is_void(type)) return type;
  uint32_t n = kiln_type_parts(type);
  LLVMTypeRef *part = kl_new(e->env, n, LLVMTypeRef);
  for (uint32_t k = 0; k < n; k++) part[k] = wide(type, k, fn->map.width);
  return n == 1 ? part[0] : LLVMStructTypeInContext(e->env->context, part, n, false);
}

static LLVMTypeRef wide_function(struct kl_emit *e, const struct kl_lane_function *fn) {
  const struct kl_func *f = fn->callee->f;
  LLVMTypeRef *param = kl_new(e->env, (size_t)f->narg * 16 + 2, LLVMTypeRef);
  unsigned n = 0;
  if (fn->callee->needs_context) param[n++] = e->map->ptr;
  if (!fn->full) param[n++] = LLVMVectorType(e->map->i1, fn->map.width);
  for (uint32_t i = 0; i < f->narg; i++) {
    LLVMTypeRef type = param_type(e, f, i);
    uint32_t parts = varies(fn, i) ? kiln_type_parts(type) : 0;
    for (uint32_t k = 0; k < parts; k++) param[n++] = wide(type, k, fn->map.width);
    if (!varies(fn, i) && fn->literal[i] == NULL) param[n++] = type;
  }
  return LLVMFunctionType(wide_result(e, fn), param, n, false);
}

/* ---- forms ---- */

enum { MOST_STACK = 1 << 19 /* bytes of private arrays of all functions, which may call one another */ };

static uint64_t stack_of(struct kl_program *program) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < program->ncallee; i++) bytes += program->callee[i].stack_bytes;
  return bytes;
}

static bool is_possible(struct kl_emit *e, const struct kl_lane_function *fn) {
  const struct kl_func *f = fn->callee->f;
  LLVMTypeRef result = result_type(e, f);
  if (f->nbarrier != 0 || f->has_printf) return false;
  if (fn->map.width * stack_of(e->program) > MOST_STACK) return false;
  if (!is_void(result) && !kiln_lanes_accept_type(result)) return false;
  for (uint32_t i = 0; i < f->narg; i++)
    if (kiln_is_byval(f->fn, i) || (varies(fn, i) && !kiln_lanes_accept_type(param_type(e, f, i))))
      return false;
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (f->inst[i].op == KL_SUB_GROUP) return false;
  return true;
}

static LLVMValueRef declare(struct kl_emit *e, const struct kl_lane_function *fn) {
  char name[256] = "kiln.lanes.";
  size_t len;
  strncat(name, LLVMGetValueName2(fn->callee->f->fn, &len), sizeof name - strlen(name) - 1);
  LLVMValueRef out = LLVMAddFunction(e->env->module, name, wide_function(e, fn));
  LLVMSetLinkage(out, LLVMInternalLinkage);
  kiln_map_function_attributes(e->map, fn->callee->f->fn, out, true);
  return out;
}

static bool is_same(const struct kl_lane_function *a, const struct kl_lane_function *b) {
  if (a->callee != b->callee || a->full != b->full || !kiln_mapping_is_same(&a->map, &b->map)) return false;
  for (uint32_t i = 0; i < a->callee->f->narg; i++)
    if (!kiln_shape_is_same(a->shape[i], b->shape[i]) || a->literal[i] != b->literal[i] ||
        a->unit[i] != b->unit[i])
      return false;
  return true;
}

/* The form like `wanted`, which is kept if it is a new one. */
static struct kl_lane_function *find(struct kl_emit *e, struct kl_lane_function *wanted) {
  struct kl_lane_function **end = e->program->lane_functions;
  for (; *end != NULL; end = &(*end)->next)
    if (is_same(*end, wanted)) return *end;
  *end = wanted;
  wanted->program = *e->program;
  wanted->program.kernel = wanted->callee->f;
  if (!is_possible(e, wanted)) return wanted;
  kiln_plan_make(&wanted->plan, e->env, &wanted->program);
  wanted->plan.arguments = wanted->shape;
  wanted->plan.units = wanted->unit;
  const bool small_ids = e->ids.type == e->map->i32;
  if (kiln_lane_plan_function(&wanted->lanes, e->env, &wanted->program, &wanted->plan, &wanted->map,
                              small_ids))
    wanted->out = declare(e, wanted);
  return wanted;
}

/* ---- calls ---- */

static LLVMValueRef literal_of(struct kl_emit *e, uint32_t value) {
  if (LLVMGetTypeKind(LLVMTypeOf(e->f->inst[value].v)) != LLVMTargetExtTypeKind) return NULL;
  LLVMValueRef made = kiln_emit_operand(e, value);
  return LLVMIsAConstantInt(made) ? made : NULL;
}

/* Of an argument. A form knows of one row of lanes, from which the others are not to differ. Functions that
 * read or write an image make nothing of distances, and places around a pixel go up in several ways. */
static struct kl_shape shape_of(struct kl_lanes *l, uint32_t call, uint32_t value) {
  struct kl_shape shape = kiln_lanes_shape(l, value);
  const bool is_far = l->map->rows > 1 || kiln_call_is_of_image(l->e->f->inst[call].v);
  if (shape.kind != KL_UNIFORM && is_far) shape = (struct kl_shape){.kind = KL_VARYING};
  return shape;
}

static struct kl_lane_function *form_of(struct kl_lanes *l, uint32_t i, const struct kl_callee *callee) {
  struct kl_emit *e = l->e;
  uint32_t n = callee->f->narg;
  struct kl_lane_function *wanted = kl_new(e->env, 1, struct kl_lane_function);
  wanted->callee = callee;
  wanted->full = kiln_lanes_is_full(kiln_lanes_mask(l));
  wanted->map = callee->needs_context ? *l->map : kiln_mapping_row(0, l->width);
  wanted->shape = kl_new(e->env, n + 1, struct kl_shape);
  wanted->unit = kl_new(e->env, n + 1, uint8_t);
  wanted->literal = kl_new(e->env, n + 1, LLVMValueRef);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t value = kl_operand(e->f, i, k);
    wanted->shape[k] = shape_of(l, i, value);
    wanted->unit[k] = l->shapes->unit[value];
    if (wanted->shape[k].kind == KL_UNIFORM) wanted->literal[k] = literal_of(e, value);
  }
  return find(e, wanted);
}

/* Of what lies lane by lane, code for one lane knows nothing. */
static bool passes_rows(const struct kl_lane_function *fn) {
  for (uint32_t i = 0; i < fn->callee->f->narg; i++)
    if (fn->unit[i] != 0) return true;
  return false;
}

static unsigned push_argument(struct kl_lanes *l, uint32_t value, LLVMValueRef *args, unsigned n) {
  struct kl_pack pack = kiln_lanes_operand(l, value);
  for (uint32_t k = 0; k < pack.n; k++) args[n++] = pack.part[k];
  return n;
}

static void take_result(struct kl_lanes *l, uint32_t i, LLVMValueRef made) {
  if (is_void(LLVMTypeOf(made))) return;
  struct kl_pack pack = kiln_lanes_new_pack(l, kiln_lanes_parts(l, i));
  for (uint32_t k = 0; k < pack.n; k++)
    pack.part[k] = pack.n == 1 ? made : LLVMBuildExtractValue(l->e->b, made, k, "");
  kiln_lanes_define(l, i, pack);
}

bool kiln_lanes_function(struct kl_lanes *l, uint32_t i) {
  struct kl_emit *e = l->e;
  const struct kl_inst *inst = &e->f->inst[i];
  LLVMValueRef callee = kiln_func_resolve(LLVMGetCalledValue(inst->v));
  if (callee == NULL || LLVMIsDeclaration(callee)) return false;
  if (kiln_is_cold(callee)) return false; /* the scalar form, lane by lane, does and is soon compiled */
  struct kl_lane_function *fn = form_of(l, i, kiln_program_callee(e->program, callee));
  if (fn->out == NULL) {
    *e->program->rows_refused |= passes_rows(fn);
    return false;
  }
  LLVMValueRef *args = kl_new(e->env, (size_t)inst->nops * 16 + 2, LLVMValueRef);
  unsigned n = 0;
  if (fn->callee->needs_context) {
    kiln_emit_store_local_ids(e);
    args[n++] = e->context;
  }
  if (!fn->full) args[n++] = kiln_lanes_mask(l);
  for (uint32_t k = 0; k < inst->nops; k++) {
    uint32_t value = kl_operand(e->f, i, k);
    if (varies(fn, k)) n = push_argument(l, value, args, n);
    else if (fn->literal[k] == NULL) args[n++] = kiln_emit_operand(e, value);
  }
  LLVMValueRef made = LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn->out), fn->out, args, n, "");
  take_result(l, i, made);
  return true;
}

/* ---- bodies ---- */

static void start_ids(struct kl_emit *e, const struct kl_lane_function *fn) {
  e->ids = (struct kl_ids){.type = e->ids.type};
  if (fn->callee->needs_context) {
    e->context = LLVMGetParam(fn->out, 0);
    kiln_emit_read_context(e);
    return;
  }
  e->context = NULL; /* no instruction of the function reads ids */
  for (unsigned d = 0; d < 3; d++) e->ids.local_id[d] = LLVMConstNull(e->ids.type);
}

/* Scalars are there for the whole function; returns the packs of the others. */
static struct kl_pack *take_arguments(struct kl_lanes *l, const struct kl_lane_function *fn) {
  struct kl_emit *e = l->e;
  struct kl_pack *packs = kl_new(e->env, e->f->narg + 1, struct kl_pack);
  unsigned n = fn->callee->needs_context + !fn->full;
  for (uint32_t i = 0; i < e->f->narg; i++) {
    if (varies(fn, i)) {
      packs[i] = kiln_lanes_new_pack(l, kiln_lanes_parts(l, i));
      for (uint32_t k = 0; k < packs[i].n; k++) packs[i].part[k] = LLVMGetParam(fn->out, n++);
    } else {
      e->fixed[i] = fn->literal[i] != NULL ? fn->literal[i] : LLVMGetParam(fn->out, n++);
    }
  }
  return packs;
}

static void return_result(struct kl_lanes *l, const struct kl_lane_function *fn,
                          const struct kl_cells *cells) {
  LLVMBuilderRef b = l->e->b;
  if (cells->n == 0) {
    LLVMBuildRetVoid(b);
    return;
  }
  struct kl_pack pack = kiln_lanes_load(l, cells);
  LLVMValueRef result = pack.part[0];
  if (pack.n > 1) result = LLVMGetPoison(wide_result(l->e, fn));
  for (uint32_t k = 0; k < pack.n && pack.n > 1; k++)
    result = LLVMBuildInsertValue(b, result, pack.part[k], k, "");
  LLVMBuildRet(b, result);
}

static struct kl_cells result_cells(struct kl_lanes *l) {
  LLVMTypeRef type = result_type(l->e, l->e->f);
  struct kl_cells cells = {.n = is_void(type) ? 0 : kiln_type_parts(type)};
  cells.part = kl_new(l->e->env, cells.n + 1, LLVMValueRef);
  for (uint32_t k = 0; k < cells.n; k++)
    cells.part[k] = LLVMBuildAlloca(l->e->top, wide(type, k, l->width), "");
  return cells;
}

static void emit(const struct kl_emit *outer, struct kl_lane_function *fn) {
  struct kl_group g = {.e = *outer, .plan = &fn->plan, .lane_plan = &fn->lanes};
  struct kl_emit *e = &g.e;
  struct kl_lanes lanes;
  e->program = &fn->program;
  e->lines = false;
  e->streams = NULL; /* of the kernel's arguments */
  kiln_emit_start(e, fn->callee->f, fn->out);
  kiln_lanes_start(&lanes, e, &fn->lanes.shapes, &fn->plan);
  lanes.called = true;
  g.lanes = &lanes;
  g.item_cell = kl_new(e->env, e->f->nvalue, LLVMValueRef);
  LLVMBasicBlockRef start = kiln_emit_new_block(e, "start");
  LLVMPositionBuilderAtEnd(e->b, start);
  LLVMSetCurrentDebugLocation2(e->b, NULL);
  start_ids(e, fn);
  kiln_group_place_objects(&g);
  if (fn->map.linear && fn->callee->needs_context)
    kiln_lanes_set_linear(&lanes, LLVMBuildTruncOrBitCast(e->b, kiln_emit_local_linear(e), e->ids.type, ""));
  LLVMValueRef all_on = LLVMConstAllOnes(LLVMVectorType(e->map->i1, lanes.width));
  struct kl_cells result = result_cells(&lanes);
  const struct kl_pack *packs = take_arguments(&lanes, fn);
  kiln_lane_region_emit_function(&g, fn->full ? all_on : LLVMGetParam(fn->out, fn->callee->needs_context),
                                 packs, &result);
  return_result(&lanes, fn, &result);
  LLVMBuildBr(e->top, LLVMGetInsertBlock(e->setup));
  LLVMBuildBr(e->setup, start);
}

void kiln_lane_functions_emit(struct kl_emit *e) {
  for (struct kl_lane_function *fn = *e->program->lane_functions; fn != NULL; fn = fn->next)
    if (fn->out != NULL) emit(e, fn);
}
