/* The native kernel reads its block twice: the first time only to count, after which it can tell
 * the next unit at once where to begin; the second time, from the cache, to write. */
#define _POSIX_C_SOURCE 200809L
#include "stuffing.h"

#include "check.h"
#include "random.h"
#include "timing.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Holds a letter, the output position plus 1, or 0 if it is empty. All the boxes together hold at
 * most one letter, so the box of the next unit is empty when a letter is posted to it. */
struct mailbox {
  _Alignas(64) atomic_ullong letter; /* a cache line each */
};

struct meeting {
  atomic_size_t done;  /* blocks */
  atomic_bool stopped; /* a unit lost patience: nobody may begin another block */
};

static void post(struct mailbox *box, size_t position) {
  atomic_store_explicit(&box->letter, position + 1, memory_order_release);
}

/* Takes the letter out of a box if there is one. */
static bool receive(struct mailbox *box, size_t *position) {
  const unsigned long long letter = atomic_load_explicit(&box->letter, memory_order_acquire);
  if (letter == 0) return false;
  atomic_store_explicit(&box->letter, 0, memory_order_relaxed);
  *position = (size_t)letter - 1;
  return true;
}

/* Waits for the letter; false if the work has stopped. Units may have to share a core, so one that
 * waits for long lets others run; after a second without any progress it stops everybody rather
 * than hang, and the host decides how to go on. */
static bool wait_for_mail(struct mailbox *box, struct meeting *meeting, size_t *position) {
  const double patience_ms = 1000;
  size_t seen = atomic_load(&meeting->done);
  double since = ex_timing_now_ms();
  for (unsigned long tries = 1; !atomic_load(&meeting->stopped); tries++) {
    if (receive(box, position)) return true;
    if (tries % 64 != 0) continue;
    sched_yield();
    const size_t done = atomic_load_explicit(&meeting->done, memory_order_relaxed);
    const double now = ex_timing_now_ms();
    if (done != seen) since = now;
    else if (now - since > patience_ms) atomic_store(&meeting->stopped, true);
    seen = done;
  }
  return false;
}

/* How many bytes are 0xFF. In pieces that an 8-bit sum can count, which compilers make vectors
 * of. */
static size_t count_marks(const unsigned char *bytes, size_t size) {
  enum { PIECE = 192 };
  size_t count = 0;
  for (; size >= PIECE; bytes += PIECE, size -= PIECE) {
    unsigned char sum = 0;
    for (int i = 0; i < PIECE; i++) sum = (unsigned char)(sum + (bytes[i] == 0xFF));
    count += sum;
  }
  for (size_t i = 0; i < size; i++) count += bytes[i] == 0xFF;
  return count;
}

/* Copies run by run, each up to and including a mark, and puts the 0 after it. */
static void stuff(const unsigned char *from, size_t size, unsigned char *to) {
  const unsigned char *end = from + size, *mark;
  while (from < end && (mark = memchr(from, 0xFF, (size_t)(end - from))) != NULL) {
    const size_t run = (size_t)(mark - from) + 1;
    memcpy(to, from, run);
    to[run] = 0;
    to += run + 1;
    from += run;
  }
  memcpy(to, from, (size_t)(end - from));
}

void CL_CALLBACK stuffing_run(void *argument) {
  const struct stuffing_order *order = argument;
  const unsigned char *block = order->input + order->begin;
  const size_t size = order->end - order->begin;
  const size_t output_size = size + count_marks(block, size);

  size_t position;
  if (!wait_for_mail(order->inbox, order->meeting, &position)) return;
  post(order->outbox, position + output_size);
  stuff(block, size, order->output + position);
  atomic_fetch_add(&order->meeting->done, 1);
}

/* Random bytes as in compressed data, with stretches where marks are frequent, and some marks
 * right at the end of blocks. */
static void fill(unsigned char *bytes, size_t size) {
  uint64_t seed = 1;
  for (size_t i = 0; i < size; i++) {
    const uint64_t number = ex_random(&seed);
    const int dense = i / 10000 % 37 == 0;
    bytes[i] = dense && number >> 62 == 0 ? 0xFF : (unsigned char)(number >> 8);
    if (i % (3 * STUFFING_BLOCK) == 3 * STUFFING_BLOCK - 1) bytes[i] = 0xFF;
  }
}

struct stuffing stuffing_new(const struct ex_options *options) {
  struct stuffing job = {.input_size = ((size_t)(options->small ? 4 : 128) << 20) + 12345};
  job.output_limit = 2 * job.input_size;
  job.input = ex_alloc(job.input_size, 1);
  job.output = ex_alloc(job.output_limit, 1);
  job.blocks = (job.input_size + STUFFING_BLOCK - 1) / STUFFING_BLOCK;
  fill(job.input, job.input_size);
  return job;
}

void stuffing_free(struct stuffing *job) {
  free(job->meeting);
  free(job->mailboxes);
  free(job->output);
  free(job->input);
}

void stuffing_begin(struct stuffing *job, int units) {
  free(job->meeting);
  free(job->mailboxes);
  job->units = units;
  job->mailboxes = ex_alloc((size_t)units, sizeof *job->mailboxes);
  job->meeting = ex_alloc(1, sizeof *job->meeting);
  atomic_init(&job->meeting->done, 0);
  atomic_init(&job->meeting->stopped, false);
  for (int i = 0; i < units; i++) atomic_init(&job->mailboxes[i].letter, 0);
  post(&job->mailboxes[0], 0);
}

struct stuffing_order stuffing_order_for(const struct stuffing *job, size_t block) {
  const size_t units = (size_t)job->units, begin = block * STUFFING_BLOCK;
  const size_t left = job->input_size - begin;
  return (struct stuffing_order){
      .begin = begin,
      .end = begin + (left < STUFFING_BLOCK ? left : STUFFING_BLOCK),
      .inbox = &job->mailboxes[block % units],
      .outbox = &job->mailboxes[(block + 1) % units],
      .meeting = job->meeting,
  };
}

size_t stuffing_done(const struct stuffing *job) { return atomic_load(&job->meeting->done); }

size_t stuffing_result(const struct stuffing *job) {
  const struct mailbox *next = &job->mailboxes[stuffing_done(job) % (size_t)job->units];
  return (size_t)atomic_load(&next->letter) - 1;
}

void stuffing_resume_alone(struct stuffing *job) {
  size_t position;
  if (!receive(&job->mailboxes[stuffing_done(job) % (size_t)job->units], &position))
    ex_die("the letter is lost");
  job->units = 1;
  post(&job->mailboxes[0], position);
  atomic_store(&job->meeting->stopped, false);
}

/* The definition of the job. */
static size_t stuff_simply(const unsigned char *from, size_t size, unsigned char *to) {
  size_t out = 0;
  for (size_t i = 0; i < size; i++) {
    to[out++] = from[i];
    if (from[i] == 0xFF) to[out++] = 0;
  }
  return out;
}

bool stuffing_is_right(const struct stuffing *job, size_t size) {
  unsigned char *expected = ex_alloc(job->output_limit, 1);
  const size_t expected_size = stuff_simply(job->input, job->input_size, expected);
  size_t i = 0;
  while (i < size && i < expected_size && job->output[i] == expected[i]) i++;
  const bool right = size == expected_size && i == size;
  if (!right) printf("%zu bytes, not %zu; wrong from byte %zu\n", size, expected_size, i);
  free(expected);
  return right;
}
