/* Stacks of destructor callbacks (clSetContextDestructorCallback, clSetMemObjectDestructorCallback,
 * clSetProgramReleaseCallback): the last registered runs first. */
#ifndef KILN_CORE_DESTRUCTOR_H
#define KILN_CORE_DESTRUCTOR_H

#include "base/lock.h"
#include "core/context.h"

/* Registers under lock, which guards *stack. CL_SUCCESS or CL_OUT_OF_HOST_MEMORY (reported by the caller). */
cl_int kiln_destructor_push(struct kiln_lock *lock, struct kiln_destructor **stack,
                            void(CL_CALLBACK *function)(void *handle, void *user_data), void *user_data);
/* Calls and frees the whole stack; no lock held. */
void kiln_destructor_run(struct kiln_destructor **stack, void *handle);

#endif
