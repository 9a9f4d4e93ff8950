/* Ranges, tasks, the suggested local size. */
#include "api/fake_compiler.h"
#include "api/fake_device.h"

#include "core/kernel.h"
#include "core/launch.h"

static const char source[] = "kernel void k() {} kernel void with(global int *a, local int *t) {}\n"
                             "__attribute__((reqd_work_group_size(8,4,1)))\nkernel void fixed() {}\n"
                             "kernel void locals() { local int tmp[64]; }\n";

struct bench { /* what each test of this file uses */
  struct fixture *f;
  cl_program program;
  cl_kernel k;
};

static struct bench open_bench(void **state, const char *options) {
  struct bench b = {.f = *state};
  b.program = fake_build(b.f, source, options);
  b.k = fake_kernel_of(b.program, "k");
  return b;
}

static void close_bench(struct bench *b) {
  expect_success(kiln_clFinish(b->f->queue));
  expect_success(kiln_clReleaseKernel(b->k));
  expect_success(kiln_clReleaseProgram(b->program));
}

static cl_int enqueue(struct bench *b, cl_kernel kernel, cl_uint dim, const size_t *offset,
                      const size_t *global, const size_t *local) {
  return kiln_clEnqueueNDRangeKernel(b->f->queue, kernel, dim, offset, global, local, 0, NULL, NULL);
}

#define SIZES(...) ((const size_t[3]){__VA_ARGS__})

static void handles_are_checked(void **state) {
  struct bench b = open_bench(state, NULL);
  cl_int err;
  expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL",
               kiln_clEnqueueNDRangeKernel(NULL, b.k, 1, NULL, SIZES(1), NULL, 0, NULL, NULL));
  expect_error(CL_INVALID_KERNEL, "kernel is NULL", enqueue(&b, NULL, 1, NULL, SIZES(1), NULL));
  cl_context other = kiln_clCreateContext(NULL, 1, &b.f->device, NULL, NULL, &err);
  cl_command_queue queue = kiln_clCreateCommandQueueWithProperties(other, b.f->device, NULL, &err);
  expect_success(err);
  expect_error(CL_INVALID_CONTEXT, "two contexts",
               kiln_clEnqueueNDRangeKernel(queue, b.k, 1, NULL, SIZES(1), NULL, 0, NULL, NULL));
  expect_success(kiln_clReleaseCommandQueue(queue));
  expect_success(kiln_clReleaseContext(other));
  cl_event junk = not_a_handle();
  expect_error(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list[0]",
               kiln_clEnqueueNDRangeKernel(b.f->queue, b.k, 1, NULL, SIZES(1), NULL, 1, &junk, NULL));
  expect_error(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list is NULL",
               kiln_clEnqueueNDRangeKernel(b.f->queue, b.k, 1, NULL, SIZES(1), NULL, 1, NULL, NULL));
  close_bench(&b);
}

/* Built for one device of the context, enqueued on the other. */
static void the_kernel_must_be_built_for_the_device(void **state) {
  struct fixture *f = *state;
  static const char plain[] = "kernel void k() {}";
  kiln_device *other = fake_device(1);
  other->backend->caps = f->device->backend->caps;
  const cl_device_id both[] = {f->device, other};
  cl_int err = -1;
  cl_context context = kiln_clCreateContext(NULL, 2, both, NULL, NULL, &err);
  expect_success(err);
  cl_command_queue queue = kiln_clCreateCommandQueueWithProperties(context, f->device, NULL, &err);
  expect_success(err);
  cl_program program = fake_source(&(struct fixture){.context = context}, plain);
  expect_success(kiln_clBuildProgram(program, 1, &both[1], NULL, NULL, NULL));
  cl_kernel kernel = fake_kernel_of(program, "k");
  char text[200];
  snprintf(text, sizeof text, "kernel k was not built for %s", f->device->backend->caps.name);
  expect_error(CL_INVALID_PROGRAM_EXECUTABLE, text,
               kiln_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, SIZES(1), NULL, 0, NULL, NULL));
  expect_error(CL_INVALID_PROGRAM_EXECUTABLE, "kernel k was not built for",
               kiln_clEnqueueTask(queue, kernel, 0, NULL, NULL));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clReleaseProgram(program));
  expect_success(kiln_clReleaseCommandQueue(queue));
  expect_success(kiln_clReleaseContext(context));
  kiln_unref(&other);
}

