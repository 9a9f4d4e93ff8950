/* A launch as the command line or a `// run:` line of a kernel file describes it. */
#ifndef KILN_TOOL_CASE_H
#define KILN_TOOL_CASE_H

#include <stdbool.h>
#include <stddef.h>

enum { CASE_MAX_ARGS = 64, CASE_MAX_ITEMS = 32 };

/* Of --expect, --out, --show. */
struct case_item {
  unsigned argument;
  char *text;
  size_t step;           /* expect: every step-th component is checked */
  long double tolerance; /* expect: absolute, or relative to values above 1 */
  double may_differ;     /* expect: the fraction of components that may be wrong */
};

struct run_case {
  struct case_text *owned; /* what its strings point into, where that is not argv */
  char *file, *kernel, *build_options, *platform, *dump, *name;
  unsigned dims; /* 0: none given */
  size_t global[3], local[3], offset[3];
  bool has_local;
  unsigned num_args, num_expects, num_outputs, num_shows;
  char *args[CASE_MAX_ARGS]; /* one per kernel argument: `kiln run --help` has the grammar */
  struct case_item expects[CASE_MAX_ITEMS], outputs[CASE_MAX_ITEMS], shows[CASE_MAX_ITEMS];
  char *flops, *bytes, *items; /* expressions: work of one launch, for rates */
  unsigned repeat;
  bool quiet, explain;
};

/* Parses a `kiln run` command line; false after a message, the end of the program where argp sees wrong
 * usage. The caller owns *out and gives it to case_free. */
bool case_parse(int argc, char **argv, struct run_case *out);
/* The `// run:` and `// expect:` lines of a kernel file's text, each run line a case (expect lines belong to
 * the run line above them); *cases_out is allocated, each case for case_free.
 * Returns the number, -1 after a message. */
int case_parse_file(const char *path, const char *text, struct run_case **cases_out);
/* A copy of text that lives as long as c. */
char *case_own(struct run_case *c, const char *text);
/* Frees what c owns, not c itself. */
void case_free(struct run_case *c);

#endif
