/* Programs from source to result with the real compiler, through the system's loader: binaries in another
 * process and on another processor, separate compiling and linking, work in callbacks, queues that wait for
 * each other. */
#include "test.h"

#include <CL/cl.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 4096 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static int open_device(void **state) {
  cl_platform_id platform;
  cl_int err = -1;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 1;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL) != CL_SUCCESS) return 1;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  if (err == CL_SUCCESS) queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
  return err != CL_SUCCESS;
}

static int close_device(void **state) {
  return clReleaseCommandQueue(queue) != CL_SUCCESS || clReleaseContext(context) != CL_SUCCESS;
}

#define must(call) assert_int_equal((call), CL_SUCCESS)

static cl_program source(const char *text) {
  cl_int err = -1;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
  must(err);
  return program;
}

static cl_program build(const char *text, const char *options) {
  cl_program program = source(text);
  cl_int err = clBuildProgram(program, 1, &device, options, NULL, NULL);
  if (err != CL_SUCCESS) {
    char log[4096] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fail_msg("build: %d\n%s", err, log);
  }
  return program;
}

static cl_kernel kernel_of(cl_program program, const char *name) {
  cl_int err = -1;
  cl_kernel kernel = clCreateKernel(program, name, &err);
  must(err);
  return kernel;
}

static cl_mem buffer(size_t size) {
  cl_int err = -1;
  cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &err);
  must(err);
  return mem;
}

/* Runs kernel(global uint *out, uint a) over COUNT items in groups of 64; out[i] must be i * a + 7. */
static void run_scale(cl_kernel kernel) {
  static uint32_t out[COUNT];
  const size_t count = COUNT, group = 64;
  const cl_uint a = 12345;
  cl_mem mem = buffer(sizeof out);
  must(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  must(clSetKernelArg(kernel, 1, sizeof a, &a));
  must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, &group, 0, NULL, NULL));
  must(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(out[i], i * a + 7);
  must(clReleaseMemObject(mem));
}

static const char scale_source[] = "__attribute__((noinline)) uint f(uint i, uint a) { return i * a + 7; }\n"
                                   "kernel void scale(global uint *out, uint a) {\n"
                                   "  local uint tile[64]; uint l = get_local_id(0), n = get_local_size(0);\n"
                                   "  tile[n - 1 - l] = f(get_group_id(0) * n + n - 1 - l, a);\n"
                                   "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                   "  out[get_global_id(0)] = tile[l];\n"
                                   "}\n";

/* ---- binaries in another process ---- */

static void *binary_of(cl_program program, size_t *size_out) {
  must(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size_out, size_out, NULL));
  assert_true(*size_out > 0);
  unsigned char *data = malloc(*size_out);
  assert_non_null(data);
  must(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL));
  return data;
}

static void run_binary(const unsigned char *data, size_t size) {
  cl_int status = -1, err = -1;
  cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &data, &status, &err);
  must(err);
  must(status);
  must(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
  cl_kernel kernel = kernel_of(program, "scale");
  run_scale(kernel);
  must(clReleaseKernel(kernel));
  must(clReleaseProgram(program));
}

/* What `test_programs FILE` does. */
static int run_file(const char *path) {
  static unsigned char data[1 << 20];
  void *state = NULL;
  FILE *file = fopen(path, "rb");
  if (file == NULL || open_device(&state) != 0) return 2;
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  run_binary(data, size);
  return close_device(&state);
}

/* Starts this program again with environment NAME=VALUE pairs, NULL-terminated; its exit status. */
static int in_another_process(const char *path, const char *const *environment) {
  pid_t child = fork();
  if (child == 0) {
    for (; environment[0] != NULL; environment += 2) setenv(environment[0], environment[1], 1);
    execl("/proc/self/exe", "programs", path, (char *)NULL);
    _exit(127);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void save(const void *data, size_t size, char *path) {
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, data, size), size);
  close(fd);
}

