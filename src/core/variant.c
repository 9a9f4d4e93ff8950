/* Owns the life of a variant: found, fetched from the cache or compiled, loaded, handed to the commands that
 * wait. Knows no arguments and no ranges. */
#include "core/variant.h"

#include "base/abi.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "core/cache.h"
#include "core/error.h"
#include "core/jobs.h"

#include <stdio.h>
#include <string.h>

enum { WHY_BYTES = sizeof(((struct kiln_work *)0)->fault_message) };

static const struct kiln_target *target_of(const struct kiln_build *build) {
  return &build->device->backend->caps.target;
}

static struct kiln_variant **list_of(struct kiln_build *build, const struct kiln_kernel_info *kernel) {
  return &build->variants[kernel - build->product->image.kernels];
}

static bool is_sized(const struct kiln_spec *spec) { return spec->local_size[0] != 0; }

static bool same_size(const struct kiln_spec *a, const struct kiln_spec *b) {
  return memcmp(a->local_size, b->local_size, sizeof a->local_size) == 0;
}

/* ---- the list of a kernel; build->lock is held ---- */

static struct kiln_variant *find(struct kiln_variant *list, const struct kiln_spec *spec) {
  while (list != NULL && memcmp(&list->spec, spec, sizeof *spec) != 0) list = list->next;
  return list;
}

/* Distinct local sizes among the variants. */
static unsigned count_sizes(const struct kiln_variant *list) {
  unsigned count = 0;
  for (const struct kiln_variant *v = list; v != NULL; v = v->next) {
    const struct kiln_variant *later = v->next;
    while (later != NULL && !same_size(&later->spec, &v->spec)) later = later->next;
    count += is_sized(&v->spec) && later == NULL;
  }
  return count;
}

static bool knows_size(const struct kiln_variant *list, const struct kiln_spec *spec) {
  while (list != NULL && !same_size(&list->spec, spec)) list = list->next;
  return list != NULL;
}

static bool is_for_opaque(const struct kiln_spec *spec) {
  static const uint32_t none[KILN_SPEC_OPAQUE];
  return memcmp(spec->opaque, none, sizeof none) != 0;
}

static unsigned count_opaque(const struct kiln_variant *list) {
  unsigned count = 0;
  for (; list != NULL; list = list->next) count += is_for_opaque(&list->spec);
  return count;
}

struct kiln_variant *kiln_variant_add(struct kiln_build *build, const struct kiln_kernel_info *kernel,
                                      const struct kiln_spec *spec) {
  struct kiln_variant *v = kiln_zalloc(sizeof *v), **list = list_of(build, kernel);
  if (v == NULL) return NULL;
  v->spec = *spec;
  v->kernel = kernel;
  v->next = *list;
  *list = v;
  return v;
}

uint32_t kiln_variant_grain(uint64_t global, uint64_t local) {
  bool apart = local >= global || local % KILN_SPEC_GRAIN == 0;
  return apart && global % KILN_SPEC_GRAIN == 0 ? KILN_SPEC_GRAIN : 0;
}

/* One variant for all that the code would be the same for. Groups of one work-item are free by themselves. */
static struct kiln_spec simplify(const struct kiln_kernel_info *kernel, struct kiln_spec spec) {
  const bool is_free = (kernel->flags & KILN_KERNEL_FREE) != 0;
  const bool has_long_items =
      (is_free || kiln_spec_is_alone(spec.local_size)) && (kernel->flags & KILN_KERNEL_LOOPS) != 0;
  const bool is_free_row = is_free && spec.local_size[1] == 1 && spec.local_size[2] == 1;
  if (spec.width != 0 || !has_long_items) spec.most = 0;
  if (is_free_row) spec.local_size[0] = spec.uniform = 0;
  if (!is_free_row || spec.most != 0) spec.grain = 0;
  return spec;
}

/* A variant whose code serves launches of any number of work-items, spec's as well; NULL. */
static struct kiln_variant *find_any_number(const struct kiln_build *build, struct kiln_variant *v,
                                            const struct kiln_spec *spec) {
  const struct kiln_driver *driver = build->device->backend->driver;
  for (; v != NULL; v = v->next) {
    struct kiln_spec other = v->spec;
    other.most = spec->most;
    other.grain = spec->grain;
    if (v->state == KILN_VARIANT_READY && memcmp(&other, spec, sizeof other) == 0 &&
        driver->any_number(v->code))
      return v;
  }
  return NULL;
}

/* A variant of the list for spec; one for rows of any length will do. */
static struct kiln_variant *find_fit(const struct kiln_build *build, struct kiln_variant *list,
                                     const struct kiln_spec *spec) {
  struct kiln_spec any = *spec;
  struct kiln_variant *v = find(list, spec);
  if (v == NULL) v = find_any_number(build, list, spec);
  if (v != NULL || spec->grain == 0) return v;
  any.grain = 0;
  v = find(list, &any);
  return v != NULL && v->state == KILN_VARIANT_FAILED ? NULL : v;
}

