/* Owns the pointers that go along with loops. Must know nothing of kernels. */
#include "compiler/counted_address.h"

#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  LEAST_ACCESSES = 3, /* fewer are not worth a register */
  MOST_GROUPS = 16,
  MOST_PLACES = 256,
  MOST_DEPTH = 8 /* of an index */
};

/* A loop of one block. */
struct loop {
  LLVMBasicBlockRef block, before;
  LLVMTargetDataRef layout;
};

/* How an index becomes as wide as an address. */
enum extension { EXTEND_NOT, EXTEND_SIGN, EXTEND_ZERO };

/* Where base + scale * extension(index) + offset is; bytes. */
struct place {
  LLVMValueRef pointer, base, index; /* base does not change in the loop */
  enum extension extension;
  int64_t scale, offset;
};

/* Places that differ in their offsets. */
struct group {
  struct place first;
  int64_t step; /* bytes from turn to turn */
  unsigned accesses;
  LLVMValueRef counted;
};

struct walk {
  struct loop loop;
  LLVMBuilderRef b;
  struct group group[MOST_GROUPS];
  unsigned groups, places;
  struct {
    struct place place;
    unsigned group;
  } place[MOST_PLACES];
};

/* ---- loops ---- */

static bool is_inside(const struct loop *l, LLVMValueRef value) {
  return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == l->block;
}

/* Its counters tell where it is entered from. */
static bool find_loop(struct loop *l, LLVMBasicBlockRef block) {
  LLVMValueRef phi = LLVMGetFirstInstruction(block);
  if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2) return false;
  unsigned back = LLVMGetIncomingBlock(phi, 0) != block;
  l->block = block;
  l->before = LLVMGetIncomingBlock(phi, 1 - back);
  return LLVMGetIncomingBlock(phi, back) == block && l->before != block;
}

/* ---- how an index changes ---- */

static bool is_sum(LLVMValueRef v) {
  return LLVMIsAInstruction(v) && (LLVMGetInstructionOpcode(v) == LLVMAdd ||
                                   (LLVMGetInstructionOpcode(v) == LLVMOr && LLVMGetIsDisjoint(v)));
}

/* Whether the extension of v's result is what v gives of extended operands. */
static bool is_exact(LLVMValueRef v, enum extension e) {
  if (e == EXTEND_NOT || LLVMGetInstructionOpcode(v) == LLVMOr) return true;
  return e == EXTEND_SIGN ? LLVMGetNSW(v) : LLVMGetNUW(v);
}

static int64_t constant(LLVMValueRef v, enum extension e) {
  return e == EXTEND_ZERO ? (int64_t)LLVMConstIntGetZExtValue(v) : LLVMConstIntGetSExtValue(v);
}

static bool step_of(const struct loop *l, LLVMValueRef v, enum extension e, int depth, int64_t *step_out);

static bool step_of_counter(const struct loop *l, LLVMValueRef phi, enum extension e, int64_t *step_out) {
  LLVMValueRef next = kiln_phi_from(phi, l->block);
  if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd || !is_exact(next, e))
    return false;
  if (LLVMGetOperand(next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(next, 1))) return false;
  *step_out = constant(LLVMGetOperand(next, 1), e);
  return true;
}

static bool step_of_operation(const struct loop *l, LLVMValueRef v, enum extension e, int depth,
                              int64_t *step_out) {
  LLVMValueRef x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
  int64_t a, b;
  if (!is_exact(v, e) || !step_of(l, x, e, depth + 1, &a) || !step_of(l, y, e, depth + 1, &b)) return false;
  if (is_sum(v)) return !__builtin_add_overflow(a, b, step_out);
  if (!LLVMIsAConstantInt(y)) return (*step_out = 0, a == 0 && b == 0);
  int64_t factor = constant(y, e);
  if (LLVMGetInstructionOpcode(v) == LLVMMul) return !__builtin_mul_overflow(a, factor, step_out);
  return factor >= 0 && factor < 32 && !__builtin_mul_overflow(a, (int64_t)1 << factor, step_out);
}

