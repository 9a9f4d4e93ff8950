/* Runs the tests of a group plainly, then each again with its 1st, 2nd, ... allocation failing until a run
 * needs none further. Only allocations of the thread that runs the test count, so the numbers mean the same
 * in every run; what other threads allocate is for tests of its own (kiln_alloc_fail_nth_elsewhere).
 *
 * In such a run an entry point that reports one of CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES and
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, with a sentence, is called again (retry.h) and has to do then what it
 * does without the failure. After each run as many allocations live as before it. */
#ifndef KILN_TEST_API_ALLOC_FAIL_H
#define KILN_TEST_API_ALLOC_FAIL_H

#include "test.h"

#include "base/ocl.h"

#include <stdbool.h>

/* In place of cmocka_run_group_tests. setup and teardown of the group and of each test run without failures.
 * Tests named short_of_memory..., which use the switch themselves, run plainly only. */
#define alloc_fail_run_group(tests, setup, teardown)                                                         \
  alloc_fail_run(#tests, (tests), sizeof(tests) / sizeof(tests)[0], (setup), (teardown))
int alloc_fail_run(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
                   CMFixtureFunction teardown);

/* True while a test runs under failure. */
bool alloc_fail_active(void);

/* Rounds of a long or random test: few when it is repeated with every allocation failing. */
static inline int rounds(int count) { return alloc_fail_active() && count > 3 ? 3 : count; }

/* Waits until as many allocations live as given; fails the test if that does not come about. Threads of the
 * runtime may still be dropping what a finished command held. */
void alloc_fail_expect_live(size_t live);

/* For retry.h: notes the outcome of a call; true if it is to be made again. */
bool alloc_fail_again(cl_int code, const char *call);
bool alloc_fail_again_handle(void *handle, const char *call);
/* For functions below the entry points, which need not have written the sentence. */
bool alloc_fail_again_inner(cl_int code);
/* The outcome last noted by this thread. */
cl_int alloc_fail_code(void);
void *alloc_fail_handle(void);

#endif
