/* What commands on buffers and images share: checks, who waits and is told, copies, mappings. */
#ifndef KILN_API_TRANSFER_H
#define KILN_API_TRANSFER_H

#include "core/command.h"
#include "core/mem.h"

struct kiln_sync {
  cl_uint num_waits;
  const cl_event *waits;
  cl_event *event;
  cl_bool blocking;
};

cl_int kiln_check_queue(kiln_queue *queue, const char *where);
/* CL_INVALID_MEM_OBJECT unless mem is a buffer; CL_INVALID_CONTEXT if of another context than queue;
 * CL_MISALIGNED_SUB_BUFFER_OFFSET if mem is a sub-buffer that the queue's device cannot address. */
cl_int kiln_check_buffer(kiln_queue *queue, kiln_mem *mem, const char *where, const char *argument);
/* CL_INVALID_VALUE if size bytes at offset exceed mem. */
cl_int kiln_check_span(kiln_mem *mem, size_t offset, size_t size, const char *where, const char *argument);
/* CL_INVALID_OPERATION if the host may not read (or write) mem. */
cl_int kiln_check_host_access(kiln_mem *mem, bool reads, bool writes, const char *where);
/* CL_INVALID_VALUE unless flags go together, CL_INVALID_OPERATION if the host may not use mem so. */
cl_int kiln_check_map_flags(kiln_mem *mem, cl_map_flags flags, const char *where);

/* Holds both objects (either may be NULL) and enqueues; gives cmd up on failure. */
cl_int kiln_enqueue_holding(kiln_cmd *cmd, kiln_mem *a, kiln_mem *b, const struct kiln_sync *sync);
/* A command that copies, or does nothing where there is nothing to move. */
cl_int kiln_enqueue_copy(kiln_queue *queue, cl_command_type type, const struct kiln_copy *copy, kiln_mem *a,
                         kiln_mem *b, const struct kiln_sync *sync);
/* A command that maps the bytes of box, checked by the caller. CL_INVALID_OPERATION if they would be mapped
 * for writing twice. */
cl_int kiln_enqueue_map(kiln_queue *queue, cl_command_type type, kiln_mem *mem, cl_map_flags flags,
                        const struct kiln_box *box, const struct kiln_sync *sync, const char *where);

#endif
