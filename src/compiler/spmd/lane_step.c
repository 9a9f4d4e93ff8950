/* Scalars of rows. Where arithmetic keeps equal distances, as in most addresses, the first row's scalar and
 * the step from row to row stand for all of them: one chain of instructions, not one for each row. */
#include "compiler/spmd/lanes.h"

enum { ROWS_FROM_A_BASE = 4 };

/* ---- steps ---- */

static LLVMValueRef wide(struct kl_lanes *l, uint64_t n) { return LLVMConstInt(l->e->map->i64, n, false); }

static LLVMValueRef sum(struct kl_lanes *l, LLVMValueRef x, LLVMValueRef y) {
  return kl_is_number(x, 0) ? y : kl_is_number(y, 0) ? x : LLVMBuildAdd(l->e->b, x, y, "");
}

static LLVMValueRef product(struct kl_lanes *l, LLVMValueRef x, LLVMValueRef y) {
  return kl_is_number(x, 1) ? y : kl_is_number(y, 1) ? x : LLVMBuildMul(l->e->b, x, y, "");
}

static const struct kl_row_step none = {NULL, false, false};

static struct kl_row_step step_of(struct kl_lanes *l, uint32_t value) {
  if (!kiln_lanes_is_uneven(l, value)) return (struct kl_row_step){wide(l, 0), true, true};
  return l->step[value];
}

static struct kl_row_step operand(struct kl_lanes *l, uint32_t i, uint32_t k) {
  return step_of(l, kl_operand(l->e->f, i, k));
}

static struct kl_row_step of_query(struct kl_lanes *l, uint32_t i) {
  unsigned sub = l->e->f->inst[i].sub;
  return sub == KL_Q_GLOBAL_ID || sub == KL_Q_LOCAL_ID ? (struct kl_row_step){wide(l, 1), true, true} : none;
}

static struct kl_row_step of_sum(struct kl_lanes *l, uint32_t i) {
  struct kl_row_step x = operand(l, i, 0), y = operand(l, i, 1);
  LLVMValueRef v = l->e->f->inst[i].v;
  bool disjoint = l->e->f->inst[i].op == LLVMOr;
  if (x.by == NULL || y.by == NULL || (disjoint && !LLVMGetIsDisjoint(v))) return none;
  bool is_difference = l->e->f->inst[i].op == LLVMSub;
  LLVMValueRef by = is_difference ? LLVMBuildSub(l->e->b, x.by, y.by, "") : sum(l, x.by, y.by);
  return (struct kl_row_step){by, (disjoint || LLVMGetNSW(v)) && x.is_signed && y.is_signed,
                              (disjoint || LLVMGetNUW(v)) && x.is_unsigned && y.is_unsigned};
}

static struct kl_row_step of_product(struct kl_lanes *l, uint32_t i) {
  uint32_t k = kiln_lanes_is_uneven(l, kl_operand(l->e->f, i, 0)) ? 0 : 1;
  uint32_t other = kl_operand(l->e->f, i, 1 - k);
  struct kl_row_step x = operand(l, i, k);
  LLVMValueRef v = l->e->f->inst[i].v;
  if (x.by == NULL || kiln_lanes_is_uneven(l, other)) return none;
  bool is_signed = LLVMGetNSW(v) && x.is_signed, is_unsigned = LLVMGetNUW(v) && x.is_unsigned;
  bool widens_signed = is_signed || !is_unsigned; /* the factor counts as one or the other */
  LLVMValueRef factor =
      LLVMBuildIntCast2(l->e->b, kiln_emit_operand(l->e, other), l->e->map->i64, widens_signed, "");
  bool positive = LLVMIsAConstantInt(factor) && LLVMConstIntGetSExtValue(factor) >= 0;
  return (struct kl_row_step){product(l, x.by, factor), is_signed,
                              is_unsigned && (!widens_signed || positive)};
}

