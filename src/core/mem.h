/* What buffers and images have in common: storage of their own (one host-visible allocation) or a view of
 * another object's, flags, mappings. */
#ifndef KILN_CORE_MEM_H
#define KILN_CORE_MEM_H

#include "core/context.h"
#include "core/rect.h"

struct kiln_mapping { /* one clEnqueueMapBuffer or clEnqueueMapImage not yet unmapped */
  struct kiln_mapping *next;
  kiln_mem *mem;       /* what was mapped; not held: it takes its mappings with it */
  struct kiln_box box; /* its start is what the application got */
  cl_map_flags flags;
  uint64_t id; /* among those of the same storage */
};

struct _cl_mem {
  struct kiln_object object;
  kiln_context *context; /* held */
  cl_mem_object_type type;
  cl_mem_flags flags;
  size_t size;                   /* bytes */
  uint8_t *data;                 /* where the bytes are, valid from creation; host_ptr for USE_HOST_PTR */
  void *host_ptr;                /* as given with USE_HOST_PTR (sub-buffers: derived) */
  kiln_mem *parent;              /* whose bytes these are: held; NULL if they are the object's own */
  size_t origin;                 /* sub-buffer: byte offset in parent */
  cl_mem_properties *properties; /* as given to WithProperties; NULL if none */
  uint32_t properties_size;
  struct kiln_lock lock;         /* rank MEM: mappings, destructors, and map_count of this and its views */
  struct kiln_mapping *mappings; /* newest first; those of a view stand in the list of the bytes' owner */
  uint64_t last_mapping;         /* id given last */
  uint32_t map_count;
  struct kiln_destructor *destructors;
};

struct kiln_mem_desc {
  cl_mem_flags flags; /* as given, checked; no access flag means CL_MEM_READ_WRITE */
  size_t size;        /* bytes, not 0 */
  void *host_ptr;     /* NULL unless flags ask for one */
  kiln_mem *parent;   /* NULL, or whose bytes the object is a view of, from byte origin on */
  size_t origin;
  const cl_mem_properties *properties; /* 0-terminated as given; NULL if none */
  uint32_t properties_size;
};

/* An object of type in object_size zeroed bytes, which begin with struct _cl_mem, with its storage; the
 * bounds of a view are checked by the caller. CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int kiln_mem_create(kiln_context *context, cl_mem_object_type type, size_t object_size,
                       const struct kiln_mem_desc *desc, kiln_mem **mem_out);

/* Notes a mapping of a part of mem. CL_OUT_OF_HOST_MEMORY; CL_INVALID_OPERATION, unreported, if it is one for
 * writing and shares a byte with another for writing of any object with the same storage.
 * id_out is for kiln_mem_forget. */
cl_int kiln_mem_map(kiln_mem *mem, cl_map_flags flags, const struct kiln_box *box, uint64_t *id_out);
/* Drops the mapping of that id, unless it was unmapped: the command that was to make it failed. */
void kiln_mem_forget(kiln_mem *mem, uint64_t id);
/* Takes the newest mapping of mem at pointer out of the list and hands it to the caller, who frees it with
 * kiln_free or puts it back; NULL if there is none. */
struct kiln_mapping *kiln_mem_unmap(kiln_mem *mem, const void *pointer);
/* Puts back what kiln_mem_unmap took. */
void kiln_mem_remap(struct kiln_mapping *mapping);
uint32_t kiln_mem_map_count(kiln_mem *mem);

#endif
