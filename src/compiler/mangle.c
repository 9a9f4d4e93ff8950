/* Itanium-mangled names of OpenCL builtins. See mangle.h.
 *
 * Grammar: Itanium C++ ABI, chapter 5.1, with clang's conventions for OpenCL:
 * address spaces are the vendor qualifier U<n>AS<k>, written before r, V and
 * K; one qualified type is one substitution candidate; _Atomic is U7_Atomic;
 * opaque OpenCL types and enums are source names and are candidates, builtin
 * types are not. */
#include "compiler/mangle.h"

#include <string.h>

struct parser {
  const char *at;
  struct kiln_mangled *out;
  uint8_t nsubs;
  uint8_t subs[KILN_MANGLE_MAX_NODES];
};

static int parse_type(struct parser *p);

static int node_new(struct parser *p, enum kiln_type_kind kind) {
  struct kiln_mangled *m = p->out;
  if (m->nnodes == KILN_MANGLE_MAX_NODES) return -1;
  struct kiln_type *t = &m->nodes[m->nnodes];
  memset(t, 0, sizeof *t);
  t->kind = (uint8_t)kind;
  t->space = -1;
  return m->nnodes++;
}

static int node_add_sub(struct parser *p, int node) {
  if (node >= 0 && p->nsubs < KILN_MANGLE_MAX_NODES) p->subs[p->nsubs++] = (uint8_t)node;
  return node;
}

static bool parse_number(const char **at, size_t *out) {
  size_t n = 0;
  const char *s = *at;
  while (*s >= '0' && *s <= '9' && n < 1000) n = n * 10 + (size_t)(*s++ - '0');
  if (s == *at) return false;
  *at = s;
  *out = n;
  return true;
}

/* A decimal length and that many characters. */
static bool parse_source_name(const char **at, const char **text_out, size_t *len_out) {
  size_t len;
  if (!parse_number(at, &len) || memchr(*at, '\0', len) != NULL) return false;
  *text_out = *at;
  *len_out = len;
  *at += len;
  return true;
}

/* S_ is the first candidate, S0_ the second, then in base 36. */
static int parse_substitution(struct parser *p) {
  size_t index = 0;
  if (*p->at != '_') {
    for (; *p->at != '_'; p->at++) {
      char c = *p->at;
      unsigned digit;
      if (c >= '0' && c <= '9') digit = (unsigned)(c - '0');
      else if (c >= 'A' && c <= 'Z') digit = (unsigned)(c - 'A') + 10;
      else return -1;
      index = index * 36 + digit;
      if (index >= KILN_MANGLE_MAX_NODES) return -1;
    }
    index++;
  }
  p->at++;
  return index < p->nsubs ? p->subs[index] : -1;
}

static int parse_wrapped(struct parser *p, enum kiln_type_kind kind) {
  int base = parse_type(p);
  int node = base < 0 ? -1 : node_new(p, kind);
  if (node >= 0) p->out->nodes[node].base = (uint8_t)base;
  return node_add_sub(p, node);
}

/* The private address space has number 0 and no text, yet clang counts what it
 * qualifies as a candidate: "Pf" is a pointer to a qualified float. */
static int parse_pointer(struct parser *p) {
  int base = parse_type(p);
  if (base >= 0 && p->out->nodes[base].kind != KILN_TYPE_QUALIFIED) {
    int node = node_new(p, KILN_TYPE_QUALIFIED);
    if (node >= 0) p->out->nodes[node].base = (uint8_t)base;
    base = node_add_sub(p, node);
  }
  int node = base < 0 ? -1 : node_new(p, KILN_TYPE_POINTER);
  if (node >= 0) p->out->nodes[node].base = (uint8_t)base;
  return node_add_sub(p, node);
}

/* Address space and cv-qualifiers, or _Atomic. */
static int parse_qualified(struct parser *p) {
  int space = -1;
  unsigned cv = 0;
  if (*p->at == 'U') {
    const char *text;
    size_t len;
    p->at++;
    if (!parse_source_name(&p->at, &text, &len)) return -1;
    if (len == 7 && memcmp(text, "_Atomic", 7) == 0) return parse_wrapped(p, KILN_TYPE_ATOMIC);
    if (len < 3 || len > 5 || memcmp(text, "AS", 2) != 0) return -1;
    space = 0;
    for (size_t i = 2; i < len; i++) {
      if (text[i] < '0' || text[i] > '9') return -1;
      space = space * 10 + (text[i] - '0');
    }
  }
  for (;; p->at++) {
    if (*p->at == 'r') cv |= KILN_CV_RESTRICT;
    else if (*p->at == 'V') cv |= KILN_CV_VOLATILE;
    else if (*p->at == 'K') cv |= KILN_CV_CONST;
    else break;
  }
  int node = parse_wrapped(p, KILN_TYPE_QUALIFIED);
  if (node < 0) return -1;
  p->out->nodes[node].space = (int16_t)space;
  p->out->nodes[node].cv = (uint8_t)cv;
  return node;
}

