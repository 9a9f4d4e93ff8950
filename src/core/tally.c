/* Decides about gathered atomics; see tally.h. */
#include "core/tally.h"

#include "core/arg_memory.h"
#include "core/mem.h"

enum {
  LEAST_ITEMS = 16384
}; /* work-items: making and emptying a table takes as long as some hundred atomics */

/* Tables know its elements by 32 bits. */
static bool is_numbered(const kiln_mem *mem) { return mem != NULL && mem->size <= UINT32_MAX; }

bool kiln_tally_pays(const kiln_kernel *kernel, const struct kiln_kernel_info *info,
                     const struct kiln_ndrange *range) {
  double items = kiln_ndrange_items(range);
  if ((info->flags & KILN_KERNEL_TALLIES) == 0 || items < LEAST_ITEMS) return false;
  if (kiln_args_have_host_memory(kernel, info)) return false;
  for (uint32_t i = 0; i < info->num_args; i++)
    if (info->args[i].tallied && (kiln_arg_is_shared(kernel, info, i) || !is_numbered(kernel->args[i].mem)))
      return false;
  return true;
}
