/* Owns program objects: their source or binaries and their builds. */
#include "core/program.h"

#include "base/alloc.h"
#include "core/binary.h"
#include "core/error.h"

#include <string.h>

/* A program for devices, each with an empty build. */
static cl_int create(kiln_context *context, enum kiln_program_origin origin, uint32_t num_devices,
                     kiln_device *const *devices, kiln_program **program_out) {
  kiln_program *program = kiln_object_new(KILN_T_PROGRAM, sizeof *program);
  if (program == NULL) return kiln_fail_oom(context);
  kiln_lock_init(&program->lock, KILN_RANK_PROGRAM);
  program->context = kiln_ref(context);
  program->origin = origin;
  program->devices = kiln_zalloc(num_devices * sizeof *program->devices);
  program->builds = kiln_zalloc(num_devices * sizeof *program->builds);
  if (program->devices == NULL || program->builds == NULL) goto fail;
  for (uint32_t i = 0; i < num_devices; i++) {
    program->devices[i] = kiln_ref(devices[i]);
    program->num_devices = i + 1;
    program->builds[i] = kiln_build_new(devices[i]);
    if (program->builds[i] == NULL) goto fail;
  }
  *program_out = program;
  return CL_SUCCESS;
fail:
  kiln_unref(&program);
  return kiln_fail_oom(context);
}

void kiln_program_destroy(kiln_program *program) {
  for (uint32_t i = 0; i < program->num_devices; i++) {
    kiln_build_unref(&program->builds[i]);
    kiln_unref(&program->devices[i]);
    if (program->binaries != NULL) kiln_free(program->binaries[i].data);
  }
  kiln_free(program->binaries);
  kiln_free(program->builds);
  kiln_free(program->devices);
  kiln_free(program->source);
  kiln_lock_finish(&program->lock);
  kiln_unref(&program->context);
  kiln_object_free(program);
}

/* ---- source ---- */

static size_t length_of(const char **strings, const size_t *lengths, cl_uint i) {
  return lengths == NULL || lengths[i] == 0 ? strlen(strings[i]) : lengths[i];
}

/* Appends text without its NULs, as CL_PROGRAM_SOURCE reports it. */
static void append(char **end, const char *text, size_t size) {
  while (size > 0) {
    const char *nul = memchr(text, '\0', size);
    size_t run = nul == NULL ? size : (size_t)(nul - text);
    memcpy(*end, text, run);
    *end += run;
    run += nul != NULL;
    text += run;
    size -= run;
  }
}

cl_int kiln_program_from_source(kiln_context *context, cl_uint count, const char **strings,
                                const size_t *lengths, kiln_program **program_out) {
  kiln_program *program;
  cl_int err = create(context, KILN_FROM_SOURCE, context->num_devices, context->devices, &program);
  if (err != CL_SUCCESS) return err;
  size_t total = 1;
  for (cl_uint i = 0; i < count; i++) total += length_of(strings, lengths, i);
  program->source = kiln_alloc(total);
  if (program->source == NULL) {
    kiln_unref(&program);
    return kiln_fail_oom(context);
  }
  char *end = program->source;
  for (cl_uint i = 0; i < count; i++) append(&end, strings[i], length_of(strings, lengths, i));
  *end = '\0';
  program->source_size = (size_t)(end - program->source);
  *program_out = program;
  return CL_SUCCESS;
}

/* ---- binaries ---- */

static cl_int load_binary(kiln_program *program, uint32_t i, const unsigned char *binary, size_t length) {
  char why[200];
  cl_int err = kiln_binary_read(binary, length, program->builds[i], why, sizeof why);
  if (err == CL_INVALID_BINARY)
    return kiln_fail(program->context, err, "clCreateProgramWithBinary", "binaries[%u] for %s: %s", i,
                     program->devices[i]->backend->caps.name, why);
  if (err != CL_SUCCESS) return err;
  program->binaries[i].data = kiln_alloc(length);
  if (program->binaries[i].data == NULL) return kiln_fail_oom(program->context);
  memcpy(program->binaries[i].data, binary, length);
  program->binaries[i].size = length;
  return CL_SUCCESS;
}

cl_int kiln_program_from_binaries(kiln_context *context, cl_uint num_devices, const cl_device_id *devices,
                                  const size_t *lengths, const unsigned char **binaries, cl_int *status_out,
                                  kiln_program **program_out) {
  kiln_program *program;
  cl_int err = create(context, KILN_FROM_BINARY, num_devices, devices, &program);
  if (err != CL_SUCCESS) return err;
  program->binaries = kiln_zalloc(num_devices * sizeof *program->binaries);
  if (program->binaries == NULL) err = kiln_fail_oom(context);
  for (cl_uint i = 0; program->binaries != NULL && i < num_devices; i++) {
    cl_int status = load_binary(program, i, binaries[i], lengths[i]);
    if (status_out != NULL) status_out[i] = status;
    if (err == CL_SUCCESS) err = status;
  }
  if (err != CL_SUCCESS) kiln_unref(&program);
  else *program_out = program;
  return err;
}

cl_int kiln_program_for_link(kiln_context *context, cl_uint num_devices, const cl_device_id *devices,
                             kiln_program **program_out) {
  return create(context, KILN_FROM_LINK, num_devices, devices, program_out);
}

/* ---- builds ---- */

uint32_t kiln_program_device_index(const kiln_program *program, const kiln_device *device) {
  uint32_t i = 0;
  while (i < program->num_devices && program->devices[i] != device) i++;
  return i;
}

struct kiln_build *kiln_program_build(kiln_program *program, uint32_t index) {
  kiln_lock(&program->lock);
  struct kiln_build *build = kiln_build_ref(program->builds[index]);
  kiln_unlock(&program->lock);
  return build;
}

/* Something was built, compiled, linked or loaded for its device, or is being, or failed to be. */
static bool is_used(const struct kiln_build *build) {
  return atomic_load_explicit(&build->status, memory_order_acquire) != CL_BUILD_NONE ||
         build->product != NULL;
}

struct kiln_build *kiln_program_build_for(kiln_program *program, kiln_device *device) {
  struct kiln_build *nearest = NULL;
  for (kiln_device *d = device; d != NULL && (nearest == NULL || !is_used(nearest)); d = d->parent) {
    uint32_t index = kiln_program_device_index(program, d);
    if (index == program->num_devices) continue;
    struct kiln_build *build = kiln_program_build(program, index);
    if (nearest == NULL || is_used(build)) {
      kiln_build_unref(&nearest);
      nearest = build;
    } else {
      kiln_build_unref(&build);
    }
  }
  return nearest;
}

struct kiln_build *kiln_program_executable(kiln_program *program) {
  for (uint32_t i = 0; i < program->num_devices; i++) {
    struct kiln_build *build = kiln_program_build(program, i);
    if (kiln_build_executable(build) != NULL) return build;
    kiln_build_unref(&build);
  }
  return NULL;
}

void kiln_program_attach_kernel(kiln_program *program, struct kiln_build **builds_out) {
  kiln_lock(&program->lock);
  for (uint32_t i = 0; i < program->num_devices; i++) builds_out[i] = kiln_build_ref(program->builds[i]);
  program->num_kernels++;
  kiln_unlock(&program->lock);
}

void kiln_program_detach_kernel(kiln_program *program) {
  kiln_lock(&program->lock);
  program->num_kernels--;
  kiln_unlock(&program->lock);
}
