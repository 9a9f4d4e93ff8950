/* SLEEF and glibc's libmvec, called a vector at a time. They are opened at run time, so that nothing needs
 * them but this comparison. */
#include "tool/math.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

/* ---- finding ---- */

/* Bytes of the widest registers this processor has. */
static unsigned register_bytes(void) {
  if (__builtin_cpu_supports("avx512f")) return 64;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 32 : 16;
}

static struct math_vector vector_of(const struct math_function *f, bool is_double) {
  unsigned lanes = register_bytes() / (is_double ? 8 : 4);
  return (struct math_vector){.lanes = lanes, .is_double = is_double, .binary = f->binary};
}

static void *symbol(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle == NULL ? NULL : dlsym(handle, name);
}

struct math_vector math_find_sleef(const struct math_function *f, bool is_double) {
  static const char *const sets[] = {[1] = "sse4", [2] = "avx2", [4] = "avx512f"};
  struct math_vector v = vector_of(f, is_double);
  char name[64];
  if (f->sleef == NULL) return v;
  snprintf(name, sizeof name, "Sleef_%s%c%u_%s%s", f->name, is_double ? 'd' : 'f', v.lanes, f->sleef,
           sets[register_bytes() / 16]);
  v.call = symbol("libsleef.so.3", name);
  return v;
}

struct math_vector math_find_libmvec(const struct math_function *f, bool is_double) {
  static const char sets[] = {[1] = 'b', [2] = 'd', [4] = 'e'};
  struct math_vector v = vector_of(f, is_double);
  char name[64];
  snprintf(name, sizeof name, "_ZGV%cN%u%s_%s%s", sets[register_bytes() / 16], v.lanes,
           f->binary ? "vv" : "v", f->name, is_double ? "" : "f");
  v.call = symbol("libmvec.so.1", name);
  return v;
}

/* ---- calling ---- */

typedef float f4 __attribute__((vector_size(16)));
typedef float f8 __attribute__((vector_size(32)));
typedef float f16 __attribute__((vector_size(64)));
typedef double d2 __attribute__((vector_size(16)));
typedef double d4 __attribute__((vector_size(32)));
typedef double d8 __attribute__((vector_size(64)));

#define APPLY(T, LANES, FEATURES)                                                                            \
  __attribute__((target(FEATURES))) static void apply_##T(const struct math_vector *v, const void *x,        \
                                                          const void *y, void *out, size_t n) {              \
    const T *a = x, *b = y;                                                                                  \
    T *to = out;                                                                                             \
    if (v->binary)                                                                                           \
      for (size_t i = 0; i < n / LANES; i++) to[i] = ((T(*)(T, T))v->call)(a[i], b[i]);                      \
    else                                                                                                     \
      for (size_t i = 0; i < n / LANES; i++) to[i] = ((T(*)(T))v->call)(a[i]);                               \
  }
APPLY(f4, 4, "sse4.1")
APPLY(d2, 2, "sse4.1")
APPLY(f8, 8, "avx2")
APPLY(d4, 4, "avx2")
APPLY(f16, 16, "avx512f")
APPLY(d8, 8, "avx512f")

void math_apply(const struct math_vector *v, const void *x, const void *y, void *out, size_t n) {
  switch (v->lanes * (v->is_double ? 8 : 4)) {
  case 16:
    (v->is_double ? apply_d2 : apply_f4)(v, x, y, out, n);
    return;
  case 32:
    (v->is_double ? apply_d4 : apply_f8)(v, x, y, out, n);
    return;
  default:
    (v->is_double ? apply_d8 : apply_f16)(v, x, y, out, n);
  }
}
