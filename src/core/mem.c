/* Owns the storage of memory objects, views of it, and mappings. On a device that works in host memory every
 * object is one host allocation (or the application's own memory), so mapping never copies. */
#include "core/mem.h"

#include "base/alloc.h"
#include "core/destructor.h"
#include "core/error.h"

#include <string.h>

static struct kiln_driver_device *storage_device(const kiln_context *context) {
  return context->devices[0]->backend;
}

/* The object whose bytes mem names: itself, or what it is a view of, maybe through others. */
static kiln_mem *storage_owner(kiln_mem *mem) {
  while (mem->parent != NULL) mem = mem->parent;
  return mem;
}

static bool owns_storage(const kiln_mem *mem) {
  return mem->parent == NULL && (mem->flags & CL_MEM_USE_HOST_PTR) == 0 && mem->data != NULL;
}

static cl_int copy_properties(kiln_mem *mem, const struct kiln_mem_desc *desc) {
  if (desc->properties == NULL) return CL_SUCCESS;
  size_t bytes = desc->properties_size * sizeof *desc->properties;
  mem->properties = kiln_alloc(bytes);
  if (mem->properties == NULL) return kiln_fail_oom(mem->context);
  memcpy(mem->properties, desc->properties, bytes);
  mem->properties_size = desc->properties_size;
  return CL_SUCCESS;
}

static void attach_view(kiln_mem *mem, const struct kiln_mem_desc *desc) {
  mem->parent = kiln_ref(desc->parent);
  mem->origin = desc->origin;
  mem->data = desc->parent->data + desc->origin;
  /* An image's is what was given to create it: none. */
  if (mem->type == CL_MEM_OBJECT_BUFFER && desc->parent->host_ptr != NULL)
    mem->host_ptr = (uint8_t *)desc->parent->host_ptr + desc->origin;
}

static cl_int attach_storage(kiln_mem *mem, const struct kiln_mem_desc *desc) {
  if (desc->flags & CL_MEM_USE_HOST_PTR) {
    mem->host_ptr = mem->data = desc->host_ptr;
    return CL_SUCCESS;
  }
  struct kiln_driver_device *device = storage_device(mem->context);
  void *address;
  if (device->driver->alloc(device, desc->size, &address) != CL_SUCCESS)
    return kiln_fail(mem->context, CL_MEM_OBJECT_ALLOCATION_FAILURE, NULL,
                     "%zu bytes for %s are not to be had on %s", desc->size,
                     mem->type == CL_MEM_OBJECT_BUFFER ? "a buffer" : "an image", device->caps.name);
  mem->data = address;
  if (desc->flags & CL_MEM_COPY_HOST_PTR) memcpy(mem->data, desc->host_ptr, desc->size);
  return CL_SUCCESS;
}

cl_int kiln_mem_create(kiln_context *context, cl_mem_object_type type, size_t object_size,
                       const struct kiln_mem_desc *desc, kiln_mem **mem_out) {
  kiln_mem *mem = kiln_object_new(KILN_T_MEM, object_size);
  if (mem == NULL) return kiln_fail_oom(context);
  mem->context = kiln_ref(context);
  mem->type = type;
  mem->flags = desc->flags;
  mem->size = desc->size;
  kiln_lock_init(&mem->lock, KILN_RANK_MEM);
  cl_int err = copy_properties(mem, desc);
  if (err == CL_SUCCESS && desc->parent != NULL) attach_view(mem, desc);
  else if (err == CL_SUCCESS) err = attach_storage(mem, desc);
  if (err != CL_SUCCESS) {
    kiln_unref(&mem);
    return err;
  }
  *mem_out = mem;
  return CL_SUCCESS;
}

