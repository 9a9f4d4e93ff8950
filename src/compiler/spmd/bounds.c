/* Bounds of integers as unsigned numbers, in one pass over the instructions; see bounds.h. */
#include "compiler/spmd/bounds.h"

#include "compiler/spmd/loop_blocks.h"

enum { MOST_DEPTH = 4 }; /* of sums */

struct bound {
  uint64_t most;  /* as an unsigned number; UINT64_MAX: of no integer */
  unsigned zeros; /* low bits known to be 0 */
};

struct finder {
  struct kl_func *f;
  const struct kiln_spec *spec;
  const struct kiln_kernel_info *info;
  struct bound *of; /* by instruction */
  uint32_t now;     /* those before are known */
};

/* ---- types ---- */

static unsigned bits_of(LLVMValueRef v) {
  LLVMTypeRef type = LLVMTypeOf(v);
  unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
  return bits <= 64 ? bits : 0;
}

static uint64_t largest(unsigned bits) { return bits == 0 ? UINT64_MAX : UINT64_MAX >> (64 - bits); }

static bool is_positive(uint64_t most, unsigned bits) { return most <= largest(bits) >> 1; }

static struct bound any(unsigned bits) { return (struct bound){largest(bits), 0}; }

/* ---- operands ---- */

static struct bound of_constant(LLVMValueRef v) {
  if (!LLVMIsAConstantInt(v) || bits_of(v) == 0) return any(bits_of(v));
  uint64_t x = LLVMConstIntGetZExtValue(v);
  return (struct bound){x, x == 0 ? bits_of(v) : (unsigned)__builtin_ctzll(x)};
}

static struct bound operand(const struct finder *b, uint32_t i, uint32_t k) {
  uint32_t v = kl_operand(b->f, i, k);
  if (b->f->inst[v].op == KL_CONST) return of_constant(b->f->inst[v].v);
  return v < b->now ? b->of[v] : any(bits_of(b->f->inst[v].v));
}

/* ---- ids ---- */

/* Less than twice what the launch is below: rows and vectors that reach beyond its end are shorter than it.
 * Any number where it is below none. */
static uint64_t most_ids(const struct kiln_spec *spec) { return 2 * kiln_small(spec->small).ids - 1; }

/* Argument i of the kernel, of which info, if there is any, tells what launches look at. */
static struct bound of_argument(const struct finder *b, uint32_t i) {
  struct bound made = any(bits_of(b->f->inst[i].v));
  const uint32_t small = b->spec->small, integer = b->info == NULL ? 0 : b->info->args[i].integer;
  if (integer == KILN_ARG_FACTOR || (integer != 0 && small == KILN_SMALL_IMAGE))
    made.most = kiln_small(small).integers - 1;
  return made;
}

enum { MOST_LOCAL = 1 << 20 /* beyond any group's size, and as much again */ };

static uint64_t size_of(const struct finder *b, uint32_t i) {
  LLVMValueRef dimension = b->f->inst[kl_operand(b->f, i, 0)].v;
  if (!LLVMIsAConstantInt(dimension) || LLVMConstIntGetZExtValue(dimension) > 2) return 0;
  return b->spec->local_size[LLVMConstIntGetZExtValue(dimension)];
}

static uint64_t most_of_query(const struct finder *b, uint32_t i) {
  uint64_t ids = most_ids(b->spec), size;
  switch (b->f->inst[i].sub) {
  case KL_Q_GLOBAL_ID:
  case KL_Q_GLOBAL_SIZE:
  case KL_Q_GLOBAL_OFFSET:
    return ids;
  case KL_Q_GROUP_ID:
  case KL_Q_NUM_GROUPS:
    size = size_of(b, i);
    return size == 0 ? ids : ids / size + 1;
  case KL_Q_LOCAL_ID:
  case KL_Q_LOCAL_SIZE:
  case KL_Q_ENQUEUED_LOCAL_SIZE:
  case KL_Q_LOCAL_LINEAR_ID:
  case KL_Q_SUB_GROUP_ID:
  case KL_Q_SUB_GROUP_LOCAL_ID:
  case KL_Q_SUB_GROUP_SIZE:
  case KL_Q_MAX_SUB_GROUP_SIZE:
  case KL_Q_NUM_SUB_GROUPS:
  case KL_Q_ENQUEUED_NUM_SUB_GROUPS:
    return MOST_LOCAL;
  case KL_Q_WORK_DIM:
    return 3;
  default:
    return UINT64_MAX;
  }
}

