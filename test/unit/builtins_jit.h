/* For tests of the builtins: OpenCL C in, native code out, by clang-19 as a program, the builtin linker and
 * LLVM's own JIT. Work-item functions are those of a group of one item. */
#ifndef KILN_TEST_BUILTINS_JIT_H
#define KILN_TEST_BUILTINS_JIT_H

#include "base/alloc.h"
#include "base/os.h"
#include "compiler/builtins.h"
#include "test.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A module of the source, builtins undefined. */
static inline LLVMModuleRef jit_compile(LLVMContextRef context, const char *source, const char *options) {
  char folder[] = "/tmp/kiln-builtins-XXXXXX", path[64], bitcode[64], command[1024];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.cl", folder);
  snprintf(bitcode, sizeof bitcode, "%s/t.bc", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n", file);
  fputs(source, file);
  fclose(file);
  snprintf(command, sizeof command,
           "%s -target spir64-unknown-unknown -x cl %s -Xclang -cl-ext=+all -O1 -Xclang -disable-llvm-passes"
           " -ffp-contract=on -emit-llvm -c %s -o %s",
           KILN_CLANG, options, path, bitcode);
  assert_int_equal(system(command), 0);
  LLVMMemoryBufferRef buffer;
  LLVMModuleRef module;
  char *message;
  assert_false(LLVMCreateMemoryBufferWithContentsOfFile(bitcode, &buffer, &message));
  assert_false(LLVMParseBitcodeInContext2(context, buffer, &module));
  LLVMDisposeMemoryBuffer(buffer);
  unlink(path);
  unlink(bitcode);
  rmdir(folder);
  return module;
}

static inline void jit_check(LLVMErrorRef error) {
  if (error != NULL) fail_msg("%s", LLVMGetErrorMessage(error));
}

/* Defines the functions that the compiler would lower; those that return no integer are never called. */
static inline void jit_define(LLVMModuleRef module, const char *name, int result) {
  LLVMValueRef f = LLVMGetNamedFunction(module, name);
  if (f == NULL) return;
  LLVMContextRef c = LLVMGetModuleContext(module);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, ""));
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(f));
  if (LLVMGetTypeKind(type) == LLVMVoidTypeKind) LLVMBuildRetVoid(b);
  else if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) LLVMBuildUnreachable(b);
  else LLVMBuildRet(b, LLVMConstInt(type, (unsigned long long)result, false));
  LLVMDisposeBuilder(b);
}

/* Everything that was linked into its callers: event_t, which x86 does not know, vanishes. */
static inline void jit_inline(LLVMModuleRef module) {
  unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
  unsigned cold = LLVMGetEnumAttributeKindForName("noinline", 8);
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    bool skip = LLVMGetLinkage(f) != LLVMInternalLinkage ||
                LLVMGetEnumAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex, cold) != NULL;
    if (!skip) LLVMAddAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex, attribute);
  }
}

/* Every function of OpenCL source as native code: look up with jit_symbol. */
static inline LLVMOrcLLJITRef jit_load(const char *source, const char *options, bool optimize) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
  LLVMModuleRef module = jit_compile(LLVMOrcThreadSafeContextGetContext(safe), source, options);
  char *missing;
  if (!kiln_builtins_link(module, &missing)) fail_msg("unresolved function '%s'", missing);
  jit_define(module, "_Z14get_local_sizej", 1);
  jit_define(module, "_Z19get_local_linear_idv", 0);
  jit_define(module, "_Z7barrierj", 0);
  kiln_builtins_settle(module, "");
  static const char *const natives[] = {/* never reached */
                                        "__kiln_scalef_f",  "__kiln_scalef_d",  "__kiln_getexp_f",
                                        "__kiln_getexp_d",  "__kiln_getmant_f", "__kiln_getmant_d",
                                        "__kiln_rcp14_f",   "__kiln_rcp14_d",   "__kiln_rsqrt14_d",
                                        "__kiln_rsqrt14_f", "__kiln_reduce_f"};
  for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) jit_define(module, natives[i], 0);
  LLVMOrcJITTargetMachineBuilderRef machine;
  jit_check(LLVMOrcJITTargetMachineBuilderDetectHost(&machine));
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, machine);
  LLVMOrcLLJITRef jit;
  jit_check(LLVMOrcCreateLLJIT(&jit, builder));
  LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(jit));
  LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(jit));
  if (optimize) {
    jit_inline(module);
    LLVMPassBuilderOptionsRef options_ref = LLVMCreatePassBuilderOptions();
    jit_check(LLVMRunPasses(module, "default<O1>", NULL, options_ref));
    LLVMDisposePassBuilderOptions(options_ref);
  }
  LLVMOrcDefinitionGeneratorRef process;
  jit_check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(jit),
                                                                 NULL, NULL));
  LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), process);
  LLVMOrcThreadSafeModuleRef whole = LLVMOrcCreateNewThreadSafeModule(module, safe);
  jit_check(LLVMOrcLLJITAddLLVMIRModule(jit, LLVMOrcLLJITGetMainJITDylib(jit), whole));
  LLVMOrcDisposeThreadSafeContext(safe);
  return jit;
}

static inline void *jit_symbol(LLVMOrcLLJITRef jit, const char *name) {
  LLVMOrcExecutorAddress address;
  jit_check(LLVMOrcLLJITLookup(jit, &address, name));
  return (void *)(uintptr_t)address;
}

#endif
