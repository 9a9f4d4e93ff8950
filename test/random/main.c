/* Runs random kernels on the platform at hand and as plain C, and compares. Usage:
 *   random-kernels [-s SECONDS] [-n COUNT] [-f FIRST_SEED] [-d FOLDER] [-o BUILD_OPTIONS] [-k] [-v] [-r FILE]
 * Ends after SECONDS (default 5) or COUNT programs, or at once with status 1 when FIRST_SEED's is wrong; a
 * program that fails, with -k every one, is left in FOLDER (default /tmp) as random-SEED.cl. With
 * -r the text of FILE, a shorter form of FIRST_SEED's, takes its place: a sum of all that it writes is told.
 */
#include "gen.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 8, MAX_OUT = OUT_WORDS * (MOST_ITEMS + LONGEST_ROW), MAX_PAINTED = 4 * MOST_ITEMS };

static struct {
  double seconds;
  unsigned long count, first;
  const char *folder, *build, *replacement;
  bool keep, verbose;
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
           "%s -O0 -w -Wno-psabi -std=gnu17 -fwrapv -ffp-contract=off -shared -fPIC -x c %s -o %s -lm",
           RANDOM_CC, path, library);
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
  uint32_t in[IN_WORDS + FIELD_WORDS], out[MAX_OUT], counts[COUNTERS + TICKETS], bins[BINS], n;
  uint32_t image[IMAGE_WORDS], painted[MAX_PAINTED];
  uint8_t argument[4096] __attribute__((aligned(128)));
};

static void fill(struct data *d, uint64_t seed) {
  struct gen g = {.state = seed ^ 0xabcdef};
  memset(d, 0, sizeof *d);
  for (int i = 0; i < IN_WORDS + FIELD_WORDS; i++)
    d->in[i] = gen_random(&g, gen_chance(&g, 50) ? 100 : 0x7fffffff);
  for (size_t i = 0; i < sizeof d->argument; i++) d->argument[i] = (uint8_t)gen_random(&g, 256);
  for (int i = 0; i < COUNTERS + TICKETS; i++) d->counts[i] = gen_random(&g, 0x7fffffff);
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

/* A pixel of four words for each work-item; the third dimension goes on below the second. */
static cl_mem create_canvas(struct data *d, const size_t *global) {
  static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
  cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = global[0], .image_height = global[1] * global[2]};
  return clCreateImage(on.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, d->painted,
                       NULL);
}

static cl_int read_canvas(cl_mem canvas, struct data *d, const size_t *global) {
  size_t origin[3] = {0}, region[3] = {global[0], global[1] * global[2], 1};
  return clEnqueueReadImage(on.queue, canvas, CL_TRUE, origin, region, 0, 0, d->painted, 0, NULL, NULL);
}

static const char *options_of(const struct gen *g) {
  return options.build != NULL ? options.build : g->options;
}

static void keep(const struct program *p, char *path, size_t size) {
  const struct gen *g = &p->gen;
  snprintf(path, size, "%s/random-%llu.cl", options.folder, (unsigned long long)g->seed);
  FILE *file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "// options: %s  local %zu,%zu,%zu%s  global %zu,%zu,%zu  offset %zu,%zu,%zu\n%s",
          options_of(g), g->local[0], g->local[1], g->local[2], g->unsized ? " (none)" : "", g->global[0],
          g->global[1], g->global[2], g->offset[0], g->offset[1], g->offset[2], p->cl);
  fclose(file);
}

