/* Hosts that wait help: with ranges they wait for and with nothing else; never more threads run groups than
 * the device has units. */
#include "support.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>

static kiln_device *root, *part[2]; /* the parts have one unit each */
static kiln_context *context;
static kiln_queue *queue[2], *root_queue;
static struct kiln_code *note, *crowd, *stay;

/* ---- what runs: it notes who ran it ---- */

struct note {
  pthread_t host;
  atomic_uint by_host, groups;
};

static void note_thread(struct note *n, unsigned groups) {
  if (pthread_equal(pthread_self(), n->host)) atomic_fetch_add(&n->by_host, groups);
  atomic_fetch_add(&n->groups, groups);
}

static void note_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                        uint64_t last) {
  for (volatile int spin = 0; spin < 2000;) spin = spin + 1;
  note_thread(support_args(launch), (unsigned)(last - first));
}

static void CL_CALLBACK note_native(void *args) { note_thread(args, 1); }

static atomic_uint inside, most_inside;
static void crowd_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                         uint64_t last) {
  unsigned now = atomic_fetch_add(&inside, 1) + 1, most = atomic_load(&most_inside);
  while (now > most && !atomic_compare_exchange_weak(&most_inside, &most, now)) continue;
  for (volatile int spin = 0; spin < 5000;) spin = spin + 1;
  atomic_fetch_sub(&inside, 1);
}

static void CL_CALLBACK hold(void *args) {
  while (atomic_load((atomic_int *)args) == 0) support_sleep_ms(1);
}

struct stay {
  atomic_int begun, gate;
};

static void stay_groups(const struct kiln_launch *launch, struct kiln_worker *worker, uint64_t first,
                        uint64_t last) {
  struct stay *s = support_args(launch);
  atomic_store(&s->begun, 1);
  hold(&s->gate);
}

struct place {
  cpu_set_t set, before;
};

static void CL_CALLBACK move(void *args) {
  struct place *p = args;
  sched_getaffinity(0, sizeof p->before, &p->before);
  sched_setaffinity(0, sizeof p->set, &p->set);
}

static kiln_device *make_part(uint32_t unit) {
  struct kiln_driver_device *backend = NULL;
  return root->backend->driver->partition(root->backend, &unit, 1, &backend) == CL_SUCCESS
             ? support_device(backend)
             : NULL;
}

static int set_up(void **state) {
  root = support_root();
  context = support_context();
  kiln_code_wrap(note_groups, "note", &note);
  kiln_code_wrap(crowd_groups, "crowd", &crowd);
  kiln_code_wrap(stay_groups, "stay", &stay);
  for (uint32_t i = 0; i < 2; i++) {
    part[i] = make_part(i % root->backend->caps.compute_units);
    if (kiln_queue_create(context, part[i], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &queue[i]) != CL_SUCCESS)
      return -1;
  }
  return kiln_queue_create(context, root, 0, &root_queue) == CL_SUCCESS ? 0 : -1;
}

static int tear_down(void **state) {
  kiln_code_unload(root->backend, note);
  kiln_code_unload(root->backend, crowd);
  kiln_code_unload(root->backend, stay);
  kiln_unref(&root_queue);
  for (int i = 0; i < 2; i++) {
    kiln_unref(&queue[i]);
    kiln_unref(&part[i]);
  }
  kiln_unref(&context);
  kiln_unref(&root);
  return 0;
}

/* ---- tests ---- */

/* The part's only worker is held up: the host does all of it, and what stands before it in its way. */
static void host_runs_what_it_waits_for(void **state) {
  for (int chained = 0; chained < 2; chained++) {
    struct note n = {.host = pthread_self()};
    atomic_int gate = 0;
    cl_event before = NULL, last = NULL;
    support_native(queue[0], hold, &gate, 0, NULL, NULL);
    support_range(queue[0], note, 20, &n, 0, NULL, &before);
    support_range(queue[0], note, 30, &n, chained, chained ? &before : NULL, &last);
    assert_int_equal(kiln_event_wait(last), CL_COMPLETE);
    if (chained) assert_int_equal(n.by_host, 50);
    else assert_true(n.by_host >= 30);
    atomic_store(&gate, 1);
    kiln_queue_finish(queue[0]);
    assert_int_equal(n.groups, 50);
    support_release(before);
    support_release(last);
  }
}

