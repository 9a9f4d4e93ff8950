/* Recognises loops along rows; see row_loop.h. Must not know lanes, nor what anything costs. */
#include "compiler/spmd/row_loop.h"

#include "compiler/spmd/address.h"
#include "compiler/spmd/map.h"
#include "compiler/spmd/op_cost.h"
#include "compiler/value.h"

#include <string.h>

#define NO_STEP INT64_MIN

enum {
  MOST_DEPTH = 8, /* of operations between a counter and an address */
  MOST_TIMES = 16 /* a factor, or bits of a shift; no row goes by more */
};

struct row_loop {
  const struct kl_lane_costs *in;
  const struct kl_func *f;
  uint32_t block;
  const struct kiln_loops *loops; /* the innermost one around the block is meant */
  uint32_t each;                  /* elements of a row that a turn takes at most */
  bool reals;                     /* sums of such are carried */
};

static bool holds(const struct row_loop *r, uint32_t block) {
  return block == r->block ||
         (block != KL_NONE && kiln_loops_contain(r->loops, r->loops->of[r->block], block));
}

static bool is_inside(const struct row_loop *r, uint32_t v) {
  return v >= r->f->narg && v < r->f->ninst && holds(r, r->f->inst[v].bb);
}

static int64_t step_of(const struct row_loop *r, uint32_t v, int depth);

/* What a phi of the loop's first block is in the next turn. */
static uint32_t next_of(const struct row_loop *r, uint32_t phi) {
  const uint32_t loop = r->loops->of[r->block];
  return loop == KL_NONE ? KL_NONE : kl_phi_input(r->f, phi, kiln_loops_latch(r->loops, &r->f->graph, loop));
}

static int64_t step_of_phi(const struct row_loop *r, uint32_t phi) {
  const uint32_t next = next_of(r, phi);
  if (next == KL_NONE || !is_inside(r, next) || kl_operand(r->f, next, 0) != phi) return NO_STEP;
  const struct kl_inst *inst = &r->f->inst[next];
  LLVMValueRef by = inst->nops == 2 ? LLVMGetOperand(inst->v, 1) : NULL;
  int64_t step = NO_STEP;
  if (by == NULL || LLVMIsAConstantInt(by) == NULL) return NO_STEP;
  if (inst->op == LLVMAdd) step = LLVMConstIntGetSExtValue(by);
  else if (inst->op == LLVMGetElementPtr) kiln_gep_offset(r->in->env->layout, inst->v, &step);
  return step != 0 ? step : NO_STEP;
}

static int64_t sum_of(int64_t a, int64_t b) { return a == NO_STEP || b == NO_STEP ? NO_STEP : a + b; }

static int64_t times(int64_t step, int64_t n) { return step == NO_STEP ? NO_STEP : step * n; }

/* Of what the address points to first, then of one element of that after the other. */
static int64_t step_of_address(const struct row_loop *r, uint32_t gep, int depth) {
  const struct kl_inst *inst = &r->f->inst[gep];
  LLVMTypeRef type = LLVMGetGEPSourceElementType(inst->v);
  int64_t step = step_of(r, kl_operand(r->f, gep, 0), depth - 1);
  for (uint32_t k = 1; k < inst->nops && step != NO_STEP; k++) {
    if (k > 1) type = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetElementType(type) : NULL;
    if (type == NULL) return NO_STEP;
    const int64_t size = (int64_t)kiln_map_size(r->in->map, kiln_map_type(r->in->map, type));
    step = sum_of(step, times(step_of(r, kl_operand(r->f, gep, k), depth - 1), size));
  }
  return step;
}

/* It is computed of what stays. */
static bool stays(const struct row_loop *r, uint32_t v, int depth) {
  if (r->f->inst[v].op == LLVMLoad) return false;
  for (uint32_t k = 0; k < r->f->inst[v].nops; k++)
    if (step_of(r, kl_operand(r->f, v, k), depth - 1) != 0) return false;
  return true;
}

/* Times a constant. */
static int64_t step_of_product(const struct row_loop *r, uint32_t v, int depth) {
  const struct kl_inst *inst = &r->f->inst[v];
  LLVMValueRef by = LLVMGetOperand(inst->v, 1);
  const int64_t step = step_of(r, kl_operand(r->f, v, 0), depth - 1);
  if (step == NO_STEP || step == 0 || LLVMIsAConstantInt(by) == NULL) return stays(r, v, depth) ? 0 : NO_STEP;
  const uint64_t factor = LLVMConstIntGetZExtValue(by);
  if (factor > MOST_TIMES) return NO_STEP;
  return times(step, inst->op == LLVMShl ? INT64_C(1) << factor : (int64_t)factor);
}

