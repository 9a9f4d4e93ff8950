/* Owns the runs under failing allocations. Knows no object. */
#include "api/alloc_fail.h"

#include "base/alloc.h"
#include "core/error.h"
#include "drivers/cpu/memory.h"

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

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

/* Without the memory that the driver keeps for later buffers: how much it is depends on what failed. */
static size_t live_now(void) {
  kiln_memory_forget();
  return kiln_alloc_live();
}

static bool lives(size_t count) {
  for (int i = 0; i < 3000; i++) {
    if (live_now() == count) return true;
    nap();
  }
  return false;
}

/* How many live once no thread drops anything any more. */
static size_t settled(void) {
  size_t live = live_now();
  for (int unchanged = 0; unchanged < 20; unchanged++) {
    nap();
    if (live_now() == live) continue;
    live = live_now();
    unchanged = 0;
  }
  return live;
}

void alloc_fail_expect_live(size_t live) {
  if (!lives(live)) fail_msg("%zu allocations live instead of %zu", kiln_alloc_live(), live);
}

/* ---- runs ---- */

struct job {
  struct CMUnitTest test;
  CMFixtureFunction open, close; /* the group's */
};

static void call_fixture(CMFixtureFunction fixture, void **state) {
  if (fixture != NULL) assert_int_equal(fixture(state), 0);
}

/* One run with allocation n failing, in a group of its own, so that nothing of the run before is left in
 * pools; true if there was one of that number. */
static bool run_once(const struct job *job, size_t n) {
  void *state = NULL;
  call_fixture(job->open, &state);
  if (job->test.initial_state != NULL) state = job->test.initial_state;
  call_fixture(job->test.setup_func, &state);
  failing = n;
  noted = false;
  active = true;
  kiln_alloc_fail_nth(n);
  job->test.test_func(&state);
  bool failed = kiln_alloc_has_failed();
  kiln_alloc_fail_nth(0);
  active = false;
  call_fixture(job->test.teardown_func, &state);
  call_fixture(job->close, &state);
  return failed;
}

static void under_failure(void **state) {
  const struct job *job = *state;
  run_once(job, SIZE_MAX); /* what is made once and kept is made here */
  size_t live = settled();
  for (size_t n = 1; run_once(job, n); n++) alloc_fail_expect_live(live);
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

static int run_repeated(const char *name, struct job *jobs, size_t count) {
  struct CMUnitTest *repeated = calloc(count, sizeof *repeated);
  if (repeated == NULL) return 1;
  for (size_t i = 0; i < count; i++)
    repeated[i] = (struct CMUnitTest){jobs[i].test.name, under_failure, NULL, say_which, &jobs[i]};
  int failures = _cmocka_run_group_tests(name, repeated, count, NULL, NULL);
  free(repeated);
  return failures;
}

int alloc_fail_run(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
                   CMFixtureFunction teardown) {
  struct job *jobs = calloc(count, sizeof *jobs);
  if (jobs == NULL) return 1;
  size_t repeated = 0;
  for (size_t i = 0; i < count; i++)
    if (may_fail(&tests[i])) jobs[repeated++] = (struct job){tests[i], setup, teardown};
  int failures = _cmocka_run_group_tests(name, tests, count, setup, teardown);
  failures += run_repeated("n-th allocation failing", jobs, repeated);
  free(jobs);
  return failures;
}
