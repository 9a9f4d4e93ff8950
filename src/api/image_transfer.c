/* Commands on images: read, write, copy, fill, copies between images and buffers, map. */
#include "api/check.h"
#include "api/table.h"
#include "api/transfer.h"
#include "core/image.h"
#include "core/image_format.h"
#include "core/queue.h"

#include <stdint.h>

/* ---- checks ---- */

static cl_int check_dimensions(kiln_queue *queue, const struct kiln_image *image, const char *where,
                               const char *argument) {
  const struct kiln_caps *caps = &queue->device->backend->caps;
  const struct kiln_image_desc *d = &image->desc;
  /* CL_INVALID_OPERATION if the device associated with command_queue does not support images */
  if (!caps->target.image_support)
    return kiln_fail(queue->context, CL_INVALID_OPERATION, where, "%s does not support images", caps->name);
  /* CL_INVALID_IMAGE_SIZE if the dimensions for image, such as the image width or image height, are not
     supported by the device associated with command_queue. CL_IMAGE_FORMAT_NOT_SUPPORTED cannot be: all
     devices support the same formats. */
  if (kiln_image_fits(image, caps)) return CL_SUCCESS;
  return kiln_fail(queue->context, CL_INVALID_IMAGE_SIZE, where,
                   "%s of %u x %u x %u elements and %u layers is larger than %s supports", argument, d->width,
                   d->height, d->depth, d->array_size, caps->name);
}

static cl_int check_image(kiln_queue *queue, kiln_mem *mem, const char *where, const char *argument) {
  kiln_context *context = queue->context;
  /* CL_INVALID_MEM_OBJECT if image is not a valid image object. */
  cl_int err = kiln_check_handle(context, mem, KILN_T_MEM, where, argument);
  if (err != CL_SUCCESS) return err;
  if (!kiln_mem_is_image(mem))
    return kiln_fail(context, CL_INVALID_MEM_OBJECT, where, "%s %p is no image", argument, (void *)mem);
  /* CL_INVALID_CONTEXT if the context associated with command_queue and image are not the same. */
  if (mem->context != context)
    return kiln_fail(context, CL_INVALID_CONTEXT, where,
                     "%s %p belongs to another context than command_queue", argument, (void *)mem);
  return check_dimensions(queue, kiln_image_of(mem), where, argument);
}

/* A part of an image, and what messages call its corner. */
struct part {
  kiln_mem *mem;
  const size_t *origin, *region;
  const char *name; /* of the argument origin */
};

static cl_int check_part(const struct part *p, const char *where) {
  kiln_context *context = p->mem->context;
  const struct kiln_image *image = kiln_image_of(p->mem);
  /* CL_INVALID_VALUE if origin or region is NULL. */
  if (p->origin == NULL) return kiln_fail(context, CL_INVALID_VALUE, where, "%s is NULL", p->name);
  if (p->region == NULL) return kiln_fail(context, CL_INVALID_VALUE, where, "region is NULL");
  /* CL_INVALID_VALUE if the region is out of bounds, or if values in origin and region do not follow the
     rules described in the argument description for origin and region: what the image does not have begins at
     0 and is 1. */
  size_t extent[3];
  kiln_image_extent(image, extent);
  for (unsigned i = 0; i < 3; i++) {
    if (p->region[i] == 0) return kiln_fail(context, CL_INVALID_VALUE, where, "region[%u] is 0", i);
    if (p->origin[i] >= extent[i] || p->region[i] > extent[i] - p->origin[i])
      return kiln_fail(context, CL_INVALID_VALUE, where,
                       "region[%u] %zu at %s[%u] %zu exceeds the %zu there are of the image", i, p->region[i],
                       p->name, i, p->origin[i], extent[i]);
  }
  return CL_SUCCESS;
}

static struct kiln_box box_of(const struct part *p) {
  return kiln_image_box(kiln_image_of(p->mem), p->origin, p->region);
}

static struct kiln_copy copy_between(const struct kiln_box *src, const struct kiln_box *dst) {
  return (struct kiln_copy){.src = src->start,
                            .dst = (uint8_t *)(uintptr_t)dst->start,
                            .width = src->width,
                            .height = src->height,
                            .depth = src->depth,
                            .src_row = src->row,
                            .src_slice = src->slice,
                            .dst_row = dst->row,
                            .dst_slice = dst->slice};
}

/* ---- read and write ---- */

struct host_call {
  struct part part;
  size_t row, slice;
  void *ptr;
  bool to_host;
};

