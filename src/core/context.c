/* Owns context objects. Checks of arguments are the API's. */
#include "core/context.h"

#include "base/alloc.h"
#include "core/destructor.h"

#include <string.h>

bool kiln_context_has_device(const kiln_context *context, const kiln_device *device) {
  for (uint32_t i = 0; i < context->num_devices; i++)
    if (context->devices[i] == device) return true;
  return false;
}

bool kiln_context_has_images(const kiln_context *context) {
  for (uint32_t i = 0; i < context->num_devices; i++)
    if (context->devices[i]->backend->caps.target.image_support) return true;
  return false;
}

/* Holds each device once, however often the list names it. */
static bool hold_devices(kiln_context *context, uint32_t num_devices, kiln_device *const *devices) {
  context->devices = kiln_alloc(num_devices * sizeof *devices);
  if (context->devices == NULL) return false;
  for (uint32_t i = 0; i < num_devices; i++) {
    if (kiln_context_has_device(context, devices[i])) continue;
    context->devices[context->num_devices++] = kiln_ref(devices[i]);
    if (devices[i]->backend->caps.max_alloc_bytes > context->largest_alloc) {
      context->largest_alloc = devices[i]->backend->caps.max_alloc_bytes;
      context->largest_alloc_device = devices[i];
    }
  }
  return true;
}

static bool copy_properties(kiln_context *context, const cl_context_properties *properties) {
  if (properties == NULL) return true;
  uint32_t size = 1;
  while (properties[size - 1] != 0) size += 2;
  context->properties = kiln_alloc(size * sizeof *properties);
  if (context->properties == NULL) return false;
  memcpy(context->properties, properties, size * sizeof *properties);
  context->properties_size = size;
  return true;
}

cl_int kiln_context_create(kiln_platform *platform, const cl_context_properties *properties,
                           uint32_t num_devices, kiln_device *const *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *notify_data, kiln_context **context_out) {
  kiln_context *context = kiln_object_new(KILN_T_CONTEXT, sizeof *context);
  if (context == NULL) return CL_OUT_OF_HOST_MEMORY;
  kiln_lock_init(&context->graph_lock, KILN_RANK_GRAPH);
  kiln_lock_init(&context->lock, KILN_RANK_CONTEXT);
  context->platform = platform;
  if (!hold_devices(context, num_devices, devices) || !copy_properties(context, properties)) {
    kiln_unref(&context);
    return CL_OUT_OF_HOST_MEMORY;
  }
  context->notify = notify;
  context->notify_data = notify_data;
  *context_out = context;
  return CL_SUCCESS;
}

void kiln_context_destroy(kiln_context *context) {
  kiln_destructor_run(&context->destructors, context);
  for (uint32_t i = 0; i < context->num_devices; i++) kiln_unref(&context->devices[i]);
  kiln_free(context->devices);
  kiln_free(context->properties);
  kiln_lock_finish(&context->graph_lock);
  kiln_lock_finish(&context->lock);
  kiln_object_free(context);
}
