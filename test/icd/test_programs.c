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

int main(int argc, char **argv) {
  if (argc == 2) return run_file(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(binaries_run_without_a_compiler),
      cmocka_unit_test(binaries_run_on_another_processor),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