static bool complain(const struct program *p, const char *what, long a, long b, long c) {
  char path[512];
  keep(p, path, sizeof path);
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

enum memory { OUT, IN, COUNTS, BINS_, SCRATCH, IMAGE, CANVAS, NUM_MEMORY };

static cl_int set_arguments(const struct program *p, cl_kernel kernel, const struct data *d,
                            size_t argument_size, const cl_mem *memory) {
  const struct gen *g = &p->gen;
  cl_uint k = 6;
  cl_int err = clSetKernelArg(kernel, 0, sizeof *memory, &memory[OUT]);
  err |= clSetKernelArg(kernel, 1, sizeof *memory, &memory[IN]);
  err |= clSetKernelArg(kernel, 2, sizeof d->n, &d->n);
  err |= clSetKernelArg(kernel, 3, argument_size, d->argument);
  err |= clSetKernelArg(kernel, 4, sizeof *memory, &memory[COUNTS]);
  err |= clSetKernelArg(kernel, 5, sizeof *memory, &memory[BINS_]);
  for (int i = IMAGE; i <= CANVAS && g->image != NO_IMAGE; i++)
    err |= clSetKernelArg(kernel, k++, sizeof *memory, &memory[i]);
  if (g->alone) return err;
  err |= clSetKernelArg(kernel, k++, ELEMENT_BYTES * g->local[0] * g->local[1] * g->local[2], NULL);
  return err | clSetKernelArg(kernel, k, sizeof *memory, &memory[SCRATCH]);
}

static cl_int run_kernel(const struct gen *g, cl_kernel kernel) {
  cl_event event = NULL;
  cl_int err = clEnqueueNDRangeKernel(on.queue, kernel, (cl_uint)g->dims, g->offset, g->global,
                                      g->unsized ? NULL : g->local, 0, NULL, &event);
  if (err != CL_SUCCESS) return err;
  clWaitForEvents(1, &event);
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof err, &err, NULL);
  clReleaseEvent(event);
  return err;
}

/* For the elements in global memory: as many as there are work-items in whole groups. */
static size_t scratch_size(const struct gen *g) {
  size_t items = 1;
  for (int d = 0; d < 3; d++) items *= (g->global[d] + g->local[d] - 1) / g->local[d] * g->local[d];
  return ELEMENT_BYTES * items;
}

static cl_int read_back(const cl_mem *memory, struct data *d, const struct gen *g) {
  cl_int err = clEnqueueReadBuffer(on.queue, memory[OUT], CL_TRUE, 0, sizeof d->out, d->out, 0, NULL, NULL);
  err |=
      clEnqueueReadBuffer(on.queue, memory[COUNTS], CL_TRUE, 0, sizeof d->counts, d->counts, 0, NULL, NULL);
  err |= clEnqueueReadBuffer(on.queue, memory[BINS_], CL_TRUE, 0, sizeof d->bins, d->bins, 0, NULL, NULL);
  return err != CL_SUCCESS || g->image == NO_IMAGE ? err : read_canvas(memory[CANVAS], d, g->global);
}

static cl_int launch(const struct program *p, cl_kernel kernel, struct data *d, size_t argument_size) {
  const struct gen *g = &p->gen;
  cl_mem memory[NUM_MEMORY] = {[OUT] = buffer(d->out, sizeof d->out),
                               [IN] = buffer(d->in, sizeof d->in),
                               [COUNTS] = buffer(d->counts, sizeof d->counts),
                               [BINS_] = buffer(d->bins, sizeof d->bins)};
  memory[SCRATCH] = clCreateBuffer(on.context, CL_MEM_READ_WRITE, scratch_size(g), NULL, NULL);
  if (g->image != NO_IMAGE)
    memory[IMAGE] = create_image(d, g->image), memory[CANVAS] = create_canvas(d, g->global);
  cl_int err = set_arguments(p, kernel, d, argument_size, memory);
  if (err == CL_SUCCESS) err = run_kernel(g, kernel);
  if (err == CL_SUCCESS) err = read_back(memory, d, g);
  for (int i = 0; i < NUM_MEMORY; i++)
    if (memory[i] != NULL) clReleaseMemObject(memory[i]);
  return err;
}

/* What the C form goes by; 1 where the kernel asks for nothing of sub-groups. */
static uint32_t sub_group_size(const struct program *p, cl_kernel kernel) {
  size_t size = 0;
  clGetKernelSubGroupInfo(kernel, on.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                          (size_t)p->gen.dims * sizeof *p->gen.local, p->gen.local, sizeof size, &size, NULL);
  return p->gen.sub_groups ? (uint32_t)size : 1;
}

