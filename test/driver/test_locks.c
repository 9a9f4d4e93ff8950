/* How often the lock of a context's graph is taken: at most once per enqueue and once per completion, and not
 * at all in an in-order queue without wait lists. kiln_lock is wrapped at link time. */
#include "support.h"
#include "test.h"

static kiln_device *device;
static kiln_context *context;
static struct kiln_code *code;
static atomic_uint graph_locks;

void __real_kiln_lock(struct kiln_lock *lock);
void __wrap_kiln_lock(struct kiln_lock *lock);
void __wrap_kiln_lock(struct kiln_lock *lock) {
  if (lock->rank == KILN_RANK_GRAPH) atomic_fetch_add(&graph_locks, 1);
  __real_kiln_lock(lock);
}

static void no_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                      uint64_t last) {}

static int set_up(void **state) {
  device = support_root();
  context = support_context();
  return kiln_code_wrap(no_groups, "none", &code) == CL_SUCCESS ? 0 : -1;
}

static int tear_down(void **state) {
  kiln_code_unload(device->backend, code);
  kiln_unref(&context);
  kiln_unref(&device);
  return 0;
}

enum { COMMANDS = 1000 };

static unsigned locks_of(cl_command_queue_properties order, bool chained) {
  kiln_queue *queue = NULL;
  cl_event events[COMMANDS];
  assert_int_equal(kiln_queue_create(context, device, order, &queue), CL_SUCCESS);
  atomic_store(&graph_locks, 0);
  for (int i = 0; i < COMMANDS; i++) {
    bool waits = chained && i > 0;
    support_range(queue, code, 1, NULL, waits, waits ? &events[i - 1] : NULL, &events[i]);
  }
  while (atomic_load(&events[COMMANDS - 1]->status) > CL_COMPLETE) support_sleep_ms(1);
  support_sleep_ms(20); /* announced, too; a wait would look for work to help with */
  unsigned taken = atomic_load(&graph_locks);
  for (int i = 0; i < COMMANDS; i++) support_release(events[i]);
  kiln_queue_finish(queue);
  kiln_unref(&queue);
  return taken;
}

static void in_order_takes_none(void **state) { assert_int_equal(locks_of(0, false), 0); }

static void no_wait_list_takes_none(void **state) {
  assert_int_equal(locks_of(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, false), 0);
}

/* Once to wait for the one before; once to end, and perhaps once each when a watched command is submitted and
 * starts, whose callbacks are looked for. */
static void chains_take_few(void **state) {
  unsigned taken = locks_of(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, true);
  assert_true(taken >= COMMANDS - 1);
  if (taken > 2 * COMMANDS) fail_msg("%u times for %d commands", taken, COMMANDS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_order_takes_none),
      cmocka_unit_test(no_wait_list_takes_none),
      cmocka_unit_test(chains_take_few),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
