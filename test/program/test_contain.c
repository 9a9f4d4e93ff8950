/* A compiler that dies: every fault, at every kind of request, on the compile thread and in the helper, is a
 * failed build with a text and a saved reproducer; the process lives and builds again. One case per run of
 * this program, named on the command line: after a fault the compile thread is closed for good. */
#include "program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static const char *fault, *text; /* KILN_INJECT's word; what the log says */
static const char *way;          /* KILN_COMPILE_MODE */

static const struct {
  const char *fault, *thread_text, *helper_text;
} faults[] = {
    {"crash", "segmentation fault or stack overflow (signal 11)", "killed by signal 11"},
    {"abort", "abort (signal 6)", "killed by signal 6"},
    {"hang", "no end after ", "no end after 2 seconds"},
    {"overflow", "segmentation fault or stack overflow (signal 11)", "killed by signal 11"},
    {"fatal", "injected fatal error", "injected fatal error"},
    {"memory", "out of memory", "out of memory"},
};

/* With Kiln's signal handlers, which cmocka replaces around each test, in place. */
static void inject(const char *stage) {
  char value[64];
  snprintf(value, sizeof value, "%s:%s", fault, stage);
  setenv("KILN_INJECT", value, 1);
  support_faults();
}
static void inject_nothing(void) { unsetenv("KILN_INJECT"); }

/* The reproducer named in the log: its folder holds `file`. */
static void expect_reproducer(const char *log, const char *file) {
  static const char words[] = "A reproducer was saved in ";
  const char *at = strstr(log, words);
  assert_non_null(at);
  char path[512];
  at += strlen(words);
  snprintf(path, sizeof path, "%.*s/%s", (int)strcspn(at, "\n"), at, file);
  if (access(path, R_OK) != 0) print_error("no file %s\n", path);
  assert_int_equal(access(path, R_OK), 0);
  snprintf(path, sizeof path, "%.*s/request", (int)strcspn(at, "\n"), at);
  assert_int_equal(access(path, R_OK), 0);
}

static void expect_told(const struct fixture *f, cl_program program, const char *doing, const char *file) {
  char words[128];
  snprintf(words, sizeof words, "error: the compiler failed while %s: ", doing);
  program_expect_log(f, program, words);
  program_expect_log(f, program, text);
  expect_reproducer(program_log(f, program), file);
}

static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)] += 3; }";

