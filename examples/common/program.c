/* Reading, building and the build log. EXAMPLES_DIR comes from CMakeLists.txt. */
#include "program.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static char *read_all(FILE *file, const char *path) {
  if (fseek(file, 0, SEEK_END) != 0) ex_die("%s: cannot seek", path);
  long bytes = ftell(file);
  if (bytes < 0) ex_die("%s: cannot tell its size", path);
  rewind(file);
  char *text = ex_alloc((size_t)bytes + 1, 1);
  if (fread(text, 1, (size_t)bytes, file) != (size_t)bytes) ex_die("%s: cannot read", path);
  return text;
}

char *ex_program_source(const char *path) {
  char full[4096];
  int length = snprintf(full, sizeof full, "%s/%s", EXAMPLES_DIR, path);
  if (length < 0 || (size_t)length >= sizeof full) ex_die("%s: path too long", path);
  FILE *file = fopen(full, "rb");
  if (file == NULL) ex_die("%s: cannot open", full);
  char *text = read_all(file, full);
  fclose(file);
  return text;
}

char *ex_program_log(cl_program program, cl_device_id device) {
  size_t bytes = 0;
  EX_CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
  char *log = ex_alloc(bytes + 1, 1);
  EX_CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL));
  return log;
}

cl_program ex_program_build(const struct ex_device *device, const char *path, const char *options) {
  char *source = ex_program_source(path);
  const char *text = source;
  cl_int code;
  cl_program program = clCreateProgramWithSource(device->context, 1, &text, NULL, &code);
  EX_CHECK_CODE(code, "clCreateProgramWithSource");
  free(source);

  code = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
  if (code != CL_SUCCESS)
    ex_die("%s does not build: %s\n%s", path, ex_error_name(code), ex_program_log(program, device->id));
  return program;
}

cl_kernel ex_program_kernel(cl_program program, const char *name) {
  cl_int code;
  cl_kernel kernel = clCreateKernel(program, name, &code);
  EX_CHECK_CODE(code, name);
  return kernel;
}
