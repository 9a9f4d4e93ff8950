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

// A convolution of four channels to four, as networks have them: weights are of the block of channels that a quotient of
// the id says, and all lanes mostly ask for the same.
// run: -k convolve -g 64,16 '(float4)image[32,16]=i%7' '(float4)image[36,2]=i%5' '(float4)image[64,16]' 32
// expect: 2: sum(y,0,3,sum(x,0,3,sum(c,0,4,(int(i/4)%32+x-1>=0 && int(i/4)%32+x-1<32 && int(i/256)+y-1>=0 && int(i/256)+y-1<16 ? (((int(i/256)+y-1)*32+int(i/4)%32+x-1)*4+c)%7 : 0)*((int(int(i/4)%64/32)*144+((y*3+x)*4+c)*4+i%4)%5))))
kernel void convolve(read_only image2d_t in, read_only image2d_t weight, write_only image2d_t out, int width) {
  int id = get_global_id(0), x = id % width, block = id / width, y = get_global_id(1);
  float4 sum = 0;
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++) {
      float4 p = read_imagef(in, nearest, (int2)(x + dx - 1, y + dy - 1));
      int at = (dy * 3 + dx) * 4;
      sum = mad(p.x, read_imagef(weight, nearest, (int2)(at, block)), sum);
      sum = mad(p.y, read_imagef(weight, nearest, (int2)(at + 1, block)), sum);
      sum = mad(p.z, read_imagef(weight, nearest, (int2)(at + 2, block)), sum);
      sum = mad(p.w, read_imagef(weight, nearest, (int2)(at + 3, block)), sum);
    }
  write_imagef(out, (int2)(id, y), sum);
}

// Four rows of two blocks of channels: long, and each of the reads a call, but for lanes nevertheless.
// run: -k rows -g 64,4 '(float4)image[32,16]=i%7' '(float4)image[36,4]=i%5' '(float4)image[64,64]' 32
// expect: 2/7: int(i/256)>=16 ? int(int(i/256)/16)>=2 ? 0 : sum(x,0,9,sum(c,0,4,((int(i/256)%16*32+min(int(i/4)%32+x,31))*4+c)%7*((int(int(i/4)%64/32)*288+144+(x*4+c)*4+i%4)%5))) : sum(x,0,9,sum(c,0,4,((int(i/256)*32+min(int(i/4)%32+x,31))*4+c)%7*((int(int(i/4)%64/32)*288+(x*4+c)*4+i%4)%5)))
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void rows(read_only image2d_t in, read_only image2d_t weight, write_only image2d_t out, int width) {
  int id = get_global_id(0), x = id % width, block = id / width * 2, y = 4 * get_global_id(1);
  float4 s[2][4] = {{0}};
  for (int dx = 0; dx < 9; dx++) {
    float4 p[4], w[2][4];
    for (int r = 0; r < 4; r++) p[r] = read_imagef(in, edge, (int2)(x + dx, y + r));
    for (int b = 0; b < 2; b++)
      for (int c = 0; c < 4; c++) w[b][c] = read_imagef(weight, edge, (int2)(4 * dx + c, block + b));
    for (int b = 0; b < 2; b++)
      for (int r = 0; r < 4; r++)
        s[b][r] = mad(p[r].w, w[b][3], mad(p[r].z, w[b][2], mad(p[r].y, w[b][1], mad(p[r].x, w[b][0], s[b][r]))));
  }
  for (int b = 0; b < 2; b++)
    for (int r = 0; r < 4; r++) write_imagef(out, (int2)(id, y + r + 16 * b), s[b][r]);
}
