/* Command line of `kiln run` and the directive lines of kernel files: one grammar. */
#include "tool/case.h"

#include "compiler/compiler.h"
#include "tool/tool.h"
#include "tool/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPT_DUMP = 256,
  OPT_EXPECT,
  OPT_OUT,
  OPT_SHOW,
  OPT_FLOPS,
  OPT_BYTES,
  OPT_ITEMS,
  OPT_NAME,
  OPT_EXPLAIN
};

static const struct argp_option options[] = {
    {"kernel", 'k', "NAME", 0, "kernel to run; default: the file's only or first one", 0},
    {"global", 'g', "X[,Y[,Z]]", 0, "global size", 0},
    {"local", 'l', "X[,Y[,Z]]", 0, "local size; default: the platform's choice", 0},
    {"offset", 'o', "X[,Y[,Z]]", 0, "global offset", 0},
    {"build", 'b', "OPTIONS", 0, "build options", 0},
    {"platform", 'p', "NAME", 0, "platform whose name contains NAME; default Kiln", 0},
    {"repeat", 'n', "N", 0, "launches; the median is reported", 0},
    {"dump", OPT_DUMP, "STAGE", 0, "print what a compiler stage has made (Kiln; 'list': the stages, 'all')",
     0},
    {"explain", OPT_EXPLAIN, NULL, 0, "print the source with what became of each line (Kiln)", 0},
    {"expect", OPT_EXPECT, "K: EXPR", 0, "check the buffer of argument K after the run (see below)", 0},
    {"out", OPT_OUT, "K:FILE[:WIDTH]", 0,
     "write argument K to FILE (.csv, .png with WIDTH pixels a row, else raw)", 0},
    {"show", OPT_SHOW, "K[:N]", 0, "print the first N (default 16) elements of argument K", 0},
    {"flops", OPT_FLOPS, "EXPR", 0, "floating-point operations of a launch, to print GFLOP/s", 0},
    {"items", OPT_ITEMS, "EXPR", 0, "items (pixels, keys...) a launch handles, to print Mitem/s", 0},
    {"bytes", OPT_BYTES, "EXPR", 0, "bytes a launch moves, to print GB/s", 0},
    {"name", OPT_NAME, "TEXT", 0, "name of this case in reports", 0},
    {"quiet", 'q', NULL, 0, "print failures only", 0},
    {0},
};

static const char doc[] =
    "Launch a kernel of FILE.cl, check its results and time it."
    "\vAn ARG for each argument of the kernel, in order:\n"
    "  2.5   1,2,3,4    a scalar or vector by value; each component an EXPR\n"
    "  [N]   [N]=EXPR   a buffer of N elements, component i set to EXPR (or 0)\n"
    "  @FILE [N]=@FILE  a buffer (or a struct by value) from a .csv, .png or raw\n"
    "                   file; N: its first elements\n"
    "  image[W,H] image[W,H]=EXPR  an image2d_t: RGBA of bytes, or '(float4)image[...'\n"
    "  local[N]         N elements of local memory\n"
    "  null             a NULL buffer\n"
    "(TYPE) before it says how to read an argument whose type has a name of its\n"
    "own: '(float4)[64]=i'.\n\n"
    "An expectation is K: EXPR, or K: @FILE. Component i of the buffer of argument\n"
    "K must be equal to EXPR. K/S: every S-th component only. EXPR ~ T: within T,\n"
    "absolute, or relative to values above 1. ~ T,P%: but P percent may differ.\n\n"
    "EXPR: C's operators; i, n (component and their count), g0 g1 g2 (global\n"
    "size), aK[e], rK[e] (argument K before and after the run), aK (a scalar\n"
    "argument); pi inf nan; sin cos tan asin acos atan exp exp2 log log2 sqrt cbrt\n"
    "erf abs floor ceil round trunc min max pow mod atan2; float double int uint\n"
    "(rounding, wrapping); rand(k), from 0 to 1, fixed by k; sum(v,from,to,EXPR);\n"
    "loop(count,x=START:NEXT,...,EXPR), which changes its variables together.\n\n"
    "Without ARG and -g the `// run: ...` lines of FILE.cl, in this grammar, are\n"
    "carried out, with the `// expect: K: EXPR` lines that follow each.\n\n"
    "  kiln run saxpy.cl -g 1024 2 '[1024]=i' '[1024]=1' \\\n"
    "    --expect '2: 2*a1[i]+1' --show 2:4\n\n"
    "Exit status: 0, as expected; 1, something failed; 2, wrong usage.";

/* ---- memory ---- */

struct case_text {
  struct case_text *next;
  char bytes[];
};

