/* Owns commands' memory (slabs and pool of their queue) and their way into the queue. What happens when one
 * is ready or done is the graph's. */
#include "core/command.h"

#include "base/alloc.h"
#include "base/os.h"
#include "core/error.h"
#include "core/graph.h"
#include "core/queue.h"

#include <string.h>

enum { SLAB_COMMANDS = 32 };

struct kiln_cmd_slab {
  struct kiln_cmd_slab *next;
  kiln_cmd commands[SLAB_COMMANDS];
};

/* ---- memory ---- */

/* The next command of the pool; NULL when it is empty. Queue lock held. */
static kiln_cmd *pool_take(kiln_queue *queue) {
  if (queue->pool == NULL)
    queue->pool = atomic_exchange_explicit(&queue->recycled, NULL, memory_order_acquire);
  kiln_cmd *cmd = queue->pool;
  if (cmd != NULL) queue->pool = cmd->queue_next;
  return cmd;
}

/* Adds a slab's commands to the pool. No lock held. */
static bool pool_grow(kiln_queue *queue) {
  struct kiln_cmd_slab *slab = kiln_alloc_aligned(_Alignof(struct kiln_cmd_slab), sizeof *slab);
  if (slab == NULL) return false;
  for (int i = 0; i < SLAB_COMMANDS; i++) {
    slab->commands[i].object.type = KILN_T_DEAD;
    slab->commands[i].queue_next = i + 1 < SLAB_COMMANDS ? &slab->commands[i + 1] : NULL;
  }
  kiln_lock(&queue->lock);
  slab->next = queue->slabs;
  queue->slabs = slab;
  slab->commands[SLAB_COMMANDS - 1].queue_next = queue->pool;
  queue->pool = slab->commands;
  kiln_unlock(&queue->lock);
  return true;
}

void kiln_cmd_slabs_free(struct kiln_cmd_slab *slab) {
  while (slab != NULL) {
    struct kiln_cmd_slab *next = slab->next;
    kiln_free(slab);
    slab = next;
  }
}

static kiln_cmd *command_get(kiln_queue *queue) {
  for (;;) {
    kiln_lock(&queue->lock);
    kiln_cmd *cmd = pool_take(queue);
    kiln_unlock(&queue->lock);
    if (cmd != NULL || !pool_grow(queue)) return cmd;
  }
}

/* Everything but the blocks of arguments and text, which are written before they are read. */
static void command_init(kiln_cmd *cmd, kiln_queue *queue, cl_command_type type) {
  memset((char *)cmd + sizeof cmd->object, 0, offsetof(kiln_cmd, work) - sizeof cmd->object);
  memset(&cmd->work, 0, offsetof(struct kiln_work, fault_message));
  cmd->work.fault_message[0] = '\0';
  kiln_object_init(&cmd->object, KILN_T_EVENT);
  atomic_store_explicit(&cmd->object.api_refs, 0, memory_order_relaxed);
  atomic_store_explicit(&cmd->object.refs, 2, memory_order_relaxed);
  cmd->queue = kiln_ref(queue);
  cmd->context = queue->context;
  cmd->type = type;
  atomic_store_explicit(&cmd->status, CL_QUEUED, memory_order_relaxed);
  atomic_store_explicit(&cmd->pending, 1, memory_order_relaxed); /* being enqueued */
  cmd->refs = cmd->refs_inline;
  cmd->num_refs = 0;
  cmd->refs_capacity = KILN_CMD_INLINE_REFS;
  cmd->edges = cmd->edges_inline;
  cmd->num_edges = 0;
  cmd->finish = NULL;
  cmd->args = NULL;
}

cl_int kiln_cmd_create(kiln_queue *queue, cl_command_type type, kiln_cmd **cmd_out) {
  kiln_cmd *cmd = command_get(queue);
  if (cmd == NULL) return kiln_fail_oom(queue->context);
  command_init(cmd, queue, type);
  *cmd_out = cmd;
  return CL_SUCCESS;
}

cl_int kiln_cmd_args(kiln_cmd *cmd, size_t size) {
  cmd->args = cmd->args_inline;
  if (size > KILN_CMD_INLINE_ARGS) cmd->args = kiln_alloc_aligned(128, size);
  if (cmd->args == NULL) return kiln_fail_oom(cmd->context);
  memset(cmd->args, 0, size);
  cmd->work.range.launch.args = cmd->args;
  return CL_SUCCESS;
}

static bool refs_grow(kiln_cmd *cmd) {
  uint32_t capacity = cmd->refs_capacity * 2;
  bool is_inline = cmd->refs == cmd->refs_inline;
  void **refs = kiln_realloc(is_inline ? NULL : cmd->refs, capacity * sizeof *refs);
  if (refs == NULL) return false;
  if (is_inline) memcpy(refs, cmd->refs_inline, sizeof cmd->refs_inline);
  cmd->refs = refs;
  cmd->refs_capacity = capacity;
  return true;
}

