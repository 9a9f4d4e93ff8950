/* Values whose lanes follow a pattern only while checks hold (kl_shapes.checked): the scalar of lane 0 and
 * the truth value that tells whether the pattern holds for all lanes of this vector.
 *
 * A lane that is off may hold anything, lane 0 too: the scalars are computed without promises, and a check
 * speaks of all lanes, on or off. */
#include "compiler/spmd/lanes.h"

struct check {
  struct kl_lanes *l;
  LLVMBuilderRef b;
  uint32_t i;
  struct kl_shape shape; /* of the operand that changes from lane to lane */
  LLVMValueRef ok;       /* NULL: nothing to check so far */
};

static LLVMValueRef number(LLVMTypeRef type, int64_t x) { return LLVMConstInt(type, (uint64_t)x, true); }

static void demand(struct check *c, LLVMValueRef condition) {
  c->ok = c->ok == NULL ? condition : LLVMBuildAnd(c->b, c->ok, condition, "");
}

static void demand_compare(struct check *c, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y) {
  demand(c, LLVMBuildICmp(c->b, predicate, x, y, ""));
}

static uint32_t operand_of(struct check *c, uint32_t k) { return kl_operand(c->l->e->f, c->i, k); }

static LLVMValueRef scalar(struct check *c, uint32_t value) { return kiln_emit_operand(c->l->e, value); }

/* From lane 0 to the last one. */
static int64_t span_of(struct check *c, struct kl_shape shape) {
  return shape.stride * (int64_t)((c->l->width - 1) >> shape.alike);
}

/* ---- what must hold ---- */

static void demand_no_wrap(struct check *c, LLVMValueRef x, struct kl_shape shape, bool is_signed) {
  LLVMTypeRef type = LLVMTypeOf(x);
  int64_t span = span_of(c, shape);
  unsigned bits = LLVMGetIntTypeWidth(type);
  uint64_t most = UINT64_MAX >> (64 - bits), top = (uint64_t)1 << (bits - 1);
  if (shape.small || (is_signed ? shape.no_signed_wrap : shape.no_unsigned_wrap) || span == 0) return;
  uint64_t limit = !is_signed ? (span > 0 ? most - (uint64_t)span : (uint64_t)-span)
                              : (span > 0 ? top - 1 - (uint64_t)span : top + (uint64_t)-span);
  LLVMIntPredicate predicate =
      is_signed ? (span > 0 ? LLVMIntSLE : LLVMIntSGE) : (span > 0 ? LLVMIntULE : LLVMIntUGE);
  demand_compare(c, predicate, x, LLVMConstInt(type, limit, false));
}

/* rest + span < end, all at least 0 as unsigned. */
static void demand_room(struct check *c, LLVMValueRef rest, LLVMValueRef end, int64_t span) {
  LLVMValueRef s = number(LLVMTypeOf(rest), span);
  if (span == 0) return;
  demand_compare(c, LLVMIntUGT, end, s);
  demand_compare(c, LLVMIntULT, rest, LLVMBuildSub(c->b, end, s, ""));
}

/* The lanes' values differ in the bits below a power of 2 only: those of x have room for the span. */
static int64_t demand_low_bits(struct check *c, LLVMValueRef x, int64_t span) {
  LLVMTypeRef type = LLVMTypeOf(x);
  int64_t low = 1;
  while (low <= span) low *= 2;
  if (span == 0) return 1;
  LLVMValueRef rest = LLVMBuildAnd(c->b, x, number(type, low - 1), "");
  demand_compare(c, LLVMIntULE, rest, number(type, low - 1 - span));
  return low;
}

/* ---- one instruction; the value of lane 0 ---- */

/* Remainders by d are the same for all lanes. */
static bool is_multiple(int64_t stride, LLVMValueRef d) {
  const int64_t n = LLVMIsAConstantInt(d) ? LLVMConstIntGetSExtValue(d) : 0;
  return n > 0 && stride % n == 0;
}

