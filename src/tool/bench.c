/* `kiln bench`: the `// run:` cases of the benchmark kernels, on Kiln and on other platforms in turn;
 * medians, rates and ratios as a table or JSON. */
#include "tool/case.h"
#include "tool/launch.h"

#include <argp.h>
#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CASES = 256, MAX_PLATFORMS = 4, MAX_ROUNDS = 1000 };

struct options {
  char *platforms[MAX_PLATFORMS], *folder, *only, *json;
  int num_platforms, rounds;
};

struct bench {
  struct run_case c;
  char label[96];
};

/* One case on one platform. */
struct outcome {
  bool ok;
  double build_ms, seconds[MAX_ROUNDS], median, rate;
  const char *unit;
};

static const struct argp_option option_table[] = {
    {"against", 'a', "PLATFORM", 0,
     "run the same on the platform whose name contains PLATFORM, in turn; may be repeated", 0},
    {"rounds", 'n', "N", 0, "rounds; the median counts (default 9)", 0},
    {"folder", 'f', "DIR", 0, "folder of the kernels", 0},
    {"json", 'j', "FILE", 0, "write the figures as JSON ('-': standard output instead of the table)", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  switch (key) {
  case 'a':
    if (o->num_platforms == MAX_PLATFORMS) argp_error(state, "at most %d platforms", MAX_PLATFORMS);
    else o->platforms[o->num_platforms++] = arg;
    return 0;
  case 'n':
    o->rounds = atoi(arg);
    if (o->rounds < 1 || o->rounds > MAX_ROUNDS) argp_error(state, "rounds: 1 to %d", MAX_ROUNDS);
    return 0;
  case 'f':
    o->folder = arg;
    return 0;
  case 'j':
    o->json = arg;
    return 0;
  case ARGP_KEY_ARG:
    o->only = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int is_kernel_file(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > 3 && strcmp(entry->d_name + length - 3, ".cl") == 0;
}

/* Cases with a rate, of every .cl file; returns the number, -1 after a message. */
static int collect(const struct options *o, struct bench *out) {
  struct dirent **files;
  int num_files = scandir(o->folder, &files, is_kernel_file, alphasort), count = 0;
  if (num_files < 0) return tool_error("%s: no such folder", o->folder), -1;
  for (int f = 0; f < num_files; f++) {
    char *path = tool_format("%s/%s", o->folder, files[f]->d_name), *text = tool_read_file(path, NULL);
    struct run_case *cases = NULL;
    int num_cases = text == NULL ? -1 : case_parse_file(path, text, &cases);
    if (num_cases < 0) return -1;
    for (int k = 0; k < num_cases && count < MAX_CASES; k++) {
      struct bench *b = &out[count];
      b->c = cases[k];
      snprintf(b->label, sizeof b->label, "%.*s%s%s", (int)strlen(files[f]->d_name) - 3, files[f]->d_name,
               cases[k].name ? "/" : "", cases[k].name ? cases[k].name : "");
      if (o->only == NULL || strstr(b->label, o->only) != NULL) count++;
    }
    free(text);
  }
  return count;
}

static void rate(const struct launch *l, struct outcome *r) {
  long double work = 0;
  const struct run_case *c = l->c;
  r->unit = c->flops != NULL ? "GFLOP/s" : "GB/s";
  const char *text = c->flops != NULL ? c->flops : c->bytes;
  if (text != NULL && launch_expr(l, text, &work)) r->rate = (double)work / r->median * 1e-9;
}

/* One case on all platforms: a warm-up with the check, then rounds in turn. */
static void measure(const struct options *o, const struct bench *b, struct outcome *results) {
  static struct launch launches[MAX_PLATFORMS];
  double warm;
  for (int p = 0; p < o->num_platforms; p++) {
    struct launch *l = &launches[p];
    results[p].ok =
        launch_open(l, &b->c, o->platforms[p]) && launch_once(l, &warm) && launch_fetch(l) && launch_check(l);
    results[p].build_ms = l->build_ms;
  }
  for (int round = 0; round < o->rounds; round++)
    for (int p = 0; p < o->num_platforms; p++) {
      tool_progress("%s: round %d of %d on %s", b->label, round + 1, o->rounds, o->platforms[p]);
      results[p].ok = results[p].ok && launch_once(&launches[p], &results[p].seconds[round]);
    }
  tool_progress(NULL);
  for (int p = 0; p < o->num_platforms; p++) {
    qsort(results[p].seconds, (size_t)o->rounds, sizeof(double), by_value);
    results[p].median = results[p].seconds[o->rounds / 2];
    if (results[p].ok) rate(&launches[p], &results[p]);
    launch_close(&launches[p]);
  }
}

static void print_head(const struct options *o) {
  printf("%-36s", "kernel");
  for (int p = 0; p < o->num_platforms; p++) printf(" %12.12s ms %9s", o->platforms[p], "rate");
  for (int p = 1; p < o->num_platforms; p++) printf(" %10.10s/kiln", o->platforms[p]);
  printf("\n");
}

static void print_row(const struct options *o, const struct bench *b, const struct outcome *r) {
  printf("%-36s", b->label);
  for (int p = 0; p < o->num_platforms; p++) {
    if (r[p].ok) printf(" %15.4f %9.2f", r[p].median * 1e3, r[p].rate);
    else printf(" %15s %9s", "failed", "");
  }
  for (int p = 1; p < o->num_platforms; p++) {
    if (r[0].ok && r[p].ok) printf(" %15.2f", r[p].median / r[0].median);
    else printf(" %15s", "-");
  }
  printf("  %s\n", r[0].unit != NULL ? r[0].unit : "");
  fflush(stdout);
}

static void add_json(cJSON *list, const struct options *o, const struct bench *b, const struct outcome *r) {
  for (int p = 0; p < o->num_platforms; p++) {
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "kernel", b->label);
    cJSON_AddStringToObject(row, "platform", o->platforms[p]);
    cJSON_AddBoolToObject(row, "ok", r[p].ok);
    cJSON_AddNumberToObject(row, "build_ms", r[p].build_ms);
    if (r[p].ok) {
      cJSON_AddNumberToObject(row, "median_ms", r[p].median * 1e3);
      cJSON_AddNumberToObject(row, "minimum_ms", r[p].seconds[0] * 1e3);
      cJSON_AddNumberToObject(row, "runs", o->rounds);
      cJSON_AddNumberToObject(row, "rate", r[p].rate);
      cJSON_AddStringToObject(row, "unit", r[p].unit);
    }
    cJSON_AddItemToArray(list, row);
  }
}

static bool write_json(const struct options *o, cJSON *list) {
  char *text = cJSON_Print(list);
  bool ok = text != NULL &&
            (strcmp(o->json, "-") == 0 ? puts(text) >= 0 : tool_write_file(o->json, text, strlen(text)));
  free(text);
  return ok;
}

int tool_bench(int argc, char **argv) {
  struct options o = {.platforms = {"kiln"}, .num_platforms = 1, .rounds = 9, .folder = KILN_BENCH_DIR};
  const struct argp parser = {
      option_table, parse_option,
      "[NAME]",     "Time the benchmark kernels (whose label contains NAME) and check their results.",
      NULL,         NULL,
      NULL};
  if (argp_parse(&parser, argc, argv, 0, NULL, &o) != 0) return 2;
  static struct bench benches[MAX_CASES];
  static struct outcome results[MAX_PLATFORMS];
  int count = collect(&o, benches), failed = 0;
  if (count < 0) return 1;
  bool table = o.json == NULL || strcmp(o.json, "-") != 0;
  double log_ratio[MAX_PLATFORMS] = {0};
  int compared[MAX_PLATFORMS] = {0};
  cJSON *list = cJSON_CreateArray();
  if (table) print_head(&o);
  for (int k = 0; k < count; k++) {
    memset(results, 0, sizeof results);
    measure(&o, &benches[k], results);
    failed += !results[0].ok;
    for (int p = 1; p < o.num_platforms; p++)
      if (results[0].ok && results[p].ok)
        log_ratio[p] += log(results[p].median / results[0].median), compared[p]++;
    if (table) print_row(&o, &benches[k], results);
    add_json(list, &o, &benches[k], results);
  }
  for (int p = 1; table && p < o.num_platforms; p++)
    if (compared[p] > 0)
      printf("geometric mean of time, %s / kiln, %d cases: %.2f\n", o.platforms[p], compared[p],
             exp(log_ratio[p] / compared[p]));
  bool ok = o.json == NULL || write_json(&o, list);
  cJSON_Delete(list);
  if (failed > 0) tool_error("%d of %d cases failed on Kiln", failed, count);
  return failed > 0 || !ok;
}
