/* Strides, on top of what kiln_uniform_find tells: optimistic, in reverse post-order until nothing changes.
 */
#include "compiler/spmd/shape.h"

#include "compiler/spmd/near.h"

#include <string.h>

struct shaper {
  struct kl_shapes *s;
  struct kl_env *env;
  struct kl_map *map;
  const struct kl_func *f;
  const struct kl_plan *plan;
  const struct kl_uses *uses;
  bool small_ids;
  bool *through; /* by value: goes through memory between regions, so rows cannot begin anywhere; NULL: one
                    row */
  bool checking; /* what holds while checks hold */
  bool one_dimension; /* see is_of_one_dimension */
  unsigned native;    /* 32-bit elements of a register */
};

static const struct kl_shape uniform = {KL_UNIFORM, true, true, false, false, 0, 0};
static const struct kl_shape varying = {KL_VARYING, false, false, false, false, 0, 0};

uint64_t kiln_lane_object_size(struct kl_map *map, LLVMValueRef alloca_inst) {
  uint64_t align = kiln_alloca_align(map, alloca_inst), size = kiln_alloca_size(map, alloca_inst);
  return (size + align - 1) & ~(align - 1);
}

static struct kl_shape strided(int64_t stride, bool uneven, bool no_signed_wrap, bool no_unsigned_wrap) {
  struct kl_shape shape = {KL_STRIDED, no_signed_wrap, no_unsigned_wrap, false, uneven, 0, stride};
  return stride == 0 && !uneven ? uniform : shape;
}

struct kl_shape kiln_shape_at(const struct kl_shapes *s, const struct kl_func *f, uint32_t value,
                              uint32_t block) {
  return kiln_uniform_is_left(&s->uniform, f, value, block) ? varying : s->of[value];
}

struct kl_shape kiln_shape_checked_at(const struct kl_shapes *s, const struct kl_func *f, uint32_t value,
                                      uint32_t block) {
  struct kl_shape shape = kiln_shape_at(s, f, value, block);
  if (shape.kind != KL_VARYING || s->of[value].kind != KL_VARYING ||
      kiln_uniform_is_left(&s->uniform, f, value, block))
    return shape;
  return s->checked[value];
}

static struct kl_shape operand(struct shaper *a, uint32_t i, uint32_t k) {
  uint32_t v = kl_operand(a->f, i, k), block = a->f->inst[i].bb;
  return a->checking ? kiln_shape_checked_at(a->s, a->f, v, block) : kiln_shape_at(a->s, a->f, v, block);
}

/* ---- one instruction ---- */

static bool is_lane_type(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMPointerTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 8);
}

static struct kl_shape of_query(struct shaper *a, uint32_t i) {
  unsigned sub = a->f->inst[i].sub;
  const struct kl_mapping *map = &a->s->map;
  if (sub == KL_Q_GLOBAL_ID || sub == KL_Q_LOCAL_ID) {
    if (map->linear) return varying;
    LLVMValueRef dimension = a->f->inst[kl_operand(a->f, i, 0)].v;
    if (!LLVMIsAConstantInt(dimension)) return varying;
    bool is_along = LLVMConstIntGetZExtValue(dimension) == map->along;
    struct kl_shape shape = strided(is_along, !is_along, true, true);
    shape.small = a->small_ids || sub == KL_Q_LOCAL_ID;
    return shape;
  }
  if (sub == KL_Q_SUB_GROUP_LOCAL_ID || (map->linear && sub == KL_Q_LOCAL_LINEAR_ID))
    return map->rows > 1 ? varying : strided(1, false, true, true);
  bool is_linear = sub == KL_Q_LOCAL_LINEAR_ID || sub == KL_Q_GLOBAL_LINEAR_ID;
  return is_linear && map->along == 0 && !map->linear ? strided(1, map->rows > 1, true, true) : varying;
}

static bool constant_operand(struct shaper *a, uint32_t i, uint32_t k, int64_t *value) {
  LLVMValueRef c = a->f->inst[kl_operand(a->f, i, k)].v;
  if (!LLVMIsAConstantInt(c) || LLVMGetIntTypeWidth(LLVMTypeOf(c)) > 64) return false;
  *value = LLVMConstIntGetSExtValue(c);
  return true;
}

/* Strides stay below 2^31: nothing that is added up here overflows. */
static bool fits(int64_t stride) { return stride > -((int64_t)1 << 31) && stride < (int64_t)1 << 31; }

static struct kl_shape of_sum(struct shaper *a, uint32_t i, int sign) {
  struct kl_shape x = operand(a, i, 0), y = operand(a, i, 1);
  LLVMValueRef v = a->f->inst[i].v;
  int64_t stride = x.stride + sign * y.stride;
  if (!fits(stride)) return varying;
  bool disjoint = a->f->inst[i].op == LLVMOr;
  bool nsw = disjoint || LLVMGetNSW(v), nuw = disjoint || LLVMGetNUW(v);
  return strided(stride, x.uneven || y.uneven, nsw && x.no_signed_wrap && y.no_signed_wrap,
                 nuw && x.no_unsigned_wrap && y.no_unsigned_wrap);
}

