/* The dependency graph of a context: when a command becomes ready, who waits, what happens when it is done.
 */
#ifndef KILN_CORE_GRAPH_H
#define KILN_CORE_GRAPH_H

#include "core/command.h"

/* The one way back from a driver: status CL_COMPLETE or negative. Publishes status and times, runs waiters
 * that became ready, hands callbacks to the callback thread, drops what the command held. message may be
 * NULL. */
void kiln_cmd_done(kiln_cmd *cmd, cl_int status, const char *message);

/* One of the reasons in cmd->pending is gone; the last one makes the command ready: it runs, or ends when it
 * has failed. Under locks call kiln_graph_settle, which only notes it, and kiln_graph_run_ready after them.
 */
void kiln_graph_settle(kiln_cmd *cmd);
void kiln_graph_run_ready(void);
/* To be called before a wait: what this thread found ready but has not started yet may be what is awaited. */
void kiln_graph_before_wait(void);
/* Makes cmd wait for the events; edges has room for all. No lock held. */
void kiln_graph_add_edges(kiln_cmd *cmd, cl_uint num_waits, const cl_event *waits);
/* The command will end with this negative status unless it already failed otherwise. */
void kiln_cmd_fail(kiln_cmd *cmd, cl_int status);

/* ---- wait.c ---- */

/* Blocks until all events are complete or failed, helping with their NDRanges, copies and fills. CL_SUCCESS
 * or CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. */
cl_int kiln_events_wait(cl_uint count, const cl_event *events);
/* The same for one event that the caller holds; its final status. */
cl_int kiln_event_wait(kiln_event *event);
/* Wakes who sleeps on event, whose status has just been set; the caller holds it. */
void kiln_event_wake(kiln_event *event);

/* A user event: status CL_SUBMITTED until set. */
cl_int kiln_user_event_create(kiln_context *context, cl_event *event_out);
/* CL_INVALID_OPERATION if set before. */
cl_int kiln_user_event_set(kiln_event *event, cl_int status);

/* Registers a callback; runs it at once (on the callback thread) if the state is already reached. */
cl_int kiln_event_add_callback(kiln_event *event, cl_int trigger,
                               void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *user_data);

#endif
