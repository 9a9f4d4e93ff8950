/* Owns private variables that are filled with constants once, whole, and only read. Clang makes one of each
 * array with an initializer; as lanes each work-item would fill and keep a copy. Must not know what they
 * are for. */
#include "compiler/constant_tables.h"

#include "compiler/lifetime.h"
#include "compiler/table_fill.h"
#include "compiler/value.h"
#include "compiler/visit.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MOST_STEPS = 4,  /* of address computations between a variable and its accesses */
  MOST_INDICES = 8 /* of one of them */
};

static bool is_copy(LLVMValueRef user) {
  unsigned id = LLVMLookupIntrinsicID("llvm.memcpy", 11);
  return LLVMIsAIntrinsicInst(user) != NULL && LLVMGetIntrinsicID(LLVMGetCalledValue(user)) == id;
}

static bool is_plain_load(LLVMValueRef user) {
  return LLVMIsALoadInst(user) != NULL && kiln_is_ordinary(user);
}

static bool is_address(LLVMValueRef user) {
  return LLVMIsAGetElementPtrInst(user) != NULL && LLVMGetNumOperands(user) <= MOST_INDICES &&
         LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind;
}

/* The constant that a copy fills all of the variable with; NULL: it does something else. */
static LLVMValueRef source_of(LLVMValueRef copy, LLVMValueRef variable) {
  if (!is_copy(copy)) return NULL;
  LLVMValueRef from = LLVMGetOperand(copy, 1), size = LLVMGetOperand(copy, 2);
  if (LLVMGetOperand(copy, 0) != variable || LLVMIsAGlobalVariable(from) == NULL) return NULL;
  if (!LLVMIsGlobalConstant(from) || LLVMIsDeclaration(from) || LLVMIsAConstantInt(size) == NULL) return NULL;
  LLVMTargetDataRef layout =
      LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(copy))));
  uint64_t bytes = LLVMConstIntGetZExtValue(size);
  return bytes == LLVMABISizeOfType(layout, LLVMGetAllocatedType(variable)) &&
                 bytes == LLVMABISizeOfType(layout, LLVMGlobalGetValueType(from))
             ? from
             : NULL;
}

/* All uses of the address read; of the variable itself, one more fills it: *copy_out. */
static bool is_read_only(LLVMValueRef address, LLVMValueRef *copy_out, int steps) {
  for (LLVMUseRef u = LLVMGetFirstUse(address); u != NULL; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (is_plain_load(user) || (copy_out != NULL && kiln_is_lifetime(user))) continue;
    if (is_address(user) && steps > 0 && is_read_only(user, NULL, steps - 1)) continue;
    if (copy_out == NULL || *copy_out != NULL || source_of(user, address) == NULL) return false;
    *copy_out = user;
  }
  return copy_out == NULL || *copy_out != NULL;
}

static void redirect(LLVMBuilderRef b, LLVMValueRef address, LLVMValueRef to);

/* What used an address uses another one, in constant memory. */
static void redirect_user(LLVMBuilderRef b, LLVMValueRef user, LLVMValueRef to) {
  LLVMPositionBuilderBefore(b, user);
  if (LLVMIsALoadInst(user)) {
    LLVMValueRef load = LLVMBuildLoad2(b, LLVMTypeOf(user), to, "");
    LLVMSetAlignment(load, LLVMGetAlignment(user));
    LLVMReplaceAllUsesWith(user, load);
  } else if (LLVMIsAGetElementPtrInst(user)) {
    LLVMValueRef index[MOST_INDICES];
    unsigned n = (unsigned)LLVMGetNumOperands(user) - 1;
    for (unsigned k = 0; k < n; k++) index[k] = LLVMGetOperand(user, k + 1);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(user);
    redirect(b, user,
             LLVMIsInBounds(user) ? LLVMBuildInBoundsGEP2(b, type, to, index, n, "")
                                  : LLVMBuildGEP2(b, type, to, index, n, ""));
  }
  LLVMInstructionEraseFromParent(user);
}

static void redirect(LLVMBuilderRef b, LLVMValueRef address, LLVMValueRef to) {
  for (LLVMUseRef u; (u = LLVMGetFirstUse(address)) != NULL;) redirect_user(b, LLVMGetUser(u), to);
}

/* No less aligned than the loads of the variable have it. */
static void align(LLVMValueRef table, LLVMValueRef variable) {
  if (LLVMGetAlignment(table) < LLVMGetAlignment(variable))
    LLVMSetAlignment(table, LLVMGetAlignment(variable));
}

static void replace(LLVMBuilderRef b, LLVMValueRef variable) {
  LLVMValueRef copy = NULL, table;
  if (is_read_only(variable, &copy, MOST_STEPS)) {
    table = LLVMGetOperand(copy, 1);
    align(table, variable);
    LLVMInstructionEraseFromParent(copy);
  } else {
    table = kiln_table_of_stores(variable);
  }
  if (table != NULL) redirect(b, variable, table);
}

static LLVMValueRef visit(LLVMBuilderRef b, LLVMValueRef i) {
  if (LLVMIsAAllocaInst(i) != NULL) replace(b, i);
  return LLVMGetNextInstruction(i); /* only now: users have gone */
}

void kiln_constant_tables(LLVMModuleRef module) { kiln_visit_instructions(module, visit); }
