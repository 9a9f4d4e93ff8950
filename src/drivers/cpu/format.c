/* Owns the language of printf formats: one stored record in, text out. Conversions of single values are the C
 * library's, in the C locale; what OpenCL adds (vectors, halves, lengths) is done here. */
#include "base/abi.h"
#include "base/alloc.h"
#include "base/fault.h"
#include "base/half.h"
#include "drivers/cpu/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum length { LENGTH_NONE, LENGTH_HH, LENGTH_H, LENGTH_HL, LENGTH_L };

struct conversion {
  char flags[8];
  unsigned width, precision;
  bool has_width, has_precision;
  unsigned vector; /* components; 0: no vector specifier */
  enum length length;
  char letter;
};

struct item {
  uint32_t kind, bytes, count;
  const uint8_t *payload;
};

/* ---- output ---- */

static void write_text(struct kiln_text *text, const char *bytes, size_t size) {
  if (size > 0) text->write(text, bytes, size);
}

/* A value's text may be as long as width and precision ask; only then memory is needed. */
enum { VALUE_BYTES = 512 };

/* "%" flags width precision `suffix`, as the C library takes it. */
static void make_format(const struct conversion *c, const char *suffix, char *out, size_t size) {
  char width[16] = "", precision[16] = "";
  if (c->has_width) snprintf(width, sizeof width, "%u", c->width);
  if (c->has_precision) snprintf(precision, sizeof precision, ".%u", c->precision);
  snprintf(out, size, "%%%s%s%s%s", c->flags, width, precision, suffix);
}

/* Formats one value of the type that suffix names, with a format made of checked parts. */
#define WRITE_VALUE(text, c, suffix, value)                                                                  \
  do {                                                                                                       \
    char format_[64], short_[VALUE_BYTES], *long_ = NULL;                                                    \
    make_format((c), (suffix), format_, sizeof format_);                                                     \
    int length_ = snprintf(short_, sizeof short_, format_, (value));                                         \
    if (length_ < 0) break;                                                                                  \
    if ((size_t)length_ >= sizeof short_) long_ = kiln_alloc((size_t)length_ + 1);                           \
    if (long_ != NULL) snprintf(long_, (size_t)length_ + 1, format_, (value));                               \
    if ((size_t)length_ >= sizeof short_ && long_ == NULL) length_ = sizeof short_ - 1;                      \
    write_text((text), long_ != NULL ? long_ : short_, (size_t)length_);                                     \
    kiln_free(long_);                                                                                        \
  } while (0)

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* ---- values ---- */

/* Little-endian integer of bytes bytes. */
static uint64_t load_bits(const uint8_t *from, uint32_t bytes) {
  uint64_t bits = 0;
  memcpy(&bits, from, bytes > 8 ? 8 : bytes);
  return bits;
}

static double load_float(const uint8_t *from, uint32_t bytes) {
  float single;
  double value;
  switch (bytes) {
  case 2:
    return (double)kiln_half_to_float((uint16_t)load_bits(from, 2));
  case 4:
    memcpy(&single, from, sizeof single);
    return (double)single;
  default:
    memcpy(&value, from, sizeof value);
    return value;
  }
}

/* Bytes of an integer that a length modifier names; not more than the argument has. */
static uint32_t integer_bytes(const struct conversion *c, const struct item *item) {
  uint32_t bytes = c->length == LENGTH_HH  ? 1
                   : c->length == LENGTH_H ? 2
                   : c->length == LENGTH_L ? 8
                   : c->vector != 0        ? 4
                                           : item->bytes;
  return bytes < item->bytes ? bytes : item->bytes;
}

static void write_integer(struct kiln_text *text, const struct conversion *c, const struct item *item,
                          uint32_t i) {
  uint32_t bytes = integer_bytes(c, item), unused = 64 - 8 * (bytes > 8 ? 8 : bytes);
  uint64_t bits = load_bits(item->payload + (size_t)i * item->bytes, bytes) << unused;
  char suffix[4] = {'l', 'l', c->letter, '\0'};
  if (c->letter == 'd' || c->letter == 'i') WRITE_VALUE(text, c, suffix, (long long)bits >> unused);
  else WRITE_VALUE(text, c, suffix, (unsigned long long)(bits >> unused));
}

static void write_float(struct kiln_text *text, const struct conversion *c, const struct item *item,
                        uint32_t i) {
  char suffix[2] = {c->letter, '\0'};
  const uint8_t *at = item->payload + (size_t)i * item->bytes;
  double value =
      item->kind == KILN_PRINTF_FLOAT ? load_float(at, item->bytes) : (double)load_bits(at, item->bytes);
  WRITE_VALUE(text, c, suffix, value);
}

static void write_pointer(struct kiln_text *text, const struct conversion *c, const struct item *item) {
  char digits[24];
  struct conversion string = *c;
  string.has_precision = false;
  snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)load_bits(item->payload, item->bytes));
  char *zero = strchr(string.flags, '0');
  if (zero != NULL) memmove(zero, zero + 1, strlen(zero));
  WRITE_VALUE(text, &string, "s", digits);
}

/* ---- strings: the address is the kernel's, so reading it may fault ---- */

static size_t guarded_length(const char *string, size_t most) {
  struct kiln_fault_record record = {.kind = KILN_FAULT_KERNEL};
  struct kiln_fault_record *before = kiln_fault_set(&record);
  volatile size_t length = SIZE_MAX;
  if (sigsetjmp(record.recover, 0) == 0) length = strnlen(string, most);
  kiln_fault_set(before);
  return length;
}

