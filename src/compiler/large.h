/* Functions so large that passes whose time is quadratic in blocks or in the instructions of a block would
 * run for minutes: generated code, mostly. They get passes and a code generator whose time grows with their
 * size. */
#ifndef KILN_COMPILER_LARGE_H
#define KILN_COMPILER_LARGE_H

#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

/* Runs lists of function passes ("sroa,dce"): `usual` on functions of ordinary size, `frugal` on those of
 * very many blocks. machine may be NULL. */
LLVMErrorRef kiln_large_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *usual,
                                   const char *frugal);

/* A function has so many blocks, or a block so many instructions, that only the plain code generator will do.
 */
bool kiln_large_module(LLVMModuleRef module);

#endif