static struct kl_shape of_product(struct shaper *a, uint32_t i) {
  int64_t factor;
  uint32_t k = operand(a, i, 0).kind == KL_STRIDED ? 0 : 1;
  struct kl_shape x = operand(a, i, k);
  LLVMValueRef v = a->f->inst[i].v;
  if (operand(a, i, 1 - k).kind != KL_UNIFORM || !constant_operand(a, i, 1 - k, &factor)) return varying;
  if (a->f->inst[i].op == LLVMShl) {
    if (k != 0 || factor < 0 || factor > 30) return varying;
    factor = (int64_t)1 << factor;
  }
  if (!fits(factor) || !fits(x.stride * factor)) return varying;
  return strided(x.stride * factor, x.uneven, LLVMGetNSW(v) && x.no_signed_wrap,
                 LLVMGetNUW(v) && x.no_unsigned_wrap && factor >= 0);
}

/* The lanes' values lie within what the type holds: a check can succeed. */
static bool can_check(struct shaper *a, uint32_t i) {
  LLVMTypeRef type = LLVMTypeOf(a->f->inst[kl_operand(a->f, i, 0)].v);
  unsigned bits = LLVMGetIntTypeWidth(type);
  int64_t stride = operand(a, i, 0).stride, most = (int64_t)1 << (bits > 39 ? 31 : bits - 8);
  return a->checking && bits >= 16 && stride > -most && stride < most;
}

static struct kl_shape of_extension(struct kl_shape x, bool is_signed, bool non_negative, bool may_check) {
  bool ok = is_signed ? x.no_signed_wrap : x.no_unsigned_wrap || (non_negative && x.no_signed_wrap);
  if (!ok && !x.small && !may_check) return varying;
  struct kl_shape shape = strided(x.stride, x.uneven, true, true);
  shape.small = x.small;
  return shape;
}

static struct kl_shape of_truncation(struct shaper *a, uint32_t i) {
  struct kl_shape x = operand(a, i, 0), shape;
  LLVMValueRef v = a->f->inst[i].v;
  bool keeps = x.small && LLVMGetIntTypeWidth(LLVMTypeOf(v)) >= 32;
  shape = strided(x.stride, x.uneven, keeps || (LLVMGetNSW(v) && x.no_signed_wrap),
                  keeps || (LLVMGetNUW(v) && x.no_unsigned_wrap));
  shape.small = keeps;
  return shape;
}

/* Bits below the lowest one that lanes change. */
static struct kl_shape of_constant_bits(struct shaper *a, uint32_t i) {
  int64_t bits;
  uint32_t k = operand(a, i, 0).kind == KL_STRIDED ? 0 : 1;
  struct kl_shape x = operand(a, i, k);
  if (x.kind != KL_STRIDED || !constant_operand(a, i, 1 - k, &bits)) return varying;
  int64_t low = (x.stride & -x.stride) - 1;
  if (a->f->inst[i].op == LLVMAnd) {
    if ((bits & ~low) == 0) return strided(0, x.uneven, true, true);
    if ((bits | low) != -1) return varying;
  } else if ((bits & ~low) != 0) {
    return varying;
  }
  return strided(x.stride, x.uneven, x.no_signed_wrap, x.no_unsigned_wrap);
}

/* Into an object whose elements lie lane by lane: neighbours for one index only. */
static struct kl_shape of_gep_by_lane(struct shaper *a, uint32_t i) {
  for (uint32_t k = 1; k < a->f->inst[i].nops; k++)
    if (operand(a, i, k).kind != KL_UNIFORM) return varying;
  return operand(a, i, 0);
}

/* Indices are sign-extended to the address's width. */
static struct kl_shape of_gep(struct shaper *a, uint32_t i) {
  if (a->s->unit[i] != 0) return of_gep_by_lane(a, i);
  LLVMValueRef v = a->f->inst[i].v;
  LLVMTypeRef type = kiln_map_type(a->map, LLVMGetGEPSourceElementType(v));
  int64_t stride = operand(a, i, 0).stride;
  bool uneven = operand(a, i, 0).uneven;
  for (uint32_t k = 1; k < a->f->inst[i].nops; k++) {
    struct kl_shape x = operand(a, i, k);
    if (k > 1) {
      LLVMTypeKind kind = LLVMGetTypeKind(type);
      if (kind == LLVMStructTypeKind) {
        int64_t field;
        if (!constant_operand(a, i, k, &field)) return varying;
        type = LLVMStructGetTypeAtIndex(type, (unsigned)field);
        continue;
      }
      type = LLVMGetElementType(type);
    }
    if (x.kind == KL_UNIFORM) continue;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(a->f->inst[kl_operand(a->f, i, k)].v));
    int64_t size = (int64_t)kiln_map_size(a->map, type);
    if ((bits < 64 && !x.no_signed_wrap) || !fits(size) || !fits(x.stride * size)) return varying;
    stride += x.stride * size;
    uneven |= x.uneven;
    if (!fits(stride)) return varying;
  }
  return strided(stride, uneven, true, true);
}