/* By how much v grows in a turn, or shrinks, addresses in bytes; 0: it stays. */
static int64_t step_of(const struct row_loop *r, uint32_t v, int depth) {
  if (!is_inside(r, v)) return 0;
  if (depth == 0) return NO_STEP;
  switch (r->f->inst[v].op) {
  case LLVMPHI:
    return step_of_phi(r, v);
  case LLVMShl:
  case LLVMMul:
    return step_of_product(r, v, depth);
  case LLVMAdd:
    return sum_of(step_of(r, kl_operand(r->f, v, 0), depth - 1),
                  step_of(r, kl_operand(r->f, v, 1), depth - 1));
  case LLVMSub:
    return sum_of(step_of(r, kl_operand(r->f, v, 0), depth - 1),
                  times(step_of(r, kl_operand(r->f, v, 1), depth - 1), -1));
  case LLVMSExt:
  case LLVMZExt:
  case LLVMTrunc:
    return step_of(r, kl_operand(r->f, v, 0), depth - 1);
  case LLVMGetElementPtr:
    return step_of_address(r, v, depth);
  default:
    return stays(r, v, depth) ? 0 : NO_STEP;
  }
}

/* An operation that has no instruction in LLVM's language. */
static bool is_intrinsic(const struct kl_inst *inst) {
  LLVMValueRef fn = inst->op == LLVMCall ? kiln_func_resolve(LLVMGetCalledValue(inst->v)) : NULL;
  return fn != NULL && LLVMGetIntrinsicID(fn) != 0 && kiln_call_is_pure(inst->v);
}

/* One of the first n of these intrinsics. */
static bool is_one_of(const struct kl_inst *inst, unsigned n) {
  static const char *const names[] = {"llvm.umax", "llvm.umin", "llvm.smax",
                                      "llvm.smin", "llvm.abs",  "llvm.ctpop"};
  if (!is_intrinsic(inst)) return false;
  const unsigned id = LLVMGetIntrinsicID(kiln_func_resolve(LLVMGetCalledValue(inst->v)));
  for (unsigned k = 0; k < n; k++)
    if (id == LLVMLookupIntrinsicID(names[k], strlen(names[k]))) return true;
  return false;
}

/* The larger or smaller one of two integers. */
static bool is_extreme(const struct kl_inst *inst) { return is_one_of(inst, 4); }

/* A few instructions for a vector of integers. */
static bool is_short(const struct kl_inst *inst) { return is_one_of(inst, 6); }

/* Sums of reals are put together in another order where the program allows it. */
static bool may_be_reordered(const struct kl_inst *inst) {
  return (LLVMGetFastMathFlags(inst->v) & LLVMFastMathAllowReassoc) != 0;
}

/* phi op x, where the order of the operations does not matter. */
static bool adds_to(const struct row_loop *r, uint32_t v, uint32_t phi) {
  if (!is_inside(r, v)) return false;
  switch (r->f->inst[v].op) {
  case LLVMFSub:
    return may_be_reordered(&r->f->inst[v]) && kl_operand(r->f, v, 0) == phi;
  case LLVMFAdd:
  case LLVMFMul:
    if (!may_be_reordered(&r->f->inst[v])) return false;
    return kl_operand(r->f, v, 0) == phi || kl_operand(r->f, v, 1) == phi;
  case LLVMCall:
    if (!is_extreme(&r->f->inst[v])) return false;
    /* fallthrough */
  case LLVMAdd:
  case LLVMMul:
  case LLVMXor:
  case LLVMOr:
  case LLVMAnd:
    return kl_operand(r->f, v, 0) == phi || kl_operand(r->f, v, 1) == phi;
  default:
    return false;
  }
}

/* The loop uses v for a and b only: sums that are looked at in every turn are made one by one. */
static bool is_for(const struct row_loop *r, uint32_t v, uint32_t a, uint32_t b) {
  const struct kl_uses *uses = r->in->uses;
  for (uint32_t u = uses->first[v]; u < uses->first[v + 1]; u++)
    if (is_inside(r, uses->at[u]) && uses->at[u] != a && uses->at[u] != b) return false;
  return true;
}

