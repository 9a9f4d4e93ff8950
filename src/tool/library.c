/* Opening of libraries in a child process. */
#include "tool/library.h"

#include "tool/tool.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Writes what it found out; true if all is well. Runs in the child. */
typedef bool probe_function(const char *path, const char *symbol, char *why, size_t size);

#if defined __x86_64__
enum { OWN_MACHINE = EM_X86_64 };
#else
enum { OWN_MACHINE = EM_NONE };
#endif

/* dlopen only says that it found no file when one is for another processor. */
static bool is_for_this_machine(const char *path, char *why, size_t size) {
  Elf64_Ehdr header;
  int fd = strchr(path, '/') != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return true; /* the dynamic linker knows better where to look */
  ssize_t n = read(fd, &header, sizeof header);
  close(fd);
  if (n < (ssize_t)sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    snprintf(why, size, "is no shared library");
    return false;
  }
  if (header.e_ident[EI_CLASS] == ELFCLASS64 && (OWN_MACHINE == EM_NONE || header.e_machine == OWN_MACHINE))
    return true;
  snprintf(why, size, "is for another kind of processor (%s, ELF machine %u) than this program",
           header.e_ident[EI_CLASS] == ELFCLASS64 ? "64-bit" : "32-bit", header.e_machine);
  return false;
}

static void *open_here(const char *path, char *why, size_t size) {
  if (!is_for_this_machine(path, why, size)) return NULL;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) snprintf(why, size, "%s", dlerror());
  return library;
}

static bool probe_symbol(const char *path, const char *symbol, char *why, size_t size) {
  void *library = open_here(path, why, size);
  if (library == NULL) return false;
  bool found = dlsym(library, symbol) != NULL;
  snprintf(why, size, found ? "has %s" : "opens, but has no %s: another library of the same name?", symbol);
  return found;
}

static bool probe_driver(const char *path, const char *symbol, char *why, size_t size) {
  void *library = open_here(path, why, size);
  if (library == NULL) return false;
  void *(*find)(const char *) =
      (void *(*)(const char *))(uintptr_t)dlsym(library, "clGetExtensionFunctionAddress");
  void *address = dlsym(library, symbol);
  if (address == NULL && find != NULL) address = find(symbol);
  cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *) =
      (cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))(uintptr_t)address;
  if (platforms == NULL) {
    snprintf(why, size, "opens, but has no %s: not an OpenCL driver", symbol);
    return false;
  }
  cl_uint count = 0;
  cl_int err = platforms(0, NULL, &count);
  if (err == CL_SUCCESS && count > 0) snprintf(why, size, "%u platform%s", count, count == 1 ? "" : "s");
  else snprintf(why, size, "opens, but lists no platform (%s)", tool_cl_error(err));
  return err == CL_SUCCESS && count > 0;
}

static void in_child(probe_function *probe, const char *path, const char *symbol, int to, size_t size) {
  char *why = tool_alloc(size);
  alarm(20);
  bool ok = probe(path, symbol, why, size);
  ssize_t n = write(to, why, strlen(why));
  _exit(n < 0 || !ok);
}

static enum library_verdict verdict(int status, bool silent, char *why, size_t size) {
  if (WIFSIGNALED(status)) {
    snprintf(why, size, "crashes when it is opened or asked for its platforms (signal %d, %s)",
             WTERMSIG(status), strsignal(WTERMSIG(status)));
    return LIBRARY_DEADLY;
  }
  if (WEXITSTATUS(status) == 0 && !silent) return LIBRARY_GOOD;
  if (!silent) return LIBRARY_BAD;
  snprintf(why, size, "ends its process when it is opened (exit status %d)", WEXITSTATUS(status));
  return LIBRARY_DEADLY;
}

/* A probe always says something, so that silence means that it did not come to its end. */
static enum library_verdict in_process_of_its_own(probe_function *probe, const char *path, const char *symbol,
                                                  char *why, size_t size) {
  int ends[2], status = -1;
  if (pipe(ends) != 0) return tool_error("no pipe"), LIBRARY_BAD;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) in_child(probe, path, symbol, ends[1], size);
  close(ends[1]);
  size_t used = 0;
  for (ssize_t n; (n = read(ends[0], why + used, size - 1 - used)) > 0;) used += (size_t)n;
  why[used] = '\0';
  close(ends[0]);
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return tool_error("no process"), LIBRARY_BAD;
  return verdict(status, used == 0, why, size);
}

enum library_verdict library_opens(const char *path, const char *symbol, char *why, size_t size) {
  return in_process_of_its_own(probe_symbol, path, symbol, why, size);
}

enum library_verdict library_is_driver(const char *path, char *why, size_t size) {
  return in_process_of_its_own(probe_driver, path, "clIcdGetPlatformIDsKHR", why, size);
}