static struct bound of_query(const struct finder *b, uint32_t i) {
  struct bound made = any(bits_of(b->f->inst[i].v));
  uint64_t most = most_of_query(b, i);
  if (most < made.most) made.most = most;
  return made;
}

/* ---- one instruction: its bound, and marks on it ---- */

static void mark(LLVMValueRef v, uint64_t most) {
  LLVMSetNUW(v, true);
  if (is_positive(most, bits_of(v))) LLVMSetNSW(v, true);
}

/* x's low bits have room for y: x + y is x | y. */
static bool has_room(struct bound x, struct bound y) { return x.zeros < 64 && y.most >> x.zeros == 0; }

static unsigned lesser(unsigned x, unsigned y) { return x < y ? x : y; }

static struct bound of_sum(struct bound x, struct bound y, LLVMValueRef v) {
  struct bound made = {0, lesser(x.zeros, y.zeros)};
  bool fits = !__builtin_add_overflow(x.most, y.most, &made.most) && made.most <= largest(bits_of(v));
  bool joined = has_room(x, y) || has_room(y, x);
  if (fits) mark(v, made.most);
  else made.most = largest(bits_of(v));
  if (!joined) return made;
  LLVMSetNUW(v, true);
  LLVMSetNSW(v, true);
  return made;
}

static struct bound of_difference(struct bound x, struct bound y, LLVMValueRef v) {
  unsigned bits = bits_of(v);
  if (is_positive(x.most, bits) && is_positive(y.most, bits)) LLVMSetNSW(v, true);
  return (struct bound){LLVMGetNUW(v) ? x.most : largest(bits), lesser(x.zeros, y.zeros)};
}

static struct bound of_product(struct bound x, struct bound y, LLVMValueRef v) {
  unsigned bits = bits_of(v);
  struct bound made = {0, lesser(x.zeros + y.zeros, bits)};
  bool fits = !__builtin_mul_overflow(x.most, y.most, &made.most) && made.most <= largest(bits);
  if (fits) mark(v, made.most);
  else made.most = largest(bits);
  return made;
}

static struct bound power(struct bound places, unsigned bits) {
  if (places.most >= bits) return any(bits);
  return (struct bound){(uint64_t)1 << places.most, 0};
}

static struct bound of_left_shift(const struct finder *b, uint32_t i, LLVMValueRef v) {
  LLVMValueRef places = b->f->inst[kl_operand(b->f, i, 1)].v;
  struct bound factor = power(operand(b, i, 1), bits_of(v));
  if (LLVMIsAConstantInt(places) && factor.most != 0) factor.zeros = (unsigned)__builtin_ctzll(factor.most);
  return of_product(operand(b, i, 0), factor, v);
}

static struct bound of_right_shift(struct bound x, LLVMValueRef places, unsigned bits) {
  uint64_t by = LLVMIsAConstantInt(places) ? LLVMConstIntGetZExtValue(places) : 0;
  if (by >= bits) return any(bits);
  return (struct bound){x.most >> by, x.zeros > by ? x.zeros - (unsigned)by : 0};
}

/* All bits below the highest one. */
static uint64_t filled(uint64_t x) { return x == 0 ? 0 : UINT64_MAX >> __builtin_clzll(x); }

static struct bound of_bits(LLVMOpcode op, struct bound x, struct bound y) {
  unsigned fewer = lesser(x.zeros, y.zeros), more = x.zeros > y.zeros ? x.zeros : y.zeros;
  if (op == LLVMAnd) return (struct bound){x.most < y.most ? x.most : y.most, more};
  return (struct bound){filled(x.most | y.most), fewer};
}

static struct bound of_truncation(struct bound x, LLVMValueRef v) {
  struct bound made = {largest(bits_of(v)), lesser(x.zeros, bits_of(v))};
  if (x.most > made.most) return made;
  mark(v, x.most);
  made.most = x.most;
  return made;
}

