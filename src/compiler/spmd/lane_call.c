/* Calls for a vector of work-items: intrinsics that work on vectors as well, and the scalar form lane by lane
 * for everything else. */
#include "compiler/elementwise.h"
#include "compiler/spmd/lane_access.h"
#include "compiler/spmd/lane_function.h"
#include "compiler/spmd/native.h"
#include "compiler/spmd/tally.h"

#include <string.h>

/* ---- intrinsics ---- */

static const struct kiln_elementwise *find_elementwise(LLVMValueRef call) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(call));
  return fn == NULL ? NULL : kiln_elementwise_find(fn);
}

/* Of these the code generator makes scalar code for vectors of halves where processors cannot compute with
 * them; as floats they are vectors, and the results are the same as those of its scalar form: exact, or
 * rounded to float and then to half. */
static bool is_done_in_float(struct kl_lanes *l, const struct kiln_elementwise *how, LLVMTypeRef type) {
  static const char *const names[] = {"llvm.fma",       "llvm.sqrt",   "llvm.floor",     "llvm.ceil",
                                      "llvm.trunc",     "llvm.rint",   "llvm.nearbyint", "llvm.round",
                                      "llvm.roundeven", "llvm.minnum", "llvm.maxnum"};
  if (l->e->has_half || LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMHalfTypeKind) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(how->name, names[i]) == 0) return true;
  return false;
}

static LLVMValueRef call_in_float(struct kl_lanes *l, const struct kiln_elementwise *how, LLVMValueRef *args,
                                  uint32_t n) {
  LLVMTypeRef half = LLVMTypeOf(args[0]),
              type = kiln_lanes_type(l, LLVMFloatTypeInContext(l->e->env->context));
  for (uint32_t o = 0; o < n; o++) args[o] = LLVMBuildFPExt(l->e->b, args[o], type, "");
  return LLVMBuildFPTrunc(l->e->b, kiln_lanes_intrinsic(l, how->name, &type, 1, args, n), half, "");
}

static LLVMValueRef call_part(struct kl_lanes *l, uint32_t i, const struct kiln_elementwise *how,
                              uint32_t k) {
  const struct kl_inst *inst = &l->e->f->inst[i];
  LLVMValueRef args[8];
  for (uint32_t o = 0; o < inst->nops; o++) {
    uint32_t operand = kl_operand(l->e->f, i, o);
    args[o] = how->scalars >> o & 1 ? kiln_emit_operand(l->e, operand) : kiln_lanes_part(l, operand, k);
  }
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  if (is_done_in_float(l, how, type)) return call_in_float(l, how, args, inst->nops);
  LLVMValueRef made = kiln_lanes_intrinsic(l, how->name, &type, 1, args, inst->nops);
  if (LLVMCanValueUseFastMathFlags(inst->v)) LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(inst->v));
  return made;
}

static bool is_native(LLVMValueRef call) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(call));
  return fn != NULL && kiln_native_find(fn) != NULL;
}

static bool call_native(struct kl_lanes *l, uint32_t i) {
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(l->e->f->inst[i].v)), args[KL_NATIVE_ARGUMENTS];
  const struct kl_native *native = fn == NULL ? NULL : kiln_native_find(fn);
  if (native == NULL) return false;
  for (uint32_t o = 0; o < l->e->f->inst[i].nops && o < KL_NATIVE_ARGUMENTS; o++)
    args[o] = kiln_lanes_part(l, kl_operand(l->e->f, i, o), 0);
  struct kl_pack pack = kiln_lanes_new_pack(l, 1);
  pack.part[0] = kiln_native_build(l->e, native, args);
  kiln_lanes_define(l, i, pack);
  return true;
}

bool kiln_lanes_has_call(LLVMValueRef call) { return is_native(call) || find_elementwise(call) != NULL; }

