/* Owns the byte form of requests, replies and images: for the thread, the helper, the cache and program
 * binaries. Must not know who reads it. Reading trusts nothing: counts are bounded by the bytes that are
 * there. */
#include "compiler/compiler.h"

#include "base/abi.h"
#include "base/alloc.h"

#include <string.h>

enum {
  MAGIC = 0x31574b4bu, /* "KKW1" */
  /* least bytes a stored argument, kernel, include, header or image takes */
  MIN_ARG_BYTES = 56,
  MIN_KERNEL_BYTES = 88,
  MIN_INCLUDE_BYTES = 20,
  MIN_HEADER_BYTES = 16,
  MIN_FIXUP_BYTES = 16,
  MIN_IMAGE_BYTES = 76
};

/* A count of things of at least `least` bytes each: never more than there can be. */
static uint32_t read_count(struct kiln_reader *r, size_t least) {
  uint32_t count = kiln_read_u32(r);
  if (!r->failed && count <= (size_t)(r->end - r->at) / least) return count;
  r->failed = true;
  return 0;
}

static void *read_array(struct kiln_reader *r, uint32_t count, size_t element) {
  if (r->failed) return NULL;
  void *array = kiln_zalloc(count * element);
  if (array == NULL) r->failed = r->short_of_memory = true;
  return array;
}

static uint8_t *read_copy(struct kiln_reader *r, size_t *size_out) {
  size_t size;
  const uint8_t *view = kiln_read_bytes(r, &size);
  uint8_t *copy = view == NULL ? NULL : kiln_alloc(size + 1);
  if (copy == NULL) {
    r->short_of_memory = r->short_of_memory || view != NULL;
    r->failed = true;
    *size_out = 0;
    return NULL;
  }
  memcpy(copy, view, size);
  copy[size] = 0;
  *size_out = size;
  return copy;
}

/* ---- kernels ---- */

static void arg_put(struct kiln_blob *b, const struct kiln_arg_info *a) {
  kiln_blob_put_string(b, a->name);
  kiln_blob_put_string(b, a->type_name);
  kiln_blob_put_u32(b, a->address);
  kiln_blob_put_u32(b, a->access);
  kiln_blob_put_u64(b, a->qualifier);
  kiln_blob_put_u32(b, a->kind);
  kiln_blob_put_u32(b, a->size);
  kiln_blob_put_u32(b, a->offset);
  kiln_blob_put_u32(b, a->align);
  kiln_blob_put_u32(b, a->image);
  kiln_blob_put_u32(b, a->stored);
  kiln_blob_put_u32(b, a->tallied);
  kiln_blob_put_u32(b, a->integer);
  kiln_blob_put_u32(b, a->turns);
}

static void arg_read(struct kiln_reader *r, struct kiln_arg_info *a) {
  a->name = kiln_read_string(r);
  a->type_name = kiln_read_string(r);
  a->address = kiln_read_u32(r);
  a->access = kiln_read_u32(r);
  a->qualifier = kiln_read_u64(r);
  a->kind = kiln_read_u32(r);
  a->size = kiln_read_u32(r);
  a->offset = kiln_read_u32(r);
  a->align = kiln_read_u32(r);
  a->image = kiln_read_u32(r);
  a->stored = kiln_read_u32(r);
  a->tallied = kiln_read_u32(r);
  a->integer = kiln_read_u32(r);
  a->turns = kiln_read_u32(r);
}

static void kernel_put(struct kiln_blob *b, const struct kiln_kernel_info *k) {
  kiln_blob_put_string(b, k->name);
  kiln_blob_put_string(b, k->attributes);
  for (int i = 0; i < 3; i++) kiln_blob_put_u32(b, k->reqd_size[i]);
  for (int i = 0; i < 3; i++) kiln_blob_put_u32(b, k->hint_size[i]);
  kiln_blob_put_u32(b, k->args_size);
  kiln_blob_put_u32(b, k->local_bytes);
  kiln_blob_put_u64(b, k->private_bytes);
  kiln_blob_put_u64(b, k->private_bound);
  kiln_blob_put_u32(b, k->subgroup_size);
  kiln_blob_put_u32(b, k->reqd_subgroup);
  kiln_blob_put_u32(b, k->flags);
  kiln_blob_put_u32(b, k->tiling.form);
  kiln_blob_put_u32(b, k->tiling.along);
  kiln_blob_put_u32(b, k->tiling.across);
  kiln_blob_put_u32(b, k->num_args);
  for (uint32_t i = 0; i < k->num_args; i++) arg_put(b, &k->args[i]);
}

