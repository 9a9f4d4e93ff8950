/* Finds places that loops change, and carries them; see carried_places.h. Must not know lanes. */
#include "compiler/spmd/carried_places.h"

#include "compiler/spmd/apart.h"
#include "compiler/spmd/ir.h"
#include "compiler/spmd/map.h"

enum {
  MOST_ACCESSES = 64, /* of a loop */
  MOST_DEPTH = 12     /* of operations that make an address */
};

struct loop {
  LLVMBasicBlockRef block, before, after;
  LLVMTargetDataRef layout;
  bool apart; /* all arguments are taken to be */
};

/* A load or store of the loop. */
struct access {
  LLVMValueRef inst, pointer;
  LLVMTypeRef type;
  bool is_store;
  /* The pointer is `root` and a constant number of bytes; `object` is what it points into, as far as is
   * known. */
  LLVMValueRef root, object;
  int64_t offset;
  uint64_t size;
};

struct accesses {
  struct access of[MOST_ACCESSES];
  unsigned n;
};

/* ---- loops ---- */

static bool is_in(const struct loop *l, LLVMValueRef v) {
  return LLVMIsAInstruction(v) != NULL && LLVMGetInstructionParent(v) == l->block;
}

/* The block that alone leads to `to`, but for `itself`; NULL: there is none, or there are several. */
static LLVMBasicBlockRef find_before(LLVMBasicBlockRef to, LLVMBasicBlockRef itself) {
  LLVMBasicBlockRef found = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(to)); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsATerminatorInst(user) == NULL) return NULL;
    LLVMBasicBlockRef from = LLVMGetInstructionParent(user);
    if (from == itself) continue;
    if (found != NULL) return NULL;
    found = from;
  }
  return found;
}

static bool find_loop(LLVMBasicBlockRef block, struct loop *l) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
  if (LLVMIsABranchInst(last) == NULL || !LLVMIsConditional(last)) return false;
  LLVMBasicBlockRef a = LLVMGetSuccessor(last, 0), b = LLVMGetSuccessor(last, 1);
  if ((a == block) == (b == block)) return false;
  l->block = block;
  l->after = a == block ? b : a;
  l->before = find_before(block, block);
  return l->before != NULL;
}

/* There are blocks that lead to the loop only, and that only the loop leads to. */
static bool has_room(const struct loop *l) {
  return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(l->before)) == 1 &&
         find_before(l->after, NULL) == l->block;
}

/* ---- addresses ---- */

static void find_root(const struct loop *l, struct access *a) {
  int64_t bytes;
  a->root = a->pointer;
  while (LLVMIsAGetElementPtrInst(a->root) != NULL && kiln_gep_offset(l->layout, a->root, &bytes) &&
         bytes >= INT32_MIN && bytes <= INT32_MAX) {
    a->offset += bytes;
    a->root = LLVMGetOperand(a->root, 0);
  }
  a->object = kiln_address_root(a->root);
}

static bool is_movable(LLVMValueRef v) {
  const LLVMOpcode op = LLVMGetInstructionOpcode(v);
  uint16_t sub;
  if (op == LLVMCall) return kiln_call_classify(LLVMGetCalledValue(v), &sub) == KL_QUERY;
  return op == LLVMGetElementPtr || op == LLVMAddrSpaceCast || op == LLVMSExt || op == LLVMZExt ||
         op == LLVMTrunc || op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl ||
         op == LLVMAnd || op == LLVMOr;
}

/* The same in all turns, and made of what may be computed before the loop. */
static bool is_steady(const struct loop *l, LLVMValueRef v, unsigned depth) {
  if (!is_in(l, v)) return true;
  if (depth == 0 || !is_movable(v)) return false;
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
    if (!is_steady(l, LLVMGetOperand(v, k), depth - 1)) return false;
  return true;
}

