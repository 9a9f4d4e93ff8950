/* Parser (precedence climbing) of the command line's expressions: text to tree, names resolved. */
#include "tool/expr.h"
#include "tool/expr_node.h"
#include "tool/tool.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct name {
  const char *text;
  size_t length;
};

struct parser {
  const char *text, *at;
  bool failed;
  struct name variables[EXPR_MAX_VARIABLES]; /* of the enclosing sums and loops */
  unsigned num_variables;
};

static struct expr *node(enum expr_op op) {
  struct expr *e = tool_alloc(sizeof *e);
  e->op = op;
  return e;
}

void expr_free(struct expr *e) {
  if (e == NULL) return;
  for (unsigned k = 0; k < e->count; k++) expr_free(e->child[k]);
  free(e);
}

static struct expr *fail_at(struct parser *p, const char *at, const char *what) {
  if (!p->failed) tool_error("expression '%s': %s at '%s'", p->text, what, at);
  p->failed = true;
  return node(EXPR_NUMBER);
}

static struct expr *fail(struct parser *p, const char *what) { return fail_at(p, p->at, what); }

static void skip_space(struct parser *p) {
  while (isspace((unsigned char)*p->at)) p->at++;
}

static bool accept(struct parser *p, const char *token) {
  skip_space(p);
  size_t length = strlen(token);
  if (strncmp(p->at, token, length) != 0) return false;
  p->at += length;
  return true;
}

static void expect(struct parser *p, const char *token, const char *what) {
  if (!accept(p, token)) expr_free(fail(p, what));
}

static struct expr *parse_conditional(struct parser *p);

static void add(struct parser *p, struct expr *e, struct expr *child) {
  if (e->count < EXPR_MAX_CHILDREN) {
    e->child[e->count++] = child;
    return;
  }
  expr_free(child);
  expr_free(fail(p, "too many arguments"));
}

static struct expr *parse_number(struct parser *p) {
  char *end;
  struct expr *e = node(EXPR_NUMBER);
  bool integer = p->at[0] == '0' && tolower((unsigned char)p->at[1]) == 'x';
  e->number = integer ? (long double)strtoull(p->at, &end, 16) : strtold(p->at, &end);
  if (end == p->at) expr_free(fail(p, "no number"));
  p->at = end;
  return e;
}

static bool is_name(struct name name, const char *text) {
  return strlen(text) == name.length && memcmp(name.text, text, name.length) == 0;
}

static struct name read_name(struct parser *p) {
  skip_space(p);
  struct name name = {p->at, 0};
  if (isalpha((unsigned char)*p->at) || *p->at == '_')
    while (isalnum((unsigned char)*p->at) || *p->at == '_') p->at++;
  name.length = (size_t)(p->at - name.text);
  return name;
}

static unsigned declare(struct parser *p, struct name name) {
  if (p->num_variables < EXPR_MAX_VARIABLES) {
    p->variables[p->num_variables] = name;
    return p->num_variables++;
  }
  expr_free(fail_at(p, name.text, "too many variables"));
  return 0;
}

static struct expr *parse_sum(struct parser *p) {
  struct expr *e = node(EXPR_SUM);
  struct name name = read_name(p);
  if (name.length == 0) expr_free(fail(p, "the variable of sum expected"));
  expect(p, ",", "',' expected");
  add(p, e, parse_conditional(p));
  expect(p, ",", "',' expected");
  add(p, e, parse_conditional(p));
  expect(p, ",", "',' expected");
  e->slot = declare(p, name);
  add(p, e, parse_conditional(p));
  expect(p, ")", "')' expected");
  p->num_variables = e->slot;
  return e;
}

/* "name =" that is not "name ==" */
static bool assignment_follows(const struct parser *p) {
  struct parser ahead = *p;
  return read_name(&ahead).length > 0 && accept(&ahead, "=") && *ahead.at != '=';
}

/* To the comma that ends a term, or its parenthesis. */
static void skip_term(struct parser *p) {
  for (int depth = 0; *p->at != '\0' && (depth > 0 || (*p->at != ',' && *p->at != ')')); p->at++)
    depth += (*p->at == '(' || *p->at == '[') - (*p->at == ')' || *p->at == ']');
}