/* With its worker held up, a range nobody waits for stays where it is. */
static void host_leaves_other_ranges_alone(void **state) {
  struct note wanted = {.host = pthread_self()}, other = {.host = pthread_self()};
  atomic_int gate = 0;
  cl_event event = NULL;
  support_native(queue[0], hold, &gate, 0, NULL, NULL);
  support_range(queue[0], note, 100, &other, 0, NULL, NULL);
  support_range(queue[0], note, 10, &wanted, 0, NULL, &event);
  assert_int_equal(kiln_event_wait(event), CL_COMPLETE);
  assert_int_equal(wanted.by_host, 10);
  assert_int_equal(other.groups, 0);
  atomic_store(&gate, 1);
  kiln_queue_finish(queue[0]);
  assert_int_equal(other.groups, 100);
  support_release(event);
}

static void host_never_runs_native_kernels(void **state) {
  struct note n = {.host = pthread_self()};
  for (int i = 0; i < 2000; i++) {
    support_native(queue[i % 2], note_native, &n, 0, NULL, NULL);
    if (i % 10 == 9) kiln_queue_finish(queue[i % 2]);
  }
  for (int i = 0; i < 2; i++) kiln_queue_finish(queue[i]);
  assert_int_equal(n.groups, 2000);
  assert_int_equal(n.by_host, 0);
}

/* What it waits for waits for another part: that one's work is not the host's. */
static void host_leaves_other_parts_alone(void **state) {
  for (int i = 0; i < 200; i++) {
    struct note own = {.host = pthread_self()}, other = {.host = pthread_self()};
    cl_event theirs = NULL, ours = NULL;
    support_range(queue[1], note, 50, &other, 0, NULL, &theirs);
    support_range(queue[0], note, 50, &own, 1, &theirs, &ours);
    assert_int_equal(kiln_event_wait(ours), CL_COMPLETE);
    assert_int_equal(own.groups, 50);
    assert_int_equal(other.groups, 50);
    assert_int_equal(other.by_host, 0);
    support_release(theirs);
    support_release(ours);
  }
}

static void *finish(void *q) {
  for (int i = 0; i < 50; i++) {
    support_range(q, crowd, 200, NULL, 0, NULL, NULL);
    kiln_queue_finish(q);
  }
  return NULL;
}

/* Helpers take the place of workers, not of other processes. */
static void no_more_threads_than_units(void **state) {
  enum { HOSTS = 6 };
  pthread_t threads[HOSTS];
  kiln_queue *queues[HOSTS];
  atomic_store(&most_inside, 0);
  for (int i = 0; i < HOSTS; i++) {
    assert_int_equal(kiln_queue_create(context, root, 0, &queues[i]), CL_SUCCESS);
    assert_int_equal(pthread_create(&threads[i], NULL, finish, queues[i]), 0);
  }
  for (int i = 0; i < HOSTS; i++) {
    pthread_join(threads[i], NULL);
    kiln_unref(&queues[i]);
  }
  assert_true(atomic_load(&most_inside) >= 1);
  assert_true(atomic_load(&most_inside) <= root->backend->caps.compute_units);
}

static atomic_bool enough;

static void *keep_helping(void *q) {
  while (!atomic_load(&enough)) {
    support_range(q, note, 200, &(struct note){0}, 0, NULL, NULL);
    kiln_queue_finish(q);
  }
  return NULL;
}

