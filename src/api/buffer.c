/* Buffers and sub-buffers: creation, queries, destructor callbacks (specification chapter "Buffer Objects").
 */
#include "api/check.h"
#include "api/info.h"
#include "api/table.h"
#include "core/destructor.h"
#include "core/mem.h"

#include <string.h>

static const cl_mem_flags access_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_mem_flags pointer_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
static const cl_mem_flags host_flags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

static bool at_most_one(cl_mem_flags flags) { return (flags & (flags - 1)) == 0; }

static cl_int check_flags(kiln_context *context, cl_mem_flags flags, cl_mem_flags allowed,
                          const char *where) {
  /* CL_INVALID_VALUE if values specified in flags are not valid. */
  const char *why = NULL;
  if (flags & ~allowed) why = "has a bit that is no flag of this call";
  else if (!at_most_one(flags & access_flags))
    why = "has more than one of CL_MEM_READ_WRITE, WRITE_ONLY, READ_ONLY";
  else if (!at_most_one(flags & host_flags))
    why = "has more than one of CL_MEM_HOST_WRITE_ONLY, READ_ONLY, NO_ACCESS";
  else if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
    why = "has CL_MEM_USE_HOST_PTR together with CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR";
  if (why == NULL) return CL_SUCCESS;
  return kiln_fail(context, CL_INVALID_VALUE, where, "flags 0x%llX %s", (unsigned long long)flags, why);
}

static cl_int check_host_ptr(kiln_context *context, cl_mem_flags flags, const void *host_ptr,
                             const char *where) {
  /* CL_INVALID_HOST_PTR if host_ptr is NULL and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are set in flags
     or if host_ptr is not NULL but CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are not set in flags. */
  bool wanted = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  if (wanted == (host_ptr != NULL)) return CL_SUCCESS;
  return kiln_fail(context, CL_INVALID_HOST_PTR, where,
                   "host_ptr is %s, but flags 0x%llX %s CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR",
                   wanted ? "NULL" : "not NULL", (unsigned long long)flags, wanted ? "has" : "has neither");
}

static cl_int count_properties(kiln_context *context, const cl_mem_properties *properties, uint32_t *size_out,
                               const char *where) {
  /* CL_INVALID_PROPERTY if a property name in properties is not a supported property name [Kiln has none], if
     the value is not valid, or if the same property name is specified more than once. */
  if (properties != NULL && properties[0] != 0)
    return kiln_fail(context, CL_INVALID_PROPERTY, where,
                     "properties[0] 0x%llX is no supported property; there are none",
                     (unsigned long long)properties[0]);
  *size_out = properties != NULL ? 1 : 0;
  return CL_SUCCESS;
}

