/* Owns reading and placing of ELF relocatable objects. Relocations are relocate.c's. */
#include "drivers/cpu/elf.h"

#include "base/alloc.h"
#include "drivers/cpu/symbols.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, MAX_SECTIONS = 4096, MAX_ALIGN = PAGE };
static const uint64_t max_memory = (uint64_t)1 << 30; /* so that every distance fits 32 bits */

bool kiln_elf_fail(struct kiln_elf *elf, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  vsnprintf(elf->message, sizeof elf->message, format, ap);
  va_end(ap);
  return false;
}

bool kiln_elf_fail_memory(struct kiln_elf *elf) {
  elf->short_of_memory = true;
  return kiln_elf_fail(elf, "host memory is short");
}

/* Whether [offset, offset + size) lies in the file. */
static bool within(const struct kiln_elf *elf, uint64_t offset, uint64_t size) {
  return offset <= elf->size && size <= elf->size - offset;
}

/* ---- reading ---- */

static bool read_header(struct kiln_elf *elf, Elf64_Ehdr *header) {
  if (!within(elf, 0, sizeof *header))
    return kiln_elf_fail(elf, "object of %zu bytes has no header", elf->size);
  memcpy(header, elf->data, sizeof *header);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB)
    return kiln_elf_fail(elf, "object is no 64-bit little-endian ELF file");
  if (header->e_type != ET_REL || header->e_machine != EM_X86_64)
    return kiln_elf_fail(elf, "object has type %u machine %u, not relocatable x86-64", header->e_type,
                         header->e_machine);
  if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0 || header->e_shnum > MAX_SECTIONS ||
      !within(elf, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
    return kiln_elf_fail(elf, "object's %u section headers are out of bounds", header->e_shnum);
  return true;
}

static bool read_sections(struct kiln_elf *elf, const Elf64_Ehdr *header) {
  Elf64_Shdr *sections = kiln_alloc(header->e_shnum * sizeof *sections);
  elf->sections = sections;
  elf->address = kiln_zalloc(header->e_shnum * sizeof *elf->address);
  if (sections == NULL || elf->address == NULL) return kiln_elf_fail_memory(elf);
  memcpy(sections, elf->data + header->e_shoff, header->e_shnum * sizeof *sections);
  elf->num_sections = header->e_shnum;
  for (uint32_t i = 0; i < elf->num_sections; i++) {
    const Elf64_Shdr *s = &sections[i];
    if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL && !within(elf, s->sh_offset, s->sh_size))
      return kiln_elf_fail(elf, "section %u is out of bounds", i);
    if (s->sh_type == SHT_NOBITS && s->sh_size > max_memory)
      return kiln_elf_fail(elf, "section %u is larger than 1 GiB", i);
    if ((s->sh_addralign & (s->sh_addralign - 1)) != 0 || s->sh_addralign > MAX_ALIGN)
      return kiln_elf_fail(elf, "section %u has alignment %llu", i, (unsigned long long)s->sh_addralign);
  }
  return true;
}

static bool read_symbols(struct kiln_elf *elf, const Elf64_Shdr *table) {
  if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_link >= elf->num_sections)
    return kiln_elf_fail(elf, "symbol table is malformed");
  const Elf64_Shdr *strings = &elf->sections[table->sh_link];
  if (strings->sh_type != SHT_STRTAB || strings->sh_size == 0 ||
      elf->data[strings->sh_offset + strings->sh_size - 1] != '\0')
    return kiln_elf_fail(elf, "symbols' string table is malformed");
  elf->strings = (const char *)elf->data + strings->sh_offset;
  elf->strings_size = strings->sh_size;
  elf->num_symbols = (uint32_t)(table->sh_size / sizeof(Elf64_Sym));
  elf->symbols = kiln_alloc(elf->num_symbols * sizeof *elf->symbols);
  if (elf->symbols == NULL) return kiln_elf_fail_memory(elf);
  memcpy(elf->symbols, elf->data + table->sh_offset, elf->num_symbols * sizeof *elf->symbols);
  return true;
}

bool kiln_elf_open(struct kiln_elf *elf, const void *data, size_t size) {
  memset(elf, 0, sizeof *elf);
  elf->data = data;
  elf->size = size;
  Elf64_Ehdr header = {0};
  if (!read_header(elf, &header) || !read_sections(elf, &header)) return false;
  for (uint32_t i = 0; i < elf->num_sections; i++) {
    if (elf->sections[i].sh_type != SHT_SYMTAB) continue;
    if (elf->symbols != NULL) return kiln_elf_fail(elf, "object has two symbol tables");
    if (!read_symbols(elf, &elf->sections[i])) return false;
  }
  return elf->symbols != NULL || kiln_elf_fail(elf, "object has no symbol table");
}

/* ---- placing ---- */

enum part { CODE, CONSTANT, WRITABLE };

static bool is_loaded(const Elf64_Shdr *s) {
  return (s->sh_flags & SHF_ALLOC) != 0 && (s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOBITS ||
                                            s->sh_type == SHT_X86_64_UNWIND || s->sh_type == SHT_INIT_ARRAY);
}

