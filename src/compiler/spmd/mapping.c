/* What ties the work-items of a group together; see mapping.h. */
#include "compiler/spmd/mapping.h"

#include <string.h>

bool kiln_mapping_shows_group(unsigned query) {
  switch (query) {
  case KL_Q_GLOBAL_ID:
  case KL_Q_GLOBAL_SIZE:
  case KL_Q_GLOBAL_OFFSET:
  case KL_Q_WORK_DIM:
  case KL_Q_GLOBAL_LINEAR_ID:
    return false;
  default:
    return true;
  }
}

static bool is_free_function(const struct kl_func *f) {
  if (f->nbarrier != 0) return false;
  for (uint32_t i = f->narg; i < f->ninst; i++)
    if (f->inst[i].op == KL_SUB_GROUP ||
        (f->inst[i].op == KL_QUERY && kiln_mapping_shows_group(f->inst[i].sub)))
      return false;
  return true;
}

bool kiln_mapping_is_free(const struct kl_program *program, const struct kiln_kernel_info *info) {
  const struct kl_func *kernel = program->kernel;
  if (program->local_bytes != 0 || !is_free_function(kernel)) return false;
  for (uint32_t i = 0; info != NULL && i < info->num_args; i++)
    if (info->args[i].kind == KILN_ARG_LOCAL && LLVMGetFirstUse(kernel->inst[i].v) != NULL) return false;
  for (uint32_t i = 0; i < program->ncallee; i++)
    if (!is_free_function(program->callee[i].f)) return false;
  return true;
}

bool kiln_mapping_is_same(const struct kl_mapping *a, const struct kl_mapping *b) {
  return a->width == b->width && a->along == b->along && a->across == b->across && a->run == b->run &&
         a->rows == b->rows && a->rest == b->rest && a->linear == b->linear;
}

bool kiln_mapping_has_whole_rows(const struct kiln_spec *spec, const struct kl_mapping *map) {
  const uint32_t *size = spec->local_size;
  const uint64_t row = map->linear ? (uint64_t)size[0] * size[1] * size[2] : size[map->along];
  return map->rows == 1 && row != 0 && row % map->run == 0;
}

struct kl_mapping kiln_mapping_of_sub_group(const struct kiln_spec *spec, unsigned size, bool uniform,
                                            bool one_row) {
  uint32_t x = spec->local_size[0], y = spec->local_size[1], z = spec->local_size[2];
  if (y == 1 && z == 1) return kiln_mapping_row(0, size);
  if (x == 0 || !uniform) return kiln_mapping_linear(size);
  if (x % size == 0) return kiln_mapping_row(0, size);
  if (one_row || x < 2 || size % x != 0 || y % (size / x) != 0) return kiln_mapping_linear(size);
  return (struct kl_mapping){size, 0, 1, x, size / x, x, false};
}

/* Long rows run as one. Groups of several rows keep their form, good for caches, while it fills vectors. */
uint32_t kiln_mapping_merge(const struct kiln_spec *spec, unsigned width) {
  uint32_t x = spec->local_size[0];
  if (x == 0 || spec->local_size[1] * spec->local_size[2] == 1) return 0;
  if (x % width == 0) return 1;
  return width % x == 0 ? width / x : (4 * width + x - 1) / x;
}
