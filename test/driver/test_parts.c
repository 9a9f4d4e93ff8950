/* Parts of a device make progress on their own: native kernels that spin on each other's mailboxes always
 * finish, whichever was enqueued or waited for first, however few processors there are. */
#include "support.h"
#include "test.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PARTS = 12, ROUNDS = 3 };

static kiln_device *root, *parts[PARTS];
static kiln_context *context;
static kiln_queue *queues[PARTS], *root_queue;
static struct kiln_code *busy, *receive;

/* ---- what runs ---- */

/* A ring: each place waits for its mailbox to show the round and passes the round on. */
static atomic_uint mailbox[PARTS];
struct place {
  unsigned index, rounds;
};

static void await_letter(unsigned index, unsigned round) {
  while (atomic_load_explicit(&mailbox[index], memory_order_acquire) < round) kiln_os_pause();
}

static void CL_CALLBACK pass_on(void *args) {
  const struct place *place = args;
  for (unsigned round = 1; round <= place->rounds; round++) {
    if (place->index != 0) await_letter(place->index, round);
    else if (round > 1) await_letter(0, round - 1);
    atomic_store_explicit(&mailbox[(place->index + 1) % PARTS], round, memory_order_release);
  }
}

static void busy_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                        uint64_t last) {
  for (uint64_t g = first; g < last; g++)
    for (volatile int spin = 0; spin < 20000;) spin = spin + 1;
}

/* A range whose one group spins on a mailbox. */
static void receive_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                           uint64_t last) {
  const struct place *place = support_args(launch);
  await_letter(place->index, 1);
}

static void CL_CALLBACK send(void *args) {
  const struct place *place = args;
  atomic_store_explicit(&mailbox[place->index], 1, memory_order_release);
}

static void empty_mailboxes(void) {
  for (int i = 0; i < PARTS; i++) atomic_store(&mailbox[i], 0);
}

/* ---- fixture: single-unit parts, several of the same unit ---- */

static kiln_device *make_part(uint32_t unit) {
  struct kiln_driver_device *backend = NULL;
  assert_int_equal(root->backend->driver->partition(root->backend, &unit, 1, &backend), CL_SUCCESS);
  return support_device(backend);
}

static int set_up(void **state) {
  root = support_root();
  context = support_context();
  kiln_code_wrap(busy_groups, "busy", &busy);
  kiln_code_wrap(receive_groups, "receive", &receive);
  for (uint32_t i = 0; i < PARTS; i++) {
    parts[i] = make_part(i % root->backend->caps.compute_units);
    cl_command_queue_properties order = i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    if (kiln_queue_create(context, parts[i], order, &queues[i]) != CL_SUCCESS) return -1;
  }
  return kiln_queue_create(context, root, 0, &root_queue) == CL_SUCCESS ? 0 : -1;
}

static int tear_down(void **state) {
  kiln_code_unload(root->backend, busy);
  kiln_code_unload(root->backend, receive);
  kiln_unref(&root_queue);
  for (int i = 0; i < PARTS; i++) {
    kiln_unref(&queues[i]);
    kiln_unref(&parts[i]);
  }
  kiln_unref(&context);
  kiln_unref(&root);
  return 0;
}

/* ---- orders ---- */

enum order { FORWARD, BACKWARD, MIXED, NUM_ORDERS };

static int at(enum order order, int i) {
  return order == FORWARD ? i : order == BACKWARD ? PARTS - 1 - i : i * 5 % PARTS;
}

struct ring {
  struct place places[PARTS];
  cl_event events[PARTS];
};

static void enqueue_ring(struct ring *ring, enum order order) {
  empty_mailboxes();
  for (int i = 0; i < PARTS; i++) {
    int p = at(order, i);
    ring->places[p] = (struct place){(unsigned)p, ROUNDS};
    assert_int_equal(support_native(queues[p], pass_on, &ring->places[p], 0, NULL, &ring->events[p]),
                     CL_SUCCESS);
  }
}

static void release_ring(struct ring *ring) {
  assert_int_equal(atomic_load(&mailbox[0]), ROUNDS);
  for (int p = 0; p < PARTS; p++) {
    assert_int_equal(ring->events[p]->status, CL_COMPLETE);
    support_release(ring->events[p]);
  }
}

/* Each order of enqueue with each order of waiting, or with every third. */
static void rings_of_all_orders(int step) {
  for (int enqueued = 0; enqueued < NUM_ORDERS; enqueued++)
    for (int waited = enqueued % step; waited < NUM_ORDERS; waited += step) {
      struct ring ring;
      enqueue_ring(&ring, (enum order)enqueued);
      for (int i = 0; i < PARTS; i++) kiln_event_wait(ring.events[at((enum order)waited, i)]);
      release_ring(&ring);
    }
}

static void rings_finish(void **state) { rings_of_all_orders(1); }

/* ---- beside other work ---- */

