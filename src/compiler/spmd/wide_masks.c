/* Owns the form of masks where the processor compares to vectors of integers; see wide_masks.h. Reads code
 * that is ready for code generation. Must not know what lanes are. */
#include "compiler/spmd/wide_masks.h"

#include "compiler/spmd/env.h"
#include "compiler/value.h"

#include <string.h>

enum {
  MOST_LANES = 64,
  MOST_REGISTERS = 2, /* of a mask; more would not leave enough for what it chooses from */
  LOG_WIDTHS = 4      /* 8, 16, 32 and 64 bits */
};

struct mask {
  LLVMValueRef v, wide; /* wide: NULL as long as there is none */
  bool is_logic;        /* made of other masks */
  bool is_widened;
};

struct widener {
  struct kl_env env;
  LLVMBuilderRef b;
  struct kl_table number; /* of masks that instructions make */
  struct mask *mask;
  uint32_t n, cap;
  struct kl_list todo;
  uint32_t votes[MOST_LANES + 1]
                [LOG_WIDTHS]; /* by lanes and width: what compares and chooses such elements */
  unsigned register_bits;
};

/* ---- what there is ---- */

/* Lanes of a vector of truth values; 0: it is none. */
static unsigned lanes_of(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return 0;
  LLVMTypeRef element = LLVMGetElementType(type);
  unsigned n = LLVMGetVectorSize(type);
  bool is_mask = LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 1;
  return is_mask && n >= 4 && n <= MOST_LANES && (n & (n - 1)) == 0 ? n : 0;
}

static bool is_logic(LLVMValueRef v) {
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMPHI:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMSelect:
  case LLVMFreeze:
    return true;
  default:
    return false;
  }
}

static struct mask *find(struct widener *w, LLVMValueRef v) {
  uint64_t *number = kiln_table_find(&w->number, v);
  return number == NULL ? NULL : &w->mask[*number];
}

static void add(struct widener *w, LLVMValueRef v) {
  if (w->n == w->cap) {
    struct mask *more = kl_new(&w->env, w->cap = 2 * w->cap + 64, struct mask);
    for (uint32_t k = 0; k < w->n; k++) more[k] = w->mask[k];
    w->mask = more;
  }
  kiln_table_put(&w->env, &w->number, v, w->n);
  w->mask[w->n++] = (struct mask){.v = v, .is_logic = is_logic(v)};
}

/* Of vectors of numbers or pointers; 0: it is none. */
static unsigned element_bits(struct widener *w, LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || lanes_of(type) != 0) return 0;
  return (unsigned)LLVMSizeOfTypeInBits(w->env.layout, LLVMGetElementType(type));
}

static void vote(struct widener *w, LLVMTypeRef type) {
  unsigned bits = element_bits(w, type), n = bits == 0 ? 0 : LLVMGetVectorSize(type);
  if (n > MOST_LANES) return;
  for (unsigned log = 0; log < LOG_WIDTHS; log++) w->votes[n][log] += bits == 8u << log;
}

/* What compares, and what chooses by masks. */
static void read(struct widener *w, LLVMValueRef i) {
  bool is_mask = lanes_of(LLVMTypeOf(i)) != 0;
  if (is_mask) add(w, i);
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMICmp:
  case LLVMFCmp:
    if (is_mask) vote(w, LLVMTypeOf(LLVMGetOperand(i, 0)));
    break;
  case LLVMSelect:
  case LLVMSExt:
  case LLVMZExt:
    if (lanes_of(LLVMTypeOf(LLVMGetOperand(i, 0))) != 0) vote(w, LLVMTypeOf(i));
    break;
  default:
    break;
  }
}

/* ---- which ---- */

/* NULL: such masks stay as they are. */
static LLVMTypeRef wide_type(struct widener *w, LLVMTypeRef type) {
  const unsigned n = lanes_of(type);
  unsigned best = 0;
  for (unsigned log = 1; log < LOG_WIDTHS; log++)
    if (w->votes[n][log] > w->votes[n][best]) best = log;
  if (n == 0 || w->votes[n][best] == 0 || n * (8u << best) > MOST_REGISTERS * w->register_bits) return NULL;
  return LLVMVectorType(LLVMIntTypeInContext(w->env.context, 8u << best), n);
}

static bool leaves_block(LLVMValueRef v) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(v);
  for (LLVMUseRef use = LLVMGetFirstUse(v); use != NULL; use = LLVMGetNextUse(use))
    if (LLVMGetInstructionParent(LLVMGetUser(use)) != block) return true;
  return false;
}

static void choose(struct widener *w, struct mask *m) {
  if (m->is_widened || wide_type(w, LLVMTypeOf(m->v)) == NULL) return;
  m->is_widened = true;
  kiln_list_push(&w->env, &w->todo, (uint32_t)(m - w->mask));
}

static void choose_logic(struct widener *w, LLVMValueRef v) {
  struct mask *m = find(w, v);
  if (m != NULL && m->is_logic) choose(w, m);
}

