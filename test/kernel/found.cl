// What kernels of other programs have shown to be wrong, each as small as it gets.
// run: -k places_of_pairs -g 128 -l 64 '[256]=i' '[128]'
// expect: 1: 4*(i-i%64+63-i%64)+1
// run: -k texel_in_branch -g 237 'image[64,1]=i%256' '[237]=i' '[237]'
// expect: 2: i%3==0?0:i%64*4/255 ~ 1e-6
// run: -k scattered_in_branch -g 211 '[211]=(i*37)%211' '[211]' '[211]'
// expect: 1: (i-i%4)/4%3==0?0:((i-i%4)/4*154)%211+i%4
// expect: 2: (i-i%4)/4%3==0?0:i%4==0?((i-i%4)/4*154)%211%100:i%4==1?((i-i%4)/4*154)%211%50:i%4==2?7:9

// An address kept over a barrier, whose index is not.
kernel void places_of_pairs(global const float2 *in, global float *out) {
  local float2 m[512];
  uint l = (uint)get_local_id(0), q = l / 4, r = l % 4;
  local float2 *to = m + (r + q * 8 + (q & 1) * 4);
  float2 v = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  *to = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint from = 63 - l, fq = from / 4;
  float2 w = m[from % 4 + fq * 8 + (fq & 1) * 4];
  out[get_global_id(0)] = w.x + w.y;
}

// An image read under a mask by whole vectors, and by the shorter ones of what is left.
kernel void texel_in_branch(read_only image2d_t image, global const int *in, global float *out) {
  int i = get_global_id(0);
  float v = 0;
  if (in[i] % 3 != 0) v = read_imagef(image, (int2)(in[i] % 64, 0)).x;
  out[i] = v;
}

// Components side by side go to places that follow no pattern, from some of the lanes.
kernel void scattered_in_branch(global const int *in, global float4 *out, global uchar4 *small) {
  int i = get_global_id(0), j = in[i];
  if (j % 3 != 0) {
    out[j] = (float4)(i, i + 1, i + 2, i + 3);
    small[j] = (uchar4)(i % 100, i % 50, 7, 9);
  }
}

// Values that take as many bytes, in one piece and in four, one after the other over barriers.
// run: -k pieces -g 512 -l 256 '[512]=i*3' '[512]'
// expect: 1: 6*i + 10
// run: -k pieces -g 630 -l 315 '[630]=i*3' '[630]'
// expect: 1: 6*i + 10
kernel void pieces(global const int *in, global int *out) {
  int x = in[get_global_id(0)];
  long whole = (long)x << 32 | x;
  barrier(CLK_LOCAL_MEM_FENCE);
  short4 part = as_short4(whole) + (short4)(1, 2, 3, 4);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = part.x + part.y + part.z + part.w;
}

// Addresses kept over a barrier, half a register of them, and a load through some of them only.
// run: -k some_addresses -g 528 -l 264 '[544]=543-i' '[544]=i' '[528]'
// expect: 2: 543 - i >= 140 ? 543 - (i + 5) : 9
kernel void some_addresses(global const int *in, global const int *where, global int *out) {
  global const int *from = in + where[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = 9;
  if (from[0] >= 140) x = from[5];
  out[get_global_id(0)] = x;
}

// Whether a dividend is the least value is a vector of truth values, asked for before and after a barrier.
// run: -k truths -g 192 -l 64 '[192]=i%64+1' '[192]'
// expect: 1: (1000-1000%(i%64+1))/(i%64+1) + (1000-1000%(i%64+2))/(i%64+2) + (1001-1001%(i%64+1))/(i%64+1) + 3
kernel void truths(global const int *in, global int *out) {
  int2 d = in[get_global_id(0)] + (int2)(0, 1), x = 1000 + d, z = x / d;
  barrier(CLK_LOCAL_MEM_FENCE);
  int2 w = x / d.x;
  out[get_global_id(0)] = z.x + z.y + w.y;
}
