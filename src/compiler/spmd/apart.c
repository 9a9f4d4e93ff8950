/* Tells objects in memory apart; see apart.h. */
#include "compiler/spmd/apart.h"

#include "compiler/spmd/ir.h"
#include "compiler/spmd/long_loops.h"
#include "compiler/value.h"

bool kiln_is_variable(LLVMValueRef object) {
  return LLVMIsAGlobalVariable(object) != NULL || LLVMIsAAllocaInst(object) != NULL;
}

bool kiln_is_restrict(LLVMValueRef object) {
  if (LLVMIsAArgument(object) == NULL) return false;
  const unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
  LLVMValueRef f = LLVMGetParamParent(object);
  for (unsigned k = 0; k < LLVMCountParams(f); k++)
    if (LLVMGetParam(f, k) == object)
      return LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)(k + 1), kind) != NULL;
  return false;
}

bool kiln_are_apart(LLVMValueRef a, LLVMValueRef b) {
  if (a == b) return false;
  if (kiln_is_variable(a) && kiln_is_variable(b)) return true;
  return LLVMIsAArgument(a) != NULL && LLVMIsAArgument(b) != NULL &&
         (kiln_is_restrict(a) || kiln_is_restrict(b));
}

/* ---- back and forth ---- */

enum { MOST_SEEN = 16 };

/* Accesses of one kind to an argument: others might be done together with the first of them, if those that
 * came between them were known to lie elsewhere. */
struct seen {
  LLVMValueRef object;
  LLVMTypeRef type;
  bool is_store, is_crossed;
};

struct block_seen {
  struct seen of[MOST_SEEN];
  unsigned n;
};

static struct seen access_of(LLVMValueRef i) {
  const bool is_store = LLVMIsAStoreInst(i) != NULL;
  return (struct seen){.object = kiln_address_root(LLVMGetOperand(i, is_store)),
                       .type = is_store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i),
                       .is_store = is_store};
}

static bool may_meet(const struct seen *a, const struct seen *b) {
  return (a->is_store || b->is_store) && LLVMIsAArgument(a->object) != NULL &&
         LLVMIsAArgument(b->object) != NULL && a->object != b->object &&
         !kiln_are_apart(a->object, b->object);
}

/* True if i comes back to an argument. */
static bool add(struct block_seen *seen, LLVMValueRef i) {
  const struct seen now = access_of(i);
  bool is_new = true;
  for (unsigned k = 0; k < seen->n; k++) {
    struct seen *s = &seen->of[k];
    if (s->object == now.object && s->is_store == now.is_store && s->type == now.type) {
      if (s->is_crossed) return true;
      is_new = false;
    }
    s->is_crossed |= may_meet(s, &now);
  }
  if (is_new && seen->n < MOST_SEEN) seen->of[seen->n++] = now;
  return false;
}

static bool comes_back(struct block_seen *seen, LLVMBasicBlockRef block) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i)) {
    const bool is_access = LLVMIsALoadInst(i) != NULL || LLVMIsAStoreInst(i) != NULL;
    if (is_access && kiln_is_ordinary(i)) {
      if (add(seen, i)) return true;
    } else if (is_access || kiln_may_write(i)) {
      seen->n = 0;
    }
  }
  return false;
}

/* In its next turn, where the block is a loop. */
static bool goes_back_and_forth(LLVMBasicBlockRef block) {
  struct block_seen seen = {.n = 0};
  return comes_back(&seen, block) ||
         (kiln_spmd_is_one_block(LLVMGetBasicBlockTerminator(block)) && comes_back(&seen, block));
}

bool kiln_spmd_may_group_apart(LLVMValueRef kernel) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b != NULL; b = LLVMGetNextBasicBlock(b))
    if (goes_back_and_forth(b)) return true;
  return false;
}
