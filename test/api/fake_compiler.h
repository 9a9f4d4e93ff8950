/* A compiler that needs no LLVM and a device that only notes what it is given: for the tests of what lies
 * between them. The test is linked with --wrap=kiln_compiler_run. Sources are OpenCL C of the plainest kind:
 * kernels with arguments of type "global T *", "constant T *", "local T *", int, float, float4, long, pipe,
 * sampler_t, "ACCESS imageNd_t" and its kinds; one reqd_work_group_size; #include "path"; a line #error
 * fails. What was launched is in fake_launches. */
#ifndef KILN_TEST_API_FAKE_COMPILER_H
#define KILN_TEST_API_FAKE_COMPILER_H

#include "api/fixture.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/os.h"
#include "compiler/compiler.h"
#include "core/cache.h"
#include "core/jobs.h"
#include "drivers/driver.h"

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

enum { FAKE_MAX_LAUNCHES = 4096 };

static struct {
  atomic_int compiles, links, codegens, loads, unloads;
  atomic_int optimized_fails, fallback_fails; /* enum kiln_reply_status to give instead of OK */
  atomic_int status;                          /* of COMPILE and LINK: to give instead of OK */
  atomic_int load_fails;                      /* so many loads to come fail */
  atomic_int gate;                            /* while set, code generation waits */
  atomic_int delay_us;                        /* each request takes so long */
  uint64_t private_bound;
  uint32_t subgroup_size;    /* 0: 1 */
  uint32_t stored;           /* bytes that each item stores through each pointer that is not to constants */
  bool tallied;              /* pointers that are not to constants are */
  uint32_t integer;          /* that of arguments by value of 4 bytes */
  uint32_t turns;            /* that of arguments by value */
  bool apart;                /* kernels gain where arguments lie apart */
  bool loops;                /* kernels have some */
  bool any_number;           /* code is one for any number of work-items */
  struct kiln_tiling tiling; /* known: nothing ties groups together */
} fake;

/* ---- the compiler ---- */

/* Only the n-th allocation fails, and it is not the fake's failure that is tested. */
#define fake_must(allocation)                                                                                \
  ({                                                                                                         \
    void *fake_memory_;                                                                                      \
    while ((fake_memory_ = (allocation)) == NULL) {                                                          \
    }                                                                                                        \
    fake_memory_;                                                                                            \
  })

static inline char *fake_text(const char *start, size_t size) {
  char *text = fake_must(kiln_alloc(size + 1));
  memcpy(text, start, size);
  text[size] = '\0';
  return text;
}

static inline bool fake_has(const char *start, size_t size, const char *word) {
  return memmem(start, size, word, strlen(word)) != NULL;
}

static inline uint32_t fake_size(const char *type, size_t size) {
  if (fake_has(type, size, "float4")) return 16;
  return fake_has(type, size, "long") ? 8 : 4;
}

