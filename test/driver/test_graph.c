/* The scheduler over the CPU driver: order, wait lists, barriers, failures, user events, callbacks, times. */
#include "support.h"
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static kiln_device *device;
static kiln_context *context;
static struct kiln_code *touch, *crash;

static void touch_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                         uint64_t last) {
  atomic_uint *count = support_args(launch);
  if (count != NULL) atomic_fetch_add(count, (unsigned)(last - first));
}

static void crash_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                         uint64_t last) {
  support_crash();
}

static int set_up(void **state) {
  device = support_root();
  context = support_context();
  return kiln_code_wrap(touch_groups, "touch", &touch) == CL_SUCCESS &&
                 kiln_code_wrap(crash_groups, "crash", &crash) == CL_SUCCESS
             ? 0
             : -1;
}

static int tear_down(void **state) {
  kiln_code_unload(device->backend, touch);
  kiln_code_unload(device->backend, crash);
  kiln_unref(&context);
  kiln_unref(&device);
  return 0;
}

static kiln_queue *new_queue(cl_command_queue_properties properties) {
  kiln_queue *queue = NULL;
  assert_int_equal(kiln_queue_create(context, device, properties, &queue), CL_SUCCESS);
  return queue;
}

enum {
  IN_ORDER = 0,
  OUT_OF_ORDER = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  PROFILING = CL_QUEUE_PROFILING_ENABLE
};

/* ---- order ---- */

struct log {
  atomic_uint next;
  int entries[4096];
};
struct entry {
  struct log *log;
  int value;
};

static void CL_CALLBACK write_entry(void *args) {
  struct entry *entry = args;
  entry->log->entries[atomic_fetch_add(&entry->log->next, 1)] = entry->value;
}

/* In-order queues keep the order of enqueue, whatever kinds of commands there are. */
static void in_order_keeps_order(void **state) {
  kiln_queue *queue = new_queue(IN_ORDER);
  static struct log log;
  static struct entry entries[1000];
  atomic_store(&log.next, 0);
  for (int i = 0; i < 1000; i++) {
    entries[i] = (struct entry){&log, i};
    if (i % 3 == 1) support_range(queue, touch, 1 + (uint64_t)i % 50, NULL, 0, NULL, NULL);
    if (i % 5 == 1) support_marker(queue, i % 2 ? CL_COMMAND_MARKER : CL_COMMAND_BARRIER, 0, NULL, NULL);
    assert_int_equal(support_native(queue, write_entry, &entries[i], 0, NULL, NULL), CL_SUCCESS);
  }
  kiln_queue_finish(queue);
  assert_int_equal(log.next, 1000);
  for (int i = 0; i < 1000; i++) assert_int_equal(log.entries[i], i);
  kiln_unref(&queue);
}

static void CL_CALLBACK wait_for_flag(void *args) {
  while (atomic_load((atomic_int *)args) == 0) support_sleep_ms(1);
}

/* Commands after a barrier wait for all before it; commands before it do not wait for each other. */
static void barriers_divide(void **state) {
  kiln_queue *queue = new_queue(OUT_OF_ORDER);
  for (int with_list = 0; with_list < 2; with_list++) {
    static struct log log;
    struct entry early = {&log, 1}, late = {&log, 2};
    atomic_int gate = 0;
    cl_event blocked = NULL, after = NULL, marker = NULL;
    atomic_store(&log.next, 0);
    support_native(queue, wait_for_flag, &gate, 0, NULL, &blocked);
    support_marker(queue, CL_COMMAND_BARRIER, (cl_uint)with_list, &blocked, NULL);
    support_native(queue, write_entry, &late, 0, NULL, &after);
    support_marker(queue, CL_COMMAND_MARKER, 0, NULL, &marker);
    support_sleep_ms(20);
    assert_int_equal(log.next, 0);
    assert_int_equal(after->status, CL_QUEUED);
    assert_int_equal(marker->status, CL_QUEUED);
    early.log->entries[atomic_fetch_add(&log.next, 1)] = early.value;
    atomic_store(&gate, 1);
    kiln_queue_finish(queue);
    assert_int_equal(log.entries[0], 1);
    assert_int_equal(log.entries[1], 2);
    assert_int_equal(marker->status, CL_COMPLETE);
    support_release(blocked);
    support_release(after);
    support_release(marker);
  }
  kiln_unref(&queue);
}

