/* The stacks of destructor callbacks. */
#include "core/destructor.h"

#include "base/alloc.h"

cl_int kiln_destructor_push(struct kiln_lock *lock, struct kiln_destructor **stack,
                            void(CL_CALLBACK *function)(void *handle, void *user_data), void *user_data) {
  struct kiln_destructor *entry = kiln_alloc(sizeof *entry);
  if (entry == NULL) return CL_OUT_OF_HOST_MEMORY;
  kiln_lock(lock);
  *entry = (struct kiln_destructor){.next = *stack, .function = function, .user_data = user_data};
  *stack = entry;
  kiln_unlock(lock);
  return CL_SUCCESS;
}

void kiln_destructor_run(struct kiln_destructor **stack, void *handle) {
  while (*stack != NULL) {
    struct kiln_destructor *entry = *stack;
    *stack = entry->next;
    entry->function(handle, entry->user_data);
    kiln_free(entry);
  }
}
