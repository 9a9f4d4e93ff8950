/* Decides about stores that pass by the caches; see stream.h. Measured for a triad of 48 MB with 32 MB of
 * cache: 67 GB/s through the cache, 120 past it; of 24 MB: 137 and 152; for a copy of 32 MB: 35 and 48. With
 * 260 MB of a cache that many machines share, triads of 48 and 96 MB: 38 and 18 through it, 32 past it. */
#include "core/stream.h"

#include "core/arg_memory.h"
#include "core/mem.h"

bool kiln_stream_pays(const kiln_kernel *kernel, const struct kiln_kernel_info *info,
                      const struct kiln_caps *caps, const struct kiln_ndrange *range) {
  uint64_t cache = caps->stream_bytes, written = 0, read = 0;
  double items = kiln_ndrange_items(range);
  if ((info->flags & KILN_KERNEL_STREAMS) == 0 || cache == 0) return false;
  if (kiln_args_have_host_memory(kernel, info)) return false;
  for (uint32_t i = 0; i < info->num_args; i++) {
    const kiln_mem *mem = kernel->args[i].mem;
    if (mem == NULL) continue;
    double stored = items * info->args[i].stored;
    if (info->args[i].stored == 0) read += mem->size;
    else if (kiln_arg_is_shared(kernel, info, i)) return false;
    else written += stored < (double)mem->size ? (uint64_t)stored : mem->size;
  }
  return written >= cache / 4 && written + read >= cache;
}