static cl_int create_buffer(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                            size_t size, void *host_ptr, cl_mem *out, const char *where) {
  /* CL_INVALID_CONTEXT if context is not a valid context. */
  cl_int err = kiln_check_handle(NULL, context, KILN_T_CONTEXT, where, "context");
  struct kiln_mem_desc desc = {.flags = flags, .size = size, .host_ptr = host_ptr, .properties = properties};
  if (err == CL_SUCCESS) err = count_properties(context, properties, &desc.properties_size, where);
  if (err == CL_SUCCESS) err = check_flags(context, flags, access_flags | pointer_flags | host_flags, where);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_BUFFER_SIZE if size is 0, or greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE for all devices in
   * context. */
  if (size == 0) return kiln_fail(context, CL_INVALID_BUFFER_SIZE, where, "size is 0");
  if (size > context->largest_alloc)
    return kiln_fail(context, CL_INVALID_BUFFER_SIZE, where,
                     "size %zu exceeds the largest CL_DEVICE_MAX_MEM_ALLOC_SIZE in this context, %llu (%s)",
                     size, (unsigned long long)context->largest_alloc,
                     context->largest_alloc_device->backend->caps.name);
  err = check_host_ptr(context, flags, host_ptr, where);
  if (err != CL_SUCCESS) return err;
  return kiln_buffer_create(context, &desc, out);
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

/* What a sub-buffer may not ask of its parent. */
static const char *flags_conflict(cl_mem_flags parent, cl_mem_flags flags) {
  /* CL_INVALID_VALUE if buffer was created with CL_MEM_WRITE_ONLY and flags specifies CL_MEM_READ_WRITE or
     CL_MEM_READ_ONLY, or with CL_MEM_READ_ONLY and flags specifies CL_MEM_READ_WRITE or CL_MEM_WRITE_ONLY, or
     if flags specifies CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR. */
  if (flags & pointer_flags) return "asks for host memory, which a sub-buffer inherits";
  if ((parent & CL_MEM_WRITE_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)))
    return "would read a CL_MEM_WRITE_ONLY buffer";
  if ((parent & CL_MEM_READ_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)))
    return "would write a CL_MEM_READ_ONLY buffer";
  /* CL_INVALID_VALUE if buffer was created with CL_MEM_HOST_WRITE_ONLY and flags specify
     CL_MEM_HOST_READ_ONLY, or with CL_MEM_HOST_READ_ONLY and flags specify CL_MEM_HOST_WRITE_ONLY, or with
     CL_MEM_HOST_NO_ACCESS and flags specify CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_WRITE_ONLY. */
  if ((parent & CL_MEM_HOST_WRITE_ONLY) && (flags & CL_MEM_HOST_READ_ONLY))
    return "adds host reads to a CL_MEM_HOST_WRITE_ONLY buffer";
  if ((parent & CL_MEM_HOST_READ_ONLY) && (flags & CL_MEM_HOST_WRITE_ONLY))
    return "adds host writes to a CL_MEM_HOST_READ_ONLY buffer";
  if ((parent & CL_MEM_HOST_NO_ACCESS) && (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
    return "adds host access to a CL_MEM_HOST_NO_ACCESS buffer";
  return NULL;
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
  err = check_flags(buffer->context, flags, access_flags | pointer_flags | host_flags, where);
  if (err != CL_SUCCESS) return err;
  const char *conflict = flags_conflict(buffer->flags, flags);
  if (conflict != NULL)
    return kiln_fail(buffer->context, CL_INVALID_VALUE, where, "flags 0x%llX %s", (unsigned long long)flags,
                     conflict);
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
  if ((flags & access_flags) == 0) flags |= buffer->flags & access_flags;
  if ((flags & host_flags) == 0) flags |= buffer->flags & host_flags;
  flags |= buffer->flags & pointer_flags;
  return kiln_sub_buffer_create(buffer, flags, region->origin, region->size, out);
}

CL_API_ENTRY cl_mem CL_API_CALL kiln_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                                       cl_buffer_create_type buffer_create_type,
                                                       const void *buffer_create_info, cl_int *errcode_ret) {
  KILN_RETURN_HANDLE(
      cl_mem, errcode_ret,
      create_sub_buffer(buffer, flags, buffer_create_type, buffer_create_info, &out, __func__));
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clRetainMemObject(cl_mem memobj) {
  /* CL_INVALID_MEM_OBJECT if memobj is not a valid memory object. */
  KILN_CHECK(NULL, memobj, MEM);
  KILN_REQUIRE(memobj->context, kiln_object_api_retain(memobj), CL_INVALID_MEM_OBJECT,
               "memobj %p was already released", (void *)memobj);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clReleaseMemObject(cl_mem memobj) {
  /* CL_INVALID_MEM_OBJECT if memobj is not a valid memory object. */
  KILN_CHECK(NULL, memobj, MEM);
  KILN_REQUIRE(memobj->context, kiln_object_api_release(memobj), CL_INVALID_MEM_OBJECT,
               "memobj %p was already released", (void *)memobj);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clSetMemObjectDestructorCallback(
    cl_mem memobj, void(CL_CALLBACK *pfn_notify)(cl_mem memobj, void *user_data), void *user_data) {
  /* CL_INVALID_MEM_OBJECT if memobj is not a valid memory object. */
  KILN_CHECK(NULL, memobj, MEM);
  /* CL_INVALID_VALUE if pfn_notify is NULL. */
  KILN_REQUIRE(memobj->context, pfn_notify != NULL, CL_INVALID_VALUE, "pfn_notify is NULL");
  cl_int err = kiln_destructor_push(&memobj->lock, &memobj->destructors,
                                    (void(CL_CALLBACK *)(void *, void *))pfn_notify, user_data);
  return err == CL_SUCCESS ? CL_SUCCESS : kiln_fail_oom(memobj->context);
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name,
                                                        size_t param_value_size, void *param_value,
                                                        size_t *param_value_size_ret) {
  /* CL_INVALID_MEM_OBJECT if memobj is a not a valid memory object. */
  KILN_CHECK(NULL, memobj, MEM);
  struct kiln_info info = {memobj->context,  __func__,    param_name,
                           param_value_size, param_value, param_value_size_ret};
  switch (param_name) {
  case CL_MEM_TYPE:
    return kiln_info_value(&info, cl_mem_object_type, memobj->type);
  case CL_MEM_FLAGS:
    return kiln_info_value(&info, cl_mem_flags, memobj->flags);
  case CL_MEM_SIZE:
    return kiln_info_value(&info, size_t, memobj->size);
  case CL_MEM_HOST_PTR:
    return kiln_info_value(&info, void *, memobj->host_ptr);
  case CL_MEM_MAP_COUNT:
    return kiln_info_value(&info, cl_uint, kiln_mem_map_count(memobj));
  case CL_MEM_REFERENCE_COUNT:
    return kiln_info_value(&info, cl_uint, atomic_load(&memobj->object.api_refs));
  case CL_MEM_CONTEXT:
    return kiln_info_value(&info, cl_context, memobj->context);
  case CL_MEM_ASSOCIATED_MEMOBJECT:
    return kiln_info_value(&info, cl_mem, memobj->parent);
  case CL_MEM_OFFSET:
    return kiln_info_value(&info, size_t, memobj->origin);
  case CL_MEM_USES_SVM_POINTER:
    return kiln_info_value(&info, cl_bool, CL_FALSE);
  case CL_MEM_PROPERTIES:
    return kiln_info_bytes(&info, memobj->properties, memobj->properties_size * sizeof *memobj->properties);
  default:
    return kiln_info_unknown(&info);
  }
}
