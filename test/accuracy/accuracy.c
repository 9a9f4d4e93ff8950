/* Measures how exact the math functions of a device are, against MPFR: the largest error in units of the last
 * place and where it is. Exit status 1 when a function is above its bound.
 *
 * A sweep over all floats computes in double first; what is not clearly better than the worst so far is
 * computed again with MPFR. That is exact as long as the C library's double functions are right to 2^-45. */
#include "device.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 64, SPARE_BITS = 40 };

struct settings {
  bool types[NUM_TYPES], sweep, table;
  uint64_t samples;
  const char *options; /* for the build */
  char **names;        /* functions; none: all */
  int num_names;
};

struct worst {
  double error, got;
  struct sample at;
};

struct job {
  const struct function *function;
  enum number_type type;
  const struct sample *samples;
  const uint64_t *results;
  size_t n;
  struct worst worst;
};

/* ---- one sample ---- */

struct scratch {
  mpfr_t a, b, c, want, difference;
};

static void scratch_init(struct scratch *s, enum number_type type) {
  mpfr_prec_t bits = number_formats[type].digits;
  mpfr_inits2(64, s->a, s->b, s->c, (mpfr_ptr)0);
  mpfr_init2(s->want, bits + SPARE_BITS);
  mpfr_init2(s->difference, bits + SPARE_BITS);
}

static double exact_error(const struct job *job, struct scratch *s, size_t k, double got) {
  const struct sample *sample = &job->samples[k];
  mpfr_set_d(s->a, number_value(job->type, sample->bits[0]), MPFR_RNDN);
  mpfr_set_d(s->b, number_value(job->type, sample->bits[1]), MPFR_RNDN);
  mpfr_set_d(s->c, number_value(job->type, sample->bits[2]), MPFR_RNDN);
  job->function->exact(s->want, s->a, s->b, s->c, sample->i);
  return number_error(job->type, got, s->want, s->difference);
}

/* The double result settles it: equal, or better than the worst by more than it can be wrong. */
static bool is_clearly_better(const struct job *job, size_t k, double got) {
  if (job->type == DOUBLE || job->function->quick == NULL) return false;
  double want = job->function->quick(number_value(job->type, job->samples[k].bits[0]));
  double error = number_error_quick(job->type, got, want);
  return error == 0.0 || error < job->worst.error - 1e-4;
}

static void *check(void *data) {
  struct job *job = data;
  struct scratch s;
  scratch_init(&s, job->type);
  for (size_t k = 0; k < job->n; k++) {
    double got = number_value(job->type, job->results[k]);
    if (is_clearly_better(job, k, got)) continue;
    double error = exact_error(job, &s, k, got);
    if (error > job->worst.error) job->worst = (struct worst){error, got, job->samples[k]};
  }
  mpfr_clears(s.a, s.b, s.c, s.want, s.difference, (mpfr_ptr)0);
  mpfr_free_cache();
  return NULL;
}

/* ---- one function ---- */

static int num_threads(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (int)n;
}

/* Shares the batch among threads. */
static bool check_batch(const struct job *whole, struct worst *worst) {
  struct job jobs[MAX_THREADS];
  pthread_t threads[MAX_THREADS];
  int n = num_threads();
  for (int t = 0; t < n; t++) {
    size_t from = whole->n * (size_t)t / (size_t)n, to = whole->n * (size_t)(t + 1) / (size_t)n;
    jobs[t] = *whole;
    jobs[t].samples += from;
    jobs[t].results += from;
    jobs[t].n = to - from;
    jobs[t].worst = *worst;
    if (pthread_create(&threads[t], NULL, check, &jobs[t]) != 0) return false;
  }
  for (int t = 0; t < n; t++) {
    pthread_join(threads[t], NULL);
    if (jobs[t].worst.error > worst->error) *worst = jobs[t].worst;
  }
  return true;
}

