/* Commands that move or set bytes of buffers: read, write, copy, fill, their rectangular forms. */
#include "api/transfer.h"

#include "api/check.h"
#include "api/table.h"
#include "base/alloc.h"
#include "core/command.h"
#include "core/mem.h"
#include "core/queue.h"
#include "core/rect.h"

#include <stdint.h>
#include <string.h>

cl_int kiln_check_buffer(kiln_queue *queue, kiln_mem *mem, const char *where, const char *argument) {
  kiln_context *context = queue->context;
  /* CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object. */
  cl_int err = kiln_check_handle(context, mem, KILN_T_MEM, where, argument);
  if (err != CL_SUCCESS) return err;
  if (mem->type != CL_MEM_OBJECT_BUFFER)
    return kiln_fail(context, CL_INVALID_MEM_OBJECT, where, "%s %p is no buffer", argument, (void *)mem);
  /* CL_INVALID_CONTEXT if the context associated with command_queue and buffer are not the same. */
  if (mem->context != context)
    return kiln_fail(context, CL_INVALID_CONTEXT, where,
                     "%s %p belongs to another context than command_queue", argument, (void *)mem);
  /* CL_MISALIGNED_SUB_BUFFER_OFFSET if buffer is a sub-buffer object and offset specified when the sub-buffer
     object is created is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN value for device associated with queue.
   */
  uint32_t align = queue->device->backend->caps.mem_base_align_bits / 8;
  if (mem->parent != NULL && mem->origin % align != 0)
    return kiln_fail(context, CL_MISALIGNED_SUB_BUFFER_OFFSET, where,
                     "%s starts at byte %zu of its parent, no multiple of the %u bytes of %s", argument,
                     mem->origin, align, queue->device->backend->caps.name);
  return CL_SUCCESS;
}

cl_int kiln_check_queue(kiln_queue *queue, const char *where) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue. */
  return kiln_check_handle(NULL, queue, KILN_T_QUEUE, where, "command_queue");
}

cl_int kiln_check_span(kiln_mem *mem, size_t offset, size_t size, const char *where, const char *argument) {
  if (offset <= mem->size && size <= mem->size - offset) return CL_SUCCESS;
  return kiln_fail(mem->context, CL_INVALID_VALUE, where,
                   "%zu bytes at offset %zu exceed the %zu bytes of %s", size, offset, mem->size, argument);
}

cl_int kiln_check_host_access(kiln_mem *mem, bool reads, bool writes, const char *where) {
  cl_mem_flags forbidden = CL_MEM_HOST_NO_ACCESS;
  if (reads) forbidden |= CL_MEM_HOST_WRITE_ONLY;
  if (writes) forbidden |= CL_MEM_HOST_READ_ONLY;
  if ((mem->flags & forbidden) == 0) return CL_SUCCESS;
  return kiln_fail(mem->context, CL_INVALID_OPERATION, where,
                   "the %s was created with flags 0x%llX, which forbid the host to %s it",
                   mem->type == CL_MEM_OBJECT_BUFFER ? "buffer" : "image", (unsigned long long)mem->flags,
                   reads ? "read" : "write");
}

cl_int kiln_enqueue_holding(kiln_cmd *cmd, kiln_mem *a, kiln_mem *b, const struct kiln_sync *sync) {
  cl_int err = a != NULL ? kiln_cmd_hold(cmd, a) : CL_SUCCESS;
  if (err == CL_SUCCESS && b != NULL) err = kiln_cmd_hold(cmd, b);
  if (err != CL_SUCCESS) {
    kiln_cmd_discard(&cmd);
    return err;
  }
  return kiln_cmd_enqueue(cmd, sync->num_waits, sync->waits, sync->event, sync->blocking);
}

/* Of size 0, or a USE_HOST_PTR buffer read into its own memory. */
static bool moves_nothing(const struct kiln_copy *c) {
  if (c->width == 0) return true;
  return c->src == c->dst && (c->height == 1 || c->src_row == c->dst_row) &&
         (c->depth == 1 || c->src_slice == c->dst_slice);
}

