/* The kiln command: picks the subcommand. */
#include "tool/tool.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *help;
  int (*run)(int, char **);
} commands[] = {
    {"info", "devices, what was detected and why, settings", tool_info},
    {"run", "launch a kernel from the command line and check its results", tool_run},
    {"compile", "compile a kernel file; show its build log, binary or compiler stages", tool_compile},
    {"bench", "time the project's benchmark kernels, also against another platform", tool_bench},
    {"doctor", "why OpenCL programs find or do not find Kiln: loader, .icd files, libraries", tool_doctor},
};

static int usage(FILE *to) {
  fprintf(to, "usage: kiln COMMAND [OPTION...]   (kiln COMMAND --help says more)\n\n");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].help);
  fprintf(to, "\n  --version\n");
  return to == stderr ? 2 : 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return usage(stderr);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "-h") == 0)
    return usage(stdout);
  if (strcmp(argv[1], "--version") == 0) return puts("kiln " KILN_VERSION) < 0;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
  tool_error("'%s' is no command", argv[1]);
  return usage(stderr);
}
