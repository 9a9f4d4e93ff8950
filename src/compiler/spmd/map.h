/* From the module that was read to the one that is emitted, which live side by side in one LLVM module:
 * types, constants and variables with all address spaces 0 and the opaque OpenCL types made plain. */
#ifndef KILN_COMPILER_SPMD_MAP_H
#define KILN_COMPILER_SPMD_MAP_H

#include "compiler/spmd/env.h"

/* Address spaces of spir64. */
enum { KL_AS_PRIVATE, KL_AS_GLOBAL, KL_AS_CONSTANT, KL_AS_LOCAL, KL_AS_GENERIC };

struct kl_map {
  struct kl_env *env;
  struct kl_table types, globals; /* old to new */
  struct kl_table moving;         /* constant to 0 or 1: see kiln_map_is_moving */
  struct kl_table local_offset;   /* used __local variable to its offset in kiln_worker.local */
  LLVMTypeRef ptr, i1, i8, i32, i64;
};
void kiln_map_start(struct kl_map *map, struct kl_env *env);

LLVMTypeRef kiln_map_type(struct kl_map *map, LLVMTypeRef type);

/* The address of variable is known only while a kernel runs: __local, and what has a place among the
 * program-scope variables. */
bool kiln_map_is_placed(LLVMValueRef variable);
/* The constant contains the address of such a variable, so code must compute it. */
bool kiln_map_is_moving(struct kl_map *map, LLVMValueRef constant);
/* The emitted form of a constant that is not moving; makes variables and declarations as they are met. */
LLVMValueRef kiln_map_constant(struct kl_map *map, LLVMValueRef constant);
/* The mask of a shuffle, instruction or constant, as a constant vector. */
LLVMValueRef kiln_map_shuffle_mask(struct kl_map *map, LLVMValueRef shuffle);
/* The declaration that stands for a function without a body. */
LLVMValueRef kiln_map_declaration(struct kl_map *map, LLVMValueRef fn);

/* Copies the attributes of a function or call site; from and to differ in kind at will. drop_memory: the
 * callee touches memory that its old form did not; shift: parameters that come before the old ones. */
void kiln_map_attributes(struct kl_map *map, LLVMValueRef from, LLVMValueRef to, unsigned nparam,
                         bool drop_memory, unsigned shift);
/* Those of the function itself only, not of its result and parameters. */
void kiln_map_function_attributes(struct kl_map *map, LLVMValueRef from, LLVMValueRef to, bool drop_memory);

uint64_t kiln_map_size(struct kl_map *map, LLVMTypeRef mapped);  /* bytes between array elements */
uint32_t kiln_map_align(struct kl_map *map, LLVMTypeRef mapped); /* ABI alignment */

#endif