cl_int kiln_enqueue_copy(kiln_queue *queue, cl_command_type type, const struct kiln_copy *copy, kiln_mem *a,
                         kiln_mem *b, const struct kiln_sync *sync) {
  kiln_cmd *cmd;
  cl_int err = kiln_cmd_create(queue, type, &cmd);
  if (err != CL_SUCCESS) return err;
  if (!moves_nothing(copy)) {
    cmd->work.type = KILN_WORK_COPY;
    cmd->work.copy = *copy;
  }
  return kiln_enqueue_holding(cmd, a, b, sync);
}

/* ---- linear reads and writes ---- */

struct host_transfer {
  kiln_mem *mem;
  size_t offset, size;
  void *host;
  bool to_host;
};

static cl_int enqueue_host_transfer(kiln_queue *queue, const struct host_transfer *t,
                                    const struct kiln_sync *sync, const char *where) {
  cl_int err = kiln_check_queue(queue, where);
  if (err == CL_SUCCESS) err = kiln_check_buffer(queue, t->mem, where, "buffer");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if the region being read or written specified by (offset, size) is out of bounds or if
     ptr is a NULL value. */
  err = kiln_check_span(t->mem, t->offset, t->size, where, "buffer");
  if (err == CL_SUCCESS && t->host == NULL)
    err = kiln_fail(queue->context, CL_INVALID_VALUE, where, "ptr is NULL");
  /* CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT: see kiln_check_wait_list. */
  if (err == CL_SUCCESS) err = kiln_check_wait_list(queue->context, sync->num_waits, sync->waits, where);
  /* CL_INVALID_OPERATION if clEnqueueReadBuffer is called on buffer which has been created with
     CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS; clEnqueueWriteBuffer, with CL_MEM_HOST_READ_ONLY or
     CL_MEM_HOST_NO_ACCESS. */
  if (err == CL_SUCCESS) err = kiln_check_host_access(t->mem, t->to_host, !t->to_host, where);
  if (err != CL_SUCCESS) return err;
  uint8_t *device = t->mem->data + t->offset;
  struct kiln_copy copy = {.src = t->to_host ? device : t->host,
                           .dst = t->to_host ? t->host : device,
                           .width = t->size,
                           .height = 1,
                           .depth = 1};
  return kiln_enqueue_copy(queue, t->to_host ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER, &copy,
                           t->mem, NULL, sync);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer,
                                                         cl_bool blocking_read, size_t offset, size_t size,
                                                         void *ptr, cl_uint num_events_in_wait_list,
                                                         const cl_event *event_wait_list, cl_event *event) {
  return enqueue_host_transfer(
      command_queue, &(struct host_transfer){buffer, offset, size, ptr, true},
      &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, blocking_read}, __func__);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer,
                                                          cl_bool blocking_write, size_t offset, size_t size,
                                                          const void *ptr, cl_uint num_events_in_wait_list,
                                                          const cl_event *event_wait_list, cl_event *event) {
  return enqueue_host_transfer(
      command_queue, &(struct host_transfer){buffer, offset, size, (void *)(uintptr_t)ptr, false},
      &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, blocking_write}, __func__);
}

/* ---- rectangles ---- */

static cl_int check_region(kiln_context *context, const size_t *region, const char *where) {
  /* CL_INVALID_VALUE if any region array element is 0. */
  if (region != NULL && region[0] != 0 && region[1] != 0 && region[2] != 0) return CL_SUCCESS;
  if (region == NULL) return kiln_fail(context, CL_INVALID_VALUE, where, "region is NULL");
  return kiln_fail(context, CL_INVALID_VALUE, where, "region is %zu x %zu x %zu; no element may be 0",
                   region[0], region[1], region[2]);
}

