/* Owns loaded code: from the bytes of an object to a function that runs groups. */
#include "base/alloc.h"
#include "base/log.h"
#include "drivers/cpu/code.h"
#include "drivers/cpu/jit_debug.h"

#include <string.h>
#include <sys/mman.h>

static struct kiln_code *code_new(kiln_group_fn *function, const char *name) {
  struct kiln_code *code = kiln_zalloc(sizeof *code);
  if (code == NULL) return NULL;
  code->function = function;
  code->lanes = 1;
  code->name = kiln_strdup(name);
  if (code->name != NULL) return code;
  kiln_free(code);
  return NULL;
}

cl_int kiln_code_wrap(kiln_group_fn *function, const char *name, struct kiln_code **code_out) {
  struct kiln_code *code = code_new(function, name);
  if (code == NULL) return CL_OUT_OF_HOST_MEMORY;
  *code_out = code;
  return CL_SUCCESS;
}

static kiln_group_fn *load_object(struct kiln_elf *elf, const void *object, size_t size) {
  if (!kiln_elf_open(elf, object, size) || !kiln_elf_place(elf) || !kiln_elf_relocate(elf) ||
      !kiln_elf_protect(elf))
    return NULL;
  uint64_t entry = kiln_elf_symbol(elf, KILN_ENTRY_SYMBOL);
  uint64_t start = (uint64_t)(uintptr_t)elf->memory;
  if (entry >= start && entry < start + elf->code_size) return (kiln_group_fn *)(uintptr_t)entry;
  kiln_elf_fail(elf, "object does not define the function " KILN_ENTRY_SYMBOL);
  return NULL;
}

/* The uint32_t of that name in the object; 0 if there is none. */
static uint32_t word_of(const struct kiln_elf *elf, const char *symbol) {
  uint64_t start = (uint64_t)(uintptr_t)elf->memory, at = kiln_elf_symbol(elf, symbol);
  uint32_t word = 0;
  if (at < start || at - start > elf->memory_size - sizeof word) return 0;
  memcpy(&word, (const void *)(uintptr_t)at, sizeof word);
  return word;
}

static struct kiln_code *adopt(struct kiln_elf *elf, kiln_group_fn *entry, const char *name) {
  struct kiln_code *code = code_new(entry, name);
  if (code == NULL) return NULL;
  uint32_t lanes = word_of(elf, KILN_LANES_SYMBOL);
  code->lanes = lanes == 0 ? 1 : lanes;
  code->any_number = word_of(elf, KILN_ANY_NUMBER_SYMBOL) != 0;
  code->tallies = word_of(elf, KILN_TALLIES_SYMBOL) != 0;
  code->memory = elf->memory;
  code->memory_size = elf->memory_size;
  code->debug = kiln_jit_register(elf);
  kiln_perf_map_add(elf, name);
  kiln_log(KILN_LOG_DEVICE, KILN_LOG_DEBUG, "code loaded %s address %p bytes %zu", name, (void *)elf->memory,
           elf->memory_size);
  return code;
}

cl_int kiln_code_load(struct kiln_driver_device *device, const void *object, size_t size, const char *name,
                      struct kiln_code **code_out, char **message_out) {
  struct kiln_elf elf;
  kiln_group_fn *entry = load_object(&elf, object, size);
  struct kiln_code *code = entry == NULL ? NULL : adopt(&elf, entry, name);
  if (entry == NULL && !elf.short_of_memory && message_out != NULL) *message_out = kiln_strdup(elf.message);
  kiln_elf_finish(&elf, code != NULL);
  if (entry == NULL && !elf.short_of_memory) return CL_INVALID_BINARY;
  if (code == NULL) return CL_OUT_OF_HOST_MEMORY;
  *code_out = code;
  return CL_SUCCESS;
}

void kiln_code_unload(struct kiln_driver_device *device, struct kiln_code *code) {
  if (code == NULL) return;
  kiln_jit_unregister(code->debug);
  if (code->memory != NULL) munmap(code->memory, code->memory_size);
  kiln_free(code->name);
  kiln_free(code);
}

bool kiln_code_any_number(const struct kiln_code *code) { return code->any_number; }
