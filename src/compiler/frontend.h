/* Clang behind a C interface: one source in memory to LLVM IR. Knows no request, option text or device; the
 * caller passes clang's own arguments (of its -cc1 mode) and the virtual files. */
#ifndef KILN_COMPILER_FRONTEND_H
#define KILN_COMPILER_FRONTEND_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file that exists only in memory, by its absolute path, or relative to the working folder. */
struct kiln_frontend_file {
  const char *path, *text; /* text ends with NUL at text[size] */
  size_t size;
};

/* One call expression in the source, for the checks that clang does not make. */
struct kiln_frontend_call {
  const char *caller, *callee;               /* names as written */
  const char *caller_symbol, *callee_symbol; /* mangled where clang mangles */
  bool defined;                              /* callee has a body in this source, or clang expands it */
};
/* Puts an error at calls[index] into the log, with line and caret. */
struct kiln_frontend_reporter {
  void (*error)(struct kiln_frontend_reporter *self, size_t index, const char *message);
};

struct kiln_frontend_job {
  const char *const *args;
  size_t num_args;
  const char *name; /* of the source, in messages */
  const char *source;
  size_t source_size; /* source[source_size] is NUL */
  const struct kiln_frontend_file *files;
  size_t num_files;
  LLVMContextRef context;
  /* Called once when the source parsed well, before code is generated; NULL: no check. */
  void (*check)(void *user, const struct kiln_frontend_call *calls, size_t num_calls,
                struct kiln_frontend_reporter *reporter);
  void *user;
};

/* A file of the disk that was read or looked for. */
struct kiln_frontend_include {
  char *path;    /* absolute; kiln_alloc */
  uint64_t hash; /* XXH3 of the contents, 64 bits */
  bool absent;
};

struct kiln_frontend_result {
  LLVMModuleRef module; /* the caller's; NULL when the source has errors */
  char *log;            /* diagnostics, "" if none (kiln_alloc); NULL: out of memory */
  size_t num_includes;
  struct kiln_frontend_include *includes; /* kiln_alloc */
  bool dated;                             /* __DATE__, __TIME__ or __TIMESTAMP__ was expanded */
};

void kiln_frontend_compile(const struct kiln_frontend_job *job, struct kiln_frontend_result *result);
void kiln_frontend_result_finish(struct kiln_frontend_result *result);

/* Of a module whose functions are still to be read (LLVMGetBitcodeModuleInContext2): reads `root` and what it
 * calls, and drops all other functions. (The C interface reads all or nothing.) False: the code is damaged.
 */
bool kiln_frontend_read_function(LLVMValueRef root);

/* Has LLVM report fatal errors and exhausted memory to `fatal`, which must not return. Once per process. */
void kiln_frontend_catch_fatal(void (*fatal)(const char *reason));
/* What LLVM does when it meets a fatal error; takes memory until there is none (1 GiB at most). For tests. */
void kiln_frontend_fatal(const char *reason);
void kiln_frontend_exhaust(void);

#ifdef __cplusplus
}
#endif
#endif
