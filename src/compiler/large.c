/* Owns the limits at which a function counts as large; see large.h. Must not know what a function is for. */
#include "compiler/large.h"

#include <llvm-c/Core.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

enum {
  MOST_BLOCKS = 4000,     /* simplifycfg folds a chain of n merges in n*n/2 steps: half a second */
  MOST_IN_BLOCK = 20000,  /* instructions; two-address conversion and scheduling: several seconds */
  MOST_PASSES_TEXT = 1024 /* bytes of a list of passes */
};

static bool is_large(LLVMValueRef function) { return LLVMCountBasicBlocks(function) > MOST_BLOCKS; }

static bool any_large(LLVMModuleRef module) {
  LLVMValueRef f = LLVMGetFirstFunction(module);
  while (f != NULL && !is_large(f)) f = LLVMGetNextFunction(f);
  return f != NULL;
}

static LLVMErrorRef run(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *list) {
  char text[MOST_PASSES_TEXT];
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  snprintf(text, sizeof text, "function(%s)", list);
  LLVMErrorRef error = LLVMRunPasses(module, text, machine, options);
  LLVMDisposePassBuilderOptions(options);
  return error;
}

/* Runs the list on the functions that are large, or on those that are not: the others carry for that time the
 * attribute that has passes leave them alone, which no function has otherwise. (The C interface has no way to
 * run passes on one function.) */
static LLVMErrorRef run_on(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *list, bool large) {
  const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  unsigned kind = LLVMGetEnumAttributeKindForName("optnone", 7);
  LLVMAttributeRef alone = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (is_large(f) != large) LLVMAddAttributeAtIndex(f, at, alone);
  LLVMErrorRef error = run(module, machine, list);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    LLVMRemoveEnumAttributeAtIndex(f, at, kind);
  return error;
}

LLVMErrorRef kiln_large_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *usual,
                                   const char *frugal) {
  if (!any_large(module)) return run(module, machine, usual);
  LLVMErrorRef error = run_on(module, machine, frugal, true); /* first: it makes no function larger */
  return error != NULL ? error : run_on(module, machine, usual, false);
}

static bool is_long(LLVMBasicBlockRef block) {
  unsigned count = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i)) count++;
  return count > MOST_IN_BLOCK;
}

bool kiln_large_module(LLVMModuleRef module) {
  if (any_large(module)) return true;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      if (is_long(b)) return true;
  return false;
}
