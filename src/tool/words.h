/* Command lines: argp with clearer answers to mistakes, numbers, nearest names. */
#ifndef KILN_TOOL_WORDS_H
#define KILN_TOOL_WORDS_H

#include <argp.h>
#include <stdbool.h>

/* A copy of text that lives as long as `input`. */
typedef char *words_keep(void *input, const char *text);

/* argp_parse for `command` ("kiln run"): answers an unknown option with the nearest one. With `keep` it takes
 * words like -2.5 for arguments (with a space in front); keep may be NULL. Ends the program on --help (status
 * 0) and on wrong usage (status 2); false when an option's parser has given a message of its own. */
bool words_parse(const struct argp *argp, const char *command, int argc, char **argv, void *input,
                 words_keep *keep);
/* A whole number from low to high; false after a message that names the option. */
bool words_number(const char *text, const char *option, unsigned long long low, unsigned long long high,
                  unsigned long long *out);
/* The one of the NULL-terminated names that word was probably meant to be; NULL if none is near. */
const char *words_nearest(const char *word, const char *const *names);
/* Case-insensitive; the empty part is in every text. */
bool words_contain(const char *text, const char *part);

#endif
