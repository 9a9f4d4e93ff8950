/* Owns how buffers are placed: aligned for the widest type, large ones on pages of their own, huge where the
 * system has them. Pages are touched first by who uses them. */
#include "drivers/cpu/memory.h"

#include "base/alloc.h"

#include <sys/mman.h>

enum { PAGE = 4096, PAGED_BYTES = 64 << 10, HUGE_PAGE = 2 << 20 };

static size_t alignment_for(size_t size) {
  return size >= HUGE_PAGE ? HUGE_PAGE : size >= PAGED_BYTES ? PAGE : KILN_CPU_ALIGN;
}

cl_int kiln_memory_alloc(struct kiln_driver_device *device, size_t size, void **address_out) {
  void *memory = kiln_alloc_aligned(alignment_for(size), size);
  if (memory == NULL) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (size >= HUGE_PAGE) madvise(memory, size & ~(size_t)(HUGE_PAGE - 1), MADV_HUGEPAGE);
  *address_out = memory;
  return CL_SUCCESS;
}

void kiln_memory_free(struct kiln_driver_device *device, void *address, size_t size) { kiln_free(address); }
