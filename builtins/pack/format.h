/* The builtin library file: what the packer writes and the compiler reads.
 *
 * One file: header, entries sorted by name, dependency lists, names, bitcode.
 * Every offset counts bytes from the start of the file. Byte order and widths
 * are the host's, because both sides are built together. */
#ifndef KILN_BUILTINS_PACK_FORMAT_H
#define KILN_BUILTINS_PACK_FORMAT_H

#include <stdint.h>

#define KILN_PACK_MAGIC 0x4e494c4bu /* "KLIN" */

struct kiln_pack_header {
  uint32_t magic;
  uint32_t count; /* entries, which follow the header */
  uint32_t deps;  /* uint32_t entry numbers */
  uint32_t size;  /* of the file */
  uint64_t hash;  /* of all that follows: part of every cache key */
};

struct kiln_pack_entry {
  uint32_t name;      /* offset of the mangled name */
  uint32_t blob;      /* offset of the bitcode, a multiple of 8 */
  uint32_t blob_size;
  uint32_t first_dep; /* index into the dependency array */
  uint32_t dep_count; /* entries called directly; each has a blob of its own */
};

#endif
