/* Expectations: what buffers must hold after a run. */
#include "tool/args.h"
#include "tool/data.h"
#include "tool/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a component must be: an expression's value, or an element of a file. */
struct wanted {
  struct expr *e;
  struct expr_scope scope;
  void *file;
};

static bool open_wanted(const struct launch *l, const struct launch_arg *a, const struct case_item *item,
                        struct wanted *w) {
  size_t count = 0;
  *w = (struct wanted){.scope = args_scope(l)};
  w->scope.n = (long double)(a->count * a->type.width);
  if (item->text[0] != '@') return (w->e = expr_parse(item->text)) != NULL;
  char *path = strndup(item->text + 1, strcspn(item->text + 1, " "));
  struct value_type type = a->type;
  w->file = data_read(path, &type, &count);
  bool ok = w->file != NULL &&
            (count >= a->count || tool_error("%s has %zu elements, the buffer %zu", path, count, a->count));
  free(path);
  return ok;
}

static void close_wanted(struct wanted *w) {
  expr_free(w->e);
  free(w->file);
}

static bool want(struct wanted *w, const struct launch_arg *a, size_t k, long double *out) {
  if (w->file != NULL) return *out = value_load(&a->type, w->file, k), true;
  w->scope.i = (long double)k;
  return expr_eval(w->e, &w->scope, out);
}

static bool close_enough(const struct value_type *type, long double got, long double want,
                         long double tolerance) {
  char rounded[16];
  value_store(type, rounded, 0, want); /* what the type can hold */
  want = value_load(type, rounded, 0);
  if (got == want || (isnan(got) && isnan(want))) return true;
  long double scale = fabsl(want) > 1 ? fabsl(want) : 1;
  return tolerance > 0 && fabsl(got - want) <= tolerance * scale;
}

static void say_first(const struct launch *l, const struct case_item *item, const struct launch_arg *a,
                      size_t k, long double got, long double expected) {
  char *text = strdup(value_text(&a->type, got));
  tool_error("%s: argument %u, component %zu is %s, expected %s", l->c->file, item->argument, k, text,
             value_text(&a->type, expected));
  free(text);
}

/* All the components an expectation is about; false after a message. */
static bool compare(const struct launch *l, const struct case_item *item, const struct launch_arg *a,
                    struct wanted *w) {
  size_t n = a->count * a->type.width, wrong = 0, looked_at = 0, first = 0;
  long double got, expected, first_got = 0, first_expected = 0;
  for (size_t k = 0; k < n; k += item->step, looked_at++) {
    if (looked_at % 1024 == 0) tool_progress("checking argument %u: %zu of %zu", item->argument, k, n);
    if (!want(w, a, k, &expected)) return false;
    got = value_load(&a->type, a->after, k);
    if (close_enough(&a->type, got, expected, item->tolerance) || wrong++ > 0) continue;
    first = k;
    first_got = got;
    first_expected = expected;
  }
  tool_progress(NULL);
  if ((double)wrong <= item->may_differ * (double)looked_at) return true;
  say_first(l, item, a, first, first_got, first_expected);
  return tool_error("%s: argument %u: %zu of %zu components are wrong", l->c->file, item->argument, wrong,
                    looked_at);
}

static bool check_one(const struct launch *l, const struct case_item *item) {
  if (item->argument >= l->num_args || l->args[item->argument].kind != LAUNCH_BUFFER)
    return tool_error("--expect: argument %u is no buffer", item->argument);
  const struct launch_arg *a = &l->args[item->argument];
  struct wanted w;
  bool ok = open_wanted(l, a, item, &w) && compare(l, item, a, &w);
  close_wanted(&w);
  return ok;
}

bool launch_check(const struct launch *l) {
  bool ok = true;
  for (unsigned k = 0; k < l->c->num_expects; k++) ok = check_one(l, &l->c->expects[k]) && ok;
  return ok;
}
