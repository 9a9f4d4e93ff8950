/* Recognises what fills an array with constants; see table_fill.h. Must not know who asks. */
#include "compiler/table_fill.h"

#include "compiler/lifetime.h"
#include "compiler/value.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MOST_STEPS = 4,       /* of address computations between a variable and its accesses */
  MOST_ELEMENTS = 1024, /* of an array */
  MOST_WRITES = 256,
  CONSTANT_SPACE = 2
};

struct fill {
  LLVMValueRef variable;
  LLVMTargetDataRef layout;
  LLVMTypeRef element;
  uint64_t each, bytes; /* of an element, of the variable */
  struct {
    LLVMValueRef inst;
    int64_t offset; /* bytes; -1: it clears all */
  } write[MOST_WRITES];
  unsigned writes;
  LLVMValueRef value[MOST_ELEMENTS];
};

/* ---- addresses ---- */

/* Bytes that a GEP adds; false: they are not constant. */
static bool offset_of(const struct fill *f, LLVMValueRef gep, int64_t *offset) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++) {
    LLVMValueRef index = LLVMGetOperand(gep, k);
    if (k > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind) return false;
    if (k > 1) type = LLVMGetElementType(type);
    if (LLVMIsAConstantInt(index) == NULL) return false;
    *offset += LLVMConstIntGetSExtValue(index) * (int64_t)LLVMABISizeOfType(f->layout, type);
  }
  return true;
}

/* ---- what is done with the variable ---- */

static bool is_clearing(const struct fill *f, LLVMValueRef user) {
  if (LLVMIsAMemSetInst(user) == NULL || LLVMGetOperand(user, 0) != f->variable) return false;
  LLVMValueRef byte = LLVMGetOperand(user, 1), size = LLVMGetOperand(user, 2);
  return LLVMIsAConstantInt(byte) && LLVMIsNull(byte) && LLVMIsAConstantInt(size) &&
         LLVMConstIntGetZExtValue(size) == f->bytes && LLVMIsNull(LLVMGetOperand(user, 3));
}

static bool add_write(struct fill *f, LLVMValueRef inst, int64_t offset) {
  if (f->writes == MOST_WRITES) return false;
  f->write[f->writes].inst = inst;
  f->write[f->writes++].offset = offset;
  return true;
}

static bool add_store(struct fill *f, LLVMValueRef store, LLVMValueRef address, int64_t offset) {
  LLVMValueRef value = LLVMGetOperand(store, 0);
  bool fits = offset >= 0 && offset % (int64_t)f->each == 0 && (uint64_t)offset + f->each <= f->bytes;
  return LLVMGetOperand(store, 1) == address && kiln_is_ordinary(store) && fits &&
         LLVMTypeOf(value) == f->element &&
         (LLVMIsAConstantInt(value) != NULL || LLVMIsAConstantFP(value) != NULL) &&
         add_write(f, store, offset);
}

/* All uses of an address; offset: from the variable's start, if it is known. */
static bool find_uses(struct fill *f, LLVMValueRef address, bool known, int64_t offset, int steps) {
  for (LLVMUseRef u = LLVMGetFirstUse(address); u != NULL; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (LLVMIsALoadInst(user) && kiln_is_ordinary(user)) continue;
    if (address == f->variable && kiln_is_lifetime(user)) continue;
    if (LLVMIsAGetElementPtrInst(user) && steps > 0 &&
        LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind) {
      int64_t at = offset;
      bool there = known && offset_of(f, user, &at);
      if (!find_uses(f, user, there, at, steps - 1)) return false;
      continue;
    }
    bool writes = is_clearing(f, user)
                      ? add_write(f, user, -1)
                      : known && LLVMIsAStoreInst(user) && add_store(f, user, address, offset);
    if (!writes) return false;
  }
  return true;
}

/* ---- their order ---- */

static unsigned write_of(const struct fill *f, LLVMValueRef inst) {
  unsigned k = 0;
  while (k < f->writes && f->write[k].inst != inst) k++;
  return k;
}

static bool is_in_one_block(const struct fill *f) {
  for (unsigned k = 1; k < f->writes; k++)
    if (LLVMGetInstructionParent(f->write[k].inst) != LLVMGetInstructionParent(f->write[0].inst))
      return false;
  return f->writes > 0;
}

static bool reads(const struct fill *f, LLVMValueRef inst) {
  if (!LLVMIsALoadInst(inst)) return false;
  return kiln_address_root(LLVMGetOperand(inst, 0)) == f->variable;
}

static void note(struct fill *f, unsigned write) {
  int64_t offset = f->write[write].offset;
  if (offset >= 0) f->value[(uint64_t)offset / f->each] = LLVMGetOperand(f->write[write].inst, 0);
  for (uint64_t k = 0; offset < 0 && k < f->bytes / f->each; k++) f->value[k] = LLVMConstNull(f->element);
}

/* What the writes leave; false: something is read between two of them. (What is read before the first or by
 * another way around is not defined, or was written the last time.) */
static bool follow(struct fill *f) {
  unsigned done = 0;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(f->write[0].inst);
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); done < f->writes; i = LLVMGetNextInstruction(i)) {
    unsigned k = write_of(f, i);
    if (k == f->writes && done > 0 && reads(f, i)) return false;
    if (k == f->writes) continue;
    note(f, k);
    done++;
  }
  return true;
}

/* ---- the constant ---- */

static bool start(struct fill *f, LLVMValueRef variable) {
  LLVMTypeRef type = LLVMGetAllocatedType(variable), element = type;
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(variable)));
  if (LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMIsAConstantInt(LLVMGetOperand(variable, 0)) == NULL)
    return false;
  while (LLVMGetTypeKind(element) == LLVMArrayTypeKind) element = LLVMGetElementType(element);
  LLVMTypeKind kind = LLVMGetTypeKind(element);
  if (kind != LLVMIntegerTypeKind && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind &&
      kind != LLVMHalfTypeKind)
    return false;
  *f = (struct fill){.variable = variable, .layout = LLVMGetModuleDataLayout(module), .element = element};
  f->each = LLVMABISizeOfType(f->layout, element);
  f->bytes = LLVMABISizeOfType(f->layout, type);
  return LLVMConstIntGetZExtValue(LLVMGetOperand(variable, 0)) == 1 && f->bytes / f->each <= MOST_ELEMENTS;
}

static LLVMValueRef make_table(struct fill *f) {
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(f->variable)));
  unsigned n = (unsigned)(f->bytes / f->each);
  for (unsigned k = 0; k < n; k++)
    if (f->value[k] == NULL) f->value[k] = LLVMConstNull(f->element); /* never written */
  LLVMValueRef table =
      LLVMAddGlobalInAddressSpace(module, LLVMArrayType2(f->element, n), "table", CONSTANT_SPACE);
  LLVMSetInitializer(table, LLVMConstArray2(f->element, f->value, n));
  LLVMSetGlobalConstant(table, true);
  LLVMSetLinkage(table, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
  LLVMSetAlignment(table, LLVMGetAlignment(f->variable));
  return table;
}

LLVMValueRef kiln_table_of_stores(LLVMValueRef variable) {
  struct fill f;
  if (!start(&f, variable) || !find_uses(&f, variable, true, 0, MOST_STEPS) || !is_in_one_block(&f) ||
      !follow(&f))
    return NULL;
  LLVMValueRef table = make_table(&f);
  for (unsigned k = 0; k < f.writes; k++) LLVMInstructionEraseFromParent(f.write[k].inst);
  return table;
}
