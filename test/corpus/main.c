/* Builds the kernels of any file at several widths, runs them on invented arguments and compares what they
 * leave in memory with what one work-item at a time leaves. Usage:
 *   corpus [-w WIDTHS] [-t SECONDS] [-k KERNEL] [-o TRACE] [-s] FILE.cl [BUILD OPTIONS...]
 *   corpus [-w WIDTHS] [-t SECONDS] [-s] -l LIST     (lines: name, tab, file, tab, build options)
 * WIDTHS: comma-separated, default "0,16,8,4"; 0 is what the compiler chooses. One line of tabbed fields for
 * each kernel and width: file, kernel, width, outcome, ms of code generation, instructions before and after,
 * ms of the first half, mapping, note. Status 1 if a compile failed, results differ or none could be
 * compared; -s counts these alone, and is silent about the rest. A kernel runs in a process of its own, which
 * has compiled another one before, and at most SECONDS (default 5) once its code is made. */
#include "corpus.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_WIDTHS = 8, COMPILE_SECONDS = 120, DIED = 1, ENDLESS = 2 };

static struct {
  int widths[MAX_WIDTHS + 1]; /* the first is 1 */
  int num_widths;
  double seconds;
  const char *kernel, *list, *trace;
  bool silent;
} options = {.widths = {1, 0, 16, 8, 4}, .num_widths = 5, .seconds = 5};

/* What a child tells its parent, and is told when it takes up where another died. */
static struct shared {
  unsigned kernel, num_kernels; /* the kernel at hand, counted in the file */
  int width;                    /* the width at hand: index in options.widths */
  enum effort effort;
  bool bad;          /* something failed or differs */
  unsigned compared; /* results that are the same */
  char name[256];
} * shared;

