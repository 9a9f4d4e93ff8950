/* Owns build objects. */
#include "core/build.h"

#include "base/alloc.h"
#include "base/config.h"
#include "core/error.h"
#include "core/variant.h"

#include <string.h>

struct kiln_build *kiln_build_new(kiln_device *device) {
  struct kiln_build *build = kiln_zalloc(sizeof *build);
  if (build == NULL) return NULL;
  atomic_init(&build->refs, 1);
  atomic_init(&build->status, CL_BUILD_NONE);
  build->device = kiln_ref(device);
  kiln_lock_init(&build->lock, KILN_RANK_PROGRAM);
  pthread_cond_init(&build->settled, NULL);
  return build;
}

struct kiln_build *kiln_build_ref(struct kiln_build *build) {
  if (build != NULL) atomic_fetch_add_explicit(&build->refs, 1, memory_order_relaxed);
  return build;
}

/* ---- program-scope variables ---- */

static size_t globals_room(const struct kiln_globals *g) { return g->size + g->align; }

static void fill_globals(uint8_t *block, const struct kiln_globals *g) {
  memset(block, 0, g->size);
  memcpy(block, g->bytes, g->num_bytes);
  for (uint32_t i = 0; i < g->num_fixups; i++) {
    uint64_t address = (uint64_t)(uintptr_t)(block + g->fixups[i].to);
    memcpy(block + g->fixups[i].at, &address, sizeof address);
  }
}

static cl_int make_globals(struct kiln_build *build, const struct kiln_globals *g) {
  struct kiln_driver_device *device = build->device->backend;
  if (g->size == 0) return CL_SUCCESS;
  cl_int err = device->driver->alloc(device, globals_room(g), &build->globals_memory);
  if (err != CL_SUCCESS) return kiln_fail_oom(NULL);
  uintptr_t start = (uintptr_t)build->globals_memory;
  build->globals = (uint8_t *)build->globals_memory + (-start & (g->align - 1));
  fill_globals(build->globals, g);
  return CL_SUCCESS;
}

static void free_globals(struct kiln_build *build) {
  struct kiln_driver_device *device = build->device->backend;
  if (build->globals_memory == NULL) return;
  device->driver->free(device, build->globals_memory, globals_room(&build->product->image.globals));
}

/* ---- life ---- */

void kiln_build_unref(struct kiln_build **pp) {
  struct kiln_build *build = *pp;
  *pp = NULL;
  if (build == NULL || atomic_fetch_sub_explicit(&build->refs, 1, memory_order_acq_rel) != 1) return;
  for (uint32_t k = 0; build->variants != NULL && k < build->product->image.num_kernels; k++)
    kiln_variants_free(build, build->variants[k]);
  kiln_free(build->variants);
  free_globals(build);
  kiln_product_unref(&build->product);
  kiln_unref(&build->device);
  kiln_blob_finish(&build->binary);
  kiln_lock_finish(&build->lock);
  pthread_cond_destroy(&build->settled);
  kiln_free(build->options);
  kiln_free(build->log);
  kiln_free(build);
}

/* What the options the image was built with, or the environment, say about its kernels. */
static cl_int read_options(struct kiln_build *build, const struct kiln_program_image *image) {
  struct kiln_options options;
  char *bad = NULL;
  const char *text = image->options == NULL ? "" : image->options;
  cl_int err = kiln_options_parse(text, KILN_OPTIONS_BUILD, &options, &bad);
  if (err == CL_OUT_OF_HOST_MEMORY) return err;
  if (err == CL_SUCCESS) { /* those of a link are not all known here */
    build->width = options.width;
    build->kernel_arg_info = options.kernel_arg_info != 0;
    kiln_options_finish(&options);
  }
  kiln_free(bad);
  const char *forced = kiln_config(KILN_CONFIG_WIDTH);
  if (forced != NULL) kiln_width_parse(forced, &build->width);
  return CL_SUCCESS;
}

cl_int kiln_build_adopt(struct kiln_build *build, struct kiln_product *product) {
  uint32_t n = product->image.num_kernels;
  struct kiln_variant **variants = n == 0 ? NULL : kiln_zalloc(n * sizeof(struct kiln_variant *));
  if ((n > 0 && variants == NULL) || read_options(build, &product->image) != CL_SUCCESS) {
    kiln_free(variants);
    kiln_product_unref(&product);
    return kiln_fail_oom(NULL);
  }
  build->product = product;
  build->variants = variants;
  return make_globals(build, &product->image.globals);
}

void kiln_build_publish(struct kiln_build *build, cl_build_status status) {
  atomic_store_explicit(&build->status, status, memory_order_release);
}

const struct kiln_program_image *kiln_build_image(const struct kiln_build *build) {
  cl_build_status status = atomic_load_explicit(&build->status, memory_order_acquire);
  if (status == CL_BUILD_IN_PROGRESS || status == CL_BUILD_ERROR || build->product == NULL) return NULL;
  return &build->product->image;
}

const struct kiln_program_image *kiln_build_executable(const struct kiln_build *build) {
  if (atomic_load_explicit(&build->status, memory_order_acquire) != CL_BUILD_SUCCESS) return NULL;
  const struct kiln_program_image *image = kiln_build_image(build);
  return image != NULL && image->type == KILN_PROGRAM_IMAGE_EXECUTABLE ? image : NULL;
}
