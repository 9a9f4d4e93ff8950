/* One lane's element of a vector, for a loop over lanes: computed from what the vector was made of, down to
 * scalars, vectors of constants that go up evenly, and at most one other vector, which lies on the stack. So
 * the wide vectors that lead to 64-bit addresses need not be made. */
#include "compiler/spmd/lane_access.h"
#include "compiler/value.h"

enum { MOST_DEPTH = 8, MOST_DEPTH_SHORT = 20, MOST_VALUES = 64, WORD = 8, HALF = 32 /* bytes */ };

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

bool kiln_extract_has_place(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) >= 8;
}

static bool has_place(LLVMValueRef v) { return kiln_extract_has_place(element_type(v)); }

/* The address of an element of the array that a pointer leads to. */
static bool is_element_of_array(LLVMValueRef gep) {
  LLVMValueRef first = LLVMGetOperand(gep, 1);
  return LLVMGetNumIndices(gep) == 2 && LLVMIsAConstantInt(first) != NULL && LLVMIsNull(first) &&
         LLVMGetTypeKind(LLVMGetGEPSourceElementType(gep)) == LLVMArrayTypeKind;
}

/* Worth computing for one lane. In loops that may be unrolled, and run often, only what is part of an access
 * or next to nothing is: arithmetic takes one instruction for all lanes. */
static bool is_lane_by_lane(LLVMValueRef v, enum kl_extract_form form) {
  if (LLVMIsAInstruction(v) == NULL) return false;
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
    return form != KL_EXTRACT_IN_TURN;
  case LLVMOr:
  case LLVMAnd:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMICmp:
  case LLVMSelect:
  case LLVMFDiv:
  case LLVMFMul:
  case LLVMSIToFP:
  case LLVMUIToFP:
  case LLVMFPToSI:
  case LLVMFPToUI:
    return form == KL_EXTRACT_SHORT;
  case LLVMTrunc:
    return true;
  case LLVMSExt:
  case LLVMZExt:
    return has_place(LLVMGetOperand(v, 0));
  case LLVMGetElementPtr:
    return LLVMGetNumIndices(v) == 1 || is_element_of_array(v);
  default:
    return false;
  }
}

struct search {
  enum kl_extract_form form;
  LLVMValueRef leaf; /* NULL: none found so far */
  unsigned left;     /* values that may be looked at; each is computed once more */
};

