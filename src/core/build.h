/* A build: what a build, compile or link made of a program for one device, and the machine-code variants of
 * its kernels. Kernels hold the builds they were created from, commands hold their kernel: so code lives as
 * long as anything may run it. */
#ifndef KILN_CORE_BUILD_H
#define KILN_CORE_BUILD_H

#include "base/lock.h"
#include "core/device.h"
#include "core/program_image.h"

struct kiln_variant;

struct kiln_build {
  atomic_uint refs;
  kiln_device *device; /* held */
  /* cl_build_status. While it is CL_BUILD_IN_PROGRESS the fields up to `lock` belong to the build's thread;
     afterwards they are constant. */
  atomic_int status;
  char *options;                  /* as the application gave them; NULL: "" */
  char *log;                      /* NULL: "" */
  struct kiln_product *product;   /* held; NULL while nothing was made */
  uint32_t width;                 /* forced by -kiln-width or KILN_WIDTH: kiln_spec.width; 0: none */
  uint8_t *globals;               /* block of the program-scope variables; NULL if there are none */
  void *globals_memory;           /* the device's allocation that it lies in */
  bool kernel_arg_info;           /* built with -cl-kernel-arg-info */
  struct kiln_lock lock;          /* rank PROGRAM: variants, binary, binary_taken */
  pthread_cond_t settled;         /* a variant has left the state COMPILING */
  struct kiln_variant **variants; /* a list per kernel of the product's image; NULL if there are none */
  struct kiln_blob binary;        /* last answer to CL_PROGRAM_BINARY_SIZES; see binary.h */
  bool binary_taken;              /* CL_PROGRAM_BINARIES has copied it since */
};

/* A build in state CL_BUILD_NONE, one reference; NULL without memory. */
struct kiln_build *kiln_build_new(kiln_device *device);
struct kiln_build *kiln_build_ref(struct kiln_build *build);
void kiln_build_unref(struct kiln_build **build);
/* Takes over one reference of product and makes room for the variants of its kernels. */
cl_int kiln_build_adopt(struct kiln_build *build, struct kiln_product *product);

/* Publishes the result: status is CL_BUILD_SUCCESS or CL_BUILD_ERROR. The caller has filled the other fields.
 */
void kiln_build_publish(struct kiln_build *build, cl_build_status status);

/* What the build made: its image, or NULL while there is none (also while it is in progress). */
const struct kiln_program_image *kiln_build_image(const struct kiln_build *build);
/* Same, but only if it is an executable built with success. */
const struct kiln_program_image *kiln_build_executable(const struct kiln_build *build);

#endif
