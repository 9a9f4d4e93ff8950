/* Machine code: when it is made, who waits for it, what happens when it cannot be made. */
#include "api/fake_compiler.h"

#include "api/images.h"

#include "core/kernel.h"
#include "core/variant.h"

#include <pthread.h>
#include <sys/wait.h>

static const char source[] = "kernel void k() {}\n"
                             "__attribute__((reqd_work_group_size(8,4,1)))\nkernel void fixed() {}\n"
                             "__attribute__((reqd_work_group_size(1,1,1)))\n"
                             "kernel void reads(sampler_t s, read_only image2d_t i) {}\n";

struct bench {
  struct fixture *f;
  cl_program program;
  cl_kernel k;
  int rounds;
};

static struct bench open_bench(void **state, const char *options) {
  struct bench b = {.f = *state};
  b.program = fake_build(b.f, source, options);
  b.k = fake_kernel_of(b.program, "k");
  struct kiln_build *build = kiln_program_build(b.program, 0);
  kiln_build_settle(build);
  kiln_build_unref(&build);
  fake.codegens = fake.loads = 0;
  return b;
}

static void close_bench(struct bench *b) {
  expect_success(kiln_clFinish(b->f->queue));
  expect_success(kiln_clReleaseKernel(b->k));
  expect_success(kiln_clReleaseProgram(b->program));
}

static cl_int enqueue(struct bench *b, size_t global, size_t local, cl_event *event) {
  return kiln_clEnqueueNDRangeKernel(b->f->queue, b->k, 1, NULL, &global, &local, 0, NULL, event);
}

static void enqueue_does_not_wait_for_code(void **state) {
  struct bench b = open_bench(state, NULL);
  cl_event event[3];
  fake.gate = 1;
  for (int i = 0; i < 3; i++) expect_success(enqueue(&b, 64, 16, &event[i]));
  usleep(20000);
  for (int i = 0; i < 3; i++) assert_true(status_of(event[i]) > CL_COMPLETE);
  fake.gate = 0;
  expect_success(kiln_clWaitForEvents(3, event));
  fake_expect_count(fake.codegens, 1);
  assert_int_equal(fake_num_launches, 3);
  for (int i = 0; i < 3; i++) expect_success(kiln_clReleaseEvent(event[i]));
  close_bench(&b);
}

static void one_variant_per_specialisation(void **state) {
  struct bench b = open_bench(state, NULL);
  size_t global = 64, local = 16, offset = 1;
  for (int i = 0; i < 5; i++) fake_run(b.f, b.k, 64, 16);
  fake_expect_count(fake.codegens, 1);
  fake_run(b.f, b.k, 64, 32);
  fake_expect_count(fake.codegens, 2);
  expect_success(kiln_clEnqueueNDRangeKernel(b.f->queue, b.k, 1, &offset, &global, &local, 0, NULL, NULL));
  expect_success(kiln_clFinish(b.f->queue));
  fake_expect_count(fake.codegens, 3);
  fake_expect_count(fake.loads, 3);
  assert_int_equal(fake_last_launch()->spec.local_size[0], 16);
  assert_int_equal(fake_last_launch()->spec.offset_zero, 0);
  close_bench(&b);
}

static void after_eight_local_sizes_code_is_for_any(void **state) {
  struct bench b = open_bench(state, NULL);
  for (size_t local = 1; local <= 20; local++) fake_run(b.f, b.k, local * 4, local);
  fake_expect_count(fake.codegens, KILN_MAX_SIZED_VARIANTS + 1);
  assert_int_equal(fake_last_launch()->spec.local_size[0], 0);
  assert_int_equal(fake_last_launch()->launch.local_size[0], 20);
  fake_run(b.f, b.k, 64, 8);
  assert_int_equal(fake_last_launch()->spec.local_size[0], 8);
  size_t global = 8, local = 8, offset = 1; /* a known size with an offset: still its own code */
  expect_success(kiln_clEnqueueNDRangeKernel(b.f->queue, b.k, 1, &offset, &global, &local, 0, NULL, NULL));
  expect_success(kiln_clFinish(b.f->queue));
  assert_int_equal(fake_last_launch()->spec.local_size[0], 8);
  close_bench(&b);
}

