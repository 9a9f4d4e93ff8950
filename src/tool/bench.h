/* What `kiln bench` measures and how it is reported. */
#ifndef KILN_TOOL_BENCH_H
#define KILN_TOOL_BENCH_H

#include "tool/case.h"
#include "tool/launch.h"

enum { BENCH_MAX_CASES = 256, BENCH_MAX_PLATFORMS = 4, BENCH_MAX_ROUNDS = 1000 };

struct bench_options {
  char *platforms[BENCH_MAX_PLATFORMS]; /* [0]: Kiln */
  int num_platforms, rounds;
  char *folder, *only, *json, *markdown;
  char *roof;     /* program that does the work of cases in plain C; NULL: none */
  char *command;  /* the command line, for the document */
  char *function; /* of `kiln bench math`; NULL: all */
  bool list;
};

struct bench_case {
  struct run_case c;
  char label[96]; /* file/case */
};

/* One case on one platform, or in C. */
struct bench_result {
  bool ok;
  double build_ms, first_ms; /* first_ms: from the source to the end of the first launch */
  double minimum, median;    /* seconds */
  double rate;
  const char *unit;                    /* of rate */
  double ratio, ratio_low, ratio_high; /* time over Kiln's: median and its 95 % interval; 0: none */
};

struct bench_row {
  char label[96];
  struct bench_result result[BENCH_MAX_PLATFORMS]; /* [0]: Kiln */
  int best;                                        /* the fastest of the others; 0: there is none */
  struct bench_result roof;                        /* not ok: the program does not know this case */
  char roof_name[32];                              /* which of its forms is the fastest */
};

/* Geometric mean of the ratios of one platform, or of the best in each case (p = 0). */
struct bench_mean {
  double ratio;
  int cases, slower; /* slower: the whole interval is below BENCH_SLOWER */
};

#define BENCH_SLOWER 0.95

struct bench_mean bench_mean(const struct bench_row *rows, int count, int p);
/* The result that `p` stands for in a row (0: the best of the others); NULL if it was not compared. */
const struct bench_result *bench_other(const struct bench_row *row, int p);

/* One case on all platforms: a warm-up with the check, then rounds in turn. */
void bench_measure(const struct bench_options *options, const struct bench_case *b,
                   struct bench_row *row_out);

struct bench_report;

/* Prints the head of the table. */
struct bench_report *bench_report_open(const struct bench_options *options);
/* Prints a row. */
void bench_report_add(struct bench_report *report, const struct bench_row *row);
/* Geometric means over all rows, the JSON file and the document; false after a message. */
bool bench_report_close(struct bench_report *report, const struct bench_row *rows, int count);
/* Writes the document that --markdown names; false after a message. */
bool bench_page(const struct bench_options *options, const struct bench_row *rows, int count);

/* Whether --roof's program does the work of this case; false too when there is no program. */
bool bench_roof_knows(const struct bench_options *options, const char *label);
/* Runs it once: seconds of its fastest form for this case, whose name goes to name; false after a message. */
bool bench_roof_once(const struct bench_options *options, const char *label, double *seconds, char name[32]);
/* Writes rows where --json says, if it was given; false after a message. */
struct cJSON;
bool bench_write_json(const struct bench_options *options, const struct cJSON *rows);

/* `kiln bench math`: the exit status. only: one function; NULL: all. */
int bench_math(const struct bench_options *options, const char *only);

#endif