/* The divisor as the program has it: a guard stands for what it would not do with a positive one. */
static LLVMValueRef check_division(struct check *c) {
  unsigned op = c->l->e->f->inst[c->i].op;
  bool is_signed = op == LLVMSDiv || op == LLVMSRem, remainder = op == LLVMURem || op == LLVMSRem;
  LLVMValueRef x = scalar(c, operand_of(c, 0)), d = scalar(c, kiln_shape_divisor(c->l->e->f, c->i));
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x)), one = number(LLVMTypeOf(x), 1);
  LLVMValueRef positive = LLVMBuildICmp(c->b, is_signed ? LLVMIntSGT : LLVMIntNE, d, zero, "");
  demand(c, positive);
  d = LLVMBuildSelect(c->b, positive, d, one, "");
  const bool known = c->l->e->f->inst[c->i].sub == KL_POSITIVE;
  if (is_signed && !known) demand_compare(c, LLVMIntSGE, x, zero);
  demand_no_wrap(c, x, c->shape, is_signed);
  const bool divides_signed = is_signed && !known;
  LLVMValueRef quotient = LLVMBuildBinOp(c->b, divides_signed ? LLVMSDiv : LLVMUDiv, x, d, ""), rest;
  if (LLVMIsAConstantInt(d)) rest = LLVMBuildBinOp(c->b, divides_signed ? LLVMSRem : LLVMURem, x, d, "");
  else rest = LLVMBuildSub(c->b, x, LLVMBuildMul(c->b, quotient, d, ""), "");
  if (!is_multiple(c->shape.stride, d)) demand_room(c, rest, d, span_of(c, c->shape));
  return remainder ? rest : quotient;
}

static LLVMValueRef check_mask(struct check *c, LLVMValueRef x, LLVMValueRef mask) {
  LLVMValueRef made = LLVMBuildAnd(c->b, x, mask, "");
  int64_t span = span_of(c, c->shape);
  LLVMTypeRef type = LLVMTypeOf(x);
  if (span == 0) return made;
  if (c->l->shapes->checked[c->i].kind == KL_UNIFORM) { /* all bits but low ones stay */
    int64_t low = demand_low_bits(c, x, span);
    demand_compare(c, LLVMIntEQ, LLVMBuildAnd(c->b, mask, number(type, low - 1), ""), LLVMConstNull(type));
    return made;
  }
  LLVMValueRef next = LLVMBuildAdd(c->b, mask, number(type, 1), "");
  demand_compare(c, LLVMIntEQ, LLVMBuildAnd(c->b, mask, next, ""), LLVMConstNull(type));
  demand_compare(c, LLVMIntUGE, mask, number(type, span));
  demand_compare(c, LLVMIntULE, made, LLVMBuildSub(c->b, mask, number(type, span), ""));
  return made;
}

static LLVMValueRef check_bits(struct check *c, LLVMValueRef x, LLVMValueRef bits) {
  LLVMTypeRef type = LLVMTypeOf(x);
  int64_t low = demand_low_bits(c, x, span_of(c, c->shape));
  demand_compare(c, LLVMIntEQ, LLVMBuildAnd(c->b, bits, number(type, low - 1), ""), LLVMConstNull(type));
  return LLVMBuildBinOp(c->b, (LLVMOpcode)c->l->e->f->inst[c->i].op, x, bits, "");
}

static LLVMValueRef check_shift(struct check *c, LLVMValueRef x, LLVMValueRef by) {
  LLVMTypeRef type = LLVMTypeOf(x);
  int64_t span = span_of(c, c->shape);
  LLVMValueRef made = LLVMBuildBinOp(c->b, (LLVMOpcode)c->l->e->f->inst[c->i].op, x, by, "");
  if (span == 0) return made;
  LLVMValueRef low = LLVMBuildSub(c->b, LLVMBuildShl(c->b, number(type, 1), by, ""), number(type, 1), "");
  LLVMValueRef rest = LLVMBuildAnd(c->b, x, low, "");
  demand_compare(c, LLVMIntUGE, low, number(type, span));
  demand_compare(c, LLVMIntULE, rest, LLVMBuildSub(c->b, low, number(type, span), ""));
  return made;
}