/* The region in host memory; pitches given as 0 are put in. */
static cl_int host_box(const struct host_call *t, const char *where, struct kiln_box *box_out) {
  kiln_context *context = t->part.mem->context;
  const struct kiln_image *image = kiln_image_of(t->part.mem);
  cl_mem_object_type type = image->mem.type;
  const size_t *region = t->part.region;
  size_t width = region[0] * image->desc.element_size;
  /* row_pitch must be greater than or equal to the element size in bytes x width. */
  if (t->row != 0 && t->row < width)
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "row_pitch %zu is less than the region's width of %zu bytes", t->row, width);
  size_t row = t->row != 0 ? t->row : width, rows;
  /* CL_INVALID_VALUE if image is a 1D or 2D image and slice_pitch is not zero. */
  if (t->slice != 0 && !kiln_image_type_has_slices(type))
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "slice_pitch is %zu; for a 1D or 2D image it must be 0", t->slice);
  /* slice_pitch must be greater than or equal to row_pitch x height: a layer of a 1D array has one row. */
  bool layers = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  bool fits = !__builtin_mul_overflow(row, layers ? 1 : region[1], &rows);
  if (fits && t->slice != 0 && t->slice < rows)
    return kiln_fail(context, CL_INVALID_VALUE, where,
                     "slice_pitch %zu is less than the %zu bytes of a slice of the region", t->slice, rows);
  size_t slice = t->slice != 0 ? t->slice : rows, start, end;
  *box_out = (struct kiln_box){t->ptr, width, region[1], region[2], layers ? slice : row, slice};
  const struct kiln_rect rect = {(const size_t[3]){0}, box_out->row, slice};
  fits = fits && kiln_rect_bounds(&rect, (const size_t[3]){width, region[1], region[2]}, &start, &end);
  if (fits && end <= PTRDIFF_MAX) return CL_SUCCESS;
  return kiln_fail(
      context, CL_INVALID_VALUE, where,
      "row_pitch %zu and slice_pitch %zu take the region's %zu rows and %zu slices past the end of "
      "the address space",
      t->row, t->slice, region[1], region[2]);
}

static cl_int enqueue_host(kiln_queue *queue, const struct host_call *t, const struct kiln_sync *sync,
                           const char *where) {
  kiln_mem *mem = t->part.mem;
  cl_int err = kiln_check_queue(queue, where);
  if (err == CL_SUCCESS) err = check_image(queue, mem, where, "image");
  if (err == CL_SUCCESS) err = check_part(&t->part, where);
  struct kiln_box host = {0};
  if (err == CL_SUCCESS) err = host_box(t, where, &host);
  /* CL_INVALID_VALUE if ptr is NULL. */
  if (err == CL_SUCCESS && t->ptr == NULL)
    err = kiln_fail(queue->context, CL_INVALID_VALUE, where, "ptr is NULL");
  if (err == CL_SUCCESS) err = kiln_check_wait_list(queue->context, sync->num_waits, sync->waits, where);
  /* CL_INVALID_OPERATION if clEnqueueReadImage is called on image which has been created with
     CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS; clEnqueueWriteImage, with CL_MEM_HOST_READ_ONLY or
     CL_MEM_HOST_NO_ACCESS. */
  if (err == CL_SUCCESS) err = kiln_check_host_access(mem, t->to_host, !t->to_host, where);
  if (err != CL_SUCCESS) return err;
  struct kiln_box box = box_of(&t->part);
  struct kiln_copy copy = t->to_host ? copy_between(&box, &host) : copy_between(&host, &box);
  return kiln_enqueue_copy(queue, t->to_host ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, &copy, mem,
                           NULL, sync);
}

cl_int kiln_clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                               const size_t *origin, const size_t *region, size_t row_pitch,
                               size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
  const struct host_call t = {{image, origin, region, "origin"}, row_pitch, slice_pitch, ptr, true};
  return enqueue_host(command_queue, &t,
                      &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, blocking_read},
                      __func__);
}

cl_int kiln_clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                                const size_t *origin, const size_t *region, size_t input_row_pitch,
                                size_t input_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event) {
  const struct host_call t = {
      {image, origin, region, "origin"}, input_row_pitch, input_slice_pitch, (void *)(uintptr_t)ptr, false};
  return enqueue_host(command_queue, &t,
                      &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, blocking_write},
                      __func__);
}

/* ---- fill ---- */

