// Heat on a 1024 x 1024 plane, five points, borders kept; and on a 128 x 128 x 64 box, seven points.
// run: -k heat2d -g 1024,1024 '[1048576]=rand(i)' '[1048576]' --bytes '8*g0*g1' --name five_points
// expect: 1: i<1024 || i>=1047552 || i%1024==0 || i%1024==1023 ? a0[i] : a0[i]+0.2*(a0[i-1]+a0[i+1]+a0[i-1024]+a0[i+1024]-4*a0[i]) ~ 1e-6
// run: -k heat3d -g 128,128,64 '[1048576]=rand(i)' '[1048576]' --bytes '8*g0*g1*g2' --name seven_points
// expect: 1: i<16384 || i>=1032192 || i%128==0 || i%128==127 || i%16384<128 || i%16384>=16256 ? a0[i] : a0[i]+0.1*(a0[i-1]+a0[i+1]+a0[i-128]+a0[i+128]+a0[i-16384]+a0[i+16384]-6*a0[i]) ~ 1e-6
kernel void heat2d(global const float *in, global float *out) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), i = y * w + x;
  float c = in[i];
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) out[i] = c;
  else out[i] = c + 0.2f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4 * c);
}
kernel void heat3d(global const float *in, global float *out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2), i = (z * h + y) * w + x, s = w * h;
  float c = in[i];
  if (x > 0 && y > 0 && z > 0 && x < w - 1 && y < h - 1 && z < d - 1)
    c += 0.1f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - s] + in[i + s] - 6 * c);
  out[i] = c;
}
