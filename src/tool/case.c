/* Command line of `kiln run` and the directive lines of kernel files: one grammar. */
#include "tool/case.h"

#include "tool/tool.h"

#include <argp.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_DUMP = 256, OPT_EXPECT, OPT_OUT, OPT_SHOW, OPT_FLOPS, OPT_BYTES, OPT_NAME, OPT_EXPLAIN };

static const struct argp_option options[] = {
    {"kernel", 'k', "NAME", 0, "kernel to run; default: the file's only or first one", 0},
    {"global", 'g', "X[,Y[,Z]]", 0, "global size", 0},
    {"local", 'l', "X[,Y[,Z]]", 0, "local size; default: the platform's choice", 0},
    {"offset", 'o', "X[,Y[,Z]]", 0, "global offset", 0},
    {"build", 'b', "OPTIONS", 0, "build options", 0},
    {"platform", 'p', "NAME", 0, "platform whose name contains NAME; default Kiln", 0},
    {"repeat", 'n', "N", 0, "launches; the median is reported", 0},
    {"dump", OPT_DUMP, "STAGE", 0, "print the compiler's IR of a stage (Kiln; 'all' for every stage)", 0},
    {"explain", OPT_EXPLAIN, NULL, 0, "ask the compiler to say in the build log what it did", 0},
    {"expect", OPT_EXPECT, "K: EXPR [~ TOL]", 0,
     "check argument K after the run: component i must equal EXPR, or be within TOL, absolute or relative",
     0},
    {"out", OPT_OUT, "K:FILE[:WIDTH]", 0,
     "write argument K to FILE (.csv, .png with WIDTH pixels a row, else raw)", 0},
    {"show", OPT_SHOW, "K[:N]", 0, "print the first N (default 16) elements of argument K", 0},
    {"flops", OPT_FLOPS, "EXPR", 0, "floating-point operations of a launch, to print GFLOP/s", 0},
    {"bytes", OPT_BYTES, "EXPR", 0, "bytes a launch moves, to print GB/s", 0},
    {"name", OPT_NAME, "TEXT", 0, "name of this case in reports", 0},
    {"quiet", 'q', NULL, 0, "print failures only", 0},
    {0},
};

static const char doc[] =
    "Launch a kernel of FILE.cl and check its results."
    "\vEach ARG is one kernel argument, in order:\n"
    "  2.5   1,2,3,4        a scalar or vector by value (an expression a component)\n"
    "  [N]  [N]=EXPR        a buffer of N elements, component i set to EXPR (default 0)\n"
    "  [N]=@FILE  @FILE     a buffer from a .csv, .png or raw file\n"
    "  local[N]             N elements of local memory\n"
    "  null                 a NULL buffer\n"
    "Expressions know i, n, g0..g2, aK[e] (argument K before the run), rK[e] (after it), sin, sqrt, min, "
    "rand(i),\n"
    "sum(j,0,n,e) and C's operators. Without ARG and -g the `// run: ...` lines of FILE.cl, in this same "
    "grammar, and\n"
    "its `// expect: K: EXPR` lines are carried out.\n\n"
    "  kiln run saxpy.cl -g 1024 2 '[1024]=i' '[1024]=1' --expect '2: 2*a1[i]+1' --show 2:4";

static bool parse_sizes(const char *text, size_t out[3], unsigned *dims_out) {
  unsigned dims = 0;
  for (const char *at = text; dims < 3;) {
    char *end;
    out[dims++] = strtoull(at, &end, 0);
    if (end == at) return tool_error("'%s' is no list of sizes", text);
    if (*end == '\0') return *dims_out = dims, true;
    if (*end != ',') return tool_error("'%s' is no list of sizes", text);
    at = end + 1;
  }
  return tool_error("'%s' has more than 3 dimensions", text);
}

static bool parse_item(const char *text, struct case_item *items, unsigned *count) {
  char *end;
  if (*count == CASE_MAX_ITEMS) return tool_error("more than %d items of one kind", CASE_MAX_ITEMS);
  struct case_item *item = &items[*count];
  *item = (struct case_item){.argument = (unsigned)strtoul(text, &end, 10)};
  if (end == text || (*end != ':' && *end != '\0'))
    return tool_error("'%s' does not begin with an argument number and ':'", text);
  item->text = strdup(*end == ':' ? end + 1 : "");
  (*count)++;
  return true;
}

static bool parse_expect(const char *text, struct run_case *c) {
  if (!parse_item(text, c->expects, &c->num_expects)) return false;
  struct case_item *item = &c->expects[c->num_expects - 1];
  char *tilde = strrchr(item->text, '~');
  if (tilde == NULL) return true;
  char *end;
  item->tolerance = strtold(tilde + 1, &end);
  while (isspace((unsigned char)*end)) end++;
  if (*end != '\0') return true; /* the ~ was an operator of the expression */
  *tilde = '\0';
  return true;
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
    c->repeat = (unsigned)strtoul(arg, NULL, 10);
    break;
  case 'q':
    c->quiet = true;
    break;
  case OPT_DUMP:
    c->dump = arg;
    break;
  case OPT_EXPLAIN:
    c->explain = true;
    break;
  case OPT_EXPECT:
    ok = parse_expect(arg, c);
    break;
  case OPT_OUT:
    ok = parse_item(arg, c->outputs, &c->num_outputs);
    break;
  case OPT_SHOW:
    ok = parse_item(arg, c->shows, &c->num_shows);
    break;
  case OPT_FLOPS:
    c->flops = arg;
    break;
  case OPT_BYTES:
    c->bytes = arg;
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

bool case_parse(int argc, char **argv, struct run_case *out) {
  *out = (struct run_case){.platform = "kiln", .build_options = "", .repeat = 1};
  if (argp_parse(&parser, argc, argv, 0, NULL, out) != 0) return false;
  return out->file != NULL || tool_error("no kernel file given; `kiln run --help` says more");
}

/* Splits a directive into words; '...' and "..." keep spaces. Words are fresh copies. */
static int split_words(const char *text, size_t length, char **words, int capacity) {
  int count = 0;
  for (size_t at = 0; at < length && count < capacity;) {
    while (at < length && isspace((unsigned char)text[at])) at++;
    if (at == length) break;
    char *word = tool_alloc(length - at + 1), quote = '\0';
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
  char *words[CASE_MAX_ARGS + CASE_MAX_ITEMS] = {strdup("run"), strdup(path)};
  int count = 2 + split_words(text, length, words + 2, CASE_MAX_ARGS + CASE_MAX_ITEMS - 3);
  return case_parse(count, words, out);
}

int case_parse_file(const char *path, const char *text, struct run_case **cases_out) {
  struct run_case *cases = NULL;
  int count = 0;
  for (const char *line = text; line != NULL && *line != '\0';) {
    size_t length = strcspn(line, "\n");
    if (strncmp(line, "// run:", 7) == 0) {
      cases = realloc(cases, (size_t)(count + 1) * sizeof *cases);
      if (cases == NULL || !parse_run_line(path, line + 7, length - 7, &cases[count++])) return -1;
    } else if (strncmp(line, "// expect:", 10) == 0) {
      char *expect = strndup(line + 10, length - 10);
      char *start = expect + strspn(expect, " ");
      if (count == 0)
        return tool_error("%s: an `// expect:` line stands before any `// run:` line", path), -1;
      if (!parse_expect(start, &cases[count - 1])) return -1;
      free(expect);
    }
    line += length + (line[length] == '\n');
  }
  *cases_out = cases;
  return count;
}
