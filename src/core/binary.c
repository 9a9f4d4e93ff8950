/* Owns the format of program binaries:
 *   header { magic, format, abi, size and checksum of the rest }, compiler version, image,
 *   count of objects, each { kernel, spec, features, tune, bytes }
 * Code that another compiler or CPU made is left out when a binary is read. */
#include "core/binary.h"

#include "base/abi.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "core/error.h"
#include "core/variant.h"

#include <stdio.h>
#include <string.h>

enum { BINARY_FORMAT = 1 };

struct header {
  char magic[8];
  uint32_t format, abi;
  uint64_t size, checksum; /* of what follows */
};

static const char magic[8] = {'K', 'I', 'L', 'N', '-', 'B', 'I', 'N'};

/* ---- reading ---- */

static cl_int refuse(char *why, size_t why_size, const char *reason) {
  snprintf(why, why_size, "%s", reason);
  return CL_INVALID_BINARY;
}

static cl_int check_header(const void *data, size_t size, char *why, size_t why_size) {
  struct header h;
  if (size < sizeof h || memcmp(data, magic, sizeof magic) != 0)
    return refuse(why, why_size, "the binary was not made by Kiln");
  memcpy(&h, data, sizeof h);
  if (h.format != BINARY_FORMAT || h.abi != KILN_ABI_VERSION) {
    snprintf(why, why_size, "the binary has format %u.%u, this Kiln reads %u.%u; build it from source again",
             h.format, h.abi, BINARY_FORMAT, KILN_ABI_VERSION);
    return CL_INVALID_BINARY;
  }
  if (h.size != size - sizeof h) {
    snprintf(why, why_size, "the binary has %zu bytes, but says it should have %llu", size,
             (unsigned long long)(h.size + sizeof h));
    return CL_INVALID_BINARY;
  }
  if (kiln_hash64((const uint8_t *)data + sizeof h, h.size) != h.checksum)
    return refuse(why, why_size, "the binary is damaged: its checksum does not match");
  return CL_SUCCESS;
}

static const struct kiln_kernel_info *kernel_named(const struct kiln_program_image *image,
                                                   const uint8_t *name, size_t size) {
  for (uint32_t k = 0; k < image->num_kernels; k++)
    if (strlen(image->kernels[k].name) == size && memcmp(image->kernels[k].name, name, size) == 0)
      return &image->kernels[k];
  return NULL;
}

static bool is_text(const uint8_t *view, size_t size, const char *text) {
  return view != NULL && size == strlen(text) && memcmp(view, text, size) == 0;
}

/* Reads one object and keeps it if it is for this CPU. False when out of memory. */
static bool read_object(struct kiln_reader *r, struct kiln_build *build, bool usable) {
  const struct kiln_target *target = &build->device->backend->caps.target;
  size_t name_size, features_size, tune_size, size;
  struct kiln_spec spec;
  const uint8_t *name = kiln_read_bytes(r, &name_size);
  kiln_read(r, &spec, sizeof spec);
  const uint8_t *features = kiln_read_bytes(r, &features_size);
  const uint8_t *tune = kiln_read_bytes(r, &tune_size);
  const uint8_t *bytes = kiln_read_bytes(r, &size);
  if (r->failed || !usable || size == 0 || !is_text(features, features_size, target->features) ||
      !is_text(tune, tune_size, target->tune))
    return true;
  const struct kiln_kernel_info *kernel = kernel_named(&build->product->image, name, name_size);
  struct kiln_variant *v = kernel == NULL ? NULL : kiln_variant_add(build, kernel, &spec);
  if (v == NULL) return kernel == NULL;
  v->object.data = kiln_alloc(size);
  if (v->object.data == NULL) return false;
  v->object.size = size;
  memcpy(v->object.data, bytes, size);
  return true;
}

static cl_int read_objects(struct kiln_reader *r, struct kiln_build *build, bool usable, char *why,
                           size_t why_size) {
  uint32_t count = kiln_read_u32(r);
  for (uint32_t i = 0; i < count && !r->failed; i++)
    if (!read_object(r, build, usable)) return kiln_fail_oom(NULL);
  if (r->failed || r->at != r->end) return refuse(why, why_size, "the binary is malformed");
  return CL_SUCCESS;
}

