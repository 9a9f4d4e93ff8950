/* Mapping, unmapping and migrating memory objects: zero copy, so only their order and events matter. */
#include "api/check.h"
#include "api/table.h"
#include "api/transfer.h"
#include "base/alloc.h"
#include "core/queue.h"

/* The mapping counts from the enqueue on, for what is enqueued next; a command that fails takes it back. */
static void finish_map(kiln_cmd *cmd) {
  if (atomic_load(&cmd->failure) < 0)
    kiln_mem_forget(cmd->finish_data[0], (uint64_t)(uintptr_t)cmd->finish_data[1]);
}

cl_int kiln_enqueue_map(kiln_queue *queue, cl_command_type type, kiln_mem *mem, cl_map_flags flags,
                        const struct kiln_box *box, const struct kiln_sync *sync, const char *where) {
  kiln_cmd *cmd;
  cl_int err = kiln_cmd_create(queue, type, &cmd);
  if (err != CL_SUCCESS) return err;
  uint64_t id = 0;
  err = kiln_mem_map(mem, flags, box, &id);
  /* CL_INVALID_OPERATION if mapping would lead to overlapping regions being mapped for writing. */
  if (err == CL_INVALID_OPERATION)
    kiln_fail(queue->context, err, where,
              "the %zu x %zu x %zu bytes at %p overlap a region that is mapped for writing", box->width,
              box->height, box->depth, (const void *)box->start);
  if (err != CL_SUCCESS) {
    kiln_cmd_discard(&cmd);
    return err;
  }
  cmd->finish = finish_map;
  cmd->finish_data[0] = mem;
  cmd->finish_data[1] = (void *)(uintptr_t)id;
  err = kiln_enqueue_holding(cmd, mem, NULL, sync);
  if (err != CL_SUCCESS) kiln_mem_forget(mem, id);
  return err;
}

cl_int kiln_check_map_flags(kiln_mem *mem, cl_map_flags flags, const char *where) {
  /* CL_INVALID_VALUE if values specified in map_flags are not valid. */
  const cl_map_flags all = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  bool both = (flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE));
  if ((flags & ~all) != 0 || both)
    return kiln_fail(mem->context, CL_INVALID_VALUE, where, "map_flags 0x%llX %s", (unsigned long long)flags,
                     both ? "joins CL_MAP_WRITE_INVALIDATE_REGION with another flag"
                          : "has a bit that is no map flag");
  /* CL_INVALID_OPERATION if buffer or image has been created with CL_MEM_HOST_WRITE_ONLY or
     CL_MEM_HOST_NO_ACCESS and CL_MAP_READ is set in map_flags or if it has been created with
     CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS and CL_MAP_WRITE or CL_MAP_WRITE_INVALIDATE_REGION is set
     in map_flags. */
  cl_int err = CL_SUCCESS;
  if (flags & CL_MAP_READ) err = kiln_check_host_access(mem, true, false, where);
  if (err == CL_SUCCESS && (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)))
    err = kiln_check_host_access(mem, false, true, where);
  return err;
}

static cl_int map_buffer(kiln_queue *queue, kiln_mem *mem, cl_map_flags flags, size_t offset, size_t size,
                         const struct kiln_sync *sync, void **pointer_out, const char *where) {
  cl_int err = kiln_check_queue(queue, where);
  if (err == CL_SUCCESS) err = kiln_check_buffer(queue, mem, where, "buffer");
  if (err == CL_SUCCESS) err = kiln_check_wait_list(queue->context, sync->num_waits, sync->waits, where);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if region being mapped given by (offset, size) is out of bounds or if size is 0 or if
     values specified in map_flags are not valid. */
  if (size == 0) return kiln_fail(queue->context, CL_INVALID_VALUE, where, "size is 0");
  err = kiln_check_span(mem, offset, size, where, "buffer");
  if (err == CL_SUCCESS) err = kiln_check_map_flags(mem, flags, where);
  if (err != CL_SUCCESS) return err;
  const struct kiln_box box = {.start = mem->data + offset, .width = size, .height = 1, .depth = 1};
  err = kiln_enqueue_map(queue, CL_COMMAND_MAP_BUFFER, mem, flags, &box, sync, where);
  if (err == CL_SUCCESS) *pointer_out = mem->data + offset;
  return err;
}

