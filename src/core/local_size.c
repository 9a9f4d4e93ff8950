/* Chooses sizes of work-groups; see local_size.h. */
#include "core/local_size.h"

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

size_t kiln_local_size_max(const struct kiln_kernel_info *info, const struct kiln_caps *caps) {
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

static size_t units_of(const struct kiln_caps *caps) {
  return caps->compute_units == 0 ? 1 : caps->compute_units;
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

static bool is_free(const struct kiln_kernel_info *info) { return (info->flags & KILN_KERNEL_FREE) != 0; }

/* Items per group worth having: enough groups for four per compute unit, at least a vector, at most `most`.
 * Of long work-items each unit gets its share, however few there are. */
static size_t wished_items(const struct kiln_kernel_info *info, const struct kiln_ndrange *range, size_t most,
                           size_t lanes, size_t units) {
  const size_t items = product(range->global[0], product(range->global[1], range->global[2]));
  const bool is_long = is_free(info) && (info->flags & KILN_KERNEL_LOOPS) != 0;
  const size_t share = items / units + (items % units != 0), least = is_long ? min_size(share, lanes) : lanes;
  const size_t wish = items / units / 4;
  return min_size(wish < least ? least : wish, most);
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

/* ---- where nothing ties a group together ---- */

enum { MOST_TRIED = 32 /* sizes, in a launch's time */ };

/* Work-items. A tile is to be worth a call, and what its rows share to stay in the nearest cache. */
static const struct form {
  size_t items, row;          /* of a tile, at most; of a row of it */
  size_t short_row, few_rows; /* a given size of shorter or fewer rows is replaced; 0: of one vector */
} forms[] = {[KILN_TILE_ROWS] = {4096, 1024, 128, 1},
             [KILN_TILE_SHARED] = {1024, 64, 0, 4},
             [KILN_TILE_SQUARE] = {256, 16, 0, 8}};

static bool has_tiling(const struct kiln_kernel_info *info) {
  return is_free(info) && info->tiling.form != KILN_TILE_UNKNOWN;
}

/* What a tile takes of n: all of it, or a part that divides it, in steps, if one is near the limit. Where
 * tiles do not divide a launch, code is made twice, for those at its edges as well. */
static size_t part_of(size_t n, size_t limit, size_t step) {
  if (n <= limit) return n;
  const size_t power = power_of_two_up_to(limit);
  if (n % power == 0) return power;
  size_t part = limit - limit % step;
  for (int i = 0; i < MOST_TRIED && 2 * part > limit; i++, part -= step)
    if (n % part == 0) return part;
  return power;
}

/* range has no dimension of 0. */
static void tile_of(const struct kiln_kernel_info *info, const struct kiln_caps *caps,
                    const struct kiln_ndrange *range, size_t tile[3]) {
  const struct kiln_tiling *t = &info->tiling;
  const struct form *form = &forms[t->form];
  size_t most = min_size(kiln_local_size_max(info, caps), form->items);
  const size_t lanes = lanes_of(caps);
  size_t left = wished_items(info, range, most, lanes, units_of(caps));
  const unsigned order[] = {t->along, t->across, 3 - t->along - t->across};
  for (int i = 0; i < 3; i++) {
    unsigned d = order[i];
    size_t limit = i > 0 ? left : min_size(left, form->row);
    tile[d] = part_of(range->global[d], min_size(limit, caps->max_item_sizes[d]), i == 0 ? lanes : 1);
    left /= tile[d];
  }
}

static bool is_good(const struct kiln_tiling *t, size_t lanes, const struct kiln_ndrange *range) {
  const struct form *form = &forms[t->form];
  size_t row = form->short_row != 0 ? form->short_row : lanes;
  return range->local[t->along] >= min_size(row, range->global[t->along]) &&
         range->local[t->across] >= min_size(form->few_rows, range->global[t->across]);
}

void kiln_local_size_tile(const struct kiln_kernel_info *info, const struct kiln_caps *caps,
                          struct kiln_ndrange *range) {
  size_t tile[3];
  if (!has_tiling(info) || info->reqd_size[0] != 0) return;
  if (is_good(&info->tiling, lanes_of(caps), range)) return;
  tile_of(info, caps, range, tile);
  for (int i = 0; i < 3; i++) range->local[i] = tile[i];
}

/* ---- launches that give no size ---- */

static size_t any_divisor(size_t n, size_t limit) { return divisor(n, limit, 2); }

static void choose_tile(const struct kiln_kernel_info *info, const struct kiln_caps *caps,
                        struct kiln_ndrange *range, bool uniform) {
  size_t tile[3];
  tile_of(info, caps, range, tile);
  for (int i = 0; i < 3; i++) {
    const bool divides = range->global[i] % tile[i] == 0;
    range->local[i] = divides || !uniform ? tile[i] : any_divisor(range->global[i], tile[i]);
  }
}

static void choose_rows(const struct kiln_kernel_info *info, const struct kiln_caps *caps,
                        struct kiln_ndrange *range, bool uniform) {
  size_t most = kiln_local_size_max(info, caps), lanes = lanes_of(caps), units = units_of(caps);
  size_t left = wished_items(info, range, min_size(most, 256), lanes, units);
  size_t rows = product(range->global[1], range->global[2]);
  for (int i = 0; i < 3; i++) {
    size_t n = range->global[i], limit = min_size(left, caps->max_item_sizes[i]);
    if (i == 0 && rows > 1) limit = min_size(limit, lanes > 64 ? lanes : 64); /* tiles, not stripes */
    if (n <= limit) range->local[i] = n;
    else if (!uniform) range->local[i] = power_of_two_up_to(limit);
    else if (i > 0 || is_free(info)) range->local[i] = any_divisor(n, limit);
    else
      range->local[i] =
          choose_uniform_x(n, limit, min_size(most, caps->max_item_sizes[0]), lanes, rows, units);
    left = range->local[i] >= left ? 1 : left / range->local[i];
  }
}

bool kiln_local_size_choose(const struct kiln_kernel_info *info, const struct kiln_caps *caps,
                            struct kiln_ndrange *range) {
  bool uniform = (info->flags & KILN_KERNEL_UNIFORM_GROUPS) != 0;
  for (int i = 0; i < 3; i++) range->local[i] = 1;
  if (info->reqd_size[0] != 0) {
    take(range, info->reqd_size);
    return !uniform || divides(info->reqd_size, range);
  }
  if (kiln_ndrange_is_empty(range)) return true;
  if (divides(info->hint_size, range) && fits(info->hint_size, caps, kiln_local_size_max(info, caps)))
    take(range, info->hint_size);
  else if (has_tiling(info)) choose_tile(info, caps, range, uniform);
  else choose_rows(info, caps, range, uniform);
  return true;
}
