/* What to do when a program does not build: ask for the log, by the two-call idiom. */
#include "check.h"
#include "device.h"
#include "options.h"
#include "program.h"
#include "report.h"
#include "timing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char bad_name[] = "undeclared_factor"; /* in build_error.cl */

/* The number of the line of `text` that uses the bad name, counted from 1. */
static int line_of_mistake(const char *text) {
  const char *mistake = strstr(text, bad_name);
  if (mistake == NULL) ex_die("build_error.cl has been corrected");
  int line = 1;
  for (const char *p = text; p < mistake; p++) line += *p == '\n';
  return line;
}

/* True if `number` stands in `text` as a number of its own: 17, but not 170 and not 2.17. */
static bool names_number(const char *text, int number) {
  for (const char *p = text; *p != '\0';) {
    char *end;
    if (!isdigit((unsigned char)*p)) {
      p++;
      continue;
    }
    if (strtol(p, &end, 10) == number && (p == text || p[-1] != '.')) return true;
    p = end;
  }
  return false;
}

static bool expect(bool condition, const char *what) {
  printf("  %s: %s\n", what, condition ? "yes" : "NO");
  return condition;
}

static bool failure_is_explained(cl_int code, cl_program program, cl_device_id device, int line) {
  cl_build_status status = CL_BUILD_NONE;
  EX_CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  char *log = ex_program_log(program, device);
  printf("build log:\n%s\n", log);
  bool ok = expect(code == CL_BUILD_PROGRAM_FAILURE, "clBuildProgram gave the right code");
  ok &= expect(status == CL_BUILD_ERROR, "the build status is CL_BUILD_ERROR");
  ok &= expect(log[0] != '\0', "the log says something");
  ok &= expect(names_number(log, line), "the log names the line");
  ok &= expect(strstr(log, bad_name) != NULL, "the log names the identifier");
  free(log);
  return ok;
}

/* --damage for this example: put the mistake right, after which nothing fails. */
static void correct(char *text) {
  char *mistake = strstr(text, bad_name);
  memset(mistake, ' ', sizeof bad_name - 1);
  mistake[0] = '2';
}

int main(int argc, char **argv) {
  struct ex_options options = ex_options_parse(argc, argv);
  struct ex_device device = ex_device_open();
  char *text = ex_program_source("build_error/build_error.cl");
  const int line = line_of_mistake(text);
  if (options.damage) correct(text);

  const char *source = text;
  cl_int code;
  cl_program program = clCreateProgramWithSource(device.context, 1, &source, NULL, &code);
  EX_CHECK_CODE(code, "clCreateProgramWithSource");
  const double start = ex_timing_now_ms();
  code = clBuildProgram(program, 1, &device.id, "", NULL, NULL);
  printf("the build failed in %.1f ms\n", ex_timing_now_ms() - start);

  struct ex_report report = {.example = "build_error", .size = "1 mistake"};
  report.ok = failure_is_explained(code, program, device.id, line);
  EX_CHECK(clReleaseProgram(program));
  ex_device_close(&device);
  free(text);
  return ex_report_finish(&options, &report);
}