static struct kl_shape meet(struct kl_shape x, struct kl_shape y) {
  if (x.kind == KL_UNKNOWN) return y;
  if (y.kind == KL_UNKNOWN) return x;
  if (x.kind == KL_VARYING || y.kind == KL_VARYING || x.stride != y.stride || x.alike != y.alike)
    return varying;
  struct kl_shape shape = strided(x.stride, x.uneven || y.uneven, x.no_signed_wrap && y.no_signed_wrap,
                                  x.no_unsigned_wrap && y.no_unsigned_wrap);
  shape.small = x.small && y.small;
  return shape;
}

/* Lanes that have left a loop for the phi did so in turns of their own. */
static struct kl_shape of_phi(struct shaper *a, uint32_t i) {
  struct kl_shape shape = {0};
  const struct kl_inst *inst = &a->f->inst[i];
  if (a->s->uniform.mixes[i]) return varying;
  for (uint32_t k = 0; k < inst->nops; k += 2)
    shape = meet(shape, kiln_shape_at(a->s, a->f, kl_operand(a->f, i, k), inst->bb));
  /* of a varying phi, so a constant one is no reason to be uniform */
  return shape.kind == KL_UNIFORM ? varying : shape;
}

static struct kl_shape of_object(struct shaper *a, uint32_t i) {
  if (a->s->unit[i] != 0) return strided(a->s->unit[i], false, true, true);
  return strided((int64_t)kiln_lane_object_size(a->map, a->f->inst[i].v), false, true, true);
}

static bool has_kind(struct shaper *a, uint32_t i, uint8_t kind) {
  for (uint32_t k = 0; k < a->f->inst[i].nops; k++)
    if (operand(a, i, k).kind == kind) return true;
  return false;
}

/* Arithmetic that cannot trap on what does not change within a row. */
static bool is_of_rows(struct shaper *a, uint32_t i) {
  unsigned op = a->f->inst[i].op;
  if (a->s->map.rows == 1 || kl_is_division(op)) return false;
  if (!(op >= LLVMAdd && op <= LLVMXor) && op != LLVMSExt && op != LLVMZExt && op != LLVMTrunc) return false;
  for (uint32_t k = 0; k < a->f->inst[i].nops; k++)
    if (operand(a, i, k).stride != 0) return false;
  return true;
}

static struct kl_shape of_varying(struct shaper *a, uint32_t i) {
  const struct kl_inst *inst = &a->f->inst[i];
  if (!is_lane_type(LLVMTypeOf(inst->v))) return varying;
  if (inst->op == KL_QUERY) return of_query(a, i);
  if (inst->op == LLVMPHI) return of_phi(a, i);
  if (inst->op == LLVMAlloca) return of_object(a, i);
  if (has_kind(a, i, KL_VARYING)) return varying;
  if (has_kind(a, i, KL_UNKNOWN)) return (struct kl_shape){0};
  if (is_of_rows(a, i)) return strided(0, true, true, true);
  switch (inst->op) {
  case LLVMAdd:
    return of_sum(a, i, 1);
  case LLVMOr:
    return LLVMGetIsDisjoint(inst->v) ? of_sum(a, i, 1) : of_constant_bits(a, i);
  case LLVMAnd:
  case LLVMXor:
    return of_constant_bits(a, i);
  case LLVMSub:
    return of_sum(a, i, -1);
  case LLVMMul:
  case LLVMShl:
    return of_product(a, i);
  case LLVMSExt:
    return of_extension(operand(a, i, 0), true, false, can_check(a, i));
  case LLVMZExt:
    return of_extension(operand(a, i, 0), false, LLVMGetNNeg(inst->v), can_check(a, i));
  case LLVMTrunc:
    return of_truncation(a, i);
  case LLVMGetElementPtr:
    return of_gep(a, i);
  case LLVMAddrSpaceCast:
  case LLVMFreeze:
    return operand(a, i, 0);
  case LLVMSelect:
    if (operand(a, i, 0).kind != KL_UNIFORM) return varying;
    return meet(operand(a, i, 1), operand(a, i, 2));
  default:
    return varying;
  }
}

/* ---- shapes that hold while checks hold ---- */

LLVMIntPredicate kiln_shape_extremum(const struct kl_inst *inst) {
  static const struct {
    const char *name;
    LLVMIntPredicate predicate;
  } table[] = {{"llvm.smin.i", LLVMIntSLE},
               {"llvm.smax.i", LLVMIntSGE},
               {"llvm.umin.i", LLVMIntULE},
               {"llvm.umax.i", LLVMIntUGE}};
  size_t len;
  if (inst->op != LLVMCall) return (LLVMIntPredicate)0;
  LLVMValueRef fn = kiln_func_resolve(LLVMGetCalledValue(inst->v));
  if (fn == NULL || LLVMGetIntrinsicID(fn) == 0) return (LLVMIntPredicate)0;
  const char *name = LLVMGetValueName2(fn, &len);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (strncmp(name, table[k].name, strlen(table[k].name)) == 0) return table[k].predicate;
  return (LLVMIntPredicate)0;
}

uint32_t kiln_shape_divisor(const struct kl_func *f, uint32_t division) {
  uint32_t d = kl_operand(f, division, 1);
  if (f->inst[d].op == LLVMSelect && kl_is_number(f->inst[kl_operand(f, d, 1)].v, 1)) d = kl_operand(f, d, 2);
  return d;
}

