/* Messages, files and memory, for all subcommands. */
#include "tool/tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *place;

void tool_place(const char *text) { place = text; }

bool tool_error(const char *format, ...) {
  tool_progress(NULL);
  va_list ap;
  va_start(ap, format);
  fputs("kiln: ", stderr);
  if (place != NULL) fprintf(stderr, "%s: ", place);
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
  if (ferror(f)) { /* a folder, say */
    tool_error("%s: %s", path, strerror(errno));
    fclose(f);
    free(data);
    return NULL;
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

int tool_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double tool_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void tool_progress(const char *format, ...) {
  static bool shown;
  static double last; /* changes faster than the eye are not worth a system call */
  double now = tool_now_ms();
  if (!isatty(STDERR_FILENO) || (format == NULL && !shown) || (format != NULL && now - last < 50)) return;
  last = now;
  if (shown) fputs("\r\033[K", stderr);
  shown = format != NULL;
  if (!shown) return;
  va_list ap;
  va_start(ap, format);
  vfprintf(stderr, format, ap);
  va_end(ap);
  fflush(stderr);
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
