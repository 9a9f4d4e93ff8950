/* Owns the grammar of build, compile and link options: the text an application passes to words, words to
 * settings and clang's arguments. Must not know devices: what a device supports is checked when the request
 * is run. */
#include "compiler/compiler.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  FOR_COMPILE = 1, /* builds and compiles */
  FOR_LINK = 2,
  TO_CLANG = 4 /* clang takes the same word */
};

#define FIELD(name) offsetof(struct kiln_options, name)
#define NO_FIELD ((size_t)-1)

/* Options without an argument. `field`, if any, is set to 1. */
static const struct flag {
  const char *word;
  unsigned use;
  size_t field;
} flags[] = {
    {"-cl-single-precision-constant", FOR_COMPILE | TO_CLANG, NO_FIELD},
    {"-cl-denorms-are-zero", FOR_COMPILE | FOR_LINK, FIELD(denorms_zero)},
    {"-cl-fp32-correctly-rounded-divide-sqrt", FOR_COMPILE | TO_CLANG, NO_FIELD},
    {"-cl-opt-disable", FOR_COMPILE | FOR_LINK, FIELD(opt_disable)},
    {"-cl-strict-aliasing", FOR_COMPILE, NO_FIELD},
    {"-cl-uniform-work-group-size", FOR_COMPILE | TO_CLANG, FIELD(uniform_group_size)},
    {"-cl-no-subgroup-ifp", FOR_COMPILE | FOR_LINK, NO_FIELD},
    {"-cl-mad-enable", FOR_COMPILE | TO_CLANG, FIELD(contract)},
    {"-cl-no-signed-zeros", FOR_COMPILE | FOR_LINK | TO_CLANG, NO_FIELD},
    {"-cl-unsafe-math-optimizations", FOR_COMPILE | FOR_LINK | TO_CLANG, FIELD(unsafe_math)},
    {"-cl-finite-math-only", FOR_COMPILE | FOR_LINK | TO_CLANG, NO_FIELD},
    {"-cl-fast-relaxed-math", FOR_COMPILE | FOR_LINK | TO_CLANG, FIELD(fast_relaxed)},
    {"-cl-kernel-arg-info", FOR_COMPILE, FIELD(kernel_arg_info)},
    {"-w", FOR_COMPILE | FOR_LINK | TO_CLANG, FIELD(no_warnings)},
    {"-Werror", FOR_COMPILE | FOR_LINK | TO_CLANG, FIELD(werror)},
    {"-g", FOR_COMPILE | FOR_LINK, FIELD(debug)},
    {"-create-library", FOR_LINK, FIELD(create_library)},
    {"-enable-link-options", FOR_LINK, FIELD(enable_link_options)},
    {"-kiln-explain", FOR_COMPILE | FOR_LINK, FIELD(explain)},
    /* Common outside the specification, and harmless. */
    {"-O0", FOR_COMPILE | FOR_LINK, FIELD(opt_disable)},
    {"-O1", FOR_COMPILE | FOR_LINK, NO_FIELD},
    {"-O2", FOR_COMPILE | FOR_LINK, NO_FIELD},
    {"-O3", FOR_COMPILE | FOR_LINK, NO_FIELD},
    {"-Wall", FOR_COMPILE | TO_CLANG, NO_FIELD},
    {"-Wextra", FOR_COMPILE | TO_CLANG, NO_FIELD},
};

static const struct {
  const char *word;
  uint32_t std;
  const char *clang; /* clang 19 has no CL3.1: its CL3.0, changed by the device's header */
} standards[] = {{"CL1.0", 100, "-cl-std=CL1.0"}, {"CL1.1", 110, "-cl-std=CL1.1"},
                 {"CL1.2", 120, "-cl-std=CL1.2"}, {"CL2.0", 200, "-cl-std=CL2.0"},
                 {"CL3.0", 300, "-cl-std=CL3.0"}, {"CL3.1", 310, "-cl-std=CL3.0"}};

struct parser {
  const char *at;
  char *word; /* the current one, kiln_alloc, as long as the whole text */
  enum kiln_options_use use;
  struct kiln_options *out;
};

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* Copies the next word to p->word. Double quotes group and vanish; a backslash takes the meaning from a
 * quote, a backslash or a space; single quotes group and stay, for -DC=' '. False at the end of the text. */
static bool next_word(struct parser *p) {
  while (is_space(*p->at)) p->at++;
  if (*p->at == '\0') return false;
  char quote = '\0', *to = p->word;
  for (; *p->at != '\0' && (quote != '\0' || !is_space(*p->at)); p->at++) {
    char c = *p->at, following = p->at[1];
    if (c == '\\' && quote != '\'' && (following == '"' || following == '\\' || following == ' ')) {
      *to++ = following;
      p->at++;
    } else if (c == '\'' && quote != '"') {
      quote = quote == '\0' ? '\'' : '\0';
      *to++ = c;
    } else if (c == '"' && quote != '\'') {
      quote = quote == '\0' ? '"' : '\0';
    } else {
      *to++ = c;
    }
  }
  *to = '\0';
  return true;
}

static cl_int add_arg(struct kiln_options *out, const char *text) {
  char **args = kiln_realloc(out->args, (out->num_args + 1) * sizeof *args);
  if (args == NULL) return CL_OUT_OF_HOST_MEMORY;
  out->args = args;
  args[out->num_args] = kiln_strdup(text);
  if (args[out->num_args] == NULL) return CL_OUT_OF_HOST_MEMORY;
  out->num_args++;
  return CL_SUCCESS;
}

