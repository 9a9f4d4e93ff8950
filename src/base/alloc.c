/* Owns the count of live allocations and the n-th-failure switch; knows nothing of who allocates. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_size_t live;

/* The switch. Off, it costs an allocation one load. */
static atomic_size_t fail_at; /* value of made at which one allocation fails; 0: off */
static atomic_size_t made;
static atomic_bool elsewhere; /* counts the other threads' allocations instead of the chosen one's */
static atomic_bool failed;
static _Thread_local bool chosen;

static size_t set_switch(size_t n, bool others) {
  atomic_store(&fail_at, 0);
  size_t before = atomic_exchange(&made, 0);
  atomic_store(&failed, false);
  atomic_store(&elsewhere, others);
  chosen = true;
  atomic_store(&fail_at, n);
  return before;
}

size_t kiln_alloc_fail_nth(size_t n) { return set_switch(n, false); }
size_t kiln_alloc_fail_nth_elsewhere(size_t n) { return set_switch(n, true); }
bool kiln_alloc_has_failed(void) { return atomic_load(&failed); }

size_t kiln_alloc_live(void) { return atomic_load(&live); }

static bool must_fail(void) {
  size_t nth = atomic_load_explicit(&fail_at, memory_order_relaxed);
  if (nth == 0 || chosen == atomic_load_explicit(&elsewhere, memory_order_relaxed)) return false;
  if (atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) + 1 != nth) return false;
  atomic_store(&failed, true);
  return true;
}

static void *counted(void *p) {
  if (p != NULL) atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
  return p;
}

void *kiln_alloc(size_t size) { return must_fail() ? NULL : counted(malloc(size ? size : 1)); }

void *kiln_zalloc(size_t size) { return must_fail() ? NULL : counted(calloc(1, size ? size : 1)); }

void *kiln_realloc(void *p, size_t size) {
  if (p == NULL) return kiln_alloc(size);
  return must_fail() ? NULL : realloc(p, size ? size : 1);
}

void kiln_free(void *p) {
  if (p == NULL) return;
  atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
  free(p);
}

char *kiln_strdup(const char *s) {
  size_t size = strlen(s) + 1;
  char *copy = kiln_alloc(size);
  return copy == NULL ? NULL : memcpy(copy, s, size);
}

void *kiln_alloc_aligned(size_t align, size_t size) {
  if (must_fail() || size > SIZE_MAX - align) return NULL;
  void *p = NULL;
  return posix_memalign(&p, align, size ? size : 1) == 0 ? counted(p) : NULL;
}
