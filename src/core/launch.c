/* Owns what lies between a checked clEnqueueNDRangeKernel and a command: local size, layout of local memory,
 * packed arguments, choice of the specialisation. In the steady state nothing here allocates. */
#include "core/launch.h"

#include "core/error.h"
#include "core/mem.h"
#include "core/variant.h"

#include <string.h>

/* ---- local size ---- */

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

size_t kiln_launch_max_group(const struct kiln_kernel_info *info, const struct kiln_caps *caps) {
  uint64_t most = caps->max_group_size;
  if (info->private_bound > 0 && caps->target.arena_size / info->private_bound < most)
    most = caps->target.arena_size / info->private_bound;
  uint64_t required = (uint64_t)info->reqd_size[0] * info->reqd_size[1] * info->reqd_size[2];
  if (required > 0 && required < most) most = required;
  return most == 0 ? 1 : (size_t)most;
}

static size_t product(size_t a, size_t b) {
  size_t p;
  return __builtin_mul_overflow(a, b, &p) ? SIZE_MAX : p;
}

/* Lanes of the widest vector of floats. */
static size_t lanes_of(const struct kiln_caps *caps) {
  return caps->native_width_bits < 64 ? 1 : caps->native_width_bits / 32;
}

static size_t power_of_two_up_to(size_t n) { return (size_t)1 << (63 - __builtin_clzll(n)); }

/* The largest divisor of n that is at most limit, powers of two first: they fill vectors. */
static size_t divisor(size_t n, size_t limit, size_t lanes) {
  for (size_t d = power_of_two_up_to(limit); d >= lanes && d > 1; d /= 2)
    if (n % d == 0) return d;
  size_t d = min_size(n, limit);
  while (n % d != 0) d--;
  return d;
}

/* How well groups of d items use vectors and compute units, the more the better. */
static double worth(size_t d, size_t groups, size_t lanes, size_t units) {
  double filled = (double)d / (double)((d + lanes - 1) / lanes * lanes);
  return groups >= units ? filled : filled * (double)groups / (double)units;
}

/* For a size without a useful divisor below the wish (a prime, say): one above it, up to the largest group.
 */
static size_t divisor_above(size_t n, size_t wish, size_t most) {
  for (size_t k = 1; k <= 64 && n / k > wish; k++)
    if (n % k == 0 && n / k <= most) return n / k;
  return 1;
}

/* Local size in x of uniform groups. */
static size_t choose_uniform_x(size_t n, size_t wish, size_t most, size_t lanes, size_t rows, size_t units) {
  size_t d = divisor(n, wish, lanes);
  if (d * 2 > lanes || d == n) return d;
  size_t above = divisor_above(n, wish, most);
  return worth(above, product(n / above, rows), lanes, units) > worth(d, product(n / d, rows), lanes, units)
             ? above
             : d;
}

/* Items per group worth having: enough groups for four per compute unit, at least a vector, at most 256
 * items. */
static size_t wished_items(const struct kiln_ndrange *range, size_t most, size_t lanes, size_t units) {
  size_t wish = product(range->global[0], product(range->global[1], range->global[2])) / units / 4;
  if (wish > 256) wish = 256;
  if (wish < lanes) wish = lanes;
  return min_size(wish, most);
}

static bool divides(const uint32_t size[3], const struct kiln_ndrange *range) {
  for (int i = 0; i < 3; i++)
    if (size[i] == 0 || range->global[i] % size[i] != 0) return false;
  return true;
}

static bool fits(const uint32_t size[3], const struct kiln_caps *caps, size_t most) {
  for (int i = 0; i < 3; i++)
    if (size[i] > caps->max_item_sizes[i]) return false;
  return (uint64_t)size[0] * size[1] * size[2] <= most;
}

static void take(struct kiln_ndrange *range, const uint32_t size[3]) {
  for (int i = 0; i < 3; i++) range->local[i] = size[i];
}