/* What the driver and clSetKernelArg rely on: an argument lies within the block. */
static bool arg_fits(const struct kiln_arg_info *a, uint32_t args_size) {
  uint32_t bytes = a->kind == KILN_ARG_VALUE                                  ? a->size
                   : a->kind == KILN_ARG_LOCAL || a->kind == KILN_ARG_SAMPLER ? 4
                                                                              : 8;
  if (a->integer > KILN_ARG_FACTOR || (a->integer && (a->kind != KILN_ARG_VALUE || a->size != 4)))
    return false;
  if (a->turns > 1 || (a->turns && (a->kind != KILN_ARG_VALUE || (a->size != 4 && a->size != 8))))
    return false;
  return a->kind <= KILN_ARG_PIPE && a->offset <= args_size && bytes <= args_size - a->offset;
}

static bool tiling_fits(const struct kiln_tiling *t) {
  if (t->form == KILN_TILE_UNKNOWN) return true;
  return t->form <= KILN_TILE_SQUARE && t->along <= 2 && t->across <= 2 && t->along != t->across;
}

static void kernel_read(struct kiln_reader *r, struct kiln_kernel_info *k) {
  k->name = kiln_read_string(r);
  k->attributes = kiln_read_string(r);
  for (int i = 0; i < 3; i++) k->reqd_size[i] = kiln_read_u32(r);
  for (int i = 0; i < 3; i++) k->hint_size[i] = kiln_read_u32(r);
  k->args_size = kiln_read_u32(r);
  k->local_bytes = kiln_read_u32(r);
  k->private_bytes = kiln_read_u64(r);
  k->private_bound = kiln_read_u64(r);
  k->subgroup_size = kiln_read_u32(r);
  k->reqd_subgroup = kiln_read_u32(r);
  if (!kiln_is_sub_group_size(k->subgroup_size)) r->failed = true;
  if (k->reqd_subgroup != 0 && k->reqd_subgroup != k->subgroup_size) r->failed = true;
  k->flags = kiln_read_u32(r);
  k->tiling.form = kiln_read_u32(r);
  k->tiling.along = kiln_read_u32(r);
  k->tiling.across = kiln_read_u32(r);
  if (!tiling_fits(&k->tiling)) r->failed = true;
  uint32_t count = read_count(r, MIN_ARG_BYTES);
  k->args = read_array(r, count, sizeof *k->args);
  k->num_args = k->args == NULL ? 0 : count;
  for (uint32_t i = 0; i < k->num_args; i++) {
    arg_read(r, &k->args[i]);
    if (!arg_fits(&k->args[i], k->args_size)) r->failed = true;
  }
}

static void kernel_finish(struct kiln_kernel_info *k) {
  for (uint32_t i = 0; i < k->num_args; i++) {
    kiln_free(k->args[i].name);
    kiln_free(k->args[i].type_name);
  }
  kiln_free(k->args);
  kiln_free(k->name);
  kiln_free(k->attributes);
}

/* ---- program-scope variables ---- */

static void globals_put(struct kiln_blob *b, const struct kiln_globals *g) {
  kiln_blob_put_u64(b, g->size);
  kiln_blob_put_u32(b, g->align);
  kiln_blob_put_bytes(b, g->bytes, g->num_bytes);
  kiln_blob_put_u32(b, g->num_fixups);
  for (uint32_t i = 0; i < g->num_fixups; i++) {
    kiln_blob_put_u64(b, g->fixups[i].at);
    kiln_blob_put_u64(b, g->fixups[i].to);
  }
}