static void arguments_are_checked(void **state) {
  struct bench b = open_bench(state, NULL);
  cl_int err;
  cl_kernel with = fake_kernel_of(b.program, "with");
  expect_error(CL_INVALID_KERNEL_ARGS, "argument 0 (a) of kernel with has not been set",
               enqueue(&b, with, 1, NULL, SIZES(1), NULL));
  cl_mem buffer = kiln_clCreateBuffer(b.f->context, CL_MEM_READ_WRITE, 64, NULL, &err);
  expect_success(kiln_clSetKernelArg(with, 0, sizeof buffer, &buffer));
  expect_error(CL_INVALID_KERNEL_ARGS, "argument 1 (t) of kernel with has not been set",
               enqueue(&b, with, 1, NULL, SIZES(1), NULL));
  uint32_t most = b.f->device->backend->caps.local_mem_bytes;
  expect_success(kiln_clSetKernelArg(with, 1, most + 1, NULL));
  expect_error(CL_OUT_OF_RESOURCES, "bytes of local memory", enqueue(&b, with, 1, NULL, SIZES(1), NULL));
  expect_success(kiln_clSetKernelArg(with, 1, most, NULL));
  expect_success(enqueue(&b, with, 1, NULL, SIZES(1), NULL));
  expect_success(kiln_clReleaseMemObject(buffer));
  expect_success(kiln_clReleaseKernel(with));
  close_bench(&b);
}

/* A sub-buffer may be aligned for one device of the context and not for another. */
static void misaligned_sub_buffers_are_refused(void **state) {
  struct bench b = open_bench(state, NULL);
  cl_int err;
  cl_kernel with = fake_kernel_of(b.program, "with");
  cl_mem buffer = kiln_clCreateBuffer(b.f->context, CL_MEM_READ_WRITE, 4096, NULL, &err);
  cl_buffer_region region = {1024, 64};
  cl_mem part = kiln_clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
  expect_success(err);
  expect_success(kiln_clSetKernelArg(with, 0, sizeof part, &part));
  expect_success(kiln_clSetKernelArg(with, 1, 4, NULL));
  struct kiln_caps *caps = &b.f->device->backend->caps;
  uint32_t align = caps->mem_base_align_bits;
  caps->mem_base_align_bits = 2048 * 8;
  expect_error(CL_MISALIGNED_SUB_BUFFER_OFFSET,
               "argument 0 (a) of kernel with is a sub-buffer at offset 1024",
               enqueue(&b, with, 1, NULL, SIZES(1), NULL));
  caps->mem_base_align_bits = align;
  expect_success(enqueue(&b, with, 1, NULL, SIZES(1), NULL));
  expect_success(kiln_clReleaseMemObject(part));
  expect_success(kiln_clReleaseMemObject(buffer));
  expect_success(kiln_clReleaseKernel(with));
  close_bench(&b);
}

static void ranges_are_checked(void **state) {
  struct bench b = open_bench(state, NULL);
  size_t most = b.f->device->backend->caps.max_group_size;
  expect_error(CL_INVALID_WORK_DIMENSION, "work_dim is 0", enqueue(&b, b.k, 0, NULL, SIZES(1), NULL));
  expect_error(CL_INVALID_WORK_DIMENSION, "work_dim is 4", enqueue(&b, b.k, 4, NULL, SIZES(1), NULL));
  expect_error(CL_INVALID_GLOBAL_OFFSET,
               "global_work_offset[1] 18446744073709551615 plus global_work_size[1] 1",
               enqueue(&b, b.k, 2, SIZES(0, SIZE_MAX), SIZES(1, 1), NULL));
  expect_error(CL_INVALID_WORK_GROUP_SIZE, "local_work_size[0] is 0",
               enqueue(&b, b.k, 1, NULL, SIZES(8), SIZES(0)));
  expect_error(CL_INVALID_WORK_GROUP_SIZE, "local_work_size[0] 3 does not divide",
               enqueue(&b, b.k, 1, NULL, SIZES(8), SIZES(3)));
  expect_error(CL_INVALID_WORK_ITEM_SIZE, "CL_DEVICE_MAX_WORK_ITEM_SIZES",
               enqueue(&b, b.k, 1, NULL, SIZES(4 * most), SIZES(2 * most)));
  expect_error(CL_INVALID_WORK_GROUP_SIZE, "more work-items than CL_KERNEL_WORK_GROUP_SIZE of kernel k",
               enqueue(&b, b.k, 2, NULL, SIZES(most, 2), SIZES(most, 2)));
  expect_success(enqueue(&b, b.k, 1, NULL, SIZES(most), SIZES(most)));
  close_bench(&b);
}