/* A marker without wait list completes after all before it, and holds nothing back. */
static void markers_collect(void **state) {
  kiln_queue *queue = new_queue(OUT_OF_ORDER);
  atomic_int gate = 0;
  int flag = 0;
  cl_event marker = NULL, after = NULL;
  support_native(queue, wait_for_flag, &gate, 0, NULL, NULL);
  support_marker(queue, CL_COMMAND_MARKER, 0, NULL, &marker);
  if (device->backend->caps.compute_units > 1) {
    support_range(queue, touch, 1, NULL, 0, NULL, &after);
    assert_int_equal(kiln_events_wait(1, &after), CL_SUCCESS);
    support_release(after);
  }
  assert_int_equal(marker->status, CL_QUEUED);
  atomic_store(&gate, 1);
  assert_int_equal(kiln_events_wait(1, &marker), CL_SUCCESS);
  support_release(marker);
  assert_int_equal(flag, 0);
  kiln_unref(&queue);
}

/* ---- failures ---- */

static void failures_pass_along_wait_lists(void **state) {
  support_faults();
  kiln_queue *queue = new_queue(IN_ORDER);
  atomic_uint count = 0;
  cl_event failed = NULL, waiter = NULL, next = NULL, beside = NULL;
  support_range(queue, crash, 1, NULL, 0, NULL, &failed);
  support_range(queue, touch, 1, &count, 1, &failed, &waiter);
  support_range(queue, touch, 1, &count, 1, &waiter, &next);
  support_range(queue, touch, 1, &count, 0, NULL, &beside);
  kiln_queue_finish(queue);
  assert_int_equal(failed->status, CL_OUT_OF_RESOURCES);
  assert_int_equal(waiter->status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_int_equal(next->status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_int_equal(beside->status, CL_COMPLETE);
  assert_int_equal(count, 1);
  /* An event that failed before the enqueue counts too. */
  cl_event late = NULL;
  support_marker(queue, CL_COMMAND_MARKER, 1, &failed, &late);
  assert_int_equal(kiln_events_wait(1, &late), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  cl_event all[] = {failed, waiter, next, beside, late};
  for (int i = 0; i < 5; i++) support_release(all[i]);
  kiln_unref(&queue);
}

/* A chain of commands that end at once costs no stack. */
static void long_chains_of_failures(void **state) {
  kiln_queue *queue = new_queue(IN_ORDER);
  cl_event user = NULL, last = NULL;
  assert_int_equal(kiln_user_event_create(context, &user), CL_SUCCESS);
  enum { LENGTH = 50000 };
  for (int i = 0; i < LENGTH; i++) {
    cl_event event = NULL;
    support_marker(queue, CL_COMMAND_MARKER, 1, last == NULL ? &user : &last, &event);
    if (last != NULL) support_release(last);
    last = event;
  }
  assert_int_equal(last->status, CL_QUEUED);
  assert_int_equal(kiln_user_event_set(user, -42), CL_SUCCESS);
  assert_int_equal(kiln_user_event_set(user, CL_COMPLETE), CL_INVALID_OPERATION);
  assert_int_equal(kiln_events_wait(1, &last), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  support_release(last);
  support_release(user);
  kiln_unref(&queue);
}

/* ---- blocking and user events ---- */

static void *set_later(void *event) {
  support_sleep_ms(20);
  kiln_user_event_set(event, CL_COMPLETE);
  return NULL;
}

static void waits_for_another_threads_user_event(void **state) {
  kiln_queue *queue = new_queue(IN_ORDER);
  atomic_uint count = 0;
  cl_event user = NULL;
  pthread_t thread;
  assert_int_equal(kiln_user_event_create(context, &user), CL_SUCCESS);
  support_range(queue, touch, 100, &count, 1, &user, NULL);
  pthread_create(&thread, NULL, set_later, user);
  kiln_queue_finish(queue);
  assert_int_equal(count, 100);
  pthread_join(thread, NULL);
  support_release(user);
  kiln_unref(&queue);
}

static void blocked_commands_wait_for_code(void **state) {
  kiln_queue *queue = new_queue(IN_ORDER);
  for (int order = 0; order < 3; order++) {
    kiln_cmd *cmd = NULL, *kept;
    cl_event event = NULL;
    assert_int_equal(kiln_cmd_create(queue, CL_COMMAND_MARKER, &cmd), CL_SUCCESS);
    kept = cmd;
    kiln_cmd_block(cmd);
    if (order == 0) kiln_cmd_unblock(kept, CL_SUCCESS);
    kiln_cmd_enqueue(cmd, 0, NULL, &event, false);
    if (order != 0) {
      assert_int_equal(event->status, CL_QUEUED);
      kiln_cmd_unblock(kept, order == 2 ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
    }
    kiln_queue_finish(queue);
    assert_int_equal(event->status, order == 2 ? CL_OUT_OF_RESOURCES : CL_COMPLETE);
    support_release(event);
  }
  kiln_cmd *cmd = NULL, *kept;
  assert_int_equal(kiln_cmd_create(queue, CL_COMMAND_MARKER, &cmd), CL_SUCCESS);
  kept = cmd;
  kiln_cmd_block(cmd);
  kiln_cmd_discard(&cmd);
  kiln_cmd_unblock(kept, CL_SUCCESS);
  kiln_unref(&queue);
}

/* ---- callbacks ---- */

struct calls {
  kiln_queue *queue;
  atomic_int seen[4], total; /* by status 0..3 */
  atomic_int failures, depth;
};

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data) {
  struct calls *calls = data;
  if (status < 0) atomic_fetch_add(&calls->failures, 1);
  else atomic_fetch_add(&calls->seen[status], 1);
  atomic_fetch_add(&calls->total, 1);
}

static void wait_for_total(struct calls *calls, int total) {
  for (int i = 0; i < 5000 && atomic_load(&calls->total) < total; i++) support_sleep_ms(1);
  assert_int_equal(calls->total, total);
}

static void callbacks_follow_the_status(void **state) {
  support_faults();
  kiln_queue *queue = new_queue(IN_ORDER);
  struct calls calls = {.queue = queue};
  cl_event user = NULL, good = NULL, bad = NULL;
  kiln_user_event_create(context, &user);
  support_range(queue, touch, 10, NULL, 1, &user, &good);
  support_range(queue, crash, 10, NULL, 0, NULL, &bad);
  for (cl_int trigger = CL_COMPLETE; trigger <= CL_SUBMITTED; trigger++) {
    assert_int_equal(kiln_event_add_callback(good, trigger, count_call, &calls), CL_SUCCESS);
    assert_int_equal(kiln_event_add_callback(bad, trigger, count_call, &calls), CL_SUCCESS);
  }
  support_sleep_ms(10);
  assert_int_equal(calls.total, 0);
  kiln_user_event_set(user, CL_COMPLETE);
  kiln_queue_finish(queue);
  /* Registered when all is over. */
  kiln_event_add_callback(good, CL_COMPLETE, count_call, &calls);
  kiln_event_add_callback(bad, CL_COMPLETE, count_call, &calls);
  wait_for_total(&calls, 8);
  assert_int_equal(calls.seen[CL_SUBMITTED], 2);
  assert_int_equal(calls.seen[CL_RUNNING], 2);
  assert_int_equal(calls.seen[CL_COMPLETE], 2);
  assert_int_equal(calls.failures, 2);
  support_release(user);
  support_release(good);
  support_release(bad);
  kiln_unref(&queue);
}

/* Each callback enqueues the next launch with a callback, and some wait for it. */
static void CL_CALLBACK enqueue_next(cl_event event, cl_int status, void *data) {
  struct calls *calls = data;
  cl_event next = NULL;
  if (atomic_fetch_add(&calls->depth, 1) < 200) {
    support_range(calls->queue, touch, 5, NULL, 0, NULL, &next);
    kiln_event_add_callback(next, CL_COMPLETE, enqueue_next, calls);
    if (calls->depth % 10 == 0) kiln_events_wait(1, &next);
    support_release(next);
  }
  atomic_fetch_add(&calls->total, 1);
}

static void callbacks_may_enqueue_and_wait(void **state) {
  kiln_queue *queue = new_queue(IN_ORDER);
  struct calls calls = {.queue = queue};
  cl_event first = NULL;
  support_range(queue, touch, 5, NULL, 0, NULL, &first);
  kiln_event_add_callback(first, CL_COMPLETE, enqueue_next, &calls);
  wait_for_total(&calls, 201);
  kiln_queue_finish(queue);
  support_release(first);
  kiln_unref(&queue);
}

/* A callback waits for what only another callback brings about. */
static void CL_CALLBACK wait_for_user(cl_event event, cl_int status, void *data) {
  cl_event user = data;
  kiln_events_wait(1, &user);
}
static void CL_CALLBACK set_user(cl_event event, cl_int status, void *data) {
  kiln_user_event_set(data, CL_COMPLETE);
}

static void waiting_callbacks_do_not_starve_others(void **state) {
  kiln_queue *queue = new_queue(IN_ORDER);
  cl_event event = NULL, user = NULL;
  kiln_user_event_create(context, &user);
  support_range(queue, touch, 1, NULL, 0, NULL, &event);
  kiln_event_add_callback(event, CL_COMPLETE, wait_for_user, user);
  kiln_event_add_callback(event, CL_COMPLETE, wait_for_user, user);
  kiln_event_add_callback(event, CL_COMPLETE, set_user, user);
  assert_int_equal(kiln_events_wait(1, &user), CL_SUCCESS);
  kiln_queue_finish(queue);
  support_sleep_ms(5);
  support_release(event);
  support_release(user);
  kiln_unref(&queue);
}

static void CL_CALLBACK note_message(const char *message, const void *info, size_t size, void *data) {
  struct calls *calls = data;
  if (strstr(message, "kernel crash was ended by SIGSEGV") != NULL) atomic_fetch_add(&calls->total, 1);
}

static void failures_reach_the_contexts_callback(void **state) {
  support_faults();
  kiln_queue *queue = new_queue(IN_ORDER);
  struct calls calls = {.queue = queue};
  context->notify = note_message;
  context->notify_data = &calls;
  support_range(queue, crash, 1, NULL, 0, NULL, NULL);
  kiln_queue_finish(queue);
  wait_for_total(&calls, 1);
  context->notify = NULL;
  kiln_unref(&queue);
}

/* ---- times ---- */

static void times_rise(void **state) {
  kiln_queue *queue = new_queue(PROFILING);
  uint64_t start = kiln_os_now_ns();
  for (int i = 0; i < 300; i++) {
    cl_event event = NULL;
    if (i % 3 == 0) support_marker(queue, CL_COMMAND_MARKER, 0, NULL, &event);
    else support_range(queue, touch, (uint64_t)i * 100, NULL, 0, NULL, &event);
    kiln_events_wait(1, &event);
    assert_true(start <= event->queued_ns && event->queued_ns <= event->submitted_ns);
    assert_true(event->submitted_ns <= event->started_ns && event->started_ns <= event->ended_ns);
    assert_true(event->ended_ns <= kiln_os_now_ns());
    support_release(event);
  }
  kiln_unref(&queue);
}

/* ---- memory ---- */

/* Whatever allocation fails, enqueue says so and everything is given back. */
static void allocation_failures_are_clean(void **state) {
  for (size_t n = 1;; n++) {
    size_t live = kiln_alloc_live();
    kiln_queue *queue = NULL;
    cl_event user = NULL, events[20] = {NULL};
    cl_uint made = 0;
    bool failed = false;
    kiln_alloc_fail_nth(n);
    if (kiln_queue_create(context, device, OUT_OF_ORDER, &queue) == CL_SUCCESS &&
        kiln_user_event_create(context, &user) == CL_SUCCESS) {
      for (; made < 20; made++)
        if (support_range(queue, touch, 3, NULL, made > 0 ? made : 1, made > 0 ? events : &user,
                          &events[made]) != CL_SUCCESS)
          break;
    }
    failed = kiln_alloc_fail_nth(0) >= n;
    if (user != NULL) kiln_user_event_set(user, CL_COMPLETE);
    if (queue != NULL) kiln_queue_finish(queue);
    for (cl_uint i = 0; i < made; i++) support_release(events[i]);
    if (user != NULL) support_release(user);
    kiln_unref(&queue);
    for (int i = 0; i < 1000 && kiln_alloc_live() > live; i++) support_sleep_ms(1);
    assert_true(kiln_alloc_live() <= live); /* fewer: a thread has just let go of the last test's commands */
    if (!failed) return;
  }
}

int main(void) {
  support_faults();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_order_keeps_order),
      cmocka_unit_test(barriers_divide),
      cmocka_unit_test(markers_collect),
      cmocka_unit_test(failures_pass_along_wait_lists),
      cmocka_unit_test(long_chains_of_failures),
      cmocka_unit_test(waits_for_another_threads_user_event),
      cmocka_unit_test(blocked_commands_wait_for_code),
      cmocka_unit_test(callbacks_follow_the_status),
      cmocka_unit_test(callbacks_may_enqueue_and_wait),
      cmocka_unit_test(waiting_callbacks_do_not_starve_others),
      cmocka_unit_test(failures_reach_the_contexts_callback),
      cmocka_unit_test(times_rise),
      cmocka_unit_test(allocation_failures_are_clean),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
