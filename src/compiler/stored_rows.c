/* Owns a change before code generation: loads across vectors just stored become shuffles. Must know nothing
 * of kernels. */
#include "compiler/stored_rows.h"

#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  MOST_ROWS = 32,
  MOST_LANES = 64,
  LEAST_BYTES = 4, /* of an element: narrower ones are slow to shift */
  NEAR = 96,       /* instructions; what was stored before that lies in the cache, and registers are few */
  MASK = 2,        /* operands of llvm.masked.load and gather */
  OTHERWISE = 3,
  FEW = 16,  /* instructions of a block on the side */
  RECENT = 4 /* blocks of which is known how they end */
};

struct place {
  LLVMValueRef base;
  int64_t offset; /* bytes */
};

/* A vector that lies in memory. */
struct row {
  struct place at;
  bool is_own;
  LLVMValueRef value;
  uint32_t when; /* instructions on the way before it */
};

/* Rows that are in memory at a place. */
struct state {
  struct row row[MOST_ROWS]; /* the oldest first */
  unsigned rows;
  uint32_t now;
};

struct walk {
  LLVMTargetDataRef layout;
  LLVMBuilderRef b;
  unsigned own, elsewhere; /* kinds of marks: apart from buffers, and in one (spmd/own_scope.h) */
  struct state s;
  struct state end[RECENT]; /* of blocks, in turn */
  LLVMBasicBlockRef ended[RECENT];
  unsigned next;
};

/* ---- types and addresses ---- */

static bool is_vector(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMVectorTypeKind; }

static int64_t element_bytes(const struct walk *w, LLVMTypeRef vector) {
  return (int64_t)LLVMABISizeOfType(w->layout, LLVMGetElementType(vector));
}

/* Vectors of numbers that are whole bytes, none of them wider than a register's word. */
static bool is_row(const struct walk *w, LLVMTypeRef type) {
  if (!is_vector(type) || LLVMGetVectorSize(type) > MOST_LANES) return false;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(type));
  bool whole = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
               (kind == LLVMIntegerTypeKind &&
                LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 8 * (unsigned)element_bytes(w, type));
  return whole && element_bytes(w, type) >= LEAST_BYTES && element_bytes(w, type) <= 8;
}

/* Bytes that a GEP of numbers adds, into arrays of arrays at most; in a lane, where some differ from lane to
 * lane. False: it is another. */
static bool known_offset(const struct walk *w, LLVMValueRef gep, unsigned lane, int64_t *offset) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  *offset = 0;
  for (unsigned k = 1, n = (unsigned)LLVMGetNumOperands(gep); k < n; k++) {
    LLVMValueRef index = LLVMGetOperand(gep, k);
    if (k > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind) return false;
    if (k > 1) type = LLVMGetElementType(type);
    if (is_vector(LLVMTypeOf(index)))
      index = LLVMIsConstant(index) ? LLVMGetAggregateElement(index, lane) : NULL;
    if (index == NULL || !LLVMIsAConstantInt(index)) return false;
    *offset += (int64_t)LLVMABISizeOfType(w->layout, type) * LLVMConstIntGetSExtValue(index);
  }
  return true;
}

static struct place place_of(const struct walk *w, LLVMValueRef pointer) {
  struct place p = {pointer, 0};
  int64_t offset;
  while (LLVMIsAGetElementPtrInst(p.base) && known_offset(w, p.base, 0, &offset)) {
    p.offset += offset;
    p.base = LLVMGetOperand(p.base, 0);
  }
  return p;
}

static int64_t row_bytes(const struct walk *w, LLVMValueRef value) {
  return (int64_t)LLVMStoreSizeOfType(w->layout, LLVMTypeOf(value));
}

/* ---- what is known of memory ---- */

static void drop_row(struct walk *w, unsigned k) {
  memmove(w->s.row + k, w->s.row + k + 1, (--w->s.rows - k) * sizeof *w->s.row);
}