/* Kernels whose groups may run as one: launches of whole vectors get shorter code, unless there is code for
 * rows of any length already. */
static void rows_of_whole_vectors_have_shorter_code(void **state) {
  static const struct {
    size_t global, local;
    uint32_t grain;
    int codegens;
  } runs[] = {{1024, 128, 64, 1}, {1536, 192, 64, 1}, {64, 1000, 64, 1}, {1024, 144, 0, 2},
              {1000, 128, 0, 2},  {1024, 256, 64, 2}, {1, 128, 0, 2}},
    others[] = {{1000, 128, 0, 1}, {1024, 128, 0, 1}};
  fake.tiling = (struct kiln_tiling){KILN_TILE_ROWS, 0, 1};
  struct bench b = open_bench(state, "-cl-std=CL3.0");
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    fake_run(b.f, b.k, runs[i].global, runs[i].local);
    fake_expect_count(fake.codegens, runs[i].codegens);
    assert_int_equal(fake_last_launch()->spec.local_size[0], 0);
    assert_int_equal(fake_last_launch()->spec.grain, runs[i].grain);
  }
  close_bench(&b);
  b = open_bench(state, "-cl-std=CL3.0 -DOTHER");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    fake_run(b.f, b.k, others[i].global, others[i].local);
    fake_expect_count(fake.codegens, others[i].codegens);
    assert_int_equal(fake_last_launch()->spec.grain, others[i].grain);
  }
  close_bench(&b);
  fake.tiling = (struct kiln_tiling){0};
  b = open_bench(state, "-cl-std=CL3.0 -DTIED");
  fake_run(b.f, b.k, 1024, 128);
  assert_int_equal(fake_last_launch()->spec.grain, 0);
  close_bench(&b);
}

/* Where nothing ties a group together and there are loops; with a forced width there is one code for all. */
static void few_long_work_items_get_fewer_lanes(void **state) {
  struct fixture *f = *state;
  const size_t units = f->device->backend->caps.compute_units;
  static const struct {
    size_t share;
    uint32_t most;
    int codegens;
  } runs[] = {{1, 1, 1}, {2, 1, 1}, {3, 4, 2}, {6, 4, 2}, {8, 8, 3}, {32, 32, 4}, {33, 0, 5}, {1, 1, 5}};
  const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -kiln-width=4", "-cl-std=CL3.0 -DSHORT"};
  fake.tiling = (struct kiln_tiling){KILN_TILE_ROWS, 0, 1};
  for (int o = 0; o < 3; o++) {
    fake.loops = o < 2;
    struct bench b = open_bench(state, options[o]);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
      fake_run(b.f, b.k, runs[i].share * units, 1);
      fake_expect_count(fake.codegens, o == 0 ? runs[i].codegens : 1);
      assert_int_equal(fake_last_launch()->spec.most, o == 0 ? runs[i].most : 0);
    }
    close_bench(&b);
  }
  fake.tiling = (struct kiln_tiling){0};
  fake.loops = false;
}

/* Groups of one work-item are free, whatever ties larger ones together. */
static void lone_groups_of_long_work_items_get_fewer_lanes(void **state) {
  struct fixture *f = *state;
  const size_t units = f->device->backend->caps.compute_units;
  fake.loops = true;
  struct bench b = open_bench(state, "-cl-std=CL3.0 -DTIED_LOOPS");
  fake_run(b.f, b.k, 2 * units, 1);
  assert_int_equal(fake_last_launch()->spec.most, 1);
  fake_run(b.f, b.k, 8 * units, 1);
  assert_int_equal(fake_last_launch()->spec.most, 8);
  fake_run(b.f, b.k, 2 * units, 2);
  assert_int_equal(fake_last_launch()->spec.most, 0);
  close_bench(&b);
  fake.loops = false;
}