static void move_before(const struct loop *l, LLVMBuilderRef b, LLVMValueRef v) {
  if (!is_in(l, v)) return;
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++) move_before(l, b, LLVMGetOperand(v, k));
  LLVMInstructionRemoveFromParent(v);
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(l->before));
  LLVMInsertIntoBuilder(b, v);
}

/* ---- what accesses meet ---- */

static unsigned space_of(const struct access *a) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(a->pointer));
}

static bool are_apart(const struct loop *l, const struct access *a, const struct access *b) {
  const unsigned x = space_of(a), y = space_of(b);
  if (x == KL_AS_GENERIC || y == KL_AS_GENERIC) return false;
  if (x != y) return true;
  if (a->root == b->root)
    return a->offset + (int64_t)a->size <= b->offset || b->offset + (int64_t)b->size <= a->offset;
  if (kiln_are_apart(a->object, b->object)) return true;
  return l->apart && a->object != b->object && LLVMIsAArgument(a->object) != NULL &&
         LLVMIsAArgument(b->object) != NULL;
}

static bool add_access(const struct loop *l, struct accesses *all, LLVMValueRef i) {
  const bool is_store = LLVMIsAStoreInst(i) != NULL;
  if (all->n == MOST_ACCESSES || !kiln_is_ordinary(i)) return false;
  struct access *a = &all->of[all->n++];
  *a = (struct access){.inst = i, .is_store = is_store, .pointer = LLVMGetOperand(i, is_store)};
  a->type = is_store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
  a->size = LLVMStoreSizeOfType(l->layout, a->type);
  find_root(l, a);
  return true;
}

/* False: there are too many, or something else touches memory. */
static bool find_accesses(const struct loop *l, struct accesses *all) {
  uint16_t sub;
  all->n = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(l->block); i != NULL; i = LLVMGetNextInstruction(i)) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMStore:
      if (!add_access(l, all, i)) return false;
      break;
    case LLVMCall: {
      const unsigned what = kiln_call_classify(LLVMGetCalledValue(i), &sub);
      if (what != KL_DROP && what != KL_QUERY && !kiln_call_is_pure(i)) return false;
      break;
    }
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
      return false;
    default:
      break;
    }
  }
  return true;
}

/* Store k is the first to its place, which can be carried: nothing else of the loop meets it. */
static bool is_alone(const struct loop *l, const struct accesses *all, unsigned store) {
  const struct access *a = &all->of[store];
  const LLVMTypeKind kind = LLVMGetTypeKind(a->type);
  if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind) return false;
  if (!is_steady(l, a->pointer, MOST_DEPTH)) return false;
  for (unsigned k = 0; k < all->n; k++) {
    const struct access *other = &all->of[k];
    if (other->pointer != a->pointer ? !are_apart(l, a, other) : other->type != a->type) return false;
    if (other->pointer == a->pointer && other->is_store && k < store) return false;
  }
  return true;
}

/* ---- in registers ---- */

static LLVMValueRef load_before(const struct loop *l, LLVMBuilderRef b, const struct access *first) {
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(l->before));
  LLVMValueRef made = LLVMBuildLoad2(b, first->type, first->pointer, "");
  LLVMSetAlignment(made, LLVMGetAlignment(first->inst));
  return made;
}

static LLVMValueRef make_phi(const struct loop *l, LLVMBuilderRef b, const struct access *first) {
  LLVMValueRef start = load_before(l, b, first);
  LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(l->block));
  LLVMValueRef phi = LLVMBuildPhi(b, first->type, "");
  LLVMBasicBlockRef from = l->before;
  LLVMAddIncoming(phi, &start, &from, 1);
  return phi;
}

static void store_after(const struct loop *l, LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef pointer,
                        unsigned align) {
  LLVMValueRef at = LLVMGetFirstInstruction(l->after);
  while (LLVMIsAPHINode(at) != NULL) at = LLVMGetNextInstruction(at);
  LLVMPositionBuilderBefore(b, at);
  LLVMSetAlignment(LLVMBuildStore(b, value, pointer), align);
}

