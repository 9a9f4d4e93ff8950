/* The compiler as libkiln.so sees it. Owns the choice between compile thread and helper, and what is said
 * when the compiler itself fails. Must not know LLVM. */
#include "compiler/client/client.h"

#include "base/alloc.h"
#include "base/config.h"
#include "base/log.h"
#include "base/os.h"
#include "compiler/compiler.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file an environment variable names, else the first there is of `places`, relative to libkiln.so's
 * folder. */
static bool find_file(enum kiln_config_id id, const char *const *places, char *out, size_t size) {
  const char *given = kiln_config(id);
  char folder[4096];
  if (given != NULL && *given != '\0') return (size_t)snprintf(out, size, "%s", given) < size;
  if (!kiln_os_folder_of((const void *)find_file, folder, sizeof folder)) return false;
  for (; *places != NULL; places++)
    if ((size_t)snprintf(out, size, "%s/%s", folder, *places) < size && access(out, R_OK) == 0) return true;
  return false;
}

bool kiln_compiler_path(char *out, size_t size) {
  static const char *const places[] = {"libkiln-compiler.so", "../lib/libkiln-compiler.so", NULL};
  return find_file(KILN_CONFIG_COMPILER, places, out, size);
}

/* Beside the library, in a build folder, or installed under libexec. */
bool kiln_helper_path(char *out, size_t size) {
  static const char *const places[] = {"kiln-compile", "../bin/kiln-compile", "../libexec/kiln/kiln-compile",
                                       "../../libexec/kiln/kiln-compile", NULL};
  return find_file(KILN_CONFIG_COMPILE_HELPER, places, out, size);
}

uint64_t kiln_compile_timeout(void) {
  long long seconds = kiln_config_int(KILN_CONFIG_COMPILE_TIMEOUT, 300);
  return seconds < 1 ? 1 : seconds > 1000000 ? 1000000 : (uint64_t)seconds;
}

static bool is_mode(const char *wanted) {
  const char *mode = kiln_config(KILN_CONFIG_COMPILE_MODE);
  return mode != NULL && strcmp(mode, wanted) == 0;
}

/* ---- helpers beside the thread: one for each processor but the thread's ---- */

enum { MOST_HELPERS = 7 /* they take some 100 MB each */ };

/* How many are at work, and above the low byte the generation (base/os.h): a forked child has none. */
static atomic_uint helpers;

static bool take_helper(void) {
  const unsigned generation = kiln_os_fork_generation << 8;
  unsigned most = kiln_os_processors() - 1, now = atomic_load(&helpers), count;
  most = most < 1 ? 1 : most > MOST_HELPERS ? MOST_HELPERS : most;
  do {
    count = now - generation < 256 ? now - generation : 0;
    if (count >= most) return false;
  } while (!atomic_compare_exchange_weak(&helpers, &now, generation + count + 1));
  return true;
}

/* Who has waited for long goes to a helper; without one, back in line. */
static enum kiln_run_end run_on_thread(struct kiln_run *run) {
  enum kiln_run_end end = kiln_run_on_thread(run, is_mode("thread") ? NULL : take_helper);
  if (end != KILN_RUN_LEFT) return end;
  end = kiln_run_in_helper(run);
  run->in_helper = true;
  atomic_fetch_sub(&helpers, 1);
  return end == KILN_RUN_NO_COMPILER ? kiln_run_on_thread(run, NULL) : end;
}

static enum kiln_run_end run_somewhere(struct kiln_run *run) {
  enum kiln_run_end end = is_mode("helper") ? KILN_RUN_REFUSED : run_on_thread(run);
  if (end != KILN_RUN_REFUSED) return end;
  run->in_helper = true;
  return kiln_run_in_helper(run);
}

static void set_log(struct kiln_reply *reply, const char *text) { reply->log = kiln_strdup(text); }

static const char *activity(const struct kiln_request *request) {
  static const char *const names[] = {[KILN_REQUEST_COMPILE] = "compiling the program",
                                      [KILN_REQUEST_LINK] = "linking the program",
                                      [KILN_REQUEST_CODEGEN] = "generating code for a kernel"};
  return names[request->kind];
}

static void tell_crash(const struct kiln_request *request, const struct kiln_run *run,
                       struct kiln_reply *reply) {
  char where[4352], text[5376];
  kiln_reproducer_write(request, run->request, where, sizeof where);
  snprintf(text, sizeof text,
           "error: the compiler failed while %s: %s\n"
           "This is a defect of the compiler%s.\n"
           "%s\n",
           activity(request), run->why,
           run->in_helper ? "" : "; later builds of this process run in a helper process", where);
  kiln_log(KILN_LOG_COMPILE, KILN_LOG_ERROR, "%s", text);
  reply->status = KILN_REPLY_CRASHED;
  set_log(reply, text);
}

static void tell_missing(const struct kiln_run *run, struct kiln_reply *reply) {
  char text[640];
  snprintf(text, sizeof text, "error: no compiler: %s\n", run->why);
  reply->status = KILN_REPLY_NO_COMPILER;
  set_log(reply, text);
}

static void take_reply(struct kiln_run *run, struct kiln_reply *reply) {
  struct kiln_reader reader = kiln_reader_init(run->reply.data, run->reply.size);
  kiln_reply_read(&reader, reply);
  if (reader.failed) reply->status = KILN_REPLY_NO_MEMORY; /* our own bytes are well formed */
}

void kiln_compiler_run(const struct kiln_request *request, struct kiln_reply *reply) {
  *reply = (struct kiln_reply){.status = KILN_REPLY_NO_MEMORY};
  struct kiln_blob bytes = {0};
  struct kiln_run run = {.request = &bytes};
  kiln_log_init();
  kiln_request_put(&bytes, request);
  switch (bytes.failed ? KILN_RUN_NO_MEMORY : run_somewhere(&run)) {
  case KILN_RUN_DONE:
    take_reply(&run, reply);
    break;
  case KILN_RUN_CRASHED:
    tell_crash(request, &run, reply);
    break;
  case KILN_RUN_REFUSED:
  case KILN_RUN_LEFT:
  case KILN_RUN_NO_MEMORY:
    break;
  case KILN_RUN_NO_COMPILER:
    tell_missing(&run, reply);
    break;
  }
  kiln_blob_finish(&run.reply);
  kiln_blob_finish(&bytes);
}

void kiln_compiler_unload(void) {} /* a request leaves no parsed state behind */
