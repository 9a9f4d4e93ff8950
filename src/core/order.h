/* Orders: what clBuildProgram, clCompileProgram and clLinkProgram have done. */
#ifndef KILN_CORE_ORDER_H
#define KILN_CORE_ORDER_H

#include "core/program.h"

enum kiln_order_kind { KILN_ORDER_BUILD, KILN_ORDER_COMPILE, KILN_ORDER_LINK };

/* What clBuildProgram, clCompileProgram or clLinkProgram was asked for; checked by the caller. Pointers are
 * borrowed for the call. */
struct kiln_order {
  enum kiln_order_kind kind;
  cl_uint num_devices;
  const cl_device_id *devices; /* all of them devices of the program */
  const char *options;         /* NULL: "" */
  bool library;                /* LINK: -create-library */
  cl_uint num_programs;        /* COMPILE: headers; LINK: inputs */
  const cl_program *programs;
  const char **header_names; /* COMPILE */
  void(CL_CALLBACK *notify)(cl_program, void *);
  void *user_data;
};

/* Carries the order out: here and now without notify, else on the compile thread, and notify is called on the
 * callback thread when the status is published. CL_INVALID_OPERATION if kernels are attached or a build for
 * one of the devices has not completed; CL_*_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE,
 * CL_LINKER_NOT_AVAILABLE (only without notify); CL_INVALID_BINARY; CL_OUT_OF_HOST_MEMORY. No lock held. */
cl_int kiln_program_order(kiln_program *program, const struct kiln_order *order, const char *where);

#endif