/* Forgets the mappings that were never undone. */
static void drop_mappings(kiln_mem *mem) {
  kiln_mem *owner = storage_owner(mem);
  struct kiln_mapping *dropped = NULL;
  kiln_lock(&owner->lock);
  for (struct kiln_mapping **link = &owner->mappings; *link != NULL;) {
    struct kiln_mapping *mapping = *link;
    if (mapping->mem != mem) {
      link = &mapping->next;
      continue;
    }
    *link = mapping->next;
    mapping->next = dropped;
    dropped = mapping;
  }
  kiln_unlock(&owner->lock);
  while (dropped != NULL) {
    struct kiln_mapping *mapping = dropped;
    dropped = mapping->next;
    kiln_free(mapping);
  }
}

void kiln_mem_destroy(kiln_mem *mem) {
  /* The callbacks come before the storage goes: with USE_HOST_PTR they tell the application that it may free
   * it. */
  kiln_destructor_run(&mem->destructors, mem);
  if (owns_storage(mem)) {
    struct kiln_driver_device *device = storage_device(mem->context);
    device->driver->free(device, mem->data, mem->size);
  }
  drop_mappings(mem);
  kiln_unref(&mem->parent);
  kiln_unref(&mem->context);
  kiln_lock_finish(&mem->lock);
  kiln_free(mem->properties);
  kiln_object_free(mem);
}

static const cl_map_flags writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

/* Whether both are for writing and share a byte. */
static bool conflict(const struct kiln_mapping *a, const struct kiln_mapping *b) {
  return (a->flags & writing) != 0 && (b->flags & writing) != 0 && kiln_boxes_meet(&a->box, &b->box);
}

/* owner's lock is held. */
static void note_mapping(kiln_mem *owner, struct kiln_mapping *mapping) {
  mapping->next = owner->mappings;
  owner->mappings = mapping;
  mapping->mem->map_count++;
}

void kiln_mem_remap(struct kiln_mapping *mapping) {
  kiln_mem *owner = storage_owner(mapping->mem);
  kiln_lock(&owner->lock);
  note_mapping(owner, mapping);
  kiln_unlock(&owner->lock);
}

cl_int kiln_mem_map(kiln_mem *mem, cl_map_flags flags, const struct kiln_box *box, uint64_t *id_out) {
  struct kiln_mapping *mapping = kiln_alloc(sizeof *mapping);
  if (mapping == NULL) return kiln_fail_oom(mem->context);
  *mapping = (struct kiln_mapping){.mem = mem, .box = *box, .flags = flags};
  kiln_mem *owner = storage_owner(mem);
  kiln_lock(&owner->lock);
  const struct kiln_mapping *other = owner->mappings;
  while (other != NULL && !conflict(other, mapping)) other = other->next;
  if (other == NULL) {
    *id_out = mapping->id = ++owner->last_mapping;
    note_mapping(owner, mapping);
  }
  kiln_unlock(&owner->lock);
  if (other != NULL) {
    kiln_free(mapping);
    return CL_INVALID_OPERATION;
  }
  return CL_SUCCESS;
}

/* The newest mapping of mem with that pointer, or with that id if it is not 0, out of the list. */
static struct kiln_mapping *take_mapping(kiln_mem *mem, const void *pointer, uint64_t id) {
  kiln_mem *owner = storage_owner(mem);
  kiln_lock(&owner->lock);
  struct kiln_mapping **link = &owner->mappings;
  while (*link != NULL &&
         ((*link)->mem != mem || (id != 0 ? (*link)->id != id : (*link)->box.start != pointer)))
    link = &(*link)->next;
  struct kiln_mapping *found = *link;
  if (found != NULL) {
    *link = found->next;
    mem->map_count--;
  }
  kiln_unlock(&owner->lock);
  return found;
}

struct kiln_mapping *kiln_mem_unmap(kiln_mem *mem, const void *pointer) {
  return take_mapping(mem, pointer, 0);
}

void kiln_mem_forget(kiln_mem *mem, uint64_t id) { kiln_free(take_mapping(mem, NULL, id)); }

uint32_t kiln_mem_map_count(kiln_mem *mem) {
  kiln_mem *owner = storage_owner(mem);
  kiln_lock(&owner->lock);
  uint32_t count = mem->map_count;
  kiln_unlock(&owner->lock);
  return count;
}
