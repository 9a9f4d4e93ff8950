/* Integer divisions of all lanes. Processors divide vectors of floating-point numbers only. */
#include "compiler/spmd/guard.h"
#include "compiler/spmd/lanes.h"
#include "compiler/value.h"

static bool is_signed(unsigned op) { return op == LLVMSDiv || op == LLVMSRem; }

bool kiln_lanes_divides_as_real(LLVMTypeRef element, unsigned native) {
  return LLVMGetIntTypeWidth(element) <= 32 || (native >= 16 && LLVMGetIntTypeWidth(element) == 64);
}

/* ---- up to 32 bits ---- */

static bool is_short(LLVMValueRef x) { return LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(x))) <= 16; }

static LLVMTypeRef real_of(struct kl_lanes *l, LLVMValueRef x) {
  LLVMContextRef context = l->e->env->context;
  return is_short(x) ? LLVMFloatTypeInContext(context) : LLVMDoubleTypeInContext(context);
}

/* How the numbers of a division are read. The quotient is read as the dividend is. */
struct reading {
  bool dividend_signed, divisor_signed;
};

/* Of signed numbers, processors before AVX-512 convert four at a time in one instruction, where unsigned ones
 * take six. */
static struct reading read(const struct kl_inst *division) {
  const bool is_signed_one = is_signed(division->op);
  return (struct reading){is_signed_one || division->sub == KL_POSITIVE, is_signed_one};
}

static LLVMValueRef to_real(LLVMBuilderRef b, bool is_signed, LLVMValueRef x, LLVMTypeRef real) {
  return is_signed ? LLVMBuildSIToFP(b, x, real, "") : LLVMBuildUIToFP(b, x, real, "");
}

static LLVMValueRef to_integer(LLVMBuilderRef b, bool is_signed, LLVMValueRef x, LLVMTypeRef type) {
  return is_signed ? LLVMBuildFPToSI(b, x, type, "") : LLVMBuildFPToUI(b, x, type, "");
}

/* The quotient in a format with 8 bits more than the dividend has, rounded to nearest, never crosses the
 * integer above: it is at least 1/y away, and the rounding moves it by less. */
static LLVMValueRef divide_each(struct kl_lanes *l, struct reading r, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef real = kiln_lanes_type(l, real_of(l, x));
  LLVMValueRef dividend = to_real(b, r.dividend_signed, x, real),
               divisor = to_real(b, r.divisor_signed, y, real);
  return to_integer(b, r.dividend_signed, LLVMBuildFDiv(b, dividend, divisor, ""), LLVMTypeOf(x));
}

/* A multiplication with a little more than 1/y, by more than the two roundings take away: no quotient falls
 * below an integer that it should reach, and none reaches the next one, as it is x times that little away
 * from what it should be, which is less than 1/y. */
static LLVMValueRef divide_by_one(struct kl_lanes *l, struct reading r, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef real = real_of(l, x);
  LLVMValueRef above = LLVMConstReal(real, is_short(x) ? 1 + 0x1p-22 : 1 + 0x1p-50);
  LLVMValueRef per = kiln_lanes_splat(l, LLVMBuildFDiv(b, above, to_real(b, r.divisor_signed, y, real), ""));
  LLVMValueRef product = LLVMBuildFMul(b, to_real(b, r.dividend_signed, x, LLVMTypeOf(per)), per, "");
  return to_integer(b, r.dividend_signed, product, LLVMTypeOf(x));
}

static LLVMValueRef divide_narrow(struct kl_lanes *l, const struct kl_inst *division, LLVMValueRef x,
                                  LLVMValueRef y) {
  LLVMValueRef one = kiln_splatted(y);
  const struct reading r = read(division);
  const unsigned op = division->op;
  LLVMValueRef quotient = one != NULL ? divide_by_one(l, r, x, one) : divide_each(l, r, x, y);
  if (op == LLVMUDiv || op == LLVMSDiv) return quotient;
  return LLVMBuildSub(l->e->b, x, LLVMBuildMul(l->e->b, quotient, y, ""), "");
}

/* ---- 64 bits, unsigned ---- */

/* A little less than 1/y: by more than the five roundings on the way to a product with it add up to, and by
 * less than 2^-49 of it with them, so that no estimate is above the quotient, nor far below it. */
static LLVMValueRef reciprocal(struct kl_lanes *l, LLVMValueRef y) {
  LLVMTypeRef real = LLVMDoubleTypeInContext(l->e->env->context);
  LLVMValueRef below = kiln_lanes_splat(l, LLVMConstReal(real, 1 - 0x1p-50));
  return LLVMBuildFDiv(l->e->b, below, LLVMBuildUIToFP(l->e->b, y, kiln_lanes_type(l, real), ""), "");
}

