/* Owns which functions need it; see natural_loops.h. */
#include "compiler/spmd/natural_loops.h"

#include "compiler/large.h"
#include "compiler/spmd/ir.h"

/* Each entry becomes an operand of as many merges as there are values and blocks that need a way. */
enum { MOST_BLOCKS = 1000 };

static bool is_irreducible(struct kl_env *env, LLVMValueRef f) {
  const unsigned blocks = LLVMCountBasicBlocks(f);
  if (blocks < 3 || blocks > MOST_BLOCKS) return false;
  struct kiln_loops loops;
  kiln_blocks_loops(env, f, &loops);
  return loops.irreducible;
}

static bool is_in(LLVMValueRef f, const void *table) { return kiln_table_find(table, f) != NULL; }

static bool find(struct kl_env *env, LLVMModuleRef module, struct kl_table *found) {
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || !is_irreducible(env, f)) continue;
    kiln_table_put(env, found, f, 1);
    any = true;
  }
  return any;
}

bool kiln_spmd_natural_loops(LLVMModuleRef module, char **error_out) {
  struct kl_env env = {0};
  struct kl_table found = {0};
  env.arena.no_memory = &env.fail;
  if (setjmp(env.fail) != 0) return kiln_env_finish(&env, false, error_out);
  kiln_env_start(&env, module);
  if (find(&env, module, &found))
    kiln_env_check(&env, kiln_run_passes_where(module, NULL, "lower-switch,fix-irreducible", is_in, &found));
  return kiln_env_finish(&env, true, error_out);
}
