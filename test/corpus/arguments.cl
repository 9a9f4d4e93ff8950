/* What arguments must be invented well for: an image over a buffer, the number of a dimension, an offset and
 * steps in bytes under which numbers stay aligned. */
kernel void tensor(read_only image1d_buffer_t texels, global char *out, ulong offset, ulong nb0, ulong nb1,
                   int dim) {
  int x = get_global_id(0), y = get_global_id(1), at[4] = {0, 0, 0, 0};
  at[dim] = x;
  global float4 *to = (global float4 *)(out + offset + y * 16 * nb1 + x * nb0);
  *to = read_imagef(texels, at[1] + y) + at[0];
}
