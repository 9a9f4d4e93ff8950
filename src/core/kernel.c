/* Owns kernel objects and their argument values. Knows no ranges. */
#include "core/kernel.h"

#include "base/alloc.h"
#include "core/error.h"
#include "core/image.h"
#include "core/launch.h"
#include "core/sampler.h"

#include <string.h>

/* ---- creation ---- */

static bool same_argument(const struct kiln_arg_info *a, const struct kiln_arg_info *b) {
  return a->kind == b->kind && a->size == b->size && a->offset == b->offset && a->address == b->address &&
         a->access == b->access && a->image == b->image && strcmp(a->type_name, b->type_name) == 0;
}

bool kiln_kernel_same_definition(const struct kiln_kernel_info *a, const struct kiln_kernel_info *b) {
  if (a->num_args != b->num_args || a->args_size != b->args_size) return false;
  for (uint32_t i = 0; i < a->num_args; i++)
    if (!same_argument(&a->args[i], &b->args[i])) return false;
  return true;
}

static const struct kiln_kernel_info *find_in_image(const struct kiln_program_image *image,
                                                    const char *name) {
  for (uint32_t k = 0; k < image->num_kernels; k++)
    if (strcmp(image->kernels[k].name, name) == 0) return &image->kernels[k];
  return NULL;
}

/* A kernel object attached to program, holding its builds, without info yet. */
static kiln_kernel *new_kernel(kiln_program *program) {
  kiln_kernel *kernel = kiln_object_new(KILN_T_KERNEL, sizeof *kernel);
  if (kernel == NULL) return NULL;
  kiln_lock_init(&kernel->lock, KILN_RANK_KERNEL);
  kernel->program = kiln_ref(program);
  kernel->builds = kiln_zalloc(program->num_devices * sizeof *kernel->builds);
  kernel->infos = kiln_zalloc(program->num_devices * sizeof *kernel->infos);
  if (kernel->builds != NULL && kernel->infos != NULL) {
    kernel->num_builds = program->num_devices;
    return kernel;
  }
  kiln_unref(&kernel);
  return NULL;
}

static bool add_arguments(kiln_kernel *kernel) {
  kernel->args = kiln_zalloc(kernel->info->num_args * sizeof *kernel->args);
  kernel->values = kiln_zalloc(kernel->info->args_size);
  return kernel->args != NULL && kernel->values != NULL;
}

/* Fills infos from the builds. */
static cl_int find_definitions(kiln_kernel *kernel, const char *name, const char *where) {
  kiln_context *context = kernel->program->context;
  bool executable = false;
  for (uint32_t i = 0; i < kernel->num_builds; i++) {
    const struct kiln_program_image *image = kiln_build_executable(kernel->builds[i]);
    executable = executable || image != NULL;
    kernel->infos[i] = image == NULL ? NULL : find_in_image(image, name);
    if (kernel->infos[i] == NULL) continue;
    if (kernel->info == NULL) kernel->info = kernel->infos[i];
    /* CL_INVALID_KERNEL_DEFINITION if the function definition for __kernel function given by kernel_name such
       as the number of arguments, the argument types are not the same for all devices for which the program
       executable has been built. */
    if (!kiln_kernel_same_definition(kernel->info, kernel->infos[i]))
      return kiln_fail(context, CL_INVALID_KERNEL_DEFINITION, where,
                       "kernel %s has other arguments on %s than on the devices before it", name,
                       kernel->builds[i]->device->backend->caps.name);
  }
  /* CL_INVALID_PROGRAM_EXECUTABLE if there is no successfully built executable for program. */
  if (!executable)
    return kiln_fail(context, CL_INVALID_PROGRAM_EXECUTABLE, where,
                     "program %p has no successfully built executable", (void *)kernel->program);
  /* CL_INVALID_KERNEL_NAME if kernel_name is not found in program. */
  if (kernel->info == NULL)
    return kiln_fail(context, CL_INVALID_KERNEL_NAME, where, "kernel_name \"%s\" is no kernel of the program",
                     name);
  return CL_SUCCESS;
}

cl_int kiln_kernel_create(kiln_program *program, const char *name, const char *where,
                          kiln_kernel **kernel_out) {
  kiln_kernel *kernel = new_kernel(program);
  if (kernel == NULL) return kiln_fail_oom(program->context);
  kiln_program_attach_kernel(program, kernel->builds);
  atomic_store(&kernel->attached, true);
  cl_int err = find_definitions(kernel, name, where);
  if (err == CL_SUCCESS && !add_arguments(kernel)) err = kiln_fail_oom(program->context);
  if (err != CL_SUCCESS) kiln_unref(&kernel);
  else *kernel_out = kernel;
  return err;
}

