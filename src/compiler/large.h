/* Functions so large that passes whose time is quadratic in blocks or in the instructions of a block would
 * run for minutes: generated code, mostly. They get passes and a code generator whose time grows with their
 * size. */
#ifndef KILN_COMPILER_LARGE_H
#define KILN_COMPILER_LARGE_H

#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

/* Branches in place of switches of two ways, which clang makes of break and return in loops within loops. */
#define KILN_SIMPLIFY "simplifycfg<switch-range-to-icmp>"

/* Function passes ("sroa,dce") by the size of functions. lengthy, of thousands of instructions: nothing that
 * compares all accesses of a loop. winding, of more than a hundred and sixty blocks: nor looks at all
 * branches before each loop; NULL: as others of their length. branchy, of a thousand blocks: nothing that
 * updates the form of memory step by step. frugal, of very many blocks: linear. NULL stands for the list
 * before. most_woven: blocks beyond which a function counts as branchy; 0: a thousand. */
struct kiln_pass_lists {
  const char *usual, *lengthy, *winding, *branchy, *frugal;
  unsigned most_woven;
};

/* Passes as LLVM writes them, on the whole module. machine may be NULL, here and below. */
LLVMErrorRef kiln_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes);

LLVMErrorRef kiln_large_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                   const struct kiln_pass_lists *lists);

/* Function passes on those functions alone that the test accepts; the caller owns context. */
typedef bool kiln_function_test(LLVMValueRef function, const void *context);
LLVMErrorRef kiln_run_passes_where(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *list,
                                   kiln_function_test *wanted, const void *context);

/* A function has so many blocks, or a block so many instructions, that only the plain code generator will do.
 */
bool kiln_large_module(LLVMModuleRef module);

#endif