static LLVMValueRef check_plain(struct check *c) {
  struct kl_emit *e = c->l->e;
  e->plain = true;
  kiln_emit_inst(e, c->i);
  e->plain = false;
  return e->value[c->i];
}

/* What changes times the same for all: the distance from lane to lane must be what the shape says. */
static LLVMValueRef check_multiple(struct check *c, uint32_t k) {
  LLVMValueRef factor = c->l->e->f->inst[operand_of(c, 1 - k)].v;
  if (LLVMIsAConstantInt(factor) || c->shape.kind != KL_STRIDED || c->shape.stride == 0)
    return check_plain(c);
  factor = scalar(c, operand_of(c, 1 - k));
  int64_t unit = c->l->shapes->checked[c->i].stride / c->shape.stride;
  demand_compare(c, LLVMIntEQ, factor, number(LLVMTypeOf(factor), unit));
  return check_plain(c);
}

static LLVMValueRef last_lane(struct check *c, LLVMValueRef x, uint32_t value) {
  int64_t span = span_of(c, kiln_lanes_checked_shape(c->l, value));
  return span == 0 ? x : LLVMBuildAdd(c->b, x, number(LLVMTypeOf(x), span), "");
}

/* One side changes: its values lie between those of the first lane and the last, whether they wrap or not. */
static void demand_no_equal(struct check *c, LLVMValueRef x, LLVMValueRef y) {
  int64_t sx = span_of(c, kiln_lanes_checked_shape(c->l, operand_of(c, 0))),
          sy = span_of(c, kiln_lanes_checked_shape(c->l, operand_of(c, 1))), up = sx - sy;
  if (up == 0) return;
  LLVMValueRef distance = up > 0 ? LLVMBuildSub(c->b, y, x, "") : LLVMBuildSub(c->b, x, y, "");
  uint64_t span = (uint64_t)(up > 0 ? up : -up),
           most = UINT64_MAX >> (64 - LLVMGetIntTypeWidth(LLVMTypeOf(x)));
  LLVMValueRef limit = LLVMConstInt(LLVMTypeOf(x), span < most ? span : most, false);
  demand_compare(c, LLVMIntUGT, distance, limit);
}

/* Both sides change at one rate: when the ends agree, all between them do. */
static LLVMValueRef check_comparison(struct check *c, LLVMIntPredicate predicate) {
  uint32_t vx = operand_of(c, 0), vy = operand_of(c, 1);
  LLVMValueRef x = scalar(c, vx), y = scalar(c, vy);
  LLVMValueRef first = LLVMBuildICmp(c->b, predicate, x, y, "");
  if (predicate == LLVMIntEQ || predicate == LLVMIntNE) {
    demand_no_equal(c, x, y);
    return first;
  }
  LLVMValueRef last = LLVMBuildICmp(c->b, predicate, last_lane(c, x, vx), last_lane(c, y, vy), "");
  if (last != first) demand_compare(c, LLVMIntEQ, first, last);
  return first;
}

static LLVMValueRef check_choice(struct check *c) {
  LLVMValueRef condition = scalar(c, operand_of(c, 0)), x = scalar(c, operand_of(c, 1)),
               y = scalar(c, operand_of(c, 2));
  int64_t sx = kiln_lanes_checked_shape(c->l, operand_of(c, 1)).stride,
          sy = kiln_lanes_checked_shape(c->l, operand_of(c, 2)).stride;
  if (sx == sy) return LLVMBuildSelect(c->b, condition, x, y, "");
  bool is_first = sx == c->l->shapes->checked[c->i].stride;
  demand(c, is_first ? condition : LLVMBuildNot(c->b, condition, ""));
  return is_first ? x : y;
}