static bool step_of(const struct loop *l, LLVMValueRef v, enum extension e, int depth, int64_t *step_out) {
  *step_out = 0;
  if (!is_inside(l, v)) return true;
  if (depth == MOST_DEPTH) return false;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
  if (opcode == LLVMPHI) return step_of_counter(l, v, e, step_out);
  if (e == EXTEND_NOT && opcode == LLVMSExt)
    return step_of(l, LLVMGetOperand(v, 0), EXTEND_SIGN, depth + 1, step_out);
  if (e == EXTEND_NOT && opcode == LLVMZExt)
    return step_of(l, LLVMGetOperand(v, 0), EXTEND_ZERO, depth + 1, step_out);
  if (!is_sum(v) && opcode != LLVMMul && opcode != LLVMShl) return false;
  return step_of_operation(l, v, e, depth, step_out);
}

/* v before the first turn; made of what step_of has accepted. */
static LLVMValueRef first_value(struct walk *w, LLVMValueRef v) {
  if (!is_inside(&w->loop, v)) return v;
  if (LLVMIsAPHINode(v)) return kiln_phi_from(v, w->loop.before);
  LLVMValueRef copy = LLVMInstructionClone(v);
  for (int k = 0; k < LLVMGetNumOperands(v); k++)
    LLVMSetOperand(copy, (unsigned)k, first_value(w, LLVMGetOperand(v, (unsigned)k)));
  LLVMPositionBuilderBefore(w->b, LLVMGetBasicBlockTerminator(w->loop.before));
  LLVMInsertIntoBuilder(w->b, copy);
  return copy;
}

/* ---- places ---- */

/* By a constant; bytes of the element that is indexed are at most 2^31. */
static bool is_shift(LLVMValueRef v, int64_t scale) {
  if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMShl) return false;
  LLVMValueRef by = LLVMGetOperand(v, 1);
  return LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) < 32 && scale >> 31 == 0;
}

/* Constants go to the offset and the scale. */
static void split_index(struct place *p, LLVMValueRef index, int64_t scale) {
  p->index = index;
  p->scale = scale;
  p->extension = EXTEND_NOT;
  for (;;) {
    LLVMOpcode opcode = LLVMIsAInstruction(p->index) ? LLVMGetInstructionOpcode(p->index) : LLVMRet;
    if (is_sum(p->index) && LLVMIsAConstantInt(LLVMGetOperand(p->index, 1)) &&
        is_exact(p->index, p->extension))
      p->offset += constant(LLVMGetOperand(p->index, 1), p->extension) * p->scale;
    else if (is_shift(p->index, p->scale) && is_exact(p->index, p->extension))
      p->scale <<= LLVMConstIntGetZExtValue(LLVMGetOperand(p->index, 1));
    else if (p->extension == EXTEND_NOT && opcode == LLVMSExt) p->extension = EXTEND_SIGN;
    else if (p->extension == EXTEND_NOT && opcode == LLVMZExt) p->extension = EXTEND_ZERO;
    else return;
    p->index = LLVMGetOperand(p->index, 0);
  }
}

static bool add_index(const struct loop *l, struct place *p, LLVMValueRef index, int64_t scale) {
  if (LLVMIsAConstantInt(index)) {
    p->offset += LLVMConstIntGetSExtValue(index) * scale;
    return true;
  }
  if (p->index != NULL || LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 64) return false;
  split_index(p, index, scale);
  return is_inside(l, p->index);
}

/* One address computation; p->base becomes its operand. */
static bool add_computation(const struct loop *l, struct place *p, LLVMValueRef gep) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
    if (k > 1) {
      if (LLVMGetTypeKind(type) != LLVMArrayTypeKind) return false;
      type = LLVMGetElementType(type);
    }
    LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
    if (!add_index(l, p, index, (int64_t)LLVMABISizeOfType(l->layout, type))) return false;
  }
  p->base = LLVMGetOperand(gep, 0);
  return true;
}

/* False if pointer is not one that a counter of the loop decides. */
static bool find_place(const struct loop *l, LLVMValueRef pointer, struct place *p_out) {
  struct place p = {.pointer = pointer, .base = pointer};
  while (LLVMIsAGetElementPtrInst(p.base)) {
    struct place more = p;
    bool inside = is_inside(l, p.base);
    if (!add_computation(l, &more, p.base)) {
      if (inside) return false;
      break;
    }
    p = more;
  }
  *p_out = p;
  return p.index != NULL && !is_inside(l, p.base);
}

/* ---- groups ---- */

static bool is_alike(const struct place *a, const struct place *b) {
  return a->base == b->base && a->index == b->index && a->extension == b->extension && a->scale == b->scale;
}

