// Pixels at coordinates that work-items share: read once for all lanes.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

// Weights: in a loop, and for the group.
// run: -k weights -g 1003 '(float4)image[16,2]=i%64' '[1003]=i' '[1003]' 9
// expect: 2: sum(k,0,9,(4*k)*i+4*k+1)
kernel void weights(read_only image2d_t w, global const float *in, global float *out, int n) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < n; k++) {
    float4 v = read_imagef(w, nearest, (int2)(k, 1));
    s += v.x * in[i] + v.y;
  }
  out[i] = s;
}

// Under masks, where some lanes or none are on, and at the border.
// run: -k masked -g 1003 '(float4)image[16,1]=i' '[1003]=i%5==0' '[1003]=7' 9
// expect: 2: i%5!=0 ? 7 : i%3==0 ? 4*9+2 : i>900 ? 0 : 3
// run: -k masked -g 1003 '(float4)image[16,1]=i' '[1003]=0' '[1003]=7' 20
// expect: 2: 7
kernel void masked(read_only image2d_t w, global const int *on, global uint *out, int at) {
  int i = get_global_id(0);
  if (on[i] == 0) return;
  if (i % 3 == 0) out[i] = (uint)read_imagef(w, nearest, (int2)(at, 0)).z;
  else out[i] = (uint)read_imagef(w, nearest, (int2)(i > 900 ? -1 : 0, 0)).w;
}
