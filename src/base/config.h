/* Every environment variable Kiln reads, with default and help; `kiln info --config` prints the table. */
#ifndef KILN_BASE_CONFIG_H
#define KILN_BASE_CONFIG_H

#include <stdbool.h>

/* X(id, environment variable, default or NULL, help) */
#define KILN_CONFIG_TABLE(X)                                                                                 \
  X(LOG, "KILN_LOG", NULL,                                                                                   \
    "channels to log on stderr: api,compile,cache,mem,sched,device or all; :debug for more")                 \
  X(CACHE_DIR, "KILN_CACHE_DIR", NULL,                                                                       \
    "folder of the kernel cache; default $XDG_CACHE_HOME/kiln or ~/.cache/kiln; empty: memory only")         \
  X(CACHE_SIZE, "KILN_CACHE_SIZE", "1073741824", "bytes the kernel cache may take on disk")                  \
  X(COMPILER, "KILN_COMPILER", NULL, "path of libkiln-compiler.so; default beside libkiln.so")               \
  X(COMPILE_HELPER, "KILN_COMPILE_HELPER", NULL,                                                             \
    "path of the kiln-compile helper; default beside libkiln.so")                                            \
  X(COMPILE_MODE, "KILN_COMPILE_MODE", "both",                                                               \
    "thread: compile in this process; helper: in helper processes; both: there too, while this one is busy") \
  X(COMPILE_TIMEOUT, "KILN_COMPILE_TIMEOUT", "300", "seconds one compile may take before it is given up")    \
  X(COMPILE_MEMORY, "KILN_COMPILE_MEMORY", NULL,                                                             \
    "bytes one compiler may take, at least 64 MiB; default half of the machine's memory, at most 16 GiB")    \
  X(INJECT, "KILN_INJECT", NULL,                                                                             \
    "tests: FAULT:STAGE, a crash, abort, hang, overflow, fatal or memory at a stage of the compiler")        \
  X(INLINE, "KILN_INLINE", "all",                                                                            \
    "tests: functions that are expanded where they are called, of those that need not be: all, within "      \
    "bounds; unmarked: not those marked noinline; none. The cache does not know of it")                      \
  X(DUMP, "KILN_DUMP", NULL, "compiler stages to print on stderr, comma-separated, or all")                  \
  X(FAULT_HANDLER, "KILN_FAULT_HANDLER", "1", "0: leave the host's signal handlers alone")                   \
  X(CPU_FEATURES, "KILN_CPU_FEATURES", NULL, "restrict code generation: sse2, sse4.2, avx2 or avx512")       \
  X(MAX_THREADS, "KILN_MAX_THREADS", NULL, "upper bound on compute units of the CPU device")                 \
  X(CRASH_DIR, "KILN_CRASH_DIR", NULL, "where reproducers of compiler crashes go; default the cache folder") \
  X(PERF_MAP, "KILN_PERF_MAP", "0", "1: list loaded kernels in /tmp/perf-PID.map for perf")                  \
  X(WIDTH, "KILN_WIDTH", NULL,                                                                               \
    "work-items that run at a time, a power of two up to 64, where kernels allow it (pair: two side by "     \
    "side in scalar code); sub-groups stay as wide as they are")

enum kiln_config_id {
#define X(id, name, value, help) KILN_CONFIG_##id,
  KILN_CONFIG_TABLE(X)
#undef X
      KILN_CONFIG_COUNT
};

struct kiln_config_row {
  const char *name, *value, *help;
};
extern const struct kiln_config_row kiln_config_rows[KILN_CONFIG_COUNT];

/* The variable's value, else its default, else NULL. Not cached: tests change the environment. */
const char *kiln_config(enum kiln_config_id id);
/* As an integer; fallback if unset or not a number. */
long long kiln_config_int(enum kiln_config_id id, long long fallback);

#endif
