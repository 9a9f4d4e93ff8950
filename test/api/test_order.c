/* What waits for what: in-order and out-of-order queues, wait lists across queues, markers, barriers, user
 * events, failures, and callbacks that enqueue. */
#include "api/world.h"

#include <unistd.h>

static const cl_command_queue_properties any_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

/* A native kernel that counts its runs. */
static void CL_CALLBACK count_run(void *args) { atomic_fetch_add(*(atomic_int **)args, 1); }

static cl_event enqueue_count(cl_command_queue queue, atomic_int *runs, cl_uint num_waits,
                              const cl_event *waits) {
  cl_event event = NULL;
  expect_success(kiln_clEnqueueNativeKernel(queue, count_run, &runs, sizeof runs, 0, NULL, NULL, num_waits,
                                            waits, &event));
  return event;
}

static void wait_for(cl_event event) { expect_success(kiln_clWaitForEvents(1, &event)); }
static void open_gate(cl_event gate) { expect_success(kiln_clSetUserEventStatus(gate, CL_COMPLETE)); }

static void drop_all(cl_event *events, int count) {
  for (int i = 0; i < count; i++) drop_event(events[i]);
}

/* ---- one queue ---- */

static void later_commands_wait_in_order(void **state) {
  struct fixture *f = *state;
  atomic_int first = 0, second = 0;
  cl_event gate = make_user_event(f->context);
  cl_event events[] = {enqueue_count(f->queue, &first, 1, &gate), enqueue_count(f->queue, &second, 0, NULL)};
  usleep(2000);
  assert_int_equal(status_of(events[1]), CL_QUEUED);
  assert_int_equal(second, 0);
  open_gate(gate);
  wait_for(events[1]);
  assert_int_equal(first, 1);
  assert_int_equal(status_of(events[0]), CL_COMPLETE);
  drop_all(events, 2);
  drop_event(gate);
}

static void ready_commands_run_out_of_order(void **state) {
  struct fixture *f = *state;
  atomic_int first = 0, second = 0;
  cl_command_queue queue = make_queue(f->context, f->device, any_order);
  cl_event gate = make_user_event(f->context);
  cl_event events[] = {enqueue_count(queue, &first, 1, &gate), enqueue_count(queue, &second, 0, NULL)};
  wait_for(events[1]);
  assert_int_equal(first, 0);
  open_gate(gate);
  expect_success(kiln_clFinish(queue));
  assert_int_equal(first, 1);
  drop_all(events, 2);
  drop_event(gate);
  drop_queue(queue);
}

/* ---- markers and barriers in a queue without order ---- */

struct stage { /* a command held back, then a marker or barrier, then a command that nothing holds */
  cl_command_queue queue;
  cl_event gate, before, middle, after;
  atomic_int runs_before, runs_after;
};

static void stage_open(struct fixture *f, struct stage *s) {
  *s = (struct stage){.queue = make_queue(f->context, f->device, any_order),
                      .gate = make_user_event(f->context)};
  s->before = enqueue_count(s->queue, &s->runs_before, 1, &s->gate);
}

static void stage_end(struct stage *s) { s->after = enqueue_count(s->queue, &s->runs_after, 0, NULL); }

static void stage_close(struct stage *s) {
  if (status_of(s->gate) > CL_COMPLETE) open_gate(s->gate);
  expect_success(kiln_clFinish(s->queue));
  assert_int_equal(s->runs_before, 1);
  assert_int_equal(s->runs_after, 1);
  cl_event events[] = {s->gate, s->before, s->middle, s->after};
  for (int i = 0; i < 4; i++)
    if (events[i] != NULL) drop_event(events[i]);
  drop_queue(s->queue);
}

static void expect_marker(struct stage *s) {
  stage_end(s);
  wait_for(s->after); /* a marker holds nothing back */
  assert_int_equal(s->runs_before, 0);
  assert_int_equal(status_of(s->middle), CL_QUEUED);
  open_gate(s->gate);
  wait_for(s->middle);
  assert_int_equal(s->runs_before, 1); /* "waits for all commands previously enqueued" */
  stage_close(s);
}

static void a_marker_waits_for_all_before(void **state) {
  struct stage s;
  stage_open(*state, &s);
  expect_success(kiln_clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &s.middle));
  expect_marker(&s);
  stage_open(*state, &s);
  expect_success(kiln_clEnqueueMarker(s.queue, &s.middle));
  expect_marker(&s);
}

