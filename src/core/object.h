/* The header of every handle, its two counts, and its classes.
 * api_refs is what the application holds and CL_*_REFERENCE_COUNT reports; refs is ours, and all api_refs
 * together hold one of it. A child holds its parent, never the reverse; a command holds all it touches until
 * it is done. */
#ifndef KILN_CORE_OBJECT_H
#define KILN_CORE_OBJECT_H

#include "base/ocl.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(TYPE, struct tag, name in messages, CL_INVALID_* code) */
#define KILN_OBJECT_TABLE(X)                                                                                 \
  X(PLATFORM, _cl_platform_id, "platform", CL_INVALID_PLATFORM)                                              \
  X(DEVICE, _cl_device_id, "device", CL_INVALID_DEVICE)                                                      \
  X(CONTEXT, _cl_context, "context", CL_INVALID_CONTEXT)                                                     \
  X(QUEUE, _cl_command_queue, "command queue", CL_INVALID_COMMAND_QUEUE)                                     \
  X(EVENT, _cl_event, "event", CL_INVALID_EVENT)                                                             \
  X(MEM, _cl_mem, "memory object", CL_INVALID_MEM_OBJECT)                                                    \
  X(SAMPLER, _cl_sampler, "sampler", CL_INVALID_SAMPLER)                                                     \
  X(PROGRAM, _cl_program, "program", CL_INVALID_PROGRAM)                                                     \
  X(KERNEL, _cl_kernel, "kernel", CL_INVALID_KERNEL)

enum kiln_type {
  KILN_T_DEAD = 0x6b646561,
  KILN_T_FIRST = 0x6b6c0000,
#define X(T, tag, name, code) KILN_T_##T,
  KILN_OBJECT_TABLE(X)
#undef X
};

struct kiln_object {
  const struct kiln_icd_dispatch *dispatch; /* the loader reads this: stays first */
  void *dispatch_data;                      /* for cl_khr_icd 2: stays second */
  uint32_t type;                            /* enum kiln_type; KILN_T_DEAD once destroyed */
  uint32_t generation; /* kiln_os_fork_generation at creation; an older object is unusable in a child */
  atomic_uint api_refs;
  atomic_uint refs;
};

/* The tables that objects start with; defined in api/icd.c. The first has the tags of cl_khr_icd 2: loaders
 * that know it go by dispatch_data then. The platform has it, to be recognised; others once there is data:
 * two libraries of a program may each bring a loader, and one that has not introduced itself may be handed
 * objects of the other's. */
extern const struct kiln_icd_dispatch kiln_dispatch, kiln_plain_dispatch;

/* What a loader of cl_khr_icd 2 gave the platform (clIcdSetPlatformDispatchDataKHR); every object created
 * later carries it. Set before the loader hands out any handle. */
void kiln_object_set_dispatch_data(void *data);
/* The same for an object that is there already. */
void kiln_object_take_dispatch_data(struct kiln_object *object);
/* Whether object, which is memory, starts like one. */
bool kiln_object_has_table(const struct kiln_object *object);

/* size zeroed bytes starting with the header, both counts 1; NULL without memory. */
void *kiln_object_new(enum kiln_type type, size_t size);
/* Its memory, when it is destroyed. What was the header mostly stays as it is until the memory is used again:
 * a handle that an application releases once too often is then told apart (CL_INVALID_...), also by a loader,
 * which calls what the header points to. */
void kiln_object_free(void *object);
/* Sets up the header of an object that lives in memory of its own (platform, root devices, pooled commands).
 */
void kiln_object_init(struct kiln_object *object, enum kiln_type type);

/* Internal references. kiln_ref returns its argument and accepts NULL. kiln_unref nulls the caller's pointer;
 * the last reference runs the class's destroy, without recursion: chains of parents are released in a loop.
 */
#define kiln_ref(p) ((__typeof__(p))kiln_object_ref(p))
void *kiln_object_ref(void *object);
#define kiln_unref(pp) kiln_object_unref((void **)(pp))
void kiln_object_unref(void **object);

/* Application references: clRetain*, clRelease* after the handle check. Release returns false when the
 * application holds none any more (over-release). Retain revives an object that only our own references keep
 * alive, as when a released context is asked of its queue; it returns false for one that is being destroyed.
 */
bool kiln_object_api_retain(void *object);
bool kiln_object_api_release(void *object);

/* True if p is a live handle of ours of that type and of this process generation. */
bool kiln_object_is(const void *p, enum kiln_type type);

/* One destroy function per type; each lives in its object's file: kiln_<noun>_destroy frees what the object
 * owns and the memory itself, dropping parents with kiln_unref. */
void kiln_device_destroy(kiln_device *device);
void kiln_context_destroy(kiln_context *context);
void kiln_queue_destroy(kiln_queue *queue);
void kiln_event_destroy(kiln_event *event);
void kiln_mem_destroy(kiln_mem *mem);
void kiln_sampler_destroy(kiln_sampler *sampler);
void kiln_program_destroy(kiln_program *program);
void kiln_kernel_destroy(kiln_kernel *kernel);

#endif
