/* What one run of the work-group compiler carries: memory, the way out on failure, small containers.
 *
 * Failure anywhere inside leaves by longjmp: every allocation is the arena's, and LLVM never calls us back,
 * so there is nothing to unwind but the builders listed here. */
#ifndef KILN_COMPILER_SPMD_ENV_H
#define KILN_COMPILER_SPMD_ENV_H

#include "base/arena.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#define KL_NONE UINT32_MAX

struct kl_env {
  struct kiln_arena arena;
  jmp_buf fail;
  char *error; /* set before the jump unless memory is short; kiln_alloc */
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTargetDataRef layout;
  LLVMBuilderRef builders[8]; /* to be disposed at the end */
  unsigned num_builders;
};

/* Use: if (setjmp(env.fail) == 0) { kiln_env_start(...); ... } kiln_env_finish(...). */
void kiln_env_start(struct kl_env *env, LLVMModuleRef module);
/* Frees everything; true if no failure happened (ok), else *error_out receives the sentence. */
bool kiln_env_finish(struct kl_env *env, bool ok, char **error_out);
_Noreturn void kiln_env_fail(struct kl_env *env, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes an error of LLVM's. True: there is none; else its sentence goes to *error_out, to be freed by
 * kiln_free (error_out NULL: it is dropped). */
bool kiln_error_take(LLVMErrorRef error, char **error_out);
/* Fails with the sentence of an error of LLVM's, which it takes; NULL: there is none. */
void kiln_env_check(struct kl_env *env, LLVMErrorRef error);
LLVMBuilderRef kiln_env_builder(struct kl_env *env);

#define kl_new(env, count, type) ((type *)kiln_arena_alloc(&(env)->arena, (count), sizeof(type)))

/* Growable array of numbers. */
struct kl_list {
  uint32_t *at, n, cap;
};
void kiln_list_push(struct kl_env *env, struct kl_list *list, uint32_t x);

/* Hash table from pointers to numbers. */
struct kl_table {
  struct kl_slot {
    const void *key;
    uint64_t value;
  } * slots;
  uint32_t n, cap; /* cap is a power of two or 0 */
};
/* The value of key, or NULL. The pointer is valid until the next put. */
uint64_t *kiln_table_find(const struct kl_table *table, const void *key);
void kiln_table_put(struct kl_env *env, struct kl_table *table, const void *key, uint64_t value);

#endif