/* The whole device is busy, and a helper of each part's ranges comes along. */
static void rings_finish_beside_ranges(void **state) {
  for (int round = 0; round < 3; round++) {
    struct ring ring;
    support_range(root_queue, busy, 400, NULL, 0, NULL, NULL);
    for (int p = 0; p < PARTS; p++) support_range(queues[p], busy, 4, NULL, 0, NULL, NULL);
    enqueue_ring(&ring, (enum order)round);
    for (int p = 0; p < PARTS; p++) support_range(queues[p], busy, 4, NULL, 0, NULL, NULL);
    for (int i = 0; i < PARTS; i++) kiln_queue_finish(queues[at((enum order)round, i)]);
    kiln_queue_finish(root_queue);
    release_ring(&ring);
  }
}

/* A host that helps with a range that spins holds nobody up: neither another part nor a native kernel of the
 * same part. */
static void helpers_hold_nobody_up(void **state) {
  for (int same = 0; same < 2; same++)
    for (int receiver_first = 0; receiver_first < 2; receiver_first++) {
      /* When both are the same part's, its one worker may be the one that receives: nothing is promised. */
      if (same && receiver_first) continue;
      struct place place = {3, 1};
      cl_event received = NULL;
      empty_mailboxes();
      kiln_queue *sender = queues[same ? 1 : 2]; /* queues[1] has no order */
      if (!receiver_first) support_native(sender, send, &place, 0, NULL, NULL);
      support_range(queues[1], receive, 1, &place, 0, NULL, &received);
      if (receiver_first) support_native(sender, send, &place, 0, NULL, NULL);
      assert_int_equal(kiln_event_wait(received), CL_COMPLETE);
      kiln_queue_finish(sender);
      support_release(received);
    }
}

static void *wait_for_queue(void *queue) {
  kiln_queue_finish(queue);
  return NULL;
}

static void many_hosts_wait(void **state) {
  for (int order = 0; order < NUM_ORDERS; order++) {
    struct ring ring;
    pthread_t threads[PARTS];
    enqueue_ring(&ring, (enum order)order);
    for (int i = 0; i < PARTS; i++)
      assert_int_equal(pthread_create(&threads[i], NULL, wait_for_queue, queues[at((enum order)order, i)]),
                       0);
    for (int i = 0; i < PARTS; i++) pthread_join(threads[i], NULL);
    release_ring(&ring);
  }
}

/* Events of one part in the wait lists of others. */
static void parts_wait_for_each_other(void **state) {
  struct place places[PARTS];
  cl_event last = NULL;
  empty_mailboxes();
  for (int i = 0; i < PARTS; i++) places[i] = (struct place){(unsigned)i, 1};
  for (int i = 0; i < 20 * PARTS; i++) {
    cl_event event = NULL;
    support_native(queues[at(MIXED, i % PARTS)], send, &places[i % PARTS], last != NULL,
                   last == NULL ? NULL : &last, &event);
    if (last != NULL) support_release(last);
    last = event;
  }
  assert_int_equal(kiln_event_wait(last), CL_COMPLETE);
  support_release(last);
}

/* A part whose last command another part's worker has handed over is closed at once. */
static void parts_close_when_done(void **state) {
  for (int i = 0; i < 300; i++) {
    kiln_device *closing = make_part(0);
    kiln_queue *queue = NULL;
    struct place place = {1, 1};
    cl_event first = NULL, last = NULL;
    assert_int_equal(kiln_queue_create(context, closing, 0, &queue), CL_SUCCESS);
    support_native(queues[1], send, &place, 0, NULL, &first);
    support_native(queue, send, &place, 1, &first, &last);
    assert_int_equal(kiln_event_wait(last), CL_COMPLETE);
    support_release(first);
    support_release(last);
    kiln_unref(&queue);
    kiln_unref(&closing);
  }
}

/* ---- one processor ---- */

/* What `taskset -a` does: every thread of this process. */
static void set_mask(const cpu_set_t *mask) {
  DIR *tasks = opendir("/proc/self/task");
  assert_non_null(tasks);
  for (struct dirent *task; (task = readdir(tasks)) != NULL;)
    if (task->d_name[0] != '.') sched_setaffinity(atoi(task->d_name), sizeof *mask, mask);
  closedir(tasks);
}

static void rings_finish_on_one_processor(void **state) {
  cpu_set_t before, one;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  set_mask(&one);
  rings_of_all_orders(3);
  set_mask(&before);
}

int main(void) {
  alarm(280);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rings_finish),
      cmocka_unit_test(rings_finish_beside_ranges),
      cmocka_unit_test(helpers_hold_nobody_up),
      cmocka_unit_test(many_hosts_wait),
      cmocka_unit_test(parts_wait_for_each_other),
      cmocka_unit_test(parts_close_when_done),
      cmocka_unit_test(rings_finish_on_one_processor),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
