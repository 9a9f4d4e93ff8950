/* doc/performance.md, as `kiln bench --markdown` writes it. */
#include "tool/bench.h"
#include "tool/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct page {
  FILE *out;
  const struct bench_options *o;
  const struct bench_row *rows;
  int count;
};

static void head(const struct page *p) {
  char date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  fprintf(
      p->out,
      "# Performance\n\n"
      "Written on %s by\n```\n%s\n```\n"
      "Every result is checked before it is timed. Rounds alternate between the platforms; a time is the "
      "median of\n"
      "%d rounds of the kernel's own time by event profiling, with its buffers freshly written, after a run "
      "that does\n"
      "not count. A ratio is the other's time over Kiln's, the median of the rounds, with its 95 %% "
      "interval: above 1\n"
      "Kiln is faster. Kiln counts as slower where the whole interval lies below %.2f.\n\n",
      date, p->o->command, p->o->rounds, BENCH_SLOWER);
}

/* ---- what ran ---- */

/* A line of Kiln's report of the device, its words separated by `, `. */
static void report_line(const struct page *p, const char *report, const char *label) {
  const char *at = strstr(report, label);
  if (at == NULL) return;
  at += strlen(label);
  at += strspn(at, " ");
  fprintf(p->out, "- %s: ", label);
  for (; *at != '\0' && *at != '\n'; at++) {
    if (*at == '+') continue;
    fputc(*at, p->out);
    if (*at == ',' && at[1] != ' ') fputc(' ', p->out);
  }
  fputc('\n', p->out);
}

static void machine(const struct page *p) {
  cl_platform_id platform;
  cl_device_id device;
  char name[256] = "", report[8192] = "";
  if (!tool_find_device(p->o->platforms[0], &platform, &device)) return;
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
  kiln_device_report_fn *describe =
      (kiln_device_report_fn *)(uintptr_t)clGetExtensionFunctionAddressForPlatform(platform,
                                                                                   "kiln_device_report");
  if (describe != NULL) describe(device, sizeof report, report);
  fprintf(p->out, "## Machine and versions\n- processor: %s\n", name);
  report_line(p, report, "processors");
  report_line(p, report, "vector registers");
  report_line(p, report, "cpu features");
}

static void versions(const struct page *p) {
  fprintf(p->out, "\n| platform | name | version | driver |\n|---|---|---|---|\n");
  for (int k = 0; k < p->o->num_platforms; k++) {
    cl_platform_id platform;
    cl_device_id device;
    char name[256] = "", version[256] = "", driver[256] = "";
    if (!tool_find_device(p->o->platforms[k], &platform, &device)) continue;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    fprintf(p->out, "| %s | %s | %s | %s |\n", p->o->platforms[k], name, version, driver);
  }
}

/* ---- against other platforms ---- */

/* Cases for which `is` says so, after `intro`; false: there are none. */
static bool list_cases(const struct page *p, const char *intro, bool (*is)(const struct bench_result *)) {
  const char *before = intro;
  for (int k = 0; k < p->count; k++) {
    const struct bench_result *best = bench_other(&p->rows[k], 0);
    if (best == NULL || !is(best)) continue;
    fprintf(p->out, "%s%s (%.2f)", before, p->rows[k].label, best->ratio);
    before = ", ";
  }
  if (before != intro) fprintf(p->out, ".\n");
  return before != intro;
}

static bool is_slower(const struct bench_result *best) { return best->ratio_high < BENCH_SLOWER; }

static bool may_be_slower(const struct bench_result *best) {
  return best->ratio < BENCH_SLOWER && !is_slower(best);
}

static void slower_cases(const struct page *p) {
  if (!list_cases(p, "Kiln is slower than the best of the others in: ", is_slower))
    fprintf(p->out, "In no case is Kiln slower than the best of the others.\n");
  list_cases(p, "It may be, as far as these rounds tell, in: ", may_be_slower);
}

static void failed_cases(const struct page *p) {
  const char *before = "\nWrong results or failed launches: ";
  for (int k = 0; k < p->count; k++)
    for (int other = 0; other < p->o->num_platforms; other++) {
      if (p->rows[k].result[other].ok) continue;
      fprintf(p->out, "%s%s on %s", before, p->rows[k].label, p->o->platforms[other]);
      before = ", ";
    }
  if (before[0] == ',') fprintf(p->out, ".\n");
}