/* Masks that leave their blocks, and all that connectives connect with them. */
static void choose_all(struct widener *w) {
  for (uint32_t k = 0; k < w->n; k++)
    if (LLVMIsAPHINode(w->mask[k].v) != NULL || leaves_block(w->mask[k].v)) choose(w, &w->mask[k]);
  while (w->todo.n > 0) {
    const struct mask m = w->mask[w->todo.at[--w->todo.n]];
    for (LLVMUseRef use = LLVMGetFirstUse(m.v); use != NULL; use = LLVMGetNextUse(use))
      choose_logic(w, LLVMGetUser(use));
    for (unsigned k = 0; m.is_logic && k < (unsigned)LLVMGetNumOperands(m.v); k++)
      choose_logic(w, LLVMGetOperand(m.v, k));
  }
}

/* ---- the wide form ---- */

static LLVMValueRef widen(struct widener *w, LLVMValueRef v);

/* v as a mask of the usual form, for one use of it. */
static LLVMValueRef narrow(struct widener *w, LLVMValueRef v, LLVMValueRef user) {
  LLVMValueRef wide = widen(w, v);
  LLVMPositionBuilderBefore(w->b, user);
  return LLVMBuildICmp(w->b, LLVMIntSLT, wide, LLVMConstNull(LLVMTypeOf(wide)), "");
}

static LLVMValueRef widen_select(struct widener *w, LLVMValueRef v) {
  LLVMValueRef condition = LLVMGetOperand(v, 0), x = widen(w, LLVMGetOperand(v, 1)),
               y = widen(w, LLVMGetOperand(v, 2));
  struct mask *m = find(w, condition);
  if (m != NULL && m->is_widened) condition = narrow(w, condition, v);
  LLVMPositionBuilderBefore(w->b, v);
  return LLVMBuildSelect(w->b, condition, x, y, "");
}

/* A phi's inputs follow when all others are there. */
static LLVMValueRef widen_logic(struct widener *w, LLVMValueRef v) {
  const LLVMOpcode op = LLVMGetInstructionOpcode(v);
  if (op == LLVMSelect) return widen_select(w, v);
  LLVMValueRef x = op == LLVMPHI ? NULL : widen(w, LLVMGetOperand(v, 0)),
               y = op == LLVMPHI || op == LLVMFreeze ? NULL : widen(w, LLVMGetOperand(v, 1));
  LLVMPositionBuilderBefore(w->b, v);
  if (op == LLVMPHI) return LLVMBuildPhi(w->b, wide_type(w, LLVMTypeOf(v)), "");
  return op == LLVMFreeze ? LLVMBuildFreeze(w->b, x, "") : LLVMBuildBinOp(w->b, op, x, y, "");
}

static void position_after(struct widener *w, LLVMValueRef v) {
  LLVMValueRef next = LLVMIsAInstruction(v) != NULL
                          ? LLVMGetNextInstruction(v)
                          : LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetParamParent(v)));
  LLVMPositionBuilderBefore(w->b, next);
}

/* What no mask is made of: a comparison; one truth value for all lanes. */
static LLVMValueRef widen_made(struct widener *w, LLVMValueRef v, LLVMTypeRef type) {
  LLVMValueRef one = kiln_splatted(v);
  position_after(w, v);
  if (one == NULL) return LLVMBuildSExt(w->b, v, type, "");
  LLVMValueRef zero = LLVMConstNull(LLVMInt32TypeInContext(w->env.context)),
               all = LLVMBuildSExt(w->b, one, LLVMGetElementType(type), ""),
               first = LLVMBuildInsertElement(w->b, LLVMGetPoison(type), all, zero, "");
  LLVMTypeRef lanes = LLVMVectorType(LLVMTypeOf(zero), LLVMGetVectorSize(type));
  return LLVMBuildShuffleVector(w->b, first, LLVMGetPoison(type), LLVMConstNull(lanes), "");
}

static LLVMValueRef widen(struct widener *w, LLVMValueRef v) {
  LLVMTypeRef type = wide_type(w, LLVMTypeOf(v));
  if (LLVMIsConstant(v)) return LLVMBuildSExt(w->b, v, type, "");
  struct mask *m = find(w, v);
  if (m != NULL && m->wide != NULL) return m->wide;
  LLVMValueRef wide = m != NULL && m->is_logic ? widen_logic(w, v) : widen_made(w, v, type);
  if (m != NULL) m->wide = wide;
  return wide;
}

static void give_inputs(struct widener *w, struct mask *m) {
  for (unsigned k = 0; k < LLVMCountIncoming(m->v); k++) {
    LLVMValueRef value = widen(w, LLVMGetIncomingValue(m->v, k));
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(m->v, k);
    LLVMAddIncoming(m->wide, &value, &block, 1);
  }
}

/* ---- questions about all lanes ---- */

