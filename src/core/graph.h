/* The dependency graph of a context: when a command becomes ready, who waits, what happens when it is done.
 */
#ifndef KILN_CORE_GRAPH_H
#define KILN_CORE_GRAPH_H

#include "core/command.h"

/* The one way back from a driver: status CL_COMPLETE or negative. Publishes status and times, runs waiters
 * that became ready, hands callbacks to the callback thread, drops what the command held. message may be
 * NULL. */
void kiln_cmd_done(kiln_cmd *cmd, cl_int status, const char *message);

/* Blocks until all events are complete or failed, helping with their NDRanges. CL_SUCCESS or
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. */
cl_int kiln_events_wait(cl_uint count, const cl_event *events);

/* A user event: status CL_SUBMITTED until set. */
cl_int kiln_user_event_create(kiln_context *context, cl_event *event_out);
/* CL_INVALID_OPERATION if set before. */
cl_int kiln_user_event_set(kiln_event *event, cl_int status);

/* Registers a callback; runs it at once (on the callback thread) if the state is already reached. */
cl_int kiln_event_add_callback(kiln_event *event, cl_int trigger,
                               void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *user_data);

/* Runs function(data) on the process's callback thread, where user callbacks belong: they may enqueue and
 * wait. */
cl_int kiln_defer(void (*function)(void *data), void *data);

#endif