static struct bound of_extension(struct bound x, LLVMValueRef v, bool is_signed) {
  unsigned from = bits_of(LLVMGetOperand(v, 0));
  bool positive = is_positive(x.most, from);
  if (!is_signed && positive) LLVMSetNNeg(v, true);
  return is_signed && !positive ? (struct bound){largest(bits_of(v)), x.zeros} : x;
}

/* Signed numbers are bounded where neither is negative: as unsigned ones are. */
static struct bound of_division(struct kl_inst *inst, struct bound x, struct bound y, unsigned bits) {
  const bool is_signed = inst->op == LLVMSDiv || inst->op == LLVMSRem,
             positive = is_positive(x.most, bits) && (!is_signed || is_positive(y.most, bits));
  if (positive) inst->sub = KL_POSITIVE;
  if (is_signed && !positive) return any(bits);
  const bool is_remainder = inst->op == LLVMURem || inst->op == LLVMSRem;
  return (struct bound){is_remainder && y.most != 0 && y.most - 1 < x.most ? y.most - 1 : x.most, 0};
}

static struct bound either(struct bound x, struct bound y) {
  return (struct bound){x.most > y.most ? x.most : y.most, lesser(x.zeros, y.zeros)};
}

/* The comparison that holds where block `from` goes back to that of the phi; KL_NONE: there is none. */
static uint32_t condition_of(const struct kl_func *f, uint32_t from, uint32_t phi) {
  const uint32_t last = kl_last_of(f, from);
  LLVMValueRef holds = kiln_condition_for(f->inst[last].v, LLVMGetInstructionParent(f->inst[phi].v));
  return holds != NULL && LLVMIsAICmpInst(holds) ? kl_operand(f, last, 0) : KL_NONE;
}

/* i is x plus a positive number. */
static bool is_further(const struct kl_func *f, uint32_t i, uint32_t x) {
  if (f->inst[i].op != LLVMAdd || kl_operand(f, i, 0) != x) return false;
  LLVMValueRef step = f->inst[kl_operand(f, i, 1)].v;
  return LLVMIsAConstantInt(step) && LLVMConstIntGetSExtValue(step) > 0;
}

/* The phi's operand k is counted up by a loop whose last block goes back only after this comparison with an
 * end; KL_NONE: it is not. */
static uint32_t test_of_counter(const struct kl_func *f, uint32_t phi, uint32_t k) {
  const uint32_t next = kl_operand(f, phi, k), test = condition_of(f, kl_operand(f, phi, k + 1), phi);
  return test != KL_NONE && kl_operand(f, test, 0) == next && is_further(f, next, phi) ? test : KL_NONE;
}

static struct bound of_counter(const struct finder *b, uint32_t phi, uint32_t k, struct bound start) {
  const struct kl_func *f = b->f;
  const uint32_t next = kl_operand(f, phi, k), test = test_of_counter(f, phi, k);
  const unsigned bits = bits_of(f->inst[phi].v);
  if (bits == 0 || test == KL_NONE) return any(bits);
  const struct bound end = operand(b, test, 1);
  const LLVMIntPredicate p = LLVMGetICmpPredicate(f->inst[test].v);
  const bool rises =
      LLVMGetNSW(f->inst[next].v) && is_positive(start.most, bits) && is_positive(end.most, bits);
  if (end.most == 0 || !(p == LLVMIntULT || (p == LLVMIntSLT && rises))) return any(bits);
  return (struct bound){end.most - 1, 0};
}

/* The phi's operand k comes round a loop. */
static bool is_carried(const struct finder *b, uint32_t phi, uint32_t k) {
  const uint32_t v = kl_operand(b->f, phi, k);
  return v >= b->now && b->f->inst[v].op != KL_CONST;
}

static struct bound of_phi(const struct finder *b, uint32_t i) {
  const uint32_t n = b->f->inst[i].nops;
  struct bound made = {0, bits_of(b->f->inst[i].v)};
  for (uint32_t k = 0; k < n; k += 2)
    if (!is_carried(b, i, k)) made = either(made, operand(b, i, k));
  for (uint32_t k = 0; k < n; k += 2)
    if (is_carried(b, i, k)) made = either(made, of_counter(b, i, k, made));
  return made;
}