static uint64_t lowest_bit(int64_t bits) { return (uint64_t)bits & -(uint64_t)bits; }

/* From the first lane to the last x may grow by less than `limit`, as far as is known before it is checked.
 */
static bool may_stay_below(struct shaper *a, struct kl_shape x, uint64_t limit) {
  if (x.stride <= 0 || limit == 0) return x.stride <= 0;
  const uint64_t lanes = ((limit - 1) / (uint64_t)x.stride + 1) << x.alike;
  if (a->s->map.width > lanes) return false;
  if (a->s->widest > lanes) a->s->widest = (uint32_t)lanes;
  return true;
}

/* x / n and x % n of neighbours: one quotient, remainders in a row; or of lanes that lie a multiple of n
 * apart, quotients in a row and one remainder. */
static struct kl_shape of_division(struct shaper *a, uint32_t i, bool remainder) {
  struct kl_shape x = operand(a, i, 0);
  struct kl_shape d = kiln_shape_at(a->s, a->f, kiln_shape_divisor(a->f, i), a->f->inst[i].bb);
  int64_t n;
  if (x.alike != 0) return varying;
  if (d.kind != KL_UNIFORM || x.kind == KL_VARYING || x.stride < 0) return varying;
  if (x.kind == KL_STRIDED && constant_operand(a, i, 1, &n) && n > 0) {
    if (x.stride % n == 0) return remainder ? uniform : strided(x.stride / n, false, true, true);
    if (!may_stay_below(a, x, (uint64_t)n)) return varying; /* never one quotient */
  }
  return remainder ? strided(x.stride, false, true, true) : uniform;
}

/* Some low bits of neighbours, or all but some: the rest does not change. */
static struct kl_shape of_mask(struct shaper *a, uint32_t i) {
  uint32_t k = operand(a, i, 0).kind == KL_STRIDED ? 0 : 1;
  struct kl_shape x = operand(a, i, k);
  int64_t mask;
  if (operand(a, i, 1 - k).kind != KL_UNIFORM || x.stride < 0) return varying;
  if (!constant_operand(a, i, 1 - k, &mask)) return strided(x.stride, false, true, true);
  if (mask < 0) return may_stay_below(a, x, lowest_bit(mask)) ? uniform : varying;
  const uint64_t next = (uint64_t)mask + 1;
  return ((uint64_t)mask & next) != 0 || may_stay_below(a, x, next) ? strided(x.stride, false, true, true)
                                                                    : varying;
}

/* Bits that do not change from lane to lane are turned or set: those by which lanes differ never
 * (lane_check.c would ask). */
static struct kl_shape of_bits(struct shaper *a, uint32_t i) {
  uint32_t k = operand(a, i, 0).kind == KL_STRIDED ? 0 : 1;
  struct kl_shape x = operand(a, i, k);
  int64_t bits;
  if (operand(a, i, 1 - k).kind != KL_UNIFORM || x.stride < 0) return varying;
  if (constant_operand(a, i, 1 - k, &bits) && !may_stay_below(a, x, lowest_bit(bits))) return varying;
  return strided(x.stride, false, false, false);
}

/* Work-items are told apart along the lanes only: no distance is one from row to row. */
static bool is_of_one_dimension(struct shaper *a) {
  for (uint32_t i = a->f->narg; i < a->f->ninst; i++) {
    const struct kl_inst *inst = &a->f->inst[i];
    if (inst->op != KL_QUERY || inst->sub > KL_Q_GROUP_ID) continue;
    if (!kl_is_number(a->f->inst[kl_operand(a->f, i, 0)].v, a->s->map.along)) return false;
  }
  return true;
}

/* An index times a distance that the program is given: neighbours mostly lie side by side. Not so where a
 * loop goes on from there: then it is the start of a work-item's own row. */
static struct kl_shape of_multiple(struct shaper *a, uint32_t i) {
  uint32_t k = operand(a, i, 0).kind == KL_STRIDED ? 0 : 1, index = kl_operand(a->f, i, k);
  struct kl_shape x = operand(a, i, k);
  const uint32_t *loop_of = a->s->uniform.loops.of;
  int64_t factor, unit;
  if (operand(a, i, 1 - k).kind != KL_UNIFORM || constant_operand(a, i, 1 - k, &factor)) return varying;
  uint32_t access = kiln_near_access(a->f, a->uses, a->map, i, &unit);
  if (access == KL_NONE || a->f->inst[index].bb == KL_NONE || !a->one_dimension) return varying;
  const uint32_t loop = loop_of[a->f->inst[access].bb];
  if (loop != KL_NONE && kiln_is_steady(a->f, &a->s->uniform.loops, index, loop)) return varying;
  if (loop_of[a->f->inst[index].bb] != loop || !fits(x.stride * unit)) return varying;
  LLVMValueRef v = a->f->inst[i].v;
  return strided(x.stride * unit, false, (unit == 1 || LLVMGetNSW(v)) && x.no_signed_wrap,
                 (unit == 1 || LLVMGetNUW(v)) && x.no_unsigned_wrap);
}

