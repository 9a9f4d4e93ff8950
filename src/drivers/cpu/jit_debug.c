/* Owns gdb's list of objects made at run time and the perf map. The two names below are gdb's: it sets a
 * breakpoint on the function and reads the variable. */
#include "drivers/cpu/jit_debug.h"

#include "base/abi.h"
#include "base/alloc.h"
#include "base/config.h"
#include "base/lock.h"
#include "base/os.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { JIT_NOACTION, JIT_REGISTER, JIT_UNREGISTER };

struct kiln_jit_entry { /* the first four members are gdb's */
  struct kiln_jit_entry *next, *prev;
  const uint8_t *file;
  uint64_t file_size;
  unsigned generation; /* of forks: a child drops the list of its parent */
  uint8_t bytes[];
};

struct jit_descriptor {
  uint32_t version, action;
  struct kiln_jit_entry *relevant, *first;
};

#define EXPORTED __attribute__((visibility("default"), used))
EXPORTED struct jit_descriptor __jit_debug_descriptor = {.version = 1};
EXPORTED void __jit_debug_register_code(void);
EXPORTED __attribute__((noinline)) void __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }

static struct kiln_lock list_lock = KILN_LOCK_INIT(KILN_RANK_BASE); /* the list and the perf map */

/* The parent may have been changing it. */
static void in_child(void) {
  kiln_lock_init(&list_lock, KILN_RANK_BASE);
  __jit_debug_descriptor.first = __jit_debug_descriptor.relevant = NULL;
}
static void watch_once(void) { pthread_atfork(NULL, NULL, in_child); }
static void watch_forks(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_once);
}

static void notify(struct kiln_jit_entry *entry, uint32_t action) {
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_descriptor.action = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action = JIT_NOACTION;
}

/* The copy says where each section lies. */
static struct kiln_jit_entry *make_entry(const struct kiln_elf *elf) {
  struct kiln_jit_entry *entry = kiln_alloc(sizeof *entry + elf->size);
  if (entry == NULL) return NULL;
  memcpy(entry->bytes, elf->data, elf->size);
  Elf64_Ehdr header;
  memcpy(&header, entry->bytes, sizeof header);
  for (uint32_t i = 0; i < elf->num_sections; i++) {
    Elf64_Shdr section = elf->sections[i];
    if (elf->address[i] != 0) section.sh_addr = elf->address[i];
    memcpy(entry->bytes + header.e_shoff + i * sizeof section, &section, sizeof section);
  }
  entry->file = entry->bytes;
  entry->file_size = elf->size;
  entry->generation = kiln_os_fork_generation;
  return entry;
}

struct kiln_jit_entry *kiln_jit_register(const struct kiln_elf *elf) {
  watch_forks();
  struct kiln_jit_entry *entry = make_entry(elf);
  if (entry == NULL) return NULL;
  kiln_lock(&list_lock);
  entry->prev = NULL;
  entry->next = __jit_debug_descriptor.first;
  if (entry->next != NULL) entry->next->prev = entry;
  __jit_debug_descriptor.first = entry;
  notify(entry, JIT_REGISTER);
  kiln_unlock(&list_lock);
  return entry;
}

void kiln_jit_unregister(struct kiln_jit_entry *entry) {
  if (entry == NULL) return;
  if (entry->generation == kiln_os_fork_generation) {
    kiln_lock(&list_lock);
    *(entry->prev == NULL ? &__jit_debug_descriptor.first : &entry->prev->next) = entry->next;
    if (entry->next != NULL) entry->next->prev = entry->prev;
    notify(entry, JIT_UNREGISTER);
    kiln_unlock(&list_lock);
  }
  kiln_free(entry);
}

/* ---- perf ---- */

static void add_line(int fd, uint64_t address, uint64_t size, const char *name) {
  char line[512];
  int length = snprintf(line, sizeof line, "%llx %llx %s\n", (unsigned long long)address,
                        (unsigned long long)size, name);
  if (length > 0 && (size_t)length < sizeof line && write(fd, line, (size_t)length) < 0) return;
}

static void add_functions(int fd, const struct kiln_elf *elf, const char *name) {
  for (uint32_t i = 0; i < elf->num_symbols; i++) {
    const Elf64_Sym *symbol = &elf->symbols[i];
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx >= elf->num_sections) continue;
    uint64_t section = elf->address[symbol->st_shndx];
    if (section == 0) continue;
    const char *own = kiln_elf_name(elf, symbol->st_name);
    add_line(fd, section + symbol->st_value, symbol->st_size,
             strcmp(own, KILN_ENTRY_SYMBOL) == 0 ? name : own);
  }
}

void kiln_perf_map_add(const struct kiln_elf *elf, const char *name) {
  if (kiln_config_int(KILN_CONFIG_PERF_MAP, 0) == 0) return;
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  kiln_lock(&list_lock);
  add_functions(fd, elf, name);
  kiln_unlock(&list_lock);
  close(fd);
}
