/* Kernel arguments from the words of a command line, and what expressions see of them. */
#include "tool/args.h"

#include "tool/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* aK in expressions: the value before the run; rK: after it. */
static bool argument_value(const struct expr_scope *scope, unsigned k, bool after, long double index,
                           long double *out) {
  const struct launch *l = scope->user;
  if (k >= l->num_args) return tool_error("expression: there is no argument %u", k);
  const struct launch_arg *a = &l->args[k];
  const void *data = after && a->kind == LAUNCH_BUFFER ? a->after : a->before;
  if (data == NULL) return tool_error("expression: argument %u has no value here", k);
  size_t limit = a->count * a->type.width;
  if (!(index >= 0 && index < (long double)limit))
    return tool_error("expression: component %.0Lf of argument %u, which has %zu", index, k, limit);
  *out = value_load(&a->type, data, (size_t)index);
  return true;
}

struct expr_scope args_scope(const struct launch *l) {
  struct expr_scope scope = {.argument = argument_value, .user = l};
  for (int d = 0; d < 3; d++) scope.global[d] = (long double)(d < (int)l->c->dims ? l->c->global[d] : 1);
  return scope;
}

bool launch_expr(const struct launch *l, const char *text, long double *out) {
  struct expr *e = expr_parse(text);
  struct expr_scope scope = args_scope(l);
  bool ok = e != NULL && expr_eval(e, &scope, out);
  expr_free(e);
  return ok;
}

static bool fill(const struct launch *l, struct launch_arg *a, const char *text) {
  struct expr *e = expr_parse(text);
  struct expr_scope scope = args_scope(l);
  size_t n = a->count * a->type.width;
  scope.n = (long double)n;
  bool ok = e != NULL;
  for (size_t k = 0; ok && k < n; k++) {
    long double value;
    scope.i = (long double)k;
    if (k % 4096 == 0) tool_progress("filling a buffer: %zu of %zu", k, n);
    ok = expr_eval(e, &scope, &value);
    if (ok) value_store(&a->type, a->before, k, value);
  }
  expr_free(e);
  return ok;
}

static bool parse_count(const struct launch *l, const char *text, size_t *count_out, const char **rest_out) {
  const char *open = strchr(text, '['), *close = text;
  int depth = 0;
  for (close = open; *close != '\0'; close++) { /* the bracket that matches: counts may index arguments */
    depth += *close == '[';
    if (*close == ']' && --depth == 0) break;
  }
  if (*close == '\0') return tool_error("argument '%s' lacks ']'", text);
  char *count = strndup(open + 1, (size_t)(close - open - 1));
  long double value;
  bool ok = launch_expr(l, count, &value);
  free(count);
  if (!ok) return false;
  if (!(value >= 1 && value < 1e12L)) return tool_error("argument '%s' has no sensible count", text);
  *count_out = (size_t)value;
  *rest_out = close + 1;
  return true;
}

/* What a buffer or an image holds before the run: "", "=EXPR", "@FILE" or "=@FILE". */
static bool make_contents(struct launch *l, struct launch_arg *a, const char *rest) {
  a->kind = LAUNCH_BUFFER;
  if (rest[0] == '=') rest++;
  if (rest[0] == '@') {
    size_t wanted = a->count;
    a->before = data_read(rest + 1, &a->type, &a->count);
    if (a->before == NULL) return false;
    if (wanted > a->count) return tool_error("%s has %zu elements, not %zu", rest + 1, a->count, wanted);
    if (wanted > 0) a->count = wanted;
  } else {
    a->before = tool_alloc(a->count * value_element_bytes(&a->type));
    if (rest[0] != '\0' && !fill(l, a, rest)) return false;
  }
  a->after = tool_alloc(a->count * value_element_bytes(&a->type));
  return true;
}

