/* Buffers and sub-buffers (images come with the image issue): one host-visible allocation each. */
#ifndef KILN_CORE_MEM_H
#define KILN_CORE_MEM_H

#include "core/context.h"

struct kiln_mapping { /* one clEnqueueMapBuffer not yet unmapped; list guarded by mem->lock */
  struct kiln_mapping *next;
  void *pointer;
  size_t offset, size;
  cl_map_flags flags;
};

struct _cl_mem {
  struct kiln_object object;
  kiln_context *context; /* held */
  cl_mem_object_type type;
  cl_mem_flags flags;
  size_t size;                   /* bytes */
  uint8_t *data;                 /* where the bytes are, valid from creation; host_ptr for USE_HOST_PTR */
  void *host_ptr;                /* as given with USE_HOST_PTR (sub-buffers: derived) */
  kiln_mem *parent;              /* sub-buffer: held */
  size_t origin;                 /* sub-buffer: byte offset in parent */
  cl_mem_properties *properties; /* as given to WithProperties; NULL if none */
  uint32_t properties_size;
  struct kiln_lock lock; /* rank MEM: mappings, map_count, destructors */
  struct kiln_mapping *mappings;
  uint32_t map_count;
  struct kiln_destructor *destructors;
};

#endif
