/* Many commands: hundreds of thousands at once, chains without end, wide graphs; time and memory grow no
 * faster than the number of commands, and no stack is used up. */
#include "support.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static kiln_device *device;
static kiln_context *context;
static struct kiln_code *code;
static size_t live_at_start; /* allocations, before the device has threads */

static void count_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                         uint64_t last) {
  atomic_fetch_add((atomic_ullong *)support_args(launch), last - first);
}

static int set_up(void **state) {
  device = support_root();
  context = support_context();
  cl_int err = kiln_code_wrap(count_groups, "flood", &code);
  live_at_start = kiln_alloc_live();
  return err == CL_SUCCESS ? 0 : -1;
}

static int tear_down(void **state) {
  kiln_code_unload(device->backend, code);
  kiln_unref(&context);
  kiln_unref(&device);
  return 0;
}

/* Sanitizers slow all of this down, and not evenly: there it is the commands that are tested, not their cost.
 */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { MANY = 5000, MILLION = 20000 };
static const bool costs_count = false;
#else
enum { MANY = 200000, MILLION = 1000000 };
static const bool costs_count = true;
#endif
enum { IN_ORDER = 0, OUT_OF_ORDER = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };

static kiln_queue *new_queue(cl_command_queue_properties properties) {
  kiln_queue *queue = NULL;
  assert_int_equal(kiln_queue_create(context, device, properties, &queue), CL_SUCCESS);
  return queue;
}

static cl_event new_user_event(void) {
  cl_event event = NULL;
  assert_int_equal(kiln_user_event_create(context, &event), CL_SUCCESS);
  return event;
}

static void set_and_release(cl_event user, cl_int status) {
  assert_int_equal(kiln_user_event_set(user, status), CL_SUCCESS);
  support_release(user);
}

/* ---- a gate that holds everything back ---- */

/* Nanoseconds per command of count commands behind one user event. */
static double behind_a_gate(cl_command_queue_properties order, int count) {
  static atomic_ullong ran;
  kiln_queue *queue = new_queue(order);
  cl_event gate = new_user_event();
  atomic_store(&ran, 0);
  uint64_t start = kiln_os_now_ns();
  for (int i = 0; i < count; i++)
    assert_int_equal(support_range(queue, code, 1, &ran, order != IN_ORDER || i == 0, &gate, NULL),
                     CL_SUCCESS);
  assert_int_equal(atomic_load(&ran), 0);
  set_and_release(gate, CL_COMPLETE);
  kiln_queue_finish(queue);
  uint64_t end = kiln_os_now_ns();
  assert_int_equal(atomic_load(&ran), count);
  kiln_unref(&queue);
  return (double)(end - start) / count;
}

/* Ten times as many may cost each a few times as much, for caches, but not ten times. */
static void expect_linear(double (*cost)(cl_command_queue_properties, int),
                          cl_command_queue_properties order) {
  double few = 1e18, many = 1e18;
  for (int round = 0; round < 3; round++) {
    double ns = cost(order, MANY / 10);
    few = ns < few ? ns : few;
    ns = cost(order, MANY);
    many = ns < many ? ns : many;
  }
  printf("%d commands: %.0f ns each, %d: %.0f ns each\n", MANY / 10, few, MANY, many);
  assert_true(!costs_count || many < 6 * few);
}

static void gated_in_order(void **state) { expect_linear(behind_a_gate, IN_ORDER); }
static void gated_out_of_order(void **state) { expect_linear(behind_a_gate, OUT_OF_ORDER); }

/* ---- without flush or finish ---- */

static double without_flush(cl_command_queue_properties order, int count) {
  static atomic_ullong ran;
  kiln_queue *queue = new_queue(order);
  atomic_store(&ran, 0);
  uint64_t start = kiln_os_now_ns();
  for (int i = 0; i < count; i++)
    assert_int_equal(support_range(queue, code, 1, &ran, 0, NULL, NULL), CL_SUCCESS);
  kiln_queue_finish(queue);
  uint64_t end = kiln_os_now_ns();
  assert_int_equal(atomic_load(&ran), count);
  kiln_unref(&queue);
  return (double)(end - start) / count;
}

static void unflushed_in_order(void **state) { expect_linear(without_flush, IN_ORDER); }
static void unflushed_out_of_order(void **state) { expect_linear(without_flush, OUT_OF_ORDER); }

/* A million: what is in flight at a time bounds the memory, at most some 1.2 KiB a command. */
static void a_million(void **state) {
  without_flush(IN_ORDER, MILLION);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("at most %ld MiB resident\n", usage.ru_maxrss / 1024);
  assert_true(!costs_count || usage.ru_maxrss < 1400 * 1024);
}

/* ---- chains: each waits for the one before by its event ---- */

