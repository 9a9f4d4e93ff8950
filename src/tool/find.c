/* Where Kiln and other platforms are, and a device of one. */
#include "tool/tool.h"
#include "tool/words.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *tool_folder(void) {
  static char path[4096];
  if (path[0] != '\0') return path;
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  char *slash = length > 0 ? strrchr(path, '/') : NULL;
  if (slash != NULL) *slash = '\0';
  else strcpy(path, ".");
  return path;
}

const char *tool_vendors(void) {
  const char *set = getenv("OCL_ICD_VENDORS");
  return set != NULL ? set : "/etc/OpenCL/vendors";
}

bool tool_is_icd_name(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

/* ---- a folder of .icd files with Kiln among them ---- */

/* Debian's loader knows one way to name more drivers than are registered: another folder of .icd files. So
 * when Kiln is not among them, the first platform query of this process gets a folder of its own. */
static char own_vendors[] = "/tmp/kiln-vendors-XXXXXX";

static bool names_kiln(const char *icd) {
  char line[4096] = "";
  FILE *f = fopen(icd, "r");
  if (f == NULL) return false;
  bool read = fgets(line, sizeof line, f) != NULL;
  fclose(f);
  return read && strstr(line, "libkiln.so") != NULL;
}

/* Links an .icd file into our folder; true if it names Kiln. */
static bool adopt(const char *icd, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", own_vendors, name);
  if (names_kiln(icd)) return true;
  if (symlink(icd, path) != 0) tool_error("%s cannot be linked", path);
  return false;
}

/* The same for all of a folder. */
static bool adopt_all(const char *folder) {
  DIR *dir = opendir(folder);
  bool kiln = false;
  for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
    if (!tool_is_icd_name(entry->d_name)) continue;
    char *icd = tool_format("%s/%s", folder, entry->d_name), *full = realpath(icd, NULL);
    kiln = (full != NULL && adopt(full, entry->d_name)) || kiln;
    free(full);
    free(icd);
  }
  if (dir != NULL) closedir(dir);
  return kiln;
}

static void remove_own_vendors(void) {
  DIR *dir = opendir(own_vendors);
  for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
    if (entry->d_name[0] != '.') unlinkat(dirfd(dir), entry->d_name, 0);
  if (dir != NULL) closedir(dir);
  rmdir(own_vendors);
}

void tool_register_kiln(void) {
  static bool done;
  struct stat st;
  char *library = tool_format("%s/lib/libkiln.so", tool_folder()), *icd = NULL;
  bool folder =
      stat(tool_vendors(), &st) != 0 || S_ISDIR(st.st_mode); /* a loader also takes one file or library */
  if (!done && folder && access(library, R_OK) == 0 && mkdtemp(own_vendors) != NULL) {
    icd = tool_format("%s/kiln-of-this-build.icd", own_vendors);
    cl_uint count;
    if (!adopt_all(tool_vendors()) && tool_write_file(icd, library, strlen(library))) {
      const char *set = getenv("OCL_ICD_VENDORS");
      char *before = set != NULL ? strdup(set) : NULL;
      setenv("OCL_ICD_VENDORS", own_vendors, 1);
      clGetPlatformIDs(0, NULL, &count); /* the loader reads the folder now, and never again */
      if (before != NULL) setenv("OCL_ICD_VENDORS", before, 1);
      else unsetenv("OCL_ICD_VENDORS");
      free(before);
    }
    remove_own_vendors();
  }
  done = true;
  free(icd);
  free(library);
}

/* ---- devices ---- */

bool tool_find_device(const char *name, cl_platform_id *platform_out, cl_device_id *device_out) {
  tool_register_kiln();
  cl_platform_id platforms[32];
  cl_uint count = 0;
  if (clGetPlatformIDs(32, platforms, &count) != CL_SUCCESS) count = 0;
  if (count > 32) count = 32;
  for (cl_uint i = 0; i < count; i++) {
    char text[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL);
    if (!words_contain(text, name)) continue;
    cl_int err = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, device_out, NULL);
    if (err != CL_SUCCESS) return tool_error("platform '%s' has no device (%s)", text, tool_cl_error(err));
    *platform_out = platforms[i];
    return true;
  }
  char seen[1024] = "";
  for (cl_uint i = 0; i < count; i++) {
    char text[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL);
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s%s", i > 0 ? ", " : "", text);
  }
  return tool_error("no OpenCL platform has '%s' in its name (the loader lists: %s); `kiln doctor` says more",
                    name, count > 0 ? seen : "none");
}