/* All accesses of one place, in their order. */
static void carry(const struct loop *l, LLVMBuilderRef b, const struct accesses *all, LLVMValueRef pointer) {
  LLVMValueRef phi = NULL, now = NULL;
  unsigned align = 0;
  move_before(l, b, pointer);
  for (unsigned k = 0; k < all->n; k++) {
    const struct access *a = &all->of[k];
    if (a->pointer != pointer) continue;
    if (now == NULL && !a->is_store) now = phi = make_phi(l, b, a);
    if (a->is_store) {
      now = LLVMGetOperand(a->inst, 0);
      align = LLVMGetAlignment(a->inst);
    } else {
      LLVMReplaceAllUsesWith(a->inst, now);
    }
    LLVMInstructionEraseFromParent(a->inst);
  }
  LLVMBasicBlockRef from = l->block;
  if (phi != NULL) LLVMAddIncoming(phi, &now, &from, 1);
  store_after(l, b, now, pointer, align);
}

/* ---- loads that leave ---- */

static bool meets_no_store(const struct loop *l, const struct accesses *all, const struct access *load) {
  for (unsigned k = 0; k < all->n; k++)
    if (all->of[k].is_store && !are_apart(l, load, &all->of[k])) return false;
  return true;
}

static bool has_store(const struct accesses *all) {
  for (unsigned k = 0; k < all->n; k++)
    if (all->of[k].is_store) return true;
  return false;
}

/* The same in every turn, and no store meets it. Where a loop stores nothing, code generation finds it. */
static bool may_leave(const struct loop *l, const struct accesses *all, const struct access *load) {
  return !load->is_store && is_steady(l, load->pointer, MOST_DEPTH) && has_store(all) &&
         meets_no_store(l, all, load);
}

static void take_out(const struct loop *l, LLVMBuilderRef b, const struct access *load) {
  move_before(l, b, load->pointer);
  LLVMInstructionRemoveFromParent(load->inst);
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(l->before));
  LLVMInsertIntoBuilder(b, load->inst);
}

/* Places of a loop that can be carried. */
struct places {
  LLVMValueRef of[MOST_ACCESSES];
  unsigned n;
};

/* False: the block is no such loop. */
static bool find_places(struct loop *l, LLVMBasicBlockRef block, struct accesses *all,
                        struct places *places) {
  places->n = 0;
  if (!find_loop(block, l) || !find_accesses(l, all)) return false;
  for (unsigned k = 0; k < all->n; k++)
    if (all->of[k].is_store && is_alone(l, all, k)) places->of[places->n++] = all->of[k].pointer;
  return true;
}

static void carry_places(LLVMValueRef f, LLVMTargetDataRef layout) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(f)));
  struct loop l = {.layout = layout};
  struct accesses all;
  struct places places;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
       block = LLVMGetNextBasicBlock(block)) {
    if (!find_places(&l, block, &all, &places) || !has_room(&l)) continue;
    for (unsigned k = 0; k < all.n; k++)
      if (may_leave(&l, &all, &all.of[k])) take_out(&l, b, &all.of[k]);
    for (unsigned k = 0; k < places.n; k++) carry(&l, b, &all, places.of[k]);
  }
  LLVMDisposeBuilder(b);
}

void kiln_spmd_carry_places(LLVMModuleRef module) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    carry_places(f, layout);
}

bool kiln_spmd_may_carry_apart(LLVMValueRef kernel) {
  struct loop l = {.layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(kernel)), .apart = true};
  struct accesses all;
  struct places places = {.n = 0};
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block != NULL && places.n == 0;
       block = LLVMGetNextBasicBlock(block))
    find_places(&l, block, &all, &places);
  return places.n != 0;
}

/* ---- loads of places that the turn before chose ---- */