/* Code that runs one work-item at a time is made once, whichever launch comes first; not for other ranges. */
static void one_code_for_any_number(void **state) {
  static const struct {
    size_t global, offset;
    int codegens;
  } runs[] = {{1, 0, 1}, {1 << 20, 0, 1}, {1000, 0, 1}, {1000, 8, 2}, {2, 8, 2}};
  fake.tiling = (struct kiln_tiling){KILN_TILE_ROWS, 0, 1};
  fake.loops = fake.any_number = true;
  struct bench b = open_bench(state, "-cl-std=CL3.0");
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    expect_success(kiln_clEnqueueNDRangeKernel(b.f->queue, b.k, 1, &runs[i].offset, &runs[i].global, NULL, 0,
                                               NULL, NULL));
    expect_success(kiln_clFinish(b.f->queue));
    fake_expect_count(fake.codegens, runs[i].codegens);
    assert_int_equal(fake_last_launch()->spec.offset_zero, runs[i].offset == 0);
  }
  close_bench(&b);
  fake.tiling = (struct kiln_tiling){0};
  fake.loops = fake.any_number = false;
}

/* Runs `reads` with a sampler and an image of this format. */
static void read_format(struct fixture *f, cl_kernel reads, cl_sampler sampler, cl_image_format format) {
  cl_mem image = make_image(f->context, 0, &format, &image_shapes[2], NULL);
  expect_success(kiln_clSetKernelArg(reads, 0, sizeof sampler, &sampler));
  expect_success(kiln_clSetKernelArg(reads, 1, sizeof image, &image));
  fake_run(f, reads, 1, 0);
  drop_buffer(image);
}

static void code_is_for_formats_and_samplers_up_to_a_limit(void **state) {
  static const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA, CL_A};
  struct fixture *f = *state;
  kiln_cpu_set_images(&f->device->backend->caps, true);
  struct bench b = open_bench(state, NULL);
  cl_kernel reads = fake_kernel_of(b.program, "reads");
  cl_int err = 12345;
  cl_sampler sampler = kiln_clCreateSampler(f->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
  expect_success(err);
  for (int round = 0; round < 2; round++) read_format(f, reads, sampler, rgba8);
  fake_expect_count(fake.codegens, 1);
  const uint32_t *opaque = fake_last_launch()->spec.opaque;
  assert_int_equal(opaque[0] & KILN_OPAQUE_SAMPLER, KILN_OPAQUE_SAMPLER);
  assert_int_equal(opaque[1], CL_RGBA << 16 | CL_UNORM_INT8);
  assert_int_equal(opaque[2], 0);
  for (unsigned k = 0; k < KILN_MAX_OPAQUE_VARIANTS; k++) /* four types of consecutive numbers */
    read_format(f, reads, sampler, (cl_image_format){orders[k % 4], CL_SNORM_INT8 + k / 4});
  for (unsigned k = 0; k < 2; k++) read_format(f, reads, sampler, (cl_image_format){orders[k], CL_FLOAT});
  fake_expect_count(fake.codegens, KILN_MAX_OPAQUE_VARIANTS + 1);
  assert_int_equal(fake_last_launch()->spec.opaque[1], 0);
  read_format(f, reads, sampler, rgba8);
  assert_int_equal(fake_last_launch()->spec.opaque[1], CL_RGBA << 16 | CL_UNORM_INT8);
  expect_success(kiln_clReleaseSampler(sampler));
  expect_success(kiln_clReleaseKernel(reads));
  close_bench(&b);
}

