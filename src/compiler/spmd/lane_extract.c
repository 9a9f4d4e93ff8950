/* One lane's element of a vector, for a loop over lanes: computed from what the vector was made of, down to
 * scalars, vectors of constants that go up evenly, and at most one other vector, which lies on the stack. So
 * the wide vectors that lead to 64-bit addresses need not be made. */
#include "compiler/spmd/lane_access.h"
#include "compiler/value.h"

enum { MOST_DEPTH = 8 };

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

static LLVMTypeRef element_type(LLVMValueRef v) { return LLVMGetElementType(LLVMTypeOf(v)); }

/* Constants of which each is the one before plus a step. */
static bool is_even(LLVMValueRef v, int64_t *first, int64_t *step) {
  unsigned n = LLVMGetVectorSize(LLVMTypeOf(v));
  if (!LLVMIsConstant(v) || LLVMGetTypeKind(element_type(v)) != LLVMIntegerTypeKind) return false;
  for (unsigned i = 0; i < n; i++) {
    LLVMValueRef one = LLVMGetAggregateElement(v, i);
    if (one == NULL || LLVMIsAConstantInt(one) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(one)) > 64)
      return false;
    int64_t x = LLVMConstIntGetSExtValue(one);
    if (i == 0) *first = x;
    else if (i == 1) *step = (int64_t)((uint64_t)x - (uint64_t)*first);
    else if ((uint64_t)x != (uint64_t)*first + i * (uint64_t)*step) return false;
  }
  return n > 1;
}

static bool is_lane_by_lane(LLVMValueRef v) {
  if (LLVMIsAInstruction(v) == NULL) return false;
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMSExt:
  case LLVMZExt:
  case LLVMTrunc:
    return true;
  case LLVMGetElementPtr:
    return LLVMGetNumIndices(v) == 1;
  default:
    return false;
  }
}

/* Whether v is made of *leaf only, which is found where it is NULL. */
static bool find_leaf(LLVMValueRef v, unsigned depth, LLVMValueRef *leaf) {
  int64_t first, step;
  if (!is_vector(v) || kiln_splatted(v) != NULL || is_even(v, &first, &step)) return true;
  if (!is_lane_by_lane(v) || depth == MOST_DEPTH) {
    if (*leaf != NULL) return *leaf == v;
    *leaf = v;
    return true;
  }
  for (int k = 0; k < LLVMGetNumOperands(v); k++)
    if (!find_leaf(LLVMGetOperand(v, (unsigned)k), depth + 1, leaf)) return false;
  return true;
}

void kiln_extract_start(struct kl_lanes *l, struct kl_extract *x, LLVMValueRef all, bool apart) {
  *x = (struct kl_extract){.l = l, .all = all};
  if (!apart || !find_leaf(all, 0, &x->leaf)) x->leaf = all;
  if (x->leaf == NULL) return;
  x->place = LLVMBuildAlloca(l->e->top, LLVMTypeOf(x->leaf), "");
  LLVMBuildStore(l->e->b, x->leaf, x->place);
}

static LLVMValueRef even_element(const struct kl_extract *x, LLVMTypeRef type, int64_t first, int64_t step,
                                 LLVMValueRef lane) {
  LLVMBuilderRef b = x->l->e->b;
  LLVMValueRef index = LLVMBuildIntCast2(b, lane, type, false, "");
  LLVMValueRef made = LLVMBuildMul(b, index, LLVMConstInt(type, (uint64_t)step, true), "");
  return LLVMBuildAdd(b, made, LLVMConstInt(type, (uint64_t)first, true), "");
}

static LLVMValueRef element_of(const struct kl_extract *x, LLVMValueRef v, LLVMValueRef lane) {
  LLVMBuilderRef b = x->l->e->b;
  int64_t first, step;
  if (!is_vector(v)) return v;
  if (v == x->leaf) {
    LLVMValueRef from = LLVMBuildGEP2(b, element_type(v), x->place, &lane, 1, "");
    return LLVMBuildLoad2(b, element_type(v), from, "");
  }
  if (kiln_splatted(v) != NULL) return kiln_splatted(v);
  if (is_even(v, &first, &step)) return even_element(x, element_type(v), first, step, lane);
  LLVMValueRef one = element_of(x, LLVMGetOperand(v, 0), lane);
  if (LLVMIsACastInst(v) != NULL)
    return LLVMBuildCast(b, LLVMGetInstructionOpcode(v), one, element_type(v), "");
  LLVMValueRef other = element_of(x, LLVMGetOperand(v, 1), lane);
  if (LLVMIsAGetElementPtrInst(v) != NULL)
    return LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(v), one, &other, 1, "");
  return LLVMBuildBinOp(b, LLVMGetInstructionOpcode(v), one, other, "");
}

LLVMValueRef kiln_extract_lane(const struct kl_extract *x, LLVMValueRef lane) {
  return element_of(x, x->all, lane);
}