struct job {
  const char *name, *file, *options;
  char *source;
  size_t size;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report(const struct job *job, const char *outcome, bool bad, const struct trace *t,
                   const char *note) {
  shared->bad |= bad;
  if (options.silent && !bad) return;
  printf("%s\t%s\t%d\t%s\t%.2f\t%u\t%u\t%.2f\t%s\t%s\n", job->name, shared->name,
         options.widths[shared->width], outcome, t->code_ms, t->before, t->after, t->front_ms, t->lanes,
         note);
  fflush(stdout);
}

/* ---- the child ---- */

static cl_program build(const struct job *job, const struct device *on, int width) {
  char text[16];
  cl_int err;
  snprintf(text, sizeof text, "%d", width);
  if (width == 0) unsetenv("KILN_WIDTH");
  else setenv("KILN_WIDTH", text, 1); /* not an option: the first half is the same for all, and cached */
  cl_program program =
      clCreateProgramWithSource(on->context, 1, (const char **)&job->source, &job->size, &err);
  if (err == CL_SUCCESS) err = clBuildProgram(program, 1, &on->id, job->options, NULL, NULL);
  if (err == CL_SUCCESS) return program;
  char log[4096] = "";
  clGetProgramBuildInfo(program, on->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  const char *error = strstr(log, "error:");
  char line[256];
  snprintf(line, sizeof line, "%d: %.*s", err, (int)strcspn(error == NULL ? log : error, "\n"),
           error == NULL ? log : error);
  struct trace t;
  trace_take(&t, shared->name);
  report(job, "does not build", true, &t, line);
  return NULL;
}

static bool mentions(const char *source, const char *function, char dimension) {
  for (const char *at = source; (at = strstr(at, function)) != NULL;) {
    at += strlen(function);
    at += strspn(at, " (");
    if (*at == dimension) return true;
  }
  return false;
}

static cl_uint dimensions(const char *source) {
  if (mentions(source, "_id", '2')) return 3;
  return mentions(source, "_id", '1') ? 2 : 1;
}

struct range {
  cl_uint dims;
  size_t global[3], local[3];
};

static struct range choose_range(const struct job *job, const struct device *on, cl_kernel kernel) {
  static const size_t usual[4][3] = {{0}, {64, 1, 1}, {16, 4, 1}, {16, 2, 2}};
  struct range r = {.dims = dimensions(job->source)};
  size_t most = 1, asked[3] = {0};
  memcpy(r.local, usual[r.dims], sizeof r.local);
  clGetKernelWorkGroupInfo(kernel, on->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof asked, asked, NULL);
  if (asked[0] != 0) memcpy(r.local, asked, sizeof r.local);
  clGetKernelWorkGroupInfo(kernel, on->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
  if (r.local[0] * r.local[1] * r.local[2] > most) r.local[0] = most, r.local[1] = r.local[2] = 1;
  for (cl_uint d = 0; d < 3; d++) {
    r.global[d] = d < r.dims && shared->effort == USUAL ? 2 * r.local[d] : r.local[d];
    if (r.local[d] > 1 && r.dims <= d) r.dims = d + 1;
  }
  return r;
}

/* Waits for the event; a kernel that does not end ends the process. */
static cl_int await(cl_event event) {
  double start = now(), has_code = 0;
  cl_int status = CL_QUEUED;
  while (status > CL_COMPLETE) {
    usleep(200);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (has_code == 0 && status <= CL_RUNNING) has_code = now();
    if (has_code == 0 ? now() - start > COMPILE_SECONDS : now() - has_code > options.seconds) _exit(ENDLESS);
  }
  return status;
}

static cl_int launch(const struct device *on, cl_kernel kernel, const struct range *r) {
  cl_event event;
  cl_int err = clEnqueueNDRangeKernel(on->queue, kernel, r->dims, NULL, r->global, r->local, 0, NULL, &event);
  if (err != CL_SUCCESS) return err;
  clFlush(on->queue);
  err = await(event);
  clReleaseEvent(event);
  return err;
}

/* ---- does the order of work-items matter? ---- */

/* Work-items and work-groups count themselves from the other end, so that they run in reverse. */
static const char reversal[] =
    "static size_t corpus_local(uint d) { return get_local_size(d) - 1 - get_local_id(d); }\n"
    "static size_t corpus_group(uint d) { return get_num_groups(d) - 1 - get_group_id(d); }\n"
    "static size_t corpus_global(uint d) {\n"
    "  return get_global_offset(d) + corpus_group(d) * get_local_size(d) + corpus_local(d);\n"
    "}\n"
    "static size_t corpus_local_linear(void) {\n"
    "  return (corpus_local(2) * get_local_size(1) + corpus_local(1)) * get_local_size(0) + "
    "corpus_local(0);\n"
    "}\n"
    "#define get_local_id corpus_local\n"
    "#define get_group_id corpus_group\n"
    "#define get_global_id corpus_global\n"
    "#define get_local_linear_id corpus_local_linear\n"
    "#line 1\n";

/* What these find depends on the order itself, races or not. */
static bool sees_order(const char *source) {
  return strstr(source, "group_scan_") != NULL || strstr(source, "sub_group") != NULL ||
         strstr(source, "get_global_linear_id") != NULL;
}

static cl_program build_reversed(const struct job *job, const struct device *on) {
  const char *texts[] = {reversal, job->source};
  const size_t sizes[] = {sizeof reversal - 1, job->size};
  cl_int err;
  setenv("KILN_WIDTH", "1", 1);
  cl_program program = clCreateProgramWithSource(on->context, 2, texts, sizes, &err);
  if (err == CL_SUCCESS) err = clBuildProgram(program, 1, &on->id, job->options, NULL, NULL);
  return err == CL_SUCCESS ? program : NULL;
}

/* True if work-items, one after the other, leave something else when they run from the last to the first: on
 * these arguments they race. */
static bool order_matters(const struct job *job, const struct device *on, const struct arguments *reference) {
  static struct arguments args;
  const char *why;
  char note[256];
  cl_int err;
  cl_program program = sees_order(job->source) ? NULL : build_reversed(job, on);
  cl_kernel kernel = program == NULL ? NULL : clCreateKernel(program, shared->name, &err);
  if (kernel == NULL || !arguments_make(&args, on, kernel, job->source, shared->effort, &why)) return false;
  struct range r = choose_range(job, on, kernel);
  bool ran = launch(on, kernel, &r) == CL_SUCCESS;
  bool matters = arguments_fetch(&args, on) && ran && !arguments_compare(reference, &args, note, sizeof note);
  arguments_finish(&args);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return matters;
}

/* ---- one width of a kernel ---- */

/* What W = 1 left, and its kernel. */
struct reference {
  cl_program program;
  cl_kernel kernel;
  struct arguments args;
  bool ran;
};

/* The kernel ran and left `args`. */
static void judge(const struct job *job, const struct device *on, const struct trace *t,
                  const struct arguments *args, const struct reference *reference) {
  char note[256] = "";
  struct trace more;
  if (arguments_compare(&reference->args, args, note, sizeof note)) {
    shared->compared++;
    report(job, "same", false, t, "");
  } else if (order_matters(job, on, &reference->args)) {
    report(job, "order matters", false, t, note);
  } else {
    report(job, "differs", true, t, note);
  }
  trace_take(&more, shared->name);
}

/* reference: NULL if this is it. True if the kernel ran and `args` holds what it left. */
static bool measure(const struct job *job, const struct device *on, cl_kernel kernel, struct arguments *args,
                    const struct reference *reference) {
  const char *why = "";
  char note[32];
  struct trace t;
  if (!arguments_make(args, on, kernel, job->source, shared->effort, &why)) {
    trace_take(&t, shared->name);
    report(job, "no arguments", false, &t, why);
    return false;
  }
  struct range r = choose_range(job, on, kernel);
  cl_int err = launch(on, kernel, &r);
  bool ran = arguments_fetch(args, on) && err == CL_SUCCESS;
  trace_take(&t, shared->name);
  snprintf(note, sizeof note, "%d", err);
  if (t.failed) report(job, "compile failed", true, &t, note);
  else if (reference != NULL && !reference->ran) report(job, "built", false, &t, note);
  else if (!ran)
    report(job, reference == NULL ? "fault" : "fault, not at W = 1", reference != NULL, &t, note);
  else if (reference == NULL) report(job, "ran", false, &t, "");
  else judge(job, on, &t, args, reference);
  return ran;
}

/* What faults may not with smaller numbers. */
static void retry_gently(const struct job *job, const struct device *on, struct reference *reference) {
  arguments_finish(&reference->args);
  shared->effort = GENTLE;
  reference->ran = measure(job, on, reference->kernel, &reference->args, NULL);
}

static void measure_widths(const struct job *job, const struct device *on) {
  static struct reference reference;
  static struct arguments other;
  for (; shared->width < options.num_widths; shared->width++) {
    cl_int err;
    cl_program program = build(job, on, options.widths[shared->width]);
    cl_kernel kernel = program == NULL ? NULL : clCreateKernel(program, shared->name, &err);
    if (kernel == NULL) return;
    if (shared->width == 0) {
      reference.program = program;
      reference.kernel = kernel;
      reference.ran = measure(job, on, kernel, &reference.args, NULL);
      if (!reference.ran && shared->effort == USUAL) retry_gently(job, on, &reference);
      continue;
    }
    measure(job, on, kernel, &other, &reference);
    arguments_finish(&other);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
  }
}

/* Names of the kernels, separated by semicolons; to be freed. */
static char *kernel_names(cl_program program) {
  size_t size = 0;
  clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size);
  char *names = calloc(1, size + 1);
  if (names != NULL) clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, names, NULL);
  return names;
}

/* Names the kernel at hand; false if there is none, or the file does not build. */
static bool name_kernel(const struct job *job, const struct device *on) {
  cl_program program = build(job, on, 1);
  char *names = program == NULL ? NULL : kernel_names(program), *rest = NULL;
  shared->num_kernels = 0;
  if (names == NULL) return false;
  for (char *name = strtok_r(names, ";", &rest); name != NULL; name = strtok_r(NULL, ";", &rest))
    if (shared->num_kernels++ == shared->kernel) snprintf(shared->name, sizeof shared->name, "%s", name);
  free(names);
  clReleaseProgram(program);
  return shared->kernel < shared->num_kernels;
}

static void child(const struct job *job) {
  struct device on;
  struct trace first;
  if (!trace_start(options.trace) || !device_open(&on) || !device_warm_up(&on)) _exit(DIED);
  trace_take(&first, "warm");
  if (!name_kernel(job, &on)) _exit(0);
  if (options.kernel == NULL || strcmp(options.kernel, shared->name) == 0) measure_widths(job, &on);
  fflush(stdout);
  _exit(0);
}

/* ---- the parent ---- */

static int run_child(const struct job *job) {
  int status = 0;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) child(job);
  if (pid < 0 || waitpid(pid, &status, 0) < 0) return DIED;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A kernel at all widths, in as many processes as it takes. */
static void run_kernel(const struct job *job) {
  shared->width = 0;
  shared->effort = USUAL;
  bool wild = false;
  snprintf(shared->name, sizeof shared->name, "?");
  for (;;) {
    int end = run_child(job);
    struct trace none = {0};
    char note[64];
    if (end == 0) return;
    snprintf(note, sizeof note, "status %d", end);
    if (shared->width == 0 && shared->effort == USUAL) {
      shared->effort = GENTLE;
      continue;
    }
    bool bad = end != ENDLESS && shared->width != 0 && !wild; /* arguments made W = 1 overwrite anything */
    wild |= end != ENDLESS && shared->width == 0;
    report(job, bad ? "died" : end == ENDLESS ? "endless" : "wild", bad, &none, note);
    if (++shared->width >= options.num_widths) return;
  }
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
  return remove(path);
}

/* A cache for one file: its first half is made once, all machine code anew. */
static bool cache_create(char *folder) {
  return mkdtemp(folder) != NULL && setenv("KILN_CACHE_DIR", folder, 1) == 0;
}

static void run_kernels(const struct job *job) {
  char folder[] = "/tmp/kiln-corpus-XXXXXX";
  if (!cache_create(folder)) exit(2);
  shared->num_kernels = 1;
  for (shared->kernel = 0; shared->kernel < shared->num_kernels; shared->kernel++) run_kernel(job);
  nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static bool run_file(struct job *job) {
  FILE *f = fopen(job->file, "rb");
  if (f == NULL) return fprintf(stderr, "corpus: %s cannot be read\n", job->file), false;
  fseek(f, 0, SEEK_END);
  job->size = (size_t)ftell(f);
  rewind(f);
  job->source = calloc(1, job->size + 1);
  if (job->source == NULL || fread(job->source, 1, job->size, f) != job->size) exit(2);
  fclose(f);
  run_kernels(job);
  free(job->source);
  return !shared->bad;
}

static bool run_list(const char *path) {
  FILE *f = fopen(path, "r");
  char *line = NULL;
  size_t cap = 0;
  bool ok = f != NULL;
  if (f == NULL) fprintf(stderr, "corpus: %s cannot be read\n", path);
  while (f != NULL && getline(&line, &cap, f) > 0) {
    char *rest = NULL;
    line[strcspn(line, "\n")] = '\0';
    struct job job = {
        .name = strtok_r(line, "\t", &rest), .file = strtok_r(NULL, "\t", &rest), .options = rest};
    if (job.file != NULL) ok &= run_file(&job);
  }
  free(line);
  if (f != NULL) fclose(f);
  return ok;
}

static void parse_widths(char *text) {
  char *rest = NULL;
  options.num_widths = 1;
  for (char *word = strtok_r(text, ",", &rest); word != NULL && options.num_widths <= MAX_WIDTHS;
       word = strtok_r(NULL, ",", &rest))
    options.widths[options.num_widths++] = atoi(word);
}

static int finish(bool ok) {
  if (shared->compared == 0) fprintf(stderr, "corpus: no kernel left results that could be compared\n");
  return ok && shared->compared != 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  for (int c; (c = getopt(argc, argv, "+w:t:k:l:o:s")) != -1;) {
    if (c == 'w') parse_widths(optarg);
    else if (c == 't') options.seconds = atof(optarg);
    else if (c == 'k') options.kernel = optarg;
    else if (c == 'l') options.list = optarg;
    else if (c == 'o') options.trace = optarg;
    else if (c == 's') options.silent = true;
    else return 2;
  }
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  setenv("KILN_LOG", "compile:debug", 1);
  setenv("KILN_MAX_THREADS", "1", 1); /* work-groups in order: races of invented arguments end alike */
  if (options.list != NULL) return finish(run_list(options.list));
  if (optind >= argc) return fprintf(stderr, "corpus: no kernel file given\n"), 2;
  char build_options[8192] = "";
  for (int i = optind + 1; i < argc; i++) {
    strncat(build_options, argv[i], sizeof build_options - strlen(build_options) - 2);
    strncat(build_options, " ", 2);
  }
  struct job job = {.name = argv[optind], .file = argv[optind], .options = build_options};
  return finish(run_file(&job));
}
