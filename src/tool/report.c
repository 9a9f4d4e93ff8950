/* The table and the JSON of `kiln bench`. */
#include "tool/bench.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_report {
  const struct bench_options *o;
  bool table;
  cJSON *list;
  double log_ratio[BENCH_MAX_PLATFORMS];
  int compared[BENCH_MAX_PLATFORMS], slower[BENCH_MAX_PLATFORMS];
};

struct bench_report *bench_report_open(const struct bench_options *o) {
  struct bench_report *r = tool_alloc(sizeof *r);
  r->o = o;
  r->table = o->json == NULL || strcmp(o->json, "-") != 0;
  r->list = cJSON_CreateArray();
  if (!r->table) return r;
  printf("%-30s", "kernel");
  for (int p = 0; p < o->num_platforms; p++) printf(" %9.9s ms %9s", o->platforms[p], "rate");
  printf("  %-7s", "unit");
  for (int p = 1; p < o->num_platforms; p++) printf(" %9.9s/kiln", o->platforms[p]);
  printf("\n");
  return r;
}

static void print_row(const struct bench_options *o, const struct bench_case *b,
                      const struct bench_result *r) {
  const char *unit = "";
  printf("%-30s", b->label);
  for (int p = 0; p < o->num_platforms; p++) {
    if (r[p].ok) printf(" %12.4f %9.3f", r[p].median * 1e3, r[p].rate);
    else printf(" %12s %9s", "failed", "");
    if (r[p].unit != NULL) unit = r[p].unit;
  }
  printf("  %-7s", unit);
  for (int p = 1; p < o->num_platforms; p++) {
    if (r[0].ok && r[p].ok) printf(" %14.2f", r[p].ratio);
    else printf(" %14s", "-");
  }
  printf("\n");
  fflush(stdout);
}

static cJSON *json_row(const char *label, const char *platform, const struct bench_result *r, int rounds) {
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "kernel", label);
  cJSON_AddStringToObject(row, "platform", platform);
  cJSON_AddBoolToObject(row, "ok", r->ok);
  cJSON_AddNumberToObject(row, "build_ms", r->build_ms);
  if (!r->ok) return row;
  cJSON_AddNumberToObject(row, "median_ms", r->median * 1e3);
  cJSON_AddNumberToObject(row, "minimum_ms", r->seconds[0] * 1e3);
  cJSON_AddNumberToObject(row, "rounds", rounds);
  cJSON_AddNumberToObject(row, "rate", r->rate);
  cJSON_AddStringToObject(row, "unit", r->unit);
  if (r->ratio == 0) return row;
  cJSON_AddNumberToObject(row, "ratio", r->ratio);
  cJSON_AddNumberToObject(row, "ratio_low", r->ratio_low);
  cJSON_AddNumberToObject(row, "ratio_high", r->ratio_high);
  return row;
}

void bench_report_add(struct bench_report *report, const struct bench_case *b, const struct bench_result *r) {
  const struct bench_options *o = report->o;
  for (int p = 0; p < o->num_platforms; p++) {
    cJSON_AddItemToArray(report->list, json_row(b->label, o->platforms[p], &r[p], o->rounds));
    if (p == 0 || !r[0].ok || !r[p].ok) continue;
    report->log_ratio[p] += log(r[p].ratio);
    report->compared[p]++;
    report->slower[p] += r[p].ratio_high < 0.95;
  }
  if (report->table) print_row(o, b, r);
}

bool bench_write_json(const struct bench_options *o, const cJSON *list) {
  if (o->json == NULL) return true;
  char *text = cJSON_Print(list);
  bool ok = text != NULL &&
            (strcmp(o->json, "-") == 0 ? puts(text) >= 0 : tool_write_file(o->json, text, strlen(text)));
  free(text);
  return ok;
}

bool bench_report_close(struct bench_report *report) {
  const struct bench_options *o = report->o;
  for (int p = 1; report->table && p < o->num_platforms; p++)
    if (report->compared[p] > 0)
      printf("%s / kiln: geometric mean of time %.2f in %d cases; Kiln is slower in %d\n", o->platforms[p],
             exp(report->log_ratio[p] / report->compared[p]), report->compared[p], report->slower[p]);
  bool ok = bench_write_json(o, report->list);
  cJSON_Delete(report->list);
  free(report);
  return ok;
}