/* Whether v is made of one leaf only. A truth value has no place on the stack to be read from. */
static bool find_leaf(struct search *s, LLVMValueRef v, unsigned depth) {
  int64_t first, step;
  if (!is_vector(v) || kiln_splatted(v) != NULL || is_even(v, &first, &step)) return true;
  if (s->left-- == 0) return false;
  if (!is_lane_by_lane(v, s->form) ||
      depth == (s->form == KL_EXTRACT_SHORT ? MOST_DEPTH_SHORT : MOST_DEPTH)) {
    if (s->leaf != NULL) return s->leaf == v;
    s->leaf = v;
    return s->form != KL_EXTRACT_SHORT || has_place(v);
  }
  /* The lanes that loops run for are on. */
  if (kiln_lanes_is_guard(v)) return find_leaf(s, LLVMGetOperand(v, 1), depth + 1);
  for (int k = 0; k < LLVMGetNumOperands(v); k++)
    if (!find_leaf(s, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
  return true;
}

static LLVMValueRef leaf_of(LLVMValueRef all, enum kl_extract_form form) {
  if (form == KL_EXTRACT_WHOLE) return all;
  struct search s = {.form = form, .left = MOST_VALUES};
  if (find_leaf(&s, all, 0)) return s.leaf;
  return form == KL_EXTRACT_SHORT ? leaf_of(all, KL_EXTRACT_APART) : all;
}

/* Registers of 512 bits in halves that code generation keeps apart. A loop unrolled takes its elements from
 * registers; in quarters, which are taken straight from the whole, later lanes' addresses would be known
 * before those of earlier ones, and what is loaded there too early is loaded again, with all that follows
 * (histograms on Zen 4: ten times as long). Narrow elements as words of 64 bits, of which general registers
 * hold eight or four of them (twice as fast). */
static void put_pieces(struct kl_extract *x, unsigned bytes) {
  struct kl_lanes *l = x->l;
  LLVMBuilderRef b = l->e->b;
  LLVMTypeRef type = element_type(x->leaf);
  const unsigned n = LLVMGetVectorSize(LLVMTypeOf(x->leaf)),
                 each = bytes / (unsigned)kiln_map_size(l->e->map, type);
  for (unsigned first = 0; first < n; first += each) {
    LLVMValueRef index = LLVMConstInt(l->e->map->i64, first, false);
    LLVMValueRef piece = kiln_lanes_some_of(l, x->leaf, first, each);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
      piece = LLVMBuildPtrToInt(b, piece, LLVMVectorType(l->e->map->i64, each), "");
    if (bytes == WORD) piece = LLVMBuildBitCast(b, piece, l->e->map->i64, "");
    else piece = kiln_lanes_fence(l, piece);
    LLVMBuildStore(b, piece, LLVMBuildGEP2(b, type, x->place, &index, 1, ""));
  }
}

/* Bytes of a piece; 0: all is one. */
static unsigned piece_of(const struct kl_extract *x) {
  LLVMTypeRef type = element_type(x->leaf);
  const uint64_t size = kiln_map_size(x->l->e->map, type),
                 all = size * LLVMGetVectorSize(LLVMTypeOf(x->leaf));
  if (size < 4 && all > WORD) return WORD;
  return all > HALF ? HALF : 0;
}

void kiln_extract_start(struct kl_lanes *l, struct kl_extract *x, LLVMValueRef all,
                        enum kl_extract_form form) {
  *x = (struct kl_extract){.l = l, .all = all, .leaf = leaf_of(all, form)};
  if (x->leaf == NULL || !has_place(x->leaf)) return;
  x->place = LLVMBuildAlloca(l->e->top, LLVMTypeOf(x->leaf), "");
  const unsigned piece = form == KL_EXTRACT_IN_TURN ? piece_of(x) : 0;
  if (piece != 0) put_pieces(x, piece);
  else LLVMBuildStore(l->e->b, x->leaf, x->place);
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
  if (v == x->leaf && x->known != NULL) return x->known;
  if (v == x->leaf && x->place == NULL) return LLVMBuildExtractElement(b, v, lane, "");
  if (v == x->leaf) {
    LLVMValueRef from = LLVMBuildGEP2(b, element_type(v), x->place, &lane, 1, "");
    return LLVMBuildLoad2(b, element_type(v), from, "");
  }
  if (kiln_splatted(v) != NULL) return kiln_splatted(v);
  if (is_even(v, &first, &step)) return even_element(x, element_type(v), first, step, lane);
  if (kiln_lanes_is_guard(v)) return element_of(x, LLVMGetOperand(v, 1), lane);
  LLVMValueRef one = element_of(x, LLVMGetOperand(v, 0), lane);
  if (LLVMIsACastInst(v) != NULL)
    return LLVMBuildCast(b, LLVMGetInstructionOpcode(v), one, element_type(v), "");
  LLVMValueRef other = element_of(x, LLVMGetOperand(v, (unsigned)LLVMGetNumOperands(v) - 1), lane);
  if (LLVMIsAGetElementPtrInst(v) != NULL) {
    LLVMTypeRef array = LLVMGetGEPSourceElementType(v);
    return LLVMBuildGEP2(b, LLVMGetNumIndices(v) == 1 ? array : LLVMGetElementType(array), one, &other, 1,
                         "");
  }
  if (LLVMIsAICmpInst(v) != NULL) return LLVMBuildICmp(b, LLVMGetICmpPredicate(v), one, other, "");
  if (LLVMIsASelectInst(v) != NULL)
    return LLVMBuildSelect(b, one, element_of(x, LLVMGetOperand(v, 1), lane), other, "");
  return LLVMBuildBinOp(b, LLVMGetInstructionOpcode(v), one, other, "");
}

LLVMValueRef kiln_extract_lane(const struct kl_extract *x, LLVMValueRef lane) {
  return element_of(x, x->all, lane);
}

/* ---- several lanes ---- */

/* Element k of those that a word holds. */
static LLVMValueRef cut(struct kl_lanes *l, LLVMValueRef word, LLVMTypeRef element, unsigned k) {
  LLVMBuilderRef b = l->e->b;
  const unsigned bits = 8 * (unsigned)kiln_map_size(l->e->map, element);
  LLVMTypeRef number = LLVMIntTypeInContext(l->e->env->context, bits);
  LLVMValueRef moved = LLVMBuildLShr(b, word, LLVMConstInt(LLVMTypeOf(word), (uint64_t)k * bits, false), "");
  return LLVMBuildBitCast(b, LLVMBuildTrunc(b, moved, number, ""), element, "");
}

void kiln_lanes_elements(struct kl_lanes *l, LLVMTypeRef element, LLVMValueRef place, LLVMValueRef index,
                         unsigned n, LLVMValueRef *out) {
  LLVMBuilderRef b = l->e->b;
  const unsigned size = (unsigned)kiln_map_size(l->e->map, element), most = size < WORD ? WORD / size : 1,
                 each = most < n ? most : n;
  LLVMTypeRef word = each == 1 ? element : LLVMIntTypeInContext(l->e->env->context, 8 * size * each);
  for (unsigned first = 0; first < n; first += each) {
    LLVMValueRef at = LLVMBuildNUWAdd(b, index, LLVMConstInt(LLVMTypeOf(index), first, false), "");
    LLVMValueRef all = LLVMBuildLoad2(b, word, LLVMBuildGEP2(b, element, place, &at, 1, ""), "");
    LLVMSetAlignment(all, size * each);
    for (unsigned k = 0; k < each; k++) out[first + k] = each == 1 ? all : cut(l, all, element, k);
  }
}

void kiln_extract_lanes(const struct kl_extract *x, LLVMValueRef lane, unsigned n, LLVMValueRef *out) {
  LLVMValueRef leaf[KL_MOST_LANES] = {NULL};
  if (x->place != NULL) kiln_lanes_elements(x->l, element_type(x->leaf), x->place, lane, n, leaf);
  for (unsigned k = 0; k < n; k++) {
    struct kl_extract one = *x;
    one.known = leaf[k];
    LLVMValueRef number = LLVMConstInt(LLVMTypeOf(lane), k, false);
    out[k] = kiln_extract_lane(&one, LLVMBuildNUWAdd(x->l->e->b, lane, number, ""));
  }
}
