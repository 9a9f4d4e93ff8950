/* Measures how exact the math functions of a device are, against MPFR: the largest error in units of the last
 * place and where it is, or, for relaxed mathematics, the largest part of what is allowed. Exit status 1 when
 * a function is above its bound. */
#include "measure.h"
#include "relaxed.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
  bool types[NUM_TYPES], table;
  struct measure measure;
  char **names; /* functions; none: all */
  int num_names;
};

/* ---- reports ---- */

static void print_arguments(char *out, size_t size, const struct function *f, enum number_type type,
                            const struct sample *s) {
  double a = number_value(type, s->bits[0]), b = number_value(type, s->bits[1]),
         c = number_value(type, s->bits[2]);
  if (f->arguments == ONE) snprintf(out, size, "%a", a);
  else if (f->arguments == TWO) snprintf(out, size, "%a, %a", a, b);
  else if (f->arguments == THREE) snprintf(out, size, "%a, %a, %a", a, b, c);
  else snprintf(out, size, "%a, %d", a, (int)s->i);
}

static void print_row(const struct settings *settings, const struct function *f, enum number_type type,
                      uint64_t count, const struct worst *w, bool good) {
  char at[128], bound[64] = "-", all[32];
  print_arguments(at, sizeof at, f, type, &w->at);
  if (settings->measure.relaxed) snprintf(bound, sizeof bound, "%s", relaxed_text(f));
  else if (isfinite(f->bound[type])) snprintf(bound, sizeof bound, "%g", f->bound[type]);
  snprintf(all, sizeof all, "%" PRIu64, count);
  if (count == (uint64_t)1 << (8 * number_formats[type].size)) snprintf(all, sizeof all, "all");
  if (settings->table) {
    printf("| %s | %s | %.3f | %s | %s |\n", f->name, bound, w->error, at, all);
  } else {
    printf("%-7s %-16s %9.3f %s %5s ulp at %s%s\n", number_formats[type].name, f->name, w->error,
           settings->measure.relaxed ? "times" : "of", bound, at, good ? "" : "   <-- above the bound");
    if (!good) printf("        gives %a, built with '%s'\n", w->got, settings->measure.builds[w->build]);
  }
  fflush(stdout);
}

static void print_title(const struct settings *settings) {
  if (!settings->table) {
    printf("%s\n", device_name());
    return;
  }
  printf("# Accuracy of the math functions\n\n"
         "Measured by `accuracy --table` (test/accuracy) against MPFR on %s, with the bounds of OpenCL "
         "C's full\n"
         "profile, in units of the last place of the exact result. Arguments tried: all of the type, or so "
         "many: spread\n"
         "evenly over all where a function has one float, else special and random ones. A function without "
         "a bound has\n"
         "`-`; `lgamma of |x|` has bounds of our own.\n",
         device_name());
  for (unsigned b = 0; b < settings->measure.num_builds; b++) {
    const char *options = settings->measure.builds[b];
    printf("%s%s%s%s", b == 0 ? "\nBuilt " : ", and ", options[0] == '\0' ? "without options" : "with `",
           options, options[0] == '\0' ? "" : "`");
  }
  printf(": the larger error of these is shown.\n");
}

static void print_head(const struct settings *settings, enum number_type type) {
  if (settings->measure.relaxed) {
    printf("\n## float, relaxed\n\nUnder `-cl-fast-relaxed-math`: the largest part of what the table for "
           "unsafe math "
           "optimizations allows (in\nunits of the last place, or absolute), or the full profile where that "
           "has no "
           "row.\n\n| function | bound | part of it | at | arguments tried |\n|---|---|---|---|---|\n");
    return;
  }
  printf("\n## %s\n\n| function | bound | measured | at | arguments tried |\n|---|---|---|---|---|\n",
         number_formats[type].name);
}

static bool is_wanted(const struct settings *settings, const struct function *f, enum number_type type) {
  if (f->bound[type] < 0.0) return false;
  bool plain = isfinite(f->bound[type]) && f->arguments != THREE && strncmp(f->name, "half_", 5) != 0;
  if (settings->measure.relaxed && !plain) return false;
  bool found = settings->num_names == 0;
  for (int i = 0; i < settings->num_names; i++) found |= strcmp(settings->names[i], f->name) == 0;
  return found;
}