static void a_build_fails(void **state) {
  struct fixture *f = *state;
  cl_program program = program_of(f, source);
  inject("frontend");
  expect_error(CL_BUILD_PROGRAM_FAILURE, text,
               kiln_clBuildProgram(program, 0, NULL, "-cl-mad-enable", NULL, NULL));
  expect_told(f, program, "compiling the program", "kernel.cl");
  cl_build_status status;
  expect_success(
      kiln_clGetProgramBuildInfo(program, f->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  assert_int_equal(status, CL_BUILD_ERROR);
  inject_nothing();
  program_expect_works(f, 5);
  expect_success(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL)); /* the same program, too */
  expect_success(kiln_clReleaseProgram(program));
}

static void a_compile_fails(void **state) {
  struct fixture *f = *state;
  cl_program program = program_of(f, "#include \"h.h\"\nkernel void k(global int *a) { a[0] = N; }");
  cl_program header = program_of(f, "#define N 7\n");
  const char *name = "h.h";
  inject("store");
  expect_error(CL_COMPILE_PROGRAM_FAILURE, text,
               kiln_clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
  expect_told(f, program, "compiling the program", "header-0.h");
  inject_nothing();
  expect_success(kiln_clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
  expect_success(kiln_clReleaseProgram(header));
  expect_success(kiln_clReleaseProgram(program));
  program_expect_works(f, 6);
}

static void a_link_fails(void **state) {
  struct fixture *f = *state;
  cl_int err;
  cl_program object = program_of(f, source);
  expect_success(kiln_clCompileProgram(object, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  inject("merge");
  cl_program linked = kiln_clLinkProgram(f->context, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
  assert_int_equal(err, CL_LINK_PROGRAM_FAILURE);
  if (linked != NULL) {
    expect_told(f, linked, "linking the program", "input-0.bc");
    expect_success(kiln_clReleaseProgram(linked));
  } else {
    assert_non_null(strstr(kiln_last_error(), text));
  }
  inject_nothing();
  linked = kiln_clLinkProgram(f->context, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
  expect_success(err);
  cl_int data[8] = {0};
  assert_int_equal(program_run(f, linked, data, 8, 0), CL_SUCCESS);
  assert_int_equal(data[7], 3);
  expect_success(kiln_clReleaseProgram(linked));
  expect_success(kiln_clReleaseProgram(object));
}

/* Plain code serves when the optimiser dies. */
static void an_optimiser_that_dies_is_done_without(void **state) {
  struct fixture *f = *state;
  cl_program program = program_build(f, source, "");
  cl_int data[8] = {0};
  inject("optimise");
  assert_int_equal(program_run(f, program, data, 8, 4), CL_SUCCESS);
  for (int i = 0; i < 8; i++) assert_int_equal(data[i], 3);
  inject_nothing();
  expect_success(kiln_clReleaseProgram(program));
  program_expect_works(f, 7);
}

/* No code at all: the command fails, the queue goes on. */
static void a_launch_fails(void **state) {
  struct fixture *f = *state;
  cl_program program = program_build(f, source, "");
  cl_int data[8] = {0};
  inject("emit");
  assert_int_equal(program_run(f, program, data, 8, 4), CL_OUT_OF_RESOURCES);
  inject_nothing();
  expect_success(kiln_clReleaseProgram(program));
  program_expect_works(f, 8);
}

struct dying {
  const struct fixture *f;
  cl_int err;
  atomic_bool dead;
};

static void *die(void *data) {
  struct dying *d = data;
  cl_program program =
      kiln_clCreateProgramWithSource(d->f->context, 1, (const char *[]){source}, NULL, &d->err);
  d->err = kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
  atomic_store(&d->dead, true);
  kiln_clReleaseProgram(program);
  return NULL;
}

/* Builds that wait behind one that dies go through. */
static void others_in_line_are_served(void **state) {
  struct fixture *f = *state;
  struct dying dying = {.f = f};
  pthread_t thread;
  program_expect_works(f, 2);
  inject("frontend");
  assert_int_equal(pthread_create(&thread, NULL, die, &dying), 0);
  bool hangs = strcmp(fault, "hang") == 0;
  if (hangs) usleep(500000);
  else pthread_join(thread, NULL);
  inject_nothing();
  for (int i = 0; i < 6; i++) {
    program_expect_works(f, 10 + i);
    if (i == 0 && strcmp(way, "both") == 0) assert_false(atomic_load(&dying.dead)); /* it did not wait */
  }
  if (hangs) pthread_join(thread, NULL);
  assert_int_equal(dying.err, CL_BUILD_PROGRAM_FAILURE);
}

/* The host's heap and fork still work after the fault: no lock of libc's was left taken. */
static void the_host_is_unharmed(void **state) {
  struct fixture *f = *state;
  cl_program program = program_of(f, source);
  inject("frontend");
  assert_int_equal(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  inject_nothing();
  expect_success(kiln_clReleaseProgram(program));
  for (size_t size = 1; size < 1 << 22; size = size * 3 + 1) {
    void *volatile block = malloc(size);
    assert_non_null(block);
    free(block);
  }
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    void *volatile block = malloc(1000);
    free(block);
    _exit(system("exit 7") >> 8 == 7 ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static volatile sig_atomic_t children_ended;
static void note_child(int number) {
  (void)number;
  children_ended++;
}

/* It is told of no process that is not its own, and can wait for none. */
static void the_host_sees_no_child(void **state) {
  struct fixture *f = *state;
  struct sigaction noting = {.sa_handler = note_child}, before;
  sigaction(SIGCHLD, &noting, &before);
  cl_program program = program_of(f, source);
  inject("frontend");
  assert_int_equal(kiln_clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  inject_nothing();
  expect_success(kiln_clReleaseProgram(program));
  program_expect_works(f, 9);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
  assert_int_equal(children_ended, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* it gets what has no parent: nothing of it is left */
  program_expect_works(f, 19);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  sigaction(SIGCHLD, &before, NULL);
}

static int open_case(void **state) {
  setenv("KILN_COMPILE_MODE", way, 1);
  setenv("KILN_COMPILE_MEMORY", "400000000", 1);
  setenv("KILN_CACHE_DIR", program_folder(), 1);
  unsetenv("KILN_INJECT");
  int err = fixture_open(state);
  if (strcmp(fault, "hang") == 0) setenv("KILN_COMPILE_TIMEOUT", strcmp(way, "both") == 0 ? "10" : "2", 1);
  return err;
}

static int close_case(void **state) {
  int err = fixture_close(state);
  program_remove(program_folder());
  return err;
}

/* Every test in a process of its own, since the compile thread does not come back. */
static int run_apart(const struct CMUnitTest *test) {
  pid_t child = fork();
  if (child == 0) {
    alarm(240);
    support_faults();
    _exit(_cmocka_run_group_tests(test->name, test, 1, NULL, NULL) == 0 ? 0 : 1);
  }
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_case, close_case)

/* FAULT thread|helper|both */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(a_build_fails),        TEST(a_compile_fails),
      TEST(a_link_fails),         TEST(an_optimiser_that_dies_is_done_without),
      TEST(a_launch_fails),       TEST(others_in_line_are_served),
      TEST(the_host_is_unharmed), TEST(the_host_sees_no_child),
  };
  if (argc != 3) return 2;
  way = argv[2];
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    if (strcmp(faults[i].fault, argv[1]) != 0) continue;
    fault = faults[i].fault;
    text = strcmp(way, "helper") == 0 ? faults[i].helper_text : faults[i].thread_text;
  }
  if (fault == NULL) return 2;
  int failed = 0;
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    if (strcmp(way, "both") != 0 || tests[i].test_func == others_in_line_are_served)
      failed += run_apart(&tests[i]);
  return failed != 0;
}