/* The variant that serves spec, made if need be: a local size beyond the limit is served by any-size code,
 * and images and samplers beyond it by code for all of them. */
static struct kiln_variant *find_or_add(struct kiln_build *build, const struct kiln_kernel_info *kernel,
                                        const struct kiln_spec *wanted) {
  struct kiln_variant *list = *list_of(build, kernel), *v;
  struct kiln_spec spec = *wanted;
  spec.width = build->width;
  spec = simplify(kernel, spec);
  if ((v = find_fit(build, list, &spec)) != NULL) return v;
  if (is_for_opaque(&spec) && count_opaque(list) >= KILN_MAX_OPAQUE_VARIANTS) {
    memset(spec.opaque, 0, sizeof spec.opaque);
    if ((v = find_fit(build, list, &spec)) != NULL) return v;
  }
  if (is_sized(&spec) && !knows_size(list, &spec) && count_sizes(list) >= KILN_MAX_SIZED_VARIANTS) {
    memset(spec.local_size, 0, sizeof spec.local_size);
    if ((v = find_fit(build, list, &spec)) != NULL) return v;
  }
  return kiln_variant_add(build, kernel, &spec);
}

/* cmd will be told when v is settled. */
static void await(struct kiln_variant *v, kiln_cmd *cmd) {
  kiln_cmd_block(cmd);
  cmd->next_waiter = NULL;
  if (v->last_waiter != NULL) v->last_waiter->next_waiter = cmd;
  else v->first_waiter = cmd;
  v->last_waiter = cmd;
}

void kiln_variants_free(struct kiln_build *build, struct kiln_variant *list) {
  struct kiln_driver_device *device = build->device->backend;
  while (list != NULL) {
    struct kiln_variant *v = list;
    list = v->next;
    if (v->code != NULL) device->driver->unload(device, v->code);
    kiln_free(v->object.data);
    kiln_free(v->message);
    kiln_free(v);
  }
}

/* ---- making code; the variant is COMPILING and ours alone ---- */

static struct kiln_key key_of(const struct kiln_build *build, const struct kiln_variant *v) {
  const struct kiln_target *t = target_of(build);
  struct kiln_hash h;
  struct kiln_key key;
  kiln_hash_init(&h);
  kiln_hash_string(&h, "kiln level 2");
  kiln_hash_string(&h, kiln_compiler_version());
  kiln_hash_u32(&h, KILN_ABI_VERSION);
  kiln_hash_bytes(&h, build->product->image.hash, sizeof build->product->image.hash);
  kiln_hash_string(&h, v->kernel->name);
  kiln_hash_bytes(&h, &v->spec, sizeof v->spec);
  kiln_hash_string(&h, t->features);
  kiln_hash_string(&h, t->tune);
  kiln_hash_bytes(&h, &t->arena_size, sizeof t->arena_size);
  kiln_hash_end(&h, key.h);
  return key;
}

/* Loads v->object. CL_OUT_OF_HOST_MEMORY leaves it for a later try; after another error it is gone and
 * v->message says why, if there is memory for that. */
static cl_int load(struct kiln_build *build, struct kiln_variant *v) {
  struct kiln_driver_device *device = build->device->backend;
  char *message = NULL;
  cl_int err =
      device->driver->load(device, v->object.data, v->object.size, v->kernel->name, &v->code, &message);
  if (err == CL_SUCCESS) {
    kiln_free(message);
    return err;
  }
  kiln_free(v->message);
  v->message = message;
  if (err == CL_OUT_OF_HOST_MEMORY) return err;
  kiln_free(v->object.data);
  v->object = (struct kiln_bytes){0};
  return err;
}

/* Code without a compile: from the program's binary or from the cache. CL_OUT_OF_HOST_MEMORY; other errors
 * mean that it has to be compiled. */
static cl_int fetch(struct kiln_build *build, struct kiln_variant *v) {
  cl_int err = v->object.data == NULL ? CL_INVALID_BINARY : load(build, v);
  if (err == CL_SUCCESS || err == CL_OUT_OF_HOST_MEMORY) return err;
  struct kiln_key key = key_of(build, v);
  if (!kiln_cache_get(KILN_CACHE_OBJECT, &key, &v->object.data, &v->object.size)) return err;
  err = load(build, v);
  if (err == CL_SUCCESS || err == CL_OUT_OF_HOST_MEMORY) return err;
  kiln_log(KILN_LOG_CACHE, KILN_LOG_ERROR, "code of kernel %s from the cache does not load: %s",
           v->kernel->name, v->message == NULL ? "" : v->message);
  kiln_cache_drop(KILN_CACHE_OBJECT, &key);
  return err;
}