/* Checks one side of a transfer and puts in the pitches given as 0. */
static cl_int complete_pitches(kiln_context *context, struct kiln_rect *r, const size_t *region,
                               const char *where, const char *side) {
  /* CL_INVALID_VALUE if buffer_origin, host_origin, src_origin or dst_origin is NULL. */
  if (r->origin == NULL) return kiln_fail(context, CL_INVALID_VALUE, where, "%s_origin is NULL", side);
  /* CL_INVALID_VALUE if row_pitch is not 0 and is less than region[0]. */
  if (r->row != 0 && r->row < region[0])
    return kiln_fail(context, CL_INVALID_VALUE, where, "%s_row_pitch %zu is less than region[0], %zu", side,
                     r->row, region[0]);
  if (r->row == 0) r->row = region[0];
  size_t rows;
  if (__builtin_mul_overflow(region[1], r->row, &rows))
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "region[1], %zu, rows of %s_row_pitch %zu exceed the address space", region[1], side,
                     r->row);
  /* CL_INVALID_VALUE if slice_pitch is not 0 and is less than region[1] x row_pitch. */
  if (r->slice != 0 && r->slice < rows)
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "%s_slice_pitch %zu is less than region[1] x the row pitch, %zu x %zu", side, r->slice,
                     region[1], r->row);
  /* CL_INVALID_VALUE if slice_pitch is not 0 and is not a multiple of row_pitch. */
  if (r->slice % r->row != 0)
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "%s_slice_pitch %zu is not a multiple of the row pitch, %zu", side, r->slice, r->row);
  if (r->slice == 0) r->slice = rows;
  return CL_SUCCESS;
}

/* Where the region starts in memory of size bytes; host memory is as large as the address space. */
static cl_int check_rect_bounds(kiln_context *context, const struct kiln_rect *r, const size_t *region,
                                size_t size, size_t *start_out, const char *where, const char *side) {
  /* CL_INVALID_VALUE if the region being read, written or copied is out of bounds. */
  size_t end;
  if (kiln_rect_bounds(r, region, start_out, &end) && end <= size) return CL_SUCCESS;
  return kiln_fail(
      context, CL_INVALID_VALUE, where,
      "the region of %zu x %zu x %zu bytes at %s_origin (%zu, %zu, %zu) with pitches %zu and %zu "
      "ends past the %zu bytes there are",
      region[0], region[1], region[2], side, r->origin[0], r->origin[1], r->origin[2], r->row, r->slice,
      size);
}

static struct kiln_copy rect_copy(const uint8_t *src, const struct kiln_rect *s, uint8_t *dst,
                                  const struct kiln_rect *d, const size_t *region) {
  return (struct kiln_copy){.src = src,
                            .dst = dst,
                            .width = region[0],
                            .height = region[1],
                            .depth = region[2],
                            .src_row = s->row,
                            .src_slice = s->slice,
                            .dst_row = d->row,
                            .dst_slice = d->slice};
}

struct host_rect {
  kiln_mem *mem;
  struct kiln_rect buffer, host;
  const size_t *region;
  void *ptr;
  bool to_host;
};

static cl_int enqueue_host_rect(kiln_queue *queue, struct host_rect t, const struct kiln_sync *sync,
                                const char *where) {
  cl_int err = kiln_check_queue(queue, where);
  if (err == CL_SUCCESS) err = kiln_check_buffer(queue, t.mem, where, "buffer");
  if (err != CL_SUCCESS) return err;
  kiln_context *context = queue->context;
  /* CL_INVALID_VALUE if ptr is a NULL value. */
  if (t.ptr == NULL) err = kiln_fail(context, CL_INVALID_VALUE, where, "ptr is NULL");
  if (err == CL_SUCCESS) err = check_region(context, t.region, where);
  if (err == CL_SUCCESS) err = complete_pitches(context, &t.buffer, t.region, where, "buffer");
  if (err == CL_SUCCESS) err = complete_pitches(context, &t.host, t.region, where, "host");
  size_t at, host_at;
  if (err == CL_SUCCESS)
    err = check_rect_bounds(context, &t.buffer, t.region, t.mem->size, &at, where, "buffer");
  if (err == CL_SUCCESS)
    err = check_rect_bounds(context, &t.host, t.region, PTRDIFF_MAX, &host_at, where, "host");
  if (err == CL_SUCCESS) err = kiln_check_wait_list(context, sync->num_waits, sync->waits, where);
  if (err == CL_SUCCESS) err = kiln_check_host_access(t.mem, t.to_host, !t.to_host, where);
  if (err != CL_SUCCESS) return err;
  uint8_t *device = t.mem->data + at, *host = (uint8_t *)t.ptr + host_at;
  struct kiln_copy copy = t.to_host ? rect_copy(device, &t.buffer, host, &t.host, t.region)
                                    : rect_copy(host, &t.host, device, &t.buffer, t.region);
  return kiln_enqueue_copy(queue, t.to_host ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT,
                           &copy, t.mem, NULL, sync);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueReadBufferRect(
    cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, const size_t *buffer_origin,
    const size_t *host_origin, const size_t *region, size_t buffer_row_pitch, size_t buffer_slice_pitch,
    size_t host_row_pitch, size_t host_slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  struct host_rect t = {buffer,
                        {buffer_origin, buffer_row_pitch, buffer_slice_pitch},
                        {host_origin, host_row_pitch, host_slice_pitch},
                        region,
                        ptr,
                        true};
  return enqueue_host_rect(
      command_queue, t, &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, blocking_read},
      __func__);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueWriteBufferRect(
    cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, const size_t *buffer_origin,
    const size_t *host_origin, const size_t *region, size_t buffer_row_pitch, size_t buffer_slice_pitch,
    size_t host_row_pitch, size_t host_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  struct host_rect t = {buffer,
                        {buffer_origin, buffer_row_pitch, buffer_slice_pitch},
                        {host_origin, host_row_pitch, host_slice_pitch},
                        region,
                        (void *)(uintptr_t)ptr,
                        false};
  return enqueue_host_rect(
      command_queue, t, &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, blocking_write},
      __func__);
}