cl_int kiln_binary_read(const void *data, size_t size, struct kiln_build *build, char *why, size_t why_size) {
  cl_int err = check_header(data, size, why, why_size);
  if (err != CL_SUCCESS) return err;
  struct kiln_reader r =
      kiln_reader_init((const uint8_t *)data + sizeof(struct header), size - sizeof(struct header));
  struct kiln_program_image image = {0};
  size_t version_size;
  const uint8_t *version = kiln_read_bytes(&r, &version_size);
  bool usable = version != NULL && kiln_compiler_made(version, version_size);
  kiln_program_image_read(&r, &image);
  if (r.failed || image.type == KILN_PROGRAM_IMAGE_NONE) {
    kiln_program_image_finish(&image);
    if (r.short_of_memory) return kiln_fail_oom(NULL);
    return refuse(why, why_size, "the binary is malformed");
  }
  struct kiln_product *product = kiln_product_new(&image);
  if (product == NULL) return kiln_fail_oom(NULL);
  err = kiln_build_adopt(build, product);
  return err == CL_SUCCESS ? read_objects(&r, build, usable, why, why_size) : err;
}

/* ---- writing; build->lock is held ---- */

static bool is_stored(const struct kiln_variant *v) {
  return v->object.data != NULL && (v->state == KILN_VARIANT_READY || v->state == KILN_VARIANT_IDLE);
}

static uint32_t count_objects(const struct kiln_build *build) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < build->product->image.num_kernels; k++)
    for (const struct kiln_variant *v = build->variants[k]; v != NULL; v = v->next) count += is_stored(v);
  return count;
}

static void put_objects(struct kiln_blob *b, const struct kiln_build *build) {
  const struct kiln_target *target = &build->device->backend->caps.target;
  kiln_blob_put_u32(b, count_objects(build));
  for (uint32_t k = 0; k < build->product->image.num_kernels; k++)
    for (const struct kiln_variant *v = build->variants[k]; v != NULL; v = v->next) {
      if (!is_stored(v)) continue;
      kiln_blob_put_string(b, v->kernel->name);
      kiln_blob_put(b, &v->spec, sizeof v->spec);
      kiln_blob_put_string(b, target->features);
      kiln_blob_put_string(b, target->tune);
      kiln_blob_put_bytes(b, v->object.data, v->object.size);
    }
}

static bool write_binary(struct kiln_build *build) {
  struct kiln_blob b = {0};
  struct header h = {.format = BINARY_FORMAT, .abi = KILN_ABI_VERSION};
  struct kiln_program_image image = build->product->image;
  image.num_includes = 0; /* they matter to the cache of this machine only */
  image.includes = NULL;
  kiln_blob_put(&b, &h, sizeof h);
  kiln_blob_put_string(&b, kiln_compiler_version());
  kiln_program_image_put(&b, &image);
  put_objects(&b, build);
  if (b.failed) {
    kiln_blob_finish(&b);
    return false;
  }
  memcpy(h.magic, magic, sizeof magic);
  h.size = b.size - sizeof h;
  h.checksum = kiln_hash64(b.data + sizeof h, h.size);
  memcpy(b.data, &h, sizeof h);
  kiln_blob_finish(&build->binary);
  build->binary = b;
  build->binary_taken = false;
  return true;
}

/* ---- the two queries ---- */

/* Makes the binary unless the one there still stands. */
static cl_int refresh(struct kiln_build *build, bool sizing) {
  if (kiln_build_image(build) == NULL) return CL_SUCCESS;
  kiln_build_settle(build);
  kiln_lock(&build->lock);
  bool ok = true;
  if (build->binary.data == NULL || (sizing && build->binary_taken)) ok = write_binary(build);
  kiln_unlock(&build->lock);
  return ok ? CL_SUCCESS : kiln_fail_oom(NULL);
}

cl_int kiln_binary_size(struct kiln_build *build, size_t *size_out) {
  cl_int err = refresh(build, true);
  if (err != CL_SUCCESS) return err;
  kiln_lock(&build->lock);
  *size_out = build->binary.size;
  kiln_unlock(&build->lock);
  return CL_SUCCESS;
}

cl_int kiln_binary_copy(struct kiln_build *build, unsigned char *out) {
  cl_int err = refresh(build, false);
  if (err != CL_SUCCESS) return err;
  kiln_lock(&build->lock);
  if (build->binary.data != NULL) memcpy(out, build->binary.data, build->binary.size);
  build->binary_taken = true;
  kiln_unlock(&build->lock);
  return CL_SUCCESS;
}