/* The machine code travels with the binary: neither cache nor compiler is needed where it runs. */
static void binaries_run_without_a_compiler(void **state) {
  char path[] = "/tmp/kiln-binary-XXXXXX";
  size_t size;
  cl_program program = build(scale_source, "");
  cl_kernel kernel = kernel_of(program, "scale");
  run_scale(kernel);
  must(clReleaseKernel(kernel));
  void *data = binary_of(program, &size);
  save(data, size, path);
  const char *none[] = {"KILN_CACHE_DIR", "",  "KILN_COMPILER", "/nonexistent", "KILN_COMPILE_HELPER",
                        "/nonexistent",   NULL};
  assert_int_equal(in_another_process(path, none), 0);
  unlink(path);
  free(data);
  must(clReleaseProgram(program));
}

/* The code is made again from the binary's IR. */
static void binaries_run_on_another_processor(void **state) {
  static const char *const levels[] = {"sse2", "sse4.2", "avx2", "avx512"};
  char path[] = "/tmp/kiln-binary-XXXXXX";
  size_t size;
  cl_program program = build(scale_source, "");
  void *data = binary_of(program, &size);
  save(data, size, path);
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    const char *other[] = {"KILN_CACHE_DIR", "", "KILN_CPU_FEATURES", levels[i], NULL};
    assert_int_equal(in_another_process(path, other), 0);
  }
  unlink(path);
  free(data);
  must(clReleaseProgram(program));
}

/* ---- separate compiling and linking ---- */

static cl_program compile(const char *text, const char *options, cl_uint num_headers,
                          const cl_program *headers, const char **names) {
  cl_program program = source(text);
  cl_int err = clCompileProgram(program, 1, &device, options, num_headers, headers, names, NULL, NULL);
  if (err != CL_SUCCESS) {
    char log[4096] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fail_msg("compile: %d\n%s", err, log);
  }
  return program;
}

static cl_program link_all(const char *options, cl_uint count, const cl_program *programs) {
  cl_int err = -1;
  cl_program program = clLinkProgram(context, 1, &device, options, count, programs, NULL, NULL, &err);
  if (err != CL_SUCCESS) {
    char log[4096] = "";
    if (program != NULL) clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fail_msg("link: %d\n%s", err, log);
  }
  return program;
}

static cl_program_binary_type type_of(cl_program program) {
  cl_program_binary_type type = 0;
  must(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  return type;
}

/* A binary of program, loaded again, in its place. */
static void reload(cl_program *program) {
  size_t size;
  cl_int err = -1;
  unsigned char *data = binary_of(*program, &size);
  cl_program_binary_type type = type_of(*program);
  must(clReleaseProgram(*program));
  *program = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&data, NULL, &err);
  must(err);
  assert_int_equal(type_of(*program), type);
  free(data);
}

/* An object with an embedded header, a library of one function and a constant table, an executable of both;
 * the second time each is taken through its binary. */