static void a_marker_with_a_list_waits_for_that(void **state) {
  struct fixture *f = *state;
  struct stage s;
  stage_open(f, &s);
  cl_event other = make_user_event(f->context);
  expect_success(kiln_clEnqueueMarkerWithWaitList(s.queue, 1, &other, &s.middle));
  open_gate(other);
  wait_for(s.middle);
  assert_int_equal(s.runs_before, 0);
  drop_event(other);
  stage_end(&s);
  stage_close(&s);
}

static void expect_barrier(struct stage *s) {
  stage_end(s);
  usleep(2000);
  assert_int_equal(s->runs_after, 0);
  assert_int_equal(status_of(s->after), CL_QUEUED);
  open_gate(s->gate);
  wait_for(s->after);
  assert_int_equal(s->runs_before, 1);
  stage_close(s);
}

static void a_barrier_holds_back_what_follows(void **state) {
  struct stage s;
  stage_open(*state, &s);
  expect_success(kiln_clEnqueueBarrierWithWaitList(s.queue, 0, NULL, &s.middle));
  expect_barrier(&s);
  stage_open(*state, &s);
  expect_success(kiln_clEnqueueBarrier(s.queue));
  expect_barrier(&s);
  stage_open(*state, &s);
  expect_success(kiln_clEnqueueWaitForEvents(s.queue, 1, &s.before));
  expect_barrier(&s);
}

static void a_barrier_with_a_list_waits_for_that(void **state) {
  struct fixture *f = *state;
  struct stage s;
  stage_open(f, &s);
  cl_event other = make_user_event(f->context);
  expect_success(kiln_clEnqueueBarrierWithWaitList(s.queue, 1, &other, &s.middle));
  stage_end(&s);
  usleep(2000);
  assert_int_equal(s.runs_after, 0);
  open_gate(other);
  wait_for(s.after);
  assert_int_equal(s.runs_before, 0); /* not in the list */
  drop_event(other);
  stage_close(&s);
}

