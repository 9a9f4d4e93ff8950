/* Owns the limits at which a function counts as large; see large.h. Must not know what a function is for. */
#include "compiler/large.h"

#include <llvm-c/Core.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

enum {
  MOST_USUAL = 3000,      /* instructions: vectorizing a loop of 10,000 takes several seconds */
  MOST_WINDING = 120,     /* blocks: a hundred loops in a row take counters a hundred milliseconds */
  MOST_WOVEN = 1000,      /* blocks: licm in nests of 12 loops takes several seconds */
  MOST_BLOCKS = 4000,     /* simplifycfg folds a chain of n merges in n*n/2 steps: half a second */
  MOST_IN_BLOCK = 20000,  /* instructions; two-address conversion and scheduling: several seconds */
  MOST_PASSES_TEXT = 1024 /* bytes of a list of passes */
};

enum size { USUAL, LENGTHY, WINDING, BRANCHY, LARGE, SIZES };

static unsigned count_instructions(LLVMBasicBlockRef block) {
  unsigned count = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i)) count++;
  return count;
}

static enum size size_of(LLVMValueRef function, const struct kiln_pass_lists *lists) {
  unsigned count = 0, blocks = LLVMCountBasicBlocks(function);
  if (blocks > (lists->most_woven == 0 ? MOST_WOVEN : lists->most_woven))
    return blocks > MOST_BLOCKS ? LARGE : BRANCHY;
  if (lists->winding != NULL && blocks > MOST_WINDING) return WINDING;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL; b = LLVMGetNextBasicBlock(b))
    count += count_instructions(b);
  return count > MOST_USUAL ? LENGTHY : USUAL;
}

/* Functions of a size that need another list than the usual one. */
static bool has_size(LLVMModuleRef module, const struct kiln_pass_lists *lists, enum size size) {
  LLVMValueRef f = LLVMGetFirstFunction(module);
  while (f != NULL && (LLVMIsDeclaration(f) || size_of(f, lists) != size)) f = LLVMGetNextFunction(f);
  return f != NULL;
}

LLVMErrorRef kiln_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
  LLVMDisposePassBuilderOptions(options);
  return error;
}

static LLVMErrorRef run(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *list) {
  char text[MOST_PASSES_TEXT];
  snprintf(text, sizeof text, "function(%s)", list);
  return kiln_run_passes(module, machine, text);
}

static LLVMAttributeIndex whole(void) { return (LLVMAttributeIndex)LLVMAttributeFunctionIndex; }

static unsigned alone(void) { return LLVMGetEnumAttributeKindForName("optnone", 7); }

/* The other functions carry the attribute that has passes leave them alone, which no function has otherwise.
 * (The C interface has no way to run passes on one function.) */
static void leave_others(LLVMModuleRef module, kiln_function_test *wanted, const void *context) {
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), alone(), 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !wanted(f, context)) LLVMAddAttributeAtIndex(f, whole(), attribute);
}

static void take_all(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    LLVMRemoveEnumAttributeAtIndex(f, whole(), alone());
}

LLVMErrorRef kiln_run_passes_where(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *list,
                                   kiln_function_test *wanted, const void *context) {
  leave_others(module, wanted, context);
  LLVMErrorRef error = run(module, machine, list);
  take_all(module);
  return error;
}

struct of_size {
  const struct kiln_pass_lists *lists;
  enum size size;
};

static bool is_of_size(LLVMValueRef function, const void *context) {
  const struct of_size *wanted = context;
  return size_of(function, wanted->lists) == wanted->size;
}

LLVMErrorRef kiln_large_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                   const struct kiln_pass_lists *lists) {
  const char *lengthy = lists->lengthy == NULL ? lists->usual : lists->lengthy;
  const char *list[SIZES] = {lists->usual, lengthy, lists->winding,
                             lists->branchy == NULL ? lengthy : lists->branchy, lists->frugal};
  bool has[SIZES];
  LLVMErrorRef error = NULL;
  for (int s = 0; s < SIZES; s++) has[s] = has_size(module, lists, (enum size)s);
  if (!has[LENGTHY] && !has[WINDING] && !has[BRANCHY] && !has[LARGE])
    return run(module, machine, list[USUAL]);
  for (int s = SIZES; s-- > 0 && error == NULL;) { /* large ones first: no list makes a function larger */
    const struct of_size wanted = {lists, (enum size)s};
    if (has[s]) error = kiln_run_passes_where(module, machine, list[s], is_of_size, &wanted);
  }
  return error;
}

bool kiln_large_module(LLVMModuleRef module) {
  if (has_size(module, &(struct kiln_pass_lists){0}, LARGE)) return true;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b))
      if (count_instructions(b) > MOST_IN_BLOCK) return true;
  return false;
}