static struct kl_row_step of_shift(struct kl_lanes *l, uint32_t i) {
  struct kl_row_step x = operand(l, i, 0);
  LLVMValueRef v = l->e->f->inst[i].v, places = l->e->f->inst[kl_operand(l->e->f, i, 1)].v;
  if (x.by == NULL || !LLVMIsAConstantInt(places) || LLVMConstIntGetZExtValue(places) > 30) return none;
  LLVMValueRef factor = wide(l, (uint64_t)1 << LLVMConstIntGetZExtValue(places));
  return (struct kl_row_step){product(l, x.by, factor), LLVMGetNSW(v) && x.is_signed,
                              LLVMGetNUW(v) && x.is_unsigned};
}

static struct kl_row_step of_extension(struct kl_lanes *l, uint32_t i) {
  struct kl_row_step x = operand(l, i, 0);
  const struct kl_inst *inst = &l->e->f->inst[i];
  if (inst->op == LLVMSExt) return x.is_signed ? x : none;
  if (!x.is_unsigned && !(x.is_signed && LLVMGetNNeg(inst->v))) return none;
  return (struct kl_row_step){x.by, true, true};
}

static struct kl_row_step of_truncation(struct kl_lanes *l, uint32_t i) {
  struct kl_row_step x = operand(l, i, 0);
  LLVMValueRef v = l->e->f->inst[i].v;
  bool keeps = l->shapes->of[kl_operand(l->e->f, i, 0)].small && LLVMGetIntTypeWidth(LLVMTypeOf(v)) >= 32;
  return (struct kl_row_step){x.by, (keeps || LLVMGetNSW(v)) && x.is_signed,
                              (keeps || LLVMGetNUW(v)) && x.is_unsigned};
}

/* Indices are sign-extended to the address's width. */
static struct kl_row_step of_gep(struct kl_lanes *l, uint32_t i) {
  const struct kl_func *f = l->e->f;
  LLVMTypeRef type = kiln_map_type(l->e->map, LLVMGetGEPSourceElementType(f->inst[i].v));
  LLVMValueRef by = operand(l, i, 0).by;
  if (by == NULL || l->shapes->unit[i] != 0) return none;
  for (uint32_t k = 1; k < f->inst[i].nops; k++) {
    struct kl_row_step x = operand(l, i, k);
    LLVMTypeRef index = LLVMTypeOf(f->inst[kl_operand(f, i, k)].v);
    if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      type =
          LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(f->inst[kl_operand(f, i, k)].v));
      continue;
    }
    if (k > 1) type = LLVMGetElementType(type);
    if (!kiln_lanes_is_uneven(l, kl_operand(f, i, k))) continue;
    if (x.by == NULL || (LLVMGetIntTypeWidth(index) < 64 && !x.is_signed)) return none;
    by = sum(l, by, product(l, x.by, wide(l, kiln_map_size(l->e->map, type))));
  }
  return (struct kl_row_step){by, false, false};
}

static struct kl_row_step find_step(struct kl_lanes *l, uint32_t i) {
  switch (l->e->f->inst[i].op) {
  case KL_QUERY:
    return of_query(l, i);
  case LLVMAdd:
  case LLVMSub:
  case LLVMOr:
    return of_sum(l, i);
  case LLVMMul:
    return of_product(l, i);
  case LLVMShl:
    return of_shift(l, i);
  case LLVMSExt:
  case LLVMZExt:
    return of_extension(l, i);
  case LLVMTrunc:
    return of_truncation(l, i);
  case LLVMGetElementPtr:
    return of_gep(l, i);
  case LLVMAddrSpaceCast:
  case LLVMFreeze:
    return operand(l, i, 0);
  default:
    return none;
  }
}

/* ---- scalars ---- */

bool kiln_lanes_is_uneven(struct kl_lanes *l, uint32_t value) {
  return l->map->rows > 1 && l->shapes->of[value].kind == KL_STRIDED && l->shapes->of[value].uneven;
}

static LLVMValueRef byte_at(struct kl_lanes *l, LLVMValueRef from, LLVMValueRef distance) {
  return LLVMBuildGEP2(l->e->b, l->e->map->i8, from, &distance, 1, "");
}

