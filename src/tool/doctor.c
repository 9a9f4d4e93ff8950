/* `kiln doctor`: which loader, which .icd files, what each library says when it is opened. */
#include "tool/tool.h"

#include <argp.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int problems;

static void good(const char *text) { printf("  ok       %s\n", text); }

static void bad(const char *what, const char *why) {
  printf("  PROBLEM  %s: %s\n", what, why);
  problems++;
}

static void print_loader(void) {
  Dl_info info;
  printf("loader\n");
  if (dladdr((void *)(uintptr_t)clGetPlatformIDs, &info) != 0 && info.dli_fname != NULL) good(info.dli_fname);
  for (const char **name =
           (const char *[]){"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", NULL};
       *name != NULL; name++)
    if (getenv(*name) != NULL) printf("  %s is %s\n", *name, getenv(*name));
}

/* What a loader does with a vendor library, step by step. */
static void check_library(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    bad(path, dlerror());
    return;
  }
  void *find = dlsym(library, "clGetExtensionFunctionAddress");
  void *platforms = dlsym(library, "clIcdGetPlatformIDsKHR");
  if (find == NULL && platforms == NULL)
    bad(path, "neither clGetExtensionFunctionAddress nor clIcdGetPlatformIDsKHR: not an OpenCL driver");
  else good(path);
  dlclose(library);
}

static void check_icd_file(const char *path) {
  printf("%s\n", path);
  char *text = tool_read_file(path, NULL);
  if (text == NULL) {
    bad(path, "cannot be read");
    return;
  }
  text[strcspn(text, "\r\n")] = '\0';
  if (text[0] == '\0') bad(path, "names no library");
  else check_library(text);
  free(text);
}

static bool is_icd(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".icd") == 0;
}

static void check_vendors(const char *folder) {
  struct stat st;
  if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode)) {
    if (strstr(folder, ".icd") != NULL) check_icd_file(folder);
    else check_library(folder);
    return;
  }
  DIR *dir = opendir(folder);
  if (dir == NULL) {
    bad(folder, "no such folder: the loader finds no driver there");
    return;
  }
  int count = 0;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    if (!is_icd(entry)) continue;
    char *path = tool_format("%s/%s", folder, entry->d_name);
    check_icd_file(path);
    free(path);
    count++;
  }
  closedir(dir);
  if (count == 0) bad(folder, "holds no .icd file");
}

static void check_platforms(void) {
  printf("platforms the loader lists\n");
  cl_platform_id platforms[32];
  cl_uint count = 0;
  cl_int err = clGetPlatformIDs(32, platforms, &count);
  if (err != CL_SUCCESS || count == 0) bad("clGetPlatformIDs", "no platform");
  bool kiln = false;
  for (cl_uint k = 0; k < count && k < 32; k++) {
    char name[256] = "";
    clGetPlatformInfo(platforms[k], CL_PLATFORM_NAME, sizeof name, name, NULL);
    cl_uint devices = 0;
    clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
    printf("  %-8s %s, %u device%s\n", devices > 0 ? "ok" : "empty", name, devices, devices == 1 ? "" : "s");
    kiln = kiln || strcmp(name, "Kiln") == 0;
  }
  if (!kiln)
    bad("Kiln", "not among them: register kiln.icd, or set OCL_ICD_VENDORS to the folder that holds it");
}

static void check_compiler(void) {
  printf("compiler\n");
  const char *set = getenv("KILN_COMPILER");
  char *path = set != NULL ? strdup(set) : tool_format("%s/lib/libkiln-compiler.so", tool_folder());
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) bad(path, dlerror());
  else good(path);
  free(path);
}

int tool_doctor(int argc, char **argv) {
  const struct argp parser = {NULL, NULL, NULL, "Why OpenCL programs find or do not find Kiln.",
                              NULL, NULL, NULL};
  argp_parse(&parser, argc, argv, 0, NULL, NULL);
  print_loader();
  const char *vendors = getenv("OCL_ICD_VENDORS");
  check_vendors(vendors != NULL ? vendors : "/etc/OpenCL/vendors");
  if (getenv("OCL_ICD_FILENAMES") == NULL) tool_register_kiln();
  check_platforms();
  check_compiler();
  printf(problems == 0 ? "no problem found\n" : "%d problem(s)\n", problems);
  return problems > 0;
}
