/* Fences: OpenCL C 3.0, sections 6.15.9 and 6.15.12.4; the kernel clock. The
 * barriers and the sub-group and work-group functions are the compiler's. */
#include "kiln.h"

OVER void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  switch (order) {
  case memory_order_relaxed: break;
  case memory_order_acquire: __atomic_thread_fence(__ATOMIC_ACQUIRE); break;
  case memory_order_release: __atomic_thread_fence(__ATOMIC_RELEASE); break;
  case memory_order_acq_rel: __atomic_thread_fence(__ATOMIC_ACQ_REL); break;
  default: __atomic_thread_fence(__ATOMIC_SEQ_CST); break;
  }
}

OVER void mem_fence(cl_mem_fence_flags flags) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
OVER void read_mem_fence(cl_mem_fence_flags flags) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
OVER void write_mem_fence(cl_mem_fence_flags flags) { __atomic_thread_fence(__ATOMIC_RELEASE); }

/* One counter serves every scope. */
INLINE ulong clock(void) { return __builtin_readcyclecounter(); }
OVER ulong clock_read_device(void) { return clock(); }
OVER ulong clock_read_work_group(void) { return clock(); }
OVER ulong clock_read_sub_group(void) { return clock(); }
OVER uint2 clock_read_hilo_device(void) { return __builtin_astype(clock(), uint2); }
OVER uint2 clock_read_hilo_work_group(void) { return __builtin_astype(clock(), uint2); }
OVER uint2 clock_read_hilo_sub_group(void) { return __builtin_astype(clock(), uint2); }
