/* `kiln doctor`: which loader, which .icd files, what each library says when it is opened, and whether Kiln
 * can compile and cache. */
#include "tool/library.h"
#include "tool/tool.h"
#include "tool/words.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int problems;
static bool deadly; /* a driver ends the process that opens it */

static void good(const char *text) { printf("  ok       %s\n", text); }

static void bad(const char *what, const char *why) {
  printf("  PROBLEM  %s: %s\n", what, why);
  problems++;
}

static void print_loader(void) {
  static const char *const variables[] = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"};
  Dl_info info;
  printf("loader\n");
  if (dladdr((void *)(uintptr_t)clGetPlatformIDs, &info) != 0 && info.dli_fname != NULL) good(info.dli_fname);
  for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
    if (getenv(variables[k]) != NULL) printf("  %s is %s\n", variables[k], getenv(variables[k]));
}

/* ---- drivers ---- */

static void check_driver(const char *path) {
  char why[1024];
  enum library_verdict verdict = library_is_driver(path, why, sizeof why);
  if (verdict == LIBRARY_GOOD) printf("  ok       %s: %s\n", path, why);
  else bad(path, why);
  deadly = deadly || verdict == LIBRARY_DEADLY;
}

static void check_icd_file(const char *path) {
  printf("%s\n", path);
  FILE *f = fopen(path, "r");
  char line[4096] = "";
  if (f == NULL) {
    bad(path, strerror(errno));
    return;
  }
  bool read = fgets(line, sizeof line, f) != NULL;
  bool folder = !read && ferror(f);
  fclose(f);
  line[strcspn(line, "\r\n")] = '\0';
  if (folder) bad(path, "is a folder, not a file");
  else if (line[0] == '\0') bad(path, "names no library in its first line");
  else if (line[strspn(line, " \t")] == '\0' || line[0] == ' ' || line[strlen(line) - 1] == ' ')
    bad(path, "has blanks around the library's name, which are taken for a part of it");
  else check_driver(line);
}

static void check_folder(const char *folder) {
  DIR *dir = opendir(folder);
  if (dir == NULL) {
    bad(folder, errno == ENOENT ? "no such folder: the loader finds no driver there" : strerror(errno));
    return;
  }
  int count = 0;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    if (!tool_is_icd_name(entry->d_name)) {
      printf("  ignored  %s/%s: its name does not end in .icd\n", folder, entry->d_name);
      continue;
    }
    char *path = tool_format("%s/%s", folder, entry->d_name);
    check_icd_file(path);
    free(path);
    count++;
  }
  closedir(dir);
  if (count == 0) bad(folder, "holds no .icd file");
}

/* A folder, or what loaders take in its place: an .icd file or a library. */
static void check_vendors(const char *path) {
  struct stat st;
  if (stat(path, &st) != 0 || S_ISDIR(st.st_mode)) check_folder(path);
  else if (tool_is_icd_name(path)) check_icd_file(path);
  else check_driver(path);
}

/* ---- platforms ---- */

static void say_how_to_register(void) {
  char *own = tool_format("%s/vendors", tool_folder());
  char *why =
      access(own, R_OK) == 0
          ? tool_format("not among them: set OCL_ICD_VENDORS to %s for the Kiln of this build", own)
          : tool_format(
                "not among them: register kiln.icd, or set OCL_ICD_VENDORS to the folder that holds it");
  bad("Kiln", why);
  free(why);
  free(own);
}

/* Kiln's platform, NULL if it is not listed. */
static cl_platform_id check_platforms(void) {
  printf("platforms the loader lists\n");
  cl_platform_id platforms[32], kiln = NULL;
  cl_uint count = 0;
  cl_int err = clGetPlatformIDs(32, platforms, &count);
  if (err != CL_SUCCESS || count == 0) bad("clGetPlatformIDs", "no platform");
  for (cl_uint k = 0; k < count && k < 32; k++) {
    char name[256] = "";
    clGetPlatformInfo(platforms[k], CL_PLATFORM_NAME, sizeof name, name, NULL);
    cl_uint devices = 0;
    clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
    printf("  %-8s %s, %u device%s\n", devices > 0 ? "ok" : "empty", name, devices, devices == 1 ? "" : "s");
    if (strcmp(name, "Kiln") == 0) kiln = platforms[k];
  }
  if (kiln == NULL) say_how_to_register();
  return kiln;
}

/* ---- Kiln ---- */

static const char program_text[] = "kernel void probe(global int *out) { out[get_global_id(0)] = 42; }";

struct probe {
  cl_context context;
  cl_command_queue queue;
  cl_mem mem;
  cl_program program;
  cl_kernel kernel;
};