/* The number of p's group; MOST_GROUPS: none. */
static unsigned group_of(struct walk *w, const struct place *p) {
  for (unsigned k = 0; k < w->groups; k++)
    if (is_alike(&w->group[k].first, p)) return k;
  struct group g = {.first = *p};
  if (w->groups == MOST_GROUPS || !step_of(&w->loop, p->index, p->extension, 0, &g.step)) return MOST_GROUPS;
  if (g.step == 0 || __builtin_mul_overflow(g.step, p->scale, &g.step)) return MOST_GROUPS;
  w->group[w->groups] = g;
  return w->groups++;
}

static unsigned count_accesses(const struct loop *l, LLVMValueRef pointer) {
  unsigned n = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    n += is_inside(l, user) && !LLVMIsAGetElementPtrInst(user);
  }
  return n;
}

static void collect(struct walk *w, LLVMValueRef pointer) {
  struct place p;
  unsigned accesses = count_accesses(&w->loop, pointer);
  if (accesses == 0 || LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind) return;
  if (w->places == MOST_PLACES || !find_place(&w->loop, pointer, &p)) return;
  unsigned k = group_of(w, &p);
  if (k == MOST_GROUPS) return;
  w->group[k].accesses += accesses;
  w->place[w->places].place = p;
  w->place[w->places++].group = k;
}

/* ---- pointers ---- */

static LLVMTypeRef bytes(const struct walk *w, int64_t count) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(w->group[0].first.base)));
  return count == 1 ? byte : LLVMArrayType2(byte, (uint64_t)count);
}

static LLVMValueRef move(const struct walk *w, LLVMValueRef pointer, int64_t distance) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(pointer)));
  LLVMValueRef index = LLVMConstInt(i64, (unsigned long long)distance, true);
  return distance == 0 ? pointer : LLVMBuildGEP2(w->b, bytes(w, 1), pointer, &index, 1, "");
}

/* Where the group's places are in the first turn, without their offsets. */
static LLVMValueRef first_pointer(struct walk *w, const struct place *p) {
  LLVMValueRef index = first_value(w, p->index);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(index)));
  LLVMPositionBuilderBefore(w->b, LLVMGetBasicBlockTerminator(w->loop.before));
  if (p->extension == EXTEND_SIGN) index = LLVMBuildSExt(w->b, index, i64, "");
  if (p->extension == EXTEND_ZERO) index = LLVMBuildZExt(w->b, index, i64, "");
  return LLVMBuildGEP2(w->b, bytes(w, p->scale), p->base, &index, 1, "");
}

static void count_group(struct walk *w, struct group *g) {
  LLVMValueRef first = first_pointer(w, &g->first);
  LLVMPositionBuilderBefore(w->b, LLVMGetFirstInstruction(w->loop.block));
  g->counted = LLVMBuildPhi(w->b, LLVMTypeOf(first), "counted");
  LLVMPositionBuilderBefore(w->b, LLVMGetBasicBlockTerminator(w->loop.block));
  LLVMValueRef values[] = {first, move(w, g->counted, g->step)};
  LLVMAddIncoming(g->counted, values, (LLVMBasicBlockRef[]){w->loop.before, w->loop.block}, 2);
}

static void visit(struct walk *w) {
  w->groups = w->places = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(w->loop.block); i != NULL; i = LLVMGetNextInstruction(i))
    if (LLVMIsAGetElementPtrInst(i)) collect(w, i);
  for (unsigned k = 0; k < w->groups; k++)
    if (w->group[k].accesses >= LEAST_ACCESSES) count_group(w, &w->group[k]);
  for (unsigned k = 0; k < w->places; k++) {
    const struct place *p = &w->place[k].place;
    LLVMValueRef counted = w->group[w->place[k].group].counted;
    if (counted == NULL) continue;
    LLVMPositionBuilderBefore(w->b, p->pointer);
    LLVMReplaceAllUsesWith(p->pointer, move(w, counted, p->offset));
    kiln_erase_unused(p->pointer);
  }
}

void kiln_count_addresses(LLVMModuleRef module) {
  struct walk w = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module)),
                   .loop.layout = LLVMGetModuleDataLayout(module)};
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block))
      if (find_loop(&w.loop, block)) visit(&w);
  LLVMDisposeBuilder(w.b);
}