/* From four rows to the next four: more multiples of an unknown step than registers would be loaded from the
 * stack again and again. */
static LLVMValueRef address_up(struct kl_lanes *l, LLVMValueRef first, LLVMValueRef by, unsigned row) {
  for (; row >= ROWS_FROM_A_BASE && !LLVMIsAConstantInt(by); row -= ROWS_FROM_A_BASE)
    first = byte_at(l, first, product(l, by, wide(l, ROWS_FROM_A_BASE)));
  return row == 0 ? first : byte_at(l, first, product(l, by, wide(l, row)));
}

/* No promise is made of the result: the row may be off while the first one is not, and the reverse. */
static LLVMValueRef step_up(struct kl_lanes *l, LLVMValueRef first, LLVMValueRef by, unsigned row) {
  LLVMTypeRef type = LLVMTypeOf(first);
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) return address_up(l, first, by, row);
  LLVMValueRef distance = product(l, by, wide(l, row));
  return LLVMBuildAdd(l->e->b, first, LLVMBuildIntCast2(l->e->b, distance, type, true, ""), "");
}

LLVMValueRef kiln_lanes_row_scalar(struct kl_lanes *l, uint32_t value, unsigned row) {
  if (row == 0 || !kiln_lanes_is_uneven(l, value)) return kiln_emit_operand(l->e, value);
  LLVMValueRef by = l->step[value].by;
  return by == NULL ? l->row[row][value] : step_up(l, kiln_emit_operand(l->e, value), by, row);
}

static bool met_before(const struct kl_func *f, uint32_t i, uint32_t k) {
  for (uint32_t before = 0; before < k; before++)
    if (kl_operand(f, i, before) == kl_operand(f, i, k)) return true;
  return false;
}

/* The uneven operands of i stand for those of a row; `saved` gets the first row's. */
static void take_operands(struct kl_lanes *l, uint32_t i, unsigned row, LLVMValueRef *saved) {
  for (uint32_t k = 0; k < l->e->f->inst[i].nops; k++) {
    uint32_t v = kl_operand(l->e->f, i, k);
    if (!kiln_lanes_is_uneven(l, v) || met_before(l->e->f, i, k)) continue;
    LLVMValueRef scalar = kiln_lanes_row_scalar(l, v, row);
    saved[k] = l->e->value[v];
    l->e->value[v] = scalar;
  }
}

static void restore_operands(struct kl_lanes *l, uint32_t i, LLVMValueRef *saved) {
  for (uint32_t k = 0; k < l->e->f->inst[i].nops; k++)
    if (saved[k] != NULL) l->e->value[kl_operand(l->e->f, i, k)] = saved[k];
}

static void emit_in_row(struct kl_lanes *l, uint32_t i, unsigned row) {
  struct kl_emit *e = l->e;
  LLVMValueRef *saved = kl_new(e->env, e->f->inst[i].nops, LLVMValueRef);
  LLVMValueRef id = e->ids.local_id[l->map->across];
  if (e->f->inst[i].op == KL_QUERY) {
    LLVMValueRef number = LLVMBuildAdd(e->b, id, kiln_emit_index(e, row), "");
    if (LLVMIsAInstruction(number)) LLVMSetNUW(number, true), LLVMSetNSW(number, true);
    e->ids.local_id[l->map->across] = number;
  }
  take_operands(l, i, row, saved);
  kiln_emit_inst(e, i);
  restore_operands(l, i, saved);
  e->ids.local_id[l->map->across] = id;
  l->row[row][i] = e->value[i];
}

void kiln_lanes_scalar(struct kl_lanes *l, uint32_t i) {
  if (kiln_lanes_is_uneven(l, i)) {
    l->step[i] = find_step(l, i);
    for (unsigned row = 1; l->step[i].by == NULL && row < l->map->rows; row++) emit_in_row(l, i, row);
  }
  kiln_emit_inst(l->e, i);
}
