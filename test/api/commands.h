/* Every command that needs no kernel, behind one signature: what all of them share is tested over this list.
 */
#ifndef KILN_TEST_API_COMMANDS_H
#define KILN_TEST_API_COMMANDS_H

#include "api/fixture.h"

enum { COMMAND_BYTES = 64 }; /* what a command touches of each buffer, from its start */

/* What a command is enqueued with; a and b are buffers of at least COMMAND_BYTES bytes. */
struct command_args {
  cl_command_queue queue;
  cl_mem a, b;
  cl_uint num_waits;
  const cl_event *waits;
  cl_event *event;
  cl_bool blocking; /* only for commands that can block */
};

struct command {
  const char *name;
  cl_command_type type;
  cl_int (*enqueue)(const struct command_args *args);
  unsigned buffers;      /* how many of a and b it uses */
  const char *a, *b;     /* names of the arguments in messages */
  bool blocks;           /* has a blocking form */
  bool checks_alignment; /* CL_MISALIGNED_SUB_BUFFER_OFFSET stands in its list */
};

static uint8_t command_host[COMMAND_BYTES];

static inline cl_int command_read(const struct command_args *c) {
  return kiln_clEnqueueReadBuffer(c->queue, c->a, c->blocking, 0, COMMAND_BYTES, command_host, c->num_waits,
                                  c->waits, c->event);
}

static inline cl_int command_write(const struct command_args *c) {
  return kiln_clEnqueueWriteBuffer(c->queue, c->a, c->blocking, 0, COMMAND_BYTES, command_host, c->num_waits,
                                   c->waits, c->event);
}

static const size_t command_origin[3] = {0, 0, 0}, command_region[3] = {8, 4, 2};

static inline cl_int command_read_rect(const struct command_args *c) {
  return kiln_clEnqueueReadBufferRect(c->queue, c->a, c->blocking, command_origin, command_origin,
                                      command_region, 0, 0, 0, 0, command_host, c->num_waits, c->waits,
                                      c->event);
}

static inline cl_int command_write_rect(const struct command_args *c) {
  return kiln_clEnqueueWriteBufferRect(c->queue, c->a, c->blocking, command_origin, command_origin,
                                       command_region, 0, 0, 0, 0, command_host, c->num_waits, c->waits,
                                       c->event);
}

static inline cl_int command_copy(const struct command_args *c) {
  return kiln_clEnqueueCopyBuffer(c->queue, c->a, c->b, 0, 0, COMMAND_BYTES, c->num_waits, c->waits,
                                  c->event);
}

static inline cl_int command_copy_rect(const struct command_args *c) {
  return kiln_clEnqueueCopyBufferRect(c->queue, c->a, c->b, command_origin, command_origin, command_region, 0,
                                      0, 0, 0, c->num_waits, c->waits, c->event);
}

static inline cl_int command_fill(const struct command_args *c) {
  return kiln_clEnqueueFillBuffer(c->queue, c->a, "pattern", 4, 0, COMMAND_BYTES, c->num_waits, c->waits,
                                  c->event);
}

/* Maps for reading, which may be done any number of times. The mappings go with the buffer. */
static inline cl_int command_map(const struct command_args *c) {
  cl_int err = 12345;
  void *pointer = kiln_clEnqueueMapBuffer(c->queue, c->a, c->blocking, CL_MAP_READ, 0, COMMAND_BYTES,
                                          c->num_waits, c->waits, c->event, &err);
  assert_true((pointer == NULL) == (err != CL_SUCCESS));
  return err;
}

static inline cl_int command_migrate(const struct command_args *c) {
  return kiln_clEnqueueMigrateMemObjects(c->queue, 1, &c->a, CL_MIGRATE_MEM_OBJECT_HOST, c->num_waits,
                                         c->waits, c->event);
}

static inline void CL_CALLBACK command_function(void *args) { (void)args; }

static inline cl_int command_native(const struct command_args *c) {
  struct {
    cl_mem mem;
  } args = {c->a};
  const void *at = &args.mem;
  return kiln_clEnqueueNativeKernel(c->queue, command_function, &args, sizeof args, 1, &c->a, &at,
                                    c->num_waits, c->waits, c->event);
}

static inline cl_int command_marker(const struct command_args *c) {
  return kiln_clEnqueueMarkerWithWaitList(c->queue, c->num_waits, c->waits, c->event);
}

static inline cl_int command_barrier(const struct command_args *c) {
  return kiln_clEnqueueBarrierWithWaitList(c->queue, c->num_waits, c->waits, c->event);
}

/* Unmapping is not in this list, as it needs a mapping first: test_map.c has it. */
static const struct command commands[] = {
    {"read", CL_COMMAND_READ_BUFFER, command_read, 1, "buffer", NULL, true, true},
    {"write", CL_COMMAND_WRITE_BUFFER, command_write, 1, "buffer", NULL, true, true},
    {"read rect", CL_COMMAND_READ_BUFFER_RECT, command_read_rect, 1, "buffer", NULL, true, true},
    {"write rect", CL_COMMAND_WRITE_BUFFER_RECT, command_write_rect, 1, "buffer", NULL, true, true},
    {"copy", CL_COMMAND_COPY_BUFFER, command_copy, 2, "src_buffer", "dst_buffer", false, true},
    {"copy rect", CL_COMMAND_COPY_BUFFER_RECT, command_copy_rect, 2, "src_buffer", "dst_buffer", false, true},
    {"fill", CL_COMMAND_FILL_BUFFER, command_fill, 1, "buffer", NULL, false, true},
    {"map", CL_COMMAND_MAP_BUFFER, command_map, 1, "buffer", NULL, true, true},
    {"migrate", CL_COMMAND_MIGRATE_MEM_OBJECTS, command_migrate, 1, "mem_objects[0]", NULL, false, false},
    {"native", CL_COMMAND_NATIVE_KERNEL, command_native, 1, "mem_list[0]", NULL, false, false},
    {"marker", CL_COMMAND_MARKER, command_marker, 0, NULL, NULL, false, false},
    {"barrier", CL_COMMAND_BARRIER, command_barrier, 0, NULL, NULL, false, false},
};
enum { NUM_COMMANDS = sizeof commands / sizeof *commands };

#endif