static int parse_vector(struct parser *p) {
  size_t lanes;
  if (!parse_number(&p->at, &lanes) || lanes < 2 || lanes > 16 || *p->at++ != '_') return -1;
  int node = parse_wrapped(p, KILN_TYPE_VECTOR);
  if (node >= 0) p->out->nodes[node].lanes = (uint8_t)lanes;
  return node;
}

static int parse_builtin(struct parser *p) {
  static const char letters[] = "vbcahstijlmxynofdegz";
  size_t len = p->at[0] == 'D' ? 2 : 1;
  if (len == 1 && (*p->at == '\0' || strchr(letters, *p->at) == NULL)) return -1;
  if (len == 2 && p->at[1] != 'h') return -1;
  int node = node_new(p, KILN_TYPE_BUILTIN);
  if (node < 0) return -1;
  memcpy(p->out->nodes[node].code, p->at, len);
  p->at += len;
  return node;
}

static int parse_named(struct parser *p) {
  int node = node_new(p, KILN_TYPE_NAMED);
  if (node < 0) return -1;
  struct kiln_type *t = &p->out->nodes[node];
  if (!parse_source_name(&p->at, &t->text, &t->text_len)) return -1;
  return node_add_sub(p, node);
}

static int parse_type(struct parser *p) {
  char c = *p->at;
  if (c == 'P') {
    p->at++;
    return parse_pointer(p);
  }
  if (c == 'D' && p->at[1] == 'v') {
    p->at += 2;
    return parse_vector(p);
  }
  if (c == 'S') {
    p->at++;
    return parse_substitution(p);
  }
  if (c == 'U' || c == 'r' || c == 'V' || c == 'K') return parse_qualified(p);
  if (c >= '1' && c <= '9') return parse_named(p);
  return parse_builtin(p);
}

bool kiln_mangle_parse(const char *text, struct kiln_mangled *out) {
  struct parser p = {.at = text, .out = out};
  out->nnodes = 0;
  out->nparams = 0;
  if (strncmp(text, "_Z", 2) != 0) return false;
  p.at += 2;
  if (!parse_source_name(&p.at, &out->name, &out->name_len)) return false;
  if (strcmp(p.at, "v") == 0) return true;
  while (*p.at != '\0') {
    int node = parse_type(&p);
    if (node < 0 || out->nparams == KILN_MANGLE_MAX_PARAMS) return false;
    out->params[out->nparams++] = (uint8_t)node;
  }
  return out->nparams > 0;
}

const char *kiln_mangle_source_name(const char *text, size_t *len_out) {
  const char *at = text + 2, *name;
  if (strncmp(text, "_Z", 2) == 0 && parse_source_name(&at, &name, len_out)) return name;
  *len_out = strlen(text);
  return text;
}

bool kiln_mangle_is(const char *text, const char *source_name) {
  size_t length;
  const char *name = kiln_mangle_source_name(text, &length);
  return length == strlen(source_name) && memcmp(name, source_name, length) == 0;
}

/* Lanes of the vector inside a type: 1 for none. */
static unsigned type_lanes(const struct kiln_mangled *m, unsigned node) {
  const struct kiln_type *t = &m->nodes[node];
  if (t->kind == KILN_TYPE_VECTOR) return t->lanes;
  if (t->kind == KILN_TYPE_BUILTIN || t->kind == KILN_TYPE_NAMED) return 1;
  return type_lanes(m, t->base);
}

unsigned kiln_mangle_lanes(const struct kiln_mangled *m) {
  unsigned lanes = 0;
  for (unsigned i = 0; i < m->nparams; i++) {
    unsigned n = type_lanes(m, m->params[i]);
    if (n == 1) continue;
    if (lanes != 0 && n != lanes) return 0;
    lanes = n;
  }
  return lanes;
}