static void barriers_follow_each_other(void **state) {
  struct fixture *f = *state;
  enum { ROUNDS = 20, WIDTH = 10 };
  cl_command_queue queue = make_queue(f->context, f->device, any_order);
  atomic_int runs[ROUNDS] = {0};
  cl_event gate = make_user_event(f->context), last = enqueue_count(queue, &runs[0], 1, &gate);
  int count = rounds(ROUNDS);
  drop_event(last);
  for (int r = 1; r < count; r++) {
    expect_success(kiln_clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    for (int i = 0; i < WIDTH; i++) drop_event(enqueue_count(queue, &runs[r], 0, NULL));
  }
  usleep(2000);
  for (int r = 1; r < count; r++) assert_int_equal(runs[r], 0);
  open_gate(gate);
  expect_success(kiln_clFinish(queue));
  for (int r = 1; r < count; r++) assert_int_equal(runs[r], WIDTH);
  drop_event(gate);
  drop_queue(queue);
}

static void wrong_arguments_of_the_old_calls(void **state) {
  struct fixture *f = *state;
  cl_event own = make_user_event(f->context);
  cl_context elsewhere = make_context(f->device);
  cl_event foreign = make_user_event(elsewhere);
  expect_error(CL_INVALID_VALUE, "clEnqueueMarker: CL_INVALID_VALUE: event is NULL",
               kiln_clEnqueueMarker(f->queue, NULL));
  expect_error(CL_INVALID_VALUE, "num_events is 0 and event_list",
               kiln_clEnqueueWaitForEvents(f->queue, 0, &own));
  expect_error(CL_INVALID_VALUE, "num_events is 1 and event_list",
               kiln_clEnqueueWaitForEvents(f->queue, 1, NULL));
  expect_error(CL_INVALID_CONTEXT, "belongs to another context",
               kiln_clEnqueueWaitForEvents(f->queue, 1, &foreign));
  drop_event(foreign);
  drop_event(own);
  drop_context(elsewhere);
}

/* ---- a graph over several queues ---- */

enum { NODES = 300, QUEUES = 5, MOST_WAITS = 9 };

static struct node {
  atomic_bool done;
  atomic_int early; /* how many of those it waits for were not done */
  int num_before, before[MOST_WAITS + 1];
} nodes[NODES];

static void CL_CALLBACK run_node(void *args) {
  struct node *node = &nodes[*(int *)args];
  for (int i = 0; i < node->num_before; i++)
    if (!atomic_load(&nodes[node->before[i]].done)) atomic_fetch_add(&node->early, 1);
  atomic_store(&node->done, true);
}

/* Enqueues node n; it waits for some before it, and in an in-order queue for the last of that queue. */
static cl_event enqueue_node(struct fixture *f, int n, cl_command_queue queue, int last_in_order,
                             const cl_event *events, uint64_t *seed) {
  cl_event waits[MOST_WAITS], event = NULL;
  struct node *node = &nodes[n];
  cl_uint count = n == 0 ? 0 : random_below(seed, MOST_WAITS + 1);
  for (cl_uint i = 0; i < count; i++) {
    node->before[i] = (int)random_below(seed, (uint32_t)n);
    waits[i] = events[node->before[i]];
  }
  node->num_before = (int)count;
  if (last_in_order >= 0) node->before[node->num_before++] = last_in_order;
  expect_success(kiln_clEnqueueNativeKernel(queue, run_node, &n, sizeof n, 0, NULL, NULL, count,
                                            count == 0 ? NULL : waits, &event));
  return event;
}

static void random_graphs(void **state) {
  struct fixture *f = *state;
  int count = alloc_fail_active() ? 20 : NODES;
  uint64_t seed = 2024;
  for (int r = 0; r < rounds(20); r++) {
    cl_command_queue queues[QUEUES];
    cl_event events[NODES];
    int last[QUEUES];
    for (int q = 0; q < QUEUES; q++) {
      queues[q] = make_queue(f->context, f->device, q % 2 == 0 ? 0 : any_order);
      last[q] = -1;
    }
    for (int n = 0; n < count; n++) {
      int q = (int)random_below(&seed, QUEUES);
      nodes[n] = (struct node){0};
      events[n] = enqueue_node(f, n, queues[q], last[q], events, &seed);
      if (q % 2 == 0) last[q] = n;
    }
    for (int q = 0; q < QUEUES; q++) expect_success(kiln_clFinish(queues[q]));
    for (int n = 0; n < count; n++) {
      assert_true(nodes[n].done);
      assert_int_equal(nodes[n].early, 0);
      assert_int_equal(status_of(events[n]), CL_COMPLETE);
    }
    drop_all(events, count);
    for (int q = 0; q < QUEUES; q++) drop_queue(queues[q]);
  }
}

/* ---- failures ---- */

/* gate -> a (first queue) -> b (second queue) -> c (first queue); beside waits for nothing. */
static void failures_reach_all_that_wait(void **state) {
  struct fixture *f = *state;
  for (int when = 0; when < 2; when++) { /* before or after the commands are enqueued */
    cl_command_queue first = make_queue(f->context, f->device, any_order),
                     second = make_queue(f->context, f->device, any_order);
    cl_event gate = make_user_event(f->context), good = make_user_event(f->context);
    atomic_int runs = 0, beside = 0;
    if (when == 0) expect_success(kiln_clSetUserEventStatus(gate, -5));
    cl_event a = enqueue_count(first, &runs, 1, &gate);
    const cl_event a_and_good[] = {good, a};
    cl_event b = enqueue_count(second, &runs, 2, a_and_good), c = enqueue_count(first, &runs, 1, &b);
    cl_event free_one = enqueue_count(first, &beside, 0, NULL);
    if (when == 1) expect_success(kiln_clSetUserEventStatus(gate, -5));
    open_gate(good);
    expect_error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "event_list[0]", kiln_clWaitForEvents(1, &c));
    wait_for(free_one);
    assert_int_equal(runs, 0);
    assert_int_equal(beside, 1);
    assert_int_equal(status_of(gate), -5);
    cl_event failed[] = {a, b, c};
    for (int i = 0; i < 3; i++)
      assert_int_equal(status_of(failed[i]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    expect_success(kiln_clFinish(first)); /* the queues go on */
    expect_success(kiln_clFinish(second));
    drop_event(enqueue_count(second, &beside, 0, NULL));
    expect_success(kiln_clFinish(second));
    assert_int_equal(beside, 2);
    cl_event all[] = {gate, good, a, b, c, free_one};
    drop_all(all, 6);
    drop_queue(first);
    drop_queue(second);
  }
}

/* An in-order queue goes on after a command that failed. */
static void a_failure_does_not_stop_the_queue(void **state) {
  struct fixture *f = *state;
  atomic_int runs = 0, after = 0;
  cl_event gate = make_user_event(f->context), failed = enqueue_count(f->queue, &runs, 1, &gate);
  cl_event next = enqueue_count(f->queue, &after, 0, NULL);
  expect_success(kiln_clSetUserEventStatus(gate, -1));
  wait_for(next);
  assert_int_equal(runs, 0);
  assert_int_equal(after, 1);
  assert_true(status_of(failed) < 0);
  drop_event(gate);
  drop_event(failed);
  drop_event(next);
}

/* Released by the application, gates still open and fail. */
static void released_events_still_count(void **state) {
  struct fixture *f = *state;
  atomic_int runs = 0;
  cl_event gate = make_user_event(f->context), first = enqueue_count(f->queue, &runs, 1, &gate);
  cl_event second = enqueue_count(f->queue, &runs, 1, &first);
  drop_event(first);
  drop_event(second);
  open_gate(gate);
  drop_event(gate);
  expect_success(kiln_clFinish(f->queue));
  assert_int_equal(runs, 2);
}

/* ---- callbacks: their thread may not assert, so it notes ---- */

struct chain {
  struct fixture *f;
  cl_mem mem;
  atomic_int left, failures, ended;
};

/* Each end enqueues the next and waits for it in between: enqueue, read, wait are all allowed here. */
static void CL_CALLBACK go_on(cl_event event, cl_int status, void *data) {
  struct chain *chain = data;
  cl_event next = NULL;
  uint8_t byte = 0, left = (uint8_t)atomic_fetch_sub(&chain->left, 1);
  cl_int err = status;
  if (left == 0) {
    atomic_store(&chain->ended, 1);
    return;
  }
  if (err == CL_SUCCESS)
    err = (kiln_clEnqueueFillBuffer)(chain->f->queue, chain->mem, &left, 1, 0, 64, 0, NULL, &next);
  if (err == CL_SUCCESS)
    err = (kiln_clEnqueueReadBuffer)(chain->f->queue, chain->mem, CL_TRUE, 63, 1, &byte, 1, &next, NULL);
  if (err == CL_SUCCESS && byte != left) err = -1000;
  if (err == CL_SUCCESS) err = (kiln_clSetEventCallback)(next, CL_COMPLETE, go_on, chain);
  if (next != NULL) (kiln_clReleaseEvent)(next);
  if (err == CL_SUCCESS) return;
  atomic_store(&chain->failures, 1);
  atomic_store(&chain->ended, 1);
}

static void callbacks_enqueue_and_wait(void **state) {
  struct fixture *f = *state;
  struct chain chain = {.f = f, .left = rounds(100), .mem = make_buffer(f->context, 0, 64, NULL)};
  cl_event gate = make_user_event(f->context);
  expect_success(kiln_clSetEventCallback(gate, CL_COMPLETE, go_on, &chain));
  open_gate(gate);
  for (int i = 0; i < 20000 && !chain.ended; i++) usleep(500);
  assert_true(chain.ended);
  assert_int_equal(chain.failures, 0);
  expect_success(kiln_clFinish(f->queue));
  drop_event(gate);
  drop_buffer(chain.mem);
}

/* A user event set from a callback frees what waits for it. */
static void CL_CALLBACK set_gate(cl_event event, cl_int status, void *data) {
  (kiln_clSetUserEventStatus)(data, status);
}

static void callbacks_set_user_events(void **state) {
  struct fixture *f = *state;
  static const cl_int ends[] = {CL_COMPLETE, -9};
  for (int i = 0; i < 2; i++) {
    atomic_int runs = 0;
    cl_event first = make_user_event(f->context), gate = make_user_event(f->context);
    cl_event last = enqueue_count(f->queue, &runs, 1, &gate);
    expect_success(kiln_clSetEventCallback(first, CL_COMPLETE, set_gate, gate));
    expect_success(kiln_clSetUserEventStatus(first, ends[i]));
    kiln_clWaitForEvents(1, &last);
    assert_int_equal(runs, ends[i] == CL_COMPLETE);
    assert_int_equal(status_of(gate), ends[i]);
    assert_true((status_of(last) < 0) == (ends[i] < 0));
    drop_event(last);
    drop_event(gate);
    drop_event(first);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(later_commands_wait_in_order),
      cmocka_unit_test(ready_commands_run_out_of_order),
      cmocka_unit_test(a_marker_waits_for_all_before),
      cmocka_unit_test(a_marker_with_a_list_waits_for_that),
      cmocka_unit_test(a_barrier_holds_back_what_follows),
      cmocka_unit_test(a_barrier_with_a_list_waits_for_that),
      cmocka_unit_test(barriers_follow_each_other),
      cmocka_unit_test(wrong_arguments_of_the_old_calls),
      cmocka_unit_test(random_graphs),
      cmocka_unit_test(failures_reach_all_that_wait),
      cmocka_unit_test(a_failure_does_not_stop_the_queue),
      cmocka_unit_test(released_events_still_count),
      cmocka_unit_test(callbacks_enqueue_and_wait),
      cmocka_unit_test(callbacks_set_user_events),
  };
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