static bool ends_by_itself(kiln_event *event) {
  for (int ms = 0; atomic_load(&event->status) > CL_COMPLETE; ms++) {
    if (ms == 20000) return false;
    support_sleep_ms(1);
  }
  return true;
}

/* Workers are not woken where a host helps; what comes meanwhile must not be left lying, ranges nor native
 * kernels, with all workers asleep at first or not. */
static void what_nobody_waits_for_ends(void **state) {
  kiln_queue *busy[2] = {NULL, NULL}, *queues[2] = {root_queue, queue[0]};
  pthread_t hosts[2];
  atomic_store(&enough, false);
  for (int i = 0; i < 2; i++) {
    kiln_device *device = i == 0 ? root : part[0];
    assert_int_equal(kiln_queue_create(context, device, 0, &busy[i]), CL_SUCCESS);
    assert_int_equal(pthread_create(&hosts[i], NULL, keep_helping, busy[i]), 0);
  }
  bool all = true;
  for (int i = 0; i < 200 && all; i++) {
    struct note n = {.host = pthread_self()};
    cl_event events[2] = {NULL, NULL};
    if (i % 3 == 0) support_sleep_ms(1);
    for (int k = 0; k < 2; k++) {
      if ((i + k) % 2 == 0) support_native(queues[k], note_native, &n, 0, NULL, &events[k]);
      else support_range(queues[k], note, 20, &n, 0, NULL, &events[k]);
    }
    for (int k = 0; k < 2; k++) all = ends_by_itself(events[k]) && all;
    for (int k = 0; k < 2 && all; k++) support_release(events[k]);
  }
  atomic_store(&enough, true);
  for (int i = 0; i < 2; i++) {
    pthread_join(hosts[i], NULL);
    kiln_unref(&busy[i]);
  }
  assert_true(all);
}

struct guest {
  struct place place;
  kiln_event *event;
};

static void *wait_there(void *args) {
  struct guest *guest = args;
  move(&guest->place);
  kiln_event_wait(guest->event);
  return NULL;
}

/* The part's worker goes to sleep where a host helps, which nobody calls it for: when the host is through, it
 * must call. */
static void helper_calls_whom_it_kept_asleep(void **state) {
  struct stay s = {0};
  struct note n = {.host = pthread_self()};
  struct guest guest = {0};
  struct place worker = {0};
  pthread_t host;
  atomic_int gate = 0;
  cl_event range = NULL, native = NULL;
  CPU_SET(sched_getcpu(), &worker.set);
  guest.place.set = worker.set;
  support_native(queue[0], move, &worker, 0, NULL, NULL);
  kiln_queue_finish(queue[0]);
  support_native(queue[0], hold, &gate, 0, NULL, NULL);
  support_range(queue[0], stay, 1, &s, 0, NULL, &range);
  guest.event = range;
  assert_int_equal(pthread_create(&host, NULL, wait_there, &guest), 0);
  while (atomic_load(&s.begun) == 0) support_sleep_ms(1);
  atomic_store(&gate, 1);
  support_sleep_ms(20); /* the worker finds nothing and sleeps */
  support_native(queue[0], note_native, &n, 0, NULL, &native);
  atomic_store(&s.gate, 1);
  pthread_join(host, NULL);
  bool ended = ends_by_itself(native);
  worker.set = worker.before;
  support_native(queue[0], move, &worker, 0, NULL, NULL); /* calls the worker, come what may */
  kiln_queue_finish(queue[0]);
  assert_true(ended);
  support_release(range);
  support_release(native);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(host_runs_what_it_waits_for),      cmocka_unit_test(host_leaves_other_ranges_alone),
      cmocka_unit_test(host_never_runs_native_kernels),   cmocka_unit_test(host_leaves_other_parts_alone),
      cmocka_unit_test(no_more_threads_than_units),       cmocka_unit_test(what_nobody_waits_for_ends),
      cmocka_unit_test(helper_calls_whom_it_kept_asleep),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
