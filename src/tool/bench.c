/* `kiln bench`: the `// run:` cases of the benchmark kernels, on Kiln and on other platforms in turn. Owns
 * the choice of cases; bench_measure.c times them, report.c prints. */
#include "tool/bench.h"

#include "tool/words.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_LIST = 256, OPT_ROOF };

static const struct argp_option option_table[] = {
    {"against", 'a', "PLATFORM", 0,
     "run the same on the platform whose name contains PLATFORM, in turn; may be repeated", 0},
    {"rounds", 'n', "N", 0, "rounds; the median counts (default 9)", 0},
    {"folder", 'f', "DIR", 0, "folder of kernel files with `// run:` lines", 0},
    {"json", 'j', "FILE", 0, "write the figures as JSON ('-': to standard output, in place of the table)", 0},
    {"markdown", 'm', "FILE", 0, "write the document doc/performance.md: machine, versions, every case", 0},
    {"roof", OPT_ROOF, "PROGRAM", 0,
     "also run PROGRAM (bench/roof of a build), which does the work of some cases in plain C", 0},
    {"list", OPT_LIST, NULL, 0, "print the names of the cases", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct bench_options *o = state->input;
  unsigned long long rounds;
  switch (key) {
  case 'a':
    if (o->num_platforms == BENCH_MAX_PLATFORMS)
      return tool_error("more than %d platforms", BENCH_MAX_PLATFORMS), EINVAL;
    o->platforms[o->num_platforms++] = arg;
    return 0;
  case 'n':
    if (!words_number(arg, "--rounds", 1, BENCH_MAX_ROUNDS, &rounds)) return EINVAL;
    o->rounds = (int)rounds;
    return 0;
  case 'f':
    o->folder = arg;
    return 0;
  case 'j':
    o->json = arg;
    return 0;
  case 'm':
    o->markdown = arg;
    return 0;
  case OPT_ROOF:
    o->roof = arg;
    return 0;
  case OPT_LIST:
    o->list = true;
    return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num == 0) o->only = arg;
    else if (state->arg_num == 1 && strcmp(o->only, "math") == 0) o->function = arg;
    else return ARGP_ERR_UNKNOWN;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* ---- cases ---- */

static int is_kernel_file(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > 3 && strcmp(entry->d_name + length - 3, ".cl") == 0;
}

/* c becomes *out, which owns it from then on, if its label is among those asked for. */
static bool take_case(const struct bench_options *o, const char *file, const struct run_case *c,
                      struct bench_case *out) {
  out->c = *c;
  snprintf(out->label, sizeof out->label, "%.*s%s%s", (int)strlen(file) - 3, file, c->name ? "/" : "",
           c->name ? c->name : "");
  return o->only == NULL || strstr(out->label, o->only) != NULL;
}

static bool add_file(const struct bench_options *o, const char *name, struct bench_case *out, int *count) {
  char *path = tool_format("%s/%s", o->folder, name), *text = tool_read_file(path, NULL);
  struct run_case *cases = NULL;
  int num_cases = text == NULL ? -1 : case_parse_file(path, text, &cases);
  free(text);
  free(path);
  for (int k = 0; k < num_cases; k++)
    if (*count == BENCH_MAX_CASES || !take_case(o, name, &cases[k], &out[*count])) case_free(&cases[k]);
    else ++*count;
  free(cases);
  return num_cases >= 0;
}

/* The cases of every .cl file; returns the number, -1 after a message. */
static int collect(const struct bench_options *o, struct bench_case *out) {
  struct dirent **files;
  int num_files = scandir(o->folder, &files, is_kernel_file, alphasort), count = 0;
  if (num_files < 0) return tool_error("%s: no such folder", o->folder), -1;
  bool ok = true;
  for (int f = 0; f < num_files; f++) {
    ok = ok && add_file(o, files[f]->d_name, out, &count);
    free(files[f]);
  }
  free(files);
  if (!ok) return -1;
  if (count == 0)
    return tool_error("no case's name contains '%s'; --list prints them", o->only ? o->only : ""), -1;
  return count;
}

static char *default_folder(void) {
  char *installed = tool_format("%s/../share/kiln/bench", tool_folder());
  if (access(installed, R_OK) == 0) return installed;
  free(installed);
  return strdup(KILN_BENCH_DIR);
}

static bool platforms_exist(const struct bench_options *o) {
  cl_platform_id platform;
  cl_device_id device;
  for (int p = 0; p < o->num_platforms; p++)
    if (!tool_find_device(o->platforms[p], &platform, &device)) return false;
  return true;
}

static int list(const struct bench_case *benches, int count) {
  for (int k = 0; k < count; k++) printf("%s\n", benches[k].label);
  return 0;
}

static const char doc[] = "Check and time the benchmark kernels (those whose name contains NAME), or "
                          "the math functions (or one), per element and core, beside SLEEF and libmvec."
                          "\vEvery case is checked first; a wrong result is a failure, not a time. Rounds\n"
                          "alternate between the platforms. A ratio above 1 means that Kiln is faster;\n"
                          "JSON has the 95 % interval of its median.\n\n"
                          "Exit status: 0, all well; 1, a case failed on Kiln; 2, wrong usage.";

static int bench(const struct bench_options *o, const struct bench_case *benches, int count) {
  static struct bench_row rows[BENCH_MAX_CASES];
  int failed = 0;
  if (o->list) return list(benches, count);
  if (!platforms_exist(o)) return 1;
  struct bench_report *report = bench_report_open(o);
  for (int k = 0; k < count; k++) {
    bench_measure(o, &benches[k], &rows[k]);
    failed += !rows[k].result[0].ok;
    bench_report_add(report, &rows[k]);
  }
  bool ok = bench_report_close(report, rows, count);
  if (failed > 0) tool_error("%d of %d cases failed on Kiln", failed, count);
  return failed > 0 || !ok;
}

/* "kiln bench" and what followed. */
static char *command_line(int argc, char **argv) {
  char *line = strdup("kiln bench");
  for (int k = 1; k < argc; k++) {
    char *longer = tool_format("%s %s", line, argv[k]);
    free(line);
    line = longer;
  }
  return line;
}

static int kernels(const struct bench_options *o) {
  static struct bench_case benches[BENCH_MAX_CASES];
  int count = collect(o, benches);
  int status = count < 0 ? 1 : bench(o, benches, count);
  for (int k = 0; k < count; k++) case_free(&benches[k].c);
  return status;
}

int tool_bench(int argc, char **argv) {
  struct bench_options o = {.platforms = {"kiln"}, .num_platforms = 1, .rounds = 9};
  const struct argp parser = {
      .options = option_table, .parser = parse_option, .args_doc = "[NAME]\nmath [FUNCTION]", .doc = doc};
  char *command = command_line(argc, argv), *folder = default_folder();
  o.command = command;
  int status = 2;
  if (words_parse(&parser, "kiln bench", argc, argv, &o, NULL)) {
    if (o.folder == NULL) o.folder = folder;
    bool is_math = o.only != NULL && strcmp(o.only, "math") == 0;
    status = is_math ? bench_math(&o, o.function) : kernels(&o);
  }
  free(folder);
  free(command);
  return status;
}
