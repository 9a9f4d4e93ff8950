/* Growing byte buffer and bounds-checked reader: the one serialisation under cache files, program binaries
 * and the messages to the compile helper. Little-endian, unaligned. A failed write or read sticks: check once
 * at the end. */
#ifndef KILN_BASE_BLOB_H
#define KILN_BASE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kiln_blob {
  uint8_t *data; /* kiln_alloc'ed, owned */
  size_t size, capacity;
  bool failed; /* an allocation failed; data up to then is intact */
};

void kiln_blob_finish(struct kiln_blob *b);
void kiln_blob_put(struct kiln_blob *b, const void *bytes, size_t size);
void kiln_blob_put_u32(struct kiln_blob *b, uint32_t v);
void kiln_blob_put_u64(struct kiln_blob *b, uint64_t v);
/* u64 length, then the bytes. */
void kiln_blob_put_bytes(struct kiln_blob *b, const void *bytes, size_t size);
void kiln_blob_put_string(struct kiln_blob *b, const char *s); /* NULL as "" */

struct kiln_reader {
  const uint8_t *at, *end;
  bool failed;          /* ran past the end, or memory ran short; every later read gives zeros */
  bool short_of_memory; /* it was memory: the bytes may be good */
};

struct kiln_reader kiln_reader_init(const void *data, size_t size);
uint32_t kiln_read_u32(struct kiln_reader *r);
uint64_t kiln_read_u64(struct kiln_reader *r);
void kiln_read(struct kiln_reader *r, void *out, size_t size);
/* A view into the reader's memory; *size_out bytes; NULL when failed. */
const uint8_t *kiln_read_bytes(struct kiln_reader *r, size_t *size_out);
/* A fresh, NUL-terminated copy (kiln_alloc); NULL when failed or out of memory (then failed is set). */
char *kiln_read_string(struct kiln_reader *r);

#endif
