/* The table and the JSON of `kiln bench`. */
#include "tool/bench.h"
#include "tool/tool.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_report {
  const struct bench_options *o;
  bool table;
  cJSON *list;
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
  if (o->num_platforms > 1) printf("  %s", "best/kiln, 95 %");
  if (o->roof != NULL) printf("  %s", "C/kiln");
  printf("\n");
  return r;
}

static void print_ratio(const struct bench_result *r, int width) {
  if (r != NULL && r->ratio > 0) printf(" %*.2f", width, r->ratio);
  else printf(" %*s", width, "-");
}

static void print_row(const struct bench_options *o, const struct bench_row *row) {
  const char *unit = "";
  printf("%-30s", row->label);
  for (int p = 0; p < o->num_platforms; p++) {
    const struct bench_result *r = &row->result[p];
    if (r->ok) printf(" %12.4f %9.3f", r->median * 1e3, r->rate);
    else printf(" %12s %9s", "failed", "");
    if (r->unit != NULL) unit = r->unit;
  }
  printf("  %-7s", unit);
  for (int p = 1; p < o->num_platforms; p++) print_ratio(bench_other(row, p), 14);
  const struct bench_result *best = bench_other(row, 0);
  if (best != NULL) printf("  %5.2f %.2f-%.2f", best->ratio, best->ratio_low, best->ratio_high);
  if (o->roof != NULL) print_ratio(&row->roof, 7);
  printf("\n");
  fflush(stdout);
}

static void add_ratio(cJSON *json, const struct bench_result *r) {
  if (r->ratio == 0) return;
  cJSON_AddNumberToObject(json, "ratio", r->ratio);
  cJSON_AddNumberToObject(json, "ratio_low", r->ratio_low);
  cJSON_AddNumberToObject(json, "ratio_high", r->ratio_high);
}

static cJSON *json_row(const char *label, const char *platform, const struct bench_result *r, int rounds) {
  cJSON *row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "kernel", label);
  cJSON_AddStringToObject(row, "platform", platform);
  cJSON_AddBoolToObject(row, "ok", r->ok);
  cJSON_AddNumberToObject(row, "build_ms", r->build_ms);
  cJSON_AddNumberToObject(row, "first_ms", r->first_ms);
  if (!r->ok) return row;
  cJSON_AddNumberToObject(row, "median_ms", r->median * 1e3);
  cJSON_AddNumberToObject(row, "minimum_ms", r->minimum * 1e3);
  cJSON_AddNumberToObject(row, "rounds", rounds);
  cJSON_AddNumberToObject(row, "rate", r->rate);
  cJSON_AddStringToObject(row, "unit", r->unit);
  add_ratio(row, r);
  return row;
}

void bench_report_add(struct bench_report *report, const struct bench_row *row) {
  const struct bench_options *o = report->o;
  for (int p = 0; p < o->num_platforms; p++)
    cJSON_AddItemToArray(report->list, json_row(row->label, o->platforms[p], &row->result[p], o->rounds));
  if (row->roof.ok) {
    cJSON *json = json_row(row->label, "C", &row->roof, o->rounds);
    cJSON_AddStringToObject(json, "form", row->roof_name);
    cJSON_AddItemToArray(report->list, json);
  }
  if (report->table) print_row(o, row);
}

bool bench_write_json(const struct bench_options *o, const cJSON *list) {
  if (o->json == NULL) return true;
  char *text = cJSON_Print(list);
  bool ok = text != NULL &&
            (strcmp(o->json, "-") == 0 ? puts(text) >= 0 : tool_write_file(o->json, text, strlen(text)));
  free(text);
  return ok;
}

static void print_means(const struct bench_options *o, const struct bench_row *rows, int count) {
  for (int p = o->num_platforms > 2 ? 0 : 1; p < o->num_platforms; p++) {
    struct bench_mean mean = bench_mean(rows, count, p);
    if (mean.cases > 0)
      printf("%s / kiln: geometric mean of time %.2f in %d cases; Kiln is slower in %d\n",
             p > 0 ? o->platforms[p] : "best of the others", mean.ratio, mean.cases, mean.slower);
  }
}

bool bench_report_close(struct bench_report *report, const struct bench_row *rows, int count) {
  const struct bench_options *o = report->o;
  if (report->table) print_means(o, rows, count);
  bool ok = bench_write_json(o, report->list);
  ok = (o->markdown == NULL || bench_page(o, rows, count)) && ok;
  cJSON_Delete(report->list);
  free(report);
  return ok;
}