/* What filling the block relies on: everything lies within it. */
static bool globals_fit(const struct kiln_globals *g) {
  if (g->size > (uint64_t)1 << 40 || g->num_bytes > g->size) return false;
  if (g->size > 0 && (g->align == 0 || (g->align & (g->align - 1)) != 0)) return false;
  for (uint32_t i = 0; i < g->num_fixups; i++)
    if (g->fixups[i].at > g->num_bytes || g->num_bytes - g->fixups[i].at < 8 || g->fixups[i].to > g->size)
      return false;
  return true;
}

static void globals_read(struct kiln_reader *r, struct kiln_globals *g) {
  g->size = kiln_read_u64(r);
  g->align = kiln_read_u32(r);
  g->bytes = read_copy(r, &g->num_bytes);
  uint32_t count = read_count(r, MIN_FIXUP_BYTES);
  g->fixups = read_array(r, count, sizeof *g->fixups);
  g->num_fixups = g->fixups == NULL ? 0 : count;
  for (uint32_t i = 0; i < g->num_fixups; i++) {
    g->fixups[i].at = kiln_read_u64(r);
    g->fixups[i].to = kiln_read_u64(r);
  }
  if (!globals_fit(g)) r->failed = true;
}

/* ---- images ---- */

void kiln_program_image_finish(struct kiln_program_image *image) {
  for (uint32_t i = 0; i < image->num_kernels; i++) kernel_finish(&image->kernels[i]);
  for (uint32_t i = 0; i < image->num_includes; i++) kiln_free(image->includes[i].path);
  kiln_free(image->kernels);
  kiln_free(image->includes);
  kiln_free(image->bitcode);
  kiln_free(image->options);
  kiln_free(image->globals.bytes);
  kiln_free(image->globals.fixups);
  *image = (struct kiln_program_image){0};
}

void kiln_program_image_put(struct kiln_blob *b, const struct kiln_program_image *image) {
  kiln_blob_put_u32(b, MAGIC + KILN_ABI_VERSION);
  kiln_blob_put_u32(b, image->type);
  kiln_blob_put_u32(b, image->uncacheable);
  for (int i = 0; i < 2; i++) kiln_blob_put_u64(b, image->hash[i]);
  kiln_blob_put_string(b, image->options);
  kiln_blob_put_bytes(b, image->bitcode, image->bitcode_size);
  kiln_blob_put_u32(b, image->num_kernels);
  for (uint32_t i = 0; i < image->num_kernels; i++) kernel_put(b, &image->kernels[i]);
  globals_put(b, &image->globals);
  kiln_blob_put_u32(b, image->num_includes);
  for (uint32_t i = 0; i < image->num_includes; i++) {
    kiln_blob_put_string(b, image->includes[i].path);
    kiln_blob_put_u64(b, image->includes[i].hash);
    kiln_blob_put_u32(b, image->includes[i].absent);
  }
}

static void includes_read(struct kiln_reader *r, struct kiln_program_image *image) {
  uint32_t count = read_count(r, MIN_INCLUDE_BYTES);
  image->includes = read_array(r, count, sizeof *image->includes);
  image->num_includes = image->includes == NULL ? 0 : count;
  for (uint32_t i = 0; i < image->num_includes; i++) {
    image->includes[i].path = kiln_read_string(r);
    image->includes[i].hash = kiln_read_u64(r);
    image->includes[i].absent = kiln_read_u32(r);
  }
}

void kiln_program_image_read(struct kiln_reader *r, struct kiln_program_image *image) {
  *image = (struct kiln_program_image){0};
  if (kiln_read_u32(r) != MAGIC + KILN_ABI_VERSION) r->failed = true;
  image->type = kiln_read_u32(r);
  if (image->type > KILN_PROGRAM_IMAGE_EXECUTABLE) r->failed = true;
  image->uncacheable = kiln_read_u32(r);
  for (int i = 0; i < 2; i++) image->hash[i] = kiln_read_u64(r);
  image->options = kiln_read_string(r);
  image->bitcode = read_copy(r, &image->bitcode_size);
  uint32_t count = read_count(r, MIN_KERNEL_BYTES);
  image->kernels = read_array(r, count, sizeof *image->kernels);
  image->num_kernels = image->kernels == NULL ? 0 : count;
  for (uint32_t i = 0; i < image->num_kernels; i++) kernel_read(r, &image->kernels[i]);
  globals_read(r, &image->globals);
  includes_read(r, image);
  if (r->failed) kiln_program_image_finish(image);
}

