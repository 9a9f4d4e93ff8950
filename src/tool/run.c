/* `kiln run`: one launch, or the launches a kernel file describes. */
#include "compiler/compiler.h"
#include "tool/case.h"
#include "tool/data.h"
#include "tool/explain.h"
#include "tool/launch.h"
#include "tool/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool show(const struct launch *l, const struct case_item *item) {
  if (item->argument >= l->num_args || l->args[item->argument].kind != LAUNCH_BUFFER)
    return tool_error("--show: argument %u is no buffer", item->argument);
  const struct launch_arg *a = &l->args[item->argument];
  unsigned long long count = 16;
  if (item->text[0] != '\0' && !words_number(item->text, "--show", 1, SIZE_MAX, &count)) return false;
  if (count > a->count) count = a->count;
  printf("argument %u (%s):", item->argument, a->type.name);
  for (size_t k = 0; k < count * a->type.width; k++)
    printf("%s%s", a->type.width > 1 && k % a->type.width == 0 ? " | " : " ",
           value_text(&a->type, value_load(&a->type, a->after, k)));
  printf("%s\n", count < a->count ? " ..." : "");
  return true;
}

static bool output(const struct launch *l, const struct case_item *item) {
  if (item->argument >= l->num_args || l->args[item->argument].kind != LAUNCH_BUFFER)
    return tool_error("--out: argument %u is no buffer", item->argument);
  const struct launch_arg *a = &l->args[item->argument];
  char *path = strdup(item->text), *colon = strrchr(path, ':');
  size_t width = 0;
  if (colon != NULL && colon[1] != '\0' && colon[1 + strspn(colon + 1, "0123456789")] == '\0') {
    width = strtoull(colon + 1, NULL, 10);
    *colon = '\0';
  }
  bool ok = data_write(path, &a->type, a->after, a->count, width);
  free(path);
  return ok;
}

static void print_rate(const struct launch *l, const char *expression, double seconds, double scale,
                       const char *unit) {
  long double work;
  if (expression != NULL && launch_expr(l, expression, &work))
    printf(", %.2Lf %s", work / seconds * scale, unit);
}

static void report(const struct launch *l, double *seconds, unsigned runs) {
  qsort(seconds, runs, sizeof *seconds, tool_by_value);
  double median = seconds[runs / 2];
  printf("%s: build %.2f ms, kernel %.4f ms", l->kernel_name, l->build_ms, median * 1e3);
  if (runs > 1) printf(" (median of %u, best %.4f)", runs, seconds[0] * 1e3);
  print_rate(l, l->c->flops, median, 1e-9, "GFLOP/s");
  print_rate(l, l->c->bytes, median, 1e-9, "GB/s");
  print_rate(l, l->c->items, median, 1e-6, "Mitem/s");
  if (l->c->num_expects > 0) printf(", as expected");
  printf("\n");
}

static int list_stages(void) {
  printf("Stages of the compiler, for --dump (separated by commas, or all):\n");
#define X(name, help) printf("  %-12s %s\n", name, help);
  KILN_DUMP_TABLE(X)
#undef X
  return 0;
}

static bool launches(struct launch *l, double *seconds, unsigned runs) {
  for (unsigned k = 0; k < runs; k++) {
    if (runs > 1) tool_progress("launch %u of %u", k + 1, runs);
    if (!launch_once(l, &seconds[k])) return false;
  }
  tool_progress(NULL);
  return launch_fetch(l);
}

static bool show_log(const struct launch *l) {
  if (l->c->explain) return explain_print(l->c, l->kernel_name, l->log);
  if (l->log[0] != '\0' && !l->c->quiet)
    fprintf(stderr, "%s%s", l->log, l->log[strlen(l->log) - 1] == '\n' ? "" : "\n");
  return true;
}

static bool run_case(const struct run_case *c) {
  struct launch l;
  if (c->explain && !words_contain("Kiln", c->platform))
    return tool_error("--explain asks Kiln's compiler; platform '%s' has none", c->platform);
  if (c->dump != NULL) {
    if (!words_contain("Kiln", c->platform))
      return tool_error("--dump shows stages of Kiln's compiler; platform '%s' has none", c->platform);
    setenv("KILN_DUMP", c->dump, 1);
    setenv("KILN_CACHE_DIR", "", 1); /* what comes from the cache passes no stage */
  }
  unsigned runs = c->repeat > 0 ? c->repeat : 1;
  double *seconds = tool_alloc(runs * sizeof *seconds);
  bool ok = launch_open(&l, c, c->platform) && launches(&l, seconds, runs);
  ok = ok && show_log(&l);
  for (unsigned k = 0; ok && k < c->num_shows; k++) ok = show(&l, &c->shows[k]);
  for (unsigned k = 0; ok && k < c->num_outputs; k++) ok = output(&l, &c->outputs[k]);
  ok = ok && launch_check(&l);
  if (ok && !c->quiet) report(&l, seconds, runs);
  launch_close(&l);
  free(seconds);
  return ok;
}

static char *joined_options(struct run_case *c, const char *more) {
  char *both = tool_format("%s %s", c->build_options, more), *owned = case_own(c, both);
  free(both);
  return owned;
}

/* The `// run:` lines, with the command line's platform, dump, quiet and build options on top. */
static int run_cases(const struct run_case *given, struct run_case *cases, int count) {
  int failed = 0, ran = 0;
  for (int k = 0; k < count; k++) {
    cases[k].platform = given->platform;
    cases[k].dump = given->dump;
    cases[k].explain = given->explain;
    cases[k].quiet = given->quiet;
    if (given->kernel != NULL && (cases[k].kernel == NULL || strcmp(cases[k].kernel, given->kernel) != 0))
      continue;
    ran++;
    if (given->repeat > 1) cases[k].repeat = given->repeat;
    if (given->build_options[0] != '\0')
      cases[k].build_options = joined_options(&cases[k], given->build_options);
    failed += !run_case(&cases[k]);
  }
  if (ran == 0) return tool_error("%s has no `// run:` line with -k %s", given->file, given->kernel), 2;
  if (failed > 0) tool_error("%s: %d of %d runs failed", given->file, failed, ran);
  return failed > 0;
}

static int run_file(const struct run_case *given) {
  struct run_case *cases = NULL;
  char *text = tool_read_file(given->file, NULL);
  int count = text == NULL ? -1 : case_parse_file(given->file, text, &cases);
  free(text);
  if (count < 0) return 1;
  if (count == 0) return tool_error("%s has no `// run:` line, and no -g is given", given->file), 2;
  int status = run_cases(given, cases, count);
  for (int k = 0; k < count; k++) case_free(&cases[k]);
  free(cases);
  return status;
}

/* The command line's case. */
static int run_given(const struct run_case *c) {
  if (c->dump != NULL && strcmp(c->dump, "list") == 0) return list_stages();
  if (c->dims == 0 && c->num_args == 0) return run_file(c);
  return run_case(c) ? 0 : 1;
}

int tool_run(int argc, char **argv) {
  struct run_case c;
  int status = case_parse(argc, argv, &c) ? run_given(&c) : 2;
  case_free(&c);
  return status;
}