/* One operand is the result in the first lane and in the last. */
static LLVMValueRef check_extremum(struct check *c, LLVMIntPredicate predicate) {
  const int64_t stride = c->l->shapes->checked[c->i].stride;
  uint32_t k = kiln_lanes_checked_shape(c->l, operand_of(c, 0)).stride == stride ? 0 : 1;
  uint32_t vx = operand_of(c, k), vy = operand_of(c, 1 - k);
  LLVMValueRef x = scalar(c, vx), y = scalar(c, vy);
  if (kiln_lanes_checked_shape(c->l, vy).stride == stride)
    return LLVMBuildSelect(c->b, LLVMBuildICmp(c->b, predicate, x, y, ""), x, y, "");
  demand_compare(c, predicate, x, y);
  demand_compare(c, predicate, last_lane(c, x, vx), last_lane(c, y, vy));
  return x;
}

/* Lanes become alike in groups that begin with the first one: x has room for all of a group in the bits that
 * are cut off or set. */
static LLVMValueRef check_steps(struct check *c, LLVMValueRef x) {
  const unsigned op = c->l->e->f->inst[c->i].op, alike = c->l->shapes->checked[c->i].alike;
  const bool is_signed = op == LLVMSDiv || op == LLVMAShr;
  LLVMTypeRef type = LLVMTypeOf(x);
  const int64_t step = c->shape.stride << alike;
  const int64_t group = c->l->width < 1u << alike ? c->l->width : (int64_t)1 << alike;
  demand_compare(c, LLVMIntULE, LLVMBuildAnd(c->b, x, number(type, step - 1), ""),
                 number(type, step - 1 - c->shape.stride * (group - 1)));
  if (op == LLVMSDiv) demand_compare(c, LLVMIntSGE, x, LLVMConstNull(type));
  if (op != LLVMAnd && op != LLVMOr) demand_no_wrap(c, x, c->shape, is_signed);
  return check_plain(c);
}

/* ---- which ---- */

static LLVMValueRef check_masking(struct check *c, uint32_t k) {
  LLVMValueRef x = scalar(c, operand_of(c, k)), other = scalar(c, operand_of(c, 1 - k));
  return c->l->e->f->inst[c->i].op == LLVMAnd ? check_mask(c, x, other) : check_bits(c, x, other);
}

static LLVMValueRef check_inst(struct check *c, uint32_t k) {
  const struct kl_inst *inst = &c->l->e->f->inst[c->i];
  if (c->l->shapes->checked[c->i].alike != c->shape.alike) return check_steps(c, scalar(c, operand_of(c, k)));
  switch (inst->op) {
  case LLVMZExt:
    if (!LLVMGetNNeg(inst->v) || !c->shape.no_signed_wrap)
      demand_no_wrap(c, scalar(c, operand_of(c, 0)), c->shape, false);
    return check_plain(c);
  case LLVMSExt:
    demand_no_wrap(c, scalar(c, operand_of(c, 0)), c->shape, true);
    return check_plain(c);
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
    return check_division(c);
  case LLVMMul:
    return check_multiple(c, k);
  case LLVMAnd:
  case LLVMXor:
    return check_masking(c, k);
  case LLVMOr:
    return LLVMGetIsDisjoint(inst->v) ? check_plain(c) : check_masking(c, k);
  case LLVMLShr:
  case LLVMAShr:
    return check_shift(c, scalar(c, operand_of(c, 0)), scalar(c, operand_of(c, 1)));
  case LLVMICmp:
    return check_comparison(c, LLVMGetICmpPredicate(inst->v));
  case LLVMSelect:
    return check_choice(c);
  case LLVMCall:
    return check_extremum(c, kiln_shape_extremum(inst));
  default:
    return check_plain(c);
  }
}

