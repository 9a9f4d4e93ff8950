/* Memory, failure and containers of one run; see env.h. */
#include "compiler/spmd/env.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kiln_env_start(struct kl_env *env, LLVMModuleRef module) {
  env->module = module;
  env->context = LLVMGetModuleContext(module);
  env->layout = LLVMCreateTargetData(LLVMGetDataLayoutStr(module));
}

bool kiln_env_finish(struct kl_env *env, bool ok, char **error_out) {
  for (unsigned i = 0; i < env->num_builders; i++) LLVMDisposeBuilder(env->builders[i]);
  if (env->layout != NULL) LLVMDisposeTargetData(env->layout);
  kiln_arena_finish(&env->arena);
  if (error_out != NULL) *error_out = env->error;
  else kiln_free(env->error);
  return ok;
}

_Noreturn void kiln_env_fail(struct kl_env *env, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  env->error = n < 0 ? NULL : kiln_alloc((size_t)n + 1);
  if (env->error != NULL) {
    va_start(args, format);
    vsnprintf(env->error, (size_t)n + 1, format, args);
    va_end(args);
  }
  longjmp(env->fail, 2);
}

bool kiln_error_take(LLVMErrorRef error, char **error_out) {
  if (error == NULL) return true;
  char *text = LLVMGetErrorMessage(error);
  if (error_out != NULL) *error_out = kiln_strdup(text);
  LLVMDisposeErrorMessage(text);
  return false;
}

void kiln_env_check(struct kl_env *env, LLVMErrorRef error) {
  if (!kiln_error_take(error, &env->error)) longjmp(env->fail, 1);
}

LLVMBuilderRef kiln_env_builder(struct kl_env *env) {
  if (env->num_builders == sizeof env->builders / sizeof *env->builders)
    kiln_env_fail(env, "too many builders in use");
  return env->builders[env->num_builders++] = LLVMCreateBuilderInContext(env->context);
}

void kiln_list_push(struct kl_env *env, struct kl_list *list, uint32_t x) {
  if (list->n == list->cap) {
    uint32_t cap = list->cap == 0 ? 8 : list->cap * 2;
    uint32_t *at = kl_new(env, cap, uint32_t);
    if (list->n != 0) memcpy(at, list->at, list->n * sizeof *at);
    list->at = at;
    list->cap = cap;
  }
  list->at[list->n++] = x;
}

static uint32_t probe(const struct kl_table *table, const void *key) {
  uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
  uint32_t mask = table->cap - 1, i = (uint32_t)(hash >> 32) & mask;
  while (table->slots[i].key != NULL && table->slots[i].key != key) i = (i + 1) & mask;
  return i;
}

uint64_t *kiln_table_find(const struct kl_table *table, const void *key) {
  if (table->cap == 0) return NULL;
  struct kl_slot *slot = &table->slots[probe(table, key)];
  return slot->key == NULL ? NULL : &slot->value;
}

static void grow(struct kl_env *env, struct kl_table *table) {
  struct kl_table bigger = {.n = table->n, .cap = table->cap == 0 ? 64 : table->cap * 2};
  bigger.slots = kl_new(env, bigger.cap, struct kl_slot);
  for (uint32_t i = 0; i < table->cap; i++)
    if (table->slots[i].key != NULL) bigger.slots[probe(&bigger, table->slots[i].key)] = table->slots[i];
  *table = bigger;
}

void kiln_table_put(struct kl_env *env, struct kl_table *table, const void *key, uint64_t value) {
  if (table->n * 2 >= table->cap) grow(env, table);
  struct kl_slot *slot = &table->slots[probe(table, key)];
  if (slot->key == NULL) slot->key = key, table->n++;
  slot->value = value;
}
