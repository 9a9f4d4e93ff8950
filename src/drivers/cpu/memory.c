/* Owns how buffers are placed: aligned for the widest type, large ones on pages of their own, huge where the
 * system has them. Pages are touched first by who uses them.
 *
 * Fresh pages cost more than most kernels do with them (a quarter of a millisecond per MiB), so large blocks
 * that were freed are kept for the next buffers of about their size, offered to the system meanwhile
 * (MADV_FREE): it takes them when memory is short. */
#include "drivers/cpu/memory.h"

#include "base/alloc.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGED_BYTES = 64 << 10, HUGE_PAGE = 2 << 20 };

/* ---- blocks kept ---- */

enum { MOST_KEPT = 16, SHARE_KEPT = 16 /* of the machine's memory */ };

static struct {
  pthread_mutex_t lock; /* only ever tried, so that a child of fork() is not caught by it */
  struct kept {
    void *address;
    size_t size;
  } block[MOST_KEPT]; /* oldest first */
  unsigned count;
  size_t bytes;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Takes a block out of the list. */
static void *take(unsigned i) {
  void *address = kept.block[i].address;
  kept.bytes -= kept.block[i].size;
  kept.count--;
  for (; i < kept.count; i++) kept.block[i] = kept.block[i + 1];
  return address;
}

static size_t most_bytes(void) {
  long pages = sysconf(_SC_PHYS_PAGES);
  return pages < 0 ? 0 : (size_t)pages / SHARE_KEPT * PAGE;
}

static bool is_kept(size_t size) { return size >= HUGE_PAGE && size <= most_bytes(); }

/* Blocks that may be kept have one of eight sizes between a power of two and the next: what a buffer does not
 * need is address space only. */
static size_t block_size(size_t size) {
  size_t step = HUGE_PAGE / 8;
  if (!is_kept(size)) return size;
  while (step * 16 <= size) step *= 2;
  return (size + step - 1) & ~(step - 1);
}

static void *reuse(size_t size) {
  void *address = NULL;
  if (!is_kept(size) || pthread_mutex_trylock(&kept.lock) != 0) return NULL;
  for (unsigned i = kept.count; i-- > 0 && address == NULL;)
    if (kept.block[i].size == block_size(size)) address = take(i);
  pthread_mutex_unlock(&kept.lock);
  return address;
}

static bool keep(void *address, size_t buffer) {
  if (!is_kept(buffer) || pthread_mutex_trylock(&kept.lock) != 0) return false;
  size_t size = block_size(buffer);
  while (kept.count == MOST_KEPT || (kept.count > 0 && kept.bytes + size > most_bytes())) kiln_free(take(0));
  bool ok = madvise(address, size & ~(size_t)(PAGE - 1), MADV_FREE) == 0;
  if (ok) {
    kept.block[kept.count++] = (struct kept){address, size};
    kept.bytes += size;
  }
  pthread_mutex_unlock(&kept.lock);
  return ok;
}

void kiln_memory_forget(void) {
  if (pthread_mutex_trylock(&kept.lock) != 0) return;
  while (kept.count > 0) kiln_free(take(0));
  pthread_mutex_unlock(&kept.lock);
}

/* ---- buffers ---- */

static size_t alignment_for(size_t size) {
  return size >= HUGE_PAGE ? HUGE_PAGE : size >= PAGED_BYTES ? PAGE : KILN_CPU_ALIGN;
}

/* Small ones are zeroed: the drivers of GPUs hand out zeros, and there are programs that never set their
 * counters (FFmpeg's tonemap). */
static void *fresh(size_t size) {
  void *memory = kiln_alloc_aligned(alignment_for(size), block_size(size));
  if (memory != NULL && size < PAGED_BYTES) memset(memory, 0, size);
  if (memory != NULL && size >= HUGE_PAGE) madvise(memory, size & ~(size_t)(HUGE_PAGE - 1), MADV_HUGEPAGE);
  return memory;
}

cl_int kiln_memory_alloc(struct kiln_driver_device *device, size_t size, void **address_out) {
  *address_out = reuse(size);
  if (*address_out == NULL) *address_out = fresh(size);
  if (*address_out != NULL) return CL_SUCCESS;
  kiln_memory_forget();
  *address_out = fresh(size);
  return *address_out != NULL ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

void kiln_memory_free(struct kiln_driver_device *device, void *address, size_t size) {
  if (!keep(address, size)) kiln_free(address);
}
