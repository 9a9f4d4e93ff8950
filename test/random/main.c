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

enum { BATCH = 8, MAX_OUT = 16384, MAX_PAINTED = 2 * MAX_OUT };

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
  uint32_t in[IN_WORDS], out[MAX_OUT], counts[COUNTERS], n, image[IMAGE_WORDS], painted[MAX_PAINTED];
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

/* ---- images ---- */

/* The words that the C form reads, which fit the channels. */
static void fill_image(struct data *d, enum image image, uint64_t seed) {
  struct gen g = {.state = seed ^ 0x1234567};
  for (int i = 0; i < IMAGE_WORDS; i++) {
    uint32_t x = gen_random(&g, 0x7fffffff);
    float f = (float)(x & 0xffff) / 16;
    if (image == IMAGE_UINT8) x &= 255;
    if (image == IMAGE_INT16) x = (uint32_t)(int16_t)x;
    if (image == IMAGE_FLOAT) memcpy(&x, &f, sizeof x);
    d->image[i] = x;
  }
}

static cl_mem create_image(const struct data *d, enum image image) {
  static const cl_image_format formats[] = {[IMAGE_UINT32] = {CL_RGBA, CL_UNSIGNED_INT32},
                                            [IMAGE_UINT8] = {CL_RGBA, CL_UNSIGNED_INT8},
                                            [IMAGE_INT16] = {CL_RGBA, CL_SIGNED_INT16},
                                            [IMAGE_FLOAT] = {CL_RGBA, CL_FLOAT}};
  static const unsigned bytes[] = {
      [IMAGE_UINT32] = 4, [IMAGE_UINT8] = 1, [IMAGE_INT16] = 2, [IMAGE_FLOAT] = 4};
  uint8_t packed[4 * IMAGE_WORDS];
  for (int i = 0; i < IMAGE_WORDS; i++)
    memcpy(packed + bytes[image] * (unsigned)i, &d->image[i], bytes[image]);
  cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = IMAGE_WIDTH, .image_height = IMAGE_HEIGHT};
  return clCreateImage(on.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &formats[image], &desc, packed,
                       NULL);
}

/* A pixel of four words for each work-item. */
static cl_mem create_canvas(struct data *d, const size_t *global) {
  static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
  cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = global[0], .image_height = global[1]};
  return clCreateImage(on.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, d->painted,
                       NULL);
}

static cl_int read_canvas(cl_mem canvas, struct data *d, const size_t *global) {
  size_t origin[3] = {0}, region[3] = {global[0], global[1], 1};
  return clEnqueueReadImage(on.queue, canvas, CL_TRUE, origin, region, 0, 0, d->painted, 0, NULL, NULL);
}

static const char *options_of(const struct gen *g) {
  return options.build != NULL ? options.build : g->options;
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

static cl_int set_arguments(const struct program *p, cl_kernel kernel, const struct data *d,
                            size_t argument_size, const cl_mem *memory) {
  cl_uint k = 5;
  cl_int err = clSetKernelArg(kernel, 0, sizeof *memory, &memory[0]);
  err |= clSetKernelArg(kernel, 1, sizeof *memory, &memory[1]);
  err |= clSetKernelArg(kernel, 2, sizeof d->n, &d->n);
  err |= clSetKernelArg(kernel, 3, argument_size, d->argument);
  err |= clSetKernelArg(kernel, 4, sizeof *memory, &memory[2]);
  for (int i = 3; i < 5 && p->gen.image != NO_IMAGE; i++)
    err |= clSetKernelArg(kernel, k++, sizeof *memory, &memory[i]);
  if (!p->gen.alone) err |= clSetKernelArg(kernel, k, 128 * p->gen.local[0] * p->gen.local[1], NULL);
  return err;
}

static cl_int run_kernel(const struct program *p, cl_kernel kernel, const size_t *global) {
  cl_event event = NULL;
  cl_int err = clEnqueueNDRangeKernel(on.queue, kernel, 2, NULL, global, p->gen.local, 0, NULL, &event);
  if (err != CL_SUCCESS) return err;
  clWaitForEvents(1, &event);
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof err, &err, NULL);
  clReleaseEvent(event);
  return err;
}

