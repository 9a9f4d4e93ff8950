/* What a launch costs: figures on stdout, and a generous bound so that a lost wake-up shows as a failure. */
#include "support.h"
#include "test.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static kiln_device *device;
static kiln_context *context;
static struct kiln_code *empty;

static void empty_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                         uint64_t last) {}

static int set_up(void **state) {
  device = support_root();
  context = support_context();
  return kiln_code_wrap(empty_groups, "empty", &empty) == CL_SUCCESS ? 0 : -1;
}

static int tear_down(void **state) {
  kiln_code_unload(device->backend, empty);
  kiln_unref(&context);
  kiln_unref(&device);
  return 0;
}

enum { LAUNCHES = 10000, ROUNDS = 9 };

static double pipelined(kiln_queue *queue, uint64_t groups) {
  uint64_t start = kiln_os_now_ns();
  for (int i = 0; i < LAUNCHES; i++) support_range(queue, empty, groups, NULL, 0, NULL, NULL);
  kiln_queue_finish(queue);
  return (double)(kiln_os_now_ns() - start) / LAUNCHES;
}

static double one_at_a_time(kiln_queue *queue, uint64_t groups) {
  uint64_t start = kiln_os_now_ns();
  for (int i = 0; i < LAUNCHES; i++) {
    support_range(queue, empty, groups, NULL, 0, NULL, NULL);
    kiln_queue_finish(queue);
  }
  return (double)(kiln_os_now_ns() - start) / LAUNCHES;
}

/* As above with a pause in between, so that the workers have gone to sleep. */
static double from_idle(kiln_queue *queue, uint64_t groups) {
  uint64_t total = 0;
  for (int i = 0; i < 100; i++) {
    support_sleep_ms(1);
    uint64_t start = kiln_os_now_ns();
    support_range(queue, empty, groups, NULL, 0, NULL, NULL);
    kiln_queue_finish(queue);
    total += kiln_os_now_ns() - start;
  }
  return (double)total / 100;
}

/* Smallest of several rounds: the machine is shared. */
static void measure(const char *name, double (*function)(kiln_queue *, uint64_t), kiln_queue *queue,
                    uint64_t groups) {
  double best = 1e18, sum = 0;
  for (int i = 0; i < ROUNDS; i++) {
    double ns = function(queue, groups);
    best = ns < best ? ns : best;
    sum += ns;
  }
  printf("%s, %llu groups: best %.0f ns, mean %.0f ns\n", name, (unsigned long long)groups, best,
         sum / ROUNDS);
  assert_true(best < 1e6);
}

static void measure_queue(cl_command_queue_properties properties, const char *name) {
  kiln_queue *queue = NULL;
  assert_int_equal(kiln_queue_create(context, device, properties, &queue), CL_SUCCESS);
  printf("%s\n", name);
  for (uint64_t groups = 1; groups <= 1024; groups *= 32) {
    measure("  pipelined", pipelined, queue, groups);
    measure("  one at a time", one_at_a_time, queue, groups);
    measure("  from idle", from_idle, queue, groups);
  }
  kiln_unref(&queue);
}

static void launches(void **state) {
  measure_queue(0, "in order");
  measure_queue(CL_QUEUE_PROFILING_ENABLE, "in order, profiling");
  measure_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, "out of order");
}

/* Milliseconds of all processors that the process has used. */
static double used_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Workers look for work for less than a millisecond, then sleep. */
static void idle_workers_sleep(void **state) {
  enum { IDLE_US = 300000, GROUPS = 1000 };
  kiln_queue *queue = NULL;
  assert_int_equal(kiln_queue_create(context, device, 0, &queue), CL_SUCCESS);
  one_at_a_time(queue, GROUPS);
  double before = used_ms();
  usleep(IDLE_US);
  double used = used_ms() - before;
  printf("used in %d ms without work: %.2f ms\n", IDLE_US / 1000, used);
  assert_true(used < 60);
  kiln_unref(&queue);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(launches), cmocka_unit_test(idle_workers_sleep)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