static void summary(const struct page *p) {
  fprintf(p->out,
          "\n## Against other platforms\n| time over Kiln's | geometric mean | cases | Kiln is slower in |\n"
          "|---|---|---|---|\n");
  for (int k = 0; k < p->o->num_platforms; k++) {
    struct bench_mean mean = bench_mean(p->rows, p->count, k);
    fprintf(p->out, "| %s | %.2f | %d | %d |\n",
            k > 0 ? p->o->platforms[k] : "best of the others in each case", mean.ratio, mean.cases,
            mean.slower);
  }
  fprintf(p->out, "\n");
  slower_cases(p);
  failed_cases(p);
}

static void row_of_case(const struct page *p, const struct bench_row *row) {
  const struct bench_result *kiln = &row->result[0], *best = bench_other(row, 0);
  fprintf(p->out, "| %s |", row->label);
  if (kiln->ok) fprintf(p->out, " %.3f | %.3g %s |", kiln->median * 1e3, kiln->rate, kiln->unit);
  else fprintf(p->out, " failed | |");
  for (int k = 1; k < p->o->num_platforms; k++) {
    if (row->result[k].ok) fprintf(p->out, " %.3f |", row->result[k].median * 1e3);
    else fprintf(p->out, " failed |");
  }
  if (best == NULL) fprintf(p->out, " | |\n");
  else fprintf(p->out, " %.2f | %.2f to %.2f |\n", best->ratio, best->ratio_low, best->ratio_high);
}

static void cases(const struct page *p) {
  fprintf(p->out, "\n## Cases\n| case | Kiln, ms | rate |");
  for (int k = 1; k < p->o->num_platforms; k++) fprintf(p->out, " %s, ms |", p->o->platforms[k]);
  fprintf(p->out, " best / Kiln | 95 %% interval |\n|---|---|---|");
  for (int k = 1; k < p->o->num_platforms; k++) fprintf(p->out, "---|");
  fprintf(p->out, "---|---|\n");
  for (int k = 0; k < p->count; k++) row_of_case(p, &p->rows[k]);
}

/* ---- waiting for the compiler ---- */

static void first_results(const struct page *p) {
  fprintf(
      p->out,
      "\n## From the source to the first result\n"
      "Building the program and the first launch, as the host waits for them. Several cases share a file; a\n"
      "platform that keeps what it has built gains by that.\n\n"
      "| platform | median, ms | longest, ms | all cases, s |\n|---|---|---|---|\n");
  for (int k = 0; k < p->o->num_platforms; k++) {
    double sorted[BENCH_MAX_CASES], sum = 0;
    int count = 0;
    for (int r = 0; r < p->count; r++)
      if (p->rows[r].result[k].ok) sum += sorted[count++] = p->rows[r].result[k].first_ms;
    if (count == 0) continue;
    qsort(sorted, (size_t)count, sizeof *sorted, tool_by_value);
    fprintf(p->out, "| %s | %.1f | %.1f | %.2f |\n", p->o->platforms[k], sorted[count / 2], sorted[count - 1],
            sum * 1e-3);
  }
}

/* ---- against C ---- */

static void roofs(const struct page *p) {
  fprintf(
      p->out,
      "\n## Of what the machine can do\n"
      "The same work on the same data in C with OpenMP (`bench/roof.c`), by the system's compiler with `-O3\n"
      "-march=native`, and `-ffast-math` for cases built with `-cl-fast-relaxed-math`; the fastest form of "
      "each.\n\n"
      "| case | Kiln | C | form | Kiln's share | 95 %% interval |\n|---|---|---|---|---|---|\n");
  for (int k = 0; k < p->count; k++) {
    const struct bench_row *row = &p->rows[k];
    const struct bench_result *kiln = &row->result[0], *roof = &row->roof;
    if (roof->ok && kiln->ok)
      fprintf(p->out, "| %s | %.3g %s | %.3g | %s | %.0f %% | %.0f to %.0f |\n", row->label, kiln->rate,
              kiln->unit, roof->rate, row->roof_name, roof->ratio * 100, roof->ratio_low * 100,
              roof->ratio_high * 100);
  }
}

bool bench_page(const struct bench_options *o, const struct bench_row *rows, int count) {
  struct page p = {.out = fopen(o->markdown, "w"), .o = o, .rows = rows, .count = count};
  if (p.out == NULL) return tool_error("%s cannot be written", o->markdown);
  head(&p);
  machine(&p);
  versions(&p);
  if (o->num_platforms > 1) summary(&p);
  cases(&p);
  first_results(&p);
  if (o->roof != NULL) roofs(&p);
  bool ok = ferror(p.out) == 0;
  return (fclose(p.out) == 0 && ok) || tool_error("%s cannot be written", o->markdown);
}
