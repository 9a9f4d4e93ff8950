/* The work-group function: turns a kernel, which describes one work-item, into the function that runs whole
 * work-groups (kiln_group_fn of base/abi.h).
 *
 * Input everywhere: a spir64 module from the front end with the builtins linked, where each callee that holds
 * a barrier is already inlined into its kernel; other callees may stay functions. Must not know requests,
 * images, caches or machine code. Not thread-safe per module; the module's context belongs to the caller.
 *
 * Functions return false with *error_out = one sentence (kiln_alloc; NULL when memory is short). The module
 * is then not to be used any more, only disposed. error_out may be NULL. */
#ifndef KILN_COMPILER_SPMD_WORKGROUP_H
#define KILN_COMPILER_SPMD_WORKGROUP_H

#include "compiler/compiler.h"

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Brings the functions of a module into the form the two functions below read (compiler.md 2.3 step 4):
 * values in registers, dead code gone, integer divisions that cannot trap. At build, before the bitcode is
 * stored and before any other pass; once more after code was added. */
bool kiln_spmd_normalise(LLVMModuleRef module, char **error_out);

/* Gives each program-scope __global variable its place in kiln_launch.globals, kept as metadata on the
 * variable, so that every kernel of the program agrees on it; __constant variables that hold the address of
 * one or whose address one holds get a place too. Once per program, before kernels are split off and after
 * the builtins are linked. *globals_out: the block's size and initial contents (kiln_alloc). */
bool kiln_spmd_place_globals(LLVMModuleRef module, struct kiln_globals *globals_out, char **error_out);
/* The place of one variable, or UINT64_MAX when it has none. */
uint64_t kiln_spmd_global_offset(LLVMValueRef variable);

/* Fills what only the code of the kernel tells: info->local_bytes, private_bytes, private_bound,
 * subgroup_size and, in flags, KILN_KERNEL_PRINTF, KILN_KERNEL_BARRIER and KILN_KERNEL_FREE (other bits stay;
 * info->args is there). The module must be normalised; it is not changed. kiln_spmd_lower on the same module
 * keeps within these bounds. width: work-items at a time that suit the processor; 0: one.
 * info->reqd_subgroup is there too and kept where it can be. *why_out: why sub-groups that the kernel uses
 * are of one work-item instead, or NULL. */
bool kiln_spmd_describe(LLVMModuleRef module, LLVMValueRef kernel, unsigned width,
                        struct kiln_kernel_info *info, const char **why_out, char **error_out);

struct kiln_spmd_options {
  const struct kiln_kernel_info *info; /* offset and kind of each argument, local_bytes, flags */
  const struct kiln_spec *spec;
  const char *triple, *data_layout; /* of the target; NULL: Linux on x86-64 */
  unsigned width;         /* work-items at a time that suit the processor; spec->width goes first; 0: one */
  unsigned in_flight;     /* vectors that keep it busy while each waits for its result; 0: 4 */
  unsigned integer_turns; /* until the result of an operation on integers of vectors is there; 0: 1 */
  unsigned
      lines_in_place;  /* of its first cache that lie apart by a power of 2 and stay there together; 0: 8 */
  bool has_half;       /* the processor computes with halves */
  bool gathers;        /* it gathers and scatters an element in about the time of a load or store */
  bool deposits;       /* it keeps masks as bits, and has an instruction that spreads bits */
  uint64_t arena_size; /* of a worker, bytes; 0: the least, 4 MiB */
  bool lines;          /* keep source positions */
  char *note;          /* NULL, or receives what became of the work-items, note_size bytes with the NUL */
  size_t note_size;
  char **report;       /* NULL, or receives a line for each source line (kiln_report_text); kiln_alloc */
  unsigned *lanes_out; /* NULL, or receives how many work-items run at a time, or KILN_WIDTH_PAIR */
  bool *loops_out;     /* NULL, or receives whether the source may have loops */
  bool verify;         /* check the result with LLVM's verifier; a violation is reported as an error */
};

/* Replaces the kernel by KILN_ENTRY_SYMBOL, the only external definition left; other kernels and all that
 * nobody reaches are dropped. The module becomes one for the target: all address spaces are 0. Scalar code:
 * one work-item at a time. Not optimised afterwards: many values wait in allocas for sroa. */
bool kiln_spmd_lower(LLVMModuleRef module, LLVMValueRef kernel, const struct kiln_spmd_options *options,
                     char **error_out);

#endif
