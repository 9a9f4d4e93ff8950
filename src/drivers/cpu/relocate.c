/* Owns the relocations of an ELF object: the kinds position-independent x86-64 code of the small model has.
 * Calls to functions outside go through a stub each, loads of addresses through a slot each, because they may
 * lie further away than 2 GiB. */
#include "drivers/cpu/elf.h"

#include <string.h>

#ifndef R_X86_64_GOTPCRELX
#define R_X86_64_GOTPCRELX 41
#define R_X86_64_REX_GOTPCRELX 42
#endif

struct place {
  uint8_t *at;      /* the bytes to change */
  uint64_t address; /* the same as a number */
  size_t room;      /* bytes to the section's end */
};

static bool put32(struct kiln_elf *elf, const struct place *place, int64_t value, const char *kind) {
  if (place->room < 4) return kiln_elf_fail(elf, "a relocation %s is out of bounds", kind);
  if (value != (int32_t)value) return kiln_elf_fail(elf, "a relocation %s does not reach its target", kind);
  int32_t narrow = (int32_t)value;
  memcpy(place->at, &narrow, sizeof narrow);
  return true;
}

static bool put64(struct kiln_elf *elf, const struct place *place, uint64_t value) {
  if (place->room < 8) return kiln_elf_fail(elf, "a relocation R_X86_64_64 is out of bounds");
  memcpy(place->at, &value, sizeof value);
  return true;
}

static uint64_t slot_for(struct kiln_elf *elf, uint32_t symbol, uint64_t value) {
  elf->got[symbol] = value;
  return (uint64_t)(uintptr_t)&elf->got[symbol];
}

/* jmp *slot(%rip), padded */
static uint64_t stub_for(struct kiln_elf *elf, uint32_t symbol, uint64_t value) {
  uint8_t *stub = elf->stubs + (size_t)symbol * KILN_ELF_STUB_BYTES;
  int32_t distance = (int32_t)((int64_t)slot_for(elf, symbol, value) - (int64_t)(uintptr_t)(stub + 6));
  stub[0] = 0xff;
  stub[1] = 0x25;
  memcpy(stub + 2, &distance, sizeof distance);
  stub[6] = stub[7] = 0x90;
  return (uint64_t)(uintptr_t)stub;
}

static bool is_outside(const struct kiln_elf *elf, uint64_t value) {
  uint64_t start = (uint64_t)(uintptr_t)elf->memory;
  return value < start || value - start > elf->memory_size;
}

static bool apply(struct kiln_elf *elf, const Elf64_Rela *rela, const struct place *place) {
  uint32_t symbol = ELF64_R_SYM(rela->r_info), type = ELF64_R_TYPE(rela->r_info);
  uint64_t value = 0;
  if (type == R_X86_64_NONE) return true;
  if (!kiln_elf_symbol_value(elf, symbol, &value)) return false;
  uint64_t addend = (uint64_t)rela->r_addend;
  switch (type) {
  case R_X86_64_64:
    return put64(elf, place, value + addend);
  case R_X86_64_PC64:
    return put64(elf, place, value + addend - place->address);
  case R_X86_64_PC32:
    return put32(elf, place, (int64_t)(value + addend - place->address), "R_X86_64_PC32");
  case R_X86_64_PLT32:
    if (is_outside(elf, value)) value = stub_for(elf, symbol, value);
    return put32(elf, place, (int64_t)(value + addend - place->address), "R_X86_64_PLT32");
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    value = slot_for(elf, symbol, value);
    return put32(elf, place, (int64_t)(value + addend - place->address), "R_X86_64_GOTPCREL");
  default:
    return kiln_elf_fail(elf, "relocation type %u is not known", type);
  }
}

/* Relocations of a section that is loaded. */
static bool apply_all(struct kiln_elf *elf, const Elf64_Shdr *table, uint32_t target) {
  const Elf64_Shdr *section = &elf->sections[target];
  if (table->sh_entsize != sizeof(Elf64_Rela)) return kiln_elf_fail(elf, "a relocation table is malformed");
  if (section->sh_type == SHT_NOBITS)
    return kiln_elf_fail(elf, "section %u has no bytes to relocate", target);
  for (uint64_t offset = 0; table->sh_size - offset >= sizeof(Elf64_Rela); offset += sizeof(Elf64_Rela)) {
    Elf64_Rela rela;
    memcpy(&rela, elf->data + table->sh_offset + offset, sizeof rela);
    if (rela.r_offset >= section->sh_size)
      return kiln_elf_fail(elf, "a relocation lies outside of section %u", target);
    uint64_t address = elf->address[target] + rela.r_offset;
    struct place place = {(uint8_t *)(uintptr_t)address, address, (size_t)(section->sh_size - rela.r_offset)};
    if (!apply(elf, &rela, &place)) return false;
  }
  return true;
}

bool kiln_elf_relocate(struct kiln_elf *elf) {
  for (uint32_t i = 0; i < elf->num_sections; i++) {
    const Elf64_Shdr *table = &elf->sections[i];
    if (table->sh_type == SHT_REL && table->sh_info < elf->num_sections && elf->address[table->sh_info] != 0)
      return kiln_elf_fail(elf, "object has relocations without addends");
    if (table->sh_type != SHT_RELA || table->sh_info >= elf->num_sections ||
        elf->address[table->sh_info] == 0)
      continue;
    if (!apply_all(elf, table, table->sh_info)) return false;
  }
  return true;
}
