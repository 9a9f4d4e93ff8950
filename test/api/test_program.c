/* Program objects: creation, queries, build, compile, link, callbacks. */
#include "api/fake_compiler.h"

#include "core/cache.h"
#include "core/program.h"

#include <pthread.h>

static const char two_kernels[] = "kernel void a(global int *x, int n) {} kernel void b(local float *t) {}";

static void create_with_source_checks_its_arguments(void **state) {
  struct fixture *f = *state;
  const char *strings[] = {"x", NULL};
  expect_no_handle(CL_INVALID_CONTEXT, "context",
                   kiln_clCreateProgramWithSource(NULL, 1, strings, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "count is 0",
                   kiln_clCreateProgramWithSource(f->context, 0, strings, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "strings is NULL",
                   kiln_clCreateProgramWithSource(f->context, 1, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "strings[1] of 2 is NULL",
                   kiln_clCreateProgramWithSource(f->context, 2, strings, NULL, &err));
}

static void source_is_concatenated_without_nuls(void **state) {
  struct fixture *f = *state;
  const char *strings[] = {"abcXX", "d\0e", "fg"};
  const size_t lengths[] = {3, 3, 0};
  cl_int err;
  cl_program program = kiln_clCreateProgramWithSource(f->context, 3, strings, lengths, &err);
  expect_success(err);
  char source[16];
  size_t size;
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof source, source, &size));
  assert_string_equal(source, "abcdefg");
  assert_int_equal(size, 8);
  expect_success(kiln_clReleaseProgram(program));
}

static void absent_kinds_of_programs_are_refused(void **state) {
  struct fixture *f = *state;
  uint32_t il = 0x07230203;
  expect_no_handle(CL_INVALID_OPERATION, "intermediate language",
                   kiln_clCreateProgramWithIL(f->context, &il, sizeof il, &err));
  expect_no_handle(CL_INVALID_CONTEXT, "context", kiln_clCreateProgramWithILKHR(NULL, &il, sizeof il, &err));
  expect_no_handle(CL_INVALID_VALUE, "kernel_names is NULL",
                   kiln_clCreateProgramWithBuiltInKernels(f->context, 1, &f->device, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "\"conv\"",
                   kiln_clCreateProgramWithBuiltInKernels(f->context, 1, &f->device, "conv", &err));
  expect_no_handle(CL_INVALID_VALUE, "num_devices is 0",
                   kiln_clCreateProgramWithBuiltInKernels(f->context, 0, &f->device, "conv", &err));
  cl_program program = fake_source(f, two_kernels);
  expect_error(
      CL_INVALID_OPERATION, "destructors",
      kiln_clSetProgramReleaseCallback(program, (void(CL_CALLBACK *)(cl_program, void *))abort, NULL));
  expect_error(CL_INVALID_OPERATION, "intermediate language",
               kiln_clSetProgramSpecializationConstant(program, 0, sizeof il, &il));
  expect_success(kiln_clReleaseProgram(program));
}

static void queries_before_and_after_a_build(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_source(f, two_kernels);
  size_t kernels = 0, size = 1;
  char names[16];
  expect_error(CL_INVALID_PROGRAM_EXECUTABLE, "none was built",
               kiln_clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  expect_error(CL_INVALID_PROGRAM_EXECUTABLE, "none was built",
               kiln_clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size));
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  assert_int_equal(size, 0);
  expect_success(kiln_clBuildProgram(program, 1, &f->device, "-D A=1", NULL, NULL));
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  assert_int_equal(kernels, 2);
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, &size));
  assert_string_equal(names, "a;b");
  assert_int_equal(size, 4);
  expect_error(CL_INVALID_VALUE, "3 is smaller than the 4 bytes",
               kiln_clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 3, names, NULL));
  cl_bool present = CL_TRUE;
  expect_success(
      kiln_clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof present, &present, NULL));
  assert_int_equal(present, CL_FALSE);
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
  assert_int_equal(size, 0);
  expect_error(CL_INVALID_VALUE, "0x1", kiln_clGetProgramInfo(program, 1, sizeof kernels, &kernels, NULL));
  expect_success(kiln_clReleaseProgram(program));
}

