/* Owns the header of every handle: creation, both counts, liveness. Knows the classes' destroy functions, not
 * their fields. */
#include "core/object.h"

#include "base/alloc.h"
#include "base/os.h"

static _Atomic(void *) dispatch_data;

void kiln_object_set_dispatch_data(void *data) { dispatch_data = data; }

/* A loader that sees the tags reads the data. */
void kiln_object_take_dispatch_data(struct kiln_object *object) {
  void *data = atomic_load_explicit(&dispatch_data, memory_order_relaxed);
  bool tagged = data != NULL || object->type == KILN_T_PLATFORM;
  object->dispatch_data = data;
  __atomic_store_n(&object->dispatch, tagged ? &kiln_dispatch : &kiln_plain_dispatch, __ATOMIC_RELEASE);
}

bool kiln_object_has_table(const struct kiln_object *object) {
  const struct kiln_icd_dispatch *table = __atomic_load_n(&object->dispatch, __ATOMIC_RELAXED);
  return table == &kiln_dispatch || table == &kiln_plain_dispatch;
}

void kiln_object_init(struct kiln_object *object, enum kiln_type type) {
  object->type = type;
  kiln_object_take_dispatch_data(object);
  object->generation = kiln_os_fork_generation;
  atomic_init(&object->api_refs, 1);
  atomic_init(&object->refs, 1);
}

enum { BEFORE = 32 }; /* bytes in front of a header: where allocators keep their lists of what is free */

void *kiln_object_new(enum kiln_type type, size_t size) {
  char *memory = kiln_zalloc(BEFORE + size);
  if (memory == NULL) return NULL;
  kiln_object_init((struct kiln_object *)(memory + BEFORE), type);
  return memory + BEFORE;
}

void kiln_object_free(void *object) { kiln_free((char *)object - BEFORE); }

bool kiln_object_is(const void *p, enum kiln_type type) {
  const struct kiln_object *object = p;
  return object != NULL && kiln_object_has_table(object) && object->type == (uint32_t)type &&
         (object->generation == kiln_os_fork_generation || type == KILN_T_PLATFORM || type == KILN_T_DEVICE);
}

void *kiln_object_ref(void *p) {
  struct kiln_object *object = p;
  if (object != NULL) atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
  return p;
}

static void destroy(struct kiln_object *object) {
  uint32_t type = object->type;
  object->type = KILN_T_DEAD;
  switch (type) {
  case KILN_T_DEVICE:
    kiln_device_destroy((kiln_device *)object);
    break;
  case KILN_T_CONTEXT:
    kiln_context_destroy((kiln_context *)object);
    break;
  case KILN_T_QUEUE:
    kiln_queue_destroy((kiln_queue *)object);
    break;
  case KILN_T_EVENT:
    kiln_event_destroy((kiln_event *)object);
    break;
  case KILN_T_MEM:
    kiln_mem_destroy((kiln_mem *)object);
    break;
  case KILN_T_SAMPLER:
    kiln_sampler_destroy((kiln_sampler *)object);
    break;
  case KILN_T_PROGRAM:
    kiln_program_destroy((kiln_program *)object);
    break;
  case KILN_T_KERNEL:
    kiln_kernel_destroy((kiln_kernel *)object);
    break;
  default:
    break; /* the platform is never destroyed */
  }
}

/* Objects whose last reference went while this thread was already destroying one: their destruction waits its
 * turn, so that a chain of parents costs no stack. Linked through dispatch_data, which nobody reads any more.
 */
static _Thread_local struct kiln_object *waiting;
static _Thread_local bool destroying;

void kiln_object_unref(void **pp) {
  struct kiln_object *object = *pp;
  *pp = NULL;
  if (object == NULL || atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) != 1) return;
  object->dispatch_data = waiting;
  waiting = object;
  if (destroying) return;
  destroying = true;
  while ((object = waiting) != NULL) {
    waiting = object->dispatch_data;
    destroy(object);
  }
  destroying = false;
}

/* Adds one to a count unless it is zero. */
static bool add_unless_zero(atomic_uint *count) {
  unsigned held = atomic_load_explicit(count, memory_order_relaxed);
  do {
    if (held == 0) return false;
  } while (!atomic_compare_exchange_weak_explicit(count, &held, held + 1, memory_order_relaxed,
                                                  memory_order_relaxed));
  return true;
}

bool kiln_object_api_retain(void *p) {
  struct kiln_object *object = p;
  while (!add_unless_zero(&object->api_refs)) {
    unsigned none = 0;
    if (!add_unless_zero(&object->refs)) return false;
    if (atomic_compare_exchange_strong_explicit(&object->api_refs, &none, 1, memory_order_relaxed,
                                                memory_order_relaxed))
      return true;
    void *extra = object; /* another thread revived it first */
    kiln_object_unref(&extra);
  }
  return true;
}

bool kiln_object_api_release(void *p) {
  struct kiln_object *object = p;
  unsigned held = atomic_load_explicit(&object->api_refs, memory_order_relaxed);
  do {
    if (held == 0) return false;
  } while (!atomic_compare_exchange_weak_explicit(&object->api_refs, &held, held - 1, memory_order_acq_rel,
                                                  memory_order_relaxed));
  if (held == 1) kiln_object_unref(&p);
  return true;
}