/* One run of the code generator: enum kiln_reply_status. */
static uint32_t generate(struct kiln_build *build, struct kiln_variant *v, bool optimize) {
  const struct kiln_program_image *image = &build->product->image;
  struct kiln_request request = {.kind = KILN_REQUEST_CODEGEN,
                                 .target = *target_of(build),
                                 .options = image->options == NULL ? "" : image->options,
                                 .image = image,
                                 .kernel = v->kernel->name,
                                 .spec = v->spec,
                                 .optimize = optimize};
  struct kiln_reply reply = {0};
  if (!optimize) request.spec.width = 1;
  kiln_compiler_run(&request, &reply);
  kiln_free(v->message);
  v->message = reply.log;
  reply.log = NULL;
  if (reply.status == KILN_REPLY_OK) {
    v->object = (struct kiln_bytes){reply.object, reply.object_size};
    reply.object = NULL;
  }
  uint32_t status = reply.status;
  kiln_reply_finish(&reply);
  return status;
}

static bool may_change(uint32_t status, cl_int load_error) {
  return status == KILN_REPLY_NO_MEMORY || status == KILN_REPLY_NO_COMPILER ||
         load_error == CL_OUT_OF_HOST_MEMORY;
}

/* Compiles v: as asked; if that fails, scalar and unoptimised. READY, FAILED, or IDLE when a later try may
 * do. */
static enum kiln_variant_state compile(struct kiln_build *build, struct kiln_variant *v) {
  uint32_t status = generate(build, v, true);
  cl_int err = status == KILN_REPLY_OK ? load(build, v) : CL_INVALID_BINARY;
  if (err == CL_SUCCESS) {
    struct kiln_key key = key_of(build, v);
    kiln_cache_put(KILN_CACHE_OBJECT, &key, v->object.data, v->object.size);
    return KILN_VARIANT_READY;
  }
  if (may_change(status, err)) return KILN_VARIANT_IDLE;
  kiln_log(KILN_LOG_COMPILE, KILN_LOG_ERROR, "code generation of kernel %s failed, trying unoptimised: %s",
           v->kernel->name, v->message == NULL ? "" : v->message);
  status = generate(build, v, false);
  err = status == KILN_REPLY_OK ? load(build, v) : CL_INVALID_BINARY;
  if (err == CL_SUCCESS) return KILN_VARIANT_READY;
  return may_change(status, err) ? KILN_VARIANT_IDLE : KILN_VARIANT_FAILED;
}

/* The reason v, now in `state`, has no code: why_size bytes at why, one line. */
static const char *explain(const struct kiln_variant *v, enum kiln_variant_state state, char *why,
                           size_t why_size) {
  const char *silent = state == KILN_VARIANT_IDLE ? "host memory is short" : "the compiler gives no reason";
  const char *message = v->message == NULL ? silent : v->message;
  snprintf(why, why_size, "%.*s", (int)strcspn(message, "\n"), message);
  return why;
}

static cl_int fail(kiln_context *context, const struct kiln_variant *v, const char *why) {
  return kiln_fail(context, CL_OUT_OF_RESOURCES, NULL, "no machine code can be made for kernel %s: %s",
                   v->kernel->name, why);
}

/* Publishes the outcome and sets the waiting commands free. From then on v may be taken up by another thread.
 */
