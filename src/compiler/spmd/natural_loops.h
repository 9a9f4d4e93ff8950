/* Loops that are entered at several places: state machines written with `goto`, switches whose cases lie
 * within a loop. Work-items of one vector may be at different entries, for which lanes have no form (flow.h).
 */
#ifndef KILN_COMPILER_SPMD_NATURAL_LOOPS_H
#define KILN_COMPILER_SPMD_NATURAL_LOOPS_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* Gives each such loop one header, from which a number tells the way to the place that was jumped to. Nothing
 * is copied. Functions of very many blocks stay as they are. False when memory is short (*error_out: NULL) or
 * a pass of LLVM's fails (a sentence; kiln_alloc). */
bool kiln_spmd_natural_loops(LLVMModuleRef module, char **error_out);

#endif
