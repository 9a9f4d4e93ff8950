/* Kernel objects: a kernel function of a program and the values of its arguments. */
#ifndef KILN_CORE_KERNEL_H
#define KILN_CORE_KERNEL_H

#include "core/command.h"
#include "core/program.h"

struct kiln_arg { /* value of one argument; by-value bytes, addresses and samplers lie in kernel->values */
  bool set;
  size_t local_size; /* LOCAL: bytes */
  kiln_mem *mem;     /* GLOBAL, IMAGE: not held (the application keeps it until enqueue); may be NULL */
};

struct _cl_kernel {
  struct kiln_object object;
  kiln_program *program;               /* held */
  atomic_bool attached;                /* counts in program->num_kernels until the application releases it */
  const struct kiln_kernel_info *info; /* of the first device that has it: arguments are the same for all */
  /* One per device of the program, at the time the kernel was created. */
  uint32_t num_builds;
  struct kiln_build **builds;            /* held */
  const struct kiln_kernel_info **infos; /* NULL where the device has no such kernel */
  struct kiln_lock lock;                 /* rank KERNEL: args, values */
  struct kiln_arg *args;
  uint8_t
      *values; /* packed block, info->args_size bytes; addresses of buffers are in place, local offsets not */
};

/* CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION, CL_OUT_OF_HOST_MEMORY.
 */
cl_int kiln_kernel_create(kiln_program *program, const char *name, const char *where,
                          kiln_kernel **kernel_out);
/* A kernel with the same function and argument values. */
cl_int kiln_kernel_clone(kiln_kernel *source, kiln_kernel **kernel_out);
/* After the application's last release: the program may be rebuilt although commands still hold the kernel.
 */
void kiln_kernel_detach(kiln_kernel *kernel);
/* True if a and b, of two devices, declare the same arguments in the same places. */
bool kiln_kernel_same_definition(const struct kiln_kernel_info *a, const struct kiln_kernel_info *b);

/* Where device finds the kernel: its own build or that of a device it was made of. False if nowhere. */
bool kiln_kernel_find(const kiln_kernel *kernel, const kiln_device *device, struct kiln_build **build_out,
                      const struct kiln_kernel_info **info_out);

/* Argument values; index and value are checked by the caller. */
void kiln_kernel_set_value(kiln_kernel *kernel, uint32_t index, const void *value);
void kiln_kernel_set_buffer(kiln_kernel *kernel, uint32_t index, kiln_mem *mem); /* mem may be NULL */
void kiln_kernel_set_image(kiln_kernel *kernel, uint32_t index, kiln_mem *image);
void kiln_kernel_set_sampler(kiln_kernel *kernel, uint32_t index, const kiln_sampler *sampler);
void kiln_kernel_set_local(kiln_kernel *kernel, uint32_t index, size_t size);

/* Bytes of local memory a group needs on the device of info: automatic variables and arguments set so far. */
uint64_t kiln_kernel_local_bytes(kiln_kernel *kernel, const struct kiln_kernel_info *info);

#endif