CL_API_ENTRY void *CL_API_CALL kiln_clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer,
                                                       cl_bool blocking_map, cl_map_flags map_flags,
                                                       size_t offset, size_t size,
                                                       cl_uint num_events_in_wait_list,
                                                       const cl_event *event_wait_list, cl_event *event,
                                                       cl_int *errcode_ret) {
  struct kiln_sync sync = {num_events_in_wait_list, event_wait_list, event, blocking_map};
  KILN_RETURN_HANDLE(void *, errcode_ret,
                     map_buffer(command_queue, buffer, map_flags, offset, size, &sync, &out, __func__));
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj,
                                                             void *mapped_ptr,
                                                             cl_uint num_events_in_wait_list,
                                                             const cl_event *event_wait_list,
                                                             cl_event *event) {
  KILN_CHECK(NULL, command_queue, QUEUE);
  kiln_context *context = command_queue->context;
  /* CL_INVALID_MEM_OBJECT if memobj is not a valid memory object or is a pipe object. */
  KILN_CHECK(context, memobj, MEM);
  KILN_CHECK_WAIT_LIST(context, num_events_in_wait_list, event_wait_list);
  /* CL_INVALID_CONTEXT if the context associated with command_queue and memobj are not the same. */
  KILN_REQUIRE(context, memobj->context == context, CL_INVALID_CONTEXT,
               "memobj %p belongs to another context than command_queue", (void *)memobj);
  kiln_cmd *cmd;
  cl_int err = kiln_cmd_create(command_queue, CL_COMMAND_UNMAP_MEM_OBJECT, &cmd);
  if (err != CL_SUCCESS) return err;
  /* CL_INVALID_VALUE if mapped_ptr is not a valid pointer returned by clEnqueueMapBuffer or clEnqueueMapImage
   * for memobj. */
  struct kiln_mapping *mapping = kiln_mem_unmap(memobj, mapped_ptr);
  if (mapping == NULL) {
    kiln_cmd_discard(&cmd);
    return kiln_fail(context, CL_INVALID_VALUE, __func__, "mapped_ptr %p is not mapped on memobj %p",
                     mapped_ptr, (void *)memobj);
  }
  err = kiln_enqueue_holding(cmd, memobj, NULL,
                             &(struct kiln_sync){num_events_in_wait_list, event_wait_list, event, CL_FALSE});
  if (err == CL_SUCCESS) kiln_free(mapping);
  else kiln_mem_remap(mapping);
  return err;
}

CL_API_ENTRY cl_int CL_API_CALL kiln_clEnqueueMigrateMemObjects(
    cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
    cl_mem_migration_flags flags, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event) {
  KILN_CHECK(NULL, command_queue, QUEUE);
  kiln_context *context = command_queue->context;
  /* CL_INVALID_VALUE if num_mem_objects is zero or if mem_objects is NULL. */
  KILN_REQUIRE(context, num_mem_objects != 0, CL_INVALID_VALUE, "num_mem_objects is 0");
  KILN_REQUIRE(context, mem_objects != NULL, CL_INVALID_VALUE, "mem_objects is NULL");
  /* CL_INVALID_VALUE if flags is not 0 or is not any of the values described in the table of migration flags.
   */
  const cl_mem_migration_flags all = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
  KILN_REQUIRE(context, (flags & ~all) == 0, CL_INVALID_VALUE,
               "flags 0x%llX has a bit that is no migration flag", (unsigned long long)flags);
  KILN_CHECK_WAIT_LIST(context, num_events_in_wait_list, event_wait_list);
  for (cl_uint i = 0; i < num_mem_objects; i++) {
    /* CL_INVALID_MEM_OBJECT if any of the memory objects in mem_objects is not a valid memory object. */
    cl_int err = kiln_check_handle_at(context, mem_objects[i], KILN_T_MEM, __func__, "mem_objects", i);
    if (err != CL_SUCCESS) return err;
    /* CL_INVALID_CONTEXT if the context associated with command_queue and memory objects are not the same. */
    KILN_REQUIRE(context, mem_objects[i]->context == context, CL_INVALID_CONTEXT,
                 "mem_objects[%u] belongs to another context than command_queue", i);
  }
  kiln_cmd *cmd;
  cl_int err = kiln_cmd_create(command_queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, &cmd);
  for (cl_uint i = 0; err == CL_SUCCESS && i < num_mem_objects; i++) {
    err = kiln_cmd_hold(cmd, mem_objects[i]);
    if (err != CL_SUCCESS) kiln_cmd_discard(&cmd);
  }
  return err != CL_SUCCESS ? err
                           : kiln_cmd_enqueue(cmd, num_events_in_wait_list, event_wait_list, event, false);
}