/* ---- copies between buffers ---- */

static cl_int check_two_buffers(kiln_queue *queue, kiln_mem *src, kiln_mem *dst, const char *where) {
  cl_int err = kiln_check_queue(queue, where);
  if (err == CL_SUCCESS) err = kiln_check_buffer(queue, src, where, "src_buffer");
  if (err == CL_SUCCESS) err = kiln_check_buffer(queue, dst, where, "dst_buffer");
  return err;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer,
                                                         cl_mem dst_buffer, size_t src_offset,
                                                         size_t dst_offset, size_t size,
                                                         cl_uint num_events_in_wait_list,
                                                         const cl_event *event_wait_list, cl_event *event) {
  cl_int err = check_two_buffers(command_queue, src_buffer, dst_buffer, __func__);
  if (err != CL_SUCCESS) return err;
  kiln_context *context = command_queue->context;
  KILN_CHECK_WAIT_LIST(context, num_events_in_wait_list, event_wait_list);
  /* CL_INVALID_VALUE if src_offset, dst_offset, size, src_offset + size or dst_offset + size require
     accessing elements outside the src_buffer and dst_buffer buffer objects respectively. */
  err = kiln_check_span(src_buffer, src_offset, size, __func__, "src_buffer");
  if (err == CL_SUCCESS) err = kiln_check_span(dst_buffer, dst_offset, size, __func__, "dst_buffer");
  if (err != CL_SUCCESS) return err;
  /* CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object and the source
     and destination regions overlap or if they are different sub-buffers of the same buffer object and they
     overlap. */
  const uint8_t *src = src_buffer->data + src_offset;
  uint8_t *dst = dst_buffer->data + dst_offset;
  KILN_REQUIRE(context, src + size <= dst || dst + size <= src, CL_MEM_COPY_OVERLAP,
               "source (offset %zu) and destination (offset %zu) of %zu bytes overlap", src_offset,
               dst_offset, size);
  struct kiln_copy copy = {.src = src, .dst = dst, .width = size, .height = 1, .depth = 1};
  return kiln_enqueue_copy(command_queue, CL_COMMAND_COPY_BUFFER, &copy, src_buffer, dst_buffer,
                           &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, CL_FALSE});
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueCopyBufferRect(
    cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, const size_t *src_origin,
    const size_t *dst_origin, const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
    size_t dst_row_pitch, size_t dst_slice_pitch, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  cl_int err = check_two_buffers(command_queue, src_buffer, dst_buffer, __func__);
  if (err != CL_SUCCESS) return err;
  kiln_context *context = command_queue->context;
  KILN_CHECK_WAIT_LIST(context, num_events_in_wait_list, event_wait_list);
  struct kiln_rect s = {src_origin, src_row_pitch, src_slice_pitch},
                   d = {dst_origin, dst_row_pitch, dst_slice_pitch};
  err = check_region(context, region, __func__);
  if (err == CL_SUCCESS) err = complete_pitches(context, &s, region, __func__, "src");
  if (err == CL_SUCCESS) err = complete_pitches(context, &d, region, __func__, "dst");
  size_t from, to;
  if (err == CL_SUCCESS)
    err = check_rect_bounds(context, &s, region, src_buffer->size, &from, __func__, "src");
  if (err == CL_SUCCESS) err = check_rect_bounds(context, &d, region, dst_buffer->size, &to, __func__, "dst");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if src_buffer and dst_buffer are the same buffer object and src_row_pitch is not equal
     to dst_row_pitch, or src_slice_pitch is not equal to dst_slice_pitch. */
  KILN_REQUIRE(context, src_buffer != dst_buffer || (s.row == d.row && s.slice == d.slice), CL_INVALID_VALUE,
               "source and destination are one buffer, but their pitches differ (%zu, %zu and %zu, %zu)",
               s.row, s.slice, d.row, d.slice);
  struct kiln_copy copy = rect_copy(src_buffer->data + from, &s, dst_buffer->data + to, &d, region);
  /* CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object and the source
     and destination regions overlap or if they are different sub-buffers of the same buffer and they overlap.
   */
  KILN_REQUIRE(context, !kiln_copy_overlaps(&copy), CL_MEM_COPY_OVERLAP,
               "source and destination regions of %zu x %zu x %zu overlap", region[0], region[1], region[2]);
  return kiln_enqueue_copy(command_queue, CL_COMMAND_COPY_BUFFER_RECT, &copy, src_buffer, dst_buffer,
                           &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, CL_FALSE});
}

