/* See record_copies.h. */
#include "compiler/spmd/record_copies.h"

#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Target.h>

enum { MOST_MEMBERS = 16 };

/* Numbers and vectors that a record is made of, in order. */
struct members {
  LLVMTargetDataRef layout;
  LLVMTypeRef type[MOST_MEMBERS];
  uint64_t offset[MOST_MEMBERS], end; /* end: of those so far */
  unsigned n;
};

/* False: there are too many, or gaps between them. */
static bool add_members(struct members *m, LLVMTypeRef type, uint64_t offset) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++)
      if (!add_members(m, LLVMStructGetTypeAtIndex(type, k),
                       offset + LLVMOffsetOfElement(m->layout, type, k)))
        return false;
    return true;
  case LLVMArrayTypeKind: {
    LLVMTypeRef element = LLVMGetElementType(type);
    const uint64_t size = LLVMABISizeOfType(m->layout, element), n = LLVMGetArrayLength2(type);
    if (n > MOST_MEMBERS) return false;
    for (uint64_t k = 0; k < n; k++)
      if (!add_members(m, element, offset + k * size)) return false;
    return true;
  }
  default:
    if (m->n == MOST_MEMBERS || offset != m->end) return false;
    m->type[m->n] = type;
    m->offset[m->n++] = offset;
    m->end = offset + LLVMStoreSizeOfType(m->layout, type);
    return true;
  }
}

/* Of what a pointer into a private variable points to; NULL: it is another pointer. */
static LLVMTypeRef record_at(LLVMValueRef pointer) {
  if (LLVMIsAAllocaInst(pointer) != NULL) return LLVMGetAllocatedType(pointer);
  if (LLVMIsAGetElementPtrInst(pointer) == NULL || LLVMIsAAllocaInst(kiln_address_root(pointer)) == NULL)
    return NULL;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
  for (unsigned k = 2; k < (unsigned)LLVMGetNumOperands(pointer); k++) {
    const bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    LLVMValueRef index = LLVMGetOperand(pointer, k);
    type = is_struct ? LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index))
                     : LLVMGetElementType(type);
  }
  return type;
}

static bool find_members(LLVMValueRef copy, struct members *m) {
  LLVMValueRef size = LLVMGetOperand(copy, 2);
  *m = (struct members){.layout = LLVMGetModuleDataLayout(
                            LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(copy))))};
  for (unsigned k = 0; k < 2; k++) {
    LLVMTypeRef type = record_at(LLVMGetOperand(copy, k));
    m->n = 0;
    m->end = 0;
    if (type == NULL || LLVMGetTypeKind(type) != LLVMStructTypeKind || !add_members(m, type, 0)) continue;
    if (m->n > 1 && m->end == LLVMConstIntGetZExtValue(size)) return true;
  }
  return false;
}

static bool is_copy(LLVMValueRef i) {
  if (LLVMIsAMemCpyInst(i) == NULL || LLVMIsAConstantInt(LLVMGetOperand(i, 2)) == NULL) return false;
  return LLVMIsNull(LLVMGetOperand(i, 3)); /* not volatile */
}

/* Where a member begins. */
static LLVMValueRef place_of(LLVMBuilderRef b, LLVMValueRef record, uint64_t offset) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(record));
  LLVMValueRef bytes = LLVMConstInt(LLVMInt64TypeInContext(context), offset, false);
  return offset == 0 ? record
                     : LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(context), record, &bytes, 1, "");
}

static unsigned align_at(uint64_t align, uint64_t offset) {
  return (unsigned)(offset == 0 || align < (offset & -offset) ? align : offset & -offset);
}

/* All members are loaded before one is stored: a record may be copied onto itself. */
static LLVMValueRef split(LLVMBuilderRef b, LLVMValueRef i) {
  LLVMValueRef next = LLVMGetNextInstruction(i), value[MOST_MEMBERS];
  struct members m;
  if (!is_copy(i) || !find_members(i, &m)) return next;
  LLVMPositionBuilderBefore(b, i);
  for (unsigned k = 0; k < m.n; k++) {
    value[k] = LLVMBuildLoad2(b, m.type[k], place_of(b, LLVMGetOperand(i, 1), m.offset[k]), "");
    LLVMSetAlignment(value[k], align_at(kiln_argument_align(i, 1), m.offset[k]));
  }
  for (unsigned k = 0; k < m.n; k++) {
    LLVMValueRef store = LLVMBuildStore(b, value[k], place_of(b, LLVMGetOperand(i, 0), m.offset[k]));
    LLVMSetAlignment(store, align_at(kiln_argument_align(i, 0), m.offset[k]));
  }
  LLVMInstructionEraseFromParent(i);
  return next;
}

void kiln_spmd_split_copies(LLVMModuleRef module) { kiln_visit_instructions(module, split); }
