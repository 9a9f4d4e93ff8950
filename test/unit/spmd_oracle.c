/* Coroutines as work-items; see spmd_oracle.h. */
#include "spmd_oracle.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 256 * 1024 };

struct item {
  ucontext_t context;
  size_t local_id[3];
  bool waits, ended;
};

/* The launch that runs; tests run one at a time. */
static struct {
  const struct oracle *oracle;
  const uint64_t *args;
  size_t global[3], local[3], offset[3], group[3], size[3];
  unsigned dim;
  struct item *items, *now;
  ucontext_t scheduler;
} run;

/* ---- work-item functions ---- */

static size_t global_id(unsigned d) {
  return d < 3 ? run.offset[d] + run.group[d] * run.local[d] + run.now->local_id[d] : 0;
}
static size_t local_id(unsigned d) { return d < 3 ? run.now->local_id[d] : 0; }
static size_t group_id(unsigned d) { return d < 3 ? run.group[d] : 0; }
static size_t global_size(unsigned d) { return d < 3 ? run.global[d] : 1; }
static size_t local_size(unsigned d) { return d < 3 ? run.size[d] : 1; }
static size_t enqueued_size(unsigned d) { return d < 3 ? run.local[d] : 1; }
static size_t num_groups(unsigned d) { return d < 3 ? (run.global[d] + run.local[d] - 1) / run.local[d] : 1; }
static size_t global_offset(unsigned d) { return d < 3 ? run.offset[d] : 0; }
static unsigned work_dim(void) { return run.dim; }
static size_t local_linear_id(void) {
  const size_t *l = run.now->local_id;
  return (l[2] * run.size[1] + l[1]) * run.size[0] + l[0];
}
static size_t global_linear_id(void) {
  size_t x = global_id(0) - run.offset[0], y = global_id(1) - run.offset[1], z = global_id(2) - run.offset[2];
  return (z * run.global[1] + y) * run.global[0] + x;
}
static void barrier(unsigned flags) {
  struct item *me = run.now;
  (void)flags;
  me->waits = true;
  swapcontext(&me->context, &run.scheduler);
}
static int atomic_add(volatile int *p, int x) {
  int old = *p;
  *p = (int)((unsigned)old + (unsigned)x);
  return old;
}

static const struct {
  const char *name;
  void *address;
} symbols[] = {
    {"_Z13get_global_idj", global_id},
    {"_Z12get_local_idj", local_id},
    {"_Z12get_group_idj", group_id},
    {"_Z15get_global_sizej", global_size},
    {"_Z14get_local_sizej", local_size},
    {"_Z23get_enqueued_local_sizej", enqueued_size},
    {"_Z14get_num_groupsj", num_groups},
    {"_Z17get_global_offsetj", global_offset},
    {"_Z12get_work_dimv", work_dim},
    {"_Z19get_local_linear_idv", local_linear_id},
    {"_Z20get_global_linear_idv", global_linear_id},
    {"_Z7barrierj", barrier},
    {"_Z18work_group_barrierj", barrier},
    {"_Z10atomic_addPU3AS1Vii", atomic_add},
    {"_Z10atomic_addPU3AS3Vii", atomic_add},
};

/* ---- compile ---- */

static void check(LLVMErrorRef error) {
  if (error != NULL) fail_msg("%s", LLVMGetErrorMessage(error));
}

