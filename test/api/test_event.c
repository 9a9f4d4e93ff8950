/* Events: user events, waiting, queries, callbacks, profiling. */
#include "api/fixture.h"

#include "base/alloc.h"
#include "core/command.h"

#include <stdatomic.h>
#include <time.h>

static cl_int status_of(cl_event event) {
  cl_int status = 99;
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  return status;
}

static cl_event user_event(struct fixture *f) {
  cl_int err = -1;
  cl_event event = kiln_clCreateUserEvent(f->context, &err);
  expect_success(err);
  return event;
}

/* A marker that waits for event. */
static cl_event marker_after(struct fixture *f, cl_event event) {
  cl_event marker = NULL;
  expect_success(kiln_clEnqueueMarkerWithWaitList(f->queue, 1, &event, &marker));
  return marker;
}

static void release(cl_event event) { expect_success(kiln_clReleaseEvent(event)); }

static void user_events(void **state) {
  struct fixture *f = *state;
  cl_event event = user_event(f);
  cl_command_queue queue = f->queue;
  cl_context context;
  cl_command_type type;
  cl_uint count;
  assert_int_equal(status_of(event), CL_SUBMITTED);
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
  assert_null(queue);
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL));
  assert_ptr_equal(context, f->context);
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_COMMAND_USER);
  expect_success(kiln_clRetainEvent(event));
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 2);
  release(event);
  expect_error(CL_INVALID_VALUE, "execution_status 1 is neither CL_COMPLETE nor negative",
               kiln_clSetUserEventStatus(event, CL_RUNNING));
  expect_success(kiln_clSetUserEventStatus(event, CL_COMPLETE));
  assert_int_equal(status_of(event), CL_COMPLETE);
  assert_int_equal(kiln_clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_OPERATION);
  expect_success(kiln_clWaitForEvents(1, &event));
  release(event);
}

static void failed_user_event(void **state) {
  struct fixture *f = *state;
  cl_event event = user_event(f), marker = marker_after(f, event);
  expect_success(kiln_clSetUserEventStatus(event, -77));
  assert_int_equal(status_of(event), -77);
  expect_error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "event_list[0]",
               kiln_clWaitForEvents(1, &event));
  /* "causes all enqueued commands that wait on this user event to be terminated" */
  const cl_event both[] = {marker, event};
  assert_int_equal(kiln_clWaitForEvents(2, both), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_true(status_of(marker) < 0);
  release(marker);
  release(event);
}

