/* Buffers and sub-buffers: creation (specification chapter "Buffer Objects"). */
#include "api/check.h"
#include "api/memory.h"
#include "api/table.h"
#include "core/mem.h"

static cl_int create_buffer(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                            size_t size, void *host_ptr, cl_mem *out, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context. */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  struct kiln_mem_desc desc = {.flags = flags, .size = size, .host_ptr = host_ptr, .properties = properties};
  if (err == CL_SUCCESS) err = kiln_check_mem_properties(context, properties, &desc.properties_size, where);
  if (err == CL_SUCCESS) err = kiln_check_mem_flags(context, flags, KILN_MEM_FLAGS, where);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_BUFFER_SIZE if size is 0, or greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE for all devices in
   * context. */
  if (size == 0) return kiln_fail(context, CL_INVALID_BUFFER_SIZE, where, "size is 0");
  if (size > context->largest_alloc)
    return kiln_fail(context, CL_INVALID_BUFFER_SIZE, where,
                     "size %zu exceeds the largest CL_DEVICE_MAX_MEM_ALLOC_SIZE in this context, %llu (%s)",
                     size, (unsigned long long)context->largest_alloc,
                     context->largest_alloc_device->backend->caps.name);
  err = kiln_check_host_ptr(context, flags, host_ptr, where);
  if (err != CL_SUCCESS) return err;
  return kiln_mem_create(context, CL_MEM_OBJECT_BUFFER, sizeof(kiln_mem), &desc, out);
}

CL_API_ENTRY cl_mem CL_API_CALL kiln_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                                    void *host_ptr, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_mem, errcode_ret,
                     create_buffer(context, NULL, flags, size, host_ptr, &out, __func__));
}

CL_API_ENTRY cl_mem CL_API_CALL kiln_clCreateBufferWithProperties(cl_context context,
                                                                  const cl_mem_properties *properties,
                                                                  cl_mem_flags flags, size_t size,
                                                                  void *host_ptr, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(cl_mem, errcode_ret,
                     create_buffer(context, properties, flags, size, host_ptr, &out, __func__));
}

static bool aligned_for_some_device(const kiln_context *context, size_t origin) {
  for (uint32_t i = 0; i < context->num_devices; i++)
    if (origin % (context->devices[i]->backend->caps.mem_base_align_bits / 8) == 0) return true;
  return false;
}

static cl_int check_region(cl_mem buffer, const cl_buffer_region *region, const char *where) {
  /* CL_INVALID_VALUE if the region specified by the tuple (origin, size) is out of bounds in buffer. */
  if (region->origin > buffer->size || region->size > buffer->size - region->origin)
    return kiln_fail(buffer->context, CL_INVALID_VALUE, where,
                     "region of %zu bytes at %zu exceeds the buffer's %zu bytes", region->size,
                     region->origin, buffer->size);
  /* CL_INVALID_BUFFER_SIZE if the size field of the cl_buffer_region structure passed in buffer_create_info
   * is 0. */
  if (region->size == 0) return kiln_fail(buffer->context, CL_INVALID_BUFFER_SIZE, where, "region size is 0");
  /* CL_MISALIGNED_SUB_BUFFER_OFFSET if there are no devices in context associated with buffer for which the
     origin field of the cl_buffer_region structure passed in buffer_create_info is aligned to the
     CL_DEVICE_MEM_BASE_ADDR_ALIGN value. */
  if (!aligned_for_some_device(buffer->context, region->origin))
    return kiln_fail(
        buffer->context, CL_MISALIGNED_SUB_BUFFER_OFFSET, where,
        "origin %zu is not a multiple of any device's CL_DEVICE_MEM_BASE_ADDR_ALIGN (%u bits on %s)",
        region->origin, buffer->context->devices[0]->backend->caps.mem_base_align_bits,
        buffer->context->devices[0]->backend->caps.name);
  return CL_SUCCESS;
}

static cl_int create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                const void *info, cl_mem *out, const char *where) {
  /* CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object or is a sub-buffer object. */
  cl_int err = kiln_check_handle(NULL, buffer, KILN_T_MEM, where, "buffer");
  if (err != CL_SUCCESS) return err;
  if (buffer->type != CL_MEM_OBJECT_BUFFER || buffer->parent != NULL)
    return kiln_fail(buffer->context, CL_INVALID_MEM_OBJECT, where, "buffer %p is %s", (void *)buffer,
                     buffer->parent != NULL ? "a sub-buffer itself" : "no buffer");
  err = kiln_check_mem_flags(buffer->context, flags, KILN_MEM_FLAGS, where);
  if (err != CL_SUCCESS) return err;
  err = kiln_check_view_flags(buffer, flags, where);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if the value specified in buffer_create_type is not valid. */
  if (type != CL_BUFFER_CREATE_TYPE_REGION)
    return kiln_fail(buffer->context, CL_INVALID_VALUE, where,
                     "buffer_create_type 0x%X is not CL_BUFFER_CREATE_TYPE_REGION", type);
  /* CL_INVALID_VALUE if value(s) specified in buffer_create_info are not valid or if buffer_create_info is
   * NULL. */
  if (info == NULL) return kiln_fail(buffer->context, CL_INVALID_VALUE, where, "buffer_create_info is NULL");
  const cl_buffer_region *region = info;
  err = check_region(buffer, region, where);
  if (err != CL_SUCCESS) return err;
  const struct kiln_mem_desc desc = {.flags = kiln_view_flags(buffer, flags),
                                     .size = region->size,
                                     .parent = buffer,
                                     .origin = region->origin};
  return kiln_mem_create(buffer->context, CL_MEM_OBJECT_BUFFER, sizeof(kiln_mem), &desc, out);
}

CL_API_ENTRY cl_mem CL_API_CALL kiln_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                                       cl_buffer_create_type buffer_create_type,
                                                       const void *buffer_create_info, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(
      cl_mem, errcode_ret,
      create_sub_buffer(buffer, flags, buffer_create_type, buffer_create_info, &out, __func__));
}