static void required_sizes_are_checked(void **state) {
  struct bench b = open_bench(state, NULL);
  cl_kernel fixed = fake_kernel_of(b.program, "fixed");
  expect_error(CL_INVALID_WORK_GROUP_SIZE, "local_work_size[1] 2 is not that of reqd_work_group_size, 4",
               enqueue(&b, fixed, 2, NULL, SIZES(16, 8), SIZES(8, 2)));
  expect_error(CL_INVALID_WORK_GROUP_SIZE, "reqd_work_group_size(8, 4, 1)",
               enqueue(&b, fixed, 2, NULL, SIZES(12, 8), NULL));
  expect_error(CL_INVALID_WORK_GROUP_SIZE, "reqd_work_group_size",
               kiln_clEnqueueTask(b.f->queue, fixed, 0, NULL, NULL));
  expect_success(enqueue(&b, fixed, 2, NULL, SIZES(16, 8), NULL));
  expect_success(kiln_clFinish(b.f->queue));
  const struct kiln_launch *l = &fake_last_launch()->launch;
  assert_true(l->local_size[0] == 8 && l->local_size[1] == 4 && l->local_size[2] == 1);
  assert_int_equal(fake_last_launch()->total_groups, 4);
  expect_success(kiln_clReleaseKernel(fixed));
  close_bench(&b);
}

static void the_range_reaches_the_device(void **state) {
  struct bench b = open_bench(state, "-cl-std=CL3.0");
  expect_success(enqueue(&b, b.k, 3, SIZES(1, 0, 5), SIZES(10, 7, 3), SIZES(4, 2, 3)));
  expect_success(kiln_clFinish(b.f->queue));
  const struct fake_launch *launch = fake_last_launch();
  const struct kiln_launch *l = &launch->launch;
  assert_int_equal(l->work_dim, 3);
  assert_true(l->global_offset[0] == 1 && l->global_offset[1] == 0 && l->global_offset[2] == 5);
  assert_true(l->global_size[0] == 10 && l->global_size[1] == 7 && l->global_size[2] == 3);
  assert_true(l->local_size[0] == 4 && l->local_size[1] == 2 && l->local_size[2] == 3);
  assert_true(l->num_groups[0] == 3 && l->num_groups[1] == 4 && l->num_groups[2] == 1);
  assert_int_equal(launch->total_groups, 12);
  assert_int_equal(launch->spec.offset_zero, 0);
  assert_int_equal(launch->spec.small, 3);
  expect_success(enqueue(&b, b.k, 1, NULL, SIZES(12), SIZES(4)));
  expect_success(kiln_clFinish(b.f->queue));
  assert_int_equal(fake_last_launch()->spec.small, 2);
  expect_success(enqueue(&b, b.k, 2, SIZES(0, 8000), SIZES(3, 192), NULL));
  expect_success(kiln_clFinish(b.f->queue));
  assert_int_equal(fake_last_launch()->spec.small, 3);
  expect_success(enqueue(&b, b.k, 2, SIZES(0, 8000), SIZES(3, 193), NULL));
  expect_success(kiln_clFinish(b.f->queue));
  assert_int_equal(fake_last_launch()->spec.small, 2);
  expect_success(enqueue(&b, b.k, 2, SIZES(1 << 26, 0), SIZES((1 << 26) - 1, 3), NULL));
  expect_success(kiln_clFinish(b.f->queue));
  assert_int_equal(fake_last_launch()->spec.small, 2);
  expect_success(enqueue(&b, b.k, 2, SIZES(0, 1 << 26), SIZES(3, 1 << 26), NULL));
  expect_success(kiln_clFinish(b.f->queue));
  assert_int_equal(fake_last_launch()->spec.small, 1);
  expect_success(enqueue(&b, b.k, 1, SIZES(0x7fffffff), SIZES(1), NULL));
  expect_success(kiln_clFinish(b.f->queue));
  assert_int_equal(fake_last_launch()->spec.small, 0);
  expect_success(enqueue(&b, b.k, 1, NULL, SIZES(0x7fffffff), SIZES(1)));
  expect_success(kiln_clFinish(b.f->queue));
  assert_true(fake_last_launch()->spec.small == 1 && fake_last_launch()->spec.offset_zero == 1);
  expect_error(CL_OUT_OF_RESOURCES, "2^64",
               enqueue(&b, b.k, 3, NULL, SIZES(SIZE_MAX, SIZE_MAX, 1), SIZES(1, 1, 1)));
  close_bench(&b);
}