static bool measure(const struct settings *settings, const struct function *function, enum number_type type,
                    uint64_t *count_out, struct worst *worst) {
  static struct sample samples[DEVICE_BATCH];
  static uint64_t results[DEVICE_BATCH];
  bool sweep = function->arguments == ONE && (type == HALF || (settings->sweep && type == FLOAT));
  uint64_t total = sweep ? (uint64_t)1 << (8 * number_formats[type].size) : settings->samples;
  *worst = (struct worst){0};
  if (!device_build(function, type, settings->options)) return false;
  for (uint64_t done = 0; done < total;) {
    size_t n = total - done < DEVICE_BATCH ? (size_t)(total - done) : DEVICE_BATCH;
    sample_fill(samples, n, done, type, function->arguments, sweep);
    struct job job = {.function = function, .type = type, .samples = samples, .results = results, .n = n};
    if (!device_run(samples, n, results) || !check_batch(&job, worst)) return false;
    done += n;
  }
  *count_out = total;
  return true;
}

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
  char at[128], bound[32] = "-", all[32];
  print_arguments(at, sizeof at, f, type, &w->at);
  if (isfinite(f->bound[type])) snprintf(bound, sizeof bound, "%g", f->bound[type]);
  snprintf(all, sizeof all, "%" PRIu64, count);
  if (count == (uint64_t)1 << (8 * number_formats[type].size)) snprintf(all, sizeof all, "all");
  if (settings->table) {
    printf("| %s | %s | %.3f | %s | %s |\n", f->name, bound, w->error, at, all);
  } else {
    printf("%-7s %-16s %9.3f of %5s ulp at %s%s\n", number_formats[type].name, f->name, w->error, bound, at,
           good ? "" : "   <-- above the bound");
    if (!good) printf("        gives %a\n", w->got);
  }
  fflush(stdout);
}

static void print_title(const struct settings *settings) {
  if (!settings->table) {
    printf("%s\n", device_name());
    return;
  }
  printf("# Accuracy of the math functions\n\n"
         "Measured by `accuracy --table` (test/accuracy) against MPFR on %s%s%s, with the bounds of OpenCL "
         "C's full\n"
         "profile, in units of the last place of the exact result. Arguments tried: all of the type, or so "
         "many special\n"
         "and random ones. A function without a bound has `-`.\n",
         device_name(), settings->options[0] == '\0' ? "" : ", built with ", settings->options);
}

static void print_head(enum number_type type) {
  printf("\n## %s\n\n| function | bound | measured | at | arguments tried |\n|---|---|---|---|---|\n",
         number_formats[type].name);
}

static bool is_wanted(const struct settings *settings, const struct function *f, enum number_type type) {
  if (f->bound[type] < 0.0) return false;
  bool found = settings->num_names == 0;
  for (int i = 0; i < settings->num_names; i++) found |= strcmp(settings->names[i], f->name) == 0;
  return found;
}

/* Returns the number of functions above their bounds, -1 when something did not work. */
static int measure_type(const struct settings *settings, enum number_type type) {
  int bad = 0;
  if (settings->table) print_head(type);
  for (size_t i = 0; i < num_functions; i++) {
    const struct function *f = &functions[i];
    struct worst worst;
    uint64_t count;
    if (!is_wanted(settings, f, type)) continue;
    if (!measure(settings, f, type, &count, &worst)) return -1;
    bool good = worst.error <= f->bound[type] + 1e-6;
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
    {"sweep", 'x', NULL, 0, "every float for functions of one argument (halfs are always swept)", 0},
    {"build", 'b', "OPTIONS", 0, "build options", 0},
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

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct settings *s = state->input;
  switch (key) {
  case 't':
    return parse_type(s, arg, state);
  case 'n':
    s->samples = strtoull(arg, NULL, 0);
    return 0;
  case 'x':
    s->sweep = true;
    return 0;
  case 'b':
    s->options = arg;
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
  bool any = false;
  for (int t = 0; t < NUM_TYPES; t++) any |= s->types[t];
  for (int t = 0; t < NUM_TYPES && !any; t++) s->types[t] = device_has((enum number_type)t);
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
  struct settings settings = {.samples = 1000000, .options = ""};
  int bad = 0;
  if (argp_parse(&parser, argc, argv, 0, NULL, &settings) != 0 || !device_open()) return 2;
  choose_types(&settings);
  print_title(&settings);
  for (size_t i = 0; i < sizeof order / sizeof *order && bad >= 0; i++) {
    int more = settings.types[order[i]] ? measure_type(&settings, order[i]) : 0;
    bad = more < 0 ? -1 : bad + more;
  }
  device_close();
  if (bad > 0) fprintf(stderr, "%d functions are above their bounds\n", bad);
  return bad < 0 ? 2 : bad > 0;
}
