/* Owns the byte order and bounds of everything Kiln stores or sends; knows no format above integers and runs.
 */
#include "base/blob.h"

#include "base/alloc.h"

#include <string.h>

void kiln_blob_finish(struct kiln_blob *b) {
  kiln_free(b->data);
  *b = (struct kiln_blob){0};
}

static bool blob_reserve(struct kiln_blob *b, size_t more) {
  if (b->failed || more > SIZE_MAX - b->size) return false;
  if (b->size + more <= b->capacity) return true;
  size_t capacity = b->capacity < 256 ? 256 : b->capacity;
  while (capacity < b->size + more) capacity = capacity > SIZE_MAX / 2 ? b->size + more : capacity * 2;
  uint8_t *data = kiln_realloc(b->data, capacity);
  if (data == NULL) return false;
  b->data = data;
  b->capacity = capacity;
  return true;
}

void kiln_blob_put(struct kiln_blob *b, const void *bytes, size_t size) {
  if (!blob_reserve(b, size)) {
    b->failed = true;
    return;
  }
  if (size > 0) memcpy(b->data + b->size, bytes, size);
  b->size += size;
}

void kiln_blob_put_u32(struct kiln_blob *b, uint32_t v) { kiln_blob_put(b, &v, sizeof v); }
void kiln_blob_put_u64(struct kiln_blob *b, uint64_t v) { kiln_blob_put(b, &v, sizeof v); }

void kiln_blob_put_bytes(struct kiln_blob *b, const void *bytes, size_t size) {
  kiln_blob_put_u64(b, size);
  kiln_blob_put(b, bytes, size);
}

void kiln_blob_put_string(struct kiln_blob *b, const char *s) {
  kiln_blob_put_bytes(b, s == NULL ? "" : s, s == NULL ? 0 : strlen(s));
}

struct kiln_reader kiln_reader_init(const void *data, size_t size) {
  return (struct kiln_reader){.at = data, .end = (const uint8_t *)data + size};
}

void kiln_read(struct kiln_reader *r, void *out, size_t size) {
  if (r->failed || (size_t)(r->end - r->at) < size) {
    r->failed = true;
    memset(out, 0, size);
    return;
  }
  memcpy(out, r->at, size);
  r->at += size;
}

uint32_t kiln_read_u32(struct kiln_reader *r) {
  uint32_t v;
  kiln_read(r, &v, sizeof v);
  return v;
}

uint64_t kiln_read_u64(struct kiln_reader *r) {
  uint64_t v;
  kiln_read(r, &v, sizeof v);
  return v;
}

const uint8_t *kiln_read_bytes(struct kiln_reader *r, size_t *size_out) {
  uint64_t size = kiln_read_u64(r);
  *size_out = 0;
  if (r->failed || (uint64_t)(r->end - r->at) < size) {
    r->failed = true;
    return NULL;
  }
  const uint8_t *view = r->at;
  r->at += size;
  *size_out = (size_t)size;
  return view;
}

char *kiln_read_string(struct kiln_reader *r) {
  size_t size;
  const uint8_t *view = kiln_read_bytes(r, &size);
  char *s = view == NULL ? NULL : kiln_alloc(size + 1);
  if (s == NULL) {
    r->short_of_memory = r->short_of_memory || view != NULL;
    r->failed = true;
    return NULL;
  }
  memcpy(s, view, size);
  s[size] = '\0';
  return s;
}