/* ---- requests ---- */

static void target_put(struct kiln_blob *b, const struct kiln_target *t) {
  kiln_blob_put_string(b, t->features);
  kiln_blob_put_string(b, t->tune);
  kiln_blob_put_string(b, t->extensions);
  kiln_blob_put_string(b, t->feature_macros);
  kiln_blob_put_u32(b, t->device_version);
  kiln_blob_put_u32(b, t->address_bits);
  kiln_blob_put_u32(b, t->image_support);
  kiln_blob_put_u64(b, t->arena_size);
}

static void target_read(struct kiln_reader *r, struct kiln_target *t) {
  t->features = kiln_read_string(r);
  t->tune = kiln_read_string(r);
  t->extensions = kiln_read_string(r);
  t->feature_macros = kiln_read_string(r);
  t->device_version = kiln_read_u32(r);
  t->address_bits = kiln_read_u32(r);
  t->image_support = kiln_read_u32(r);
  t->arena_size = kiln_read_u64(r);
}

static void spec_put(struct kiln_blob *b, const struct kiln_spec *s) {
  for (int i = 0; i < 3; i++) kiln_blob_put_u32(b, s->local_size[i]);
  kiln_blob_put_u32(b, s->uniform);
  kiln_blob_put_u32(b, s->offset_zero);
  kiln_blob_put_u32(b, s->small);
  kiln_blob_put_u32(b, s->rows);
  kiln_blob_put_u32(b, s->streams);
  kiln_blob_put_u32(b, s->tallies);
  kiln_blob_put_u32(b, s->apart);
  kiln_blob_put_u32(b, s->grain);
  kiln_blob_put_u32(b, s->width);
  kiln_blob_put_u32(b, s->most);
  for (int i = 0; i < KILN_SPEC_OPAQUE; i++) kiln_blob_put_u32(b, s->opaque[i]);
}

static void spec_read(struct kiln_reader *r, struct kiln_spec *s) {
  for (int i = 0; i < 3; i++) s->local_size[i] = kiln_read_u32(r);
  s->uniform = kiln_read_u32(r);
  s->offset_zero = kiln_read_u32(r);
  s->small = kiln_read_u32(r);
  r->failed |= s->small >= KILN_SMALLS;
  s->rows = kiln_read_u32(r);
  r->failed |= s->rows >= KILN_ROWS_KINDS;
  s->streams = kiln_read_u32(r);
  s->tallies = kiln_read_u32(r);
  s->apart = kiln_read_u32(r);
  s->grain = kiln_read_u32(r);
  s->width = kiln_read_u32(r);
  s->most = kiln_read_u32(r);
  for (int i = 0; i < KILN_SPEC_OPAQUE; i++) s->opaque[i] = kiln_read_u32(r);
}

void kiln_request_put(struct kiln_blob *b, const struct kiln_request *q) {
  kiln_blob_put_u32(b, MAGIC);
  kiln_blob_put_u32(b, q->kind);
  target_put(b, &q->target);
  kiln_blob_put_string(b, q->options);
  kiln_blob_put_bytes(b, q->source, q->source == NULL ? 0 : q->source_size);
  kiln_blob_put_u32(b, q->num_headers);
  for (uint32_t i = 0; i < q->num_headers; i++) {
    kiln_blob_put_string(b, q->headers[i].name);
    kiln_blob_put_bytes(b, q->headers[i].text, q->headers[i].size);
  }
  kiln_blob_put_u32(b, q->executable);
  kiln_blob_put_u32(b, q->num_inputs);
  for (uint32_t i = 0; i < q->num_inputs; i++) kiln_program_image_put(b, q->inputs[i]);
  kiln_blob_put_u32(b, q->library);
  kiln_blob_put_u32(b, q->image != NULL);
  if (q->image != NULL) kiln_program_image_put(b, q->image);
  kiln_blob_put_string(b, q->kernel);
  spec_put(b, &q->spec);
  kiln_blob_put_u32(b, q->optimize);
}