/* ---- fill ---- */

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer,
                                                         const void *pattern, size_t pattern_size,
                                                         size_t offset, size_t size,
                                                         cl_uint num_events_in_wait_list,
                                                         const cl_event *event_wait_list, cl_event *event) {
  cl_int err = kiln_check_queue(command_queue, __func__);
  if (err == CL_SUCCESS) err = kiln_check_buffer(command_queue, buffer, __func__, "buffer");
  if (err != CL_SUCCESS) return err;
  kiln_context *context = command_queue->context;
  /* CL_INVALID_VALUE if offset or offset + size require accessing elements outside the buffer object. */
  err = kiln_check_span(buffer, offset, size, __func__, "buffer");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if pattern is NULL or if pattern_size is 0 or if pattern_size is not one of { 1, 2, 4,
     8, 16, 32, 64, 128 }. */
  KILN_REQUIRE(context, pattern != NULL, CL_INVALID_VALUE, "pattern is NULL");
  KILN_REQUIRE(context, pattern_size != 0 && pattern_size <= 128 && (pattern_size & (pattern_size - 1)) == 0,
               CL_INVALID_VALUE, "pattern_size %zu is not 1, 2, 4, 8, 16, 32, 64 or 128", pattern_size);
  /* CL_INVALID_VALUE if offset and size are not a multiple of pattern_size. */
  KILN_REQUIRE(context, offset % pattern_size == 0 && size % pattern_size == 0, CL_INVALID_VALUE,
               "offset %zu and size %zu are not both multiples of pattern_size %zu", offset, size,
               pattern_size);
  KILN_CHECK_WAIT_LIST(context, num_events_in_wait_list, event_wait_list);
  kiln_cmd *cmd;
  err = kiln_cmd_create(command_queue, CL_COMMAND_FILL_BUFFER, &cmd);
  if (err != CL_SUCCESS) return err;
  if (size != 0) {
    cmd->work.type = KILN_WORK_FILL;
    cmd->work.fill = (struct kiln_fill){
        .dst = buffer->data + offset, .width = size, .height = 1, .depth = 1, .pattern_size = pattern_size};
    memcpy(cmd->work.fill.pattern, pattern, pattern_size);
  }
  return kiln_enqueue_holding(cmd, buffer, NULL,
                              &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, CL_FALSE});
}