/* ---- interface ---- */

bool kiln_lanes_has_check(struct kl_lanes *l, uint32_t value) {
  return kiln_lanes_shape(l, value).kind == KL_VARYING && l->ok_pass[value] == l->e->pass &&
         kiln_lanes_checked_shape(l, value).kind != KL_VARYING;
}

struct kl_shape kiln_lanes_checked_shape(struct kl_lanes *l, uint32_t value) {
  struct kl_shape shape = kiln_lanes_shape(l, value);
  if (shape.kind != KL_VARYING || l->shapes->of[value].kind != KL_VARYING || kiln_lanes_is_left(l, value))
    return shape;
  return l->shapes->checked[value];
}

bool kiln_lanes_checked_scalar(struct kl_lanes *l, uint32_t value, LLVMValueRef *scalar, LLVMValueRef *ok) {
  const bool checked = kiln_lanes_has_check(l, value);
  if (!checked && kiln_lanes_shape(l, value).kind == KL_VARYING) return false;
  *scalar = checked ? l->e->value[value] : kiln_lanes_row_scalar(l, value, 0);
  *ok = checked && l->ok[value] != NULL ? l->ok[value] : LLVMConstInt(l->e->map->i1, 1, false);
  return true;
}

void kiln_lanes_define_checked(struct kl_lanes *l, uint32_t phi, LLVMValueRef scalar, LLVMValueRef ok) {
  kiln_emit_define(l->e, phi, scalar);
  l->ok[phi] = ok;
  l->ok_pass[phi] = l->e->pass;
}

/* It has been computed in this region, or holds in all. */
static bool is_there(const struct kl_emit *e, uint32_t v) {
  return e->fixed[v] != NULL || e->f->inst[v].op == KL_CONST || e->value_pass[v] == e->pass ||
         e->cell_pass[v] == e->pass;
}

/* The divisor of a division is not asked for as it stands: see check_division. It may have stayed behind a
 * barrier that its guard has passed. */
static bool has_scalars(struct kl_lanes *l, uint32_t i) {
  const struct kl_func *f = l->e->f;
  unsigned op = f->inst[i].op;
  bool divides = op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
  for (uint32_t k = 0; k < f->inst[i].nops; k++) {
    uint32_t v = divides && k == 1 ? kiln_shape_divisor(f, i) : kl_operand(f, i, k);
    if (kiln_lanes_shape(l, v).kind == KL_VARYING && !kiln_lanes_has_check(l, v)) return false;
    if (divides && k == 1 && !is_there(l->e, v)) return false;
  }
  return true;
}

bool kiln_lanes_check(struct kl_lanes *l, uint32_t i) {
  struct check c = {.l = l, .b = l->e->b, .i = i};
  const struct kl_inst *inst = &l->e->f->inst[i];
  if (l->shapes->checked[i].kind == KL_VARYING || !has_scalars(l, i)) return false;
  uint32_t k = inst->nops > 1 && kiln_lanes_checked_shape(l, operand_of(&c, 0)).kind != KL_STRIDED;
  c.shape = kiln_lanes_checked_shape(l, operand_of(&c, k));
  if (inst->op == LLVMLShr || inst->op == LLVMAShr || inst->op == LLVMUDiv || inst->op == LLVMSDiv ||
      inst->op == LLVMURem || inst->op == LLVMSRem)
    c.shape = kiln_lanes_checked_shape(l, operand_of(&c, 0));
  for (uint32_t o = 0; o < inst->nops; o++)
    if (kiln_lanes_has_check(l, operand_of(&c, o)) && l->ok[operand_of(&c, o)] != NULL)
      demand(&c, l->ok[operand_of(&c, o)]);
  LLVMValueRef made = check_inst(&c, k);
  kiln_emit_define(l->e, i, made);
  l->ok[i] = c.ok;
  l->ok_pass[i] = l->e->pass;
  return true;
}