static bool same(const struct program *p, const char *what, const uint32_t *got, const uint32_t *want,
                 int n) {
  for (int i = 0; i < n; i++)
    if (want[i] != got[i]) return complain(p, what, i, (long)got[i], (long)want[i]);
  return true;
}

static bool compare(const struct program *p, const struct data *want, const struct data *got) {
  return same(p, "word %ld is %#lx, in C %#lx", got->out, want->out, MAX_OUT) &&
         same(p, "counter %ld is %#lx, in C %#lx", got->counts, want->counts, COUNTERS + TICKETS) &&
         same(p, "bin %ld is %#lx, in C %#lx", got->bins, want->bins, BINS) &&
         same(p, "pixel word %ld is %#lx, in C %#lx", got->painted, want->painted, MAX_PAINTED);
}

static void tell_sum(const struct data *got) {
  const uint32_t *word = (const uint32_t *)got;
  uint64_t sum = 0;
  for (size_t i = 0; i < offsetof(struct data, argument) / sizeof *word; i++)
    sum = (sum ^ word[i]) * 0x9E3779B97F4A7C15u;
  printf("sum %016llx\n", (unsigned long long)sum);
  for (int i = 0; options.verbose && i < MAX_OUT; i++)
    if (got->out[i] != 0) printf("word %d is %#x\n", i, got->out[i]);
}

static bool check(const struct program *p, void *library) {
  static struct data want, got;
  uint64_t seed = p->gen.seed;
  void (*run)(const struct run *) = symbol(library, "run_", seed);
  size_t argument_size = *(size_t *)symbol(library, "argument_size_", seed);
  fill(&want, seed);
  fill_image(&want, p->gen.image, seed);
  got = want;
  char path[512];
  if (options.keep) keep(p, path, sizeof path);
  double start = now();
  cl_kernel kernel = build(p);
  if (kernel == NULL) return complain(p, "does not build", 0, 0, 0);
  uint32_t sub_group = sub_group_size(p, kernel);
  cl_int err = launch(p, kernel, &got, argument_size);
  clReleaseKernel(kernel);
  if (options.verbose) fprintf(stderr, "seed %llu: %.3f s\n", (unsigned long long)seed, now() - start);
  if (sub_group == 0) return complain(p, "sub-groups have no size", 0, 0, 0);
  if (p->gen.required != 0 && sub_group != p->gen.required)
    return complain(p, "sub-groups are of %ld, not of %ld", sub_group, p->gen.required, 0);
  if (err != CL_SUCCESS) return complain(p, "the launch fails with %ld", err, 0, 0);
  if (options.replacement != NULL) {
    tell_sum(&got);
    return true;
  }
  run(&(struct run){want.out, want.in, want.n, sub_group, want.argument, want.counts, want.bins, want.image,
                    want.painted});
  return compare(p, &want, &got);
}

/* ---- batches ---- */

static void replace_text(struct program *p) {
  FILE *file = fopen(options.replacement, "r"), *text = open_memstream(&p->cl, &p->cl_size);
  if (file == NULL || text == NULL) die("no text instead", 0);
  for (int c; (c = fgetc(file)) != EOF;) fputc(c, text);
  fclose(file);
  fclose(text);
}

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
  if (options.replacement != NULL) {
    free(programs[0].cl);
    replace_text(&programs[0]);
  }
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
  for (int c; (c = getopt(argc, argv, "s:n:f:d:o:kr:v")) != -1;) {
    if (c == 's') options.seconds = strtod(optarg, NULL);
    else if (c == 'n') options.count = strtoul(optarg, NULL, 0), options.seconds = 1e9;
    else if (c == 'f') options.first = strtoul(optarg, NULL, 0);
    else if (c == 'd') options.folder = optarg;
    else if (c == 'o') options.build = optarg;
    else if (c == 'k') options.keep = true;
    else if (c == 'r') options.replacement = optarg, options.count = 1;
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