/* `of` is `like` with x in the place of phi, and all else the same in every turn. */
static bool is_with(const struct loop *l, LLVMValueRef of, LLVMValueRef like, LLVMValueRef phi,
                    LLVMValueRef x, unsigned depth) {
  if (like == phi) return of == x;
  if (!is_in(l, like)) return of == like;
  if (depth == 0 || !is_in(l, of) || LLVMGetInstructionOpcode(of) != LLVMGetInstructionOpcode(like) ||
      LLVMTypeOf(of) != LLVMTypeOf(like) || LLVMGetNumOperands(of) != LLVMGetNumOperands(like))
    return false;
  if (LLVMIsAGetElementPtrInst(like) == NULL
          ? LLVMIsACastInst(like) == NULL
          : LLVMGetGEPSourceElementType(of) != LLVMGetGEPSourceElementType(like))
    return false;
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(like); k++)
    if (!is_with(l, LLVMGetOperand(of, k), LLVMGetOperand(like, k), phi, x, depth - 1)) return false;
  return true;
}

/* One of two values, not of components. */
static bool is_one_of_two(LLVMValueRef v) {
  return LLVMIsASelectInst(v) != NULL &&
         LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMIntegerTypeKind;
}

/* What the turn has loaded from the place that x leads to, as `load` does from that of phi. */
static LLVMValueRef loaded_with(const struct loop *l, const struct accesses *all, const struct access *load,
                                LLVMValueRef phi, LLVMValueRef x) {
  for (unsigned k = 0; k < all->n; k++)
    if (!all->of[k].is_store && all->of[k].type == load->type &&
        is_with(l, all->of[k].pointer, load->pointer, phi, x, MOST_DEPTH))
      return all->of[k].inst;
  return NULL;
}

static LLVMValueRef with_first(const struct loop *l, LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef phi) {
  if (v == phi) return kiln_phi_from(phi, l->before);
  if (!is_in(l, v)) return v;
  LLVMValueRef made = LLVMInstructionClone(v);
  for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
    LLVMSetOperand(made, k, with_first(l, b, LLVMGetOperand(v, k), phi));
  LLVMInsertIntoBuilder(b, made);
  return made;
}

/* The next turn loads from one of two places, or the one, that this turn has loaded from, too. Counters are
 * left alone: their loads side by side cost lanes less than a value that each turn hands to the next. */
static bool carry_chosen(const struct loop *l, LLVMBuilderRef b, const struct accesses *all,
                         const struct access *load, LLVMValueRef phi) {
  LLVMValueRef next = kiln_phi_from(phi, l->block), chosen[2];
  const bool is_choice = is_one_of_two(next);
  if (!is_in(l, next) || (!is_choice && LLVMIsALoadInst(next) == NULL)) return false;
  for (unsigned k = 0; k < 2; k++) {
    chosen[k] = loaded_with(l, all, load, phi, is_choice ? LLVMGetOperand(next, k + 1) : next);
    if (chosen[k] == NULL) return false;
  }
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(l->before));
  LLVMValueRef first = with_first(l, b, load->inst, phi);
  LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(l->block));
  LLVMValueRef carried = LLVMBuildPhi(b, load->type, "");
  LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(l->block));
  LLVMValueRef last =
      is_choice ? LLVMBuildSelect(b, LLVMGetOperand(next, 0), chosen[0], chosen[1], "") : chosen[0];
  LLVMValueRef values[] = {first, last};
  LLVMBasicBlockRef from[] = {l->before, l->block};
  LLVMAddIncoming(carried, values, from, 2);
  LLVMReplaceAllUsesWith(load->inst, carried);
  return true;
}

static void carry_chosen_of(const struct loop *l, LLVMBuilderRef b, const struct accesses *all,
                            const struct access *load) {
  if (load->is_store || is_steady(l, load->pointer, MOST_DEPTH) || !meets_no_store(l, all, load)) return;
  for (LLVMValueRef phi = LLVMGetFirstInstruction(l->block); LLVMIsAPHINode(phi) != NULL;
       phi = LLVMGetNextInstruction(phi))
    if (is_with(l, load->pointer, load->pointer, phi, phi, MOST_DEPTH) && carry_chosen(l, b, all, load, phi))
      return;
}

