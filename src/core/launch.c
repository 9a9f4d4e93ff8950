/* Owns what lies between a checked clEnqueueNDRangeKernel and a command: layout of local memory, packed
 * arguments, choice of the specialisation. In the steady state nothing here allocates. */
#include "core/launch.h"

#include "base/image_desc.h"
#include "core/arg_memory.h"
#include "core/error.h"
#include "core/local_size.h"
#include "core/mem.h"
#include "core/stream.h"
#include "core/tally.h"
#include "core/variant.h"

#include <string.h>

/* ---- local memory ---- */

uint64_t kiln_place_locals(const struct kiln_kernel_info *info, const struct kiln_arg *args,
                           uint8_t *packed) {
  uint64_t end = info->local_bytes;
  for (uint32_t i = 0; i < info->num_args; i++) {
    if (info->args[i].kind != KILN_ARG_LOCAL) continue;
    uint64_t align = info->args[i].align < 16 ? 16 : info->args[i].align;
    end = (end + align - 1) / align * align;
    uint32_t offset = (uint32_t)end;
    if (packed != NULL) memcpy(packed + info->args[i].offset, &offset, sizeof offset);
    end += args[i].local_size;
  }
  return end;
}

/* ---- images and samplers ---- */

/* What code can be made for; packed: the arguments' values. */
static void describe_opaque(const struct kiln_kernel_info *info, const uint8_t *packed,
                            uint32_t opaque[KILN_SPEC_OPAQUE]) {
  uint32_t place = 0;
  for (uint32_t i = 0; i < info->num_args && place < KILN_SPEC_OPAQUE; i++) {
    const struct kiln_arg_info *arg = &info->args[i];
    const struct kiln_image_desc *desc;
    if (arg->kind == KILN_ARG_IMAGE) {
      memcpy(&desc, packed + arg->offset, sizeof desc);
      opaque[place++] = desc->order << 16 | desc->type;
    } else if (arg->kind == KILN_ARG_SAMPLER) {
      memcpy(&opaque[place], packed + arg->offset, sizeof *opaque);
      opaque[place++] |= KILN_OPAQUE_SAMPLER;
    }
  }
}

/* ---- sizes ---- */

static bool ids_are_below(const struct kiln_ndrange *range, uint64_t limit) {
  for (int i = 0; i < 3; i++)
    if (range->offset[i] >= limit || range->global[i] >= limit - range->offset[i]) return false;
  return true;
}

/* Of the arguments that say at least `which` of kiln_arg_info.integer; packed: their values. */
static bool integers_are_below(const struct kiln_kernel_info *info, const uint8_t *packed, uint32_t which,
                               uint64_t limit) {
  for (uint32_t i = 0; i < info->num_args; i++) {
    uint32_t value = 0;
    if (info->args[i].integer >= which) memcpy(&value, packed + info->args[i].offset, sizeof value);
    if (value >= limit) return false;
  }
  return true;
}

static bool is_below(const struct kiln_ndrange *range, const struct kiln_kernel_info *info,
                     const uint8_t *packed, uint32_t small) {
  const struct kiln_small limit = kiln_small(small);
  return ids_are_below(range, limit.ids) &&
         integers_are_below(info, packed, small == KILN_SMALL_IMAGE ? 1 : KILN_ARG_FACTOR, limit.integers);
}

/* kiln_spec.small. packed: the arguments' values. */
static uint32_t smallness(const struct kiln_ndrange *range, const struct kiln_kernel_info *info,
                          const uint8_t *packed) {
  const unsigned several = (range->global[0] > 1) + (range->global[1] > 1) + (range->global[2] > 1);
  if (several >= 2 && is_below(range, info, packed, KILN_SMALL_IMAGE)) return KILN_SMALL_IMAGE;
  if (several < 2 && kiln_has_factors(info))
    for (uint32_t small = KILN_SMALL_ROWS; small < KILN_SMALLS; small++)
      if (is_below(range, info, packed, small)) return small;
  return ids_are_below(range, kiln_small(2).ids) ? 2 : ids_are_below(range, kiln_small(1).ids);
}

/* kiln_spec.rows. packed: the arguments' values. */
static uint32_t row_length(const struct kiln_kernel_info *info, const uint8_t *packed) {
  uint32_t rows = KILN_ROWS_ANY;
  for (uint32_t i = 0; i < info->num_args; i++) {
    const struct kiln_arg_info *arg = &info->args[i];
    int64_t turns = 0;
    int32_t few;
    if (arg->turns == 0) continue;
    if (arg->size == sizeof turns) memcpy(&turns, packed + arg->offset, sizeof turns);
    else turns = (memcpy(&few, packed + arg->offset, sizeof few), few);
    if (turns < KILN_LONG_ROW) return KILN_ROWS_SHORT;
    rows = KILN_ROWS_LONG;
  }
  return rows;
}

/* ---- the command ---- */

/* Copies the argument values into cmd, which holds the objects among them; fills in what they decide of the
 * code. */
