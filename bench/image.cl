// Filters of images through samplers: a 3 x 3 filter of nearest elements, a box of linear ones, a copy, a turn with
// linear filtering. RGBA of bytes, 512 x 512.
// run: -k filter -g 512,512 'image[512,512]=rand(i)*256' 'image[512,512]' --items 'g0*g1' --name image_3x3
// expect: 1/769: trunc(255*sum(k,0,9,(k%2?0.125:k==4?0.25:0.0625)*a0[(min(max((i-i%2048)/2048+(k-k%3)/3-1,0),511)*512+min(max((i%2048-i%4)/4+k%3-1,0),511))*4+i%4]/255)+0.5) ~ 1
// run: -k box -g 512,512 'image[512,512]=rand(i)*256' 'image[512,512]' --items 'g0*g1' --name image_box
// expect: 1/769: trunc(255*sum(k,0,9,a0[(min(max((i-i%2048)/2048+(k-k%3)/3-1,0),511)*512+min(max((i%2048-i%4)/4+k%3-1,0),511))*4+i%4]/255)/9+0.5) ~ 1
// run: -k copy -g 512,512 'image[512,512]=rand(i)*256' 'image[512,512]' --items 'g0*g1' --name image_copy
// expect: 1: a0[i]
// run: -k turn -g 512,512 'image[512,512]=64+(i%4)*32' 'image[512,512]' --items 'g0*g1' --name image_turn
// expect: 1/769: a0[i] ~ 1,20%
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t framed = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
kernel void filter(read_only image2d_t in, write_only image2d_t out) {
  const float weight[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) sum += weight[(j + 1) * 3 + i + 1] * read_imagef(in, nearest, at + (int2)(i, j));
  write_imagef(out, at, sum);
}
kernel void box(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 size = (float2)(get_image_width(in), get_image_height(in));
  float4 sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      sum += read_imagef(in, smooth, (convert_float2(at + (int2)(i, j)) + 0.5f) / size);
  write_imagef(out, at, sum / 9);
}
kernel void copy(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, nearest, at));
}
kernel void turn(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 middle = (float2)(256, 256), d = convert_float2(at) + 0.5f - middle;
  float2 from = (float2)(0.8f * d.x - 0.6f * d.y, 0.6f * d.x + 0.8f * d.y) + middle;
  write_imagef(out, at, read_imagef(in, framed, from));
}