static void settle(struct kiln_build *build, struct kiln_variant *v, enum kiln_variant_state state) {
  char why[WHY_BYTES];
  explain(v, state, why, sizeof why);
  kiln_lock(&build->lock);
  kiln_cmd *waiter = v->first_waiter;
  struct kiln_code *code = state == KILN_VARIANT_READY ? v->code : NULL;
  v->first_waiter = v->last_waiter = NULL;
  v->state = state;
  pthread_cond_broadcast(&build->settled);
  kiln_unlock(&build->lock);
  if (waiter != NULL && code == NULL) fail(waiter->context, v, why);
  while (waiter != NULL) {
    kiln_cmd *next = waiter->next_waiter;
    waiter->work.range.code = code;
    if (code == NULL) snprintf(waiter->work.fault_message, sizeof waiter->work.fault_message, "%s", why);
    kiln_cmd_unblock(waiter, code != NULL ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
    waiter = next;
  }
}

static void run_job(struct kiln_job *job) {
  struct kiln_variant *v = (struct kiln_variant *)((char *)job - offsetof(struct kiln_variant, job));
  struct kiln_build *build = v->build;
  bool wanted = atomic_load(&build->refs) > 1; /* else everybody who could use the code has gone */
  settle(build, v, wanted ? compile(build, v) : KILN_VARIANT_IDLE);
  kiln_build_unref(&build);
}

/* Puts v to the compile thread. */
static void submit(struct kiln_build *build, struct kiln_variant *v, bool urgent) {
  v->build = kiln_build_ref(build);
  v->job.run = run_job;
  kiln_job_submit(&v->job, urgent);
}

/* v has failed for good: nobody changes its message any more. */
static cl_int fail_again(kiln_context *context, const struct kiln_variant *v) {
  char why[WHY_BYTES];
  return fail(context, v, explain(v, KILN_VARIANT_FAILED, why, sizeof why));
}

cl_int kiln_build_code(struct kiln_build *build, const struct kiln_kernel_info *kernel,
                       const struct kiln_spec *spec, kiln_cmd *cmd) {
  kiln_lock(&build->lock);
  struct kiln_variant *v = find_or_add(build, kernel, spec);
  enum kiln_variant_state state = v == NULL ? KILN_VARIANT_IDLE : v->state;
  if (state == KILN_VARIANT_READY) cmd->work.range.code = v->code;
  if (state == KILN_VARIANT_COMPILING) await(v, cmd);
  if (state == KILN_VARIANT_IDLE && v != NULL) v->state = KILN_VARIANT_COMPILING;
  kiln_unlock(&build->lock);
  if (v == NULL) return kiln_fail_oom(cmd->context);
  if (state == KILN_VARIANT_FAILED) return fail_again(cmd->context, v);
  if (state == KILN_VARIANT_COMPILING) kiln_job_hurry(&v->job);
  if (state != KILN_VARIANT_IDLE) return CL_SUCCESS;
  cl_int err = fetch(build, v);
  if (err == CL_SUCCESS) cmd->work.range.code = v->code;
  if (err == CL_SUCCESS || err == CL_OUT_OF_HOST_MEMORY) {
    settle(build, v, err == CL_SUCCESS ? KILN_VARIANT_READY : KILN_VARIANT_IDLE);
    return err == CL_SUCCESS ? err : kiln_fail_oom(cmd->context);
  }
  kiln_lock(&build->lock);
  await(v, cmd);
  kiln_unlock(&build->lock);
  submit(build, v, true);
  return CL_SUCCESS;
}

/* Starts v, which nobody waits for yet. */
static void start(struct kiln_build *build, struct kiln_variant *v) {
  cl_int err = fetch(build, v);
  if (err == CL_SUCCESS) settle(build, v, KILN_VARIANT_READY);
  else if (err == CL_OUT_OF_HOST_MEMORY) settle(build, v, KILN_VARIANT_IDLE);
  else submit(build, v, false);
}

/* What it is launched with is not known before. */
static bool takes_opaque(const struct kiln_kernel_info *kernel) {
  for (uint32_t i = 0; i < kernel->num_args; i++)
    if (kernel->args[i].kind == KILN_ARG_IMAGE || kernel->args[i].kind == KILN_ARG_SAMPLER) return true;
  return false;
}

void kiln_build_precompile(struct kiln_build *build) {
  const struct kiln_program_image *image = kiln_build_executable(build);
  for (uint32_t k = 0; image != NULL && k < image->num_kernels; k++) {
    const struct kiln_kernel_info *kernel = &image->kernels[k];
    struct kiln_spec spec = {.uniform = 1,
                             .offset_zero = 1,
                             .small = kiln_spec_usual_small(kernel, kernel->reqd_size),
                             .rows = kiln_spec_usual_rows(kernel)};
    if (kernel->reqd_size[0] == 0 || takes_opaque(kernel)) continue;
    memcpy(spec.local_size, kernel->reqd_size, sizeof spec.local_size);
    spec.grain = kiln_variant_grain(spec.local_size[0], spec.local_size[0]);
    spec.apart = (kernel->flags & KILN_KERNEL_APART) != 0;
    kiln_lock(&build->lock);
    struct kiln_variant *v = find_or_add(build, kernel, &spec);
    bool idle = v != NULL && v->state == KILN_VARIANT_IDLE;
    if (idle) v->state = KILN_VARIANT_COMPILING;
    kiln_unlock(&build->lock);
    if (idle) start(build, v);
  }
}

static bool is_compiling(const struct kiln_build *build) {
  for (uint32_t k = 0; build->variants != NULL && k < build->product->image.num_kernels; k++)
    for (const struct kiln_variant *v = build->variants[k]; v != NULL; v = v->next)
      if (v->state == KILN_VARIANT_COMPILING) return true;
  return false;
}

void kiln_build_settle(struct kiln_build *build) {
  kiln_lock(&build->lock);
  while (is_compiling(build)) kiln_cond_wait(&build->settled, &build->lock);
  kiln_unlock(&build->lock);
}