cl_int kiln_clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                               const size_t *origin, const size_t *region, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
  const struct part part = {image, origin, region, "origin"};
  cl_int err = kiln_check_queue(command_queue, __func__);
  if (err == CL_SUCCESS) err = check_image(command_queue, image, __func__, "image");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if fill_color is NULL. */
  KILN_REQUIRE(command_queue->context, fill_color != NULL, CL_INVALID_VALUE, "fill_color is NULL");
  err = check_part(&part, __func__);
  if (err != CL_SUCCESS) return err;
  KILN_CHECK_WAIT_LIST(command_queue->context, num_events_in_wait_list, event_wait_list);
  kiln_cmd *cmd;
  err = kiln_cmd_create(command_queue, CL_COMMAND_FILL_IMAGE, &cmd);
  if (err != CL_SUCCESS) return err;
  const struct kiln_image_desc *desc = &kiln_image_of(image)->desc;
  const struct kiln_box box = box_of(&part);
  cmd->work.type = KILN_WORK_FILL;
  cmd->work.fill = (struct kiln_fill){.dst = (uint8_t *)(uintptr_t)box.start,
                                      .width = box.width,
                                      .height = box.height,
                                      .depth = box.depth,
                                      .row = box.row,
                                      .slice = box.slice,
                                      .pattern_size = desc->element_size};
  kiln_image_format_pack(desc, fill_color, cmd->work.fill.pattern);
  return kiln_enqueue_holding(cmd, image, NULL,
                              &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, CL_FALSE});
}

/* ---- copies ---- */

/* The last check of all copies on a device, and the command. */
static cl_int enqueue_copy(kiln_queue *queue, cl_command_type type, const struct kiln_box *from,
                           kiln_mem *src, const struct kiln_box *to, kiln_mem *dst,
                           const struct kiln_sync *sync, const char *where) {
  struct kiln_copy copy = copy_between(from, to);
  /* CL_MEM_COPY_OVERLAP if src_image and dst_image are the same image object and the source and destination
     regions overlap; so it is with objects that show the same bytes. */
  if (kiln_copy_overlaps(&copy))
    return kiln_fail(queue->context, CL_MEM_COPY_OVERLAP, where,
                     "source and destination, %zu x %zu rows of %zu bytes, overlap", copy.depth, copy.height,
                     copy.width);
  return kiln_enqueue_copy(queue, type, &copy, src, dst, sync);
}

cl_int kiln_clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                               const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event) {
  const struct part src = {src_image, src_origin, region, "src_origin"},
                    dst = {dst_image, dst_origin, region, "dst_origin"};
  cl_int err = kiln_check_queue(command_queue, __func__);
  if (err == CL_SUCCESS) err = check_image(command_queue, src_image, __func__, "src_image");
  if (err == CL_SUCCESS) err = check_image(command_queue, dst_image, __func__, "dst_image");
  if (err != CL_SUCCESS) return err;
  kiln_context *context = command_queue->context;
  /* CL_IMAGE_FORMAT_MISMATCH if src_image and dst_image do not use the same image format. */
  const cl_image_format *s = &kiln_image_of(src_image)->format, *d = &kiln_image_of(dst_image)->format;
  KILN_REQUIRE(context,
               s->image_channel_order == d->image_channel_order &&
                   s->image_channel_data_type == d->image_channel_data_type,
               CL_IMAGE_FORMAT_MISMATCH,
               "src_image has order 0x%X and type 0x%X, dst_image has order 0x%X and type 0x%X",
               s->image_channel_order, s->image_channel_data_type, d->image_channel_order,
               d->image_channel_data_type);
  err = check_part(&src, __func__);
  if (err == CL_SUCCESS) err = check_part(&dst, __func__);
  if (err != CL_SUCCESS) return err;
  KILN_CHECK_WAIT_LIST(context, num_events_in_wait_list, event_wait_list);
  const struct kiln_box from = box_of(&src), to = box_of(&dst);
  return enqueue_copy(command_queue, CL_COMMAND_COPY_IMAGE, &from, src_image, &to, dst_image,
                      &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, CL_FALSE},
                      __func__);
}

/* A copy between a part of an image and bytes of a buffer, which follow each other without gaps. */
struct buffer_call {
  struct part part;
  kiln_mem *buffer;
  size_t offset;
  bool to_buffer;
};

static cl_int check_buffer_span(const struct buffer_call *t, const struct kiln_box *image, const char *where,
                                struct kiln_box *box_out) {
  const char *name = t->to_buffer ? "dst_buffer" : "src_buffer";
  /* It fits the address space because the part of the image does. */
  size_t size = image->width * image->height * image->depth;
  cl_int err = kiln_check_span(t->buffer, t->offset, size, where, name);
  if (err != CL_SUCCESS) return err;
  *box_out =
      (struct kiln_box){t->buffer->data + t->offset, image->width, image->height, image->depth, image->width,
                        image->width * image->height};
  return CL_SUCCESS;
}

