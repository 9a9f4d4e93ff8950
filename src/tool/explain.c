/* Reads the remarks of -kiln-explain in a build log, "kernel.cl:LINE: TEXT" below "kernel 'NAME', ...", and
 * prints them into the source. */
#include "tool/explain.h"

#include "tool/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3 };                           /* lines printed before the first with a remark */
static const char source_name[] = "kernel.cl:"; /* what the build log calls the program's source */

char *explain_option(const struct run_case *c) {
  if (!c->has_local) return tool_format("-kiln-explain");
  return tool_format("-kiln-explain=%zu,%zu,%zu", c->local[0], c->dims > 1 ? c->local[1] : 1,
                     c->dims > 2 ? c->local[2] : 1);
}

/* The start of the kernel's section, NULL if there is none. */
static const char *find_section(const char *log, const char *kernel) {
  char *head = tool_format("kernel '%s',", kernel);
  const char *at = strstr(log, head);
  free(head);
  return at;
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end == NULL ? line + strlen(line) : end + 1;
}

/* The remark's line number, 0 if this line of the log is none on the source. */
static unsigned long number_of(const char *line, const char **text_out) {
  char *end;
  if (strncmp(line, source_name, sizeof source_name - 1) != 0) return 0;
  unsigned long number = strtoul(line + sizeof source_name - 1, &end, 10);
  *text_out = end + strspn(end, ": ");
  return number;
}

/* One thing a line, indented. */
static void print_remark(const char *text) {
  size_t length = strcspn(text, "\n");
  for (size_t n; length > 0; text += n, length -= n) {
    const char *stop = memmem(text, length, "; ", 2);
    n = stop == NULL ? length : (size_t)(stop - text) + 2;
    printf("     | %.*s\n", (int)(stop == NULL ? n : n - 2), text);
  }
}

static void print_source(const char *source, const char *section) {
  const char *remark = section, *text = NULL;
  unsigned long line = 1, wanted = 0;
  while (*remark != '\0' && (wanted = number_of(remark, &text)) == 0) remark = next_line(remark);
  const char *first = remark;
  for (; *source != '\0' && wanted != 0; source = next_line(source), line++) {
    if (remark == first && line + CONTEXT < wanted) continue;
    printf("%4lu | %.*s\n", line, (int)strcspn(source, "\n"), source);
    while (wanted == line) {
      print_remark(text);
      remark = next_line(remark);
      wanted = number_of(remark, &text);
    }
  }
}

bool explain_print(const struct run_case *c, const char *kernel, const char *log) {
  const char *section = find_section(log, kernel);
  if (section == NULL) return tool_error("the build log explains nothing of kernel %s:\n%s", kernel, log);
  char *source = tool_read_file(c->file, NULL);
  if (source == NULL) return false;
  printf("%.*s\n", (int)strcspn(section, "\n"), section);
  print_source(source, next_line(section));
  free(source);
  return true;
}