struct writer {
  const struct kiln_mangled *m;
  bool scalar;
  bool overflow;
  uint8_t nsubs;
  uint8_t subs[KILN_MANGLE_MAX_NODES];
  char *buf;
  size_t len, cap;
};

static void put(struct writer *w, const char *s, size_t n) {
  if (w->cap - w->len <= n) {
    w->overflow = true;
    return;
  }
  memcpy(w->buf + w->len, s, n);
  w->len += n;
}

static void put_number(struct writer *w, size_t n) {
  char digits[24];
  size_t i = sizeof digits;
  do {
    digits[--i] = (char)('0' + n % 10);
    n /= 10;
  } while (n != 0);
  put(w, digits + i, sizeof digits - i);
}

static unsigned skip_vector(const struct writer *w, unsigned node) {
  const struct kiln_type *t = &w->m->nodes[node];
  return w->scalar && t->kind == KILN_TYPE_VECTOR ? t->base : node;
}

static bool types_equal(const struct writer *w, unsigned a, unsigned b) {
  a = skip_vector(w, a);
  b = skip_vector(w, b);
  if (a == b) return true;
  const struct kiln_type *s = &w->m->nodes[a], *t = &w->m->nodes[b];
  if (s->kind != t->kind) return false;
  if (s->kind == KILN_TYPE_BUILTIN) return strcmp(s->code, t->code) == 0;
  if (s->kind == KILN_TYPE_NAMED)
    return s->text_len == t->text_len && memcmp(s->text, t->text, s->text_len) == 0;
  return s->lanes == t->lanes && s->cv == t->cv && s->space == t->space && types_equal(w, s->base, t->base);
}

/* True when the type was written before and its short form now is. */
static bool put_substitution(struct writer *w, unsigned node) {
  unsigned i = 0;
  while (i < w->nsubs && !types_equal(w, w->subs[i], node)) i++;
  if (i == w->nsubs) return false;
  put(w, "S", 1);
  if (i > 36) w->overflow = true; /* no builtin has that many types */
  if (i > 0) put(w, &"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i - 1], i <= 36 ? 1 : 0);
  put(w, "_", 1);
  return true;
}

static void put_qualifiers(struct writer *w, const struct kiln_type *t) {
  if (t->space >= 0) {
    put(w, "U", 1);
    put_number(w, t->space >= 100 ? 5 : t->space >= 10 ? 4 : 3);
    put(w, "AS", 2);
    put_number(w, (size_t)t->space);
  }
  if (t->cv & KILN_CV_RESTRICT) put(w, "r", 1);
  if (t->cv & KILN_CV_VOLATILE) put(w, "V", 1);
  if (t->cv & KILN_CV_CONST) put(w, "K", 1);
}

static void put_type(struct writer *w, unsigned node) {
  node = skip_vector(w, node);
  const struct kiln_type *t = &w->m->nodes[node];
  if (t->kind == KILN_TYPE_BUILTIN) {
    put(w, t->code, strlen(t->code));
    return;
  }
  if (put_substitution(w, node)) return;
  switch (t->kind) {
  case KILN_TYPE_VECTOR:
    put(w, "Dv", 2);
    put_number(w, t->lanes);
    put(w, "_", 1);
    break;
  case KILN_TYPE_POINTER:
    put(w, "P", 1);
    break;
  case KILN_TYPE_ATOMIC:
    put(w, "U7_Atomic", 9);
    break;
  case KILN_TYPE_QUALIFIED:
    put_qualifiers(w, t);
    break;
  default:
    put_number(w, t->text_len);
    put(w, t->text, t->text_len);
    break;
  }
  if (t->kind != KILN_TYPE_NAMED) put_type(w, t->base);
  w->subs[w->nsubs++] = (uint8_t)node;
}

size_t kiln_mangle_write(const struct kiln_mangled *m, const char *name, size_t name_len, bool scalar,
                         char *buf, size_t cap) {
  struct writer w = {.m = m, .scalar = scalar, .buf = buf, .cap = cap};
  if (cap == 0) return 0;
  put(&w, "_Z", 2);
  put_number(&w, name_len);
  put(&w, name, name_len);
  if (m->nparams == 0) put(&w, "v", 1);
  for (unsigned i = 0; i < m->nparams; i++) put_type(&w, m->params[i]);
  if (w.overflow) return 0;
  buf[w.len] = '\0';
  return w.len;
}
