// Images of two formats and samplers of two kinds through one function that reads, in every width.
// run: -k mixed -g 64,16 -l 16,4 'image[64,16]=i%251' '(float4)image[64,16]=i%77' '[1024]'
// expect: 2: a0[i-i%256+min(i%256-i%4+4,252)+i%4]+a0[min((i-i%256)/256+1,15)*256+i%256]+a1[i]+(i%256>3?a1[i-4]:0) ~ 1e-3
// run: -k across -g 64,16 -l 4,16 'image[64,16]=i%251' '(float4)image[64,16]=i%77' '[1024]'
// expect: 2: a0[i-i%256+min(i%256-i%4+4,252)+i%4]+a0[min((i-i%256)/256+1,15)*256+i%256]+a1[i]+(i%256>3?a1[i-4]:0) ~ 1e-3
// run: -k swapped -g 16,64 -l 16,4 'image[64,16]=i%251' '(float4)image[64,16]=i%77' '[1024]'
// expect: 2: a0[i]+a0[min((i-i%256)/256+1,15)*256+i%256]+a0[i]+2*a1[i] ~ 1e-3
// run: -k turns -g 64,16 -l 16,4 'image[64,16]=i%251' '(float4)image[64,16]=i%77' '[1024]'
// expect: 2: 3*a0[i]+2*a1[i]+i%256-i%4 ~ 1e-3
// run: -k squared -g 64,16 -l 16,4 'image[64,16]=i%251' '(float4)image[64,16]=i%77' '[1024]'
// expect: 2: 3*a0[i-i%256] ~ 1e-3
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void mixed(read_only image2d_t a, read_only image2d_t b, global float4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 255 * read_imagef(a, edge, at + (int2)(1, 0)) + 255 * read_imagef(a, edge, at + (int2)(0, 1));
  out[at.y * 64 + at.x] = sum + read_imagef(b, edge, at) + read_imagef(b, border, at - (int2)(1, 0));
}
/* several rows of a group in a vector of work-items */
kernel void across(read_only image2d_t a, read_only image2d_t b, global float4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 255 * read_imagef(a, edge, at + (int2)(1, 0)) + 255 * read_imagef(a, edge, at + (int2)(0, 1));
  out[at.y * 64 + at.x] = sum + read_imagef(b, edge, at) + read_imagef(b, border, at - (int2)(1, 0));
}
/* along a column: nothing follows one another */
kernel void swapped(read_only image2d_t a, read_only image2d_t b, global float4 *out) {
  int2 at = (int2)(get_global_id(1), get_global_id(0));
  float4 sum = 255 * (read_imagef(a, edge, at) + read_imagef(a, edge, at + (int2)(0, 1)) + read_imagef(a, edge, at));
  out[at.y * 64 + at.x] = sum + 2 * read_imagef(b, border, at);
}
/* a function takes a structure by value and changes it, and positions */
struct place { float x, y, pad[6]; };
static float4 three(read_only image2d_t a, struct place p, int2 at, float4 add) {
  p.x += p.pad[1];
  return 255 * (read_imagef(a, edge, at) + read_imagef(a, border, at) + read_imagef(a, edge, at)) + add * p.x;
}
kernel void turns(read_only image2d_t a, read_only image2d_t b, global float4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  struct place p = {at.x, at.y, {1, 0, 1, 1, 1, 1}};
  float4 first = three(a, p, at, 0), second = three(a, p, at, (float4)(4));
  p.pad[1] = 1;
  float4 third = three(a, p, at, first / 255);
  float4 back = three(a, p, at, -first / 255);
  out[at.y * 64 + at.x] = first / 2 + second / 2 + 2 * read_imagef(b, edge, at) + 2 * (float4)(at.x) + (third + back) / 2 - first;
}
/* a position that is met on 2^40 ways */
kernel void squared(read_only image2d_t a, read_only image2d_t b, global float4 *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  uint2 p = as_uint2(at) * 2;
#define TEN(X) X; X; X; X; X; X; X; X; X; X;
  TEN(p = p * p) TEN(p = p * p) TEN(p = p * p) TEN(p = p * p)
  int2 from = as_int2(p) + (int2)(0, at.y);
  float4 sum = read_imagef(a, edge, from) + read_imagef(a, border, from) + read_imagef(a, edge, from - (int2)(1, 0));
  out[at.y * 64 + at.x] = 255 * sum.x;
}