static bool is_marked(LLVMValueRef access, unsigned kind) { return LLVMGetMetadata(access, kind) != NULL; }

/* Bytes have been written by `store`: places from other bases may be the same. */
static void forget(struct walk *w, LLVMValueRef store, struct place at, int64_t bytes) {
  const bool is_elsewhere = is_marked(store, w->elsewhere);
  for (unsigned k = w->s.rows; k-- > 0;) {
    const struct row *r = &w->s.row[k];
    bool apart = r->at.base == at.base &&
                 (r->at.offset + row_bytes(w, r->value) <= at.offset || at.offset + bytes <= r->at.offset);
    apart |= r->is_own && is_elsewhere;
    if (!apart || w->s.now - r->when > NEAR) drop_row(w, k);
  }
}

static void note_store(struct walk *w, LLVMValueRef store) {
  LLVMValueRef value = LLVMGetOperand(store, 0);
  struct place at = place_of(w, LLVMGetOperand(store, 1));
  forget(w, store, at, row_bytes(w, value));
  if (!kiln_is_ordinary(store) || !is_row(w, LLVMTypeOf(value))) return;
  if (w->s.rows == MOST_ROWS) drop_row(w, 0);
  w->s.row[w->s.rows++] = (struct row){at, is_marked(store, w->own), value, w->s.now};
}

/* What is not known has been written: where, its marks may say. */
static void note_other(struct walk *w, LLVMValueRef writer) {
  const bool is_elsewhere = is_marked(writer, w->elsewhere);
  for (unsigned k = w->s.rows; k-- > 0;)
    if (!is_elsewhere || !w->s.row[k].is_own) drop_row(w, k);
}

/* ---- loads ---- */

struct sources {
  LLVMValueRef of[2]; /* vectors of the load's type, but for the kind of their elements */
  unsigned n;
  int index[MOST_LANES]; /* lane k is element index[k] of both, one after the other; -1: any */
};

static bool add_source(struct sources *s, LLVMValueRef value, unsigned *at_out) {
  for (*at_out = 0; *at_out < s->n; ++*at_out)
    if (s->of[*at_out] == value) return true;
  if (s->n == 2) return false;
  s->of[s->n++] = value;
  return true;
}

/* What a load of this type has in a lane, which it reads at `at`. */
static bool find_element(const struct walk *w, struct sources *s, LLVMTypeRef type, struct place at,
                         unsigned lane) {
  const int64_t each = element_bytes(w, type);
  const unsigned lanes = LLVMGetVectorSize(type);
  for (unsigned k = w->s.rows; k-- > 0;) {
    const struct row *r = &w->s.row[k];
    const int64_t within = at.offset - r->at.offset;
    unsigned source;
    if (r->at.base != at.base || within < 0 || within >= row_bytes(w, r->value)) continue;
    LLVMTypeRef stored = LLVMTypeOf(r->value);
    if (element_bytes(w, stored) != each || LLVMGetVectorSize(stored) != lanes || within % each != 0 ||
        w->s.now - r->when > NEAR || !add_source(s, r->value, &source))
      return false;
    s->index[lane] = (int)(source * lanes + (unsigned)(within / each));
    return true;
  }
  return false;
}

/* Whether lane k of a load under a constant mask reads nothing. */
static bool is_off(LLVMValueRef mask, unsigned k) {
  if (mask == NULL) return false;
  LLVMValueRef bit = LLVMGetAggregateElement(mask, k);
  return bit != NULL && LLVMIsAConstantInt(bit) && LLVMConstIntGetZExtValue(bit) == 0;
}

/* Where a load reads: the elements from a place on, or, as a gather, those that lie so many bytes from it. */
struct origin {
  struct place at;
  const int64_t *offset; /* by lane; NULL: one element after the other */
};

static struct place lane_place(const struct walk *w, const struct origin *from, LLVMTypeRef type,
                               unsigned lane) {
  struct place p = from->at;
  p.offset += from->offset != NULL ? from->offset[lane] : (int64_t)lane * element_bytes(w, type);
  return p;
}

