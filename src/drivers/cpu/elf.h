/* One ELF relocatable object (x86-64) being laid out in memory. Every offset and count in it is checked
 * before it is used: the bytes may come from a damaged cache. */
#ifndef KILN_DRIVERS_CPU_ELF_H
#define KILN_DRIVERS_CPU_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kiln_elf {
  const uint8_t *data; /* the file; borrowed */
  size_t size;
  const Elf64_Shdr *sections; /* copies: the file's may be unaligned */
  uint32_t num_sections;
  uint64_t *address; /* section -> where it lies; 0 if it is not loaded */
  Elf64_Sym *symbols;
  uint32_t num_symbols;
  const char *strings; /* of the symbols, NUL-terminated within strings_size */
  size_t strings_size;
  uint8_t *memory; /* the mapping: code, read-only data, then writable data, each on pages of its own */
  size_t memory_size, code_size, constant_size;
  uint64_t *got;        /* a slot per symbol, in the read-only part */
  uint8_t *stubs;       /* a jump per symbol, in the code part */
  char message[200];    /* why it failed */
  bool short_of_memory; /* that is why: the object may be good */
};

enum { KILN_ELF_STUB_BYTES = 8 };

/* Reads headers, sections and symbols of data. False with a message; kiln_elf_finish in either case. */
bool kiln_elf_open(struct kiln_elf *elf, const void *data, size_t size);
/* Maps memory and copies the sections into it. */
bool kiln_elf_place(struct kiln_elf *elf);
/* Applies all relocations (relocate.c). */
bool kiln_elf_relocate(struct kiln_elf *elf);
/* Makes code executable and constants read-only. */
bool kiln_elf_protect(struct kiln_elf *elf);
/* Address of a defined symbol; 0 if it is not defined. */
uint64_t kiln_elf_symbol(const struct kiln_elf *elf, const char *name);
/* Frees what was read; memory stays with the caller when keep_memory is set. */
void kiln_elf_finish(struct kiln_elf *elf, bool keep_memory);

/* Name of a symbol or section out of a string table, "" if it is out of bounds. */
const char *kiln_elf_name(const struct kiln_elf *elf, uint32_t offset);
/* Address that symbol index stands for; false with a message if it is undefined and not in the fixed table.
 */
bool kiln_elf_symbol_value(struct kiln_elf *elf, uint32_t index, uint64_t *value_out);
bool kiln_elf_fail_memory(struct kiln_elf *elf);
bool kiln_elf_fail(struct kiln_elf *elf, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