static void headers_read(struct kiln_reader *r, struct kiln_request *q) {
  uint32_t count = read_count(r, MIN_HEADER_BYTES);
  struct kiln_source_header *headers = read_array(r, count, sizeof *headers);
  q->headers = headers;
  q->num_headers = headers == NULL ? 0 : count;
  for (uint32_t i = 0; i < q->num_headers; i++) {
    headers[i].name = kiln_read_string(r);
    headers[i].text = (char *)read_copy(r, &headers[i].size);
  }
}

static struct kiln_program_image *fresh_image_read(struct kiln_reader *r) {
  struct kiln_program_image *image = read_array(r, 1, sizeof *image);
  if (image != NULL) kiln_program_image_read(r, image);
  return image;
}

static void inputs_read(struct kiln_reader *r, struct kiln_request *q) {
  uint32_t count = read_count(r, MIN_IMAGE_BYTES);
  const struct kiln_program_image **inputs = read_array(r, count, sizeof *inputs);
  q->inputs = inputs;
  for (; inputs != NULL && q->num_inputs < count; q->num_inputs++)
    inputs[q->num_inputs] = fresh_image_read(r);
}

void kiln_request_read(struct kiln_reader *r, struct kiln_request *q) {
  *q = (struct kiln_request){0};
  if (kiln_read_u32(r) != MAGIC) r->failed = true;
  q->kind = kiln_read_u32(r);
  target_read(r, &q->target);
  q->options = kiln_read_string(r);
  q->source = (char *)read_copy(r, &q->source_size);
  headers_read(r, q);
  q->executable = kiln_read_u32(r);
  inputs_read(r, q);
  q->library = kiln_read_u32(r);
  if (kiln_read_u32(r) != 0) q->image = fresh_image_read(r);
  q->kernel = kiln_read_string(r);
  spec_read(r, &q->spec);
  q->optimize = kiln_read_u32(r);
  if (q->kind > KILN_REQUEST_CODEGEN || (q->kind == KILN_REQUEST_CODEGEN && q->image == NULL))
    r->failed = true;
  if (r->failed) kiln_request_finish(q);
}

static void owned_image_free(const struct kiln_program_image *image) {
  if (image != NULL) kiln_program_image_finish((struct kiln_program_image *)image);
  kiln_free((void *)image);
}

void kiln_request_finish(struct kiln_request *q) {
  kiln_free((void *)q->target.features);
  kiln_free((void *)q->target.tune);
  kiln_free((void *)q->target.extensions);
  kiln_free((void *)q->target.feature_macros);
  kiln_free((void *)q->options);
  kiln_free((void *)q->source);
  for (uint32_t i = 0; i < q->num_headers; i++) {
    kiln_free((void *)q->headers[i].name);
    kiln_free((void *)q->headers[i].text);
  }
  kiln_free((void *)q->headers);
  for (uint32_t i = 0; i < q->num_inputs; i++) owned_image_free(q->inputs[i]);
  kiln_free((void *)q->inputs);
  owned_image_free(q->image);
  kiln_free((void *)q->kernel);
  *q = (struct kiln_request){0};
}

/* ---- replies ---- */

void kiln_reply_put(struct kiln_blob *b, const struct kiln_reply *reply) {
  kiln_blob_put_u32(b, MAGIC);
  kiln_blob_put_u32(b, reply->status);
  kiln_blob_put_string(b, reply->log);
  kiln_blob_put_bytes(b, reply->object, reply->object == NULL ? 0 : reply->object_size);
  kiln_program_image_put(b, &reply->image);
}

void kiln_reply_read(struct kiln_reader *r, struct kiln_reply *reply) {
  *reply = (struct kiln_reply){0};
  if (kiln_read_u32(r) != MAGIC) r->failed = true;
  reply->status = kiln_read_u32(r);
  if (reply->status > KILN_REPLY_NO_COMPILER) r->failed = true;
  reply->log = kiln_read_string(r);
  reply->object = read_copy(r, &reply->object_size);
  kiln_program_image_read(r, &reply->image);
  if (r->failed) kiln_reply_finish(reply);
}

void kiln_reply_finish(struct kiln_reply *reply) {
  kiln_program_image_finish(&reply->image);
  kiln_free(reply->log);
  kiln_free(reply->object);
  *reply = (struct kiln_reply){0};
}