static cl_int launch(const struct program *p, cl_kernel kernel, struct data *d, size_t argument_size) {
  size_t global[2] = {p->gen.local[0] * p->gen.groups[0], p->gen.local[1] * p->gen.groups[1]};
  bool images = p->gen.image != NO_IMAGE;
  cl_mem memory[5] = {buffer(d->out, sizeof d->out), buffer(d->in, sizeof d->in),
                      buffer(d->counts, sizeof d->counts)};
  if (images) memory[3] = create_image(d, p->gen.image), memory[4] = create_canvas(d, global);
  cl_int err = set_arguments(p, kernel, d, argument_size, memory);
  if (err == CL_SUCCESS) err = run_kernel(p, kernel, global);
  if (err == CL_SUCCESS)
    err = clEnqueueReadBuffer(on.queue, memory[0], CL_TRUE, 0, sizeof d->out, d->out, 0, NULL, NULL);
  if (err == CL_SUCCESS)
    err = clEnqueueReadBuffer(on.queue, memory[2], CL_TRUE, 0, sizeof d->counts, d->counts, 0, NULL, NULL);
  if (err == CL_SUCCESS && images) err = read_canvas(memory[4], d, global);
  for (int i = 0; i < 5; i++)
    if (memory[i] != NULL) clReleaseMemObject(memory[i]);
  return err;
}

/* What the C form goes by; 1 where the kernel asks for nothing of sub-groups. */
static uint32_t sub_group_size(const struct program *p, cl_kernel kernel) {
  size_t size = 0;
  clGetKernelSubGroupInfo(kernel, on.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof p->gen.local,
                          p->gen.local, sizeof size, &size, NULL);
  return p->gen.sub_groups ? (uint32_t)size : 1;
}

static bool compare(const struct program *p, const struct data *want, const struct data *got) {
  for (int i = 0; i < MAX_OUT; i++)
    if (want->out[i] != got->out[i])
      return complain(p, "word %ld is %#lx, in C %#lx", i, (long)got->out[i], (long)want->out[i]);
  for (int i = 0; i < COUNTERS; i++)
    if (want->counts[i] != got->counts[i])
      return complain(p, "counter %ld is %#lx, in C %#lx", i, (long)got->counts[i], (long)want->counts[i]);
  for (int i = 0; i < MAX_PAINTED; i++)
    if (want->painted[i] != got->painted[i])
      return complain(p, "pixel word %ld is %#lx, in C %#lx", i, (long)got->painted[i],
                      (long)want->painted[i]);
  return true;
}

static bool check(const struct program *p, void *library) {
  static struct data want, got;
  uint64_t seed = p->gen.seed;
  void (*run)(uint32_t *, const uint32_t *, uint32_t, const void *, uint32_t *, const uint32_t *, uint32_t *,
              uint32_t) = symbol(library, "run_", seed);
  size_t argument_size = *(size_t *)symbol(library, "argument_size_", seed);
  fill(&want, seed);
  fill_image(&want, p->gen.image, seed);
  got = want;
  if (options.verbose) fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
  cl_kernel kernel = build(p);
  if (kernel == NULL) return complain(p, "does not build", 0, 0, 0);
  uint32_t sub_group = sub_group_size(p, kernel);
  cl_int err = launch(p, kernel, &got, argument_size);
  clReleaseKernel(kernel);
  if (sub_group == 0) return complain(p, "sub-groups have no size", 0, 0, 0);
  if (p->gen.required != 0 && sub_group != p->gen.required)
    return complain(p, "sub-groups are of %ld, not of %ld", sub_group, p->gen.required, 0);
  if (err != CL_SUCCESS) return complain(p, "the launch fails with %ld", err, 0, 0);
  run(want.out, want.in, want.n, want.argument, want.counts, want.image, want.painted, sub_group);
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