static bool make_buffer(struct launch *l, struct launch_arg *a, const char *text) {
  const char *rest = text;
  cl_int err;
  if (text[0] == '[' && !parse_count(l, text, &a->count, &rest)) return false;
  if (!make_contents(l, a, rest)) return false;
  a->mem =
      clCreateBuffer(l->context, CL_MEM_READ_WRITE, a->count * value_element_bytes(&a->type), NULL, &err);
  return launch_ok(err, "clCreateBuffer");
}

/* Images are normalized bytes and words, or floats: one component, two or four. */
static bool image_format(const struct value_type *type, cl_image_format *out) {
  static const cl_channel_order orders[] = {[1] = CL_R, [2] = CL_RG, [4] = CL_RGBA};
  if (type->width > 4 || orders[type->width] == 0) return false;
  out->image_channel_order = orders[type->width];
  if (type->kind == VALUE_FLOAT) out->image_channel_data_type = CL_FLOAT;
  else out->image_channel_data_type = type->bytes == 1 ? CL_UNORM_INT8 : CL_UNORM_INT16;
  return (type->kind == VALUE_FLOAT && type->bytes == 4) ||
         (type->kind == VALUE_UNSIGNED && type->bytes <= 2);
}

/* "image[WIDTH,HEIGHT]" and what it holds. */
static bool make_image(struct launch *l, struct launch_arg *a, const char *text) {
  const char *comma = strchr(text, ','), *rest = "";
  cl_image_format format;
  cl_int err;
  if (strncmp(text, "image[", 6) != 0 || comma == NULL)
    return tool_error("an image2d_t takes image[WIDTH,HEIGHT] or image[WIDTH,HEIGHT]=EXPR, not '%s'", text);
  if (!image_format(&a->type, &format))
    return tool_error("an image cannot hold elements of type %s", a->type.name);
  char *width = tool_format("%.*s]", (int)(comma - text), text), *height = tool_format("[%s", comma + 1);
  bool ok = parse_count(l, width, &a->image[0], &rest) && parse_count(l, height, &a->image[1], &rest);
  a->image[2] = 1;
  a->count = a->image[0] * a->image[1];
  ok = ok && make_contents(l, a, rest);
  free(width);
  free(height);
  if (!ok) return false;
  if (a->count != a->image[0] * a->image[1])
    return tool_error("the file does not fill an image of %zux%zu", a->image[0], a->image[1]);
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = a->image[0], .image_height = a->image[1]};
  a->mem = clCreateImage(l->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
  return launch_ok(err, "clCreateImage");
}

/* A struct has no type we could name: its bytes come from a file. */
static bool make_opaque(struct launch_arg *a, const char *text, const char *type) {
  if (text[0] != '@')
    return tool_error("a %s by value can only be read from a file ('@FILE'), not from '%s'", type, text);
  a->before = data_read(text + 1, &a->type, &a->count);
  return a->before != NULL;
}

static bool make_value(struct launch *l, struct launch_arg *a, const char *text) {
  a->count = 1;
  a->before = tool_alloc(value_element_bytes(&a->type));
  const char *at = text;
  unsigned k = 0;
  long double value = 0;
  for (bool more = true; more; k++) {
    int depth = 0;
    size_t length = 0; /* to the next comma outside parentheses */
    for (; at[length] != '\0' && (depth > 0 || at[length] != ','); length++)
      depth += (at[length] == '(' || at[length] == '[') - (at[length] == ')' || at[length] == ']');
    if (k >= a->type.width)
      return tool_error("'%s' has more than the %u components of %s", text, a->type.width, a->type.name);
    char *part = strndup(at, length);
    bool ok = launch_expr(l, part, &value);
    free(part);
    if (!ok) return false;
    value_store(&a->type, a->before, k, value);
    more = at[length] == ',';
    at += length + more;
  }
  if (k != 1 && k != a->type.width)
    return tool_error("'%s' has %u components, %s takes 1 or %u", text, k, a->type.name, a->type.width);
  for (; k < a->type.width; k++) value_store(&a->type, a->before, k, value); /* one value: all */
  return true;
}

