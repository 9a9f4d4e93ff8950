/* Kernel objects: argument values and launches. */
#ifndef KILN_CORE_KERNEL_H
#define KILN_CORE_KERNEL_H

#include "core/command.h"
#include "core/program.h"

struct kiln_arg { /* value of one argument */
  bool set;
  size_t local_size; /* LOCAL: bytes */
  kiln_mem *mem;     /* GLOBAL, IMAGE: not held (the application keeps it until enqueue); may be NULL */
  kiln_sampler *sampler;
};

struct _cl_kernel {
  struct kiln_object object;
  kiln_program *program;               /* held */
  const struct kiln_kernel_info *info; /* of the first device's build */
  uint32_t num_builds;
  struct kiln_build **builds; /* the program's builds when the kernel was created, held; NULL where absent */
  struct kiln_lock lock;      /* rank KERNEL: args, values */
  struct kiln_arg *args;
  uint8_t *values; /* packed block, info->args_size bytes */
};

#endif
