/* `kiln compile`: build a kernel file, show its log, write its binary. */
#include "compiler/compiler.h"
#include "tool/tool.h"
#include "tool/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  char *file, *output, *build, *platform, *dump;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "write the program binary (CL_PROGRAM_BINARIES)", 0},
    {"build", 'b', "OPTIONS", 0, "build options", 0},
    {"platform", 'p', "NAME", 0, "platform whose name contains NAME; default Kiln", 0},
    {"dump", 'd', "STAGE", 0, "print what a compiler stage up to `store` has made (`kiln run --dump list`)",
     0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *o = state->input;
  switch (key) {
  case 'o':
    o->output = arg;
    return 0;
  case 'b':
    o->build = arg;
    return 0;
  case 'p':
    o->platform = arg;
    return 0;
  case 'd':
    o->dump = arg;
    return 0;
  case ARGP_KEY_ARG:
    return o->file == NULL ? (o->file = arg, 0) : ARGP_ERR_UNKNOWN;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void print_log(cl_program program, cl_device_id device) {
  size_t size = 0;
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS || size < 2)
    return;
  char *log = tool_alloc(size + 1);
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  fputs(log, stderr);
  free(log);
}

static bool write_binary(cl_program program, const char *path) {
  size_t size = 0;
  clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  unsigned char *binary = tool_alloc(size);
  cl_int err = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
  bool ok = err == CL_SUCCESS ? tool_write_file(path, binary, size)
                              : tool_error("the binary cannot be had: %s", tool_cl_error(err));
  free(binary);
  return ok;
}

static bool compile(const struct options *o, cl_context context, cl_device_id device) {
  size_t size;
  cl_int err;
  char *source = tool_read_file(o->file, &size);
  if (source == NULL) return false;
  cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, &size, &err);
  free(source);
  if (err != CL_SUCCESS) return tool_error("clCreateProgramWithSource failed: %s", tool_cl_error(err));
  err = clBuildProgram(program, 1, &device, o->build, NULL, NULL);
  print_log(program, device);
  bool ok = err == CL_SUCCESS || tool_error("%s does not build: %s", o->file, tool_cl_error(err));
  char names[4096] = "";
  if (ok) clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
  if (ok) printf("%s: kernels %s\n", o->file, names);
  ok = ok && (o->output == NULL || write_binary(program, o->output));
  clReleaseProgram(program);
  return ok;
}

int tool_compile(int argc, char **argv) {
  struct options o = {.build = "", .platform = "kiln"};
  const struct argp parser = {.options = option_table,
                              .parser = parse_option,
                              .args_doc = "FILE.cl",
                              .doc =
                                  "Compile a kernel file; show its build log and the names of its kernels."};
  if (!words_parse(&parser, "kiln compile", argc, argv, &o, NULL)) return 2;
  if (o.dump != NULL) {
    setenv("KILN_DUMP", o.dump, 1);
    setenv("KILN_CACHE_DIR", "", 1); /* what comes from the cache passes no stage */
  }
  if (o.file == NULL) return tool_error("no kernel file given; `kiln compile --help` says more"), 2;
  cl_platform_id platform;
  cl_device_id device;
  if (!tool_find_device(o.platform, &platform, &device)) return 1;
  cl_int err;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  if (err != CL_SUCCESS) return tool_error("clCreateContext failed: %s", tool_cl_error(err)), 1;
  bool ok = compile(&o, context, device);
  clReleaseContext(context);
  return ok ? 0 : 1;
}