/* "(TYPE)REST": how to read an argument whose declared type has another name. */
static bool take_cast(const char **text, struct value_type *type) {
  const char *close = strchr(*text, ')');
  if (**text != '(' || close == NULL) return false;
  char *name = strndup(*text + 1, (size_t)(close - *text - 1));
  bool ok = value_type_parse(name, type);
  free(name);
  if (ok) *text = close + 1;
  return ok;
}

struct signature {
  char name[256];
  bool pointer, image;
};

static bool read_signature(struct launch *l, unsigned k, struct launch_arg *a, struct signature *s) {
  *s = (struct signature){.name = ""};
  cl_int err = clGetKernelArgInfo(l->kernel, k, CL_KERNEL_ARG_TYPE_NAME, sizeof s->name, s->name, NULL);
  if (!launch_ok(err, "clGetKernelArgInfo")) return false;
  s->image = strcmp(s->name, "image2d_t") == 0;
  if (s->image) return value_type_parse("uchar4", &a->type);
  if (strncmp(s->name, "image", 5) == 0 || strncmp(s->name, "sampler_t", 9) == 0 ||
      strncmp(s->name, "pipe", 4) == 0)
    return tool_error("argument %u is of type %s, which `kiln run` cannot make", k, s->name);
  s->pointer = strchr(s->name, '*') != NULL;
  a->opaque = !value_type_parse(s->name, &a->type);
  return !a->opaque || value_type_parse("uchar", &a->type);
}

static bool set_arg(struct launch *l, unsigned k, size_t size, const void *value) {
  cl_int err = clSetKernelArg(l->kernel, k, size, value);
  return err == CL_SUCCESS || tool_error("argument %u of kernel %s, %zu bytes: clSetKernelArg gave %s", k,
                                         l->kernel_name, size, tool_cl_error(err));
}

static bool make_arg(struct launch *l, unsigned k, const char *text) {
  struct launch_arg *a = &l->args[k];
  struct signature s;
  const char *rest;
  if (!read_signature(l, k, a, &s)) return false;
  text += strspn(text, " ");
  if (take_cast(&text, &a->type)) a->opaque = false;
  if (strncmp(text, "local[", 6) == 0) {
    a->kind = LAUNCH_LOCAL;
    return parse_count(l, text, &a->count, &rest) &&
           set_arg(l, k, a->count * value_element_bytes(&a->type), NULL);
  }
  if (strcmp(text, "null") == 0) {
    a->kind = LAUNCH_NULL;
    return set_arg(l, k, sizeof(cl_mem), NULL);
  }
  if (s.image) return make_image(l, a, text) && set_arg(l, k, sizeof a->mem, &a->mem);
  if (s.pointer && text[0] != '[' && text[0] != '@')
    return tool_error("argument %u is a pointer (%s): give a buffer like [N] or [N]=EXPR, not '%s'", k,
                      s.name, text);
  if (s.pointer) return make_buffer(l, a, text) && set_arg(l, k, sizeof a->mem, &a->mem);
  if (text[0] == '[')
    return tool_error("argument %u is a %s, no pointer: it takes a value, not '%s'", k, s.name, text);
  a->kind = LAUNCH_VALUE;
  bool ok = a->opaque ? make_opaque(a, text, s.name) : make_value(l, a, text);
  return ok && set_arg(l, k, a->count * value_element_bytes(&a->type), a->before);
}

bool args_make(struct launch *l) {
  cl_uint wanted = 0;
  clGetKernelInfo(l->kernel, CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted, NULL);
  if (wanted != l->c->num_args)
    return tool_error("kernel %s takes %u argument%s, %u given", l->kernel_name, wanted,
                      wanted == 1 ? "" : "s", l->c->num_args);
  for (unsigned k = 0; k < wanted; k++) {
    l->num_args = k; /* expressions may use the arguments before this one */
    if (make_arg(l, k, l->c->args[k])) continue;
    l->num_args = k + 1; /* to be released */
    return false;
  }
  l->num_args = wanted;
  return true;
}