static void required_sizes_are_compiled_with_the_program(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_build(f, source, NULL);
  struct kiln_build *build = kiln_program_build(program, 0);
  kiln_build_settle(build);
  kiln_build_unref(&build);
  fake_expect_count(fake.codegens, 1);
  cl_kernel fixed = fake_kernel_of(program, "fixed");
  const size_t global[2] = {16, 8};
  expect_success(kiln_clEnqueueNDRangeKernel(f->queue, fixed, 2, NULL, global, NULL, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
  fake_expect_count(fake.codegens, 1);
  assert_int_equal(fake_last_launch()->spec.local_size[1], 4);
  expect_success(kiln_clReleaseKernel(fixed));
  expect_success(kiln_clReleaseProgram(program));
}

static void a_width_can_be_forced(void **state) {
  struct bench b = open_bench(state, "-kiln-width=4");
  fake_run(b.f, b.k, 64, 16);
  assert_int_equal(fake_last_launch()->spec.width, 4);
  close_bench(&b);
  setenv("KILN_WIDTH", "2", 1);
  b = open_bench(state, NULL);
  unsetenv("KILN_WIDTH");
  fake_run(b.f, b.k, 64, 16);
  assert_int_equal(fake_last_launch()->spec.width, 2);
  close_bench(&b);
}

/* ---- failures ---- */

static void the_fallback_is_scalar(void **state) {
  struct bench b = open_bench(state, NULL);
  fake.optimized_fails = KILN_REPLY_CRASHED;
  fake_run(b.f, b.k, 64, 16);
  fake_expect_count(fake.codegens, 2);
  assert_int_equal(fake_last_launch()->spec.width, 1);
  fake_run(b.f, b.k, 64, 16);
  fake_expect_count(fake.codegens, 2);
  close_bench(&b);
  /* the emergency code is not what the next process gets */
  fake.optimized_fails = KILN_REPLY_OK;
  b = open_bench(state, NULL);
  fake_run(b.f, b.k, 64, 16);
  assert_int_equal(fake_last_launch()->spec.width, 0);
  close_bench(&b);
}

static void without_any_code_the_event_fails(void **state) {
  struct bench b = open_bench(state, NULL);
  cl_event event;
  fake.optimized_fails = fake.fallback_fails = KILN_REPLY_FAILED;
  expect_success(enqueue(&b, 64, 16, &event));
  assert_int_equal(kiln_clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_int_equal(status_of(event), CL_OUT_OF_RESOURCES);
  expect_success(kiln_clReleaseEvent(event));
  expect_error(CL_OUT_OF_RESOURCES, "no machine code can be made for kernel k: cannot select: told so",
               enqueue(&b, 64, 16, NULL));
  fake_expect_count(fake.codegens, 2);
  close_bench(&b);
}

static void what_may_change_is_tried_again(void **state) {
  struct bench b = open_bench(state, NULL);
  cl_event event;
  fake.optimized_fails = KILN_REPLY_NO_COMPILER;
  expect_success(enqueue(&b, 64, 16, &event));
  assert_int_equal(kiln_clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  assert_int_equal(status_of(event), CL_OUT_OF_RESOURCES);
  expect_success(kiln_clReleaseEvent(event));
  fake.optimized_fails = KILN_REPLY_OK;
  fake_run(b.f, b.k, 64, 16);
  assert_int_equal(fake_num_launches, 1);
  close_bench(&b);
}

static void code_that_does_not_load_is_made_again(void **state) {
  struct bench b = open_bench(state, NULL);
  fake_run(b.f, b.k, 64, 16);
  close_bench(&b);
  b = open_bench(state, NULL);
  fake.load_fails = 1; /* what the cache holds */
  fake_run(b.f, b.k, 64, 16);
  fake_expect_count(fake.codegens, 1);
  assert_int_equal(fake_num_launches, 2);
  close_bench(&b);
}

/* ---- threads ---- */

enum { SIZES = 5 };

static void *enqueue_some(void *data) {
  struct bench *b = data;
  for (int i = 0; i < b->rounds; i++)
    if (enqueue(b, 64, (size_t)1 << (i % SIZES), NULL) != CL_SUCCESS) return b;
  return NULL;
}

static void threads_share_variants(void **state) {
  struct bench b = open_bench(state, NULL);
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  fake.delay_us = 2000;
  b.rounds = alloc_fail_active() ? SIZES : 200;
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, enqueue_some, &b);
  for (int i = 0; i < THREADS; i++) {
    void *failed;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  expect_success(kiln_clFinish(b.f->queue));
  fake_expect_count(fake.codegens, SIZES);
  assert_int_equal(fake_num_launches, THREADS * b.rounds);
  close_bench(&b);
}

static void programs_may_go_while_code_is_made(void **state) {
  struct fixture *f = *state;
  fake.delay_us = 300;
  int count = rounds(100);
  for (int i = 0; i < count; i++) {
    char options[32]; /* so that nothing comes from the cache */
    snprintf(options, sizeof options, "-D A=%d", i);
    cl_program program = fake_build(f, source, options);
    cl_kernel kernel = fake_kernel_of(program, "k");
    size_t n = 64, local = (size_t)1 << (i % 6);
    expect_success(kiln_clEnqueueNDRangeKernel(f->queue, kernel, 1, NULL, &n, &local, 0, NULL, NULL));
    expect_success(kiln_clReleaseKernel(kernel));
    expect_success(kiln_clReleaseProgram(program));
  }
  expect_success(kiln_clFinish(f->queue));
  assert_int_equal(fake_num_launches, count);
}

/* ---- fork ---- */

static int run_in_child(struct fixture *f) {
  cl_int err;
  cl_context context = kiln_clCreateContext(NULL, 1, &f->device, NULL, NULL, &err);
  if (err != CL_SUCCESS) return 1;
  struct fixture own = {f->platform, f->device, context, NULL};
  own.queue = kiln_clCreateCommandQueueWithProperties(context, f->device, NULL, &err);
  if (err != CL_SUCCESS) return 2;
  const char *text = source;
  cl_program program = kiln_clCreateProgramWithSource(context, 1, &text, NULL, &err);
  if (kiln_clBuildProgram(program, 0, NULL, "-D CHILD", NULL, NULL) != CL_SUCCESS) return 3;
  cl_kernel kernel = kiln_clCreateKernel(program, "k", &err);
  size_t n = 64;
  if (kiln_clEnqueueNDRangeKernel(own.queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL) != CL_SUCCESS)
    return 4;
  return kiln_clFinish(own.queue) == CL_SUCCESS ? 0 : 5;
}

static void a_child_compiles_for_itself(void **state) {
  struct bench b = open_bench(state, NULL);
  fake.delay_us = 20000;
  expect_success(enqueue(&b, 64, 16, NULL)); /* the compile thread is at work while we fork */
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(run_in_child(b.f));
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  close_bench(&b);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_open_fixture, fake_close_fixture)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(enqueue_does_not_wait_for_code),
      TEST(one_variant_per_specialisation),
      TEST(after_eight_local_sizes_code_is_for_any),
      TEST(rows_of_whole_vectors_have_shorter_code),
      TEST(code_is_for_formats_and_samplers_up_to_a_limit),
      TEST(required_sizes_are_compiled_with_the_program),
      TEST(few_long_work_items_get_fewer_lanes),
      TEST(lone_groups_of_long_work_items_get_fewer_lanes),
      TEST(one_code_for_any_number),
      TEST(a_width_can_be_forced),
      TEST(the_fallback_is_scalar),
      TEST(without_any_code_the_event_fails),
      TEST(what_may_change_is_tried_again),
      TEST(code_that_does_not_load_is_made_again),
      TEST(threads_share_variants),
      TEST(programs_may_go_while_code_is_made),
      TEST(a_child_compiles_for_itself),
  };
  return alloc_fail_run_group(tests, NULL, NULL);
}
