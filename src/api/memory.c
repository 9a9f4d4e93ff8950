/* Memory objects of any kind: what their constructors check alike; reference counts, destructor callbacks,
 * common queries (specification chapter "Memory Objects"). */
#include "api/memory.h"

#include "api/check.h"
#include "api/info.h"
#include "api/table.h"
#include "core/destructor.h"

/* ---- creation ---- */

static bool at_most_one(cl_mem_flags flags) { return (flags & (flags - 1)) == 0; }

cl_int kiln_check_mem_flags(kiln_context *context, cl_mem_flags flags, cl_mem_flags allowed,
                            const char *where) {
  /* CL_INVALID_VALUE if values specified in flags are not valid. */
  const char *why = NULL;
  if (flags & ~allowed) why = "has a bit that is no flag of this call";
  else if (!at_most_one(flags & KILN_ACCESS_FLAGS))
    why = "has more than one of CL_MEM_READ_WRITE, WRITE_ONLY, READ_ONLY";
  else if (!at_most_one(flags & KILN_HOST_FLAGS))
    why = "has more than one of CL_MEM_HOST_WRITE_ONLY, READ_ONLY, NO_ACCESS";
  else if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
    why = "has CL_MEM_USE_HOST_PTR together with CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR";
  if (why == NULL) return CL_SUCCESS;
  return kiln_fail(context, CL_INVALID_VALUE, where, "flags 0x%llX %s", (unsigned long long)flags, why);
}

cl_int kiln_check_host_ptr(kiln_context *context, cl_mem_flags flags, const void *host_ptr,
                           const char *where) {
  /* CL_INVALID_HOST_PTR if host_ptr is NULL and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are set in flags
     or if host_ptr is not NULL but CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are not set in flags. */
  bool wanted = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  if (wanted == (host_ptr != NULL)) return CL_SUCCESS;
  return kiln_fail(context, CL_INVALID_HOST_PTR, where,
                   "host_ptr is %s, but flags 0x%llX %s CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR",
                   wanted ? "NULL" : "not NULL", (unsigned long long)flags, wanted ? "has" : "has neither");
}

cl_int kiln_check_mem_properties(kiln_context *context, const cl_mem_properties *properties,
                                 uint32_t *size_out, const char *where) {
  /* CL_INVALID_PROPERTY if a property name in properties is not a supported property name [Kiln has none], if
     the value is not valid, or if the same property name is specified more than once. */
  if (properties != NULL && properties[0] != 0)
    return kiln_fail(context, CL_INVALID_PROPERTY, where,
                     "properties[0] 0x%llX is no supported property; there are none",
                     (unsigned long long)properties[0]);
  *size_out = properties != NULL ? 1 : 0;
  return CL_SUCCESS;
}

/* What a view may not ask of its parent. */
static const char *flags_conflict(cl_mem_flags parent, cl_mem_flags flags) {
  /* CL_INVALID_VALUE if buffer or mem_object was created with CL_MEM_WRITE_ONLY and flags specifies
     CL_MEM_READ_WRITE or CL_MEM_READ_ONLY, or with CL_MEM_READ_ONLY and flags specifies CL_MEM_READ_WRITE or
     CL_MEM_WRITE_ONLY, or if flags specifies CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or
     CL_MEM_COPY_HOST_PTR. */
  if (flags & KILN_POINTER_FLAGS) return "asks for host memory, which is inherited";
  if ((parent & CL_MEM_WRITE_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)))
    return "would read a CL_MEM_WRITE_ONLY object";
  if ((parent & CL_MEM_READ_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)))
    return "would write a CL_MEM_READ_ONLY object";
  /* CL_INVALID_VALUE if buffer was created with CL_MEM_HOST_WRITE_ONLY and flags specify
     CL_MEM_HOST_READ_ONLY, or with CL_MEM_HOST_READ_ONLY and flags specify CL_MEM_HOST_WRITE_ONLY, or with
     CL_MEM_HOST_NO_ACCESS and flags specify CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_WRITE_ONLY. */
  if ((parent & CL_MEM_HOST_WRITE_ONLY) && (flags & CL_MEM_HOST_READ_ONLY))
    return "adds host reads to a CL_MEM_HOST_WRITE_ONLY object";
  if ((parent & CL_MEM_HOST_READ_ONLY) && (flags & CL_MEM_HOST_WRITE_ONLY))
    return "adds host writes to a CL_MEM_HOST_READ_ONLY object";
  if ((parent & CL_MEM_HOST_NO_ACCESS) && (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
    return "adds host access to a CL_MEM_HOST_NO_ACCESS object";
  return NULL;
}

cl_int kiln_check_view_flags(const kiln_mem *parent, cl_mem_flags flags, const char *where) {
  const char *conflict = flags_conflict(parent->flags, flags);
  if (conflict == NULL) return CL_SUCCESS;
  return kiln_fail(parent->context, CL_INVALID_VALUE, where, "flags 0x%llX %s", (unsigned long long)flags,
                   conflict);
}

cl_mem_flags kiln_view_flags(const kiln_mem *parent, cl_mem_flags flags) {
  if ((flags & KILN_ACCESS_FLAGS) == 0) flags |= parent->flags & KILN_ACCESS_FLAGS;
  if ((flags & KILN_HOST_FLAGS) == 0) flags |= parent->flags & KILN_HOST_FLAGS;
  return flags | (parent->flags & KILN_POINTER_FLAGS);
}

/* ---- any object ---- */

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
