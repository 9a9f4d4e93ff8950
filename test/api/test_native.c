/* Native kernels: what the function is given, and what is refused. */
#include "api/world.h"

/* ---- arguments ---- */

struct args { /* what the function is given a copy of */
  int *sum;
  const int *values;
  const int *none;
  int count;
};

static void CL_CALLBACK add_up(void *data) {
  struct args *args = data;
  *args->sum = args->none == NULL ? 0 : -1;
  for (int i = 0; i < args->count; i++) *args->sum += args->values[i];
  args->count = 0; /* the function owns its copy */
}

/* "a pointer to the args list that user_func should be called with", memory objects replaced by pointers. */
static void buffers_become_addresses(void **state) {
  struct fixture *f = *state;
  int host[100];
  for (int i = 0; i < 100; i++) host[i] = i;
  cl_mem values = make_buffer(f->context, CL_MEM_COPY_HOST_PTR, sizeof host, host);
  cl_mem sum = make_buffer(f->context, 0, sizeof(int), NULL);
  struct args args = {.count = 100, .none = host};
  const cl_mem mems[] = {values, NULL, sum};
  const void *places[] = {&args.values, &args.none, &args.sum};
  cl_event event = NULL;
  expect_success(
      kiln_clEnqueueNativeKernel(f->queue, add_up, &args, sizeof args, 3, mems, places, 0, NULL, &event));
  args = (struct args){0}; /* may be reused at once */
  drop_buffer(values);     /* the command holds it */
  int found = -1;
  expect_success(kiln_clEnqueueReadBuffer(f->queue, sum, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
  assert_int_equal(found, 4950);
  cl_command_type type;
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_COMMAND_NATIVE_KERNEL);
  drop_event(event);
  drop_buffer(sum);
}

/* A sub-buffer's address is that of its part. */
static void parts_have_their_own_address(void **state) {
  struct fixture *f = *state;
  size_t align = base_align(f->device);
  cl_mem whole = make_buffer(f->context, 0, 2 * align, NULL), part = make_part(whole, 0, align, align);
  cl_mem sum = make_buffer(f->context, 0, sizeof(int), NULL);
  expect_success(kiln_clEnqueueFillBuffer(f->queue, whole, &(int){1}, sizeof(int), 0, align, 0, NULL, NULL));
  expect_success(
      kiln_clEnqueueFillBuffer(f->queue, whole, &(int){3}, sizeof(int), align, align, 0, NULL, NULL));
  struct args args = {.count = 5};
  const cl_mem mems[] = {sum, part};
  const void *places[] = {&args.sum, &args.values};
  expect_success(
      kiln_clEnqueueNativeKernel(f->queue, add_up, &args, sizeof args, 2, mems, places, 0, NULL, NULL));
  int found = -1;
  expect_success(kiln_clEnqueueReadBuffer(f->queue, sum, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
  assert_int_equal(found, 15);
  drop_buffer(sum);
  drop_buffer(part);
  drop_buffer(whole);
}

static atomic_int calls;
static _Atomic(void *) given;
static void CL_CALLBACK note_call(void *args) {
  atomic_store(&given, args);
  atomic_fetch_add(&calls, 1);
}

static void without_arguments(void **state) {
  struct fixture *f = *state;
  atomic_store(&calls, 0);
  atomic_store(&given, f);
  expect_success(kiln_clEnqueueNativeKernel(f->queue, note_call, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
  assert_int_equal(calls, 1);
  assert_null(given);
}

enum { LARGE = 5000 };
static uint8_t seen[LARGE];
static void CL_CALLBACK copy_args(void *args) { memcpy(seen, args, LARGE); }

static void large_arguments(void **state) {
  struct fixture *f = *state;
  uint8_t bytes[LARGE];
  uint64_t seed = 11;
  random_fill(&seed, bytes, sizeof bytes);
  expect_success(
      kiln_clEnqueueNativeKernel(f->queue, copy_args, bytes, sizeof bytes, 0, NULL, NULL, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
  assert_memory_equal(seen, bytes, LARGE);
}

/* ---- order ---- */

static atomic_int turn, out_of_turn;
static void CL_CALLBACK take_turn(void *args) {
  if (atomic_fetch_add(&turn, 1) != *(int *)args) atomic_fetch_add(&out_of_turn, 1);
}

static void in_order(void **state) {
  struct fixture *f = *state;
  enum { COUNT = 500 };
  atomic_store(&turn, 0);
  atomic_store(&out_of_turn, 0);
  int count = rounds(COUNT);
  for (int i = 0; i < count; i++)
    expect_success(
        kiln_clEnqueueNativeKernel(f->queue, take_turn, &i, sizeof i, 0, NULL, NULL, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
  assert_int_equal(turn, count);
  assert_int_equal(out_of_turn, 0);
}

/* ---- what is refused ---- */

static cl_int enqueue(struct fixture *f, void *args, size_t size, cl_uint num_mems, const cl_mem *mems,
                      const void **places) {
  return kiln_clEnqueueNativeKernel(f->queue, note_call, args, size, num_mems, mems, places, 0, NULL, NULL);
}

static void wrong_arguments(void **state) {
  struct fixture *f = *state;
  cl_mem mem = make_buffer(f->context, 0, 64, NULL);
  struct args args = {0};
  const void *place = &args.sum, *past = &args + 1, *before = (void *)((uintptr_t)&args - 1);
  const void *half = (char *)(&args + 1) - sizeof(void *) + 1;
  atomic_store(&calls, 0);
  expect_error(CL_INVALID_VALUE, "user_func is NULL",
               kiln_clEnqueueNativeKernel(f->queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "args is NULL, but cb_args is 8 and num_mem_objects 0",
               enqueue(f, NULL, 8, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "args is NULL, but cb_args is 0 and num_mem_objects 1",
               enqueue(f, NULL, 0, 1, &mem, &place));
  expect_error(CL_INVALID_VALUE, "args is not NULL, but cb_args is 0", enqueue(f, &args, 0, 0, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "num_mem_objects is 1, but mem_list is NULL",
               enqueue(f, &args, sizeof args, 1, NULL, &place));
  expect_error(CL_INVALID_VALUE, "num_mem_objects is 1, but args_mem_loc is NULL",
               enqueue(f, &args, sizeof args, 1, &mem, NULL));
  expect_error(CL_INVALID_VALUE, "num_mem_objects is 0, but mem_list is not NULL",
               enqueue(f, &args, sizeof args, 0, &mem, NULL));
  expect_error(CL_INVALID_VALUE, "num_mem_objects is 0, but args_mem_loc is not NULL",
               enqueue(f, &args, sizeof args, 0, NULL, &place));
  expect_error(CL_INVALID_VALUE, "args_mem_loc[0] lies outside the 32 bytes of args",
               enqueue(f, &args, sizeof args, 1, &mem, &past));
  expect_error(CL_INVALID_VALUE, "args_mem_loc[0] lies outside",
               enqueue(f, &args, sizeof args, 1, &mem, &half));
  expect_error(CL_INVALID_VALUE, "args_mem_loc[0] lies outside",
               enqueue(f, &args, sizeof args, 1, &mem, &before));
  expect_success(kiln_clFinish(f->queue));
  assert_int_equal(calls, 0);
  drop_buffer(mem);
}

static void devices_without_native_kernels(void **state) {
  struct fixture *f = *state;
  struct kiln_caps *caps = &f->device->backend->caps;
  char text[200];
  snprintf(text, sizeof text, "%s cannot execute native kernels", caps->name);
  assert_true(caps->native_kernels);
  caps->native_kernels = false;
  expect_error(CL_INVALID_OPERATION, text, enqueue(f, NULL, 0, 0, NULL, NULL));
  expect_error(CL_INVALID_OPERATION, "cannot execute native kernels", enqueue(f, NULL, 0, 0, NULL, NULL));
  caps->native_kernels = true;
  expect_success(enqueue(f, NULL, 0, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers_become_addresses),
      cmocka_unit_test(parts_have_their_own_address),
      cmocka_unit_test(without_arguments),
      cmocka_unit_test(large_arguments),
      cmocka_unit_test(in_order),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(devices_without_native_kernels),
  };
  return alloc_fail_run_group(tests, fixture_open, fixture_close);
}
