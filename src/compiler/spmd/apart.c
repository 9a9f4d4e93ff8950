/* Tells objects in memory apart; see apart.h. */
#include "compiler/spmd/apart.h"

#include "compiler/spmd/long_loops.h"
#include "compiler/value.h"

static bool is_variable(LLVMValueRef object) {
  return LLVMIsAGlobalVariable(object) != NULL || LLVMIsAAllocaInst(object) != NULL;
}

/* ---- what the program says ---- */

/* Attributes: of an argument that is `restrict`, and of a function that meets other work-items. */
static const char restrict_name[] = "kiln-restrict", meets_others[] = "kiln-meets-others";

static unsigned noalias(void) { return LLVMGetEnumAttributeKindForName("noalias", 7); }

/* The attributes' index of an argument; 0: it is none. */
static LLVMAttributeIndex index_of(LLVMValueRef argument) {
  LLVMValueRef f = LLVMIsAArgument(argument) != NULL ? LLVMGetParamParent(argument) : NULL;
  for (unsigned k = 0; f != NULL && k < LLVMCountParams(f); k++)
    if (LLVMGetParam(f, k) == argument) return k + 1;
  return 0;
}

static bool is_restrict(LLVMValueRef object) {
  const LLVMAttributeIndex at = index_of(object);
  if (at == 0) return false;
  LLVMValueRef f = LLVMGetParamParent(object);
  return LLVMGetEnumAttributeAtIndex(f, at, noalias()) != NULL ||
         LLVMGetStringAttributeAtIndex(f, at, restrict_name, sizeof restrict_name - 1) != NULL;
}

static bool is_marked(LLVMValueRef f) {
  return LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, meets_others,
                                       sizeof meets_others - 1) != NULL;
}

static void mark(LLVMValueRef f, LLVMAttributeIndex at, const char *what, size_t length) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
  LLVMAddAttributeAtIndex(f, at, LLVMCreateStringAttribute(context, what, (unsigned)length, "", 0));
}

/* A barrier or the like, an atomic function, or whatever may be one. */
static bool may_meet_others(LLVMValueRef call) {
  LLVMValueRef callee = kiln_func_resolve(LLVMGetCalledValue(call));
  if (callee == NULL) return true;
  if (!LLVMIsDeclaration(callee)) return is_marked(callee);
  return LLVMGetIntrinsicID(callee) == 0 && kiln_may_write(call);
}

static bool meets(LLVMValueRef f) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
      if (LLVMIsACallInst(i) != NULL && may_meet_others(i)) return true;
  return false;
}

static void hide_restrict(LLVMValueRef f) {
  for (unsigned k = 0; k < LLVMCountParams(f); k++) {
    if (LLVMGetEnumAttributeAtIndex(f, k + 1, noalias()) == NULL) continue;
    LLVMRemoveEnumAttributeAtIndex(f, k + 1, noalias());
    mark(f, k + 1, restrict_name, sizeof restrict_name - 1);
  }
}

void kiln_restrict_guard(LLVMModuleRef module) {
  for (bool again = true; again;) {
    again = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
      if (is_marked(f) || !meets(f)) continue;
      mark(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, meets_others, sizeof meets_others - 1);
      hide_restrict(f);
      again = true;
    }
  }
}

void kiln_restrict_all(LLVMValueRef kernel) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
  for (unsigned k = 0; k < LLVMCountParams(kernel); k++) {
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(kernel, k))) != LLVMPointerTypeKind) continue;
    if (is_marked(kernel)) mark(kernel, k + 1, restrict_name, sizeof restrict_name - 1);
    else LLVMAddAttributeAtIndex(kernel, k + 1, LLVMCreateEnumAttribute(context, noalias(), 0));
  }
}

/* Who calls a function has no address of its private objects. */
static bool is_own(LLVMValueRef a, LLVMValueRef b) {
  return LLVMIsAAllocaInst(a) != NULL && LLVMIsAArgument(b) != NULL;
}

bool kiln_are_apart(LLVMValueRef a, LLVMValueRef b) {
  if (a == b) return false;
  if ((is_variable(a) && is_variable(b)) || is_own(a, b) || is_own(b, a)) return true;
  return LLVMIsAArgument(a) != NULL && LLVMIsAArgument(b) != NULL && (is_restrict(a) || is_restrict(b));
}

bool kiln_accesses_are_apart(const struct kl_func *f, uint32_t a, uint32_t b) {
  return kiln_are_apart(kiln_address_root(f->inst[kl_pointer_of(f, a)].v),
                        kiln_address_root(f->inst[kl_pointer_of(f, b)].v));
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