static enum part part_of(const Elf64_Shdr *s) {
  return s->sh_flags & SHF_EXECINSTR ? CODE : s->sh_flags & SHF_WRITE ? WRITABLE : CONSTANT;
}

static uint64_t align_up(uint64_t value, uint64_t align) {
  return align < 2 ? value : (value + align - 1) & ~(align - 1);
}

/* Offsets of a part's sections from the part's start at `offset`, into address[]; where the next goes. */
static uint64_t lay_out(struct kiln_elf *elf, enum part part, uint64_t offset) {
  for (uint32_t i = 0; i < elf->num_sections; i++) {
    const Elf64_Shdr *s = &elf->sections[i];
    if (!is_loaded(s) || part_of(s) != part) continue;
    offset = align_up(offset, s->sh_addralign);
    elf->address[i] = offset;
    offset += s->sh_size;
    if (offset > max_memory) return offset;
  }
  return offset;
}

static void copy_sections(struct kiln_elf *elf) {
  for (uint32_t i = 0; i < elf->num_sections; i++) {
    const Elf64_Shdr *s = &elf->sections[i];
    if (!is_loaded(s)) continue;
    uint8_t *to = elf->memory + elf->address[i];
    elf->address[i] = (uint64_t)(uintptr_t)to;
    if (s->sh_type != SHT_NOBITS && s->sh_size != 0) memcpy(to, elf->data + s->sh_offset, s->sh_size);
  }
}

bool kiln_elf_place(struct kiln_elf *elf) {
  uint64_t stubs = align_up(lay_out(elf, CODE, 0), 16);
  uint64_t constants = align_up(stubs + (uint64_t)elf->num_symbols * KILN_ELF_STUB_BYTES, PAGE);
  uint64_t got = align_up(lay_out(elf, CONSTANT, constants), 8);
  uint64_t writable = align_up(got + (uint64_t)elf->num_symbols * sizeof *elf->got, PAGE);
  uint64_t end = align_up(lay_out(elf, WRITABLE, writable), PAGE);
  if (stubs > max_memory || got > max_memory || end > max_memory)
    return kiln_elf_fail(elf, "object is larger than 1 GiB");
  void *memory = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return kiln_elf_fail_memory(elf);
  elf->memory = memory;
  elf->memory_size = end;
  elf->code_size = constants;
  elf->constant_size = writable - constants;
  elf->stubs = elf->memory + stubs;
  elf->got = (uint64_t *)(elf->memory + got);
  copy_sections(elf);
  return true;
}

bool kiln_elf_protect(struct kiln_elf *elf) {
  bool ok =
      mprotect(elf->memory, elf->code_size, PROT_READ | PROT_EXEC) == 0 &&
      (elf->constant_size == 0 || mprotect(elf->memory + elf->code_size, elf->constant_size, PROT_READ) == 0);
  return ok || kiln_elf_fail(elf, "the system does not allow memory to be made executable");
}

/* ---- symbols ---- */

const char *kiln_elf_name(const struct kiln_elf *elf, uint32_t offset) {
  return offset < elf->strings_size ? elf->strings + offset : "";
}

/* A defined symbol lies within its section, or at its end. */
static bool defined_value(struct kiln_elf *elf, const Elf64_Sym *symbol, uint64_t *value_out) {
  if (symbol->st_shndx >= elf->num_sections || elf->address[symbol->st_shndx] == 0 ||
      symbol->st_value > elf->sections[symbol->st_shndx].sh_size)
    return false;
  *value_out = elf->address[symbol->st_shndx] + symbol->st_value;
  return true;
}

bool kiln_elf_symbol_value(struct kiln_elf *elf, uint32_t index, uint64_t *value_out) {
  if (index >= elf->num_symbols) return kiln_elf_fail(elf, "symbol %u is out of bounds", index);
  const Elf64_Sym *symbol = &elf->symbols[index];
  const char *name = kiln_elf_name(elf, symbol->st_name);
  if (symbol->st_shndx == SHN_ABS) {
    *value_out = symbol->st_value;
    return true;
  }
  if (symbol->st_shndx != SHN_UNDEF)
    return defined_value(elf, symbol, value_out) ||
           kiln_elf_fail(elf, "symbol %s is not in a loaded section", name);
  *value_out = kiln_symbol_address(name);
  if (*value_out != 0 || ELF64_ST_BIND(symbol->st_info) == STB_WEAK) return true;
  return kiln_elf_fail(elf, "symbol %s is undefined", name);
}

uint64_t kiln_elf_symbol(const struct kiln_elf *elf, const char *name) {
  for (uint32_t i = 0; i < elf->num_symbols; i++) {
    const Elf64_Sym *symbol = &elf->symbols[i];
    uint64_t value = 0;
    if (symbol->st_shndx == SHN_UNDEF || strcmp(kiln_elf_name(elf, symbol->st_name), name) != 0) continue;
    if (defined_value((struct kiln_elf *)elf, symbol, &value)) return value;
  }
  return 0;
}

void kiln_elf_finish(struct kiln_elf *elf, bool keep_memory) {
  if (!keep_memory && elf->memory != NULL) munmap(elf->memory, elf->memory_size);
  kiln_free((void *)elf->sections);
  kiln_free(elf->address);
  kiln_free(elf->symbols);
}