cl_int kiln_cmd_hold(kiln_cmd *cmd, void *object) {
  if (object == NULL) return CL_SUCCESS;
  if (cmd->num_refs == cmd->refs_capacity && !refs_grow(cmd)) return kiln_fail_oom(cmd->context);
  cmd->refs[cmd->num_refs++] = kiln_ref(object);
  return CL_SUCCESS;
}

void kiln_cmd_drop_held(kiln_cmd *cmd) {
  for (uint32_t i = 0; i < cmd->num_refs; i++) kiln_unref(&cmd->refs[i]);
  if (cmd->refs != cmd->refs_inline) kiln_free(cmd->refs);
  if (cmd->args != cmd->args_inline) kiln_free(cmd->args);
  cmd->refs = cmd->refs_inline;
  cmd->refs_capacity = KILN_CMD_INLINE_REFS;
  cmd->num_refs = 0;
  cmd->args = NULL;
}

void kiln_cmd_discard(kiln_cmd **cmd) {
  if (*cmd == NULL) return;
  kiln_cmd_drop_held(*cmd);
  kiln_cmd *graphs = *cmd;
  kiln_unref(&graphs);
  kiln_unref(cmd);
}

static void recycle(kiln_cmd *cmd) {
  kiln_queue *queue = cmd->queue;
  cmd->object.type = KILN_T_DEAD;
  kiln_cmd *head = atomic_load_explicit(&queue->recycled, memory_order_relaxed);
  do cmd->queue_next = head;
  while (!atomic_compare_exchange_weak_explicit(&queue->recycled, &head, cmd, memory_order_release,
                                                memory_order_relaxed));
  kiln_unref(&queue);
}

void kiln_event_destroy(kiln_event *event) {
  if (event->edges != event->edges_inline) kiln_free(event->edges);
  event->edges = event->edges_inline;
  if (event->queue != NULL) {
    recycle(event);
    return;
  }
  kiln_unref(&event->context);
  kiln_object_free(event);
}

/* ---- enqueue ---- */

void kiln_cmd_block(kiln_cmd *cmd) {
  kiln_ref(cmd);
  atomic_fetch_add_explicit(&cmd->pending, 1, memory_order_relaxed);
}

void kiln_cmd_unblock(kiln_cmd *cmd, cl_int status) {
  if (status < 0) kiln_cmd_fail(cmd, status);
  kiln_graph_settle(cmd);
  kiln_graph_run_ready();
  kiln_unref(&cmd);
}

static bool reserve_edges(kiln_cmd *cmd, cl_uint count) {
  if (count <= KILN_CMD_INLINE_EDGES) return true;
  struct kiln_edge *edges = kiln_alloc(count * sizeof *edges);
  if (edges == NULL) return false;
  cmd->edges = edges;
  return true;
}

static void classify(kiln_cmd *cmd, cl_uint num_waits) {
  bool in_order = (cmd->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  cmd->is_barrier = cmd->type == CL_COMMAND_BARRIER;
  bool collects = (cmd->is_barrier || cmd->type == CL_COMMAND_MARKER) && num_waits == 0;
  cmd->waits_for_all = in_order || collects;
}

/* Waits for a blocking command; the caller's reference keeps it. */
static cl_int wait_blocking(kiln_cmd *cmd) {
  cl_int status = kiln_event_wait(cmd);
  if (status >= 0) return CL_SUCCESS;
  const char *message = cmd->work.fault_message;
  return kiln_fail(NULL, status, NULL, "%s",
                   message[0] != '\0' ? message : "the blocking command, or one it waited for, failed");
}

cl_int kiln_cmd_enqueue(kiln_cmd *cmd, cl_uint num_waits, const cl_event *waits, cl_event *event_out,
                        bool blocking) {
  if (!reserve_edges(cmd, num_waits)) {
    kiln_context *context = kiln_ref(cmd->context);
    kiln_cmd_discard(&cmd);
    cl_int err = kiln_fail_oom(context);
    kiln_unref(&context);
    return err;
  }
  classify(cmd, num_waits);
  if (cmd->queue->properties & CL_QUEUE_PROFILING_ENABLE) cmd->queued_ns = kiln_os_now_ns();
  if (num_waits > 0) kiln_graph_add_edges(cmd, num_waits, waits);
  /* The application's reference has to be there before the command can end. */
  if (event_out != NULL) atomic_store_explicit(&kiln_ref(cmd)->object.api_refs, 1, memory_order_relaxed);
  kiln_queue_append(cmd->queue, cmd);
  kiln_graph_settle(cmd);
  kiln_graph_run_ready();
  cl_int err = blocking ? wait_blocking(cmd) : CL_SUCCESS;
  if (event_out != NULL && err == CL_SUCCESS) *event_out = cmd;
  else if (event_out != NULL) kiln_object_api_release(cmd);
  kiln_unref(&cmd);
  return err;
}
