/* The library's one entry: requests as bytes in, replies as bytes out. Must not know who calls, or on what
 * thread. */
#include "compiler/compiler.h"

#include "base/abi.h"
#include "base/log.h"
#include "compiler/frontend.h"
#include "compiler/heap.h"
#include "compiler/pipeline.h"
#include "compiler/schedule.h"

#include <llvm-c/Support.h>

/* Bounds on what grows faster than the code: searches that take minutes on expressions of 100,000 terms;
 * putting in order the terms of sums that loops of hash functions carry; a pass that is quadratic in
 * straight-line scalar code and of little use; the preparation of code generation, which goes back to the
 * function's begin at each change unless the function counts as huge; joining registers that thousands of
 * copies meet in; the search for stores that others overwrite, in code with hundreds of them (a Fourier
 * transform of 4,096 points in local memory: 34 ms, now 10). Off is what takes more than it brings: strength
 * reduction of loops (target_cpu.c) and putting instructions in order a second time, after registers are
 * given out. The first time goes by schedule.h. */
static void set_bounds(void) {
  static bool done;
  static const char *const words[] = {"kiln",
                                      "-instcombine-negator-max-depth=4",
                                      "-disable-x86-domain-reassignment",
                                      "-disable-lsr",
                                      "-dse-memoryssa-walklimit=20",
                                      "-disable-post-ra",
                                      "-misched=kiln",
                                      "-cgpp-huge-func=0",
                                      "-scalar-evolution-huge-expr-threshold=100",
                                      "-large-interval-size-threshold=50",
                                      "-large-interval-freq-threshold=8",
                                      "-machine-combiner-inc-threshold=50",
                                      "-runtime-check-per-loop-load-elim=0",
                                      "-dag-maps-huge-region=100",
                                      "-dag-maps-reduction-size=50"};
  if (done) return;
  kiln_schedule_register();
  LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
  done = true;
}

static void run(const void *bytes, size_t size, void (*put)(void *user, const void *bytes, size_t size),
                void *user) {
  kiln_log_init();
  set_bounds();
  struct kiln_reader reader = kiln_reader_init(bytes, size);
  struct kiln_request request;
  struct kiln_reply reply = {.status = KILN_REPLY_NO_MEMORY};
  struct kiln_blob out = {0};
  kiln_request_read(&reader, &request);
  if (!reader.failed) kiln_pipeline_run(&request, &reply);
  kiln_request_finish(&request);
  kiln_reply_put(&out, &reply);
  kiln_reply_finish(&reply);
  put(user, out.data, out.failed ? 0 : out.size); /* no bytes: no memory */
  kiln_blob_finish(&out);
  kiln_heap_trim();
}

__attribute__((visibility("default"))) const struct kiln_compiler_api *kiln_compiler_entry(void);

const struct kiln_compiler_api *kiln_compiler_entry(void) {
  static const struct kiln_compiler_api api = {
      .abi_version = KILN_ABI_VERSION, .run = run, .catch_fatal = kiln_frontend_catch_fatal};
  return &api;
}