/* A term may use all variables of its loop, so their names are declared first. */
static void declare_loop(struct parser *p) {
  struct parser ahead = *p;
  while (!p->failed && assignment_follows(&ahead)) {
    declare(p, read_name(&ahead));
    skip_term(&ahead);
    accept(&ahead, ",");
  }
}

static struct expr *parse_loop(struct parser *p) {
  struct expr *e = node(EXPR_LOOP);
  e->slot = p->num_variables;
  add(p, e, parse_conditional(p));
  expect(p, ",", "',' expected");
  declare_loop(p);
  while (!p->failed && assignment_follows(p)) {
    read_name(p);
    accept(p, "=");
    add(p, e, parse_conditional(p));
    expect(p, ":", "':' expected");
    add(p, e, parse_conditional(p));
    expect(p, ",", "',' expected");
  }
  add(p, e, parse_conditional(p));
  expect(p, ")", "')' expected");
  p->num_variables = e->slot;
  return e;
}

/* ---- functions ---- */

static long double random_unit(long double key) {
  uint64_t x = (uint64_t)(int64_t)key + 0x9E3779B97F4A7C15u; /* splitmix64 */
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return (long double)((x ^ (x >> 31)) >> 40) / 16777216.0L;
}

static uint64_t wrapped(long double x) {
  return x >= 9223372036854775808.0L ? (uint64_t)x : (uint64_t)(int64_t)x;
}
static long double to_float(long double x) { return (float)x; }
static long double to_double(long double x) { return (double)x; }
static long double to_uint(long double x) { return (uint32_t)wrapped(x); }
static long double to_int(long double x) { return (int32_t)(uint32_t)wrapped(x); }
static long double least(long double a, long double b) { return a < b ? a : b; }
static long double greatest(long double a, long double b) { return a > b ? a : b; }

static const struct {
  const char *name;
  long double (*call1)(long double);
  long double (*call2)(long double, long double);
} functions[] = {
    {"sin", sinl, NULL},         {"cos", cosl, NULL},       {"tan", tanl, NULL},
    {"asin", asinl, NULL},       {"acos", acosl, NULL},     {"atan", atanl, NULL},
    {"exp", expl, NULL},         {"exp2", exp2l, NULL},     {"log", logl, NULL},
    {"log2", log2l, NULL},       {"sqrt", sqrtl, NULL},     {"cbrt", cbrtl, NULL},
    {"erf", erfl, NULL},         {"abs", fabsl, NULL},      {"floor", floorl, NULL},
    {"ceil", ceill, NULL},       {"round", roundl, NULL},   {"trunc", truncl, NULL},
    {"rand", random_unit, NULL}, {"float", to_float, NULL}, {"double", to_double, NULL},
    {"int", to_int, NULL},       {"uint", to_uint, NULL},   {"min", NULL, least},
    {"max", NULL, greatest},     {"pow", NULL, powl},       {"mod", NULL, fmodl},
    {"atan2", NULL, atan2l},
};

static struct expr *parse_call(struct parser *p, struct name name) {
  if (is_name(name, "sum")) return parse_sum(p);
  if (is_name(name, "loop")) return parse_loop(p);
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    if (!is_name(name, functions[k].name)) continue;
    struct expr *e = node(functions[k].call1 != NULL ? EXPR_CALL1 : EXPR_CALL2);
    e->call1 = functions[k].call1;
    e->call2 = functions[k].call2;
    do add(p, e, parse_conditional(p));
    while (accept(p, ","));
    expect(p, ")", "')' expected");
    if (e->count != (e->op == EXPR_CALL1 ? 1 : 2))
      expr_free(fail_at(p, name.text, "a function with another number of arguments"));
    return e;
  }
  return fail_at(p, name.text, "no function of this name");
}

/* ---- names ---- */

/* aK, rK with an optional [index]. */
static struct expr *parse_argument(struct parser *p, struct name name) {
  struct expr *e = node(EXPR_ARGUMENT);
  e->slot = (unsigned)strtoul(name.text + 1, NULL, 10);
  e->after = name.text[0] == 'r';
  if (!accept(p, "[")) return e;
  add(p, e, parse_conditional(p));
  expect(p, "]", "']' expected");
  return e;
}

static struct expr *constant(long double value) {
  struct expr *e = node(EXPR_NUMBER);
  e->number = value;
  return e;
}

static struct expr *with_slot(enum expr_op op, unsigned slot) {
  struct expr *e = node(op);
  e->slot = slot;
  return e;
}