/* mask and otherwise: NULL, or a constant and what lanes have that are off. */
static bool find_sources(const struct walk *w, struct sources *s, LLVMTypeRef type, const struct origin *from,
                         LLVMValueRef mask, LLVMValueRef otherwise) {
  const unsigned lanes = LLVMGetVectorSize(type);
  for (unsigned k = 0; k < lanes; k++) {
    unsigned source;
    if (!is_off(mask, k)) {
      if (!find_element(w, s, type, lane_place(w, from, type, k), k)) return false;
    } else if (LLVMIsUndef(otherwise)) {
      s->index[k] = -1;
    } else if (add_source(s, otherwise, &source)) {
      s->index[k] = (int)(source * lanes + k);
    } else {
      return false;
    }
  }
  return s->n > 0;
}

static LLVMValueRef build_shuffle(struct walk *w, const struct sources *s, LLVMTypeRef type) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
  LLVMValueRef index[MOST_LANES], of[2] = {NULL, LLVMGetPoison(type)};
  for (unsigned k = 0; k < LLVMGetVectorSize(type); k++)
    index[k] = s->index[k] < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)s->index[k], false);
  for (unsigned k = 0; k < s->n; k++) of[k] = LLVMBuildBitCast(w->b, s->of[k], type, "");
  return LLVMBuildShuffleVector(w->b, of[0], of[1], LLVMConstVector(index, LLVMGetVectorSize(type)), "");
}

/* What is known of a mask: lanes that are off in it. */
static LLVMValueRef constant_part(LLVMValueRef mask) {
  if (mask == NULL || LLVMIsConstant(mask)) return mask;
  if (LLVMIsABinaryOperator(mask) == NULL || LLVMGetInstructionOpcode(mask) != LLVMAnd) return NULL;
  for (unsigned k = 0; k < 2; k++)
    if (LLVMIsConstant(LLVMGetOperand(mask, k))) return LLVMGetOperand(mask, k);
  return NULL;
}

/* mask: NULL, or a vector; what is known of it is a constant. */
static void replace(struct walk *w, LLVMValueRef load, const struct origin *from, LLVMValueRef mask,
                    LLVMValueRef otherwise) {
  struct sources s = {.n = 0};
  LLVMTypeRef type = LLVMTypeOf(load);
  const bool is_constant = mask != NULL && LLVMIsConstant(mask);
  LLVMValueRef none = LLVMGetPoison(type);
  if (w->s.rows == 0 || !is_row(w, type) ||
      !find_sources(w, &s, type, from, constant_part(mask), is_constant ? otherwise : none))
    return;
  LLVMPositionBuilderBefore(w->b, load);
  LLVMValueRef made = build_shuffle(w, &s, type);
  if (mask != NULL && !is_constant && !LLVMIsUndef(otherwise))
    made = LLVMBuildSelect(w->b, mask, made, otherwise, "");
  LLVMReplaceAllUsesWith(load, made);
  LLVMInstructionEraseFromParent(load);
}

static void replace_load(struct walk *w, LLVMValueRef load, LLVMValueRef pointer, LLVMValueRef mask,
                         LLVMValueRef otherwise) {
  const struct origin from = {.at = place_of(w, pointer)};
  replace(w, load, &from, mask, otherwise);
}

/* ---- gathers ---- */

/* Where the lanes that may be on read, in bytes from one address. */
static bool find_offsets(const struct walk *w, LLVMValueRef gather, int64_t *offset) {
  LLVMValueRef gep = LLVMGetOperand(gather, 0), mask = constant_part(LLVMGetOperand(gather, MASK));
  if (!LLVMIsAGetElementPtrInst(gep) || is_vector(LLVMTypeOf(LLVMGetOperand(gep, 0)))) return false;
  for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(gather)); k++)
    if (!is_off(mask, k) && !known_offset(w, gep, k, &offset[k])) return false;
  return true;
}

