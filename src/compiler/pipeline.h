/* The compiler's sequence of stages, and what they pass along. Each stage is a function on a unit; pipeline.c
 * calls them in order. */
#ifndef KILN_COMPILER_PIPELINE_H
#define KILN_COMPILER_PIPELINE_H

#include "compiler/compiler.h"

#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

/* One request under way. */
struct kiln_unit {
  const struct kiln_request *request;
  struct kiln_reply *reply;    /* status, log and results; the log is filled from `log` at the end */
  struct kiln_options options; /* COMPILE and LINK */
  struct kiln_blob log;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMValueRef kernel;                 /* CODEGEN */
  const struct kiln_kernel_info *info; /* CODEGEN: of kernel */
  LLVMTargetMachineRef machine;        /* CODEGEN; borrowed from target_cpu.c */
  bool loops;                          /* CODEGEN: the source may have loops */
  unsigned lanes;                      /* CODEGEN: work-items of a vector; 1: one at a time */
  unsigned emitted;                    /* CODEGEN: instructions of the processor; 0: not there yet */
};

/* Runs the request to its end and fills *reply. */
void kiln_pipeline_run(const struct kiln_request *request, struct kiln_reply *reply);

/* For stages. Appends a line to the log; "error: " in front makes it look like clang's. */
void kiln_unit_log(struct kiln_unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Logs and returns false. */
bool kiln_unit_fail(struct kiln_unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool kiln_unit_no_memory(struct kiln_unit *unit);
/* Logs and consumes an error of LLVM's; true if there is none. */
bool kiln_unit_accept(struct kiln_unit *unit, LLVMErrorRef error);
/* Runs LLVM passes given as text, on the unit's module or on another of its context. */
bool kiln_unit_passes(struct kiln_unit *unit, const char *passes);
bool kiln_unit_passes_on(struct kiln_unit *unit, LLVMModuleRef module, const char *passes);
/* Builtins of a module in the forms of the request's processor, and nothing of the others. */
bool kiln_unit_settle(struct kiln_unit *unit, LLVMModuleRef module);
/* A kernel of a module with what it calls and nothing else. */
bool kiln_unit_isolate(struct kiln_unit *unit, LLVMValueRef kernel);
/* Groups of one work-item of such a kernel share nothing any more. */
bool kiln_unit_set_apart(struct kiln_unit *unit, LLVMValueRef kernel, const struct kiln_kernel_info *info);

/* CODEGEN, once the target is known: the kernel in assembler, for LLVMDisposeMessage. */
char *kiln_unit_assembly(const struct kiln_unit *unit);

/* Stages. Each returns false when the unit failed; log or status then say why. */
bool kiln_stage_options(struct kiln_unit *unit);      /* COMPILE, LINK: text to unit->options */
bool kiln_stage_frontend(struct kiln_unit *unit);     /* COMPILE: source to unit->module */
bool kiln_stage_merge(struct kiln_unit *unit);        /* LINK: inputs to unit->module */
bool kiln_stage_resolve(struct kiln_unit *unit);      /* executables: nothing undefined, no recursion */
bool kiln_stage_internalise(struct kiln_unit *unit);  /* executables: only kernels stay visible */
bool kiln_stage_parameters(struct kiln_unit *unit);   /* functions lose those that they do not use */
bool kiln_stage_normalise(struct kiln_unit *unit);    /* the form that lowering reads */
bool kiln_stage_coordinates(struct kiln_unit *unit);  /* integers of vectors are computed by components */
bool kiln_stage_components(struct kiln_unit *unit);   /* components that change are stored alone */
bool kiln_stage_late_vectors(struct kiln_unit *unit); /* vectors are put together where they are used */
bool kiln_stage_globals(struct kiln_unit *unit);      /* executables: places of program-scope variables */
bool kiln_stage_describe(struct kiln_unit *unit);     /* executables: kernels' metadata */
bool kiln_stage_store(struct kiln_unit *unit);        /* module to the reply's image */
bool kiln_stage_load(struct kiln_unit *unit);         /* CODEGEN: image to unit->module */
bool kiln_stage_isolate(struct kiln_unit *unit);      /* one kernel and what it calls */
bool kiln_stage_alone(struct kiln_unit *unit);        /* what groups of one work-item have is private */
bool kiln_stage_opaque(struct kiln_unit *unit);       /* formats of images to constants */
bool kiln_stage_native(struct kiln_unit *unit);       /* builtins in the forms of this processor */
bool kiln_stage_angles(struct kiln_unit *unit);       /* sine and cosine of one angle to sincos */
bool kiln_stage_powers(struct kiln_unit *unit);       /* powers of known exponents to products */
bool kiln_stage_builtins(struct kiln_unit *unit);
bool kiln_stage_inline(struct kiln_unit *unit);
bool kiln_stage_samplers(struct kiln_unit *unit);  /* literal samplers to constants */
bool kiln_stage_split(struct kiln_unit *unit);     /* vectors that functions take to components */
bool kiln_stage_arguments(struct kiln_unit *unit); /* structures by value that are changed to variables */
bool kiln_stage_lower(struct kiln_unit *unit);     /* work-item to work-group function */
bool kiln_stage_target(struct kiln_unit *unit);
unsigned kiln_target_lanes(const struct kiln_unit *unit); /* 32-bit values in the widest register */
/* What lowering is told of the processor and of a worker's arena; the rest is zero. */
struct kiln_spmd_options kiln_target_spmd_options(const struct kiln_unit *unit);
bool kiln_stage_optimise(struct kiln_unit *unit);
bool kiln_stage_emit(struct kiln_unit *unit);

#endif
