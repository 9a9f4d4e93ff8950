/* Owns what is known of compiles: the stages' lines of KILN_LOG=compile:debug, read from a file that standard
 * error goes to. Must not know kernels' arguments. */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *file;
static long taken; /* offset up to which trace_take has read */

bool trace_start(const char *path) {
  file = path == NULL ? tmpfile() : fopen(path, "a+");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) return false;
  taken = ftell(file);
  return dup2(fileno(file), STDERR_FILENO) >= 0;
}

/* The text since the last trace_take, to be freed. */
static char *text_since(long *end_out) {
  fseek(file, 0, SEEK_END);
  long end = ftell(file);
  char *text = calloc(1, (size_t)(end - taken) + 1);
  if (text == NULL) return NULL;
  fseek(file, taken, SEEK_SET);
  if (fread(text, 1, (size_t)(end - taken), file) != (size_t)(end - taken)) text[0] = '\0';
  fseek(file, 0, SEEK_END); /* the offset is the one that standard error writes at */
  *end_out = end;
  return text;
}

static bool is_second_half(const char *stage) {
  static const char *const names[] = {"load",  "isolate", "alone",    "opaque",   "native",
                                      "lower", "target",  "optimise", "assembly", "emit"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(stage, names[i]) == 0) return true;
  return false;
}

/* A code generation as far as it has been read; it names its kernel in the middle. */
struct reading {
  struct trace *out, now;
  const char *kernel;
  bool is_ours;
};

static void read_stage(struct reading *r, const char *line) {
  char stage[32];
  double ms;
  unsigned instructions = 0;
  if (sscanf(line, "%31s %lf ms, %u instructions", stage, &ms, &instructions) < 2) return;
  if (!is_second_half(stage)) {
    r->out->front_ms += ms;
    return;
  }
  if (strcmp(stage, "load") == 0) r->now = (struct trace){0}, r->is_ours = false;
  r->now.code_ms += ms;
  if (strcmp(stage, "isolate") == 0) r->now.before = instructions;
  if (strcmp(stage, "emit") != 0 || !r->is_ours) return;
  r->now.after = instructions;
  r->now.front_ms = r->out->front_ms;
  r->now.failed = r->out->failed;
  *r->out = r->now;
}

static void read_mapping(struct reading *r, const char *line) {
  size_t length = strlen(r->kernel);
  r->is_ours = strncmp(line, r->kernel, length) == 0 && strncmp(line + length, ": ", 2) == 0;
  if (r->is_ours) snprintf(r->now.lanes, sizeof r->now.lanes, "%s", line + length + 2);
}

static void read_line(struct reading *r, const char *line) {
  static const char stage[] = "kiln compile: stage ", kernel[] = "kiln compile: kernel ";
  if (strncmp(line, stage, sizeof stage - 1) == 0) read_stage(r, line + sizeof stage - 1);
  if (strncmp(line, kernel, sizeof kernel - 1) == 0) read_mapping(r, line + sizeof kernel - 1);
  if (strstr(line, "trying unoptimised") != NULL || strstr(line, "the compiler failed") != NULL)
    r->out->failed = true;
}

void trace_take(struct trace *out, const char *kernel) {
  long end;
  char *text = text_since(&end), *rest = NULL;
  struct reading r = {.out = out, .kernel = kernel};
  *out = (struct trace){0};
  if (text == NULL) return;
  for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
    read_line(&r, line);
  taken = end;
  free(text);
}