static void expect_build(const struct fixture *f, cl_program program, cl_build_status status,
                         cl_program_binary_type type, const char *options, const char *log) {
  cl_build_status got;
  cl_program_binary_type got_type;
  char text[256];
  expect_success(
      kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_STATUS, sizeof got, &got, NULL));
  assert_int_equal(got, status);
  expect_success(kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BINARY_TYPE, sizeof got_type,
                                            &got_type, NULL));
  assert_int_equal(got_type, type);
  expect_success(
      kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
  assert_string_equal(text, options);
  expect_success(
      kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
  assert_non_null(strstr(text, log));
}

static void build_info_follows_the_last_build(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_source(f, two_kernels), bad = fake_source(f, "#error\n");
  expect_build(f, program, CL_BUILD_NONE, CL_PROGRAM_BINARY_TYPE_NONE, "", "");
  expect_success(kiln_clBuildProgram(program, 0, NULL, " -D  A=1 ", NULL, NULL));
  expect_build(f, program, CL_BUILD_SUCCESS, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, " -D  A=1 ", "");
  expect_success(kiln_clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  expect_build(f, program, CL_BUILD_SUCCESS, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, "", "");
  expect_error(CL_BUILD_PROGRAM_FAILURE, "source.cl:1:1: error: as told",
               kiln_clBuildProgram(bad, 0, NULL, "-w", NULL, NULL));
  expect_build(f, bad, CL_BUILD_ERROR, CL_PROGRAM_BINARY_TYPE_NONE, "-w", "error: as told");
  expect_error(CL_COMPILE_PROGRAM_FAILURE, "source.cl:1:1: error: as told",
               kiln_clCompileProgram(bad, 0, NULL, "-w", 0, NULL, NULL, NULL, NULL));
  expect_error(CL_INVALID_DEVICE, "none of the program's 1 devices",
               kiln_clGetProgramBuildInfo(bad, NULL, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL));
  size_t total = 1;
  expect_success(kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                                            sizeof total, &total, NULL));
  assert_int_equal(total, 0);
  expect_success(kiln_clReleaseProgram(bad));
  expect_success(kiln_clReleaseProgram(program));
}

static void build_checks_its_arguments(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_source(f, two_kernels);
  cl_device_id stranger = not_a_handle();
  expect_error(CL_INVALID_PROGRAM, "program is NULL", kiln_clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "device_list is NULL, but num_devices is 1",
               kiln_clBuildProgram(program, 1, NULL, NULL, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "device_list is not NULL, but num_devices is 0",
               kiln_clBuildProgram(program, 0, &f->device, NULL, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "pfn_notify is NULL",
               kiln_clBuildProgram(program, 0, NULL, NULL, NULL, program));
  expect_error(CL_INVALID_DEVICE, "device_list[0]",
               kiln_clBuildProgram(program, 1, &stranger, NULL, NULL, NULL));
  expect_error(CL_INVALID_BUILD_OPTIONS, "options \"-no-such-option\": \"-no-such-option\" is not understood",
               kiln_clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL));
  expect_error(CL_INVALID_COMPILER_OPTIONS, "options \"-w -D\": \"-D\" is not understood",
               kiln_clCompileProgram(program, 0, NULL, "-w -D", 0, NULL, NULL, NULL, NULL));
  expect_build(f, program, CL_BUILD_NONE, CL_PROGRAM_BINARY_TYPE_NONE, "", "");
  fake.status = KILN_REPLY_NO_COMPILER;
  expect_error(CL_COMPILER_NOT_AVAILABLE, "error: as told",
               kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  fake.status = KILN_REPLY_CRASHED;
  expect_error(CL_BUILD_PROGRAM_FAILURE, "error: as told",
               kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  fake.status = KILN_REPLY_NO_MEMORY;
  expect_error(CL_OUT_OF_HOST_MEMORY, "memory", kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  expect_success(kiln_clReleaseProgram(program));
}

static void kernels_keep_a_program_from_being_rebuilt(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_build(f, two_kernels, NULL);
  cl_kernel kernel = fake_kernel_of(program, "a");
  expect_error(CL_INVALID_OPERATION, "1 kernel objects",
               kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  expect_error(CL_INVALID_OPERATION, "1 kernel objects",
               kiln_clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  expect_success(kiln_clReleaseProgram(program));
}

/* A released kernel that commands still hold does not count: they keep the build they came from. */
static void commands_do_not_keep_a_program_from_being_rebuilt(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_build(f, "kernel void k(int n) {}", NULL);
  cl_kernel kernel = fake_kernel_of(program, "k");
  cl_int n = 1, err;
  size_t one = 1;
  cl_event gate = kiln_clCreateUserEvent(f->context, &err);
  expect_success(err);
  expect_success(kiln_clSetKernelArg(kernel, 0, sizeof n, &n));
  expect_success(kiln_clEnqueueNDRangeKernel(f->queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_success(kiln_clBuildProgram(program, 0, NULL, "-w", NULL, NULL));
  expect_success(kiln_clReleaseProgram(program));
  expect_success(kiln_clSetUserEventStatus(gate, CL_COMPLETE));
  expect_success(kiln_clFinish(f->queue));
  assert_string_equal(fake_last_launch()->kernel, "k");
  expect_success(kiln_clReleaseEvent(gate));
}

/* ---- callbacks ---- */

struct notice {
  atomic_int calls;
  cl_program program;
  cl_build_status status;
  const struct fixture *f;
  cl_kernel kernel; /* made and run from within the callback */
};

static void CL_CALLBACK note(cl_program program, void *data) {
  struct notice *n = data;
  n->program = program;
  kiln_clGetProgramBuildInfo(program, n->f->device, CL_PROGRAM_BUILD_STATUS, sizeof n->status, &n->status,
                             NULL);
  atomic_fetch_add(&n->calls, 1);
}

static void CL_CALLBACK note_and_run(cl_program program, void *data) {
  struct notice *n = data;
  cl_int err;
  size_t size = 64;
  n->kernel = kiln_clCreateKernel(program, "k", &err);
  if (err == CL_SUCCESS)
    err = kiln_clEnqueueNDRangeKernel(n->f->queue, n->kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
  if (err == CL_SUCCESS) err = kiln_clFinish(n->f->queue);
  n->status = err;
  atomic_fetch_add(&n->calls, 1);
}

static void wait_for(const struct notice *n, int calls) {
  for (int i = 0; i < 20000 && n->calls < calls; i++) usleep(500);
  assert_int_equal(n->calls, calls);
}

static void build_with_callback_does_not_block(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_source(f, two_kernels), bad = fake_source(f, "#error");
  struct notice n = {.f = f};
  cl_build_status status;
  fake.delay_us = 50000;
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, note, &n));
  expect_success(
      kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  assert_int_equal(status, CL_BUILD_IN_PROGRESS);
  expect_error(CL_INVALID_OPERATION, "has not completed",
               kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  wait_for(&n, 1);
  assert_ptr_equal(n.program, program);
  assert_int_equal(n.status, CL_BUILD_SUCCESS);
  expect_success(kiln_clCompileProgram(bad, 0, NULL, NULL, 0, NULL, NULL, note, &n));
  wait_for(&n, 2);
  assert_ptr_equal(n.program, bad);
  assert_int_equal(n.status, CL_BUILD_ERROR);
  expect_success(kiln_clReleaseProgram(bad));
  expect_success(kiln_clReleaseProgram(program));
}

/* The code for the kernel is compiled by the thread that built the program: the callback must not be on it.
 */
static void a_callback_may_run_kernels_and_wait(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_source(f, "kernel void k() {}");
  struct notice n = {.f = f};
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, note_and_run, &n));
  wait_for(&n, 1);
  assert_int_equal(n.status, CL_SUCCESS);
  assert_int_equal(fake_num_launches, 1);
  expect_success(kiln_clReleaseKernel(n.kernel));
  expect_success(kiln_clReleaseProgram(program));
}

/* ---- compile and link ---- */

static cl_program compiled(const struct fixture *f, const char *source) {
  cl_program program = fake_source(f, source);
  expect_success(kiln_clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  return program;
}

static void compile_checks_headers(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_source(f, two_kernels), header = fake_source(f, "int h();");
  const char *name = "h.h", *none = NULL;
  expect_error(CL_INVALID_VALUE, "num_input_headers is 1, input_headers is NULL",
               kiln_clCompileProgram(program, 0, NULL, NULL, 1, NULL, &name, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "num_input_headers is 0",
               kiln_clCompileProgram(program, 0, NULL, NULL, 0, &header, &name, NULL, NULL));
  expect_error(CL_INVALID_VALUE, "header_include_names[0] is NULL",
               kiln_clCompileProgram(program, 0, NULL, NULL, 1, &header, &none, NULL, NULL));
  expect_success(kiln_clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
  expect_success(kiln_clReleaseProgram(header));
  expect_success(kiln_clReleaseProgram(program));
}

static void link_makes_executables_and_libraries(void **state) {
  struct fixture *f = *state;
  cl_program parts[2] = {compiled(f, "kernel void a(int n) {}\n"), compiled(f, "kernel void b(int n) {}\n")};
  cl_int err;
  cl_program library = kiln_clLinkProgram(f->context, 0, NULL, "-create-library", 1, parts, NULL, NULL, &err);
  expect_success(err);
  expect_build(f, library, CL_BUILD_SUCCESS, CL_PROGRAM_BINARY_TYPE_LIBRARY, "-create-library", "");
  assert_null(kiln_clCreateKernel(library, "a", &err));
  assert_int_equal(err, CL_INVALID_PROGRAM_EXECUTABLE);
  cl_program inputs[2] = {library, parts[1]};
  cl_program program = kiln_clLinkProgram(f->context, 1, &f->device, NULL, 2, inputs, NULL, NULL, &err);
  expect_success(err);
  expect_build(f, program, CL_BUILD_SUCCESS, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, "", "");
  expect_error(CL_INVALID_OPERATION, "made by clLinkProgram",
               kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  cl_kernel kernel = fake_kernel_of(program, "b");
  expect_success(kiln_clReleaseKernel(kernel));
  cl_program all[] = {parts[0], parts[1], library, program};
  for (int i = 0; i < 4; i++) expect_success(kiln_clReleaseProgram(all[i]));
}

static void link_checks_its_inputs(void **state) {
  struct fixture *f = *state;
  cl_program object = compiled(f, two_kernels), source = fake_source(f, two_kernels);
  cl_program mixed[2] = {object, source}, junk = not_a_handle();
  expect_no_handle(CL_INVALID_CONTEXT, "context",
                   kiln_clLinkProgram(NULL, 0, NULL, NULL, 1, &object, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_VALUE, "num_input_programs is 0",
                   kiln_clLinkProgram(f->context, 0, NULL, NULL, 0, NULL, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_PROGRAM, "not a live program",
                   kiln_clLinkProgram(f->context, 0, NULL, NULL, 1, &junk, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_LINKER_OPTIONS, "-O9",
                   kiln_clLinkProgram(f->context, 0, NULL, "-O9", 1, &object, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_OPERATION, "input_programs[1] has no compiled binary",
                   kiln_clLinkProgram(f->context, 0, NULL, NULL, 2, mixed, NULL, NULL, &err));
  expect_no_handle(CL_INVALID_OPERATION, "clCompileProgram first",
                   kiln_clLinkProgram(f->context, 0, NULL, NULL, 1, &source, NULL, NULL, &err));
  expect_success(kiln_clReleaseProgram(source));
  expect_success(kiln_clReleaseProgram(object));
}

static void a_failed_link_gives_its_log(void **state) {
  struct fixture *f = *state;
  cl_program object = compiled(f, two_kernels);
  struct notice n = {.f = f};
  cl_int err;
  fake.status = KILN_REPLY_FAILED;
  cl_program program = kiln_clLinkProgram(f->context, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
  assert_int_equal(err, CL_LINK_PROGRAM_FAILURE);
  expect_build(f, program, CL_BUILD_ERROR, CL_PROGRAM_BINARY_TYPE_NONE, "", "error: nothing fits");
  expect_success(kiln_clReleaseProgram(program));
  program = kiln_clLinkProgram(f->context, 0, NULL, NULL, 1, &object, note, &n, &err);
  expect_success(err);
  wait_for(&n, 1);
  assert_ptr_equal(n.program, program);
  assert_int_equal(n.status, CL_BUILD_ERROR);
  expect_success(kiln_clReleaseProgram(program));
  expect_success(kiln_clReleaseProgram(object));
}

/* ---- several devices ---- */

static void sub_devices_share_one_compile(void **state) {
  struct fixture *f = *state;
  const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id all[3] = {f->device};
  cl_int err = kiln_clCreateSubDevices(f->device, by, 2, all + 1, NULL);
  if (err != CL_SUCCESS) skip(); /* one processor */
  cl_context context = kiln_clCreateContext(NULL, 3, all, NULL, NULL, &err);
  expect_success(err);
  const char *source = two_kernels;
  cl_program program = kiln_clCreateProgramWithSource(context, 1, &source, NULL, &err);
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  fake_expect_count(fake.compiles, 1);
  expect_success(kiln_clReleaseProgram(program));
  expect_success(kiln_clReleaseContext(context));
  for (int i = 1; i < 3; i++) expect_success(kiln_clReleaseDevice(all[i]));
}

static cl_build_status build_status(cl_program program, cl_device_id device) {
  cl_build_status status = 12345;
  expect_success(
      kiln_clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  return status;
}

static size_t binary_size(cl_program program, unsigned index) {
  size_t sizes[3] = {0};
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
  return sizes[index];
}

/* If a program binary has not been built for a sub-device, the one of its parent device is used. */
static void a_sub_device_runs_what_its_parent_was_built_for(void **state) {
  struct fixture *f = *state;
  const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id all[3] = {f->device};
  cl_int err = kiln_clCreateSubDevices(f->device, by, 2, all + 1, NULL);
  if (err != CL_SUCCESS) skip();
  all[1]->backend->driver = all[2]->backend->driver = f->device->backend->driver;
  cl_context context = kiln_clCreateContext(NULL, 3, all, NULL, NULL, &err);
  const char *source = "kernel void k() {}";
  cl_program program = kiln_clCreateProgramWithSource(context, 1, &source, NULL, &err);
  assert_int_equal(build_status(program, all[1]), CL_BUILD_NONE);
  expect_success(kiln_clBuildProgram(program, 1, all, NULL, NULL, NULL));
  assert_int_equal(build_status(program, all[1]), CL_BUILD_SUCCESS);
  assert_true(binary_size(program, 1) > 0 && binary_size(program, 1) == binary_size(program, 0));
  cl_kernel kernel = fake_kernel_of(program, "k");
  cl_command_queue queue = kiln_clCreateCommandQueueWithProperties(context, all[2], NULL, &err);
  expect_success(err);
  size_t one = 1;
  expect_success(kiln_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
  expect_success(kiln_clFinish(queue));
  expect_success(kiln_clReleaseCommandQueue(queue));
  expect_success(kiln_clReleaseKernel(kernel));
  expect_error(CL_BUILD_PROGRAM_FAILURE, "as told",
               (atomic_store(&fake.status, KILN_REPLY_FAILED),
                kiln_clBuildProgram(program, 1, &all[1], "-DFAILS", NULL, NULL)));
  atomic_store(&fake.status, KILN_REPLY_OK);
  assert_int_equal(build_status(program, all[1]), CL_BUILD_ERROR); /* its own now */
  assert_int_equal(build_status(program, all[2]), CL_BUILD_SUCCESS);
  expect_success(kiln_clReleaseProgram(program));
  expect_success(kiln_clReleaseContext(context));
  for (int i = 1; i < 3; i++) expect_success(kiln_clReleaseDevice(all[i]));
}

/* ---- threads ---- */

struct builder {
  const struct fixture *f;
  cl_int err;
};

static void *build_and_run(void *data) {
  struct builder *b = data;
  const char *source = two_kernels;
  for (int i = 0; i < 20 && b->err == CL_SUCCESS; i++) {
    cl_program program = kiln_clCreateProgramWithSource(b->f->context, 1, &source, NULL, &b->err);
    if (b->err == CL_SUCCESS) b->err = kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = b->err == CL_SUCCESS ? kiln_clCreateKernel(program, "b", &b->err) : NULL;
    if (b->err == CL_SUCCESS) b->err = kiln_clSetKernelArg(kernel, 0, 64, NULL);
    size_t size = 64;
    if (b->err == CL_SUCCESS)
      b->err = kiln_clEnqueueNDRangeKernel(b->f->queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    if (kernel != NULL) kiln_clReleaseKernel(kernel);
    kiln_clReleaseProgram(program);
  }
  return NULL;
}

static void threads_that_build_the_same_compile_once(void **state) {
  struct fixture *f = *state;
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  struct builder builders[THREADS];
  fake.delay_us = 1000;
  for (int i = 0; i < THREADS; i++) {
    builders[i] = (struct builder){f, CL_SUCCESS};
    pthread_create(&threads[i], NULL, build_and_run, &builders[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(builders[i].err, CL_SUCCESS);
  }
  expect_success(kiln_clFinish(f->queue));
  fake_expect_count(fake.compiles, 1);
  assert_int_equal(fake_num_launches, THREADS * 20);
}

static void reference_counts(void **state) {
  struct fixture *f = *state;
  cl_program program = fake_source(f, two_kernels);
  cl_uint count;
  expect_success(kiln_clRetainProgram(program));
  expect_success(kiln_clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL));
  assert_int_equal(count, 2);
  expect_success(kiln_clReleaseProgram(program));
  expect_success(kiln_clReleaseProgram(program));
  expect_error(CL_INVALID_PROGRAM, "program is NULL", kiln_clReleaseProgram(NULL));
  expect_error(CL_INVALID_PROGRAM, "not a live program", kiln_clRetainProgram(not_a_handle()));
}

static void unloading_the_compiler_is_a_hint(void **state) {
  struct fixture *f = *state;
  expect_error(CL_INVALID_PLATFORM, "platform is NULL", kiln_clUnloadPlatformCompiler(NULL));
  expect_success(kiln_clUnloadPlatformCompiler(f->platform));
  expect_success(kiln_clUnloadCompiler());
  cl_program program = fake_build(f, two_kernels, NULL);
  expect_success(kiln_clReleaseProgram(program));
}

/* ---- memory that runs short on other threads: no entry point can be called again there ---- */

static void CL_CALLBACK note_done(cl_program program, void *data) { atomic_fetch_add((atomic_int *)data, 1); }

static cl_program build_in_background(struct fixture *f, cl_build_status *status_out) {
  atomic_int done = 0;
  cl_program program = fake_source(f, "kernel void k(local int *t) {}");
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, note_done, &done));
  while (!atomic_load(&done)) usleep(100);
  expect_success(kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_STATUS, sizeof *status_out,
                                            status_out, NULL));
  return program;
}

/* How the command ended. */
static cl_int run_built(struct fixture *f, cl_program program) {
  size_t size = 8;
  cl_event event;
  cl_int status;
  cl_kernel kernel = fake_kernel_of(program, "k");
  expect_success(kiln_clSetKernelArg(kernel, 0, 64, NULL));
  expect_success(kiln_clEnqueueNDRangeKernel(f->queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
  kiln_clWaitForEvents(1, &event);
  expect_success(kiln_clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  expect_success(kiln_clReleaseEvent(event));
  expect_success(kiln_clReleaseKernel(kernel));
  return status;
}

/* A build and a launch whose n-th allocation on the compile thread fails: either both work all the same, or
 * the one that failed says so and works the next time. */
static void short_of_memory_in_the_background(void **state) {
  struct fixture *f = *state;
  bool failed = true;
  size_t live = 0;
  for (size_t n = 1; failed; n++) {
    cl_build_status built;
    kiln_alloc_fail_nth_elsewhere(n);
    cl_program program = build_in_background(f, &built);
    cl_int ran = built == CL_BUILD_SUCCESS ? run_built(f, program) : CL_COMPLETE;
    fake_drain();
    failed = kiln_alloc_has_failed();
    kiln_alloc_fail_nth(0);
    assert_true(ran == CL_COMPLETE || ran == CL_OUT_OF_RESOURCES);
    assert_true(failed || (built == CL_BUILD_SUCCESS && ran == CL_COMPLETE));
    if (built != CL_BUILD_SUCCESS) expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(run_built(f, program), CL_COMPLETE);
    expect_success(kiln_clReleaseProgram(program));
    fake_drain();
    fake_clear_cache();
    kiln_cache_forget();
    if (n == 1) live = kiln_alloc_live();
    alloc_fail_expect_live(live);
  }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_open_fixture, fake_close_fixture)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(create_with_source_checks_its_arguments),
      TEST(source_is_concatenated_without_nuls),
      TEST(absent_kinds_of_programs_are_refused),
      TEST(queries_before_and_after_a_build),
      TEST(build_info_follows_the_last_build),
      TEST(build_checks_its_arguments),
      TEST(kernels_keep_a_program_from_being_rebuilt),
      TEST(commands_do_not_keep_a_program_from_being_rebuilt),
      TEST(build_with_callback_does_not_block),
      TEST(a_callback_may_run_kernels_and_wait),
      TEST(compile_checks_headers),
      TEST(link_makes_executables_and_libraries),
      TEST(link_checks_its_inputs),
      TEST(a_failed_link_gives_its_log),
      TEST(sub_devices_share_one_compile),
      TEST(a_sub_device_runs_what_its_parent_was_built_for),
      TEST(threads_that_build_the_same_compile_once),
      TEST(reference_counts),
      TEST(unloading_the_compiler_is_a_hint),
      TEST(short_of_memory_in_the_background),
  };
  return alloc_fail_run_group(tests, NULL, NULL);
}