bool kiln_launch_choose_local(const struct kiln_kernel_info *info, const struct kiln_caps *caps,
                              struct kiln_ndrange *range) {
  bool uniform = (info->flags & KILN_KERNEL_UNIFORM_GROUPS) != 0;
  size_t most = kiln_launch_max_group(info, caps), lanes = lanes_of(caps);
  size_t units = caps->compute_units == 0 ? 1 : caps->compute_units;
  for (int i = 0; i < 3; i++) range->local[i] = 1;
  if (info->reqd_size[0] != 0) {
    take(range, info->reqd_size);
    return !uniform || divides(info->reqd_size, range);
  }
  if (range->global[0] == 0 || range->global[1] == 0 || range->global[2] == 0) return true;
  if (divides(info->hint_size, range) && fits(info->hint_size, caps, most)) {
    take(range, info->hint_size);
    return true;
  }
  size_t left = wished_items(range, most, lanes, units);
  size_t rows = product(range->global[1], range->global[2]);
  for (int i = 0; i < 3; i++) {
    size_t n = range->global[i], limit = min_size(left, caps->max_item_sizes[i]);
    if (i == 0 && rows > 1) limit = min_size(limit, lanes > 64 ? lanes : 64); /* tiles, not stripes */
    if (n <= limit) range->local[i] = n;
    else if (!uniform) range->local[i] = power_of_two_up_to(limit);
    else if (i == 0)
      range->local[i] =
          choose_uniform_x(n, limit, min_size(most, caps->max_item_sizes[0]), lanes, rows, units);
    else range->local[i] = divisor(n, limit, 2);
    left = range->local[i] >= left ? 1 : left / range->local[i];
  }
  return true;
}

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

/* ---- the command ---- */

/* Copies the argument values into cmd, which holds the objects among them. */
static cl_int pack(kiln_cmd *cmd, kiln_kernel *kernel, const struct kiln_kernel_info *info) {
  cl_int err = kiln_cmd_args(cmd, info->args_size == 0 ? 1 : info->args_size);
  if (err == CL_SUCCESS) err = kiln_cmd_hold(cmd, kernel);
  if (err != CL_SUCCESS) return err;
  kiln_lock(&kernel->lock);
  memcpy(cmd->args, kernel->values, info->args_size);
  cmd->work.range.local_bytes = (uint32_t)kiln_place_locals(info, kernel->args, cmd->args);
  for (uint32_t i = 0; err == CL_SUCCESS && i < info->num_args; i++)
    if (kernel->args[i].mem != NULL) err = kiln_cmd_hold(cmd, kernel->args[i].mem);
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

static struct kiln_spec spec_of(const struct kiln_ndrange *range) {
  struct kiln_spec spec = {.uniform = 1, .offset_zero = 1, .small = 1};
  for (int i = 0; i < 3; i++) {
    spec.local_size[i] = (uint32_t)range->local[i];
    if (range->global[i] % range->local[i] != 0) spec.uniform = 0;
    if (range->offset[i] != 0) spec.offset_zero = 0;
    if (range->offset[i] >= 0x80000000u || range->global[i] >= 0x80000000u - range->offset[i]) spec.small = 0;
  }
  return spec;
}

static cl_int fill(kiln_cmd *cmd, kiln_kernel *kernel, struct kiln_build *build,
                   const struct kiln_kernel_info *info, const struct kiln_ndrange *range) {
  cmd->work.type = KILN_WORK_RANGE;
  if (!fill_range(&cmd->work.range, info, range))
    return kiln_fail(cmd->context, CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel",
                     "the range has more than 2^64 work-groups");
  cmd->work.range.launch.globals = build->globals;
  cl_int err = pack(cmd, kernel, info);
  if (err != CL_SUCCESS) return err;
  struct kiln_spec spec = spec_of(range);
  return kiln_build_code(build, info, &spec, cmd);
}

static bool is_empty(const struct kiln_ndrange *range) {
  return range->global[0] == 0 || range->global[1] == 0 || range->global[2] == 0;
}

cl_int kiln_launch(kiln_queue *queue, kiln_kernel *kernel, struct kiln_build *build,
                   const struct kiln_kernel_info *info, const struct kiln_ndrange *range,
                   cl_command_type type, cl_uint num_waits, const cl_event *waits, cl_event *event_out) {
  kiln_cmd *cmd;
  cl_int err = kiln_cmd_create(queue, type, &cmd);
  if (err != CL_SUCCESS) return err;
  /* An empty range is a command that does nothing. */
  if (!is_empty(range)) err = fill(cmd, kernel, build, info, range);
  if (err != CL_SUCCESS) {
    kiln_cmd_discard(&cmd);
    return err;
  }
  return kiln_cmd_enqueue(cmd, num_waits, waits, event_out, false);
}
