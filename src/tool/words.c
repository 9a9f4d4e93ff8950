/* Words of command lines. */
#include "tool/words.h"

#include "tool/tool.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 40, MOST_NAMES = 64 };

/* ---- nearest names ---- */

static unsigned least(unsigned a, unsigned b, unsigned c) {
  unsigned ab = a < b ? a : b;
  return ab < c ? ab : c;
}

/* Insertions, deletions and replacements between two words of at most LONGEST letters. */
static unsigned distance(const char *a, const char *b) {
  unsigned row[LONGEST + 1];
  size_t n = strlen(b);
  for (unsigned j = 0; j <= n; j++) row[j] = j;
  for (unsigned i = 1; a[i - 1] != '\0'; i++) {
    unsigned diagonal = row[0];
    row[0] = i;
    for (unsigned j = 1; j <= n; j++) {
      unsigned above = row[j];
      row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[n];
}

const char *words_nearest(const char *word, const char *const *names) {
  const char *best = NULL;
  size_t length = strlen(word);
  unsigned best_distance = (unsigned)(length / 2 < 3 ? length / 2 : 3) + 1;
  for (; length <= LONGEST && *names != NULL; names++) {
    if (strlen(*names) > LONGEST) continue;
    unsigned d = distance(word, *names);
    if (d >= best_distance) continue;
    best = *names;
    best_distance = d;
  }
  return best;
}

bool words_contain(const char *text, const char *part) {
  for (; *text != '\0'; text++) {
    size_t i = 0;
    while (part[i] != '\0' && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
    if (part[i] == '\0') return true;
  }
  return part[0] == '\0';
}

bool words_number(const char *text, const char *option, unsigned long long low, unsigned long long high,
                  unsigned long long *out) {
  char *end;
  errno = 0;
  *out = strtoull(text, &end, 0);
  if (isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0 && *out >= low && *out <= high)
    return true;
  return tool_error("%s '%s' is no whole number from %llu to %llu", option, text, low, high);
}

/* ---- options ---- */

static const struct argp_option own[] = {{.name = "help", .key = '?'}, {.name = "usage", .key = -3}, {0}};

static bool is_end(const struct argp_option *o) { return o->name == NULL && o->key == 0; }

/* By full name or a beginning of it, as getopt takes it. */
static const struct argp_option *by_name(const struct argp_option *o, const char *name, size_t length) {
  for (; !is_end(o); o++)
    if (o->name != NULL && strncmp(o->name, name, length) == 0) return o;
  return NULL;
}

static const struct argp_option *by_key(const struct argp_option *o, int key) {
  for (; !is_end(o); o++)
    if (o->key == key) return o;
  return NULL;
}

static void unknown_option(const struct argp *argp, const char *command, const char *name) {
  const char *names[MOST_NAMES] = {"help", "usage"};
  int count = 2;
  for (const struct argp_option *o = argp->options; o != NULL && !is_end(o) && count < MOST_NAMES - 1; o++)
    if (o->name != NULL) names[count++] = o->name;
  const char *near = words_nearest(name, names);
  if (near != NULL) tool_error("--%s is no option of `%s`; did you mean --%s?", name, command, near);
  else tool_error("--%s is no option of `%s`; `%s --help` lists them", name, command, command);
  exit(2);
}

/* Number of words that a long option takes, itself included. */
static int check_long(const struct argp *argp, const char *command, const char *word) {
  static const struct argp_option none[] = {{0}};
  size_t length = strcspn(word + 2, "=");
  const struct argp_option *o = by_name(argp->options != NULL ? argp->options : none, word + 2, length);
  if (o == NULL && by_name(own, word + 2, length) == NULL) {
    char *name = strndup(word + 2, length);
    unknown_option(argp, command, name);
  }
  return o != NULL && o->arg != NULL && word[2 + length] == '\0' ? 2 : 1;
}

/* The same for a word of short options. */
static int check_short(const struct argp *argp, const char *command, const char *word) {
  static const struct argp_option none[] = {{0}};
  for (const char *at = word + 1; *at != '\0'; at++) {
    const struct argp_option *o = by_key(argp->options != NULL ? argp->options : none, *at);
    if (o == NULL && *at != '?') {
      tool_error("-%c is no option of `%s`; `%s --help` lists them", *at, command, command);
      exit(2);
    }
    if (o != NULL && o->arg != NULL) return at[1] == '\0' ? 2 : 1;
  }
  return 1;
}

static bool is_negative_number(const char *word) {
  return isdigit((unsigned char)word[1]) || word[1] == '.' || word[1] == '(';
}

/* No option any more. */
static char *as_argument(const char *word, void *input, words_keep *keep) {
  char *text = tool_format(" %s", word), *kept = keep(input, text);
  free(text);
  return kept;
}

bool words_parse(const struct argp *argp, const char *command, int argc, char **argv, void *input,
                 words_keep *keep) {
  argp_err_exit_status = 2;
  argv[0] = (char *)(uintptr_t)command;
  for (int k = 1; k < argc && strcmp(argv[k], "--") != 0;) {
    char *word = argv[k];
    if (word[0] != '-' || word[1] == '\0') k++;
    else if (word[1] == '-') k += check_long(argp, command, word);
    else if (keep != NULL && is_negative_number(word)) argv[k++] = as_argument(word, input, keep);
    else k += check_short(argp, command, word);
  }
  return argp_parse(argp, argc, argv, 0, NULL, input) == 0;
}