static void objects_and_libraries_link(void **state) {
  for (int binaries = 0; binaries < 2; binaries++) {
    const char *name = "scale/f.h";
    cl_program header = source("uint f(uint i, uint a);\n");
    cl_program table = compile("constant uint seven[2] = {3, 7};\n"
                               "uint g(void); uint g(void) { return seven[1]; }",
                               NULL, 0, NULL, NULL);
    cl_program function =
        compile("uint g(void); uint f(uint i, uint a); uint f(uint i, uint a) { return i * a + g(); }",
                "-cl-mad-enable", 0, NULL, NULL);
    cl_program object = compile("#include \"scale/f.h\"\n"
                                "kernel void scale(global uint *out, uint a) {\n"
                                "  out[get_global_id(0)] = f(get_global_id(0), a); }",
                                NULL, 1, &header, &name);
    if (binaries) reload(&function);
    cl_program library = link_all("-create-library", 2, (cl_program[]){table, function});
    assert_int_equal(type_of(library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    if (binaries) reload(&library), reload(&object);
    cl_program executable = link_all(NULL, 2, (cl_program[]){object, library});
    assert_int_equal(type_of(executable), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    if (binaries) {
      reload(&executable);
      must(clBuildProgram(executable, 1, &device, NULL, NULL, NULL));
    }
    cl_kernel kernel = kernel_of(executable, "scale");
    run_scale(kernel);
    must(clReleaseKernel(kernel));
    cl_program all[] = {header, table, function, object, library, executable};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) must(clReleaseProgram(all[i]));
  }
}

/* The log names the function that is missing. */
static void missing_functions_are_named(void **state) {
  cl_int err = 0;
  char log[1024] = "";
  cl_program object = compile("uint absent_function(uint);\n"
                              "kernel void k(global uint *out) { *out = absent_function(*out); }",
                              NULL, 0, NULL, NULL);
  cl_program linked = clLinkProgram(context, 1, &device, NULL, 1, &object, NULL, NULL, &err);
  assert_int_equal(err, CL_LINK_PROGRAM_FAILURE);
  assert_non_null(linked);
  must(clGetProgramBuildInfo(linked, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  assert_non_null(strstr(log, "absent_function"));
  must(clReleaseProgram(linked));
  must(clReleaseProgram(object));
}

/* ---- work in callbacks ---- */

static struct chain {
  cl_kernel kernel;
  cl_mem counter;
  atomic_int left, failed, built;
  cl_event done;
} chain;

static void CL_CALLBACK enqueue_next(cl_event event, cl_int status, void *data) {
  const size_t one = 1;
  cl_event next;
  if (status != CL_COMPLETE) atomic_store(&chain.failed, 1);
  if (atomic_fetch_sub(&chain.left, 1) == 1) {
    clSetUserEventStatus(chain.done, CL_COMPLETE);
  } else if (clEnqueueNDRangeKernel(queue, chain.kernel, 1, NULL, &one, NULL, 0, NULL, &next) != CL_SUCCESS ||
             clSetEventCallback(next, CL_COMPLETE, enqueue_next, NULL) != CL_SUCCESS ||
             clFlush(queue) != CL_SUCCESS || clReleaseEvent(next) != CL_SUCCESS) {
    atomic_store(&chain.failed, 1);
    clSetUserEventStatus(chain.done, -1);
  }
}

/* A kernel's completion enqueues the next kernel, a hundred times over. */
static void callbacks_enqueue_kernels(void **state) {
  const size_t one = 1;
  cl_int err = -1, zero = 0, count = 0;
  cl_event first;
  cl_program program = build("kernel void add(global int *x) { *x += 1; }", "");
  chain.kernel = kernel_of(program, "add");
  chain.counter = buffer(sizeof zero);
  chain.left = 100;
  chain.done = clCreateUserEvent(context, &err);
  must(err);
  must(clEnqueueWriteBuffer(queue, chain.counter, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
  must(clSetKernelArg(chain.kernel, 0, sizeof chain.counter, &chain.counter));
  must(clEnqueueNDRangeKernel(queue, chain.kernel, 1, NULL, &one, NULL, 0, NULL, &first));
  must(clSetEventCallback(first, CL_COMPLETE, enqueue_next, NULL));
  must(clWaitForEvents(1, &chain.done));
  assert_int_equal(chain.failed, 0);
  must(clEnqueueReadBuffer(queue, chain.counter, CL_TRUE, 0, sizeof count, &count, 0, NULL, NULL));
  assert_int_equal(count, 100);
  must(clReleaseEvent(first));
  must(clReleaseEvent(chain.done));
  must(clReleaseMemObject(chain.counter));
  must(clReleaseKernel(chain.kernel));
  must(clReleaseProgram(program));
}

/* In the callback of a build: make a kernel, run it, and build another program without waiting for it. */
static void CL_CALLBACK second_built(cl_program program, void *data) {
  cl_build_status status = -1;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
  clSetUserEventStatus(chain.done, status == CL_BUILD_SUCCESS ? CL_COMPLETE : -2);
}

static void CL_CALLBACK first_built(cl_program program, void *data) {
  const size_t one = 1;
  cl_program second = data;
  cl_int err = -1;
  cl_kernel kernel = clCreateKernel(program, "add", &err);
  if (err != CL_SUCCESS || clSetKernelArg(kernel, 0, sizeof chain.counter, &chain.counter) != CL_SUCCESS ||
      clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) != CL_SUCCESS ||
      clFlush(queue) != CL_SUCCESS || clReleaseKernel(kernel) != CL_SUCCESS ||
      clBuildProgram(second, 1, &device, NULL, second_built, NULL) != CL_SUCCESS)
    clSetUserEventStatus(chain.done, -1);
}

static void build_callbacks_run_kernels(void **state) {
  cl_int err = -1, count = 41;
  cl_program first = source("kernel void add(global int *x) { *x += 1; }");
  cl_program second = source("kernel void sub(global int *x) { *x -= 1; }");
  chain.counter = buffer(sizeof count);
  chain.done = clCreateUserEvent(context, &err);
  must(err);
  must(clEnqueueWriteBuffer(queue, chain.counter, CL_TRUE, 0, sizeof count, &count, 0, NULL, NULL));
  must(clBuildProgram(first, 1, &device, NULL, first_built, second));
  must(clWaitForEvents(1, &chain.done));
  must(clEnqueueReadBuffer(queue, chain.counter, CL_TRUE, 0, sizeof count, &count, 0, NULL, NULL));
  assert_int_equal(count, 42);
  must(clReleaseEvent(chain.done));
  must(clReleaseMemObject(chain.counter));
  must(clReleaseProgram(first));
  must(clReleaseProgram(second));
}

/* ---- queues that wait for each other ---- */

enum { QUEUES = 4, STEPS = 300 };

/* Each step appends its number to a log of its buffer through whichever queue; it waits for the step before
 * by an event. Half of the queues have no order of their own. */
static void queues_wait_for_each_other(void **state) {
  static const char text[] = "kernel void step(global int *x, int n) { if (x[0] == n) x[0] = n + 1; }";
  const size_t one = 1;
  cl_command_queue queues[QUEUES];
  cl_event before = NULL;
  cl_int err = -1, n = 0;
  cl_program program = build(text, "");
  cl_kernel kernel = kernel_of(program, "step");
  cl_mem mem = buffer(sizeof n);
  for (cl_uint i = 0; i < QUEUES; i++) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        i % 2 == 0 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
    queues[i] = clCreateCommandQueueWithProperties(context, device, list, &err);
    must(err);
  }
  cl_event gate = clCreateUserEvent(context, &err);
  must(clEnqueueWriteBuffer(queues[0], mem, CL_FALSE, 0, sizeof n, &n, 1, &gate, &before));
  must(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  for (cl_int i = 0; i < STEPS; i++) {
    cl_event after;
    must(clSetKernelArg(kernel, 1, sizeof i, &i));
    must(clEnqueueNDRangeKernel(queues[(i * 7 + i / 5) % QUEUES], kernel, 1, NULL, &one, NULL, 1, &before,
                                &after));
    must(clReleaseEvent(before));
    before = after;
  }
  must(clSetUserEventStatus(gate, CL_COMPLETE));
  must(clWaitForEvents(1, &before));
  must(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof n, &n, 0, NULL, NULL));
  assert_int_equal(n, STEPS);
  must(clReleaseEvent(before));
  must(clReleaseEvent(gate));
  for (int i = 0; i < QUEUES; i++) must(clReleaseCommandQueue(queues[i]));
  must(clReleaseMemObject(mem));
  must(clReleaseKernel(kernel));
  must(clReleaseProgram(program));
}

int main(int argc, char **argv) {
  if (argc == 2) return run_file(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(binaries_run_without_a_compiler), cmocka_unit_test(binaries_run_on_another_processor),
      cmocka_unit_test(objects_and_libraries_link),      cmocka_unit_test(missing_functions_are_named),
      cmocka_unit_test(callbacks_enqueue_kernels),       cmocka_unit_test(build_callbacks_run_kernels),
      cmocka_unit_test(queues_wait_for_each_other),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
