/* Messages, files, memory and finding a device, for all subcommands. */
#include "tool/tool.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tool_error(const char *format, ...) {
  tool_progress(NULL);
  va_list ap;
  va_start(ap, format);
  fputs("kiln: ", stderr);
  vfprintf(stderr, format, ap);
  fputc('\n', stderr);
  va_end(ap);
  return false;
}

void *tool_alloc(size_t size) {
  void *p = calloc(1, size ? size : 1);
  if (p != NULL) return p;
  tool_error("%zu bytes of memory are not to be had", size);
  exit(1);
}

char *tool_format(const char *format, ...) {
  va_list ap;
  char *text = NULL;
  va_start(ap, format);
  int length = vasprintf(&text, format, ap);
  va_end(ap);
  if (length >= 0) return text;
  exit(1);
}

char *tool_read_file(const char *path, size_t *size_out) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) {
    tool_error("%s: %s", path, strerror(errno));
    return NULL;
  }
  size_t size = 0, capacity = 1 << 16;
  char *data = tool_alloc(capacity);
  for (size_t n; (n = fread(data + size, 1, capacity - size - 1, f)) > 0;) {
    size += n;
    if (capacity - size < 2) data = realloc(data, capacity *= 2);
    if (data == NULL) exit(1);
  }
  fclose(f);
  data[size] = '\0';
  if (size_out != NULL) *size_out = size;
  return data;
}

bool tool_write_file(const char *path, const void *data, size_t size) {
  FILE *f = fopen(path, "wb");
  if (f == NULL) return tool_error("%s: %s", path, strerror(errno));
  bool ok = fwrite(data, 1, size, f) == size;
  ok = fclose(f) == 0 && ok;
  return ok || tool_error("%s: %s", path, strerror(errno));
}

void tool_progress(const char *format, ...) {
  static bool shown;
  if (!isatty(STDERR_FILENO)) return;
  if (shown) fputs("\r\033[K", stderr);
  shown = format != NULL;
  if (!shown) return;
  va_list ap;
  va_start(ap, format);
  vfprintf(stderr, format, ap);
  va_end(ap);
  fflush(stderr);
}

const char *tool_folder(void) {
  static char path[4096];
  if (path[0] != '\0') return path;
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  char *slash = length > 0 ? strrchr(path, '/') : NULL;
  if (slash != NULL) *slash = '\0';
  else strcpy(path, ".");
  return path;
}

/* True if some .icd file of the loader's default folder names Kiln. */
static bool registered(void) {
  FILE *f = popen("grep -ls kiln /etc/OpenCL/vendors/*.icd 2>/dev/null", "r");
  if (f == NULL) return false;
  bool any = fgetc(f) != EOF;
  pclose(f);
  return any;
}

void tool_register_kiln(void) {
  if (getenv("OCL_ICD_VENDORS") != NULL || getenv("OCL_ICD_FILENAMES") != NULL || registered()) return;
  char *library = tool_format("%s/lib/libkiln.so", tool_folder());
  if (access(library, R_OK) == 0) setenv("OCL_ICD_FILENAMES", library, 1);
  free(library);
}

static bool contains(const char *text, const char *part) {
  for (; *text != '\0'; text++) {
    size_t i = 0;
    while (part[i] != '\0' && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
    if (part[i] == '\0') return true;
  }
  return part[0] == '\0';
}

bool tool_find_device(const char *name, cl_platform_id *platform_out, cl_device_id *device_out) {
  tool_register_kiln();
  cl_platform_id platforms[32];
  cl_uint count = 0;
  if (clGetPlatformIDs(32, platforms, &count) != CL_SUCCESS) count = 0;
  if (count > 32) count = 32;
  for (cl_uint i = 0; i < count; i++) {
    char text[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL);
    if (!contains(text, name)) continue;
    cl_int err = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, device_out, NULL);
    if (err != CL_SUCCESS) return tool_error("platform '%s' has no device (%s)", text, tool_cl_error(err));
    *platform_out = platforms[i];
    return true;
  }
  return tool_error(
      "no OpenCL platform among %u has '%s' in its name; `kiln doctor` says what the loader sees", count,
      name);
}

const char *tool_cl_error(cl_int code) {
  static const struct {
    cl_int code;
    const char *name;
  } names[] = {
#define N(c) {c, #c}
      N(CL_SUCCESS),
      N(CL_DEVICE_NOT_FOUND),
      N(CL_COMPILER_NOT_AVAILABLE),
      N(CL_MEM_OBJECT_ALLOCATION_FAILURE),
      N(CL_OUT_OF_RESOURCES),
      N(CL_OUT_OF_HOST_MEMORY),
      N(CL_BUILD_PROGRAM_FAILURE),
      N(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
      N(CL_INVALID_VALUE),
      N(CL_INVALID_BUFFER_SIZE),
      N(CL_INVALID_BUILD_OPTIONS),
      N(CL_INVALID_KERNEL_NAME),
      N(CL_INVALID_ARG_INDEX),
      N(CL_INVALID_ARG_VALUE),
      N(CL_INVALID_ARG_SIZE),
      N(CL_INVALID_KERNEL_ARGS),
      N(CL_INVALID_WORK_DIMENSION),
      N(CL_INVALID_WORK_GROUP_SIZE),
      N(CL_INVALID_WORK_ITEM_SIZE),
      N(CL_INVALID_GLOBAL_OFFSET),
      N(CL_INVALID_GLOBAL_WORK_SIZE),
      N(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
#undef N
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == code) return names[i].name;
  static char text[32];
  snprintf(text, sizeof text, "error %d", code);
  return text;
}
