/* What `kiln bench` measures and how it is reported. */
#ifndef KILN_TOOL_BENCH_H
#define KILN_TOOL_BENCH_H

#include "tool/case.h"
#include "tool/launch.h"

enum { BENCH_MAX_CASES = 256, BENCH_MAX_PLATFORMS = 4, BENCH_MAX_ROUNDS = 1000 };

struct bench_options {
  char *platforms[BENCH_MAX_PLATFORMS]; /* [0]: Kiln */
  int num_platforms, rounds;
  char *folder, *only, *json;
  char *function; /* of `kiln bench math`; NULL: all */
  bool list;
};

struct bench_case {
  struct run_case c;
  char label[96]; /* file/case */
};

/* One case on one platform. */
struct bench_result {
  bool ok;
  double build_ms;
  double seconds[BENCH_MAX_ROUNDS]; /* sorted once all rounds are done */
  double median, rate;
  const char *unit;                    /* of rate */
  double ratio, ratio_low, ratio_high; /* time over Kiln's: median and its 95 % interval */
};

struct bench_report;

/* Prints the head of the table. */
struct bench_report *bench_report_open(const struct bench_options *options);
/* A row; results has one of each platform. */
void bench_report_add(struct bench_report *report, const struct bench_case *b,
                      const struct bench_result *results);
/* Geometric means, and the JSON file; false after a message. */
bool bench_report_close(struct bench_report *report);
/* Writes rows where --json says, if it was given; false after a message. */
struct cJSON;
bool bench_write_json(const struct bench_options *options, const struct cJSON *rows);

/* `kiln bench math`: the exit status. only: one function; NULL: all. */
int bench_math(const struct bench_options *options, const char *only);

#endif
