/* Programs: source or binaries, and what was built of them for each device. */
#ifndef KILN_CORE_PROGRAM_H
#define KILN_CORE_PROGRAM_H

#include "base/lock.h"
#include "compiler/compiler.h"
#include "core/build.h"
#include "core/context.h"

enum kiln_program_origin { KILN_FROM_SOURCE, KILN_FROM_BINARY, KILN_FROM_LINK };

struct _cl_program {
  struct kiln_object object;
  kiln_context *context; /* held */
  enum kiln_program_origin origin;
  uint32_t num_devices;
  kiln_device **devices;       /* held */
  char *source;                /* concatenated, without NULs; NULL if none */
  size_t source_size;          /* characters, without the terminator */
  struct kiln_bytes *binaries; /* FROM_BINARY: as given, one per device; constant */
  struct kiln_lock lock;       /* rank PROGRAM: builds, num_kernels */
  struct kiln_build *
      *builds;          /* one per device; never NULL entries; each replaced as a whole by a new build */
  uint32_t num_kernels; /* kernel objects attached: a rebuild then is CL_INVALID_OPERATION */
};

/* strings and lengths as clCreateProgramWithSource takes them, checked by the caller. CL_OUT_OF_HOST_MEMORY.
 */
cl_int kiln_program_from_source(kiln_context *context, cl_uint count, const char **strings,
                                const size_t *lengths, kiln_program **program_out);
/* Loads one binary for each device; status_out (one entry per device, may be NULL) tells which were good.
 * CL_INVALID_BINARY names the first bad one; CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_program_from_binaries(kiln_context *context, cl_uint num_devices, const cl_device_id *devices,
                                  const size_t *lengths, const unsigned char **binaries, cl_int *status_out,
                                  kiln_program **program_out);
/* An empty program that a link will fill. */
cl_int kiln_program_for_link(kiln_context *context, cl_uint num_devices, const cl_device_id *devices,
                             kiln_program **program_out);

/* Position of device among the program's; num_devices if it is none of them. */
uint32_t kiln_program_device_index(const kiln_program *program, const kiln_device *device);
/* The build for the index-th device, held for the caller (kiln_build_unref). */
struct kiln_build *kiln_program_build(kiln_program *program, uint32_t index);
/* The build that device uses: its own, or, while nothing was ever built for it, that of the nearest device it
 * was made of (a sub-device runs what was built for its parent), as far as these are devices of the program.
 * Held for the caller; NULL if there is none. */
struct kiln_build *kiln_program_build_for(kiln_program *program, kiln_device *device);
/* The first device's build that is an executable, held for the caller; NULL if there is none. */
struct kiln_build *kiln_program_executable(kiln_program *program);

/* A kernel object is created or goes: while there are any, the program cannot be rebuilt. builds_out gets the
 * program's builds of this moment, held, one per device. */
void kiln_program_attach_kernel(kiln_program *program, struct kiln_build **builds_out);
void kiln_program_detach_kernel(kiln_program *program);

#endif
