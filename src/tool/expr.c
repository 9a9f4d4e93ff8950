/* Parser (precedence climbing) and evaluator of the command line's expressions. */
#include "tool/expr.h"

#include "tool/tool.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, NAME, ARGUMENT, CALL, UNARY, BINARY, CONDITIONAL };

struct expr {
  enum kind kind;
  long double number;
  char name[16];     /* NAME, CALL: identifier; UNARY, BINARY: operator */
  unsigned argument; /* ARGUMENT */
  bool after;        /* ARGUMENT: rK, not aK */
  unsigned count;
  struct expr *child[4];
};

struct parser {
  const char *text, *at;
  bool failed;
};

static struct expr *node(enum kind kind, const char *name, size_t length) {
  struct expr *e = tool_alloc(sizeof *e);
  e->kind = kind;
  if (length >= sizeof e->name) length = sizeof e->name - 1;
  memcpy(e->name, name, length);
  return e;
}

void expr_free(struct expr *e) {
  if (e == NULL) return;
  for (unsigned k = 0; k < e->count; k++) expr_free(e->child[k]);
  free(e);
}

static void skip_space(struct parser *p) {
  while (isspace((unsigned char)*p->at)) p->at++;
}

static struct expr *fail(struct parser *p, const char *what) {
  if (!p->failed) tool_error("expression '%s': %s at '%s'", p->text, what, p->at);
  p->failed = true;
  return node(NUMBER, "", 0);
}

static bool accept(struct parser *p, const char *token) {
  skip_space(p);
  size_t length = strlen(token);
  if (strncmp(p->at, token, length) != 0) return false;
  p->at += length;
  return true;
}

static struct expr *parse_conditional(struct parser *p);

static void add(struct expr *e, struct expr *child) {
  if (e->count < 4) e->child[e->count++] = child;
  else expr_free(child);
}

static struct expr *parse_number(struct parser *p) {
  char *end;
  struct expr *e = node(NUMBER, "", 0);
  bool integer = p->at[0] == '0' && tolower((unsigned char)p->at[1]) == 'x';
  e->number = integer ? (long double)strtoull(p->at, &end, 16) : strtold(p->at, &end);
  if (end == p->at) fail(p, "no number");
  p->at = end;
  return e;
}

/* aK, rK with an optional [index]. */
static struct expr *parse_argument(struct parser *p, bool after, const char *digits) {
  struct expr *e = node(ARGUMENT, "", 0);
  e->argument = (unsigned)strtoul(digits, NULL, 10);
  e->after = after;
  if (!accept(p, "[")) return e;
  add(e, parse_conditional(p));
  if (!accept(p, "]")) fail(p, "']' expected");
  return e;
}

static struct expr *parse_name(struct parser *p) {
  const char *start = p->at;
  while (isalnum((unsigned char)*p->at) || *p->at == '_') p->at++;
  size_t length = (size_t)(p->at - start);
  if ((start[0] == 'a' || start[0] == 'r') && length > 1 && isdigit((unsigned char)start[1]))
    return parse_argument(p, start[0] == 'r', start + 1);
  struct expr *e = node(NAME, start, length);
  if (!accept(p, "(")) return e;
  e->kind = CALL;
  do add(e, parse_conditional(p));
  while (accept(p, ","));
  if (!accept(p, ")")) fail(p, "')' expected");
  return e;
}

static struct expr *parse_primary(struct parser *p) {
  skip_space(p);
  if (isdigit((unsigned char)*p->at) || *p->at == '.') return parse_number(p);
  if (isalpha((unsigned char)*p->at) || *p->at == '_') return parse_name(p);
  for (const char *op = "-!~"; *op != '\0'; op++) {
    if (*p->at != *op) continue;
    p->at++;
    struct expr *e = node(UNARY, op, 1);
    add(e, parse_primary(p));
    return e;
  }
  if (!accept(p, "(")) return fail(p, "a value expected");
  struct expr *e = parse_conditional(p);
  if (!accept(p, ")")) fail(p, "')' expected");
  return e;
}

