/* What the constructors of buffers and images check alike. */
#ifndef KILN_API_MEMORY_H
#define KILN_API_MEMORY_H

#include "core/mem.h"

#define KILN_ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define KILN_POINTER_FLAGS (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
#define KILN_HOST_FLAGS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define KILN_MEM_FLAGS (KILN_ACCESS_FLAGS | KILN_POINTER_FLAGS | KILN_HOST_FLAGS)

/* CL_INVALID_VALUE unless flags are some of those allowed that go together. */
cl_int kiln_check_mem_flags(kiln_context *context, cl_mem_flags flags, cl_mem_flags allowed,
                            const char *where);
/* CL_INVALID_HOST_PTR unless host_ptr is there exactly if flags want one. */
cl_int kiln_check_host_ptr(kiln_context *context, cl_mem_flags flags, const void *host_ptr,
                           const char *where);
/* CL_INVALID_PROPERTY, or the entries of the list with the 0 that ends it; 0 if it is NULL. */
cl_int kiln_check_mem_properties(kiln_context *context, const cl_mem_properties *properties,
                                 uint32_t *size_out, const char *where);

/* A sub-buffer, or an image of another object's bytes. CL_INVALID_VALUE if flags ask for what parent's forbid
 * or for host memory. */
cl_int kiln_check_view_flags(const kiln_mem *parent, cl_mem_flags flags, const char *where);
/* The flags of a view with those it inherits. */
cl_mem_flags kiln_view_flags(const kiln_mem *parent, cl_mem_flags flags);

#endif