static LLVMValueRef estimate(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef reciprocal) {
  LLVMValueRef product = LLVMBuildFMul(b, LLVMBuildUIToFP(b, x, LLVMTypeOf(reciprocal), ""), reciprocal, "");
  return LLVMBuildFPToUI(b, product, LLVMTypeOf(x), "");
}

/* After a first estimate less than 2^16 times y is left, after a second one less than twice y. */
static LLVMValueRef divide_unsigned(struct kl_lanes *l, bool remainder, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef per = reciprocal(l, y), quotient[2], rest = x;
  for (unsigned k = 0; k < 2; k++) {
    quotient[k] = estimate(b, rest, per);
    rest = LLVMBuildSub(b, rest, LLVMBuildMul(b, quotient[k], y, ""), "");
  }
  LLVMValueRef once_more = LLVMBuildICmp(b, LLVMIntUGE, rest, y, "");
  if (remainder) return LLVMBuildSelect(b, once_more, LLVMBuildSub(b, rest, y, ""), rest, "");
  LLVMValueRef sum = LLVMBuildAdd(b, quotient[0], quotient[1], "");
  return LLVMBuildAdd(b, sum, LLVMBuildZExt(b, once_more, LLVMTypeOf(x), ""), "");
}

/* ---- 64 bits ---- */

static LLVMValueRef is_negative(LLVMBuilderRef b, LLVMValueRef x) {
  return LLVMBuildICmp(b, LLVMIntSLT, x, LLVMConstNull(LLVMTypeOf(x)), "");
}

static LLVMValueRef negate_where(LLVMBuilderRef b, LLVMValueRef condition, LLVMValueRef x) {
  return LLVMBuildSelect(b, condition, LLVMBuildNeg(b, x, ""), x, "");
}

/* As magnitudes; a remainder has the dividend's sign. */
static LLVMValueRef divide_wide(struct kl_lanes *l, LLVMOpcode op, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = l->e->b;
  const bool remainder = op == LLVMURem || op == LLVMSRem;
  if (!is_signed(op)) return divide_unsigned(l, remainder, x, y);
  LLVMValueRef nx = is_negative(b, x), ny = is_negative(b, y);
  LLVMValueRef made = divide_unsigned(l, remainder, negate_where(b, nx, x), negate_where(b, ny, y));
  return negate_where(b, remainder ? nx : LLVMBuildXor(b, nx, ny, ""), made);
}

/* ---- small numbers by constants ---- */

enum { MOST_STEPS = 8, UNKNOWN = -1 };

static int64_t constant_of(LLVMValueRef v) {
  LLVMValueRef one = LLVMIsConstant(v) ? LLVMGetAggregateElement(v, 0) : NULL;
  if (one == NULL || LLVMIsAConstantInt(one) == NULL) return UNKNOWN;
  for (unsigned k = 1; k < LLVMGetVectorSize(LLVMTypeOf(v)); k++)
    if (LLVMGetAggregateElement(v, k) != one) return UNKNOWN;
  return LLVMConstIntGetSExtValue(one);
}

/* No lane of v, of 32 bits, is negative or more than this; UNKNOWN. */
static int64_t most_of(LLVMValueRef v, int steps) {
  int64_t a, b, c = constant_of(v);
  if (c >= 0) return c;
  if (steps == 0 || LLVMIsAInstruction(v) == NULL) return UNKNOWN;
  LLVMOpcode op = LLVMGetInstructionOpcode(v);
  if (op == LLVMZExt) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(v, 0))));
    return bits <= 16 ? ((int64_t)1 << bits) - 1 : UNKNOWN;
  }
  if (op != LLVMAdd && op != LLVMMul) return UNKNOWN;
  a = most_of(LLVMGetOperand(v, 0), steps - 1);
  b = a == UNKNOWN ? UNKNOWN : most_of(LLVMGetOperand(v, 1), steps - 1);
  if (b == UNKNOWN) return UNKNOWN;
  int64_t most = op == LLVMAdd ? a + b : a * b;
  return most <= INT32_MAX ? most : UNKNOWN;
}

/* x / d for x up to most as (x * factor) >> shift, in 32 bits. factor is above 2^shift / d by excess / d,
 * which tells as long as x * excess stays below 2^shift (Granlund and Montgomery, "Division by Invariant
 * Integers using Multiplication"). */
static bool find_factor(int64_t most, int64_t d, int64_t *factor, unsigned *shift) {
  for (*shift = 1; *shift < 31; ++*shift) {
    int64_t power = (int64_t)1 << *shift;
    *factor = power / d + 1;
    if (most * *factor > INT32_MAX) return false;
    if (most * (*factor * d - power) < power) return true;
  }
  return false;
}

