/* Memory behind arguments; see arg_memory.h. */
#include "core/arg_memory.h"

#include "core/mem.h"

static const kiln_mem *owner_of(const kiln_mem *mem) {
  while (mem->parent != NULL) mem = mem->parent;
  return mem;
}

bool kiln_arg_is_shared(const kiln_kernel *kernel, const struct kiln_kernel_info *info, uint32_t i) {
  const kiln_mem *owner = owner_of(kernel->args[i].mem);
  for (uint32_t k = 0; k < info->num_args; k++)
    if (k != i && kernel->args[k].mem != NULL && owner_of(kernel->args[k].mem) == owner) return true;
  return false;
}

bool kiln_args_have_host_memory(const kiln_kernel *kernel, const struct kiln_kernel_info *info) {
  for (uint32_t i = 0; i < info->num_args; i++)
    if (info->args[i].kind == KILN_ARG_GLOBAL && kernel->args[i].mem == NULL) return true;
  return false;
}

bool kiln_args_are_apart(const kiln_kernel *kernel, const struct kiln_kernel_info *info) {
  if (kiln_args_have_host_memory(kernel, info)) return false;
  for (uint32_t i = 0; i < info->num_args; i++)
    if (kernel->args[i].mem != NULL && kiln_arg_is_shared(kernel, info, i)) return false;
  return true;
}