/* A comparison with none or with all, the only use of a mask that is cast to an integer; NULL. */
static LLVMValueRef test_of(LLVMValueRef cast) {
  LLVMValueRef test = LLVMIsABitCastInst(cast) != NULL && kiln_is_used_once(cast)
                          ? LLVMIsAICmpInst(LLVMGetUser(LLVMGetFirstUse(cast)))
                          : NULL;
  if (test == NULL || LLVMGetOperand(test, 0) != cast) return NULL;
  LLVMValueRef with = LLVMGetOperand(test, 1);
  const LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
  const bool is_end =
      LLVMIsAConstantInt(with) != NULL && (LLVMIsNull(with) || with == LLVMConstAllOnes(LLVMTypeOf(with)));
  return is_end && (predicate == LLVMIntEQ || predicate == LLVMIntNE) ? test : NULL;
}

static LLVMValueRef half_of(struct widener *w, LLVMValueRef v, unsigned half) {
  const unsigned n = LLVMGetVectorSize(LLVMTypeOf(v)) / 2;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(w->env.context);
  LLVMValueRef lane[MOST_LANES];
  for (unsigned k = 0; k < n; k++) lane[k] = LLVMConstInt(i32, half * n + k, false);
  return LLVMBuildShuffleVector(w->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(lane, n), "");
}

/* Registers of a mask are joined to one before it is asked whether none or all are on. */
static void ask_jointly(struct widener *w, struct mask *m, LLVMValueRef test) {
  const bool none = LLVMIsNull(LLVMGetOperand(test, 1));
  LLVMValueRef v = m->wide;
  LLVMPositionBuilderBefore(w->b, test);
  while (LLVMSizeOfTypeInBits(w->env.layout, LLVMTypeOf(v)) > w->register_bits) {
    LLVMValueRef low = half_of(w, v, 0), high = half_of(w, v, 1);
    v = LLVMBuildBinOp(w->b, none ? LLVMOr : LLVMAnd, low, high, "");
  }
  LLVMTypeRef type = LLVMIntTypeInContext(w->env.context, LLVMGetVectorSize(LLVMTypeOf(v)));
  LLVMValueRef on = LLVMBuildICmp(w->b, LLVMIntSLT, v, LLVMConstNull(LLVMTypeOf(v)), "");
  LLVMSetOperand(test, 0, LLVMBuildBitCast(w->b, on, type, ""));
  LLVMSetOperand(test, 1, none ? LLVMConstNull(type) : LLVMConstAllOnes(type));
}

/* ---- uses ---- */

/* What only asks for a mask asks the wide one, but for a comparison in the same block. */
static void replace_in(struct widener *w, struct mask *m, LLVMValueRef user) {
  struct mask *by = find(w, user);
  if (user == m->wide || (by != NULL && by->is_logic && by->is_widened)) return;
  if (!m->is_logic && LLVMGetInstructionParent(user) == LLVMGetInstructionParent(m->v)) return;
  LLVMValueRef test = test_of(user);
  if (test != NULL) {
    ask_jointly(w, m, test);
    LLVMInstructionEraseFromParent(user);
    return;
  }
  LLVMValueRef asked = NULL;
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++) {
    if (LLVMGetOperand(user, k) != m->v) continue;
    if (asked == NULL) asked = narrow(w, m->v, user);
    LLVMSetOperand(user, k, asked);
  }
}

/* The users are listed first: one that asks twice loses both uses at once. */
static void replace_uses(struct widener *w, struct mask *m) {
  uint32_t n = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(m->v); use != NULL; use = LLVMGetNextUse(use)) n++;
  LLVMValueRef *user = kl_new(&w->env, n, LLVMValueRef);
  n = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(m->v); use != NULL; use = LLVMGetNextUse(use))
    user[n++] = LLVMGetUser(use);
  for (uint32_t k = 0; k < n; k++) replace_in(w, m, user[k]);
}

static void widen_chosen(struct widener *w) {
  for (uint32_t k = 0; k < w->n; k++)
    if (w->mask[k].is_widened) widen(w, w->mask[k].v);
  for (uint32_t k = 0; k < w->n; k++)
    if (w->mask[k].is_widened && LLVMIsAPHINode(w->mask[k].v) != NULL) give_inputs(w, &w->mask[k]);
  for (uint32_t k = 0; k < w->n; k++)
    if (w->mask[k].is_widened) replace_uses(w, &w->mask[k]);
  for (uint32_t k = 0; k < w->n; k++) {
    LLVMValueRef v = w->mask[k].v;
    if (!w->mask[k].is_widened || !w->mask[k].is_logic) continue;
    LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
    LLVMInstructionEraseFromParent(v);
  }
}

static void widen_function(struct widener *w, LLVMValueRef f) {
  w->number = (struct kl_table){0};
  w->n = 0;
  memset(w->votes, 0, sizeof w->votes);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) read(w, i);
  choose_all(w);
  widen_chosen(w);
}

bool kiln_spmd_widen_masks(LLVMModuleRef module, unsigned register_bits) {
  struct widener w = {.register_bits = register_bits};
  w.env.arena.no_memory = &w.env.fail;
  if (setjmp(w.env.fail) != 0) return kiln_env_finish(&w.env, false, &(char *){NULL});
  kiln_env_start(&w.env, module);
  w.b = kiln_env_builder(&w.env);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) widen_function(&w, f);
  return kiln_env_finish(&w.env, true, &(char *){NULL});
}
