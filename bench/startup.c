/* Time from the first OpenCL call to the verified result of a vector addition of 65,536 floats, in a fresh
 * process. startup                 one run in this process: prints milliseconds and whether the compiler
 * library was mapped startup --runs N        N pairs of child processes, each pair with an empty cache and
 * then a warm one; medians Use OCL_ICD_VENDORS to name one platform alone. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 65536, MAX_RUNS = 100 };

static const char source[] =
    "kernel void add(global const float *a, global const float *b, global float *c) {\n"
    "  size_t i = get_global_id(0);\n"
    "  c[i] = a[i] + b[i];\n"
    "}\n";

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cl_int check_ = (call);                                                                                  \
    if (check_ != CL_SUCCESS) {                                                                              \
      fprintf(stderr, "startup: " #call " gave %d\n", check_);                                               \
      return 1;                                                                                              \
    }                                                                                                        \
  } while (0)

static int compiler_mapped(void) {
  char line[512];
  int found = 0;
  FILE *f = fopen("/proc/self/maps", "r");
  while (f != NULL && fgets(line, sizeof line, f) != NULL) found |= strstr(line, "libkiln-compiler") != NULL;
  if (f != NULL) fclose(f);
  return found;
}

static float a[N], b[N], c[N];

static int add_on_first_platform(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int err;
  CHECK(clGetPlatformIDs(1, &platform, NULL));
  CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  CHECK(err);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
  CHECK(err);
  const char *text = source;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
  CHECK(err);
  CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, "add", &err);
  CHECK(err);
  cl_mem ma = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &err);
  CHECK(err);
  cl_mem mb = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof b, b, &err);
  CHECK(err);
  cl_mem mc = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof c, NULL, &err);
  CHECK(err);
  CHECK(clSetKernelArg(kernel, 0, sizeof ma, &ma));
  CHECK(clSetKernelArg(kernel, 1, sizeof mb, &mb));
  CHECK(clSetKernelArg(kernel, 2, sizeof mc, &mc));
  size_t global = N;
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
  CHECK(clEnqueueReadBuffer(queue, mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
  for (int i = 0; i < N; i++)
    if (c[i] != a[i] + b[i]) return fprintf(stderr, "startup: c[%d] is %g\n", i, (double)c[i]), 1;
  return 0;
}

static int one_run(void) {
  for (int i = 0; i < N; i++) a[i] = (float)i, b[i] = (float)(N - 2 * i);
  double start = now_ms();
  if (add_on_first_platform() != 0) return 1;
  printf("%.3f %s\n", now_ms() - start, compiler_mapped() ? "compiler-mapped" : "compiler-not-mapped");
  return 0;
}

static int by_value(const void *x, const void *y) {
  double p = *(const double *)x, q = *(const double *)y;
  return (p > q) - (p < q);
}

/* Runs this program once; its milliseconds, and its word in mapped (32 bytes). Negative on failure. */
static double child(const char *self, char *mapped) {
  double ms = -1;
  FILE *f = popen(self, "r");
  if (f == NULL || fscanf(f, "%lf %31s", &ms, mapped) != 2) ms = -1;
  return f != NULL && pclose(f) == 0 ? ms : -1;
}

static int many_runs(const char *self, int runs) {
  static double cold[MAX_RUNS], warm[MAX_RUNS];
  char mapped_cold[32] = "", mapped_warm[32] = "", folder[] = "/tmp/kiln-startup-XXXXXX", command[256];
  if (runs < 1 || runs > MAX_RUNS || mkdtemp(folder) == NULL) return 2;
  setenv("KILN_CACHE_DIR", folder, 1);
  setenv("POCL_CACHE_DIR", folder, 1);
  snprintf(command, sizeof command, "rm -rf %s/*", folder);
  for (int k = 0; k < runs; k++) {
    if (system(command) != 0) return 2;
    cold[k] = child(self, mapped_cold);
    warm[k] = child(self, mapped_warm);
    if (cold[k] < 0 || warm[k] < 0) return fprintf(stderr, "startup: a run failed\n"), 1;
  }
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0) return 2;
  qsort(cold, (size_t)runs, sizeof *cold, by_value);
  qsort(warm, (size_t)runs, sizeof *warm, by_value);
  printf("empty cache %.2f ms (%s), warm cache %.2f ms (%s); medians of %d\n", cold[runs / 2], mapped_cold,
         warm[runs / 2], mapped_warm, runs);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--runs") == 0) return many_runs(argv[0], atoi(argv[2]));
  return one_run();
}
