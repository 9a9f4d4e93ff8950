/* Runs random kernels on the platform at hand and as plain C, and compares. Usage:
 *   random-kernels [-s SECONDS] [-n COUNT] [-f FIRST_SEED] [-d FOLDER] [-o BUILD_OPTIONS] [-v]
 * Ends after SECONDS (default 5) or COUNT programs, or at once with status 1 when FIRST_SEED's is wrong; a
 * program that fails is left in FOLDER (default /tmp) as random-SEED.cl. */
#include "gen.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 8, MAX_OUT = 16384 };

static struct {
  double seconds;
  unsigned long count, first;
  const char *folder, *build;
  bool verbose;
} options = {.seconds = 5, .count = ~0ul, .first = 1, .folder = "/tmp"};

static struct {
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
} on;

struct program {
  struct gen gen;
  char *cl;
  size_t cl_size;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what, int error) {
  fprintf(stderr, "random-kernels: %s (%d)\n", what, error);
  exit(2);
}

static void open_device(void) {
  cl_platform_id platform;
  cl_int err = clGetPlatformIDs(1, &platform, NULL);
  if (err == CL_SUCCESS) err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &on.device, NULL);
  if (err != CL_SUCCESS) die("no device", err);
  on.context = clCreateContext(NULL, 1, &on.device, NULL, NULL, &err);
  if (err == CL_SUCCESS) on.queue = clCreateCommandQueueWithProperties(on.context, on.device, NULL, &err);
  if (err != CL_SUCCESS) die("no queue", err);
}

/* ---- the C side ---- */

static void *compile_c(const char *path) {
  char library[512], command[2048];
  snprintf(library, sizeof library, "%s.so", path);
  snprintf(command, sizeof command,
           "%s -O0 -w -Wno-psabi -std=gnu17 -fwrapv -ffp-contract=off -shared -fPIC -x c %s -o %s", RANDOM_CC,
           path, library);
  if (system(command) != 0) die("the C form does not compile: see the file kept", 0);
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) die(dlerror(), 0);
  unlink(library);
  return handle;
}

static void *symbol(void *library, const char *prefix, uint64_t seed) {
  char name[64];
  snprintf(name, sizeof name, "%s%llu", prefix, (unsigned long long)seed);
  void *address = dlsym(library, name);
  if (address == NULL) die(name, 0);
  return address;
}

/* ---- one program ---- */

struct data {
  uint32_t in[IN_WORDS], out[MAX_OUT], counts[COUNTERS], n;
  uint8_t argument[4096] __attribute__((aligned(128)));
};

static void fill(struct data *d, uint64_t seed) {
  struct gen g = {.state = seed ^ 0xabcdef};
  memset(d, 0, sizeof *d);
  for (int i = 0; i < IN_WORDS; i++) d->in[i] = gen_random(&g, gen_chance(&g, 50) ? 100 : 0x7fffffff);
  for (size_t i = 0; i < sizeof d->argument; i++) d->argument[i] = (uint8_t)gen_random(&g, 256);
  for (int i = 0; i < COUNTERS; i++) d->counts[i] = gen_random(&g, 0x7fffffff);
  d->n = gen_random(&g, 1000);
}

static const char *options_of(const struct gen *g) {
  static const char *const choices[] = {
      "", "-cl-std=CL1.1", "-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-opt-disable", "-g"};
  if (options.build != NULL) return options.build;
  return g->collectives ? "-cl-std=CL3.0" : choices[g->seed % (sizeof choices / sizeof *choices)];
}

static bool complain(const struct program *p, const char *what, long a, long b, long c) {
  char path[512];
  snprintf(path, sizeof path, "%s/random-%llu.cl", options.folder, (unsigned long long)p->gen.seed);
  FILE *file = fopen(path, "w");
  if (file != NULL) {
    fprintf(file, "// options: %s  local %zu,%zu  groups %zu,%zu\n%s", options_of(&p->gen), p->gen.local[0],
            p->gen.local[1], p->gen.groups[0], p->gen.groups[1], p->cl);
    fclose(file);
  }
  fprintf(stderr, "seed %llu: ", (unsigned long long)p->gen.seed);
  fprintf(stderr, what, a, b, c);
  fprintf(stderr, "; %s\n", path);
  return false;
}