static cl_int invalid(const struct parser *p) {
  if (p->use == KILN_OPTIONS_COMPILE) return CL_INVALID_COMPILER_OPTIONS;
  return p->use == KILN_OPTIONS_LINK ? CL_INVALID_LINKER_OPTIONS : CL_INVALID_BUILD_OPTIONS;
}

static cl_int take_flag(struct parser *p, const struct flag *flag) {
  unsigned wanted = p->use == KILN_OPTIONS_LINK ? FOR_LINK : FOR_COMPILE;
  if ((flag->use & wanted) == 0) return invalid(p);
  if (flag->field != NO_FIELD) *(uint32_t *)(void *)((char *)p->out + flag->field) = 1;
  return flag->use & TO_CLANG ? add_arg(p->out, flag->word) : CL_SUCCESS;
}

static cl_int take_standard(struct parser *p, const char *value) {
  for (size_t i = 0; i < sizeof standards / sizeof *standards; i++) {
    if (strcmp(standards[i].word, value) != 0) continue;
    p->out->std = standards[i].std;
    p->out->std_given = 1;
    return add_arg(p->out, standards[i].clang);
  }
  return invalid(p);
}

bool kiln_width_parse(const char *text, uint32_t *width_out) {
  char *end;
  unsigned long width = strtoul(text, &end, 10);
  if (strcmp(text, "pair") == 0) width = KILN_WIDTH_PAIR;
  else if (*text == '\0' || *end != '\0' || width == 0 || width > 64 || (width & (width - 1)) != 0)
    return false;
  *width_out = (uint32_t)width;
  return true;
}

static cl_int take_width(struct parser *p, const char *value) {
  return kiln_width_parse(value, &p->out->width) ? CL_SUCCESS : invalid(p);
}

/* X, X,Y or X,Y,Z, each from 1 to 65535. */
static cl_int take_explain(struct parser *p, const char *value) {
  uint32_t *size = p->out->explain_size;
  unsigned d = 0;
  do {
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || n == 0 || n > 65535 || d == 3) return invalid(p);
    size[d++] = (uint32_t)n;
    value = end + (*end == ',' && end[1] != '\0');
  } while (value[-1] == ',');
  for (; d < 3; d++) size[d] = 1;
  p->out->explain = 1;
  return *value == '\0' ? CL_SUCCESS : invalid(p);
}

static bool is_macro_name(const char *s) {
  if (!(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))) return false;
  while (*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9')) s++;
  return *s == '\0' || *s == '=' || *s == '(';
}

/* -D, -U and -I: the argument follows at once or as the next word. */
static cl_int take_preprocessor(struct parser *p) {
  char letter[3] = {'-', p->word[1], '\0'};
  const char *value = p->word + 2;
  if (*value == '\0') {
    if (!next_word(p)) {
      memcpy(p->word, letter, sizeof letter);
      return invalid(p);
    }
    value = p->word;
  }
  if (letter[1] == 'I' ? *value == '\0' : !is_macro_name(value)) return invalid(p);
  cl_int err = add_arg(p->out, letter);
  return err == CL_SUCCESS ? add_arg(p->out, value) : err;
}

static cl_int take_word(struct parser *p) {
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(flags[i].word, p->word) == 0) return take_flag(p, &flags[i]);
  if (strncmp(p->word, "-kiln-width=", 12) == 0) return take_width(p, p->word + 12);
  if (strncmp(p->word, "-kiln-explain=", 14) == 0) return take_explain(p, p->word + 14);
  if (p->use == KILN_OPTIONS_LINK) return invalid(p);
  if (strncmp(p->word, "-cl-std=", 8) == 0) return take_standard(p, p->word + 8);
  if (strncmp(p->word, "-D", 2) == 0 || strncmp(p->word, "-U", 2) == 0 || strncmp(p->word, "-I", 2) == 0)
    return take_preprocessor(p);
  if (strncmp(p->word, "-Wno-", 5) == 0 && p->word[5] != '\0') return add_arg(p->out, p->word);
  return invalid(p);
}

cl_int kiln_options_parse(const char *options, enum kiln_options_use use, struct kiln_options *out,
                          char **bad_out) {
  *out = (struct kiln_options){.std = 120};
  if (options == NULL) options = "";
  char *word = kiln_alloc(strlen(options) + 3);
  if (word == NULL) return CL_OUT_OF_HOST_MEMORY;
  struct parser p = {.at = options, .word = word, .use = use, .out = out};
  cl_int err = CL_SUCCESS;
  while (err == CL_SUCCESS && next_word(&p)) err = take_word(&p);
  if (err == CL_SUCCESS && out->enable_link_options && !out->create_library) {
    memcpy(word, "-enable-link-options", sizeof "-enable-link-options"); /* as long as the text at most */
    err = invalid(&p);
  }
  if (err == CL_SUCCESS) {
    kiln_free(word);
    return err;
  }
  kiln_options_finish(out);
  if (err == CL_OUT_OF_HOST_MEMORY || bad_out == NULL) kiln_free(word);
  else *bad_out = word;
  return err;
}

void kiln_options_finish(struct kiln_options *options) {
  for (size_t i = 0; i < options->num_args; i++) kiln_free(options->args[i]);
  kiln_free(options->args);
  *options = (struct kiln_options){0};
}
