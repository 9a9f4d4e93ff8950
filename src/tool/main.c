/* The kiln command: picks the subcommand. */
#include "tool/tool.h"
#include "tool/words.h"

#include <stdio.h>
#include <string.h>

enum { NUM_COMMANDS = 5 };

static const struct {
  const char *name, *help;
  int (*run)(int, char **);
} commands[NUM_COMMANDS] = {
    {"info", "devices, what was detected and why, settings", tool_info},
    {"run", "launch a kernel from the command line and check its results", tool_run},
    {"compile", "compile a kernel file; show its build log, binary or compiler stages", tool_compile},
    {"bench", "time the project's benchmark kernels, also against another platform", tool_bench},
    {"doctor", "why OpenCL programs find or do not find Kiln: loader, .icd files, libraries", tool_doctor},
};

static int usage(FILE *to) {
  fprintf(to, "usage: kiln COMMAND [OPTION...]   (kiln COMMAND --help says more)\n\n");
  for (size_t i = 0; i < NUM_COMMANDS; i++) fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].help);
  fprintf(to,
          "\n  --version, --help\n\nExit status: 0, all went well; 1, something failed; 2, wrong usage.\n");
  return to == stderr ? 2 : 0;
}

static int unknown(const char *name) {
  const char *names[NUM_COMMANDS + 1] = {NULL};
  for (size_t i = 0; i < NUM_COMMANDS; i++) names[i] = commands[i].name;
  const char *near = words_nearest(name, names);
  if (near != NULL) tool_error("'%s' is no command; did you mean '%s'?", name, near);
  else tool_error("'%s' is no command; `kiln --help` lists them", name);
  return 2;
}

static int run(int argc, char **argv) {
  for (size_t i = 0; i < NUM_COMMANDS; i++)
    if (strcmp(argv[0], commands[i].name) == 0) return commands[i].run(argc, argv);
  return unknown(argv[0]);
}

static int help(int argc, char **argv) {
  char option[] = "--help", *words[] = {argc > 2 ? argv[2] : NULL, option, NULL};
  return argc > 2 ? run(2, words) : usage(stdout);
}

int main(int argc, char **argv) {
  if (argc < 2) return usage(stderr);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "-h") == 0)
    return help(argc, argv);
  if (strcmp(argv[1], "--version") == 0) return puts("kiln " KILN_VERSION) < 0;
  return run(argc - 1, argv + 1);
}