/* A gather of what lies in two vectors: of a row, as masks come to be known; of neighbours beyond the end of
 * local memory, which follow at its beginning. */
static void replace_gather(struct walk *w, LLVMValueRef gather) {
  int64_t offset[MOST_LANES];
  if (!is_row(w, LLVMTypeOf(gather)) || !find_offsets(w, gather, offset)) return;
  const struct origin from = {place_of(w, LLVMGetOperand(LLVMGetOperand(gather, 0), 0)), offset};
  replace(w, gather, &from, LLVMGetOperand(gather, MASK), LLVMGetOperand(gather, OTHERWISE));
}

/* ---- calls ---- */

static void visit_call(struct walk *w, LLVMValueRef call) {
  LLVMValueRef fn = LLVMGetCalledValue(call);
  if (kiln_name_begins(fn, "llvm.masked.load."))
    replace_load(w, call, LLVMGetOperand(call, 0), LLVMGetOperand(call, MASK),
                 LLVMGetOperand(call, OTHERWISE));
  else if (kiln_name_begins(fn, "llvm.masked.gather.")) replace_gather(w, call);
  else if (kiln_may_write(call)) note_other(w, call);
}

/* ---- the walk ---- */

static void visit(struct walk *w, LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMStore:
    note_store(w, i);
    break;
  case LLVMLoad:
    if (kiln_is_ordinary(i)) replace_load(w, i, LLVMGetOperand(i, 0), NULL, NULL);
    break;
  case LLVMCall:
    visit_call(w, i);
    break;
  default:
    if (kiln_may_write(i)) note_other(w, i);
  }
}

/* ---- from block to block ---- */

static bool is_quiet(LLVMBasicBlockRef block) {
  unsigned n = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i))
    if (kiln_may_write(i) || ++n > FEW) return false;
  return true;
}

/* Up to two blocks that lead to one; more are counted. */
static unsigned predecessors(LLVMBasicBlockRef block, LLVMBasicBlockRef from[2]) {
  unsigned n = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use != NULL;
       use = LLVMGetNextUse(use)) {
    LLVMValueRef branch = LLVMGetUser(use);
    if (LLVMIsATerminatorInst(branch) == NULL) continue;
    if (n < 2) from[n] = LLVMGetInstructionParent(branch);
    n++;
  }
  return n;
}

/* A block that all come by, with nothing written on the way; NULL: none is near. */
static LLVMBasicBlockRef comes_from(LLVMBasicBlockRef block) {
  LLVMBasicBlockRef from[2], side[2];
  const unsigned n = predecessors(block, from);
  if (n == 1) return from[0];
  for (unsigned k = 0; n == 2 && k < 2; k++)
    if (predecessors(from[k], side) == 1 && side[0] == from[1 - k] && is_quiet(from[k])) return side[0];
  return NULL;
}

static void begin(struct walk *w, LLVMBasicBlockRef block) {
  LLVMBasicBlockRef before = comes_from(block);
  w->s.rows = w->s.now = 0;
  for (unsigned k = 0; k < RECENT; k++)
    if (before != NULL && w->ended[k] == before) w->s = w->end[k];
}

static void end(struct walk *w, LLVMBasicBlockRef block) {
  w->ended[w->next] = block;
  w->end[w->next] = w->s;
  w->next = (w->next + 1) % RECENT;
}

void kiln_shuffle_stored_rows(LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  struct walk w = {.layout = LLVMGetModuleDataLayout(module),
                   .b = LLVMCreateBuilderInContext(context),
                   .own = LLVMGetMDKindIDInContext(context, "alias.scope", strlen("alias.scope")),
                   .elsewhere = LLVMGetMDKindIDInContext(context, "noalias", strlen("noalias"))};
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block != NULL;
         block = LLVMGetNextBasicBlock(block)) {
      begin(&w, block);
      for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i != NULL; i = next, w.s.now++) {
        next = LLVMGetNextInstruction(i);
        visit(&w, i);
      }
      end(&w, block);
    }
  LLVMDisposeBuilder(w.b);
}
