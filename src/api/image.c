/* Images, which no device supports yet. Constructors answer CL_INVALID_OPERATION; as no image object can
 * exist, every handle passed as one is refused. */
#include "api/check.h"
#include "api/table.h"
#include "core/context.h"
#include "core/mem.h"
#include "core/queue.h"

static const cl_mem_flags known_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                                        CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR |
                                        CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
                                        CL_MEM_HOST_NO_ACCESS | CL_MEM_KERNEL_READ_AND_WRITE;

static bool exclusive(cl_mem_flags flags, cl_mem_flags group) {
  flags &= group;
  return (flags & (flags - 1)) == 0;
}

static bool flags_valid(cl_mem_flags flags) {
  return (flags & ~known_flags) == 0 &&
         exclusive(flags, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY) &&
         exclusive(flags, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) &&
         exclusive(flags, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR) &&
         exclusive(flags, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
}

/* ---- creation ---- */

static cl_int no_images(kiln_context *context, const char *where) {
  /* CL_INVALID_OPERATION if there are no devices in context that support images */
  return kiln_fail(context, CL_INVALID_OPERATION, where,
                   "none of the %u devices of context %p supports images", context->num_devices,
                   (void *)context);
}

static cl_int create(kiln_context *context, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  return err == CL_SUCCESS ? no_images(context, where) : err;
}

static cl_mem refused(cl_int err, cl_int *errcode_ret) {
  if (errcode_ret != NULL) *errcode_ret = err;
  return NULL;
}

cl_mem kiln_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                          const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret) {
  return refused(create(context, __func__), errcode_ret);
}

cl_mem kiln_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                        cl_mem_flags flags, const cl_image_format *image_format,
                                        const cl_image_desc *image_desc, void *host_ptr,
                                        cl_int *errcode_ret) {
  return refused(create(context, __func__), errcode_ret);
}

/* The constructors of OpenCL 1.0 list their arguments before the support of images. */
static cl_int create_old(kiln_context *context, cl_mem_flags flags, const cl_image_format *format,
                         const size_t *size, unsigned dimensions, const void *host_ptr, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if values specified in flags are not valid */
  if (!flags_valid(flags))
    return kiln_fail(context, CL_INVALID_VALUE, where, "flags 0x%llX are no valid combination",
                     (unsigned long long)flags);
  /* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if image_format is NULL */
  if (format == NULL)
    return kiln_fail(context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, where, "image_format is NULL");
  /* CL_INVALID_IMAGE_SIZE if image_width or image_height are 0 or if image_depth <= 1 */
  static const char *const names[] = {"image_width", "image_height", "image_depth"};
  for (unsigned i = 0; i < dimensions; i++)
    if (size[i] <= i / 2)
      return kiln_fail(context, CL_INVALID_IMAGE_SIZE, where, "%s is %zu, the least is %u", names[i], size[i],
                       i / 2 + 1);
  /* CL_INVALID_HOST_PTR if host_ptr is NULL and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are set in flags
     or if host_ptr is not NULL but CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are not set in flags */
  if ((host_ptr != NULL) != ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0))
    return kiln_fail(context, CL_INVALID_HOST_PTR, where, "host_ptr is %p but flags are 0x%llX", host_ptr,
                     (unsigned long long)flags);
  return no_images(context, where);
}

cl_mem kiln_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                            cl_int *errcode_ret) {
  const size_t size[] = {image_width, image_height};
  return refused(create_old(context, flags, image_format, size, 2, host_ptr, __func__), errcode_ret);
}

cl_mem kiln_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_depth,
                            size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                            cl_int *errcode_ret) {
  const size_t size[] = {image_width, image_height, image_depth};
  return refused(create_old(context, flags, image_format, size, 3, host_ptr, __func__), errcode_ret);
}

/* ---- queries ---- */

static bool is_image_type(cl_mem_object_type type) {
  return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

cl_int kiln_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                       cl_uint num_entries, cl_image_format *image_formats,
                                       cl_uint *num_image_formats) {
  /* CL_INVALID_CONTEXT if context is not a valid context */
  KILN_CHECK(NULL, context, CONTEXT);
  /* CL_INVALID_VALUE if flags is not valid, or image_type is not valid */
  KILN_REQUIRE(context, flags_valid(flags), CL_INVALID_VALUE, "flags 0x%llX are no valid combination",
               (unsigned long long)flags);
  KILN_REQUIRE(context, is_image_type(image_type), CL_INVALID_VALUE, "image_type 0x%X is no type of images",
               image_type);
  /* CL_INVALID_VALUE if num_entries is zero and image_formats is not NULL */
  KILN_REQUIRE(context, image_formats == NULL || num_entries > 0, CL_INVALID_VALUE,
               "num_entries is 0 and image_formats is not NULL");
  if (num_image_formats != NULL) *num_image_formats = 0;
  return CL_SUCCESS;
}

static cl_int not_an_image(kiln_context *context, cl_mem image, const char *where, const char *argument) {
  /* CL_INVALID_MEM_OBJECT if image is not a valid image object */
  cl_int err = kiln_check_handle(context, image, KILN_T_MEM, where, argument);
  if (err != CL_SUCCESS) return err;
  return kiln_fail(context, CL_INVALID_MEM_OBJECT, where, "%s %p is a buffer, not an image", argument,
                   (void *)image);
}

cl_int kiln_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret) {
  return not_an_image(NULL, image, __func__, "image");
}

/* ---- commands ---- */

static cl_int command(kiln_queue *queue, cl_mem image, const char *where, const char *argument) {
  /* CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue */
  cl_int err = kiln_check_handle(NULL, queue, KILN_T_QUEUE, where, "command_queue");
  return err == CL_SUCCESS ? not_an_image(queue->context, image, where, argument) : err;
}

cl_int kiln_clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                               const size_t *origin, const size_t *region, size_t row_pitch,
                               size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
  return command(command_queue, image, __func__, "image");
}

cl_int kiln_clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                                const size_t *origin, const size_t *region, size_t input_row_pitch,
                                size_t input_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event) {
  return command(command_queue, image, __func__, "image");
}

cl_int kiln_clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                               const size_t *origin, const size_t *region, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
  return command(command_queue, image, __func__, "image");
}

cl_int kiln_clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                               const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event) {
  return command(command_queue, src_image, __func__, "src_image");
}

cl_int kiln_clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
                                       const size_t *src_origin, const size_t *region, size_t dst_offset,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event) {
  return command(command_queue, src_image, __func__, "src_image");
}

cl_int kiln_clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image,
                                       size_t src_offset, const size_t *dst_origin, const size_t *region,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event) {
  return command(command_queue, dst_image, __func__, "dst_image");
}

void *kiln_clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                             cl_map_flags map_flags, const size_t *origin, const size_t *region,
                             size_t *image_row_pitch, size_t *image_slice_pitch,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event, cl_int *errcode_ret) {
  return refused(command(command_queue, image, __func__, "image"), errcode_ret);
}