static struct kl_shape of_shift(struct shaper *a, uint32_t i) {
  struct kl_shape x = operand(a, i, 0);
  int64_t bits;
  if (operand(a, i, 1).kind != KL_UNIFORM || x.stride < 0) return varying;
  if (!constant_operand(a, i, 1, &bits)) return uniform;
  return bits >= 0 && bits < 64 && may_stay_below(a, x, (uint64_t)1 << bits) ? uniform : varying;
}

/* Of selects; branches make nothing of what checks say. */
static bool decides_choice(const struct shaper *a, uint32_t i) {
  for (uint32_t k = a->uses->first[i]; k < a->uses->first[i + 1]; k++) {
    uint32_t user = a->uses->at[k];
    if (a->f->inst[user].op == LLVMSelect && kl_operand(a->f, user, 0) == i) return true;
  }
  return false;
}

static struct kl_shape of_comparison(struct shaper *a, uint32_t i) {
  struct kl_shape x = operand(a, i, 0), y = operand(a, i, 1);
  LLVMIntPredicate p = LLVMGetICmpPredicate(a->f->inst[i].v);
  LLVMTypeRef type = LLVMTypeOf(a->f->inst[kl_operand(a->f, i, 0)].v);
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) return varying;
  if (p == LLVMIntEQ || p == LLVMIntNE) /* none of the lanes is equal */
    return (x.stride == 0) != (y.stride == 0) && decides_choice(a, i) ? uniform : varying;
  bool is_signed = p >= LLVMIntSGT;
  bool ok = is_signed ? x.no_signed_wrap && y.no_signed_wrap : x.no_unsigned_wrap && y.no_unsigned_wrap;
  return ok || (x.small && y.small) ? uniform : varying;
}

/* One of two: the one that changes, as when an index is clamped; the one that goes up, or in shorter steps,
 * as when it is reflected at an edge. */
static struct kl_shape likelier(struct kl_shape x, struct kl_shape y) {
  if (x.stride == y.stride) return meet(x, y);
  if (x.stride == 0 || y.stride == 0) return x.stride == 0 ? y : x;
  if ((x.stride > 0) != (y.stride > 0)) return x.stride > 0 ? x : y;
  return (x.stride < y.stride) == (x.stride > 0) ? x : y;
}

enum { MOST_CHOICES = 16 /* by one condition, that are looked at */ };

/* The first of the selects by i's condition that have a choice: the others choose as it does, as where one
 * condition gives the id to this index or to that one. */
static uint32_t deciding(struct shaper *a, uint32_t i) {
  const uint32_t condition = kl_operand(a->f, i, 0);
  uint32_t first = i, end = a->uses->first[condition + 1];
  if (end > a->uses->first[condition] + MOST_CHOICES) end = a->uses->first[condition] + MOST_CHOICES;
  for (uint32_t k = a->uses->first[condition]; k < end; k++) {
    const uint32_t user = a->uses->at[k];
    if (user < first && a->f->inst[user].op == LLVMSelect && !has_kind(a, user, KL_VARYING) &&
        operand(a, user, 1).stride != operand(a, user, 2).stride)
      first = user;
  }
  return first;
}

static struct kl_shape of_choice(struct shaper *a, uint32_t i) {
  if (operand(a, i, 0).kind != KL_UNIFORM) return varying;
  const uint32_t first = deciding(a, i);
  const struct kl_shape x = operand(a, first, 1), chosen = likelier(x, operand(a, first, 2));
  return first == i ? chosen : operand(a, i, chosen.stride == x.stride ? 1 : 2);
}

/* Values that go up or down at one rate are compared at their ends. */
static struct kl_shape of_extremum(struct shaper *a, uint32_t i) {
  bool is_signed = kiln_shape_extremum(&a->f->inst[i]) >= LLVMIntSGT;
  for (uint32_t k = 0; k < 2; k++) {
    struct kl_shape x = operand(a, i, k);
    if (x.kind != KL_UNIFORM && !x.small && !(is_signed ? x.no_signed_wrap : x.no_unsigned_wrap))
      return varying;
  }
  return likelier(operand(a, i, 0), operand(a, i, 1));
}

/* ---- steps: lanes side by side that have one value ---- */

/* By how many low bits, which are cut off or set, what an instruction makes differs from its operand *k; 0:
 * it does something else. */
static unsigned bits_of_step(struct shaper *a, uint32_t i, uint32_t *k) {
  const unsigned op = a->f->inst[i].op;
  const bool is_division = op == LLVMUDiv || op == LLVMSDiv, is_shift = op == LLVMLShr || op == LLVMAShr;
  int64_t c;
  if (!is_division && !is_shift && op != LLVMAnd && op != LLVMOr) return 0;
  *k = is_division || is_shift || operand(a, i, 0).kind == KL_STRIDED ? 0 : 1;
  if (!constant_operand(a, i, 1 - *k, &c)) return 0;
  if (is_shift) return c > 0 && c < 8 ? (unsigned)c : 0;
  const uint64_t step = op == LLVMAnd ? -(uint64_t)c : (uint64_t)c + (op == LLVMOr);
  if (step < 2 || step > 128 || (step & (step - 1)) != 0) return 0;
  return (unsigned)__builtin_ctzll(step);
}

