/* The command line, the same for every example. Knows no OpenCL. */
#ifndef EXAMPLES_COMMON_OPTIONS_H
#define EXAMPLES_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ex_options {
  bool small;              /* --small: a size that takes a second or less, for tests */
  bool damage;             /* --damage: spoil one result; the check must then fail */
  int runs;                /* --runs N: time N runs and report the fastest; 0 if not given */
  int units;               /* --units N: use at most N compute units; 0 if not given */
  const char *result_file; /* --result FILE, else EXAMPLES_RESULT, else NULL */
  const char *output_dir;  /* --out DIR: where pictures go; "." unless given */
  const char *input;       /* --input FILE: a PNG of yours; NULL if not given */
};

/* Prints usage and exits on --help and on anything it does not know. */
struct ex_options ex_options_parse(int argc, char **argv);

/* --runs if given, else 1 with --small, else `normal`. */
int ex_options_runs(const struct ex_options *options, int normal);

/* Under --damage, inverts a 32-bit word in the middle of the results. */
void ex_options_damage(const struct ex_options *options, void *results, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
