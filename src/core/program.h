/* Programs: source, per-device build state, and the machine-code variants of their kernels. */
#ifndef KILN_CORE_PROGRAM_H
#define KILN_CORE_PROGRAM_H

#include "base/lock.h"
#include "compiler/compiler.h"
#include "core/context.h"

struct kiln_variant; /* a (kernel, spec) with its code or its compile in flight; program.c */

/* Build state of a program on one device. Replaced as a whole by a new build; kernels hold theirs. */
struct kiln_build {
  atomic_uint refs;
  kiln_device *device;
  cl_build_status status;
  char *options, *log;
  struct kiln_image image;
  struct kiln_lock lock; /* rank PROGRAM: variants */
  struct kiln_variant *variants;
};

struct _cl_program {
  struct kiln_object object;
  kiln_context *context; /* held */
  uint32_t num_devices;
  kiln_device **devices; /* held */
  char *source;          /* concatenated; NULL if none */
  size_t source_size;
  struct kiln_build **builds; /* one per device; never NULL entries */
  struct kiln_lock lock;      /* rank PROGRAM: builds, num_kernels, destructors */
  uint32_t num_kernels;       /* kernel objects attached: a rebuild then is CL_INVALID_OPERATION */
  struct kiln_destructor *destructors;
};

/* The code of kernel on build's device for spec: ready at once (cmd->work.range.code set), or being compiled,
 * and then cmd is blocked (kiln_cmd_block) until it is. Never blocks the caller. */
cl_int kiln_build_code(struct kiln_build *build, const struct kiln_kernel_info *kernel,
                       const struct kiln_spec *spec, kiln_cmd *cmd);

#endif
