/* Compiles and runs kernels for the tests; see spmd_run.h. */
#include "spmd_run.h"

#include "base/alloc.h"
#include "compiler/own_arguments.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(LLVMErrorRef error) {
  if (error != NULL) fail_msg("%s", LLVMGetErrorMessage(error));
}

/* ---- front end ---- */

static LLVMMemoryBufferRef run_clang(const struct spmd_build *build) {
  char folder[] = "/tmp/kiln-spmd-XXXXXX", path[64], bitcode[64], command[1024];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.cl", folder);
  snprintf(bitcode, sizeof bitcode, "%s/t.bc", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(build->source, file);
  fclose(file);
  snprintf(command, sizeof command,
           "%s -target spir64-unknown-unknown -x cl -cl-std=CL3.0 %s -Xclang -cl-ext=+all -O1 -Xclang"
           " -disable-llvm-passes -ffp-contract=on -Wno-format -w -emit-llvm -c %s -o %s",
           KILN_CLANG, build->options == NULL ? "" : build->options, path, bitcode);
  assert_int_equal(system(command), 0);
  LLVMMemoryBufferRef buffer;
  char *message;
  assert_false(LLVMCreateMemoryBufferWithContentsOfFile(bitcode, &buffer, &message));
  unlink(path);
  unlink(bitcode);
  rmdir(folder);
  return buffer;
}

/* Variants of a kernel come one after another: the source compiled last is kept. */
static LLVMModuleRef compile_source(LLVMContextRef context, const struct spmd_build *build) {
  static char *source, *options;
  static LLVMMemoryBufferRef buffer;
  const char *wanted = build->options == NULL ? "" : build->options;
  LLVMModuleRef module;
  if (buffer == NULL || strcmp(source, build->source) != 0 || strcmp(options, wanted) != 0) {
    if (buffer != NULL) LLVMDisposeMemoryBuffer(buffer);
    free(source), free(options);
    buffer = run_clang(build);
    source = strdup(build->source);
    options = strdup(wanted);
  }
  assert_false(LLVMParseBitcodeInContext2(context, buffer, &module));
  return module;
}

static void passes(LLVMModuleRef module, const char *text) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  check(LLVMRunPasses(module, text, NULL, options));
  LLVMDisposePassBuilderOptions(options);
}

/* Functions whose name begins with "out_" stay functions. */
static void inline_calls(LLVMModuleRef module, LLVMValueRef kernel, bool keep) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12),
           index = (unsigned)LLVMAttributeFunctionIndex;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
    size_t len;
    const char *name = LLVMGetValueName2(f, &len);
    if (LLVMIsDeclaration(f) || f == kernel) continue;
    LLVMSetLinkage(f, LLVMInternalLinkage);
    if (keep || strncmp(name, "out_", 4) == 0) continue;
    LLVMRemoveEnumAttributeAtIndex(f, index, LLVMGetEnumAttributeKindForName("noinline", 8));
    LLVMAddAttributeAtIndex(f, index, LLVMCreateEnumAttribute(context, always, 0));
  }
  passes(module, "always-inline,globaldce");
}

/* ---- arguments ---- */

static void describe_arguments(struct spmd_code *code, LLVMModuleRef module, LLVMValueRef kernel) {
  LLVMTargetDataRef layout = LLVMCreateTargetData(LLVMGetDataLayoutStr(module));
  unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
  uint32_t at = 0;
  code->info.num_args = LLVMCountParams(kernel);
  code->info.args = code->args;
  assert_true(code->info.num_args <= sizeof code->args / sizeof *code->args);
  for (unsigned i = 0; i < code->info.num_args; i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel, i));
    struct kiln_arg_info *a = &code->args[i];
    LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(kernel, i + 1, byval);
    *a = (struct kiln_arg_info){.kind = KILN_ARG_VALUE};
    if (attribute != NULL) type = LLVMGetTypeAttributeValue(attribute);
    a->size = (uint32_t)LLVMABISizeOfType(layout, type);
    a->align = LLVMABIAlignmentOfType(layout, type);
    a->integer = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && a->size == 4;
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 3)
      a->kind = KILN_ARG_LOCAL, a->size = a->align = 4;
    else if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && attribute == NULL) a->kind = KILN_ARG_GLOBAL;
    at = (at + a->align - 1) & ~(a->align - 1);
    a->offset = at;
    at += a->size;
  }
  code->info.args_size = at;
  LLVMDisposeTargetData(layout);
}

/* ---- program-scope variables ---- */