/* x >> n, x & -2^n, x | 2^n - 1: the same for lanes side by side, fewer than a register has elements, as
 * where several pixels share a colour. With more of them all lanes are alike. */
static struct kl_shape of_steps(struct shaper *a, uint32_t i) {
  uint32_t k;
  const unsigned bits = bits_of_step(a, i, &k), op = a->f->inst[i].op;
  if (bits == 0) return varying;
  const struct kl_shape x = operand(a, i, k);
  const int64_t step = (int64_t)1 << bits;
  if (x.kind != KL_STRIDED || x.alike != 0 || x.stride <= 0 || x.stride >= step ||
      (x.stride & (x.stride - 1)) != 0 || step / x.stride >= (int64_t)a->native)
    return varying;
  const bool keeps_place = op == LLVMAnd || op == LLVMOr;
  struct kl_shape shape = strided(keeps_place ? step : 1, false, !keeps_place || x.no_signed_wrap,
                                  !keeps_place || x.no_unsigned_wrap);
  shape.small = x.small;
  shape.alike = (uint8_t)__builtin_ctzll((uint64_t)(step / x.stride));
  return shape;
}

static bool has_steps(struct shaper *a, uint32_t i) {
  for (uint32_t k = 0; k < a->f->inst[i].nops; k++)
    if (operand(a, i, k).alike != 0) return true;
  return false;
}

/* Sums, products and addresses of steps of one length, and of what is the same for all. */
static struct kl_shape of_sum_of_steps(struct shaper *a, uint32_t i) {
  const struct kl_inst *inst = &a->f->inst[i];
  uint8_t alike = 0;
  if (inst->op != LLVMAdd && inst->op != LLVMSub && inst->op != LLVMMul && inst->op != LLVMShl &&
      inst->op != LLVMSExt && inst->op != LLVMZExt && inst->op != LLVMTrunc && inst->op != LLVMFreeze &&
      inst->op != LLVMGetElementPtr && inst->op != LLVMAddrSpaceCast &&
      (inst->op != LLVMOr || !LLVMGetIsDisjoint(inst->v)))
    return varying;
  for (uint32_t k = 0; k < inst->nops; k++) {
    const struct kl_shape x = operand(a, i, k);
    if (x.kind != KL_STRIDED) continue;
    if (x.alike == 0 || (alike != 0 && x.alike != alike)) return varying;
    alike = x.alike;
  }
  struct kl_shape shape = of_varying(a, i);
  if (shape.kind == KL_STRIDED) shape.alike = alike;
  return shape;
}

/* The same operands give the same result. */
static bool computes_alone(const struct kl_inst *inst) {
  return (inst->op >= LLVMAdd && inst->op <= LLVMXor) || (inst->op >= LLVMTrunc && inst->op <= LLVMBitCast) ||
         inst->op == LLVMGetElementPtr || inst->op == LLVMAddrSpaceCast || inst->op == LLVMICmp ||
         inst->op == LLVMSelect || kiln_shape_extremum(inst) != 0;
}

static struct kl_shape of_checked(struct shaper *a, uint32_t i) {
  const struct kl_inst *inst = &a->f->inst[i];
  const struct kl_shape steps = of_steps(a, i);
  if (steps.kind != KL_VARYING) return steps;
  if (inst->op == LLVMUDiv || inst->op == LLVMSDiv) return of_division(a, i, false);
  if (inst->op == LLVMURem || inst->op == LLVMSRem) return of_division(a, i, true);
  if (has_kind(a, i, KL_VARYING)) return varying;
  if (!has_kind(a, i, KL_STRIDED)) return computes_alone(inst) ? uniform : varying;
  if (has_steps(a, i)) return of_sum_of_steps(a, i);
  struct kl_shape plain = of_varying(a, i);
  if (plain.kind != KL_VARYING) return plain;
  switch (inst->op) {
  case LLVMMul:
    return of_multiple(a, i);
  case LLVMAnd:
    return of_mask(a, i);
  case LLVMOr:
  case LLVMXor:
    return of_bits(a, i);
  case LLVMLShr:
  case LLVMAShr:
    return of_shift(a, i);
  case LLVMICmp:
    return of_comparison(a, i);
  case LLVMSelect:
    return of_choice(a, i);
  case LLVMCall:
    return kiln_shape_extremum(inst) != 0 ? of_extremum(a, i) : varying;
  default:
    return varying;
  }
}

static bool has_checks(const struct kl_inst *inst) {
  bool fits = inst->op != KL_QUERY && inst->op != LLVMAlloca && inst->op != LLVMLoad;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(inst->v));
  return fits && (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind);
}

/* Operand of what comes into a loop, of a phi at the head of one with one way in and one way round: lanes
 * come the same way, all together. KL_NONE: it is no such phi. */
