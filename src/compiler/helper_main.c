/* kiln-compile: runs one request read from standard input in a process of its own, so that what dies is not
 * the application. Usage: kiln-compile LIBRARY < request > reply. The reply begins with one byte, enum
 * kiln_run_end; the rest is a reply, or text when it is not KILN_RUN_DONE.
 *
 * Two processes: a worker, and one that watches it, tells how it died and ends it when nobody waits for the
 * reply any more. */
#include "base/abi.h"
#include "base/alloc.h"
#include "base/blob.h"
#include "compiler/client/client.h"
#include "compiler/compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

static _Noreturn void work(char *library, pid_t watcher) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != watcher) _exit(2);
  read_request();
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, (size_t)STACK_MIB << 20) != 0 ||
      pthread_create(&thread, &attributes, run, library) != 0)
    run(library);
  else pthread_join(thread, NULL);
  _exit(2); /* not reached: run() ends the process */
}

/* ---- the watcher ---- */

/* Waits until the worker has ended or the reader of the reply has gone. */
static void await(pid_t worker) {
  struct pollfd watched[] = {{.fd = reply_fd}, {.fd = -1, .events = POLLIN}};
#ifdef SYS_pidfd_open
  watched[1].fd = (int)syscall(SYS_pidfd_open, worker, 0);
#endif
  const int period_ms = watched[1].fd < 0 ? 20 : -1; /* older kernels say only when asked */
  siginfo_t ended = {0};
  while (watched[0].revents == 0 && ended.si_pid == 0) {
    if (poll(watched, 2, period_ms) < 0 && errno != EINTR) break;
    waitid(P_PID, (id_t)worker, &ended, WEXITED | WNOHANG | WNOWAIT);
  }
}

static _Noreturn void watch(pid_t worker) {
  char why[64];
  int status;
  await(worker);
  kill(worker, SIGKILL); /* no more than a name if it has ended */
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) _exit(0);
  if (WIFSIGNALED(status))
    snprintf(why, sizeof why, "the helper process was killed by signal %d", WTERMSIG(status));
  else snprintf(why, sizeof why, "the helper process ended with status %d", WEXITSTATUS(status));
  finish(KILN_RUN_CRASHED, why, strlen(why));
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: kiln-compile LIBRARY < request > reply\n");
    return 2;
  }
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  signal(SIGPIPE, SIG_IGN);
  reply_fd = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO); /* what LLVM might print is no reply */
  pid_t watcher = getpid(), worker = fork();
  if (worker < 0) finish(KILN_RUN_NO_MEMORY, "", 0);
  if (worker == 0) work(argv[1], watcher);
  watch(worker);
}