static void fill_globals(struct spmd_code *code, LLVMModuleRef module) {
  struct kiln_globals globals;
  assert_true(kiln_spmd_place_globals(module, &globals, NULL));
  code->globals_size = globals.size;
  code->image = calloc(1, globals.size + 1);
  memcpy(code->image, globals.bytes, globals.num_bytes);
  for (uint32_t i = 0; i < globals.num_fixups; i++) {
    uint64_t address = (uintptr_t)(code->image + globals.fixups[i].to);
    memcpy(code->image + globals.fixups[i].at, &address, sizeof address);
  }
  kiln_free(globals.bytes);
  kiln_free(globals.fixups);
}

/* ---- code ---- */

static struct spmd_launch *running; /* for printf */

void *kiln_printf_reserve(struct kiln_worker *worker, uint32_t bytes) {
  struct spmd_launch *l = running;
  (void)worker;
  if (l->prints_limit != 0 && l->prints_used + bytes + 8 > l->prints_limit) return NULL;
  if (l->prints_used + bytes + 8 > l->prints_size) return NULL;
  memcpy(l->prints + l->prints_used, &(uint64_t){bytes}, 8);
  void *p = l->prints + l->prints_used + 8;
  l->prints_used += bytes + 8;
  return p;
}

static LLVMOrcLLJITRef make_jit(void) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMOrcJITTargetMachineBuilderRef machine;
  check(LLVMOrcJITTargetMachineBuilderDetectHost(&machine));
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, machine);
  LLVMOrcLLJITRef jit;
  check(LLVMOrcCreateLLJIT(&jit, builder));
  LLVMOrcDefinitionGeneratorRef process;
  check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL,
                                                             NULL));
  LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), process);
  LLVMOrcCSymbolMapPair symbol = {LLVMOrcLLJITMangleAndIntern(jit, KILN_PRINTF_SYMBOL),
                                  {(LLVMOrcExecutorAddress)(uintptr_t)kiln_printf_reserve, {1, 0}}};
  check(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcAbsoluteSymbols(&symbol, 1)));
  return jit;
}

unsigned spmd_native_width;
bool spmd_is_wide;
unsigned spmd_integer_turns = 1;

static char *build_module(struct spmd_code *code, const struct spmd_build *build, LLVMModuleRef module) {
  LLVMValueRef kernel = LLVMGetNamedFunction(module, build->kernel == NULL ? "k" : build->kernel);
  assert_non_null(kernel);
  char *error;
  code->info.flags = build->flags;
  inline_calls(module, kernel, build->keep_calls);
  kiln_own_arguments(module, kernel, true);
  if (!build->plain && !kiln_spmd_normalise(module, &error)) return error;
  fill_globals(code, module);
  describe_arguments(code, module, kernel);
  const char *why;
  if (!kiln_spmd_describe(module, kernel, spmd_native_width, &code->info, &why, &error)) return error;
  if (getenv("SPMD_DUMP") != NULL) LLVMDumpModule(module);
  const struct kiln_spmd_options options = {.info = &code->info,
                                            .spec = &build->spec,
                                            .width = spmd_native_width,
                                            .in_flight = spmd_is_wide ? 8 : 4,
                                            .integer_turns = spmd_integer_turns,
                                            .has_half = spmd_is_wide,
                                            .gathers = spmd_is_wide,
                                            .note = code->note,
                                            .note_size = sizeof code->note,
                                            .lines = true,
                                            .verify = true};
  if (!kiln_spmd_lower(module, kernel, &options, &error)) return error;
  if (getenv("SPMD_DUMP") != NULL) LLVMDumpModule(module);
  if (!build->plain) passes(module, "default<O2>");
  if (getenv("SPMD_DUMP") != NULL) LLVMDumpModule(module);
  return NULL;
}

char *spmd_try(struct spmd_code *code, const struct spmd_build *build) {
  *code = (struct spmd_code){0};
  LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
  LLVMContextRef context = LLVMOrcThreadSafeContextGetContext(safe);
  LLVMContextSetDiscardValueNames(context, getenv("SPMD_DUMP") == NULL);
  LLVMModuleRef module = compile_source(context, build);
  char *error = build_module(code, build, module);
  if (error != NULL) {
    LLVMDisposeModule(module);
    LLVMOrcDisposeThreadSafeContext(safe);
    return error;
  }
  code->jit = make_jit();
  assert_string_equal(LLVMGetDataLayoutStr(module), LLVMOrcLLJITGetDataLayoutStr(code->jit));
  LLVMOrcThreadSafeModuleRef whole = LLVMOrcCreateNewThreadSafeModule(module, safe);
  check(LLVMOrcLLJITAddLLVMIRModule(code->jit, LLVMOrcLLJITGetMainJITDylib(code->jit), whole));
  LLVMOrcDisposeThreadSafeContext(safe);
  LLVMOrcExecutorAddress address;
  check(LLVMOrcLLJITLookup(code->jit, &address, KILN_ENTRY_SYMBOL));
  code->entry = (kiln_group_fn *)(uintptr_t)address;
  return NULL;
}