static void tasks_have_one_item(void **state) {
  struct bench b = open_bench(state, NULL);
  cl_event event;
  cl_command_type type;
  expect_success(kiln_clEnqueueTask(b.f->queue, b.k, 0, NULL, &event));
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  assert_int_equal(type, CL_COMMAND_TASK);
  expect_success(kiln_clWaitForEvents(1, &event));
  assert_int_equal(fake_last_launch()->total_groups, 1);
  assert_int_equal(fake_last_launch()->launch.local_size[0], 1);
  expect_success(kiln_clReleaseEvent(event));
  close_bench(&b);
}

static void empty_ranges_do_nothing(void **state) {
  struct bench b = open_bench(state, NULL);
  cl_event event;
  cl_int status = 1;
  expect_success(enqueue(&b, b.k, 1, NULL, NULL, NULL));
  expect_success(enqueue(&b, b.k, 2, NULL, SIZES(8, 0), SIZES(4, 4)));
  expect_success(kiln_clEnqueueNDRangeKernel(b.f->queue, b.k, 1, NULL, SIZES(0), NULL, 0, NULL, &event));
  expect_success(kiln_clWaitForEvents(1, &event));
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  assert_int_equal(status, CL_COMPLETE);
  assert_int_equal(fake_num_launches, 0);
  expect_success(kiln_clReleaseEvent(event));
  close_bench(&b);
}

/* ---- the local size of our choice ---- */

static size_t product(const size_t *v) { return v[0] * v[1] * v[2]; }

static void expect_suggestion(struct bench *b, cl_uint dim, const size_t *global, bool uniform) {
  size_t local[3] = {1, 1, 1};
  expect_success(kiln_clGetKernelSuggestedLocalWorkSizeKHR(b->f->queue, b->k, dim, NULL, global, local));
  assert_true(product(local) <= b->f->device->backend->caps.max_group_size);
  for (cl_uint i = 0; i < dim; i++) {
    assert_true(local[i] >= 1 && local[i] <= global[i]);
    if (uniform) assert_int_equal(global[i] % local[i], 0);
  }
  expect_success(enqueue(b, b->k, dim, NULL, global, NULL));
  expect_success(kiln_clFinish(b->f->queue));
  for (cl_uint i = 0; i < dim; i++) assert_int_equal(fake_last_launch()->launch.local_size[i], local[i]);
}

static void the_suggested_size_is_the_one_chosen(void **state) {
  static const size_t values[] = {1, 2, 3, 12, 64, 113, 1000, 1024, 4001, 65536, 1000003};
  const int N = rounds(sizeof values / sizeof *values);
  const char *options[] = {"", "-cl-std=CL3.0"};
  for (int o = 0; o < 2; o++) {
    struct bench b = open_bench(state, options[o]);
    for (int i = 0; i < N; i++) expect_suggestion(&b, 1, SIZES(values[i]), o == 0);
    for (int i = 0; i < N * N; i++) expect_suggestion(&b, 2, SIZES(values[i / N], values[i % N]), o == 0);
    for (int i = 0; i < N * N; i++) expect_suggestion(&b, 3, SIZES(values[i / N], 12, values[i % N]), o == 0);
    close_bench(&b);
  }
}