static LLVMModuleRef compile_native(LLVMContextRef context, const char *source, const char *options) {
  char folder[] = "/tmp/kiln-oracle-XXXXXX", path[64], bitcode[64], command[1024], *message;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.cl", folder);
  snprintf(bitcode, sizeof bitcode, "%s/t.bc", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(source, file);
  fclose(file);
  snprintf(command, sizeof command,
           "%s -target x86_64-unknown-linux-gnu -x cl -cl-std=CL3.0 %s -Xclang -cl-ext=+all -Xclang"
           " -ffake-address-space-map -Xclang -faddress-space-map-mangling=yes -O1 -ffp-contract=on -w -fPIC"
           " -DORACLE -emit-llvm -c %s -o %s",
           KILN_CLANG, options == NULL ? "" : options, path, bitcode);
  assert_int_equal(system(command), 0);
  LLVMMemoryBufferRef buffer;
  LLVMModuleRef module;
  assert_false(LLVMCreateMemoryBufferWithContentsOfFile(bitcode, &buffer, &message));
  assert_false(LLVMParseBitcodeInContext2(context, buffer, &module));
  LLVMDisposeMemoryBuffer(buffer);
  unlink(path);
  unlink(bitcode);
  rmdir(folder);
  return module;
}

void oracle_compile(struct oracle *o, const char *source, const char *kernel, const char *options) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
  LLVMModuleRef module = compile_native(LLVMOrcThreadSafeContextGetContext(safe), source, options);
  check(LLVMOrcCreateLLJIT(&o->jit, NULL));
  LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(o->jit));
  LLVMOrcCSymbolMapPair pairs[sizeof symbols / sizeof *symbols];
  size_t n = sizeof symbols / sizeof *symbols;
  for (size_t i = 0; i < n; i++)
    pairs[i] = (LLVMOrcCSymbolMapPair){LLVMOrcLLJITMangleAndIntern(o->jit, symbols[i].name),
                                       {(LLVMOrcExecutorAddress)(uintptr_t)symbols[i].address, {1, 0}}};
  check(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(o->jit), LLVMOrcAbsoluteSymbols(pairs, n)));
  LLVMOrcDefinitionGeneratorRef process;
  check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(o->jit), NULL,
                                                             NULL));
  LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(o->jit), process);
  check(LLVMOrcLLJITAddLLVMIRModule(o->jit, LLVMOrcLLJITGetMainJITDylib(o->jit),
                                    LLVMOrcCreateNewThreadSafeModule(module, safe)));
  LLVMOrcDisposeThreadSafeContext(safe);
  LLVMOrcExecutorAddress address;
  check(LLVMOrcLLJITLookup(o->jit, &address, kernel));
  o->entry = (void *)(uintptr_t)address;
}

void oracle_finish(struct oracle *o) { check(LLVMOrcDisposeLLJIT(o->jit)); }

/* ---- run ---- */

static void start_item(void) {
  const uint64_t *a = run.args;
  struct item *me = run.now;
  ((void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))run.oracle->entry)(a[0], a[1], a[2], a[3],
                                                                                            a[4], a[5]);
  me->ended = true;
  swapcontext(&me->context, &run.scheduler);
}

/* Every item once, from the seed's place on, forwards or backwards. True while some are not at their end. */
static bool run_phase(size_t n, unsigned seed, bool *mixed) {
  size_t waiting = 0, ended = 0;
  for (size_t k = 0; k < n; k++) {
    size_t i = (k + seed / 2) % n;
    run.now = &run.items[seed & 1 ? n - 1 - i : i];
    if (run.now->ended) continue;
    run.now->waits = false;
    swapcontext(&run.scheduler, &run.now->context);
    waiting += run.now->waits;
    ended += run.now->ended;
  }
  *mixed |= waiting != 0 && ended != 0;
  return waiting != 0;
}

static void prepare_item(size_t i, char *stacks) {
  struct item *it = &run.items[i];
  it->local_id[0] = i % run.size[0];
  it->local_id[1] = i / run.size[0] % run.size[1];
  it->local_id[2] = i / run.size[0] / run.size[1];
  it->waits = it->ended = false;
  getcontext(&it->context);
  it->context.uc_stack.ss_sp = stacks + i * STACK;
  it->context.uc_stack.ss_size = STACK;
  it->context.uc_link = NULL;
  makecontext(&it->context, start_item, 0);
}

static bool run_group(char *stacks, unsigned seed) {
  bool mixed = false;
  size_t n = run.size[0] * run.size[1] * run.size[2];
  for (size_t i = 0; i < n; i++) prepare_item(i, stacks);
  while (run_phase(n, seed, &mixed)) seed = seed * 5 + 3;
  return !mixed;
}

bool oracle_run(struct oracle *o, const uint64_t args[6], const size_t global[3], const size_t local[3],
                const size_t offset[3], unsigned dim, unsigned seed) {
  bool proper = true;
  run.oracle = o;
  run.args = args;
  run.dim = dim;
  for (unsigned d = 0; d < 3; d++) {
    run.global[d] = d < dim ? global[d] : 1;
    run.local[d] = d < dim ? local[d] : 1;
    run.offset[d] = d < dim && offset != NULL ? offset[d] : 0;
  }
  size_t n = run.local[0] * run.local[1] * run.local[2];
  run.items = calloc(n, sizeof *run.items);
  char *stacks = mmap(NULL, n * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_true(stacks != MAP_FAILED);
  size_t *g = run.group;
  for (g[2] = 0; g[2] < num_groups(2); g[2]++)
    for (g[1] = 0; g[1] < num_groups(1); g[1]++)
      for (g[0] = 0; g[0] < num_groups(0); g[0]++) {
        for (unsigned d = 0; d < 3; d++) {
          size_t left = run.global[d] - g[d] * run.local[d];
          run.size[d] = left < run.local[d] ? left : run.local[d];
        }
        proper &= run_group(stacks, seed);
      }
  munmap(stacks, n * STACK);
  free(run.items);
  return proper;
}
