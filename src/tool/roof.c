/* The program that does the work of some benchmark cases in plain C, for `kiln bench --roof`: a process of
 * its own, so that its threads and Kiln's do not get into each other's way. `PROGRAM --list` prints a case a
 * line; `PROGRAM CASE` prints a line "FORM SECONDS" for each form it has of the case. */
#include "tool/bench.h"
#include "tool/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both return false after a message. */
typedef bool line_function(char *line, void *context);

static bool each_line(const struct bench_options *o, const char *word, line_function *take, void *context) {
  char *command = tool_format("'%s' %s", o->roof, word), line[256];
  FILE *out = popen(command, "re");
  free(command);
  if (out == NULL) return tool_error("%s cannot be started", o->roof);
  bool ok = true;
  while (fgets(line, sizeof line, out) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    ok = ok && take(line, context);
  }
  if (pclose(out) == 0) return ok;
  return tool_error("%s %s ended with an error", o->roof, word);
}

struct search {
  const char *label;
  bool found;
};

static bool is_label(char *line, void *context) {
  struct search *s = context;
  s->found = s->found || strcmp(line, s->label) == 0;
  return true;
}

bool bench_roof_knows(const struct bench_options *o, const char *label) {
  struct search s = {.label = label};
  return o->roof != NULL && each_line(o, "--list", is_label, &s) && s.found;
}

struct fastest {
  double seconds;
  char *name;
};

static bool take_time(char *line, void *context) {
  struct fastest *f = context;
  char name[32];
  double seconds;
  if (sscanf(line, "%31s %lf", name, &seconds) != 2 || !(seconds > 0))
    return tool_error("'%s' is no form and its seconds", line);
  if (f->seconds > 0 && f->seconds <= seconds) return true;
  f->seconds = seconds;
  memcpy(f->name, name, sizeof name);
  return true;
}

bool bench_roof_once(const struct bench_options *o, const char *label, double *seconds, char name[32]) {
  struct fastest f = {.name = name};
  if (!each_line(o, label, take_time, &f)) return false;
  if (f.seconds == 0) return tool_error("%s %s prints no time", o->roof, label);
  *seconds = f.seconds;
  return true;
}