static uint32_t way_in(struct shaper *a, uint32_t phi) {
  const struct kl_uniform *u = &a->s->uniform;
  uint32_t block = a->f->inst[phi].bb, loop = u->loops.of[block];
  if (!kiln_loops_begin(&u->loops, block) || a->f->inst[phi].nops != 4) return KL_NONE;
  bool first = kiln_loops_contain(&u->loops, loop, kl_operand(a->f, phi, 1)),
       second = kiln_loops_contain(&u->loops, loop, kl_operand(a->f, phi, 3));
  return first == second ? KL_NONE : first ? 2 : 0;
}

/* Of what comes in from block k / 2 + 1. A counter may wrap in lanes that have left the loop: no promise of
 * what comes in is kept. */
static struct kl_shape of_incoming(struct shaper *a, uint32_t phi, uint32_t k) {
  struct kl_shape shape = kiln_shape_checked_at(a->s, a->f, kl_operand(a->f, phi, k), a->f->inst[phi].bb);
  if (shape.alike != 0) return varying;
  return shape.kind == KL_STRIDED ? strided(shape.stride, false, false, false) : shape;
}

/* As it begins: with what goes on from lane to lane, or, where lanes leave at turns of their own, is the same
 * for all while checks hold (windows that stop at edges; a loop of as many turns for all may go on from where
 * rows shorter than vectors have left it, as in MNN's convolutions, which take 2 to 5 times as long with
 * checks that fail). */
static struct kl_shape assumed(struct shaper *a, uint32_t phi) {
  const uint32_t k = way_in(a, phi), loop = a->s->uniform.loops.of[a->f->inst[phi].bb];
  if (k == KL_NONE) return varying;
  const struct kl_shape shape = of_incoming(a, phi, k);
  if (shape.kind != KL_UNIFORM) return shape;
  const bool is_checked = a->s->of[kl_operand(a->f, phi, k)].kind == KL_VARYING;
  return is_checked && a->s->uniform.loop_diverges[loop] ? uniform : varying;
}

static bool is_carried_on(struct shaper *a, uint32_t phi) {
  struct kl_shape x = of_incoming(a, phi, 0), y = of_incoming(a, phi, 2);
  return x.kind == y.kind && x.stride == y.stride;
}

/* Where ways come together, of an index that one of them leaves as it is: few lanes may have come another
 * way, as those beyond an edge that a loop reflects until they are inside. */
static struct kl_shape left_alone(struct shaper *a, uint32_t phi) {
  LLVMTypeRef type = LLVMTypeOf(a->f->inst[phi].v);
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || !kiln_near_address(a->f, a->uses, phi)) return varying;
  for (uint32_t k = 0; k < a->f->inst[phi].nops; k += 2)
    if (kiln_near_load(a->f, kl_operand(a->f, phi, k))) return varying;
  for (uint32_t k = 0; k < a->f->inst[phi].nops; k += 2) {
    const struct kl_shape shape = of_incoming(a, phi, k);
    if (shape.kind == KL_STRIDED && shape.stride != 0) return shape;
  }
  return varying;
}

/* What lanes of a loop's phi follow is known as it begins; where ways meet the lanes are looked at. */
static struct kl_shape of_checked_phi(struct shaper *a, uint32_t phi) {
  const struct kl_uniform *u = &a->s->uniform;
  if (!kiln_loops_begin(&u->loops, a->f->inst[phi].bb)) return left_alone(a, phi);
  return u->mixes[phi] ? varying : assumed(a, phi);
}

bool kiln_shape_is_looked_at(const struct kl_shapes *s, const struct kl_func *f, uint32_t phi) {
  return s->checked[phi].kind != KL_VARYING && !kiln_loops_begin(&s->uniform.loops, f->inst[phi].bb);
}

static void forget_checked(struct shaper *a) {
  for (uint32_t v = 0; v < a->f->nvalue; v++) a->s->checked[v] = varying;
}

/* Operands come before their uses but for what loops carry, which is assumed to go on as it begins. refuted:
 * phis of which that is known to be wrong. */
static void assume_checked(struct shaper *a, const bool *refuted) {
  forget_checked(a);
  for (uint32_t i = a->f->narg; i < a->f->ninst; i++) {
    const struct kl_inst *inst = &a->f->inst[i];
    if (a->s->of[i].kind != KL_VARYING || inst->bb == KL_NONE || !has_checks(inst)) continue;
    if (inst->op != LLVMPHI) a->s->checked[i] = of_checked(a, i);
    else if (!refuted[i]) a->s->checked[i] = of_checked_phi(a, i);
  }
}

static bool refute(struct shaper *a, bool *refuted, bool all) {
  bool found = false;
  for (uint32_t i = a->f->narg; i < a->f->ninst; i++) {
    if (a->f->inst[i].op != LLVMPHI || a->s->checked[i].kind == KL_VARYING) continue;
    if (kiln_shape_is_looked_at(a->s, a->f, i)) continue;
    if (all || !is_carried_on(a, i)) found = refuted[i] = true;
  }
  return found;
}

enum { MOST_ASSUMPTIONS = 4 }; /* about what all loops carry, one after the other */

static void find_checked(struct shaper *a) {
  if (a->s->map.rows > 1) { /* checks speak of one row */
    forget_checked(a);
    return;
  }
  bool *refuted = kl_new(a->env, a->f->nvalue, bool);
  unsigned tries = 0;
  a->checking = true;
  a->one_dimension = is_of_one_dimension(a);
  do assume_checked(a, refuted);
  while (refute(a, refuted, ++tries == MOST_ASSUMPTIONS));
}

