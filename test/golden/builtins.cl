// golden: 1; resolve,builtins,inline; -g 16 -l 16 '[16]' '[16]'
kernel void scale(global const float4 *in, global uchar4 *out) {
  out[get_global_id(0)] = convert_uchar4_sat(clamp(in[get_global_id(0)], 0.0f, 1.0f) * 255.0f);
}
