/* See library.h. */
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef double d4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double d8 __attribute__((vector_size(64), aligned(8), may_alias));

/* What was last looked up. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  const char *name;
  void *call;
} found;

static unsigned lanes(void) {
  if (__builtin_cpu_supports("avx512f")) return 8;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 4 : 1;
}

static void *look_up(const char *name) {
  char symbol[64];
  void *library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  snprintf(symbol, sizeof symbol, lanes() == 8 ? "_ZGVeN8v_%s" : "_ZGVdN4v_%s", name);
  return library == NULL ? NULL : dlsym(library, symbol);
}

static void *vector_function(const char *name) {
  if (name == NULL || lanes() == 1) return NULL;
  pthread_mutex_lock(&lock);
  if (found.name == NULL || strcmp(found.name, name) != 0) {
    found.name = name;
    found.call = look_up(name);
  }
  void *call = found.call;
  pthread_mutex_unlock(&lock);
  return call;
}

__attribute__((target("avx512f"))) static void apply8(void *call, const double *x, double *out, size_t n) {
  for (size_t k = 0; k < n; k += 8) *(d8 *)(out + k) = ((d8(*)(d8))call)(*(const d8 *)(x + k));
}

__attribute__((target("avx2"))) static void apply4(void *call, const double *x, double *out, size_t n) {
  for (size_t k = 0; k < n; k += 4) *(d4 *)(out + k) = ((d4(*)(d4))call)(*(const d4 *)(x + k));
}

void library_apply(const struct quick *quick, const double *x, double *out, size_t n) {
  void *call = vector_function(quick->name);
  if (call == NULL)
    for (size_t k = 0; k < n; k++) out[k] = quick->one(x[k]);
  else if (lanes() == 8) apply8(call, x, out, n);
  else apply4(call, x, out, n);
}