/* kiln_arg_info.image for a type, 0 if it is no image. */
static inline uint32_t fake_image(const char *type, size_t size) {
  static const struct {
    const char *name;
    uint32_t image;
  } rows[] = {{"image1d_t", CL_MEM_OBJECT_IMAGE1D},
              {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER},
              {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
              {"image2d_t", CL_MEM_OBJECT_IMAGE2D},
              {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D | KILN_ARG_DEPTH},
              {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
              {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY | KILN_ARG_DEPTH},
              {"image3d_t", CL_MEM_OBJECT_IMAGE3D}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (fake_has(type, size, rows[i].name)) return rows[i].image;
  return 0;
}

/* An image, sampler or pipe; false if the type is none. */
static inline bool fake_object_arg(struct kiln_arg_info *arg, const char *type, size_t size) {
  arg->image = fake_image(type, size);
  if (arg->image != 0) {
    arg->kind = KILN_ARG_IMAGE;
    arg->address = CL_KERNEL_ARG_ADDRESS_GLOBAL;
    arg->access = fake_has(type, size, "read_write")   ? CL_KERNEL_ARG_ACCESS_READ_WRITE
                  : fake_has(type, size, "write_only") ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
                                                       : CL_KERNEL_ARG_ACCESS_READ_ONLY;
  } else if (fake_has(type, size, "sampler_t")) arg->kind = KILN_ARG_SAMPLER;
  else if (fake_has(type, size, "pipe")) arg->kind = KILN_ARG_PIPE;
  else return false;
  arg->size = arg->align = 8;
  return true;
}

/* "global int *a": type and name */
static inline void fake_arg(struct kiln_arg_info *arg, const char *text, size_t size, uint32_t *offset) {
  while (size > 0 && text[0] == ' ') text++, size--;
  while (size > 0 && text[size - 1] == ' ') size--;
  size_t name = size;
  while (name > 0 && text[name - 1] != ' ' && text[name - 1] != '*') name--;
  size_t type = name;
  while (type > 0 && text[type - 1] == ' ') type--;
  arg->name = fake_text(text + name, size - name);
  arg->access = CL_KERNEL_ARG_ACCESS_NONE;
  arg->address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  arg->kind = KILN_ARG_VALUE;
  arg->size = arg->align = fake_size(text, type);
  const char *base = text;
  if (fake_object_arg(arg, text, type)) /* the type without its qualifiers */
    for (base = text + type; base > text && base[-1] != ' ';) base--;
  if (fake_has(text, type, "*")) {
    bool local = strncmp(text, "local", 5) == 0, constant = strncmp(text, "constant", 8) == 0;
    base = memchr(text, ' ', type) + 1;
    arg->kind = local ? KILN_ARG_LOCAL : KILN_ARG_GLOBAL;
    arg->address = local      ? CL_KERNEL_ARG_ADDRESS_LOCAL
                   : constant ? CL_KERNEL_ARG_ADDRESS_CONSTANT
                              : CL_KERNEL_ARG_ADDRESS_GLOBAL;
    arg->qualifier = constant ? CL_KERNEL_ARG_TYPE_CONST : CL_KERNEL_ARG_TYPE_NONE;
    arg->align = local ? arg->size : 8;
    arg->size = local ? 0 : 8;
    arg->stored = local || constant ? 0 : fake.stored;
    arg->tallied = !local && !constant && fake.tallied;
  }
  if (arg->kind == KILN_ARG_VALUE && arg->size == 4) arg->integer = fake.integer;
  if (arg->kind == KILN_ARG_VALUE) arg->turns = fake.turns;
  arg->type_name = fake_text(base, type - (size_t)(base - text));
  uint32_t slot = arg->kind == KILN_ARG_LOCAL || arg->kind == KILN_ARG_SAMPLER ? 4
                  : arg->kind == KILN_ARG_GLOBAL                               ? 8
                                                                               : arg->size;
  arg->offset = (*offset + slot - 1) / slot * slot;
  *offset = arg->offset + slot;
}

/* at: after "kernel void " */
static inline void fake_kernel(struct kiln_kernel_info *k, const char *source, const char *at,
                               uint32_t flags) {
  const char *open = strchr(at, '('), *close = strchr(open, ')');
  k->name = fake_text(at, (size_t)(open - at));
  k->attributes = fake_text("", 0);
  k->args = fake_must(kiln_zalloc(32 * sizeof *k->args));
  k->flags = flags;
  k->subgroup_size = fake.subgroup_size != 0 ? fake.subgroup_size : 1;
  k->tiling = fake.tiling;
  if (fake.tiling.form != KILN_TILE_UNKNOWN) k->flags |= KILN_KERNEL_FREE;
  if (fake.stored != 0) k->flags |= KILN_KERNEL_STREAMS;
  if (fake.tallied) k->flags |= KILN_KERNEL_TALLIES;
  if (fake.apart) k->flags |= KILN_KERNEL_APART;
  if (fake.loops) k->flags |= KILN_KERNEL_LOOPS;
  k->private_bytes = 16;
  k->private_bound = fake.private_bound;
  if (fake_has(close, strcspn(close, "}"), "local int tmp[64]")) k->local_bytes = 256;
  const char *required = at;
  while (required > source && *required != '}') required--;
  required = memmem(required, (size_t)(at - required), "reqd_work_group_size(", 21);
  if (required != NULL) {
    sscanf(required + 21, "%u,%u,%u", &k->reqd_size[0], &k->reqd_size[1], &k->reqd_size[2]);
    kiln_free(k->attributes);
    k->attributes = fake_text(required, strcspn(required, ")") + 1);
  }
  for (const char *arg = open + 1; arg < close;) {
    size_t size = strcspn(arg, ",)");
    fake_arg(&k->args[k->num_args++], arg, size, &k->args_size);
    arg += size + 1;
  }
}

static inline void fake_kernels(struct kiln_program_image *image, const char *source, uint32_t flags) {
  image->kernels = fake_must(kiln_zalloc(64 * sizeof *image->kernels));
  for (const char *at = source; (at = strstr(at, "kernel void ")) != NULL;) {
    at += strlen("kernel void ");
    fake_kernel(&image->kernels[image->num_kernels++], source, at, flags);
  }
}

static inline void fake_include(struct kiln_program_image *image, const char *path) {
  uint8_t *data;
  size_t size;
  struct kiln_include *include = &image->includes[image->num_includes++];
  include->path = fake_must(kiln_strdup(path));
  include->absent = !kiln_os_read_file(path, &data, &size);
  if (include->absent) return;
  include->hash = kiln_hash64(data, size);
  kiln_free(data);
}

static inline void fake_program_image(struct kiln_program_image *image, const char *source,
                                      const char *options, uint32_t type) {
  uint32_t flags = KILN_KERNEL_ARG_INFO;
  bool old = strstr(options, "-cl-std=CL2") == NULL && strstr(options, "-cl-std=CL3") == NULL;
  if (old || strstr(options, "-cl-uniform-work-group-size") != NULL) flags |= KILN_KERNEL_UNIFORM_GROUPS;
  image->type = type;
  image->bitcode = (uint8_t *)fake_text(source, strlen(source));
  image->bitcode_size = strlen(source);
  image->options = fake_must(kiln_strdup(options));
  if (type == KILN_PROGRAM_IMAGE_EXECUTABLE) fake_kernels(image, source, flags);
  image->includes = fake_must(kiln_zalloc(8 * sizeof *image->includes));
  for (const char *at = source; (at = strstr(at, "#include \"")) != NULL;) {
    char path[512];
    at += strlen("#include \"");
    snprintf(path, sizeof path, "%.*s", (int)strcspn(at, "\""), at);
    fake_include(image, path);
  }
  image->uncacheable = strstr(source, "__TIME__") != NULL;
}

static inline void fake_compile(const struct kiln_request *r, struct kiln_reply *reply) {
  atomic_fetch_add(&fake.compiles, 1);
  reply->status = (uint32_t)fake.status;
  if (strstr(r->source, "#error") != NULL) reply->status = KILN_REPLY_FAILED;
  reply->log =
      fake_must(kiln_strdup(reply->status == KILN_REPLY_OK ? "" : "source.cl:1:1: error: as told\n"));
  if (strstr(r->source, "#warning") != NULL) {
    kiln_free(reply->log);
    reply->log = fake_must(kiln_strdup("source.cl:1:1: warning: as told\n"));
  }
  if (reply->status == KILN_REPLY_OK)
    fake_program_image(&reply->image, r->source, r->options,
                       r->executable ? KILN_PROGRAM_IMAGE_EXECUTABLE : KILN_PROGRAM_IMAGE_OBJECT);
}

static inline void fake_link(const struct kiln_request *r, struct kiln_reply *reply) {
  size_t size = 0;
  atomic_fetch_add(&fake.links, 1);
  for (uint32_t i = 0; i < r->num_inputs; i++) size += r->inputs[i]->bitcode_size;
  char *all = fake_must(kiln_zalloc(size + 1)), *end = all;
  for (uint32_t i = 0; i < r->num_inputs; i++)
    end = mempcpy(end, r->inputs[i]->bitcode, r->inputs[i]->bitcode_size);
  reply->status = (uint32_t)fake.status;
  reply->log = fake_must(kiln_strdup(reply->status == KILN_REPLY_OK ? "" : "error: nothing fits\n"));
  if (reply->status == KILN_REPLY_OK)
    fake_program_image(&reply->image, all, r->options,
                       r->library ? KILN_PROGRAM_IMAGE_LIBRARY : KILN_PROGRAM_IMAGE_EXECUTABLE);
  kiln_free(all);
}

/* The object is the kernel's name, the specialisation and the features. */
static inline void fake_codegen(const struct kiln_request *r, struct kiln_reply *reply) {
  struct kiln_blob object = {0};
  atomic_fetch_add(&fake.codegens, 1);
  while (fake.gate) usleep(200);
  reply->status = (uint32_t)(r->optimize ? fake.optimized_fails : fake.fallback_fails);
  reply->log =
      fake_must(kiln_strdup(reply->status == KILN_REPLY_OK ? "" : "cannot select: told so\nsecond line"));
  if (reply->status != KILN_REPLY_OK) return;
  do { /* until no allocation fails */
    kiln_blob_finish(&object);
    object = (struct kiln_blob){0};
    kiln_blob_put(&object, &r->spec, sizeof r->spec);
    kiln_blob_put_string(&object, r->kernel);
    kiln_blob_put_string(&object, r->target.features);
  } while (object.failed);
  reply->object = object.data;
  reply->object_size = object.size;
}

void __wrap_kiln_compiler_run(const struct kiln_request *request, struct kiln_reply *reply);
void __wrap_kiln_compiler_run(const struct kiln_request *request, struct kiln_reply *reply) {
  memset(reply, 0, sizeof *reply);
  if (fake.delay_us) usleep((useconds_t)fake.delay_us);
  if (request->kind == KILN_REQUEST_COMPILE) fake_compile(request, reply);
  else if (request->kind == KILN_REQUEST_LINK) fake_link(request, reply);
  else fake_codegen(request, reply);
}

/* ---- the device ---- */

struct kiln_code {
  struct kiln_spec spec;
  bool any_number;
  char *kernel, *features;
};

struct fake_launch {
  char kernel[32];
  struct kiln_spec spec; /* of the code that ran */
  struct kiln_launch launch;
  uint64_t total_groups, arena_bytes;
  uint32_t local_bytes;
  uint8_t args[256];
};
static struct fake_launch fake_launches[FAKE_MAX_LAUNCHES];
static atomic_uint fake_num_launches;

static inline cl_int fake_load(struct kiln_driver_device *device, const void *object, size_t size,
                               const char *name, struct kiln_code **code_out, char **message_out) {
  atomic_fetch_add(&fake.loads, 1);
  if (fake.load_fails > 0) {
    atomic_fetch_sub(&fake.load_fails, 1);
    *message_out = kiln_strdup("the object is no good");
    return CL_INVALID_BINARY;
  }
  struct kiln_reader r = kiln_reader_init(object, size);
  struct kiln_code *code = kiln_zalloc(sizeof *code);
  if (code == NULL) return CL_OUT_OF_HOST_MEMORY;
  kiln_read(&r, &code->spec, sizeof code->spec);
  code->any_number = fake.any_number;
  code->kernel = kiln_read_string(&r);
  code->features = kiln_read_string(&r);
  if (!r.failed) {
    *code_out = code;
    return CL_SUCCESS;
  }
  kiln_free(code->kernel);
  kiln_free(code->features);
  kiln_free(code);
  return CL_OUT_OF_HOST_MEMORY;
}

static inline bool fake_any_number(const struct kiln_code *code) { return code->any_number; }

static inline void fake_unload(struct kiln_driver_device *device, struct kiln_code *code) {
  atomic_fetch_add(&fake.unloads, 1);
  kiln_free(code->kernel);
  kiln_free(code->features);
  kiln_free(code);
}

static inline void fake_submit(struct kiln_driver_device *device, struct kiln_work *work) {
  if (work->type != KILN_WORK_RANGE) {
    kiln_driver_cpu.submit(device, work);
    return;
  }
  const struct kiln_range *range = &work->range;
  struct fake_launch *l = &fake_launches[atomic_fetch_add(&fake_num_launches, 1) % FAKE_MAX_LAUNCHES];
  snprintf(l->kernel, sizeof l->kernel, "%s", range->code->kernel);
  l->spec = range->code->spec;
  l->launch = range->launch;
  l->total_groups = range->total_groups;
  l->arena_bytes = range->arena_bytes;
  l->local_bytes = range->local_bytes;
  memcpy(l->args, range->launch.args, sizeof l->args); /* blocks of arguments are at least that large */
  work->started(work);
  work->done(work, CL_COMPLETE, NULL);
}

static inline bool fake_help(struct kiln_driver_device *device, struct kiln_work *work) {
  return work->type != KILN_WORK_RANGE && kiln_driver_cpu.help(device, work);
}

static inline struct fake_launch *fake_last_launch(void) {
  return &fake_launches[(fake_num_launches - 1) % FAKE_MAX_LAUNCHES];
}

/* ---- fixture ---- */

/* An empty cache folder of this test program. */
static inline const char *fake_cache_folder(void) {
  static char folder[64];
  if (folder[0] == '\0') snprintf(folder, sizeof folder, "/tmp/kiln-test-%d", (int)getpid());
  return folder;
}

static inline int fake_remove(const char *path, const struct stat *st, int type, struct FTW *place) {
  (void)st, (void)type, (void)place;
  remove(path);
  return 0;
}

/* Again while the compile thread still writes. */
static inline void fake_clear_cache(void) {
  while (access(fake_cache_folder(), F_OK) == 0)
    nftw(fake_cache_folder(), fake_remove, 16, FTW_DEPTH | FTW_PHYS);
}

struct fake_meeting {
  unsigned expected;
  atomic_uint arrived, left;
};

struct fake_last_job {
  struct kiln_job job;
  struct fake_meeting *meeting;
};

static inline void fake_meet(struct kiln_job *job) {
  struct fake_meeting *meeting = ((struct fake_last_job *)job)->meeting;
  atomic_fetch_add(&meeting->arrived, 1);
  while (atomic_load(&meeting->arrived) < meeting->expected) usleep(100);
  atomic_fetch_add(&meeting->left, 1);
}

/* Waits until the build threads have nothing to do: that is when all of them meet. */
static inline void fake_drain(void) {
  struct fake_meeting meeting = {.expected = kiln_os_processors()};
  struct fake_last_job last[KILN_MOST_JOB_THREADS];
  if (meeting.expected > KILN_MOST_JOB_THREADS) meeting.expected = KILN_MOST_JOB_THREADS;
  for (unsigned i = 0; i < meeting.expected; i++) {
    last[i] = (struct fake_last_job){.job.run = fake_meet, .meeting = &meeting};
    kiln_job_submit(&last[i].job, false);
  }
  while (atomic_load(&meeting.left) < meeting.expected) usleep(100);
}

static inline void fake_reset(void) {
  memset(&fake, 0, sizeof fake);
  fake_num_launches = 0;
}

/* fixture_open with the fake compiler and device. */
static inline int fake_open_fixture(void **state) {
  static struct kiln_driver driver;
  setenv("KILN_CACHE_DIR", fake_cache_folder(), 1);
  unsetenv("KILN_CACHE_SIZE");
  fake_clear_cache();
  kiln_cache_forget();
  fake_reset();
  int err = fixture_open(state);
  struct kiln_driver_device *backend = ((struct fixture *)*state)->device->backend;
  if (backend->driver == &driver) return err; /* threads of the test before may still read it */
  driver = kiln_driver_cpu;
  driver.load = fake_load;
  driver.unload = fake_unload;
  driver.any_number = fake_any_number;
  driver.submit = fake_submit;
  driver.help = fake_help;
  backend->driver = &driver;
  return err;
}

static inline int fake_close_fixture(void **state) {
  int err = fixture_close(state);
  fake_drain();
  fake_clear_cache();
  kiln_cache_forget();
  return err;
}

/* ---- short cuts ---- */

/* How often something was made. When an allocation fails it may be once more, as the call that failed is made
 * again, or once less, as what was only made ahead of its use is given up. */
#define fake_expect_count(counter, expected)                                                                 \
  assert_in_range((counter), (expected) - (alloc_fail_active() && (expected) > 0),                           \
                  (expected) + alloc_fail_active())

static inline cl_program fake_source(const struct fixture *f, const char *source) {
  cl_int err;
  cl_program program = kiln_clCreateProgramWithSource(f->context, 1, &source, NULL, &err);
  expect_success(err);
  return program;
}

static inline cl_program fake_build(const struct fixture *f, const char *source, const char *options) {
  cl_program program = fake_source(f, source);
  expect_success(kiln_clBuildProgram(program, 0, NULL, options, NULL, NULL));
  return program;
}

static inline cl_kernel fake_kernel_of(cl_program program, const char *name) {
  cl_int err;
  cl_kernel kernel = kiln_clCreateKernel(program, name, &err);
  expect_success(err);
  return kernel;
}

/* Runs kernel over n work-items in groups of local (0: NULL) and waits. */
static inline void fake_run(const struct fixture *f, cl_kernel kernel, size_t n, size_t local) {
  expect_success(
      kiln_clEnqueueNDRangeKernel(f->queue, kernel, 1, NULL, &n, local == 0 ? NULL : &local, 0, NULL, NULL));
  expect_success(kiln_clFinish(f->queue));
}

#endif