/* All that a launch needs; NULL, or the call that failed. */
static const char *open_probe(cl_device_id device, struct probe *p, cl_int *err) {
  const char *text = program_text;
  p->context = clCreateContext(NULL, 1, &device, NULL, NULL, err);
  if (*err != CL_SUCCESS) return "clCreateContext";
  p->queue = clCreateCommandQueue(p->context, device, 0, err);
  if (*err != CL_SUCCESS) return "clCreateCommandQueue";
  p->mem = clCreateBuffer(p->context, CL_MEM_READ_WRITE, 4 * sizeof(cl_int), NULL, err);
  if (*err != CL_SUCCESS) return "clCreateBuffer";
  p->program = clCreateProgramWithSource(p->context, 1, &text, NULL, err);
  if (*err != CL_SUCCESS) return "clCreateProgramWithSource";
  *err = clBuildProgram(p->program, 1, &device, "", NULL, NULL);
  if (*err != CL_SUCCESS) return "clBuildProgram";
  p->kernel = clCreateKernel(p->program, "probe", err);
  return *err == CL_SUCCESS ? NULL : "clCreateKernel";
}

/* NULL, or the call that failed. */
static const char *run_probe(const struct probe *p, cl_int *err) {
  cl_int out[4] = {0};
  size_t four = 4;
  if ((*err = clSetKernelArg(p->kernel, 0, sizeof p->mem, &p->mem)) != CL_SUCCESS) return "clSetKernelArg";
  *err = clEnqueueNDRangeKernel(p->queue, p->kernel, 1, NULL, &four, NULL, 0, NULL, NULL);
  if (*err != CL_SUCCESS) return "clEnqueueNDRangeKernel";
  *err = clEnqueueReadBuffer(p->queue, p->mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
  if (*err != CL_SUCCESS) return "clEnqueueReadBuffer";
  return out[3] == 42 ? NULL : "the result";
}

static void close_probe(struct probe *p) {
  if (p->kernel != NULL) clReleaseKernel(p->kernel);
  if (p->program != NULL) clReleaseProgram(p->program);
  if (p->mem != NULL) clReleaseMemObject(p->mem);
  if (p->queue != NULL) clReleaseCommandQueue(p->queue);
  if (p->context != NULL) clReleaseContext(p->context);
}

static void check_run(cl_platform_id kiln) {
  cl_device_id device;
  cl_int err;
  printf("a kernel, from source to result\n");
  if (clGetDeviceIDs(kiln, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    bad("Kiln", "has no device");
    return;
  }
  struct probe probe = {0};
  double start = tool_now_ms();
  const char *failed = open_probe(device, &probe, &err);
  if (failed == NULL) failed = run_probe(&probe, &err);
  if (failed != NULL) bad(failed, tool_cl_error(err));
  else printf("  ok       %.1f ms\n", tool_now_ms() - start);
  close_probe(&probe);
}

/* libkiln.so as the loader found it; its compiler lies beside it unless KILN_COMPILER says otherwise. */
static void check_compiler(cl_platform_id kiln) {
  Dl_info info;
  void *inside = clGetExtensionFunctionAddressForPlatform(kiln, "kiln_last_error");
  const char *set = getenv("KILN_COMPILER");
  char why[1024], *own = NULL;
  printf("compiler\n");
  if (set == NULL && inside != NULL && dladdr(inside, &info) != 0) {
    char *library = realpath(info.dli_fname, NULL), *slash = library != NULL ? strrchr(library, '/') : NULL;
    if (slash != NULL) own = tool_format("%.*s/libkiln-compiler.so", (int)(slash - library), library);
    free(library);
  }
  const char *path = set != NULL ? set : own != NULL ? own : "libkiln-compiler.so";
  if (library_opens(path, "kiln_compiler_entry", why, sizeof why) == LIBRARY_GOOD) good(path);
  else bad(path, why);
  free(own);
}

/* The device's own report: processors, features, cache. */
static void print_report(cl_platform_id kiln) {
  cl_device_id device;
  kiln_device_report_fn *report =
      (kiln_device_report_fn *)(uintptr_t)clGetExtensionFunctionAddressForPlatform(kiln,
                                                                                   "kiln_device_report");
  char text[8192];
  if (report == NULL || clGetDeviceIDs(kiln, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return;
  if (report(device, sizeof text, text) > 0) printf("what it found\n%s", text);
}

int tool_doctor(int argc, char **argv) {
  const struct argp parser = {
      .doc = "Why OpenCL programs find or do not find Kiln: the loader, every .icd file and the library it "
             "names, "
             "the platforms listed, Kiln's compiler and cache, and a kernel from source to result."
             "\vExit status: 0, no problem; 1, problems were found; 2, wrong usage."};
  words_parse(&parser, "kiln doctor", argc, argv, NULL, NULL);
  print_loader();
  check_vendors(tool_vendors());
  if (deadly)
    printf("not asked: platforms; the loader would open the driver that ends its process, as it does in "
           "every OpenCL "
           "program\n");
  cl_platform_id kiln = deadly ? NULL : check_platforms();
  if (kiln != NULL) {
    check_compiler(kiln);
    check_run(kiln);
    print_report(kiln);
  }
  if (problems == 0) printf("no problem found\n");
  else printf("%d problem%s\n", problems, problems == 1 ? "" : "s");
  return problems > 0;
}