cl_int kiln_kernel_clone(kiln_kernel *source, kiln_kernel **kernel_out) {
  kiln_kernel *kernel = new_kernel(source->program);
  if (kernel == NULL) return kiln_fail_oom(source->program->context);
  /* The builds of the source, not the program's of today: they are the same while the source is attached. */
  kiln_program_attach_kernel(source->program, kernel->builds);
  atomic_store(&kernel->attached, true);
  for (uint32_t i = 0; i < kernel->num_builds; i++) {
    kiln_build_unref(&kernel->builds[i]);
    kernel->builds[i] = kiln_build_ref(source->builds[i]);
    kernel->infos[i] = source->infos[i];
  }
  kernel->info = source->info;
  if (!add_arguments(kernel)) {
    kiln_unref(&kernel);
    return kiln_fail_oom(source->program->context);
  }
  kiln_lock(&source->lock);
  memcpy(kernel->args, source->args, kernel->info->num_args * sizeof *kernel->args);
  memcpy(kernel->values, source->values, kernel->info->args_size);
  kiln_unlock(&source->lock);
  *kernel_out = kernel;
  return CL_SUCCESS;
}

void kiln_kernel_detach(kiln_kernel *kernel) {
  if (atomic_exchange(&kernel->attached, false)) kiln_program_detach_kernel(kernel->program);
}

void kiln_kernel_destroy(kiln_kernel *kernel) {
  kiln_kernel_detach(kernel);
  for (uint32_t i = 0; i < kernel->num_builds; i++) kiln_build_unref(&kernel->builds[i]);
  kiln_free(kernel->builds);
  kiln_free(kernel->infos);
  kiln_free(kernel->args);
  kiln_free(kernel->values);
  kiln_lock_finish(&kernel->lock);
  kiln_unref(&kernel->program);
  kiln_object_free(kernel);
}

bool kiln_kernel_find(const kiln_kernel *kernel, const kiln_device *device, struct kiln_build **build_out,
                      const struct kiln_kernel_info **info_out) {
  for (; device != NULL; device = device->parent) {
    uint32_t index = kiln_program_device_index(kernel->program, device);
    if (index == kernel->num_builds || kernel->infos[index] == NULL) continue;
    *build_out = kernel->builds[index];
    *info_out = kernel->infos[index];
    return true;
  }
  return false;
}

/* ---- argument values ---- */

void kiln_kernel_set_value(kiln_kernel *kernel, uint32_t index, const void *value) {
  const struct kiln_arg_info *info = &kernel->info->args[index];
  kiln_lock(&kernel->lock);
  memcpy(kernel->values + info->offset, value, info->size);
  kernel->args[index].set = true;
  kiln_unlock(&kernel->lock);
}

/* The address that kernels get for mem. */
static void set_object(kiln_kernel *kernel, uint32_t index, kiln_mem *mem, const void *pointer) {
  const struct kiln_arg_info *info = &kernel->info->args[index];
  uint64_t address = (uintptr_t)pointer;
  kiln_lock(&kernel->lock);
  memcpy(kernel->values + info->offset, &address, sizeof address);
  kernel->args[index].mem = mem;
  kernel->args[index].set = true;
  kiln_unlock(&kernel->lock);
}

void kiln_kernel_set_buffer(kiln_kernel *kernel, uint32_t index, kiln_mem *mem) {
  set_object(kernel, index, mem, mem == NULL ? NULL : mem->data);
}

void kiln_kernel_set_image(kiln_kernel *kernel, uint32_t index, kiln_mem *image) {
  set_object(kernel, index, image, &kiln_image_of(image)->desc);
}

void kiln_kernel_set_sampler(kiln_kernel *kernel, uint32_t index, const kiln_sampler *sampler) {
  uint32_t value = kiln_sampler_value(sampler);
  kiln_lock(&kernel->lock);
  memcpy(kernel->values + kernel->info->args[index].offset, &value, sizeof value);
  kernel->args[index].set = true;
  kiln_unlock(&kernel->lock);
}

void kiln_kernel_set_local(kiln_kernel *kernel, uint32_t index, size_t size) {
  kiln_lock(&kernel->lock);
  kernel->args[index].local_size = size;
  kernel->args[index].set = true;
  kiln_unlock(&kernel->lock);
}

uint64_t kiln_kernel_local_bytes(kiln_kernel *kernel, const struct kiln_kernel_info *info) {
  kiln_lock(&kernel->lock);
  uint64_t bytes = kiln_place_locals(info, kernel->args, NULL);
  kiln_unlock(&kernel->lock);
  return bytes;
}