static cl_int enqueue_buffer_copy(kiln_queue *queue, const struct buffer_call *t,
                                  const struct kiln_sync *sync, const char *where) {
  kiln_mem *image = t->part.mem;
  cl_int err = kiln_check_queue(queue, where);
  if (err == CL_SUCCESS) err = check_image(queue, image, where, t->to_buffer ? "src_image" : "dst_image");
  if (err == CL_SUCCESS)
    err = kiln_check_buffer(queue, t->buffer, where, t->to_buffer ? "dst_buffer" : "src_buffer");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_MEM_OBJECT if the image is a 1D image buffer object created from the buffer. */
  if (image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER && image->parent == t->buffer)
    return kiln_fail(queue->context, CL_INVALID_MEM_OBJECT, where,
                     "image %p was created from buffer %p, which it is to be copied from or to",
                     (void *)image, (void *)t->buffer);
  err = check_part(&t->part, where);
  if (err != CL_SUCCESS) return err;
  struct kiln_box box = box_of(&t->part), bytes = {0};
  err = check_buffer_span(t, &box, where, &bytes);
  if (err == CL_SUCCESS) err = kiln_check_wait_list(queue->context, sync->num_waits, sync->waits, where);
  if (err != CL_SUCCESS) return err;
  return t->to_buffer ? enqueue_copy(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, &box, image, &bytes, t->buffer,
                                     sync, where)
                      : enqueue_copy(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, &bytes, t->buffer, &box, image,
                                     sync, where);
}

cl_int kiln_clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
                                       const size_t *src_origin, const size_t *region, size_t dst_offset,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event) {
  const struct buffer_call t = {{src_image, src_origin, region, "src_origin"}, dst_buffer, dst_offset, true};
  return enqueue_buffer_copy(command_queue, &t,
                             &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, CL_FALSE},
                             __func__);
}

cl_int kiln_clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image,
                                       size_t src_offset, const size_t *dst_origin, const size_t *region,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event) {
  const struct buffer_call t = {{dst_image, dst_origin, region, "dst_origin"}, src_buffer, src_offset, false};
  return enqueue_buffer_copy(command_queue, &t,
                             &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, CL_FALSE},
                             __func__);
}

/* ---- map ---- */

struct map_call {
  struct part part;
  cl_map_flags flags;
  size_t *row_out, *slice_out;
};

static cl_int map_image(kiln_queue *queue, const struct map_call *m, const struct kiln_sync *sync,
                        void **pointer_out, const char *where) {
  kiln_mem *mem = m->part.mem;
  cl_int err = kiln_check_queue(queue, where);
  if (err == CL_SUCCESS) err = check_image(queue, mem, where, "image");
  if (err == CL_SUCCESS) err = check_part(&m->part, where);
  if (err != CL_SUCCESS) return err;
  bool has_slices = kiln_image_type_has_slices(mem->type);
  /* CL_INVALID_VALUE if image_row_pitch is NULL, or if image is a 3D image or an array and image_slice_pitch
   * is NULL. */
  if (m->row_out == NULL)
    return kiln_fail(queue->context, CL_INVALID_VALUE, where, "image_row_pitch is NULL");
  if (has_slices && m->slice_out == NULL)
    return kiln_fail(queue->context, CL_INVALID_VALUE, where,
                     "image_slice_pitch is NULL; a 3D image or an array has one");
  err = kiln_check_wait_list(queue->context, sync->num_waits, sync->waits, where);
  if (err == CL_SUCCESS) err = kiln_check_map_flags(mem, m->flags, where);
  if (err != CL_SUCCESS) return err;
  const struct kiln_box box = box_of(&m->part);
  err = kiln_enqueue_map(queue, CL_COMMAND_MAP_IMAGE, mem, m->flags, &box, sync, where);
  if (err != CL_SUCCESS) return err;
  *pointer_out = (void *)(uintptr_t)box.start;
  *m->row_out = kiln_image_of(mem)->row_pitch;
  if (m->slice_out != NULL) *m->slice_out = kiln_image_of(mem)->slice_pitch;
  return CL_SUCCESS;
}

void *kiln_clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                             cl_map_flags map_flags, const size_t *origin, const size_t *region,
                             size_t *image_row_pitch, size_t *image_slice_pitch,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event, cl_int *errcode_ret) {
  const struct map_call m = {
      {image, origin, region, "origin"}, map_flags, image_row_pitch, image_slice_pitch};
  const struct kiln_sync sync = {num_events_in_wait_list, event_wait_list, event, blocking_map};
  KILN_RETURN_HANDLE(void *, errcode_ret, map_image(command_queue, &m, &sync, &out, __func__));
}