static void pad(struct kiln_text *text, size_t count) {
  for (; count > 0; count--) write_text(text, " ", 1);
}

static void write_string(struct kiln_text *text, const struct conversion *c, const struct item *item) {
  const char *string = (const char *)(uintptr_t)load_bits(item->payload, item->bytes);
  size_t most = c->has_precision ? c->precision : SIZE_MAX;
  size_t length = string == NULL ? SIZE_MAX : guarded_length(string, most);
  if (length == SIZE_MAX) {
    string = "(null)";
    length = most < 6 ? most : 6;
  }
  size_t space = c->has_width && c->width > length ? c->width - length : 0;
  bool left = strchr(c->flags, '-') != NULL;
  if (!left) pad(text, space);
  write_text(text, string, length);
  if (left) pad(text, space);
}

static void write_character(struct kiln_text *text, const struct conversion *c, const struct item *item) {
  char byte = (char)load_bits(item->payload, item->bytes);
  size_t space = c->has_width && c->width > 1 ? c->width - 1 : 0;
  bool left = strchr(c->flags, '-') != NULL;
  if (!left) pad(text, space);
  write_text(text, &byte, 1);
  if (left) pad(text, space);
}

static void write_numbers(struct kiln_text *text, const struct conversion *c, const struct item *item) {
  uint32_t count = c->vector == 0 ? 1 : c->vector < item->count ? c->vector : item->count;
  bool integer = strchr("diouxX", c->letter) != NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) write_text(text, ",", 1);
    if (integer) write_integer(text, c, item, i);
    else write_float(text, c, item, i);
  }
}

static void write_item(struct kiln_text *text, const struct conversion *c, const struct item *item) {
  if (c->letter == 's') write_string(text, c, item);
  else if (c->letter == 'c') write_character(text, c, item);
  else if (c->letter == 'p') write_pointer(text, c, item);
  else write_numbers(text, c, item);
}

/* ---- items ---- */

/* The next item of a record; false at its end, or where a fault left it unwritten. */
static bool next_item(const uint8_t **at, const uint8_t *end, struct item *item) {
  if ((size_t)(end - *at) < 16) return false;
  uint32_t tag = (uint32_t)load_bits(*at, 4);
  item->kind = tag & 255;
  item->bytes = tag >> 8 & 255;
  item->count = tag >> 16;
  item->payload = *at + 8;
  size_t size = ((size_t)item->bytes * item->count + 7) & ~(size_t)7;
  if (item->kind == 0 || item->bytes == 0 || item->bytes > 8 || item->count == 0 ||
      size > (size_t)(end - *at) - 8)
    return false;
  *at += 8 + size;
  return true;
}

/* ---- parsing ---- */

static const char *parse_flags(const char *p, struct conversion *c) {
  size_t n = 0;
  for (; *p != '\0' && strchr("-+ #0", *p) != NULL; p++)
    if (memchr(c->flags, *p, n) == NULL) c->flags[n++] = *p;
  c->flags[n] = '\0';
  return p;
}

static const char *parse_number(const char *p, unsigned *out) {
  unsigned value = 0;
  for (; *p >= '0' && *p <= '9'; p++)
    if (value < 1000000) value = value * 10 + (unsigned)(*p - '0');
  *out = value;
  return p;
}

static const char *parse_length(const char *p, struct conversion *c) {
  static const struct {
    const char text[3];
    enum length length;
  } lengths[] = {{"hh", LENGTH_HH}, {"hl", LENGTH_HL}, {"h", LENGTH_H}, {"ll", LENGTH_L}, {"l", LENGTH_L},
                 {"j", LENGTH_L},   {"z", LENGTH_L},   {"t", LENGTH_L}, {"L", LENGTH_L}};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    size_t n = strlen(lengths[i].text);
    if (strncmp(p, lengths[i].text, n) != 0) continue;
    c->length = lengths[i].length;
    return p + n;
  }
  return p;
}

/* A conversion specification after its %; where it ends, NULL if it is none. */
static const char *parse_conversion(const char *p, struct conversion *c) {
  memset(c, 0, sizeof *c);
  p = parse_flags(p, c);
  c->has_width = *p >= '1' && *p <= '9';
  if (c->has_width) p = parse_number(p, &c->width);
  c->has_precision = *p == '.';
  if (c->has_precision) p = parse_number(p + 1, &c->precision);
  if (*p == 'v') p = parse_number(p + 1, &c->vector);
  p = parse_length(p, c);
  c->letter = *p;
  return *p != '\0' && strchr("diouxXfFeEgGaAcsp", *p) != NULL ? p + 1 : NULL;
}

/* One directive at p, which stands at a %; where the text after it starts. */
static const char *write_directive(struct kiln_text *text, const char *p, const uint8_t **at,
                                   const uint8_t *end) {
  struct conversion c;
  struct item item;
  if (p[1] == '%') {
    write_text(text, "%", 1);
    return p + 2;
  }
  const char *after = parse_conversion(p + 1, &c);
  if (after == NULL) {
    write_text(text, p, 1);
    return p + 1;
  }
  if (next_item(at, end, &item)) write_item(text, &c, &item);
  return after;
}

void kiln_print_record(struct kiln_text *text, const uint8_t *record, const uint8_t *end) {
  const char *p = (const char *)(uintptr_t)load_bits(record, 8);
  const uint8_t *at = record + 8;
  while (p != NULL && *p != '\0') {
    size_t plain = strcspn(p, "%");
    write_text(text, p, plain);
    p += plain;
    if (*p == '%') p = write_directive(text, p, &at, end);
  }
}