static void primes_do_not_end_in_single_items(void **state) {
  struct bench b = open_bench(state, NULL);
  size_t local;
  struct kiln_caps *caps = &b.f->device->backend->caps;
  uint32_t units = caps->compute_units;
  caps->compute_units = 2;
  expect_success(kiln_clGetKernelSuggestedLocalWorkSizeKHR(b.f->queue, b.k, 1, NULL, SIZES(4001), &local));
  assert_int_equal(local, 4001);
  caps->compute_units = units;
  close_bench(&b);
}

static void there_are_groups_for_everybody(void **state) {
  struct bench b = open_bench(state, "-cl-std=CL3.0");
  size_t local;
  struct kiln_caps *caps = &b.f->device->backend->caps;
  uint32_t units = caps->compute_units;
  caps->compute_units = 64;
  expect_success(kiln_clGetKernelSuggestedLocalWorkSizeKHR(b.f->queue, b.k, 1, NULL, SIZES(16384), &local));
  assert_int_equal(local, 64);
  caps->compute_units = units;
  close_bench(&b);
}

/* Long work-items, of which each unit gets a share; short ones of which nobody needs help. */
static void few_long_items_are_shared_out(void **state) {
  static const struct {
    bool loops;
    size_t items, local;
  } cases[] = {{true, 4, 1}, {true, 8, 2}, {true, 40, 8}, {false, 4, 4}, {true, 16384, 1024}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake.loops = cases[i].loops;
    fake.tiling = (struct kiln_tiling){KILN_TILE_ROWS, 0, 1};
    struct bench b = open_bench(state, cases[i].loops ? "-DLOOPS -cl-std=CL3.0" : "-cl-std=CL3.0");
    struct kiln_caps *caps = &b.f->device->backend->caps;
    const struct kiln_caps own = *caps;
    size_t local;
    caps->compute_units = 4;
    caps->native_width_bits = 512;
    expect_success(
        kiln_clGetKernelSuggestedLocalWorkSizeKHR(b.f->queue, b.k, 1, NULL, SIZES(cases[i].items), &local));
    assert_int_equal(local, cases[i].local);
    *caps = own;
    close_bench(&b);
  }
  fake.loops = false;
  fake.tiling = (struct kiln_tiling){0};
}

/* Local size that a launch is really cut into, for a kernel of this tiling whose groups nothing ties
 * together.
 */
static void expect_tile(struct bench *b, const size_t *local, size_t x, size_t y) {
  expect_success(enqueue(b, b->k, 2, NULL, SIZES(4096, 4096), local));
  expect_success(kiln_clFinish(b->f->queue));
  const struct kiln_launch *l = &fake_last_launch()->launch;
  assert_int_equal(l->local_size[0], x);
  assert_int_equal(l->local_size[1], y);
  assert_int_equal(l->num_groups[0], (4096 + x - 1) / x);
  assert_int_equal(fake_last_launch()->total_groups, ((4096 + x - 1) / x) * ((4096 + y - 1) / y));
}

static void free_kernels_run_in_tiles(void **state) {
  fake.tiling = (struct kiln_tiling){KILN_TILE_SHARED, 1, 0};
  struct bench b = open_bench(state, NULL);
  struct kiln_caps *caps = &b.f->device->backend->caps;
  uint32_t units = caps->compute_units;
  caps->compute_units = 2;
  expect_tile(&b, SIZES(64, 1), 16, 64);
  expect_tile(&b, NULL, 16, 64);
  expect_tile(&b, SIZES(4, 128), 4, 128);
  caps->compute_units = units;
  close_bench(&b);
  fake.tiling = (struct kiln_tiling){0};
  b = open_bench(state, "-DTIED");
  expect_tile(&b, SIZES(64, 1), 64, 1);
  close_bench(&b);
}

