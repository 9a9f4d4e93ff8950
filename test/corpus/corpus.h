/* The corpus driver's parts: kernels of any origin are built at each width and run on invented arguments, and
 * what they leave in memory is compared with what one work-item at a time leaves. */
#ifndef KILN_TEST_CORPUS_H
#define KILN_TEST_CORPUS_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

/* How generous invented arguments are: GENTLE when a kernel did not end on what comes first. */
enum effort { USUAL, GENTLE, NUM_EFFORTS };

struct device {
  cl_context context;
  cl_device_id id;
  cl_command_queue queue;
};

/* The first device of the first platform, with a context and a queue; false if there is none (device.c). */
bool device_open(struct device *on);
/* Compiles a kernel and runs it: the first one of a process takes twice as long to compile as the third,
 * while pages of the compiler's code and memory come in. */
bool device_warm_up(const struct device *on);

/* ---- args.c: arguments made up from what clGetKernelArgInfo tells ---- */

struct argument {
  char type[96];         /* of the parameter, as the source has it */
  unsigned char *bytes;  /* a buffer's memory with the guards around it, or an image's copy; NULL otherwise */
  unsigned char *result; /* what a kernel left there */
  cl_mem mem;
  bool is_image;
};

enum { MAX_ARGS = 256 };

struct arguments {
  unsigned count;
  struct argument of[MAX_ARGS];
};

/* Makes and sets all arguments of `kernel`, the same at each call; `source` is searched for how images are
 * read. False, after arguments_finish, if one cannot be made: *why_out says which. */
bool arguments_make(struct arguments *args, const struct device *on, cl_kernel kernel, const char *source,
                    enum effort effort, const char **why_out);
/* Copies what the kernel left to `result`, and gives buffers and images up: there is one set of them at a
 * time, always at the same addresses. */
bool arguments_fetch(struct arguments *args, const struct device *on);
/* Bytes at `bytes` and `result`, guards included. */
size_t argument_size(const struct argument *arg);
void arguments_finish(struct arguments *args);

/* Compares the memory of the same arguments after two runs. True if all bits are equal; else `out` (size
 * bytes) says where they are not, and how much numbers differ where the argument holds floats. */
bool arguments_compare(const struct arguments *expected, const struct arguments *found, char *out,
                       size_t size);

/* ---- trace.c: what the compiler says of itself ---- */

struct trace {
  double front_ms, code_ms; /* first half of the program, second half of the kernel */
  unsigned before, after;   /* instructions as written, and those of the processor */
  bool failed;              /* one of them failed: unoptimised code, or none */
  char lanes[128];          /* the mapping */
};

/* Standard error goes to a file from now on: the one named, or a temporary one if path is NULL. */
bool trace_start(const char *path);
/* What has been written of `kernel` since the last call. */
void trace_take(struct trace *out, const char *kernel);

#endif
