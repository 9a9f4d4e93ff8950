/* The result line is tab-separated: example, size, kernel ms, rate with unit, check. */
#include "report.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static void append(const struct ex_options *options, const char *line) {
  if (options->result_file == NULL) return;
  FILE *file = fopen(options->result_file, "a");
  if (file == NULL) ex_die("%s: cannot append the result", options->result_file);
  fputs(line, file);
  if (fclose(file) != 0) ex_die("%s: cannot write the result", options->result_file);
}

int ex_report_finish(const struct ex_options *options, const struct ex_report *report) {
  const char *check = report->ok ? "OK" : "FAILED";
  char ms[32] = "-", rate[48] = "-", line[256];
  if (report->ms > 0) snprintf(ms, sizeof ms, "%.3f", report->ms);
  if (report->ms > 0 && report->work > 0)
    snprintf(rate, sizeof rate, "%.2f %s", report->work / report->ms * 1e-6, report->unit);
  snprintf(line, sizeof line, "%s\t%s\t%s\t%s\t%s\n", report->example, report->size, ms, rate, check);
  append(options, line);
  printf("%s: %s, kernel %s ms, %s, check %s\n", report->example, report->size, ms, rate, check);
  return report->ok ? EX_EXIT_OK : EX_EXIT_MISMATCH;
}

int ex_report_skip(const struct ex_options *options, const char *example, const char *why) {
  const bool allowed = getenv("EXAMPLES_NO_SKIP") == NULL;
  const char *check = allowed ? "SKIPPED" : "FAILED";
  char line[256];
  snprintf(line, sizeof line, "%s\t-\t-\t-\t%s\n", example, check);
  append(options, line);
  printf("%s: check %s: %s\n", example, check, why);
  return allowed ? EX_EXIT_SKIPPED : EX_EXIT_ERROR;
}
