/* A context: its devices, the lock of its dependency graph, its callbacks. */
#ifndef KILN_CORE_CONTEXT_H
#define KILN_CORE_CONTEXT_H

#include "base/lock.h"
#include "core/device.h"

struct kiln_destructor { /* clSet*DestructorCallback, clSetProgramReleaseCallback: a stack, last in first out
                          */
  struct kiln_destructor *next;
  void(CL_CALLBACK *function)(void *handle, void *user_data);
  void *user_data;
};

struct _cl_context {
  struct kiln_object object;
  kiln_platform *platform;
  uint32_t num_devices;
  kiln_device **devices;             /* each held */
  cl_context_properties *properties; /* as given, 0-terminated; NULL if none */
  uint32_t properties_size;          /* entries incl. the 0 */
  void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
  void *notify_data;
  struct kiln_lock graph_lock; /* rank GRAPH: event edges and callbacks of all commands of this context */
  struct kiln_lock lock;       /* rank CONTEXT: destructors */
  struct kiln_destructor *destructors;
  /* The largest limits among the devices, for argument checks, and whose they are. */
  uint64_t largest_alloc;
  kiln_device *largest_alloc_device;
};

/* Arguments are checked by the caller; devices may repeat and are held once each; properties are copied.
 * Errors: CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_context_create(kiln_platform *platform, const cl_context_properties *properties,
                           uint32_t num_devices, kiln_device *const *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *notify_data, kiln_context **context_out);

bool kiln_context_has_device(const kiln_context *context, const kiln_device *device);
bool kiln_context_has_images(const kiln_context *context); /* any of its devices supports images */

#endif