static cl_int pack(kiln_cmd *cmd, kiln_kernel *kernel, const struct kiln_kernel_info *info,
                   const struct kiln_caps *caps, const struct kiln_ndrange *range, struct kiln_spec *spec) {
  cl_int err = kiln_cmd_args(cmd, info->args_size == 0 ? 1 : info->args_size);
  if (err == CL_SUCCESS) err = kiln_cmd_hold(cmd, kernel);
  if (err != CL_SUCCESS) return err;
  kiln_lock(&kernel->lock);
  memcpy(cmd->args, kernel->values, info->args_size);
  cmd->work.range.local_bytes = (uint32_t)kiln_place_locals(info, kernel->args, cmd->args);
  for (uint32_t i = 0; err == CL_SUCCESS && i < info->num_args; i++)
    if (kernel->args[i].mem != NULL) err = kiln_cmd_hold(cmd, kernel->args[i].mem);
  describe_opaque(info, cmd->args, spec->opaque);
  spec->small = smallness(range, info, cmd->args);
  spec->rows = row_length(info, cmd->args);
  spec->streams = kiln_stream_pays(kernel, info, caps, range);
  spec->tallies = kiln_tally_pays(kernel, info, range);
  spec->apart = (info->flags & KILN_KERNEL_APART) != 0 && kiln_args_are_apart(kernel, info);
  kiln_unlock(&kernel->lock);
  return err;
}

/* False if the groups cannot be counted in 64 bits. */
static bool fill_range(struct kiln_range *r, const struct kiln_kernel_info *info,
                       const struct kiln_ndrange *range) {
  r->total_groups = 1;
  uint64_t items = 1;
  for (int i = 0; i < 3; i++) {
    uint64_t groups = range->global[i] / range->local[i] + (range->global[i] % range->local[i] != 0);
    r->launch.global_offset[i] = range->offset[i];
    r->launch.global_size[i] = range->global[i];
    r->launch.local_size[i] = (uint32_t)range->local[i];
    r->launch.num_groups[i] = groups;
    items *= range->local[i];
    if (__builtin_mul_overflow(r->total_groups, groups, &r->total_groups)) return false;
  }
  r->launch.work_dim = range->work_dim;
  r->arena_bytes = items * info->private_bound;
  r->flags = info->flags;
  return true;
}

/* Lanes that a launch of few work-items fills when each compute unit gets a share; 1 where a few at a time
 * would be slower than one after the other; 0: it has plenty. Only these, so that launches of many sizes
 * share code. */
static uint32_t lanes_worth(const struct kiln_ndrange *range, const struct kiln_caps *caps) {
  static const struct {
    uint32_t share, lanes; /* work-items for each compute unit, up to which there are so many lanes */
  } steps[] = {{2, 1}, {6, 4}, {8, 8}, {32, 32}};
  double items = kiln_ndrange_items(range);
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
    if (items <= (double)steps[k].share * caps->compute_units) return steps[k].lanes;
  return 0;
}

static struct kiln_spec spec_of(const struct kiln_ndrange *range, const struct kiln_caps *caps) {
  struct kiln_spec spec = {.uniform = 1, .offset_zero = 1, .most = lanes_worth(range, caps)};
  spec.grain = kiln_variant_grain(range->global[0], range->local[0]);
  for (int i = 0; i < 3; i++) {
    spec.local_size[i] = (uint32_t)range->local[i];
    if (range->global[i] % range->local[i] != 0) spec.uniform = 0;
    if (range->offset[i] != 0) spec.offset_zero = 0;
  }
  return spec;
}

static cl_int fill(kiln_cmd *cmd, kiln_kernel *kernel, struct kiln_build *build,
                   const struct kiln_kernel_info *info, const struct kiln_ndrange *asked) {
  struct kiln_ndrange range = *asked;
  const struct kiln_caps *caps = &build->device->backend->caps;
  kiln_local_size_tile(info, caps, &range);
  cmd->work.type = KILN_WORK_RANGE;
  if (!fill_range(&cmd->work.range, info, &range))
    return kiln_fail(cmd->context, CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel",
                     "the range has more than 2^64 work-groups");
  cmd->work.range.launch.globals = build->globals;
  struct kiln_spec spec = spec_of(&range, caps);
  cl_int err = pack(cmd, kernel, info, caps, &range, &spec);
  if (err != CL_SUCCESS) return err;
  return kiln_build_code(build, info, &spec, cmd);
}

cl_int kiln_launch(kiln_queue *queue, kiln_kernel *kernel, struct kiln_build *build,
                   const struct kiln_kernel_info *info, const struct kiln_ndrange *range,
                   cl_command_type type, cl_uint num_waits, const cl_event *waits, cl_event *event_out) {
  kiln_cmd *cmd;
  cl_int err = kiln_cmd_create(queue, type, &cmd);
  if (err != CL_SUCCESS) return err;
  /* An empty range is a command that does nothing. */
  if (!kiln_ndrange_is_empty(range)) err = fill(cmd, kernel, build, info, range);
  if (err != CL_SUCCESS) {
    kiln_cmd_discard(&cmd);
    return err;
  }
  return kiln_cmd_enqueue(cmd, num_waits, waits, event_out, false);
}