static double chained(cl_command_queue_properties order, int count) {
  static atomic_ullong ran;
  kiln_queue *queue = new_queue(order);
  cl_event last = new_user_event(), gate = last;
  kiln_object_api_retain(gate);
  atomic_store(&ran, 0);
  uint64_t start = kiln_os_now_ns();
  for (int i = 0; i < count; i++) {
    cl_event event = NULL;
    cl_int err = i % 2 ? support_marker(queue, CL_COMMAND_MARKER, 1, &last, &event)
                       : support_range(queue, code, 1, &ran, 1, &last, &event);
    assert_int_equal(err, CL_SUCCESS);
    support_release(last);
    last = event;
  }
  set_and_release(gate, CL_COMPLETE);
  kiln_events_wait(1, &last);
  uint64_t end = kiln_os_now_ns();
  assert_int_equal(last->status, CL_COMPLETE);
  assert_int_equal(atomic_load(&ran), (count + 1) / 2);
  support_release(last);
  kiln_queue_finish(queue);
  kiln_unref(&queue);
  return (double)(end - start) / count;
}

static void long_chains(void **state) {
  expect_linear(chained, OUT_OF_ORDER);
  expect_linear(chained, IN_ORDER);
}

/* ---- one event with many waiters and callbacks; one command with many events ---- */

static atomic_uint called;
static void CL_CALLBACK note_call(cl_event event, cl_int status, void *data) { atomic_fetch_add(&called, 1); }

static void many_waiters_and_callbacks(void **state) {
  enum { COUNT = 20000 };
  kiln_queue *queue = new_queue(OUT_OF_ORDER);
  cl_event gate = new_user_event();
  cl_event *events = calloc(COUNT, sizeof *events), all = NULL;
  for (int i = 0; i < COUNT; i++) {
    support_marker(queue, CL_COMMAND_MARKER, 1, &gate, &events[i]);
    assert_int_equal(kiln_event_add_callback(gate, CL_COMPLETE, note_call, NULL), CL_SUCCESS);
  }
  assert_int_equal(support_marker(queue, CL_COMMAND_MARKER, COUNT, events, &all), CL_SUCCESS);
  set_and_release(gate, CL_COMPLETE);
  assert_int_equal(kiln_events_wait(1, &all), CL_SUCCESS);
  for (int i = 0; i < 10000 && atomic_load(&called) < COUNT; i++) support_sleep_ms(1);
  assert_int_equal(atomic_load(&called), COUNT);
  for (int i = 0; i < COUNT; i++) support_release(events[i]);
  support_release(all);
  kiln_unref(&queue);
  free(events);
}

/* Many barriers in one queue, each with its followers. */
static double barriers(cl_command_queue_properties order, int count) {
  static atomic_ullong ran;
  kiln_queue *queue = new_queue(order);
  cl_event gate = new_user_event();
  atomic_store(&ran, 0);
  support_marker(queue, CL_COMMAND_MARKER, 1, &gate, NULL);
  uint64_t start = kiln_os_now_ns();
  for (int i = 0; i < count; i++) {
    if (i % 4 == 0) support_marker(queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
    else support_range(queue, code, 1, &ran, 0, NULL, NULL);
  }
  set_and_release(gate, CL_COMPLETE);
  kiln_queue_finish(queue);
  uint64_t end = kiln_os_now_ns();
  assert_int_equal(atomic_load(&ran), count - count / 4);
  kiln_unref(&queue);
  return (double)(end - start) / count;
}

static void many_barriers(void **state) { expect_linear(barriers, OUT_OF_ORDER); }

/* ---- nothing is left over ---- */

static void queues_released_with_work_in_flight(void **state) {
  enum { QUEUES = 200, COMMANDS = 50 };
  static atomic_ullong ran;
  cl_event last[QUEUES];
  atomic_store(&ran, 0);
  for (int i = 0; i < QUEUES; i++) {
    kiln_queue *queue = new_queue(i % 2 ? OUT_OF_ORDER : IN_ORDER);
    for (int k = 0; k < COMMANDS; k++) support_range(queue, code, 1, &ran, 0, NULL, NULL);
    support_marker(queue, CL_COMMAND_MARKER, 0, NULL, &last[i]);
    kiln_object_api_release(queue);
  }
  for (int i = 0; i < QUEUES; i++) {
    assert_int_equal(kiln_event_wait(last[i]), CL_COMPLETE);
    support_release(last[i]);
  }
  assert_int_equal(atomic_load(&ran), QUEUES * COMMANDS);
  /* Threads, helpers and callbacks of all these tests keep a few; a queue that stays keeps at least two. */
  size_t most = live_at_start + QUEUES / 2;
  for (int i = 0; i < 10000 && kiln_alloc_live() > most; i++) support_sleep_ms(1);
  assert_true(kiln_alloc_live() <= most);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gated_in_order),
      cmocka_unit_test(gated_out_of_order),
      cmocka_unit_test(unflushed_in_order),
      cmocka_unit_test(unflushed_out_of_order),
      cmocka_unit_test(a_million),
      cmocka_unit_test(long_chains),
      cmocka_unit_test(many_waiters_and_callbacks),
      cmocka_unit_test(many_barriers),
      cmocka_unit_test(queues_released_with_work_in_flight),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
