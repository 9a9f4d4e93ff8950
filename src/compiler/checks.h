/* Checks that neither clang nor LLVM makes. */
#ifndef KILN_COMPILER_CHECKS_H
#define KILN_COMPILER_CHECKS_H

#include "compiler/frontend.h"

/* Reports each cycle of the call graph once, at the call that closes it. False without memory. */
bool kiln_check_recursion(const struct kiln_frontend_call *calls, size_t num_calls,
                          struct kiln_frontend_reporter *reporter);

/* Reports each function that is called but defined neither in the program nor by the builtin library. */
void kiln_check_unresolved(const struct kiln_frontend_call *calls, size_t num_calls,
                           struct kiln_frontend_reporter *reporter);

/* Reports calls of functions of clang's own that make no sense on a device. */
void kiln_check_forbidden(const struct kiln_frontend_call *calls, size_t num_calls,
                          struct kiln_frontend_reporter *reporter);

/* The call expressions of a module, for the two checks above; kiln_free(). Names point into the module. NULL
 * without memory; *num_out is 0 then and for a module without calls. */
struct kiln_frontend_call *kiln_check_module_calls(LLVMModuleRef module, size_t *num_out);

#endif