bool kiln_lanes_call(struct kl_lanes *l, uint32_t i) {
  if (call_native(l, i) || kiln_lanes_texel(l, i) || kiln_lanes_function(l, i)) return true;
  const struct kiln_elementwise *how = find_elementwise(l->e->f->inst[i].v);
  if (how == NULL || l->e->f->inst[i].nops > 8) return false;
  struct kl_pack pack = kiln_lanes_new_pack(l, kiln_lanes_parts(l, i));
  for (uint32_t k = 0; k < pack.n; k++) pack.part[k] = call_part(l, i, how, k);
  kiln_lanes_define(l, i, pack);
  return true;
}

/* ---- lane by lane ---- */

struct saved {
  uint32_t value, pass, cell_pass;
  LLVMValueRef scalar, fixed;
};

/* The components of an operand that differs by lane. */
struct pieces {
  uint32_t n;
  struct kl_extract *part;
};

struct serial {
  struct kl_lanes *l;
  uint32_t i;
  struct kl_lane_loop loop;
  LLVMValueRef index; /* the lane's number, as i64 */
  struct kl_cells result;
  struct saved *saved;
  uint32_t nsaved;
  struct kl_ids ids;
};

/* Before the loop: vectors to the stack. */
static struct pieces put_down(struct kl_lanes *l, struct kl_pack pack, bool in_turn) {
  struct pieces down = {pack.n, kl_new(l->e->env, pack.n, struct kl_extract)};
  for (uint32_t k = 0; k < pack.n; k++)
    kiln_extract_start(l, &down.part[k], pack.part[k], in_turn ? KL_EXTRACT_IN_TURN : KL_EXTRACT_APART);
  return down;
}

/* One lane's value as a scalar of the value's type. */
static LLVMValueRef lane_value(struct serial *s, uint32_t value, const struct pieces *down) {
  LLVMTypeRef type = kiln_map_type(s->l->e->map, LLVMTypeOf(s->l->e->f->inst[value].v));
  LLVMValueRef whole = LLVMGetPoison(type);
  for (uint32_t k = 0; k < down->n; k++)
    whole = kiln_lanes_put_part(s->l, whole, kiln_extract_lane(&down->part[k], s->index), k);
  return whole;
}

/* The operands that differ stand for their lane's value while the scalar form is emitted. */
static void set_operand(struct serial *s, uint32_t value, const struct pieces *down) {
  struct kl_emit *e = s->l->e;
  s->saved[s->nsaved++] =
      (struct saved){value, e->value_pass[value], e->cell_pass[value], e->value[value], e->fixed[value]};
  e->fixed[value] = NULL;
  e->cell_pass[value] = 0;
  e->value[value] = lane_value(s, value, down);
  e->value_pass[value] = e->pass;
}

static LLVMValueRef add_id(struct serial *s, LLVMValueRef id, LLVMValueRef more) {
  LLVMBuilderRef b = s->l->e->b;
  if (LLVMTypeOf(id) != LLVMTypeOf(more)) more = LLVMBuildZExt(b, more, LLVMTypeOf(id), "");
  return LLVMBuildAdd(b, id, more, "");
}

static void set_local_id(struct serial *s) {
  struct kl_emit *e = s->l->e;
  const struct kl_mapping *map = s->l->map;
  LLVMValueRef run = LLVMConstInt(e->map->i32, map->run, false), x = s->loop.lane;
  s->ids = e->ids;
  if (map->linear) {
    kiln_lanes_set_linear_lane(s->l, s->loop.lane);
    return;
  }
  if (map->rows > 1) {
    LLVMValueRef row = LLVMBuildUDiv(e->b, s->loop.lane, run, "");
    e->ids.local_id[map->across] = add_id(s, s->ids.local_id[map->across], row);
    x = LLVMBuildURem(e->b, s->loop.lane, run, "");
  }
  e->ids.local_id[map->along] = add_id(s, s->ids.local_id[map->along], x);
}