/* Launches k, of two pointers, over so many items, to its end. */
static void launch_on(struct fixture *f, cl_kernel k, cl_mem first, cl_mem second, size_t items) {
  expect_success(kiln_clSetKernelArg(k, 0, sizeof first, &first));
  expect_success(kiln_clSetKernelArg(k, 1, sizeof second, &second));
  expect_success(kiln_clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
}

/* Kernel k(out, in) over `items`; the code that ran was made for stores past the caches, or not. */
static void expect_streams(struct fixture *f, cl_kernel k, cl_mem out, cl_mem in, size_t items,
                           bool streams) {
  launch_on(f, k, out, in, items);
  assert_int_equal(fake_last_launch()->spec.streams, streams);
}

static cl_mem buffer_of(struct fixture *f, size_t size) {
  cl_int err;
  cl_mem made = kiln_clCreateBuffer(f->context, 0, size, NULL, &err);
  expect_success(err);
  return made;
}

/* With a cache of 64 KiB: at least a quarter of it written, at least as much as it holds touched. */
static void large_launches_store_past_the_caches(void **state) {
  struct fixture *f = *state;
  struct kiln_caps *caps = &f->device->backend->caps;
  uint64_t cache = caps->stream_bytes;
  caps->stream_bytes = 65536;
  fake.stored = 4;
  cl_program program = fake_build(f, "kernel void k(global int *a, constant int *b) {}", NULL);
  cl_kernel k = fake_kernel_of(program, "k");
  cl_mem big = buffer_of(f, 65536), other = buffer_of(f, 65536), small = buffer_of(f, 16384);
  cl_int err;
  cl_buffer_region region = {0, 32768};
  cl_mem part = kiln_clCreateSubBuffer(big, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
  expect_success(err);
  expect_streams(f, k, big, other, 16384, true);
  expect_streams(f, k, big, other, 4096, true);
  expect_streams(f, k, big, other, 4095, false);     /* writes little */
  expect_streams(f, k, small, other, 1000000, true); /* no more than there is */
  expect_streams(f, k, big, small, 12287, false);    /* all in the cache */
  expect_streams(f, k, big, small, 12288, true);
  expect_streams(f, k, big, big, 16384, false); /* read as well */
  expect_streams(f, k, big, part, 16384, false);
  expect_streams(f, k, big, NULL, 16384, false); /* nobody knows what is read */
  expect_success(kiln_clReleaseMemObject(part));
  expect_success(kiln_clReleaseMemObject(small));
  expect_success(kiln_clReleaseMemObject(other));
  expect_success(kiln_clReleaseMemObject(big));
  expect_success(kiln_clReleaseKernel(k));
  expect_success(kiln_clReleaseProgram(program));
  fake.stored = 0;
  caps->stream_bytes = cache;
}

/* Launches in one dimension of arguments that choose elements; images' of any integers. */
static void launches_know_small_arguments(void **state) {
  struct fixture *f = *state;
  cl_program program;
  const struct {
    uint32_t integer;
    size_t width, height;
    cl_int value;
    uint32_t small;
  } cases[] = {{KILN_ARG_FACTOR, 1000, 1, 8191, KILN_SMALL_ROWS},
               {KILN_ARG_FACTOR, 1000, 1, 8192, 2},
               {KILN_ARG_FACTOR, 1000, 1, -1, 2},
               {KILN_ARG_FACTOR, 131072, 1, 255, KILN_SMALL_POINTS},
               {KILN_ARG_FACTOR, 131072, 1, 256, 2},
               {KILN_ARG_FACTOR, 1 << 22, 1, 1, 2},
               {1, 1000, 1, 5, 2},
               {1, 8192, 2, 16384, KILN_SMALL_IMAGE},
               {1, 8192, 2, 16385, 2},
               {1, 2, 8193, 5, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake.integer = cases[i].integer;
    const bool is_factor = cases[i].integer == KILN_ARG_FACTOR;
    program = fake_build(f, is_factor ? "kernel void k(int factor) {}" : "kernel void k(int n) {}", NULL);
    cl_kernel k = fake_kernel_of(program, "k");
    expect_success(kiln_clSetKernelArg(k, 0, 4, &cases[i].value));
    const size_t size[] = {cases[i].width, cases[i].height};
    expect_success(kiln_clEnqueueNDRangeKernel(f->queue, k, 2, NULL, size, NULL, 0, NULL, NULL));
    expect_success(kiln_clFinish(f->queue));
    if (fake_last_launch()->spec.small != cases[i].small)
      fail_msg("case %zu: %u", i, fake_last_launch()->spec.small);
    expect_success(kiln_clReleaseKernel(k));
    expect_success(kiln_clReleaseProgram(program));
  }
  fake.integer = 0;
}

static void launches_know_lengths_of_rows(void **state) {
  struct fixture *f = *state;
  const struct {
    const char *source;
    cl_long first, second;
    uint32_t turns, rows;
  } cases[] = {{"kernel void k(int any, long m) {}", 5, 5, 0, KILN_ROWS_ANY},
               {"kernel void k(int n, long m) {}", 32, 32, 1, KILN_ROWS_LONG},
               {"kernel void k(int n, long m) {}", 31, 32, 1, KILN_ROWS_SHORT},
               {"kernel void k(int n, long m) {}", 32, 31, 1, KILN_ROWS_SHORT},
               {"kernel void k(int n, long m) {}", -1, 1000, 1, KILN_ROWS_SHORT},
               {"kernel void k(int n, long m) {}", 1000, INT64_C(1) << 40, 1, KILN_ROWS_LONG}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake.turns = cases[i].turns;
    cl_program program = fake_build(f, cases[i].source, NULL);
    cl_kernel k = fake_kernel_of(program, "k");
    const cl_int first = (cl_int)cases[i].first;
    const size_t size = 100;
    expect_success(kiln_clSetKernelArg(k, 0, sizeof first, &first));
    expect_success(kiln_clSetKernelArg(k, 1, sizeof cases[i].second, &cases[i].second));
    expect_success(kiln_clEnqueueNDRangeKernel(f->queue, k, 1, NULL, &size, NULL, 0, NULL, NULL));
    expect_success(kiln_clFinish(f->queue));
    if (fake_last_launch()->spec.rows != cases[i].rows)
      fail_msg("case %zu: %u", i, fake_last_launch()->spec.rows);
    expect_success(kiln_clReleaseKernel(k));
    expect_success(kiln_clReleaseProgram(program));
  }
  fake.turns = 0;
}

/* Large launches, and only where nothing else of them may be the same memory. */
static void large_launches_gather_atomics(void **state) {
  struct fixture *f = *state;
  cl_program program;
  fake.tallied = true;
  program = fake_build(f, "kernel void k(global int *a, constant int *b) {}", NULL);
  cl_kernel k = fake_kernel_of(program, "k");
  cl_mem bins = buffer_of(f, 4096), other = buffer_of(f, 4096);
  const struct {
    cl_mem in;
    size_t items;
    bool tallies;
  } cases[] = {{other, 16384, true}, {other, 16383, false}, {bins, 16384, false}, {NULL, 16384, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    launch_on(f, k, bins, cases[i].in, cases[i].items);
    assert_int_equal(fake_last_launch()->spec.tallies, cases[i].tallies);
  }
  expect_success(kiln_clReleaseMemObject(other));
  expect_success(kiln_clReleaseMemObject(bins));
  expect_success(kiln_clReleaseKernel(k));
  expect_success(kiln_clReleaseProgram(program));
  fake.tallied = false;
}

/* Whatever the size, unless two arguments may be the same memory. */
static void launches_know_that_arguments_lie_apart(void **state) {
  struct fixture *f = *state;
  cl_program program;
  fake.apart = true;
  program = fake_build(f, "kernel void k(global int *a, constant int *b) {}", NULL);
  cl_kernel k = fake_kernel_of(program, "k");
  cl_mem first = buffer_of(f, 4096), other = buffer_of(f, 4096), part;
  const cl_buffer_region region = {0, 1024};
  cl_int err;
  part = kiln_clCreateSubBuffer(first, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
  expect_success(err);
  const struct {
    cl_mem in;
    bool apart;
  } cases[] = {{other, true}, {first, false}, {part, false}, {NULL, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    launch_on(f, k, first, cases[i].in, 64);
    assert_int_equal(fake_last_launch()->spec.apart, cases[i].apart);
  }
  expect_success(kiln_clReleaseMemObject(part));
  expect_success(kiln_clReleaseMemObject(other));
  expect_success(kiln_clReleaseMemObject(first));
  expect_success(kiln_clReleaseKernel(k));
  expect_success(kiln_clReleaseProgram(program));
  fake.apart = false;
}

static void suggestion_checks_its_arguments(void **state) {
  struct bench b = open_bench(state, NULL);
  size_t local;
  expect_error(CL_INVALID_GLOBAL_WORK_SIZE, "global_work_size is NULL",
               kiln_clGetKernelSuggestedLocalWorkSizeKHR(b.f->queue, b.k, 1, NULL, NULL, &local));
  expect_error(CL_INVALID_GLOBAL_WORK_SIZE, "dimension of 0",
               kiln_clGetKernelSuggestedLocalWorkSizeKHR(b.f->queue, b.k, 1, NULL, SIZES(0), &local));
  expect_error(CL_INVALID_VALUE, "suggested_local_work_size is NULL",
               kiln_clGetKernelSuggestedLocalWorkSizeKHR(b.f->queue, b.k, 1, NULL, SIZES(8), NULL));
  expect_error(CL_INVALID_COMMAND_QUEUE, "command_queue is NULL",
               kiln_clGetKernelSuggestedLocalWorkSizeKHR(NULL, b.k, 1, NULL, SIZES(8), &local));
  close_bench(&b);
}

static void non_uniform_groups_need_the_language_version(void **state) {
  struct bench b = open_bench(state, "-cl-std=CL3.0");
  expect_success(enqueue(&b, b.k, 1, NULL, SIZES(10), SIZES(4)));
  close_bench(&b);
  b = open_bench(state, "-cl-std=CL3.0 -cl-uniform-work-group-size");
  expect_error(CL_INVALID_WORK_GROUP_SIZE, "local_work_size[0] 4 does not divide",
               enqueue(&b, b.k, 1, NULL, SIZES(10), SIZES(4)));
  close_bench(&b);
}

static void local_arguments_follow_the_variables(void **state) {
  struct kiln_arg_info infos[] = {{.kind = KILN_ARG_LOCAL, .offset = 0, .align = 4},
                                  {.kind = KILN_ARG_VALUE, .offset = 4, .size = 4},
                                  {.kind = KILN_ARG_LOCAL, .offset = 8, .align = 128}};
  const struct kiln_kernel_info info = {.num_args = 3, .args = infos, .local_bytes = 128};
  const struct kiln_arg args[] = {
      {.set = true, .local_size = 5}, {.set = true}, {.set = true, .local_size = 64}};
  uint32_t packed[3] = {0};
  assert_int_equal(kiln_place_locals(&info, args, (uint8_t *)packed), 256 + 64);
  assert_int_equal(packed[0], 128);
  assert_int_equal(packed[2], 256);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_open_fixture, fake_close_fixture)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(handles_are_checked),
      TEST(the_kernel_must_be_built_for_the_device),
      TEST(arguments_are_checked),
      TEST(misaligned_sub_buffers_are_refused),
      TEST(ranges_are_checked),
      TEST(required_sizes_are_checked),
      TEST(the_range_reaches_the_device),
      TEST(tasks_have_one_item),
      TEST(empty_ranges_do_nothing),
      TEST(the_suggested_size_is_the_one_chosen),
      TEST(few_long_items_are_shared_out),
      TEST(primes_do_not_end_in_single_items),
      TEST(there_are_groups_for_everybody),
      TEST(free_kernels_run_in_tiles),
      TEST(large_launches_store_past_the_caches),
      TEST(launches_know_small_arguments),
      TEST(launches_know_lengths_of_rows),
      TEST(large_launches_gather_atomics),
      TEST(launches_know_that_arguments_lie_apart),
      TEST(suggestion_checks_its_arguments),
      TEST(non_uniform_groups_need_the_language_version),
      cmocka_unit_test(local_arguments_follow_the_variables),
  };
  return alloc_fail_run_group(tests, NULL, NULL);
}