void kiln_spmd_carry_chosen(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  struct loop l = {.layout = LLVMGetModuleDataLayout(module)};
  struct accesses all;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      if (find_loop(block, &l) && has_room(&l) && find_accesses(&l, &all))
        for (unsigned k = 0; k < all.n; k++) carry_chosen_of(&l, b, &all, &all.of[k]);
  LLVMDisposeBuilder(b);
}

/* Places that change, in the same array: in another turn one may be what the other was. */
static bool may_follow(const struct loop *l, const struct access *store, const struct access *load) {
  return store->object == load->object && store->type == load->type && store->pointer != load->pointer &&
         !is_steady(l, load->pointer, MOST_DEPTH);
}

/* The block is such a loop: *l, *all. */
static bool find_handing_on(LLVMBasicBlockRef block, struct loop *l, struct accesses *all) {
  if (!find_loop(block, l) || !find_accesses(l, all)) return false;
  for (unsigned s = 0; s < all->n; s++) {
    if (!all->of[s].is_store || is_steady(l, all->of[s].pointer, MOST_DEPTH)) continue;
    for (unsigned k = 0; k < all->n; k++)
      if (!all->of[k].is_store && may_follow(l, &all->of[s], &all->of[k])) return true;
  }
  return false;
}

/* It may be widened part by part. */
static bool is_exact_sum(const struct loop *l, LLVMValueRef v) {
  const LLVMOpcode op = is_in(l, v) ? LLVMGetInstructionOpcode(v) : 0;
  return (op == LLVMAdd || op == LLVMSub) && LLVMGetNSW(v);
}

/* The widened sum as a sum of what is widened: that two indices lie one apart in every turn is seen so. */
static LLVMValueRef widen(const struct loop *l, LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef type,
                          unsigned depth) {
  if (depth == 0 || !is_exact_sum(l, v)) return LLVMBuildSExt(b, v, type, "");
  LLVMValueRef x = widen(l, b, LLVMGetOperand(v, 0), type, depth - 1),
               y = widen(l, b, LLVMGetOperand(v, 1), type, depth - 1);
  return LLVMGetInstructionOpcode(v) == LLVMAdd ? LLVMBuildNSWAdd(b, x, y, "") : LLVMBuildNSWSub(b, x, y, "");
}

static void split_index(const struct loop *l, LLVMBuilderRef b, LLVMValueRef pointer) {
  if (!is_in(l, pointer) || !LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) != 2) return;
  LLVMValueRef index = LLVMGetOperand(pointer, 1);
  if (!is_in(l, index) || !LLVMIsASExtInst(index) || !is_exact_sum(l, LLVMGetOperand(index, 0))) return;
  LLVMPositionBuilderBefore(b, index);
  LLVMReplaceAllUsesWith(index, widen(l, b, LLVMGetOperand(index, 0), LLVMTypeOf(index), MOST_DEPTH));
  LLVMInstructionEraseFromParent(index);
}

bool kiln_spmd_split_indices(LLVMValueRef function) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
  struct loop l = {.layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function))};
  struct accesses all;
  bool found = false;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
       block = LLVMGetNextBasicBlock(block)) {
    if (!find_handing_on(block, &l, &all)) continue;
    found = true;
    for (unsigned k = 0; k < all.n; k++) split_index(&l, b, all.of[k].pointer);
  }
  LLVMDisposeBuilder(b);
  return found;
}

bool kiln_spmd_may_hand_on(LLVMValueRef function) {
  struct loop l = {.layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function))};
  struct accesses all;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
       block = LLVMGetNextBasicBlock(block))
    if (find_handing_on(block, &l, &all)) return true;
  return false;
}
