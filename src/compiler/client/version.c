/* Owns the identity of the compiler for cache keys: the build identifier of libkiln-compiler.so, which
 * changes with LLVM, the builtins and our own code. Read from the file, so that a warm start never opens the
 * library. */
#include "compiler/client/client.h"

#include "base/abi.h"
#include "compiler/compiler.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SEGMENTS = 32, MOST_NOTES = 4096 };

static char version[160];
static bool installed; /* there is a compiler to ask for an identifier */

static bool read_at(int fd, void *out, size_t size, uint64_t offset) {
  return offset <= INT64_MAX && pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

/* The build identifier among the notes, in hexadecimal. */
static bool find_id(const uint8_t *notes, size_t size, char *out, size_t out_size) {
  for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
    Elf64_Nhdr note;
    memcpy(&note, notes + at, sizeof note);
    size_t name = at + sizeof note, id = name + (((size_t)note.n_namesz + 3) & ~(size_t)3);
    size_t next = id + (((size_t)note.n_descsz + 3) & ~(size_t)3);
    if (next > size || next <= at) return false;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
      for (size_t i = 0; i < note.n_descsz && 2 * i + 3 <= out_size; i++)
        snprintf(out + 2 * i, 3, "%02x", notes[id + i]);
      return true;
    }
    at = next;
  }
  return false;
}

static bool read_id(int fd, char *out, size_t out_size) {
  Elf64_Ehdr header;
  Elf64_Phdr segments[MOST_SEGMENTS];
  uint8_t notes[MOST_NOTES];
  if (!read_at(fd, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_phentsize != sizeof *segments || header.e_phnum > MOST_SEGMENTS) return false;
  if (!read_at(fd, segments, header.e_phnum * sizeof *segments, header.e_phoff)) return false;
  for (unsigned i = 0; i < header.e_phnum; i++) {
    if (segments[i].p_type != PT_NOTE || segments[i].p_filesz > sizeof notes) continue;
    if (read_at(fd, notes, segments[i].p_filesz, segments[i].p_offset) &&
        find_id(notes, segments[i].p_filesz, out, out_size))
      return true;
  }
  return false;
}

static void read_version(void) {
  char path[4096], id[80] = "none";
  int fd = kiln_compiler_path(path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  installed = fd >= 0;
  if (installed) {
    if (!read_id(fd, id, sizeof id)) snprintf(id, sizeof id, "unknown");
    close(fd);
  }
  snprintf(version, sizeof version, "kiln " KILN_VERSION " abi %u compiler %s", KILN_ABI_VERSION, id);
}

const char *kiln_compiler_version(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_version);
  return version;
}

bool kiln_compiler_made(const void *text, size_t size) {
  const char *mine = kiln_compiler_version();
  size_t kiln = (size_t)(strstr(mine, " compiler ") - mine);
  if (!installed) return size > kiln && memcmp(text, mine, kiln + 1) == 0;
  return size == strlen(mine) && memcmp(text, mine, size) == 0;
}