static void restore(struct serial *s) {
  struct kl_emit *e = s->l->e;
  e->ids = s->ids;
  while (s->nsaved > 0) {
    const struct saved *v = &s->saved[--s->nsaved];
    e->value[v->value] = v->scalar;
    e->value_pass[v->value] = v->pass;
    e->cell_pass[v->value] = v->cell_pass;
    e->fixed[v->value] = v->fixed;
  }
}

static bool has_value(struct kl_lanes *l, uint32_t i) {
  return LLVMGetTypeKind(LLVMTypeOf(l->e->f->inst[i].v)) != LLVMVoidTypeKind;
}

static void collect_result(struct serial *s) {
  struct kl_emit *e = s->l->e;
  if (s->result.n == 0) return;
  LLVMValueRef scalar = e->value[s->i];
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(scalar));
  for (uint32_t k = 0; k < s->result.n; k++) {
    LLVMValueRef part = scalar;
    if (kind == LLVMVectorTypeKind)
      part = LLVMBuildExtractElement(e->b, scalar, LLVMConstInt(e->map->i32, k, false), "");
    else if (kind == LLVMStructTypeKind) part = LLVMBuildExtractValue(e->b, scalar, k, "");
    LLVMTypeRef type = LLVMGetAllocatedType(s->result.part[k]);
    LLVMTypeRef one = LLVMGetElementType(type);
    if (kiln_extract_has_place(one)) {
      LLVMBuildStore(e->b, part, LLVMBuildGEP2(e->b, one, s->result.part[k], &s->index, 1, ""));
      continue;
    }
    LLVMValueRef all = LLVMBuildLoad2(e->b, type, s->result.part[k], "");
    LLVMBuildStore(e->b, LLVMBuildInsertElement(e->b, all, part, s->loop.lane, ""), s->result.part[k]);
  }
}

static bool is_repeated(const struct kl_func *f, uint32_t i, uint32_t k) {
  for (uint32_t o = 0; o < k; o++)
    if (kl_operand(f, i, o) == kl_operand(f, i, k)) return true;
  return false;
}

void kiln_lanes_serialize(struct kl_lanes *l, uint32_t i) {
  struct kl_emit *e = l->e;
  const struct kl_inst *inst = &e->f->inst[i];
  struct serial s = {.l = l, .i = i, .saved = kl_new(e->env, inst->nops, struct saved)};
  struct pieces *down = kl_new(e->env, inst->nops, struct pieces);
  /* loops of atomics may be unrolled: they may be short, as in local memory */
  const bool is_atomic = inst->op == LLVMAtomicRMW || inst->op == LLVMAtomicCmpXchg;
  kiln_lanes_report(l, i, (struct kl_note){.fate = kiln_tally_takes(e, i) ? KL_FATE_TALLY : KL_FATE_LANES});
  for (uint32_t k = 0; k < inst->nops; k++)
    if (kiln_lanes_shape(l, kl_operand(e->f, i, k)).kind != KL_UNIFORM && !is_repeated(e->f, i, k))
      down[k] = put_down(l, kiln_lanes_operand(l, kl_operand(e->f, i, k)), is_atomic);
  if (has_value(l, i)) s.result = kiln_lanes_new_cells(l, i);
  kiln_lanes_open_loop(l, &s.loop, kiln_lanes_mask(l));
  s.index = LLVMBuildZExt(e->b, s.loop.lane, e->map->i64, "");
  for (uint32_t k = 0; k < inst->nops; k++)
    if (down[k].n != 0) set_operand(&s, kl_operand(e->f, i, k), &down[k]);
  set_local_id(&s);
  kiln_emit_inst(e, i);
  restore(&s);
  collect_result(&s);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->b);
  kiln_lanes_close_loop(l, &s.loop);
  if (!is_atomic)
    kiln_loop_hint(e->env->context, LLVMGetBasicBlockTerminator(latch), "llvm.loop.unroll.disable");
  l->ok_pass[i] = 0; /* the scalar was that of some lane */
  if (s.result.n != 0) kiln_lanes_define(l, i, kiln_lanes_load(l, &s.result));
}