/* NULL: not known to be small. Bytes and sums of them take one multiplication of half words. */
static LLVMValueRef divide_small(struct kl_lanes *l, LLVMOpcode op, LLVMValueRef x, LLVMValueRef y) {
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(x));
  int64_t d = constant_of(y), most, factor;
  unsigned shift;
  if (LLVMGetIntTypeWidth(element) != 32 || d < 3 || (d & (d - 1)) == 0) return NULL;
  most = most_of(x, MOST_STEPS);
  if (most == UNKNOWN || !find_factor(most, d, &factor, &shift)) return NULL;
  LLVMBuilderRef b = l->e->b;
  LLVMValueRef by = kiln_lanes_splat(l, LLVMConstInt(element, (uint64_t)factor, false));
  LLVMValueRef quotient = LLVMBuildLShr(b, LLVMBuildMul(b, x, by, ""),
                                        kiln_lanes_splat(l, LLVMConstInt(element, shift, false)), "");
  if (op == LLVMUDiv || op == LLVMSDiv) return quotient;
  return LLVMBuildSub(b, x, LLVMBuildMul(b, quotient, y, ""), "");
}

/* Of these LLVM knows a better form. */
static bool is_easy(LLVMValueRef y) {
  if (!LLVMIsConstant(y)) return false;
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(y));
  LLVMValueRef one = LLVMGetAggregateElement(y, 0);
  if (LLVMGetIntTypeWidth(element) < 64 || one == NULL || !LLVMIsAConstantInt(one)) return true;
  int64_t d = LLVMConstIntGetSExtValue(one);
  uint64_t magnitude = d < 0 ? -(uint64_t)d : (uint64_t)d;
  return (magnitude & (magnitude - 1)) == 0;
}

static unsigned guard_kind(LLVMContextRef context) {
  return LLVMGetMDKindIDInContext(context, "kiln.guard", 10);
}

/* Guards against division by zero hold for the lanes that are on only. One divisor for all does no harm to
 * those that are off, as it is divided by as a floating-point number. */
static LLVMValueRef guard_lanes(struct kl_lanes *l, LLVMValueRef y) {
  LLVMValueRef mask = kiln_lanes_mask(l);
  LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(y));
  const bool is_shared = kiln_splatted(y) != NULL && kiln_lanes_divides_as_real(type, l->e->program->native);
  if (LLVMIsConstant(y) || kiln_lanes_is_full(mask) || is_shared) return y;
  LLVMValueRef guarded =
      LLVMBuildSelect(l->e->b, mask, y, kiln_lanes_splat(l, LLVMConstInt(type, 1, false)), "");
  LLVMContextRef context = l->e->env->context;
  if (LLVMIsAInstruction(guarded) != NULL)
    LLVMSetMetadata(guarded, guard_kind(context),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
  return guarded;
}

bool kiln_lanes_is_guard(LLVMValueRef v) {
  return LLVMIsASelectInst(v) != NULL &&
         LLVMGetMetadata(v, guard_kind(LLVMGetTypeContext(LLVMTypeOf(v)))) != NULL;
}

uint32_t kiln_lanes_shared_divisor(const struct kl_func *f, const struct kl_shapes *shapes, uint32_t i) {
  const uint32_t divisor = kl_operand(f, i, 1);
  if (shapes->of[divisor].kind == KL_UNIFORM) return divisor;
  if (f->inst[divisor].op != LLVMSelect || !kiln_spmd_is_guarded(f->inst[i].v)) return KL_NONE;
  const uint32_t guarded = kl_operand(f, divisor, 2);
  return shapes->of[guarded].kind == KL_UNIFORM ? guarded : KL_NONE;
}

LLVMValueRef kiln_lanes_divide(struct kl_lanes *l, uint32_t i, uint32_t k) {
  const struct kl_inst *division = &l->e->f->inst[i];
  const LLVMOpcode op = (LLVMOpcode)division->op;
  const uint32_t divisor = kl_operand(l->e->f, i, 1),
                 shared = kiln_lanes_shared_divisor(l->e->f, l->shapes, i);
  LLVMValueRef x = kiln_lanes_part(l, kl_operand(l->e->f, i, 0), k);
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(x));
  const bool is_narrow = LLVMGetIntTypeWidth(element) <= 32,
             as_real = kiln_lanes_divides_as_real(element, l->e->program->native);
  /* Without its guard, which may differ from lane to lane; floating-point numbers need none. Where a barrier
   * lies between the two, what is guarded may not have been kept. */
  if (shared != KL_NONE && shared != divisor && as_real && is_narrow && kiln_emit_has(l->e, shared))
    return LLVMBuildFreeze(l->e->b, divide_narrow(l, division, x, kiln_lanes_part(l, shared, k)), "");
  LLVMValueRef y = kiln_lanes_part(l, divisor, k), small = divide_small(l, op, x, y);
  if (small != NULL) return small;
  y = guard_lanes(l, y);
  if (is_easy(y) || !as_real) return LLVMBuildBinOp(l->e->b, kl_plain_division(division), x, y, "");
  return is_narrow ? divide_narrow(l, division, x, y) : divide_wide(l, op, x, y);
}