static bool is_letter_and_digits(struct name name, const char *letters) {
  if (name.length < 2 || strchr(letters, name.text[0]) == NULL) return false;
  for (size_t k = 1; k < name.length; k++)
    if (!isdigit((unsigned char)name.text[k])) return false;
  return true;
}

static struct expr *parse_name(struct parser *p) {
  struct name name = read_name(p);
  for (unsigned k = p->num_variables; k-- > 0;)
    if (p->variables[k].length == name.length && memcmp(p->variables[k].text, name.text, name.length) == 0)
      return with_slot(EXPR_VARIABLE, k);
  if (is_letter_and_digits(name, "ar")) return parse_argument(p, name);
  if (is_letter_and_digits(name, "g") && name.length == 2 && name.text[1] <= '2')
    return with_slot(EXPR_GLOBAL, (unsigned)(name.text[1] - '0'));
  if (accept(p, "(")) return parse_call(p, name);
  if (is_name(name, "i")) return node(EXPR_INDEX);
  if (is_name(name, "n")) return node(EXPR_COUNT);
  if (is_name(name, "pi")) return constant(3.14159265358979323846L);
  if (is_name(name, "inf")) return constant(INFINITY);
  if (is_name(name, "nan")) return constant(NAN);
  return fail_at(p, name.text, "no name of ours (i, n, g0, g1, g2, aK, rK, pi, inf, nan)");
}

/* ---- operators ---- */

static struct expr *parse_primary(struct parser *p) {
  static const struct {
    char sign;
    enum expr_op op;
  } unary[] = {{'-', EXPR_NEGATE}, {'!', EXPR_NOT}, {'~', EXPR_COMPLEMENT}};
  skip_space(p);
  if (isdigit((unsigned char)*p->at) || *p->at == '.') return parse_number(p);
  if (isalpha((unsigned char)*p->at) || *p->at == '_') return parse_name(p);
  for (size_t k = 0; k < sizeof unary / sizeof *unary; k++) {
    if (*p->at != unary[k].sign) continue;
    p->at++;
    struct expr *e = node(unary[k].op);
    add(p, e, parse_primary(p));
    return e;
  }
  if (!accept(p, "(")) return fail(p, "a value expected");
  struct expr *e = parse_conditional(p);
  expect(p, ")", "')' expected");
  return e;
}

/* Longer tokens before their beginnings; level: higher binds tighter. */
static const struct {
  const char *token;
  int level;
  enum expr_op op;
} operators[] = {
    {"||", 1, EXPR_OR},         {"&&", 2, EXPR_AND},
    {"<<", 8, EXPR_SHIFT_LEFT}, {">>", 8, EXPR_SHIFT_RIGHT},
    {"==", 6, EXPR_EQUAL},      {"!=", 6, EXPR_UNEQUAL},
    {"<=", 7, EXPR_LESS_EQUAL}, {">=", 7, EXPR_GREATER_EQUAL},
    {"|", 3, EXPR_BIT_OR},      {"^", 4, EXPR_BIT_XOR},
    {"&", 5, EXPR_BIT_AND},     {"<", 7, EXPR_LESS},
    {">", 7, EXPR_GREATER},     {"+", 9, EXPR_ADD},
    {"-", 9, EXPR_SUBTRACT},    {"*", 10, EXPR_MULTIPLY},
    {"/", 10, EXPR_DIVIDE},     {"%", 10, EXPR_REMAINDER},
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
    struct expr *e = node(operators[k].op);
    add(p, e, left);
    add(p, e, parse_binary(p, operators[k].level + 1));
    left = e;
  }
  return left;
}

static struct expr *parse_conditional(struct parser *p) {
  struct expr *condition = parse_binary(p, 1);
  if (p->failed || !accept(p, "?")) return condition;
  struct expr *e = node(EXPR_IF);
  add(p, e, condition);
  add(p, e, parse_conditional(p));
  expect(p, ":", "':' expected");
  add(p, e, parse_conditional(p));
  return e;
}

struct expr *expr_parse(const char *text) {
  struct parser p = {.text = text, .at = text};
  struct expr *e = parse_conditional(&p);
  skip_space(&p);
  if (!p.failed && *p.at != '\0') expr_free(fail(&p, "end expected"));
  if (!p.failed) return e;
  expr_free(e);
  return NULL;
}