/* Returns the number of functions above their bounds, -1 when something did not work. */
static int measure_type(const struct settings *settings, enum number_type type) {
  int bad = 0;
  if (settings->table) print_head(settings, type);
  for (size_t i = 0; i < num_functions; i++) {
    const struct function *f = &functions[i];
    struct worst worst;
    uint64_t count;
    if (!is_wanted(settings, f, type)) continue;
    if (!measure(&settings->measure, f, type, &count, &worst)) return -1;
    bool good = worst.error <= (settings->measure.relaxed ? 1.0 : f->bound[type]) + 1e-6;
    bad += !good;
    print_row(settings, f, type, count, &worst, good);
  }
  return bad;
}

/* ---- command line ---- */

static const struct argp_option options[] = {
    {"type", 't', "TYPE", 0,
     "half, float or double; may be given more than once; default: those of the device", 0},
    {"samples", 'n', "N", 0, "arguments for each function that is not swept; default 1000000", 0},
    {"sweep", 'x', "N", OPTION_ARG_OPTIONAL,
     "every float, or every N-th, for functions of one argument (halfs are always swept)", 0},
    {"build", 'b', "OPTIONS", 0, "build options; may be given more than once: all are measured", 0},
    {"relaxed", 'r', NULL, 0,
     "float under -cl-fast-relaxed-math; with --table only this table, without a title", 0},
    {"table", 'm', NULL, 0, "a Markdown table, as in doc/accuracy.md", 0},
    {0}};

static error_t parse_type(struct settings *s, const char *text, struct argp_state *state) {
  for (int t = 0; t < NUM_TYPES; t++)
    if (strcmp(text, number_formats[t].name) == 0) {
      s->types[t] = true;
      return 0;
    }
  argp_error(state, "'%s' is none of half, float and double", text);
  return EINVAL;
}

static error_t parse_build(struct measure *m, const char *text, struct argp_state *state) {
  if (m->num_builds == DEVICE_BUILDS) argp_error(state, "more than %d sets of build options", DEVICE_BUILDS);
  else m->builds[m->num_builds++] = text;
  return 0;
}

static error_t parse_step(struct measure *m, const char *text, struct argp_state *state) {
  m->step = text == NULL ? 1 : (uint32_t)strtoul(text, NULL, 0);
  if (m->step == 0) argp_error(state, "'%s' is no distance between floats", text);
  return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct settings *s = state->input;
  switch (key) {
  case 't':
    return parse_type(s, arg, state);
  case 'n':
    s->measure.samples = strtoull(arg, NULL, 0);
    return 0;
  case 'x':
    return parse_step(&s->measure, arg, state);
  case 'b':
    return parse_build(&s->measure, arg, state);
  case 'r':
    s->measure.relaxed = true;
    return 0;
  case 'm':
    s->table = true;
    return 0;
  case ARGP_KEY_ARGS:
    s->names = state->argv + state->next;
    s->num_names = state->argc - state->next;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void choose_types(struct settings *s) {
  bool any = s->measure.relaxed;
  if (any) memcpy(s->types, (const bool[NUM_TYPES]){[FLOAT] = true}, sizeof s->types);
  for (int t = 0; t < NUM_TYPES; t++) any |= s->types[t];
  for (int t = 0; t < NUM_TYPES && !any; t++) s->types[t] = device_has((enum number_type)t);
}

static void relax_builds(struct measure *m) {
  static char relaxed[DEVICE_BUILDS][256];
  for (unsigned b = 0; b < m->num_builds; b++) {
    snprintf(relaxed[b], sizeof relaxed[b], "-cl-fast-relaxed-math %s", m->builds[b]);
    m->builds[b] = relaxed[b];
  }
}

int main(int argc, char **argv) {
  static const struct argp parser = {options,
                                     parse_option,
                                     "[FUNCTION...]",
                                     "Compare the math functions of an OpenCL device with MPFR.",
                                     NULL,
                                     NULL,
                                     NULL};
  static const enum number_type order[] = {FLOAT, DOUBLE, HALF};
  struct settings settings = {.measure = {.samples = 1000000}};
  int bad = 0;
  if (argp_parse(&parser, argc, argv, 0, NULL, &settings) != 0 || !device_open()) return 2;
  choose_types(&settings);
  if (settings.measure.num_builds == 0) settings.measure.builds[settings.measure.num_builds++] = "";
  if (!settings.measure.relaxed || !settings.table) print_title(&settings);
  if (settings.measure.relaxed) relax_builds(&settings.measure);
  for (size_t i = 0; i < sizeof order / sizeof *order && bad >= 0; i++) {
    int more = settings.types[order[i]] ? measure_type(&settings, order[i]) : 0;
    bad = more < 0 ? -1 : bad + more;
  }
  device_close();
  if (bad > 0) fprintf(stderr, "%d functions are above their bounds\n", bad);
  return bad < 0 ? 2 : bad > 0;
}
