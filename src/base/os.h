/* The operating system: clocks, files, processors. */
#ifndef KILN_BASE_OS_H
#define KILN_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t kiln_os_now_ns(void);    /* CLOCK_MONOTONIC */
uint64_t kiln_os_thread_ns(void); /* processor time of the calling thread */
/* In a loop that watches memory: leaves the core to its other thread for a moment. */
static inline void kiln_os_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}
unsigned kiln_os_processors(void); /* that this process may run on; at least 1 */
/* Whole file into fresh memory (kiln_alloc, NUL after the end); false if unreadable. */
bool kiln_os_read_file(const char *path, uint8_t **data_out, size_t *size_out);
/* Writes path through a temporary file in the same folder and rename; creates missing folders (0700). */
bool kiln_os_publish_file(const char *path, const void *data, size_t size);
/* Path of the shared object or executable that holds `address`, folder only, into out; false if unknown. */
bool kiln_os_folder_of(const void *address, char *out, size_t size);

/* Forks seen by this process: starts at 0, +1 in each child. Objects remember it (object.h). */
extern unsigned kiln_os_fork_generation;
void kiln_os_watch_forks(void); /* pthread_atfork, once */

#endif