static void commands(void **state) {
  struct fixture *f = *state;
  cl_event event = user_event(f), marker = marker_after(f, event);
  cl_command_queue queue;
  cl_command_type type;
  assert_int_equal(status_of(marker), CL_QUEUED);
  expect_success(kiln_clGetEventInfo(marker, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
  assert_ptr_equal(queue, f->queue);
  expect_success(kiln_clGetEventInfo(marker, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_COMMAND_MARKER);
  /* released by the application, still awaited */
  expect_success(kiln_clRetainEvent(event));
  release(event);
  expect_success(kiln_clSetUserEventStatus(event, CL_COMPLETE));
  release(event);
  expect_success(kiln_clWaitForEvents(1, &marker));
  assert_int_equal(status_of(marker), CL_COMPLETE);
  expect_success(kiln_clFinish(f->queue));
  release(marker);
}

static void across_queues(void **state) {
  struct fixture *f = *state;
  cl_int err;
  cl_command_queue other =
      kiln_clCreateCommandQueue(f->context, f->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
  cl_event event = user_event(f), first = marker_after(f, event), second = NULL;
  expect_success(kiln_clEnqueueBarrierWithWaitList(other, 1, &first, &second));
  assert_int_equal(status_of(second), CL_QUEUED);
  expect_success(kiln_clSetUserEventStatus(event, CL_COMPLETE));
  expect_success(kiln_clFinish(other));
  assert_int_equal(status_of(first), CL_COMPLETE);
  assert_int_equal(status_of(second), CL_COMPLETE);
  release(second);
  release(first);
  release(event);
  expect_success(kiln_clReleaseCommandQueue(other));
}

/* ---- callbacks: asserts belong to the test's own thread ---- */

struct heard {
  atomic_int times, status;
  _Atomic(cl_event) event;
};

static void CL_CALLBACK hear(cl_event event, cl_int status, void *user_data) {
  struct heard *heard = user_data;
  atomic_store(&heard->event, event);
  atomic_store(&heard->status, status);
  atomic_fetch_add(&heard->times, 1);
}

static void expect_heard(struct heard *heard, cl_event event, cl_int status) {
  const struct timespec pause = {0, 1000000};
  for (int i = 0; i < 10000 && atomic_load(&heard->times) == 0; i++) nanosleep(&pause, NULL);
  assert_int_equal(atomic_load(&heard->times), 1);
  assert_int_equal(atomic_load(&heard->status), status);
  assert_ptr_equal(atomic_load(&heard->event), event);
}

static void callbacks(void **state) {
  struct fixture *f = *state;
  struct heard complete = {0}, running = {0}, late = {0};
  cl_event event = user_event(f), marker = marker_after(f, event);
  expect_success(kiln_clSetEventCallback(marker, CL_COMPLETE, hear, &complete));
  expect_success(kiln_clSetEventCallback(marker, CL_RUNNING, hear, &running));
  assert_int_equal(atomic_load(&complete.times), 0);
  expect_success(kiln_clSetUserEventStatus(event, CL_COMPLETE));
  expect_heard(&complete, marker, CL_COMPLETE);
  expect_heard(&running, marker, CL_RUNNING);
  expect_success(kiln_clSetEventCallback(marker, CL_COMPLETE, hear, &late));
  expect_heard(&late, marker, CL_COMPLETE);
  release(marker);
  release(event);
}

static void failed_callbacks(void **state) {
  struct fixture *f = *state;
  struct heard on_user = {0}, on_marker = {0};
  cl_event event = user_event(f), marker = marker_after(f, event);
  expect_success(kiln_clSetEventCallback(event, CL_COMPLETE, hear, &on_user));
  expect_success(kiln_clSetEventCallback(marker, CL_COMPLETE, hear, &on_marker));
  expect_success(kiln_clSetUserEventStatus(event, CL_OUT_OF_RESOURCES));
  expect_heard(&on_user, event, CL_OUT_OF_RESOURCES);
  assert_int_equal(kiln_clWaitForEvents(1, &marker), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  expect_heard(&on_marker, marker, status_of(marker));
  release(marker);
  release(event);
}

/* ---- profiling ---- */

static void profiling(void **state) {
  struct fixture *f = *state;
  static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                            CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                            CL_PROFILING_COMMAND_COMPLETE};
  cl_event marker = NULL;
  cl_ulong times[5], before, after, host;
  expect_success(kiln_clGetDeviceAndHostTimer(f->device, &before, &host));
  expect_success(kiln_clEnqueueMarkerWithWaitList(f->queue, 0, NULL, &marker));
  expect_success(kiln_clWaitForEvents(1, &marker));
  expect_success(kiln_clGetDeviceAndHostTimer(f->device, &after, &host));
  for (int i = 0; i < 5; i++) {
    size_t size;
    expect_success(kiln_clGetEventProfilingInfo(marker, names[i], sizeof times[i], &times[i], &size));
    assert_int_equal(size, sizeof times[i]);
    assert_true(times[i] >= (i == 0 ? before : times[i - 1]));
  }
  assert_true(times[4] <= after); /* one timebase */
  assert_int_equal(times[3], times[4]);
  expect_error(CL_INVALID_VALUE, "param_name 0x1 is not one",
               kiln_clGetEventProfilingInfo(marker, 1, sizeof before, &before, NULL));
  expect_error(CL_INVALID_VALUE, "param_value_size 4 is smaller than the 8 bytes of param_name 0x1280",
               kiln_clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_QUEUED, 4, &before, NULL));
  release(marker);
}

static void no_profiling(void **state) {
  struct fixture *f = *state;
  cl_int err;
  cl_ulong time;
  cl_command_queue plain = kiln_clCreateCommandQueueWithProperties(f->context, f->device, NULL, &err);
  cl_event event = user_event(f), marker = marker_after(f, event), unprofiled = NULL;
  expect_error(CL_PROFILING_INFO_NOT_AVAILABLE, "is a user event",
               kiln_clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
  expect_error(CL_PROFILING_INFO_NOT_AVAILABLE, "is 3, not CL_COMPLETE",
               kiln_clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
  expect_success(kiln_clEnqueueMarkerWithWaitList(plain, 0, NULL, &unprofiled));
  expect_success(kiln_clFinish(plain));
  expect_error(CL_PROFILING_INFO_NOT_AVAILABLE, "was created without CL_QUEUE_PROFILING_ENABLE",
               kiln_clGetEventProfilingInfo(unprofiled, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
  expect_success(kiln_clSetUserEventStatus(event, CL_COMPLETE));
  expect_success(kiln_clFinish(f->queue));
  release(unprofiled);
  release(marker);
  release(event);
  expect_success(kiln_clReleaseCommandQueue(plain));
}

/* ---- wrong arguments ---- */

static void wrong_waits(void **state) {
  struct fixture *f = *state;
  cl_int err;
  cl_context elsewhere = kiln_clCreateContext(NULL, 1, &f->device, NULL, NULL, &err);
  cl_event event = user_event(f), foreign = kiln_clCreateUserEvent(elsewhere, &err), marker;
  const cl_event mixed[] = {event, foreign}, wrong[] = {event, not_a_handle()}, null[] = {NULL};
  expect_error(CL_INVALID_VALUE, "num_events is 0", kiln_clWaitForEvents(0, &event));
  expect_error(CL_INVALID_VALUE, "event_list is NULL", kiln_clWaitForEvents(1, NULL));
  expect_error(CL_INVALID_EVENT, "is not a live event", kiln_clWaitForEvents(2, wrong));
  expect_error(CL_INVALID_EVENT, "event_list[0]", kiln_clWaitForEvents(1, null));
  expect_error(CL_INVALID_CONTEXT, "belongs to another context than event_list[0]",
               kiln_clWaitForEvents(2, mixed));
  expect_error(CL_INVALID_CONTEXT, "event_wait_list[1]",
               kiln_clEnqueueMarkerWithWaitList(f->queue, 2, mixed, &marker));
  expect_error(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list[1]",
               kiln_clEnqueueMarkerWithWaitList(f->queue, 2, wrong, &marker));
  expect_error(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list is NULL and num_events_in_wait_list is 1",
               kiln_clEnqueueMarkerWithWaitList(f->queue, 1, NULL, &marker));
  expect_error(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list is not NULL and num_events_in_wait_list is 0",
               kiln_clEnqueueMarkerWithWaitList(f->queue, 0, mixed, &marker));
  release(foreign);
  release(event);
  expect_success(kiln_clReleaseContext(elsewhere));
}

static void wrong_events(void **state) {
  struct fixture *f = *state;
  cl_int value;
  cl_ulong time;
  struct heard heard = {0};
  cl_event event = user_event(f), marker = marker_after(f, event);
  expect_no_handle(CL_INVALID_CONTEXT, "context is NULL", kiln_clCreateUserEvent(NULL, &err));
  expect_error(CL_INVALID_EVENT, "event is NULL", kiln_clSetUserEventStatus(NULL, CL_COMPLETE));
  expect_error(CL_INVALID_EVENT, "is that of a command, 0x11FE, not a user event",
               kiln_clSetUserEventStatus(marker, CL_COMPLETE));
  expect_error(CL_INVALID_EVENT, "event is NULL", kiln_clRetainEvent(NULL));
  expect_error(CL_INVALID_EVENT, "is not a live event", kiln_clReleaseEvent(not_a_handle()));
  expect_error(CL_INVALID_EVENT, "event is NULL",
               kiln_clGetEventInfo(NULL, CL_EVENT_CONTEXT, sizeof value, &value, NULL));
  expect_error(CL_INVALID_VALUE, "param_name 0x1 is not one",
               kiln_clGetEventInfo(event, 1, sizeof value, &value, NULL));
  expect_error(CL_INVALID_VALUE, "param_value_size 4 is smaller than the 8 bytes of param_name 0x11D4",
               kiln_clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof value, &value, NULL));
  expect_error(CL_INVALID_EVENT, "event is NULL", kiln_clSetEventCallback(NULL, CL_COMPLETE, hear, &heard));
  expect_error(CL_INVALID_VALUE, "pfn_notify is NULL",
               kiln_clSetEventCallback(event, CL_COMPLETE, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "command_exec_callback_type 3 is none of",
               kiln_clSetEventCallback(event, CL_QUEUED, hear, &heard));
  expect_error(CL_INVALID_EVENT, "event is NULL",
               kiln_clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
  kiln_event *kept = kiln_ref(event);
  release(event);
  expect_error(CL_INVALID_EVENT, "was released more often than retained", kiln_clReleaseEvent(event));
  expect_success(kiln_clRetainEvent(event));
  kiln_unref(&kept);
  expect_success(kiln_clSetUserEventStatus(event, CL_COMPLETE));
  expect_success(kiln_clFinish(f->queue));
  release(marker);
  release(event);
  static kiln_event dying;
  kiln_object_init(&dying.object, KILN_T_EVENT);
  dying.object.refs = dying.object.api_refs = 0;
  expect_error(CL_INVALID_EVENT, "is being destroyed", kiln_clRetainEvent(&dying));
}

static void short_of_memory(void **state) {
  struct fixture *f = *state;
  kiln_alloc_fail_nth(1);
  expect_no_handle(CL_OUT_OF_HOST_MEMORY, "host memory is short", kiln_clCreateUserEvent(f->context, &err));
  kiln_alloc_fail_nth(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(user_events),     cmocka_unit_test(failed_user_event),
      cmocka_unit_test(commands),        cmocka_unit_test(across_queues),
      cmocka_unit_test(callbacks),       cmocka_unit_test(failed_callbacks),
      cmocka_unit_test(profiling),       cmocka_unit_test(no_profiling),
      cmocka_unit_test(wrong_waits),     cmocka_unit_test(wrong_events),
      cmocka_unit_test(short_of_memory),
  };
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