static struct bound find(const struct finder *b, uint32_t i) {
  struct kl_inst *inst = &b->f->inst[i];
  unsigned bits = bits_of(inst->v);
  if (bits == 0) return any(0);
  switch (inst->op) {
  case KL_QUERY:
    return of_query(b, i);
  case LLVMAdd:
    return of_sum(operand(b, i, 0), operand(b, i, 1), inst->v);
  case LLVMSub:
    return of_difference(operand(b, i, 0), operand(b, i, 1), inst->v);
  case LLVMMul:
    return of_product(operand(b, i, 0), operand(b, i, 1), inst->v);
  case LLVMShl:
    return of_left_shift(b, i, inst->v);
  case LLVMLShr:
    return of_right_shift(operand(b, i, 0), b->f->inst[kl_operand(b->f, i, 1)].v, bits);
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
    return of_bits((LLVMOpcode)inst->op, operand(b, i, 0), operand(b, i, 1));
  case LLVMUDiv:
  case LLVMURem:
  case LLVMSDiv:
  case LLVMSRem:
    return of_division(inst, operand(b, i, 0), operand(b, i, 1), bits);
  case LLVMTrunc:
    return of_truncation(operand(b, i, 0), inst->v);
  case LLVMZExt:
  case LLVMSExt:
    return of_extension(operand(b, i, 0), inst->v, inst->op == LLVMSExt);
  case LLVMSelect:
    return either(operand(b, i, 1), operand(b, i, 2));
  case LLVMPHI:
    return of_phi(b, i);
  default: /* LLVMFreeze, too: what it freezes may have been poison */
    return any(bits);
  }
}

void kiln_bounds_mark(struct kl_env *env, struct kl_func *f, const struct kiln_spec *spec,
                      const struct kiln_kernel_info *info) {
  struct finder b = {.f = f, .spec = spec, .info = info, .of = kl_new(env, f->ninst, struct bound)};
  for (uint32_t i = 0; i < f->ninst; i++) {
    b.now = i;
    b.of[i] = i < f->narg ? of_argument(&b, i) : find(&b, i);
  }
}

/* ---- factors ---- */

/* The argument by which a product differs from one work-item to the next, but for wraps; KL_NONE: i is no
 * such product. */
static uint32_t factor_of(const struct kl_func *f, uint32_t i) {
  if (f->inst[i].op != LLVMMul || LLVMGetNUW(f->inst[i].v) || LLVMGetNSW(f->inst[i].v)) return KL_NONE;
  const uint32_t x = kl_operand(f, i, 0), y = kl_operand(f, i, 1);
  if (x >= f->ninst || y >= f->ninst || (x < f->narg) == (y < f->narg)) return KL_NONE;
  return x < f->narg ? x : y;
}

/* v, if it is an argument, or the one that ends a counter. */
static void note(struct kiln_kernel_info *info, const struct kl_func *f, uint32_t v) {
  if (v < f->narg && info->args[v].integer != 0) info->args[v].integer = KILN_ARG_FACTOR;
  for (uint32_t k = 0; f->inst[v].op == LLVMPHI && k < f->inst[v].nops; k += 2) {
    const uint32_t test = test_of_counter(f, v, k);
    if (test != KL_NONE && kl_operand(f, test, 1) < f->narg) note(info, f, kl_operand(f, test, 1));
  }
}

/* i is such a product, or a sum with one, to which arguments may be added, too. */
static bool note_factors(const struct kl_func *f, uint32_t i, struct kiln_kernel_info *info, unsigned depth) {
  if (i < f->narg || i >= f->ninst) return false;
  const uint32_t factor = factor_of(f, i);
  if (factor != KL_NONE) {
    note(info, f, factor);
    return true;
  }
  if (f->inst[i].op != LLVMAdd || depth == MOST_DEPTH) return false;
  bool has_product = false;
  for (uint32_t k = 0; k < 2; k++) has_product |= note_factors(f, kl_operand(f, i, k), info, depth + 1);
  for (uint32_t k = 0; k < 2 && has_product; k++) note(info, f, kl_operand(f, i, k));
  return has_product;
}

void kiln_bounds_note_factors(const struct kl_func *f, struct kiln_kernel_info *info) {
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (f->inst[i].op == LLVMZExt && bits_of(LLVMGetOperand(f->inst[i].v, 0)) == 32)
      note_factors(f, kl_operand(f, i, 0), info, 0);
}
