/* Variants: machine code of a kernel for one specialisation, made at its first use. */
#ifndef KILN_CORE_VARIANT_H
#define KILN_CORE_VARIANT_H

#include "core/build.h"
#include "core/command.h"
#include "core/jobs.h"

/* Local sizes that get code of their own, for each kernel; further ones share the any-size variants. */
enum { KILN_MAX_SIZED_VARIANTS = 8 };
/* Variants of a kernel for known formats of images and values of samplers. */
enum { KILN_MAX_OPAQUE_VARIANTS = 16 };

enum kiln_variant_state {
  KILN_VARIANT_IDLE,      /* nobody needed it yet; object may hold its bytes, from a program binary */
  KILN_VARIANT_COMPILING, /* a thread fetches, compiles or loads it */
  KILN_VARIANT_READY,
  KILN_VARIANT_FAILED /* the compiler cannot make it; message says why */
};

/* Guarded by build->lock; while COMPILING, the fields from `code` on belong to the thread that works on it.
 */
struct kiln_variant {
  struct kiln_variant *next; /* in build->variants[kernel] */
  struct kiln_spec spec;
  enum kiln_variant_state state;
  kiln_cmd *first_waiter, *last_waiter; /* blocked; linked through kiln_cmd.next_waiter */
  struct kiln_job job;
  struct kiln_build *build; /* held while job is submitted */
  const struct kiln_kernel_info *kernel;
  struct kiln_code *code;
  struct kiln_bytes object; /* what code was loaded from: goes into program binaries */
  char *message;
};

/* The code of kernel on build's device for spec: ready at once (cmd->work.range.code set), or being compiled,
 * and then cmd is blocked (kiln_cmd_block) until it is. Reads the cache at most, never waits for a compile.
 * CL_OUT_OF_RESOURCES if code generation failed before, CL_OUT_OF_HOST_MEMORY. No lock held. */
cl_int kiln_build_code(struct kiln_build *build, const struct kiln_kernel_info *kernel,
                       const struct kiln_spec *spec, kiln_cmd *cmd);

/* kiln_spec.grain of a launch with these sizes in the first dimension, in work-items, not 0. */
uint32_t kiln_variant_grain(uint64_t global, uint64_t local);
/* Starts making the code that the source fixes: kernels with reqd_work_group_size and neither images nor
 * samplers. */
void kiln_build_precompile(struct kiln_build *build);
/* Waits until nothing of build is being compiled. */
void kiln_build_settle(struct kiln_build *build);
/* Frees the variants of one kernel, unloading their code. */
void kiln_variants_free(struct kiln_build *build, struct kiln_variant *list);
/* A fresh IDLE variant put into build's list of kernel; NULL without memory. Caller holds
 * build->lock or is alone with build. */
struct kiln_variant *kiln_variant_add(struct kiln_build *build, const struct kiln_kernel_info *kernel,
                                      const struct kiln_spec *spec);

#endif
