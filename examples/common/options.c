/* Parses the command line with getopt_long. */
#include "options.h"

#include "check.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "  --small        a small size, for tests\n"
    "  --runs N       time N runs, report the fastest\n"
    "  --units N      use at most N compute units (ordered_append)\n"
    "  --input FILE   the PNG to work on (convolution)\n"
    "  --out DIR      where to write PNG files (convolution)\n"
    "  --result FILE  append a result line for examples/summary (default: $EXAMPLES_RESULT)\n"
    "  --damage       spoil one result before the check, which must then fail\n"
    "Environment: EXAMPLES_PLATFORM, EXAMPLES_DEVICE: part of the name of the one to use.\n";

static int positive(const char *text) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*end != '\0' || value < 1 || value > 1000000) ex_die("not a positive number: %s", text);
  return (int)value;
}

static void set_option(struct ex_options *options, int letter, const char *program) {
  switch (letter) {
  case 's':
    options->small = true;
    break;
  case 'd':
    options->damage = true;
    break;
  case 'n':
    options->runs = positive(optarg);
    break;
  case 'u':
    options->units = positive(optarg);
    break;
  case 'i':
    options->input = optarg;
    break;
  case 'o':
    options->output_dir = optarg;
    break;
  case 'r':
    options->result_file = optarg;
    break;
  case 'h':
    printf("usage: %s [options]\n%s", program, usage);
    exit(EX_EXIT_OK);
  default:
    ex_die("usage: %s [options]\n%s", program, usage);
  }
}

struct ex_options ex_options_parse(int argc, char **argv) {
  static const struct option names[] = {
      {"small", no_argument, NULL, 's'},
      {"damage", no_argument, NULL, 'd'},
      {"runs", required_argument, NULL, 'n'},
      {"units", required_argument, NULL, 'u'},
      {"input", required_argument, NULL, 'i'},
      {"out", required_argument, NULL, 'o'},
      {"result", required_argument, NULL, 'r'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  struct ex_options options = {.output_dir = ".", .result_file = getenv("EXAMPLES_RESULT")};
  int letter;
  while ((letter = getopt_long(argc, argv, "", names, NULL)) != -1) set_option(&options, letter, argv[0]);
  if (optind != argc) ex_die("unexpected argument: %s\n%s", argv[optind], usage);
  return options;
}

int ex_options_runs(const struct ex_options *options, int normal) {
  if (options->runs != 0) return options->runs;
  return options->small ? 1 : normal;
}

void ex_options_damage(const struct ex_options *options, void *results, size_t bytes) {
  uint32_t word;
  if (!options->damage || bytes < sizeof word) return;
  unsigned char *middle = (unsigned char *)results + bytes / 2 / sizeof word * sizeof word;
  memcpy(&word, middle, sizeof word);
  word = ~word;
  memcpy(middle, &word, sizeof word);
}