static cl_kernel build(const struct program *p) {
  cl_int err;
  const char *source = p->cl;
  cl_program program = clCreateProgramWithSource(on.context, 1, &source, NULL, &err);
  err = clBuildProgram(program, 1, &on.device, options_of(&p->gen), NULL, NULL);
  cl_kernel kernel = NULL;
  if (err == CL_SUCCESS) kernel = clCreateKernel(program, "k", &err);
  else {
    char log[4096] = "";
    clGetProgramBuildInfo(program, on.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%.1500s\n", log);
  }
  clReleaseProgram(program);
  return kernel;
}

static cl_mem buffer(void *data, size_t size) {
  return clCreateBuffer(on.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, data, NULL);
}

static cl_int launch(const struct program *p, cl_kernel kernel, struct data *d, size_t argument_size) {
  cl_mem out = buffer(d->out, sizeof d->out), in = buffer(d->in, sizeof d->in),
         counts = buffer(d->counts, sizeof d->counts);
  size_t global[2] = {p->gen.local[0] * p->gen.groups[0], p->gen.local[1] * p->gen.groups[1]};
  cl_int err = clSetKernelArg(kernel, 0, sizeof out, &out);
  err |= clSetKernelArg(kernel, 1, sizeof in, &in);
  err |= clSetKernelArg(kernel, 2, sizeof d->n, &d->n);
  err |= clSetKernelArg(kernel, 3, argument_size, d->argument);
  err |= clSetKernelArg(kernel, 4, sizeof counts, &counts);
  if (!p->gen.alone) err |= clSetKernelArg(kernel, 5, 128 * p->gen.local[0] * p->gen.local[1], NULL);
  cl_event event = NULL;
  if (err == CL_SUCCESS)
    err = clEnqueueNDRangeKernel(on.queue, kernel, 2, NULL, global, p->gen.local, 0, NULL, &event);
  if (err == CL_SUCCESS) {
    clWaitForEvents(1, &event);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof err, &err, NULL);
    clReleaseEvent(event);
  }
  if (err == CL_SUCCESS)
    err = clEnqueueReadBuffer(on.queue, out, CL_TRUE, 0, sizeof d->out, d->out, 0, NULL, NULL);
  if (err == CL_SUCCESS)
    err = clEnqueueReadBuffer(on.queue, counts, CL_TRUE, 0, sizeof d->counts, d->counts, 0, NULL, NULL);
  clReleaseMemObject(out);
  clReleaseMemObject(in);
  clReleaseMemObject(counts);
  return err;
}

static bool compare(const struct program *p, const struct data *want, const struct data *got) {
  for (int i = 0; i < MAX_OUT; i++)
    if (want->out[i] != got->out[i])
      return complain(p, "word %ld is %#lx, in C %#lx", i, (long)got->out[i], (long)want->out[i]);
  for (int i = 0; i < COUNTERS; i++)
    if (want->counts[i] != got->counts[i])
      return complain(p, "counter %ld is %#lx, in C %#lx", i, (long)got->counts[i], (long)want->counts[i]);
  return true;
}

static bool check(const struct program *p, void *library) {
  static struct data want, got;
  uint64_t seed = p->gen.seed;
  void (*run)(uint32_t *, const uint32_t *, uint32_t, const void *, uint32_t *) =
      symbol(library, "run_", seed);
  size_t argument_size = *(size_t *)symbol(library, "argument_size_", seed);
  fill(&want, seed);
  fill(&got, seed);
  if (options.verbose) fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
  cl_kernel kernel = build(p);
  if (kernel == NULL) return complain(p, "does not build", 0, 0, 0);
  cl_int err = launch(p, kernel, &got, argument_size);
  clReleaseKernel(kernel);
  if (err != CL_SUCCESS) return complain(p, "the launch fails with %ld", err, 0, 0);
  run(want.out, want.in, want.n, want.argument, want.counts);
  return compare(p, &want, &got);
}

/* ---- batches ---- */

static unsigned run_batch(uint64_t first, unsigned count) {
  char path[] = "/tmp/kiln-random-XXXXXX";
  int fd = mkstemp(path);
  FILE *c = fd < 0 ? NULL : fdopen(fd, "w");
  if (c == NULL) die("no temporary file", 0);
  static struct program programs[BATCH];
  gen_c_prelude(c);
  for (unsigned i = 0; i < count; i++) {
    FILE *cl = open_memstream(&programs[i].cl, &programs[i].cl_size);
    gen_program(&programs[i].gen, first + i, cl, c);
    fclose(cl);
  }
  fclose(c);
  void *library = compile_c(path);
  unsigned wrong = 0;
  for (unsigned i = 0; i < count; i++) {
    wrong += !check(&programs[i], library);
    free(programs[i].cl);
  }
  dlclose(library);
  unlink(path);
  return wrong;
}

int main(int argc, char **argv) {
  for (int c; (c = getopt(argc, argv, "s:n:f:d:o:v")) != -1;) {
    if (c == 's') options.seconds = strtod(optarg, NULL);
    else if (c == 'n') options.count = strtoul(optarg, NULL, 0), options.seconds = 1e9;
    else if (c == 'f') options.first = strtoul(optarg, NULL, 0);
    else if (c == 'd') options.folder = optarg;
    else if (c == 'o') options.build = optarg;
    else if (c == 'v') options.verbose = true;
    else return 2;
  }
  open_device();
  unsigned long done = 0, wrong = 0;
  for (double start = now(); done < options.count && now() - start < options.seconds;) {
    unsigned n = options.count - done < BATCH ? (unsigned)(options.count - done) : BATCH;
    wrong += run_batch(options.first + done, n);
    done += n;
  }
  printf("%lu random kernels from seed %lu on, %lu wrong\n", done, options.first, wrong);
  return wrong != 0 || done == 0;
}