/* size bytes of zeros. */
static char *own_bytes(struct run_case *c, size_t size) {
  struct case_text *text = tool_alloc(sizeof *text + size);
  text->next = c->owned;
  c->owned = text;
  return text->bytes;
}

char *case_own(struct run_case *c, const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(own_bytes(c, size), text, size);
}

void case_free(struct run_case *c) {
  while (c->owned != NULL) {
    struct case_text *next = c->owned->next;
    free(c->owned);
    c->owned = next;
  }
}

/* ---- options ---- */

static bool parse_sizes(const char *text, size_t out[3], unsigned *dims_out) {
  unsigned dims = 0;
  for (const char *at = text; dims < 3;) {
    char *end;
    out[dims++] = strtoull(at, &end, 0);
    if (!isdigit((unsigned char)*at)) return tool_error("'%s' is no list of sizes", text);
    if (*end == '\0') return *dims_out = dims, true;
    if (*end != ',') return tool_error("'%s' is no list of sizes", text);
    at = end + 1;
  }
  return tool_error("'%s' has more than 3 dimensions", text);
}

/* "K", "K:TEXT" or, for expectations, "K/STEP:TEXT". */
static bool parse_item(struct run_case *c, const char *option, const char *text, bool needs_text,
                       struct case_item *items, unsigned *count) {
  char *end;
  if (*count == CASE_MAX_ITEMS) return tool_error("more than %d %s", CASE_MAX_ITEMS, option);
  struct case_item *item = &items[*count];
  *item = (struct case_item){.argument = (unsigned)strtoul(text, &end, 10), .step = 1};
  if (!isdigit((unsigned char)text[0])) end = (char *)(uintptr_t)text;
  if (end > text && *end == '/') item->step = strtoull(end + 1, &end, 10);
  if (end == text || item->step == 0 || (*end != ':' && (needs_text || *end != '\0')))
    return tool_error("%s '%s' does not begin with an argument's number and ':'", option, text);
  item->text = case_own(c, *end == ':' ? end + 1 + strspn(end + 1, " ") : "");
  (*count)++;
  return true;
}

/* Takes "~ T" or "~ T,P%" from the end of an expectation; a ~ that no such thing follows is an operator. */
static void take_tolerance(struct case_item *item) {
  char *tilde = strrchr(item->text, '~'), *end;
  if (tilde == NULL) return;
  long double tolerance = strtold(tilde + 1, &end), percent = 0;
  if (*end == ',') {
    percent = strtold(end + 1, &end);
    if (*end++ != '%') return;
  }
  while (isspace((unsigned char)*end)) end++;
  if (*end != '\0' || tilde == item->text) return;
  item->tolerance = tolerance;
  item->may_differ = (double)percent / 100;
  *tilde = '\0';
}

static bool parse_expect(const char *text, struct run_case *c) {
  if (!parse_item(c, "--expect", text, true, c->expects, &c->num_expects)) return false;
  take_tolerance(&c->expects[c->num_expects - 1]);
  return true;
}

static bool check_dump(const char *list) {
  static const char *const stages[] = {
#define X(name, help) name,
      KILN_DUMP_TABLE(X)
#undef X
          "all",
      NULL};
  for (const char *at = list; *at != '\0';) {
    size_t length = strcspn(at, ",");
    char *stage = strndup(at, length);
    bool known = false;
    for (size_t k = 0; stages[k] != NULL; k++) known = known || strcmp(stages[k], stage) == 0;
    const char *near = known ? NULL : words_nearest(stage, stages);
    if (near != NULL) tool_error("'%s' is no stage; did you mean '%s'?", stage, near);
    else if (!known) tool_error("'%s' is no stage; `kiln run --dump list` lists them", stage);
    free(stage);
    if (!known) return false;
    at += length + (at[length] == ',');
  }
  return true;
}

static bool parse_repeat(const char *text, unsigned *out) {
  unsigned long long value = 0;
  bool ok = words_number(text, "--repeat", 1, 1000000, &value);
  *out = (unsigned)value;
  return ok;
}