/* Needed as addresses only, or for such: code that finds the checks to fail computes them then. */
static void find_exact(struct shaper *a) {
  for (uint32_t i = a->f->ninst; i-- > a->f->narg;) {
    const struct kl_inst *inst = &a->f->inst[i];
    const bool is_put_off = inst->op != LLVMCall && inst->op != LLVMPHI;
    bool lazy = a->s->checked[i].kind != KL_VARYING && !a->s->exact[i] && is_put_off;
    a->s->exact[i] |= inst->op == LLVMPHI;
    for (uint32_t k = 0; k < inst->nops; k++) {
      bool address = (inst->op == LLVMLoad && k == 0) || (inst->op == LLVMStore && k == 1);
      if (inst->op == LLVMPHI && k % 2 == 1) continue; /* a block */
      if (!lazy && !address) a->s->exact[kl_operand(a->f, i, k)] = true;
    }
  }
}

bool kiln_shape_is_same(struct kl_shape x, struct kl_shape y) {
  return x.kind == y.kind && x.stride == y.stride && x.alike == y.alike && x.small == y.small &&
         x.uneven == y.uneven && x.no_signed_wrap == y.no_signed_wrap &&
         x.no_unsigned_wrap == y.no_unsigned_wrap;
}

/* Going up the lattice only: what has been given up stays so. */
static bool update(struct shaper *a, uint32_t i) {
  struct kl_shape old = a->s->of[i], now = old.kind == KL_VARYING ? varying : of_varying(a, i);
  if (old.kind == KL_STRIDED && now.kind == KL_STRIDED) now = meet(old, now);
  if (now.uneven && a->through != NULL && a->through[i]) now = varying;
  if (now.kind == KL_UNKNOWN || kiln_shape_is_same(old, now)) return false;
  a->s->of[i] = now;
  return true;
}

/* What lies in a context slot, or comes from before a region that computes it anew. */
static bool *find_through(struct kl_env *env, const struct kl_func *f, const struct kl_plan *plan) {
  bool *through = kl_new(env, f->nvalue, bool);
  for (uint32_t v = f->narg; v < f->ninst; v++) through[v] = plan->keep[v] == KL_KEEP_ITEM;
  for (uint32_t r = 0; r < plan->nregion; r++)
    for (uint32_t i = 0; i < plan->region[r].live.n; i++) {
      uint32_t v = plan->region[r].live.at[i];
      through[v] |= f->inst[v].bb != KL_NONE && kiln_region_has(&plan->region[r], f->inst[v].bb);
    }
  return through;
}

static bool is_apart(const struct kl_plan *plan, uint32_t v) { return plan->apart != NULL && plan->apart[v]; }

/* By argument; NULL: none does. */
static bool *arguments_that_vary(struct kl_env *env, const struct kl_func *f, const struct kl_plan *plan) {
  if (plan->arguments == NULL) return NULL;
  bool *varies = kl_new(env, f->narg + 1, bool);
  for (uint32_t v = 0; v < f->narg; v++) varies[v] = plan->arguments[v].kind != KL_UNIFORM;
  return varies;
}

void kiln_shapes_find(struct kl_shapes *s, struct kl_env *env, struct kl_program *program,
                      const struct kl_plan *plan, const struct kl_mapping *map, bool small_ids,
                      bool whole_rows) {
  const struct kl_func *f = program->kernel;
  struct kl_uses uses;
  struct shaper a = {s, env, program->map, f, plan, &uses, small_ids, NULL, false, false, program->native};
  bool changed = true;
  s->map = *map;
  s->whole_rows = whole_rows;
  s->widest = UINT32_MAX;
  if (map->rows > 1) a.through = find_through(env, f, plan);
  s->of = kl_new(env, f->nvalue, struct kl_shape);
  kiln_uses_find(env, f, &uses);
  s->unit = kiln_lane_objects_find(env, program, plan, &uses, whole_rows);
  unsigned dimensions = 1u << map->along | (map->rows > 1 ? 1u << map->across : 0u);
  kiln_uniform_find(&s->uniform, env, program, &uses, arguments_that_vary(env, f, plan), plan->apart,
                    map->linear ? KL_LEVEL_GROUP - 1 : dimensions);
  for (uint32_t v = 0; v < f->nvalue; v++)
    s->of[v] = !s->uniform.varying[v] ? uniform
               : v < f->narg          ? plan->arguments[v]
               : is_apart(plan, v)    ? varying
                                      : (struct kl_shape){0};
  while (changed) {
    changed = false;
    for (uint32_t i = f->narg; i < f->ninst; i++)
      if (s->uniform.varying[i] && !is_apart(plan, i)) changed |= update(&a, i);
  }
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (s->of[i].kind == KL_UNKNOWN) s->of[i] = varying;
  s->checked = kl_new(env, f->nvalue, struct kl_shape);
  s->exact = kl_new(env, f->nvalue, bool);
  find_checked(&a);
  find_exact(&a);
}
