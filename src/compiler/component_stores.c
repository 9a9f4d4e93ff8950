/* Stores of vectors of which the program has changed a component or two, with what the others were before
 * (`a[i].y += x`): lanes would load, turn round and store whole vectors. Stored are the components that
 * change, in global memory, where vectors have 16 bytes or more and components 4 or 8: at most two, and no
 * more than half of them. In local memory what stores leave is soon loaded again, as a vector.
 *
 * Must not know what the memory is for. */
#include "compiler/pipeline.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  GLOBAL_SPACE = 1,
  MOST_COMPONENTS = 16,
  MOST_CHANGED = 2,
  MOST_STEPS = 16,
  MOST_BETWEEN = 64,
  LEAST_BYTES = 16
};

static unsigned size_of(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMFloatTypeKind:
    return 4;
  case LLVMDoubleTypeKind:
    return 8;
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type) % 32 == 0 ? LLVMGetIntTypeWidth(type) / 8 : 0;
  default:
    return 0;
  }
}

/* ---- where a component comes from ---- */

struct component {
  LLVMValueRef from; /* the component's value, or a vector that has it; NULL: not known */
  unsigned index;    /* in that vector */
};

/* One step back from component k of v. */
static struct component step_back(LLVMValueRef v, unsigned k) {
  if (LLVMIsAInsertElementInst(v)) {
    LLVMValueRef at = LLVMGetOperand(v, 2);
    if (!LLVMIsAConstantInt(at)) return (struct component){0};
    return (struct component){LLVMGetOperand(v, LLVMConstIntGetZExtValue(at) == k ? 1 : 0), k};
  }
  int lane = LLVMGetMaskValue(v, k);
  if (lane == LLVMGetUndefMaskElem()) return (struct component){0};
  unsigned n = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
  return (struct component){LLVMGetOperand(v, (unsigned)lane < n ? 0 : 1), (unsigned)lane % n};
}

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

static struct component find(LLVMValueRef v, unsigned k) {
  struct component c = {v, k};
  for (unsigned step = 0; step < MOST_STEPS && c.from != NULL && is_vector(c.from); step++) {
    if (!LLVMIsAInsertElementInst(c.from) && !LLVMIsAShuffleVectorInst(c.from)) return c;
    c = step_back(c.from, c.index);
  }
  return c.from != NULL && is_vector(c.from) ? (struct component){0} : c;
}

/* ---- what was there before ---- */

/* A load of the place that is stored to, since which nothing has changed in memory. */
static bool is_old(LLVMValueRef load, LLVMValueRef store) {
  if (!LLVMIsALoadInst(load) || !kiln_is_ordinary(load) ||
      LLVMGetOperand(load, 0) != LLVMGetOperand(store, 1) ||
      LLVMGetInstructionParent(load) != LLVMGetInstructionParent(store))
    return false;
  LLVMValueRef i = LLVMGetPreviousInstruction(store);
  for (unsigned n = 0; i != load && n < MOST_BETWEEN; n++) {
    if (i == NULL || kiln_may_write(i)) return false;
    i = LLVMGetPreviousInstruction(i);
  }
  return i == load;
}

/* ---- the stores ---- */

static void store_component(LLVMBuilderRef b, LLVMValueRef store, unsigned k, struct component c) {
  LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(store, 0)));
  LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
  LLVMValueRef value = c.from, index = LLVMConstInt(word, k, false);
  if (is_vector(value)) value = LLVMBuildExtractElement(b, value, LLVMConstInt(word, c.index, false), "");
  LLVMValueRef at = LLVMBuildInBoundsGEP2(b, type, LLVMGetOperand(store, 1), &index, 1, "");
  unsigned align = LLVMGetAlignment(store), size = size_of(type);
  LLVMSetAlignment(LLVMBuildStore(b, value, at), align < size ? align : size);
}

static bool is_unused(LLVMValueRef v) { return LLVMGetFirstUse(v) == NULL; }

/* v, and what it alone was made of. */
static void erase_unused(LLVMValueRef v) {
  if (!is_unused(v)) return;
  if (LLVMIsALoadInst(v)) {
    if (kiln_is_ordinary(v)) LLVMInstructionEraseFromParent(v);
    return;
  }
  if (!LLVMIsAInsertElementInst(v) && !LLVMIsAShuffleVectorInst(v)) return;
  LLVMValueRef x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
  LLVMInstructionEraseFromParent(v);
  const bool both = x != y && is_unused(y); /* y is then no part of x */
  erase_unused(x);
  if (both) erase_unused(y);
}

static void part(LLVMBuilderRef b, LLVMValueRef store) {
  LLVMValueRef value = LLVMGetOperand(store, 0), old = NULL;
  struct component changed[MOST_CHANGED];
  unsigned at[MOST_CHANGED], nchanged = 0, n = LLVMGetVectorSize(LLVMTypeOf(value));
  for (unsigned k = 0; k < n; k++) {
    struct component c = find(value, k);
    if (c.from == NULL) return;
    if (c.index == k && (old == c.from || (old == NULL && is_old(c.from, store)))) {
      old = c.from;
      continue;
    }
    if (nchanged == MOST_CHANGED) return;
    changed[nchanged] = c;
    at[nchanged++] = k;
  }
  if (old == NULL || 2 * nchanged > n) return;
  LLVMPositionBuilderBefore(b, store);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(store));
  for (unsigned k = 0; k < nchanged; k++) store_component(b, store, at[k], changed[k]);
  LLVMInstructionEraseFromParent(store);
  erase_unused(value);
}

static bool is_wanted(LLVMValueRef store) {
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
  if (!kiln_is_ordinary(store) || LLVMGetTypeKind(type) != LLVMVectorTypeKind) return false;
  if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(store, 1))) != GLOBAL_SPACE) return false;
  const unsigned n = LLVMGetVectorSize(type), size = size_of(LLVMGetElementType(type));
  return n <= MOST_COMPONENTS && (size == 4 || size == 8) && n * size >= LEAST_BYTES - (n == 3 ? size : 0);
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i);
  if (LLVMIsAStoreInst(i) && is_wanted(i)) part(b, i);
  return next;
}

bool kiln_stage_components(struct kiln_unit *unit) {
  kiln_visit_instructions(unit->module, visit);
  return true;
}
