/* Owns the choice between forms of builtins: what they ask of the processor becomes a constant, and where it
 * cannot pick from a table in registers, the table goes to memory. Must not know what the forms compute. */
#include "compiler/builtins.h"
#include "compiler/permutes.h"

#include <llvm-c/Core.h>
#include <string.h>

enum { MOST_FEATURES = 3, ENTRIES = 16 };

static const struct question {
  const char *name, *features[MOST_FEATURES];
} questions[] = {{"__kiln_avx512", {"+avx512f", "+avx512vl", "+avx512dq"}},
                 {"__kiln_fused", {"+fma"}} /* fma is one instruction */};

static bool is_true(const struct question *q, const char *features) {
  for (unsigned k = 0; k < MOST_FEATURES && q->features[k] != NULL; k++)
    if (strstr(features, q->features[k]) == NULL) return false;
  return true;
}

static void answer(LLVMValueRef asked, bool yes) {
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(asked));
  for (LLVMUseRef use = LLVMGetFirstUse(asked), next; use != NULL; use = next) {
    LLVMValueRef at = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    LLVMReplaceAllUsesWith(at, LLVMConstInt(type, yes, false));
    LLVMInstructionEraseFromParent(at);
  }
  LLVMDeleteFunction(asked);
}

/* ---- tables ---- */

/* A variable of these contents, which are constants; copies of a function share one. */
static LLVMValueRef table_of(LLVMModuleRef module, LLVMValueRef contents) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g))
    if (LLVMIsGlobalConstant(g) && LLVMGetInitializer(g) == contents &&
        LLVMGetLinkage(g) == LLVMPrivateLinkage)
      return g;
  LLVMValueRef made = LLVMAddGlobal(module, LLVMTypeOf(contents), "table");
  LLVMSetInitializer(made, contents);
  LLVMSetGlobalConstant(made, true);
  LLVMSetLinkage(made, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(made, LLVMGlobalUnnamedAddr);
  LLVMSetAlignment(made, 64);
  return made;
}

static void fetch(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef call) {
  LLVMValueRef entry[ENTRIES], index = LLVMGetOperand(call, 0);
  for (unsigned k = 0; k < ENTRIES; k++) entry[k] = LLVMGetOperand(call, k + 1);
  LLVMTypeRef type = LLVMTypeOf(call), array = LLVMArrayType2(type, ENTRIES);
  LLVMValueRef table = table_of(module, LLVMConstArray2(type, entry, ENTRIES));
  LLVMPositionBuilderBefore(b, call);
  index = LLVMBuildAnd(b, index, LLVMConstInt(LLVMTypeOf(index), ENTRIES - 1, false), "");
  LLVMValueRef at[] = {LLVMConstNull(LLVMTypeOf(index)), index};
  LLVMValueRef load = LLVMBuildLoad2(b, type, LLVMBuildInBoundsGEP2(b, array, table, at, 2, ""), "");
  LLVMReplaceAllUsesWith(call, load);
  LLVMInstructionEraseFromParent(call);
}

static void tables_to_memory(LLVMModuleRef module) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  static const char *const names[] = {"__kiln_look_up_f", "__kiln_look_up_d"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    LLVMValueRef fn = LLVMGetNamedFunction(module, names[i]);
    if (fn == NULL) continue;
    while (LLVMGetFirstUse(fn) != NULL) fetch(module, b, LLVMGetUser(LLVMGetFirstUse(fn)));
    LLVMDeleteFunction(fn);
  }
  LLVMDisposeBuilder(b);
}

bool kiln_builtins_settle(LLVMModuleRef module, const char *features) {
  bool any = false;
  kiln_permutes_settle(module, strstr(features, "+ssse3") != NULL);
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
    LLVMValueRef asked = LLVMGetNamedFunction(module, questions[i].name);
    if (asked == NULL) continue;
    answer(asked, is_true(&questions[i], features));
    any = true;
  }
  if (any && !is_true(&questions[0], features)) tables_to_memory(module);
  return any;
}
