/* kiln-compile: runs one request read from standard input in a process of its own, so that what dies is not
 * the application. Usage: kiln-compile LIBRARY < request > reply. The reply begins with one byte, enum
 * kiln_run_end; the rest is a reply, or text when it is not KILN_RUN_DONE. */
#include "base/abi.h"
#include "base/alloc.h"
#include "base/blob.h"
#include "compiler/client/client.h"
#include "compiler/compiler.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STACK_MIB = 1024 };

static int reply_fd;
static struct kiln_blob request;

static void write_all(const void *bytes, size_t size) {
  for (const char *at = bytes; size > 0;) {
    ssize_t n = write(reply_fd, at, size);
    if (n <= 0) _exit(2);
    at += n;
    size -= (size_t)n;
  }
}

static _Noreturn void finish(enum kiln_run_end end, const void *bytes, size_t size) {
  unsigned char first = (unsigned char)end;
  write_all(&first, 1);
  write_all(bytes, size);
  _exit(0);
}

static void fatal(const char *reason) {
  finish(KILN_RUN_CRASHED, reason == NULL ? "fatal error" : reason, reason == NULL ? 11 : strlen(reason));
}

static void put(void *user, const void *bytes, size_t size) {
  finish(size == 0 ? KILN_RUN_NO_MEMORY : KILN_RUN_DONE, bytes, size);
}

static void *run(void *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  kiln_compiler_entry_fn *entry = NULL;
  if (library != NULL) *(void **)&entry = dlsym(library, "kiln_compiler_entry");
  if (entry == NULL) {
    const char *why = dlerror();
    finish(KILN_RUN_NO_COMPILER, why, strlen(why));
  }
  const struct kiln_compiler_api *api = entry();
  static const char unfit[] = "libkiln-compiler.so has another interface version";
  if (api->abi_version != KILN_ABI_VERSION) finish(KILN_RUN_NO_COMPILER, unfit, sizeof unfit - 1);
  api->catch_fatal(fatal);
  api->run(request.data, request.size, put, NULL);
  return NULL;
}

static void read_request(void) {
  static char buffer[65536];
  ssize_t n;
  while ((n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0) kiln_blob_put(&request, buffer, (size_t)n);
  if (n < 0) _exit(2);
  if (request.failed) finish(KILN_RUN_NO_MEMORY, "", 0);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: kiln-compile LIBRARY < request > reply\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody waits for the reply then */
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  reply_fd = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO); /* what LLVM might print is no reply */
  read_request();
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, (size_t)STACK_MIB << 20) != 0 ||
      pthread_create(&thread, &attributes, run, argv[1]) != 0)
    run(argv[1]);
  else pthread_join(thread, NULL);
  return 2; /* not reached: run() ends the process */
}
