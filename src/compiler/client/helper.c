/* Runs a request in the helper executable: one process per request, request and reply over a socket. Owns the
 * process from start to end. The reply is complete or the helper died; nothing else is believed.
 *
 * The host must not notice: a process of ours would be one more that its wait() returns and that it is sent
 * SIGCHLD for. So the helper is the child of a process between, which shares our memory, ends without a
 * signal and is seen by nobody who does not ask for its kind. The helper ends when our end of the socket is
 * closed. */
#include "compiler/client/client.h"

#include "base/os.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct helper {
  pid_t pid;
  int fd; /* both ways */
  uint64_t deadline_ns;
  bool late;
};

struct spawn {
  const char *path, *library;
  int child_fd;
  pid_t pid;
  int err;
};

static void spawn(struct spawn *s) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  sigemptyset(&none);
  sigfillset(&defaults);
  sigdelset(&defaults, SIGKILL);
  sigdelset(&defaults, SIGSTOP);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, s->child_fd, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, s->child_fd, STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char *const arguments[] = {(char *)s->path, (char *)s->library, NULL};
  s->err = posix_spawn(&s->pid, s->path, &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
}

/* The process between. Our thread stands still meanwhile. */
static int spawn_and_end(void *data) {
  spawn(data);
  syscall(SYS_exit_group, 0); /* past what sanitizers do at the end of a process */
  return 0;
}

/* The thread sanitizer takes every clone() for a fork, and from then on looks away in the parent as well,
 * where memory is shared. */
#ifdef __SANITIZE_THREAD__
extern int __clone(int (*run)(void *), void *stack, int flags, void *data, ...);
#define clone __clone
#endif

enum { STACK_BYTES = 256 * 1024 };

static int spawn_unseen(struct spawn *s) {
  sigset_t all, before;
  char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) return errno;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* the host's handlers are not to run in the process between */
  const int no_signal_at_its_end = 0;
  pid_t between = clone(spawn_and_end, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | no_signal_at_its_end, s);
  if (between < 0) s->err = errno;
  while (between > 0 && waitpid(between, NULL, __WCLONE) < 0 && errno == EINTR) continue;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  munmap(stack, STACK_BYTES);
  return s->err;
}

static bool start(struct helper *h, struct kiln_run *run) {
  char path[4096], library[4096];
  int fds[2];
  if (!kiln_helper_path(path, sizeof path) || !kiln_compiler_path(library, sizeof library)) {
    snprintf(run->why, sizeof run->why, "the path of the kiln-compile helper cannot be found");
    return false;
  }
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    snprintf(run->why, sizeof run->why, "no socket for the compile helper: %s", strerror(errno));
    return false;
  }
  struct spawn s = {.path = path, .library = library, .child_fd = fds[1]};
  int err = spawn_unseen(&s);
  close(fds[1]);
  if (err != 0) {
    close(fds[0]);
    snprintf(run->why, sizeof run->why, "cannot start %.300s: %s", path, strerror(err));
    return false;
  }
  h->pid = s.pid;
  h->fd = fds[0];
  h->deadline_ns = kiln_os_now_ns() + kiln_compile_timeout() * 1000000000u;
  return true;
}

/* Waits until fd is ready for events; false when time is up. */
static bool ready(struct helper *h, short events) {
  for (;;) {
    uint64_t now = kiln_os_now_ns();
    if (now >= h->deadline_ns) break;
    uint64_t left_ms = (h->deadline_ns - now) / 1000000u + 1;
    struct pollfd p = {.fd = h->fd, .events = events};
    int n = poll(&p, 1, left_ms > 1000000 ? 1000000 : (int)left_ms);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return true; /* the read or write that follows says what is wrong */
  }
  h->late = true;
  return false;
}

static bool send_all(struct helper *h, const uint8_t *at, size_t size) {
  while (size > 0) {
    if (!ready(h, POLLOUT)) return false;
    ssize_t n = send(h->fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return false; /* the helper is gone: receive_all finds no reply */
    at += n;
    size -= (size_t)n;
  }
  return shutdown(h->fd, SHUT_WR) == 0;
}

static bool receive_all(struct helper *h, struct kiln_blob *out) {
  uint8_t buffer[65536];
  for (;;) {
    if (!ready(h, POLLIN)) return false;
    ssize_t n = recv(h->fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return n == 0;
    kiln_blob_put(out, buffer, (size_t)n);
  }
}

/* A host that takes over processes without a parent (the first one of a container, say) has got ours. */
static void reap(struct helper *h) {
  int takes_over = getpid() == 1;
  if (!takes_over) prctl(PR_GET_CHILD_SUBREAPER, &takes_over);
  while (takes_over && waitpid(h->pid, NULL, __WALL) < 0 && errno == EINTR) continue;
}

static void explain(struct kiln_run *run, const struct helper *h) {
  if (h->late)
    snprintf(run->why, sizeof run->why, "no end after %llu seconds",
             (unsigned long long)kiln_compile_timeout());
  else snprintf(run->why, sizeof run->why, "the helper process ended without a reply");
}

/* The first byte of a reply says how the helper fared: enum kiln_run_end. */
static enum kiln_run_end conclude(struct kiln_run *run, const struct helper *h) {
  struct kiln_blob *reply = &run->reply;
  if (reply->failed) return KILN_RUN_NO_MEMORY;
  if (h->late || reply->size == 0 || reply->data[0] > KILN_RUN_NO_COMPILER) {
    explain(run, h);
    return KILN_RUN_CRASHED;
  }
  enum kiln_run_end end = (enum kiln_run_end)reply->data[0];
  memmove(reply->data, reply->data + 1, --reply->size);
  if (end == KILN_RUN_DONE) return end;
  size_t length = reply->size < sizeof run->why ? reply->size : sizeof run->why - 1;
  memcpy(run->why, reply->data, length);
  run->why[length] = '\0';
  return end;
}

enum kiln_run_end kiln_run_in_helper(struct kiln_run *run) {
  struct helper h = {0};
  if (!start(&h, run)) return KILN_RUN_NO_COMPILER;
  send_all(&h, run->request->data, run->request->size);
  bool whole = !h.late && receive_all(&h, &run->reply);
  close(h.fd);
  reap(&h);
  if (!whole && !run->reply.failed) kiln_blob_finish(&run->reply);
  return conclude(run, &h);
}
