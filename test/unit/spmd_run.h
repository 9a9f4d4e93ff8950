/* For tests of the work-group function: OpenCL C in, a running kernel out. clang-19 as a program, the
 * lowering under test, LLVM's JIT. */
#ifndef KILN_TEST_SPMD_RUN_H
#define KILN_TEST_SPMD_RUN_H

#include "base/abi.h"
#include "compiler/spmd/workgroup.h"
#include "test.h"

#include <llvm-c/LLJIT.h>

/* How to build a kernel. */
struct spmd_build {
  const char *source;
  const char *kernel;  /* NULL: "k" */
  const char *options; /* for clang; NULL: none */
  struct kiln_spec spec;
  uint32_t flags;  /* KILN_KERNEL_UNIFORM_GROUPS */
  bool plain;      /* no passes at all, before or after */
  bool keep_calls; /* inline only what is marked always_inline */
};

struct spmd_code {
  LLVMOrcLLJITRef jit;
  kiln_group_fn *entry;
  struct kiln_kernel_info info;
  struct kiln_arg_info args[32];
  char note[160]; /* what became of the work-items */
  uint64_t globals_size;
  uint8_t *image; /* of the program-scope variables */
};

/* One launch. Arguments are packed by spmd_arg in order. */
struct spmd_launch {
  struct spmd_code *code;
  struct kiln_launch launch;
  _Alignas(128) uint8_t args[2048];
  uint32_t next_arg, local_bytes;
  uint8_t *prints; /* records of printf, one after another */
  size_t prints_size, prints_used, prints_limit;
};

/* 32-bit values in a register, for the compiler's choice of lanes; 0: scalar code. */
extern unsigned spmd_native_width;
/* As if for a processor that keeps twice as many vectors in flight as usual, computes with halves and
 * gathers. */
extern bool spmd_is_wide;
extern unsigned spmd_integer_turns; /* of the processor compiled for: kiln_spmd_options */

void spmd_compile(struct spmd_code *code, const struct spmd_build *build);
/* As spmd_compile, but the error is returned (to be freed with kiln_free); NULL on success. */
char *spmd_try(struct spmd_code *code, const struct spmd_build *build);
void spmd_finish(struct spmd_code *code);

void spmd_start(struct spmd_launch *l, struct spmd_code *code, const size_t *global, const size_t *local,
                const size_t *offset, unsigned dim);
void spmd_arg(struct spmd_launch *l, const void *value, size_t size);
void spmd_arg_local(struct spmd_launch *l, size_t size);
#define SPMD_ARG(l, v) spmd_arg(l, &(v), sizeof(v))
/* Runs all groups in calls of `chunk` groups each (0: all at once). Memory around the blocks handed out is
 * checked. */
void spmd_run(struct spmd_launch *l, unsigned chunk);

#endif