static bool add_positional(struct run_case *c, char *word) {
  if (c->file == NULL) return c->file = word, true;
  if (c->num_args == CASE_MAX_ARGS) return tool_error("more than %d kernel arguments", CASE_MAX_ARGS);
  return c->args[c->num_args++] = word, true;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct run_case *c = state->input;
  unsigned dims = 0;
  bool ok = true;
  switch (key) {
  case 'k':
    c->kernel = arg;
    break;
  case 'g':
    ok = parse_sizes(arg, c->global, &c->dims);
    break;
  case 'l':
    ok = c->has_local = parse_sizes(arg, c->local, &dims);
    break;
  case 'o':
    ok = parse_sizes(arg, c->offset, &dims);
    break;
  case 'b':
    c->build_options = arg;
    break;
  case 'p':
    c->platform = arg;
    break;
  case 'n':
    ok = parse_repeat(arg, &c->repeat);
    break;
  case 'q':
    c->quiet = true;
    break;
  case OPT_EXPLAIN:
    c->explain = true;
    break;
  case OPT_DUMP:
    c->dump = arg;
    ok = strcmp(arg, "list") == 0 || check_dump(arg);
    break;
  case OPT_EXPECT:
    ok = parse_expect(arg, c);
    break;
  case OPT_OUT:
    ok = parse_item(c, "--out", arg, true, c->outputs, &c->num_outputs);
    break;
  case OPT_SHOW:
    ok = parse_item(c, "--show", arg, false, c->shows, &c->num_shows);
    break;
  case OPT_FLOPS:
    c->flops = arg;
    break;
  case OPT_BYTES:
    c->bytes = arg;
    break;
  case OPT_ITEMS:
    c->items = arg;
    break;
  case OPT_NAME:
    c->name = arg;
    break;
  case ARGP_KEY_ARG:
    ok = add_positional(c, arg);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return ok ? 0 : EINVAL;
}

static const struct argp parser = {options, parse_option, "FILE.cl [ARG...]", doc, NULL, NULL, NULL};

static const struct run_case nothing_given = {.platform = "kiln", .build_options = "", .repeat = 1};

static char *keep(void *c, const char *text) { return case_own(c, text); }

/* Adds what argv says to *out. */
static bool parse_words(int argc, char **argv, struct run_case *out) {
  if (!words_parse(&parser, "kiln run", argc, argv, out, keep)) return false;
  bool lists = out->dump != NULL && strcmp(out->dump, "list") == 0;
  return out->file != NULL || lists || tool_error("no kernel file given; `kiln run --help` says more");
}

bool case_parse(int argc, char **argv, struct run_case *out) {
  *out = nothing_given;
  return parse_words(argc, argv, out);
}

/* Splits a directive into words, which c owns; '...' and "..." keep spaces. */
static int split_words(struct run_case *c, const char *text, size_t length, char **words, int capacity) {
  int count = 0;
  for (size_t at = 0; at < length && count < capacity;) {
    while (at < length && isspace((unsigned char)text[at])) at++;
    if (at == length) break;
    char *word = own_bytes(c, length - at + 1), quote = '\0';
    size_t size = 0;
    for (; at < length && (quote != '\0' || !isspace((unsigned char)text[at])); at++) {
      if (quote == '\0' && (text[at] == '\'' || text[at] == '"')) quote = text[at];
      else if (text[at] == quote) quote = '\0';
      else word[size++] = text[at];
    }
    words[count++] = word;
  }
  return count;
}

static bool parse_run_line(const char *path, const char *text, size_t length, struct run_case *out) {
  *out = nothing_given;
  char *words[CASE_MAX_ARGS + CASE_MAX_ITEMS] = {case_own(out, "run"), case_own(out, path)};
  int count = 2 + split_words(out, text, length, words + 2, CASE_MAX_ARGS + CASE_MAX_ITEMS - 3);
  return parse_words(count, words, out);
}

static bool parse_directive(const char *path, const char *line, size_t length, struct run_case **cases,
                            int *count) {
  if (strncmp(line, "// run:", 7) == 0) {
    struct run_case *more = realloc(*cases, (size_t)(*count + 1) * sizeof *more);
    if (more == NULL)
      return tool_error("%zu bytes of memory are not to be had", (size_t)(*count + 1) * sizeof *more);
    *cases = more;
    return parse_run_line(path, line + 7, length - 7, &more[(*count)++]);
  }
  if (strncmp(line, "// expect:", 10) != 0) return true;
  char *expect = strndup(line + 10, length - 10);
  bool ok = *count == 0 ? tool_error("this `// expect:` line stands before any `// run:` line")
                        : parse_expect(expect + strspn(expect, " "), &(*cases)[*count - 1]);
  free(expect);
  return ok;
}

int case_parse_file(const char *path, const char *text, struct run_case **cases_out) {
  struct run_case *cases = NULL;
  int count = 0, number = 1;
  bool ok = true;
  for (const char *line = text; ok && *line != '\0'; number++) {
    size_t length = strcspn(line, "\n");
    char *place = tool_format("%s:%d", path, number);
    tool_place(place);
    ok = parse_directive(path, line, length, &cases, &count);
    tool_place(NULL);
    free(place);
    line += length + (line[length] == '\n');
  }
  *cases_out = ok ? cases : NULL;
  if (ok) return count;
  while (count > 0) case_free(&cases[--count]);
  free(cases);
  return -1;
}