/* Longest tokens first within the table's order; level: higher binds tighter. */
static const struct {
  const char *token;
  int level;
} operators[] = {
    {"||", 1}, {"&&", 2}, {"<<", 8}, {">>", 8}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"|", 3},
    {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

static int next_operator(struct parser *p) {
  skip_space(p);
  for (int k = 0; k < (int)(sizeof operators / sizeof *operators); k++)
    if (strncmp(p->at, operators[k].token, strlen(operators[k].token)) == 0) return k;
  return -1;
}

static struct expr *parse_binary(struct parser *p, int lowest) {
  struct expr *left = parse_primary(p);
  for (int k; !p->failed && (k = next_operator(p)) >= 0 && operators[k].level >= lowest;) {
    p->at += strlen(operators[k].token);
    struct expr *e = node(BINARY, operators[k].token, strlen(operators[k].token));
    add(e, left);
    add(e, parse_binary(p, operators[k].level + 1));
    left = e;
  }
  return left;
}

static struct expr *parse_conditional(struct parser *p) {
  struct expr *condition = parse_binary(p, 1);
  if (p->failed || !accept(p, "?")) return condition;
  struct expr *e = node(CONDITIONAL, "?", 1);
  add(e, condition);
  add(e, parse_conditional(p));
  if (!accept(p, ":")) fail(p, "':' expected");
  add(e, parse_conditional(p));
  return e;
}

struct expr *expr_parse(const char *text) {
  struct parser p = {text, text, false};
  struct expr *e = parse_conditional(&p);
  skip_space(&p);
  if (!p.failed && *p.at != '\0') fail(&p, "end expected");
  if (!p.failed) return e;
  expr_free(e);
  return NULL;
}

/* ---- evaluation ---- */

/* A loop variable of sum() hides outer names. */
struct frame {
  const struct frame *outer;
  const char *name;
  long double value;
};

static bool eval(const struct expr *e, const struct expr_scope *s, const struct frame *f, long double *out);

static long double random_unit(long double key) {
  uint64_t x = (uint64_t)(int64_t)key + 0x9E3779B97F4A7C15u; /* splitmix64 */
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return (long double)((x ^ (x >> 31)) >> 40) / 16777216.0L;
}

static bool eval_name(const struct expr *e, const struct expr_scope *s, const struct frame *f,
                      long double *out) {
  for (; f != NULL; f = f->outer)
    if (strcmp(f->name, e->name) == 0) return *out = f->value, true;
  if (strcmp(e->name, "i") == 0) return *out = s->i, true;
  if (strcmp(e->name, "n") == 0) return *out = s->n, true;
  if (strcmp(e->name, "pi") == 0) return *out = 3.14159265358979323846L, true;
  if (strcmp(e->name, "inf") == 0) return *out = INFINITY, true;
  if (strcmp(e->name, "nan") == 0) return *out = NAN, true;
  if (e->name[0] == 'g' && e->name[1] >= '0' && e->name[1] <= '2' && e->name[2] == '\0')
    return *out = s->global[e->name[1] - '0'], true;
  return tool_error("expression: '%s' is no name (i, n, g0, g1, g2, aK, rK, pi, inf, nan)", e->name);
}

static bool eval_sum(const struct expr *e, const struct expr_scope *s, const struct frame *f,
                     long double *out) {
  long double low, high, total = 0, term;
  if (e->count != 4 || e->child[0]->kind != NAME)
    return tool_error("expression: sum takes (variable, from, to, term)");
  if (!eval(e->child[1], s, f, &low) || !eval(e->child[2], s, f, &high)) return false;
  for (long double v = low; v < high; v++) {
    struct frame inner = {f, e->child[0]->name, v};
    if (!eval(e->child[3], s, &inner, &term)) return false;
    total += term;
  }
  *out = total;
  return true;
}

static const struct {
  const char *name;
  long double (*function)(long double);
} unary_functions[] = {
    {"sin", sinl},   {"cos", cosl},     {"tan", tanl},     {"exp", expl},
    {"log", logl},   {"sqrt", sqrtl},   {"abs", fabsl},    {"floor", floorl},
    {"ceil", ceill}, {"round", roundl}, {"trunc", truncl}, {"rand", random_unit},
};

static bool eval_call(const struct expr *e, const struct expr_scope *s, const struct frame *f,
                      long double *out) {
  if (strcmp(e->name, "sum") == 0) return eval_sum(e, s, f, out);
  long double a = 0, b = 0;
  if (!eval(e->child[0], s, f, &a) || (e->count > 1 && !eval(e->child[1], s, f, &b))) return false;
  if (e->count == 1) {
    for (size_t k = 0; k < sizeof unary_functions / sizeof *unary_functions; k++)
      if (strcmp(unary_functions[k].name, e->name) == 0) return *out = unary_functions[k].function(a), true;
    if (strcmp(e->name, "float") == 0) return *out = (float)a, true;
    if (strcmp(e->name, "double") == 0) return *out = (double)a, true;
  } else {
    if (strcmp(e->name, "min") == 0) return *out = a < b ? a : b, true;
    if (strcmp(e->name, "max") == 0) return *out = a > b ? a : b, true;
    if (strcmp(e->name, "pow") == 0) return *out = powl(a, b), true;
    if (strcmp(e->name, "mod") == 0) return *out = fmodl(a, b), true;
  }
  return tool_error("expression: there is no function '%s' of %u arguments", e->name, e->count);
}

static int64_t integer(long double x) {
  return x >= 9223372036854775808.0L ? (int64_t)(uint64_t)x : (int64_t)x;
}

static bool eval_binary(const struct expr *e, const struct expr_scope *s, const struct frame *f,
                        long double *out) {
  long double a, b;
  if (!eval(e->child[0], s, f, &a) || !eval(e->child[1], s, f, &b)) return false;
  const char *op = e->name;
  if (strcmp(op, "||") == 0) return *out = a != 0 || b != 0, true;
  if (strcmp(op, "&&") == 0) return *out = a != 0 && b != 0, true;
  if (strcmp(op, "==") == 0) return *out = a == b, true;
  if (strcmp(op, "!=") == 0) return *out = a != b, true;
  if (strcmp(op, "<=") == 0) return *out = a <= b, true;
  if (strcmp(op, ">=") == 0) return *out = a >= b, true;
  if (strcmp(op, "<<") == 0)
    return *out = (long double)(int64_t)((uint64_t)integer(a) << (integer(b) & 63)), true;
  if (strcmp(op, ">>") == 0) return *out = (long double)(integer(a) >> (integer(b) & 63)), true;
  switch (op[0]) {
  case '<':
    *out = a < b;
    break;
  case '>':
    *out = a > b;
    break;
  case '+':
    *out = a + b;
    break;
  case '-':
    *out = a - b;
    break;
  case '*':
    *out = a * b;
    break;
  case '/':
    *out = a / b;
    break;
  case '%':
    *out = integer(b) == 0 ? 0 : (long double)(integer(a) % integer(b));
    break;
  case '|':
    *out = (long double)(integer(a) | integer(b));
    break;
  case '^':
    *out = (long double)(integer(a) ^ integer(b));
    break;
  default:
    *out = (long double)(integer(a) & integer(b));
    break;
  }
  return true;
}

static bool eval(const struct expr *e, const struct expr_scope *s, const struct frame *f, long double *out) {
  long double a = 0;
  switch (e->kind) {
  case NUMBER:
    *out = e->number;
    return true;
  case NAME:
    return eval_name(e, s, f, out);
  case CALL:
    return eval_call(e, s, f, out);
  case BINARY:
    return eval_binary(e, s, f, out);
  case UNARY:
    if (!eval(e->child[0], s, f, &a)) return false;
    *out = e->name[0] == '-' ? -a : e->name[0] == '!' ? (long double)(a == 0) : (long double)~integer(a);
    return true;
  case CONDITIONAL:
    return eval(e->child[0], s, f, &a) && eval(e->child[a != 0 ? 1 : 2], s, f, out);
  case ARGUMENT:
    if (e->count > 0 && !eval(e->child[0], s, f, &a)) return false;
    return s->argument != NULL ? s->argument(s, e->argument, e->after, a, out)
                               : tool_error("expression: argument a%u cannot be used here", e->argument);
  }
  return false;
}

bool expr_eval(const struct expr *e, const struct expr_scope *scope, long double *out) {
  return eval(e, scope, NULL, out);
}
