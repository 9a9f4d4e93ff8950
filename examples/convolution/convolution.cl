/* Two-dimensional convolution of float planes; pixels beyond the border repeat the border's.
 *
 * The local size is SIDE x SIDE x 1 and the third global dimension counts planes (red, green,
 * blue). `tile` has room for (SIDE + 2 * offset)^2 floats and `weights` for (2 * offset + 1)^2.
 *
 * The rows of the tile are fetched with async_work_group_copy; while they are on their way the
 * work-group copies the filter weights to local memory. */

/* The nearest row or column that exists. */
static int inside(int i, int size) { return clamp(i, 0, size - 1); }

/* Starts one copy a row of the tile. Rows above or below the plane are copies of its first or
 * last; of each row only the part inside the plane is copied, and the rest left to
 * repeat_border(). Every work-item comes here with the same arguments, as the copies require. */
static event_t fetch_rows(__local float *tile, int tile_side, __global const float *plane,
                          int width, int height, int left, int top) {
  const int first = max(left, 0), end = min(left + tile_side, width);
  event_t copies = 0;
  for (int row = 0; row < tile_side; row++)
    copies = async_work_group_copy(tile + row * tile_side + (first - left),
                                   plane + inside(top + row, height) * width + first, end - first,
                                   copies);
  return copies;
}

/* Fills the columns of the tile that lie left or right of the plane. */
static void repeat_border(__local float *tile, int tile_side, int width, int left) {
  const int first = max(left, 0) - left, last = min(left + tile_side, width) - left - 1;
  for (int row = get_local_id(1); row < tile_side; row += get_local_size(1))
    for (int column = get_local_id(0); column < tile_side; column += get_local_size(0))
      if (column < first || column > last)
        tile[row * tile_side + column] = tile[row * tile_side + clamp(column, first, last)];
}

static void fetch_weights(__local float *weights, __global const float *filter, int count) {
  const int me = get_local_id(1) * get_local_size(0) + get_local_id(0);
  const int everyone = get_local_size(0) * get_local_size(1);
  for (int i = me; i < count; i += everyone) weights[i] = filter[i];
}

/* The sum for one pixel, whose place in the tile is (x + offset, y + offset). A convolution
 * turns the filter round: its weight for (+1, +1) meets the pixel at (-1, -1). */
static float weighted_sum(__local const float *tile, int tile_side, __local const float *weights,
                          int offset, int x, int y) {
  const int diameter = 2 * offset + 1;
  float sum = 0.0f;
  for (int j = 0; j < diameter; j++)
    for (int i = 0; i < diameter; i++)
      sum += weights[j * diameter + i] *
             tile[(y + 2 * offset - j) * tile_side + (x + 2 * offset - i)];
  return sum;
}

__kernel void convolve(__global const float *before, __global float *after, int width, int height,
                       __global const float *filter, int offset, __local float *tile,
                       __local float *weights) {
  const int tile_side = get_local_size(0) + 2 * offset, diameter = 2 * offset + 1;
  const int left = get_group_id(0) * get_local_size(0) - offset;
  const int top = get_group_id(1) * get_local_size(1) - offset;
  const size_t plane = get_global_id(2) * (size_t)width * height;

  event_t copies = fetch_rows(tile, tile_side, before + plane, width, height, left, top);
  fetch_weights(weights, filter, diameter * diameter); /* meanwhile */
  wait_group_events(1, &copies);
  repeat_border(tile, tile_side, width, left);
  barrier(CLK_LOCAL_MEM_FENCE);

  /* the last groups of a row or column reach over the edge of the picture */
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < width && y < height)
    after[plane + (size_t)y * width + x] =
        weighted_sum(tile, tile_side, weights, offset, get_local_id(0), get_local_id(1));
}