void spmd_compile(struct spmd_code *code, const struct spmd_build *build) {
  char *error = spmd_try(code, build);
  if (error != NULL) fail_msg("%s", error);
}

void spmd_finish(struct spmd_code *code) {
  check(LLVMOrcDisposeLLJIT(code->jit));
  free(code->image);
}

/* ---- launch ---- */

void spmd_start(struct spmd_launch *l, struct spmd_code *code, const size_t *global, const size_t *local,
                const size_t *offset, unsigned dim) {
  memset(l, 0, sizeof *l);
  l->code = code;
  l->launch.args = l->args;
  l->launch.globals = code->image;
  l->launch.work_dim = dim;
  l->local_bytes = code->info.local_bytes;
  for (unsigned d = 0; d < 3; d++) {
    l->launch.global_size[d] = d < dim ? global[d] : 1;
    l->launch.local_size[d] = d < dim ? (uint32_t)local[d] : 1;
    l->launch.global_offset[d] = d < dim && offset != NULL ? offset[d] : 0;
    l->launch.num_groups[d] =
        (l->launch.global_size[d] + l->launch.local_size[d] - 1) / l->launch.local_size[d];
  }
}

void spmd_arg(struct spmd_launch *l, const void *value, size_t size) {
  const struct kiln_arg_info *a = &l->code->args[l->next_arg++];
  assert_true(l->next_arg <= l->code->info.num_args);
  assert_true(a->kind == KILN_ARG_VALUE || a->kind == KILN_ARG_GLOBAL);
  if (a->size != size && !(a->size > size && a->size == size / 3 * 4)) assert_int_equal(a->size, size);
  memcpy(l->args + a->offset, value, size);
}

void spmd_arg_local(struct spmd_launch *l, size_t size) {
  const struct kiln_arg_info *a = &l->code->args[l->next_arg++];
  assert_int_equal(a->kind, KILN_ARG_LOCAL);
  memcpy(l->args + a->offset, &l->local_bytes, 4);
  l->local_bytes += (uint32_t)((size + 127) & ~(size_t)127);
}

/* Blocks with a fence of known bytes on both sides, full of garbage. */
enum { FENCE = 256 };

static uint8_t *make_block(size_t size) {
  uint8_t *block = aligned_alloc(128, (size + 2 * FENCE + 127) & ~(size_t)127);
  assert_non_null(block);
  memset(block, 0xa5, size + 2 * FENCE);
  return block + FENCE;
}

static void free_block(uint8_t *block, size_t size) {
  for (size_t i = 0; i < FENCE; i++)
    if (block[-1 - (ptrdiff_t)i] != 0xa5 || block[size + i] != 0xa5) fail_msg("a block was overrun");
  free(block - FENCE);
}

void spmd_run(struct spmd_launch *l, unsigned chunk) {
  const struct kiln_launch *q = &l->launch;
  uint64_t groups = q->num_groups[0] * q->num_groups[1] * q->num_groups[2];
  uint64_t items = (uint64_t)q->local_size[0] * q->local_size[1] * q->local_size[2];
  /* off by 64, to see whether alignment is taken for granted */
  uint64_t arena_size = (items * l->code->info.private_bound + 63) & ~(uint64_t)63,
           local_size = l->local_bytes;
  uint8_t *arena = make_block(arena_size + 64), *local = make_block(local_size);
  struct kiln_worker worker = {
      .local = local, .arena = arena + 64, .arena_size = arena_size, .local_size = local_size};
  assert_int_equal(l->next_arg, l->code->info.num_args);
  memset(arena, 0xa5, 64);
  running = l;
  if (chunk == 0) l->code->entry(q, &worker, 0, groups);
  for (uint64_t g = 0; chunk != 0 && g < groups; g += chunk) {
    kiln_locate_group(q, g, worker.group);
    l->code->entry(q, &worker, g, g + chunk < groups ? g + chunk : groups);
  }
  l->code->entry(q, &worker, 0, 0); /* nothing */
  running = NULL;
  for (size_t i = 0; i < 64; i++)
    if (arena[i] != 0xa5) fail_msg("the arena was underrun");
  free_block(arena, arena_size + 64);
  free_block(local, local_size);
}
