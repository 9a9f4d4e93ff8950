/* Owns the runs under failing allocations. Knows no object. */
#include "api/alloc_fail.h"

#include "base/alloc.h"
#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool active;    /* a test runs under failure */
static size_t failing; /* which allocation fails in this run */
static bool noted;     /* the failure has reached the return of an entry point */
static _Thread_local cl_int last_code;
static _Thread_local void *last_handle;

bool alloc_fail_active(void) { return active; }
cl_int alloc_fail_code(void) { return last_code; }
void *alloc_fail_handle(void) { return last_handle; }

/* ---- retries ---- */

static bool tells_of(cl_int code) { return strstr(kiln_last_error(), kiln_error_name(code)) != NULL; }

static bool is_shortage(cl_int code) {
  return code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES ||
         code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/* The failure struck during the entry point that has just returned. */
static bool struck(void) {
  if (!active || noted || !kiln_alloc_has_failed()) return false;
  noted = true;
  return true;
}

bool alloc_fail_again(cl_int code, const char *call) {
  last_code = code;
  if (!struck() || !is_shortage(code)) return false;
  if (!tells_of(code))
    fail_msg("%s: no sentence about %s: %s", call, kiln_error_name(code), kiln_last_error());
  return true;
}

bool alloc_fail_again_inner(cl_int code) { return struck() && is_shortage(code); }

bool alloc_fail_again_handle(void *handle, const char *call) {
  last_handle = handle;
  if (!struck() || handle != NULL) return false;
  return tells_of(CL_OUT_OF_HOST_MEMORY) || tells_of(CL_OUT_OF_RESOURCES) ||
         tells_of(CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

/* ---- what lives ---- */

static bool lives(size_t count) {
  for (int i = 0; i < 3000; i++) {
    if (kiln_alloc_live() == count) return true;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return false;
}

void alloc_fail_expect_live(size_t live) {
  if (!lives(live)) fail_msg("%zu allocations live instead of %zu", kiln_alloc_live(), live);
}

/* ---- runs ---- */

/* One run of test with allocation n failing; true if there was one of that number. */
static bool run_once(const struct CMUnitTest *test, size_t n) {
  void *state = test->initial_state;
  if (test->setup_func != NULL) assert_int_equal(test->setup_func(&state), 0);
  failing = n;
  noted = false;
  active = true;
  kiln_alloc_fail_nth(n);
  test->test_func(&state);
  bool failed = kiln_alloc_has_failed();
  kiln_alloc_fail_nth(0);
  active = false;
  if (test->teardown_func != NULL) assert_int_equal(test->teardown_func(&state), 0);
  return failed;
}

/* The tests to repeat, in the order in which cmocka runs their repetitions: it has no other way to tell them
 * apart, as a group's state takes the place of a test's own. */
static const struct CMUnitTest **next;

static void under_failure(void **state) {
  struct CMUnitTest test = **next++;
  if (*state != NULL) test.initial_state = *state;
  run_once(&test, SIZE_MAX); /* what is made once and kept is made here */
  size_t live = kiln_alloc_live();
  for (int i = 0; i < 20 && !lives(live); i++) live = kiln_alloc_live();
  for (size_t n = 1; run_once(&test, n); n++) alloc_fail_expect_live(live);
  alloc_fail_expect_live(live);
}

/* Runs after the test also when it failed. */
static int say_which(void **state) {
  if (active) print_error("  with allocation %zu failing\n", failing);
  active = false;
  kiln_alloc_fail_nth(0);
  return 0;
}

static bool may_fail(const struct CMUnitTest *test) {
  return strncmp(test->name, "short_of_memory", 15) != 0;
}

static char *repetition_name(const struct CMUnitTest *test) {
  char *name = NULL;
  return asprintf(&name, "%s, n-th allocation failing", test->name) < 0 ? NULL : name;
}

int alloc_fail_run(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
                   CMFixtureFunction teardown) {
  struct CMUnitTest *all = calloc(2 * count, sizeof *all);
  const struct CMUnitTest **repeated = calloc(count, sizeof *repeated);
  if (all == NULL || repeated == NULL) return 1;
  memcpy(all, tests, count * sizeof *all);
  size_t total = count;
  for (size_t i = 0; i < count; i++) {
    if (!may_fail(&tests[i])) continue;
    repeated[total - count] = &tests[i];
    all[total++] = (struct CMUnitTest){repetition_name(&tests[i]), under_failure, NULL, say_which, NULL};
  }
  next = repeated;
  int failures = _cmocka_run_group_tests(name, all, total, setup, teardown);
  while (total > count) free((char *)(uintptr_t)all[--total].name);
  free(repeated);
  free(all);
  return failures;
}
