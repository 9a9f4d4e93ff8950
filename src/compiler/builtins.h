/* The builtin library: makes every builtin that a module calls defined in it.
 *
 * Owns the embedded bitcode and the splitting of vector calls into components.
 * Must not know kernels, targets or passes: it works on any spir64 module that
 * comes from the front end. */
#ifndef KILN_COMPILER_BUILTINS_H
#define KILN_COMPILER_BUILTINS_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Links what the module's undefined functions need, transitively, with internal linkage; calls of vector
 * builtins become calls of the scalar ones. Calls that allow approximations (flag afn) get relaxed forms.
 * Functions that the compiler lowers itself stay undefined. False: something is unresolved or memory is
 * short. Then *missing_out is the source name of the first unresolved function (kiln_alloc), or NULL for lack
 * of memory; the module is not to be used. */
bool kiln_builtins_link(LLVMModuleRef module, char **missing_out);

/* True for functions that stay undefined because the compiler lowers them: work-item functions, barriers,
 * work-group and sub-group functions, printf, address space queries. Takes mangled and plain names. */
bool kiln_builtin_is_lowered(const char *name);
/* True for those of them that all work-items of a group call together. */
bool kiln_builtin_is_collective(const char *name);

/* True when kiln_builtins_link can define the function of this mangled name. */
bool kiln_builtin_exists(const char *name);

/* Changes whenever the library does: for cache keys. */
uint64_t kiln_builtins_hash(void);

/* Number of functions in the library, and the i-th name: for tests. */
size_t kiln_builtins_count(void);
const char *kiln_builtins_name(size_t i);

/* Text of builtins/header/kiln_extra.h, to be included after clang's default header. Zero-terminated. */
const char *kiln_builtins_extra_header(size_t *size_out);

/* Chooses the forms of builtins that suit a processor of these features (LLVM's names, "+avx2,..."); tables
 * that no instruction looks up in become variables. Before kiln_spmd_lower, once the processor is known. True
 * if there was something to choose: then constant conditions, dead code and variables are to be removed. */
bool kiln_builtins_settle(LLVMModuleRef module, const char *features);

#endif