/* Of which LLVM makes sums in vectors. */
static bool is_number(LLVMTypeRef type) {
  const LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

/* A counter, what the turn before has loaded, or a sum, perhaps of those that a condition picks. */
static bool is_carried_well(struct row_loop *r, uint32_t phi) {
  uint32_t next = next_of(r, phi);
  if (step_of_phi(r, phi) != NO_STEP) return true;
  if (next != KL_NONE && is_inside(r, next) && r->f->inst[next].op == LLVMLoad) return true;
  if (!is_number(LLVMTypeOf(r->f->inst[phi].v)) || next == KL_NONE) return false;
  r->reals |= LLVMGetTypeKind(LLVMTypeOf(r->f->inst[phi].v)) != LLVMIntegerTypeKind;
  if (adds_to(r, next, phi)) return is_for(r, phi, next, next) && is_for(r, next, phi, phi);
  if (!is_inside(r, next) || r->f->inst[next].op != LLVMSelect) return false;
  const uint32_t yes = kl_operand(r->f, next, 1), no = kl_operand(r->f, next, 2), sum = yes == phi ? no : yes;
  return (yes == phi || no == phi) && adds_to(r, sum, phi) && is_for(r, phi, sum, next) &&
         is_for(r, sum, next, next) && is_for(r, next, phi, phi);
}

/* The number of turns is known when the loop begins. */
static bool is_counted(const struct row_loop *r, uint32_t branch) {
  if (r->f->inst[branch].op != LLVMBr || r->f->inst[branch].nops == 0) return false;
  uint32_t condition = kl_operand(r->f, branch, 0);
  if (!is_inside(r, condition) || r->f->inst[condition].op != LLVMICmp) return false;
  int64_t a = step_of(r, kl_operand(r->f, condition, 0), MOST_DEPTH);
  int64_t b = step_of(r, kl_operand(r->f, condition, 1), MOST_DEPTH);
  return a != NO_STEP && b != NO_STEP && (a == 0) != (b == 0);
}

/* What a phi of the block is when the loop begins. */
static uint32_t first_of(const struct row_loop *r, uint32_t phi) {
  for (uint32_t k = 0; k < r->f->inst[phi].nops; k += 2)
    if (!holds(r, kl_operand(r->f, phi, k + 1))) return kl_operand(r->f, phi, k);
  return KL_NONE;
}

/* What the pointer of an access points into, as far as is known. */
static uint32_t array_of(const struct row_loop *r, uint32_t access) {
  uint32_t v = kl_pointer_of(r->f, access);
  for (;;) {
    const unsigned op = r->f->inst[v].op;
    const uint32_t from = op == LLVMGetElementPtr            ? kl_operand(r->f, v, 0)
                          : op == LLVMPHI && is_inside(r, v) ? first_of(r, v)
                                                             : KL_NONE;
    if (from == KL_NONE) return v;
    v = from;
  }
}

static int64_t size_of(const struct row_loop *r, uint32_t access) {
  LLVMTypeRef type = kiln_map_type(r->in->map, LLVMTypeOf(r->f->inst[kl_moved_by(r->f, access)].v));
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? 0 : (int64_t)kiln_map_size(r->in->map, type);
}

/* Elements that the access's row goes on by in a turn, one if it goes back; 0: it goes along none. */
static uint32_t elements_of(const struct row_loop *r, uint32_t access) {
  const int64_t size = size_of(r, access), step = step_of(r, kl_pointer_of(r->f, access), MOST_DEPTH);
  if (size > 0 && step == -size) return 1;
  return size > 0 && (step == size || step == 2 * size || step == 4 * size) ? (uint32_t)(step / size) : 0;
}

/* Another access to the array may be to what the store changes in some turn, as far as is known when the code
 * is made: where they lie apart by a number that it finds out only, it tells them apart. What later turns
 * store may be loaded before. */
static bool may_meet(const struct row_loop *r, uint32_t store, uint32_t other) {
  const uint32_t p = kl_pointer_of(r->f, store), q = kl_pointer_of(r->f, other);
  if (p == q) return false;
  const struct kl_address x = kiln_address_find(r->in->map, r->f, p),
                          y = kiln_address_find(r->in->map, r->f, q);
  if (!kiln_addresses_differ_by_constant(&x, &y)) return false;
  const int64_t step = step_of(r, p, MOST_DEPTH), size = step < 0 ? -step : step,
                ahead = step < 0 ? x.offset - y.offset : y.offset - x.offset;
  if (size_of(r, store) != size_of(r, other) || ahead <= -size) return true;
  return ahead >= size && (r->f->inst[other].op != LLVMLoad || other > store);
}

/* The store's row is no other access's, but for the elements at hand, of which all are stored: those of other
 * arrays are told apart as the code runs. */
static bool has_row_of_its_own(const struct row_loop *r, uint32_t store, uint32_t each) {
  const struct kl_block *b = &r->f->block[r->block];
  uint32_t stores = 0;
  for (uint32_t i = b->first; i < b->first + b->n; i++) {
    if (r->f->inst[i].op != LLVMLoad && r->f->inst[i].op != LLVMStore) continue;
    if (array_of(r, i) != array_of(r, store)) continue;
    if (may_meet(r, store, i)) return false;
    stores += r->f->inst[i].op == LLVMStore;
  }
  return stores == each;
}

/* Private arrays are short, and lanes make more of them than rows. */
static bool is_private(const struct row_loop *r, uint32_t access) {
  return r->f->inst[array_of(r, access)].op == LLVMAlloca;
}

/* The next elements in each turn: *walks; or, where it reads, one that stays. */
static bool is_fit_access(struct row_loop *r, uint32_t i, bool *walks) {
  const bool is_store = r->f->inst[i].op == LLVMStore;
  if (is_private(r, i)) return false;
  const uint32_t each = elements_of(r, i);
  if (size_of(r, i) == 0 || !kiln_is_ordinary(r->f->inst[i].v)) return false;
  *walks |= each != 0;
  if (each > r->each) r->each = each;
  if (is_store) return each != 0 && has_row_of_its_own(r, i, each);
  return each != 0 || step_of(r, kl_pointer_of(r->f, i), MOST_DEPTH) == 0;
}

static bool is_fit(struct row_loop *r, uint32_t i, bool *walks) {
  const struct kl_inst *inst = &r->f->inst[i];
  if (inst->op == LLVMPHI) return is_carried_well(r, i);
  if (inst->op == LLVMLoad || inst->op == LLVMStore) return is_fit_access(r, i, walks);
  return inst->op == LLVMGetElementPtr || inst->op == LLVMBr || inst->op == LLVMSelect ||
         inst->op == LLVMFNeg || inst->op == LLVMICmp || inst->op == LLVMFCmp || is_intrinsic(inst) ||
         LLVMIsACastInst(inst->v) != NULL ||
         (LLVMIsABinaryOperator(inst->v) != NULL && !kl_is_division(inst->op));
}

bool kiln_row_loop_is_counted(const struct kl_lane_costs *in, const struct kiln_loops *loops, uint32_t loop) {
  const struct row_loop r = {.in = in, .f = in->f, .block = loops->header[loop], .loops = loops};
  return kiln_loops_latch(loops, &in->f->graph, loop) == r.block && in->f->block[r.block].barrier == 0 &&
         is_counted(&r, kl_last_of(in->f, r.block));
}

int64_t kiln_row_loop_step(const struct kl_lane_costs *in, const struct kiln_loops *loops, uint32_t access) {
  const struct row_loop r = {.in = in, .f = in->f, .block = in->f->inst[access].bb, .loops = loops};
  return is_private(&r, access) ? 0 : step_of(&r, kl_pointer_of(in->f, access), MOST_DEPTH);
}

enum kl_row_loop kiln_row_loop_find(const struct kl_lane_costs *in, const struct kiln_loops *loops,
                                    uint32_t loop, uint32_t *each_out) {
  struct row_loop r = {.in = in, .f = in->f, .block = loops->header[loop], .loops = loops, .each = 1};
  const struct kl_block *block = &in->f->block[r.block];
  bool walks = false, writes = false, calls = false;
  if (!kiln_row_loop_is_counted(in, loops, loop)) return KL_NO_ROW;
  for (uint32_t i = block->first; i < block->first + block->n; i++) {
    if (in->f->inst[i].v == NULL || !is_fit(&r, i, &walks)) return KL_NO_ROW;
    writes |= in->f->inst[i].op == LLVMStore;
    calls |= in->f->inst[i].op == LLVMCall && !is_short(&in->f->inst[i]);
  }
  *each_out = r.each;
  if (writes) return KL_WRITTEN_ROW;
  if (!walks || calls) return KL_NO_ROW; /* long work with each element is as good in lanes */
  return r.reals ? KL_SUMMED_REALS : KL_READ_ROW;
}
