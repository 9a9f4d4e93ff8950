/* Byte stuffing, as in JPEG files: a 0 goes in after every 0xFF of a stream, and the order stays.
 *
 * What the C and the C++ host share: the native kernel, the mailboxes, the data and the check.
 * The stream is cut into blocks; unit k % U works on block k. How many bytes come out of a block
 * depends on its contents, so a unit learns where its output begins from the unit before it, by
 * mail, and tells the unit after it where its own ends. Needs OpenCL's headers for CL_CALLBACK
 * only, and makes no OpenCL call. */
#ifndef EXAMPLES_ORDERED_APPEND_STUFFING_H
#define EXAMPLES_ORDERED_APPEND_STUFFING_H

#include "options.h"

#include <CL/cl.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A block and what becomes of it fit the cache of a core. */
enum { STUFFING_BLOCK = 128 * 1024 };

struct mailbox; /* one for each unit */
struct meeting; /* what all units share */

/* The arguments of the native kernel, which the runtime copies when it is enqueued. */
struct stuffing_order {
  const unsigned char *input; /* the runtime puts the addresses of the buffers here */
  unsigned char *output;
  size_t begin, end;      /* the block, in the input */
  struct mailbox *inbox;  /* of the unit that works on this block */
  struct mailbox *outbox; /* of the unit that works on the next */
  struct meeting *meeting;
};

/* The native kernel. Its argument is a struct stuffing_order. */
void CL_CALLBACK stuffing_run(void *order);

/* One job. */
struct stuffing {
  size_t input_size, output_limit; /* every byte may turn into two */
  unsigned char *input, *output;
  size_t blocks;
  int units;
  struct mailbox *mailboxes; /* `units`; NULL until stuffing_begin() */
  struct meeting *meeting;
};

struct stuffing stuffing_new(const struct ex_options *options);
void stuffing_free(struct stuffing *job);

/* Gives each of `units` units an empty mailbox and posts position 0 to the first. */
void stuffing_begin(struct stuffing *job, int units);

/* The order for block `block`, its two addresses not yet filled in. */
struct stuffing_order stuffing_order_for(const struct stuffing *job, size_t block);

/* Once no unit is at work: how many blocks are done. They are the first ones. Fewer than all means
 * that a unit got no mail for so long that it took the one before it to be stuck, as happens on a
 * platform that does not run all sub-devices at the same time. */
size_t stuffing_done(const struct stuffing *job);

/* Lets unit 0 go on alone, with the first block that is not done. */
void stuffing_resume_alone(struct stuffing *job);

/* When all blocks are done: how many bytes came out. */
size_t stuffing_result(const struct stuffing *job);

/* Compares the first `size` bytes of the output with what a simple loop makes of the input. */
bool stuffing_is_right(const struct stuffing *job, size_t size);

#ifdef __cplusplus
}
#endif
#endif
