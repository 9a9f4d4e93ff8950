// Heat on a 1024 x 1024 plane, five points, borders kept; and on a 128 x 128 x 64 box, seven points. Waves on a plane
// without borders.
// run: -k heat2d -g 1024,1024 '[1048576]=rand(i)' '[1048576]' --bytes '8*g0*g1' --name five_points
// expect: 1: i<1024 || i>=1047552 || i%1024==0 || i%1024==1023 ? a0[i] : a0[i]+0.2*(a0[i-1]+a0[i+1]+a0[i-1024]+a0[i+1024]-4*a0[i]) ~ 1e-6
// run: -k heat3d -g 128,128,64 '[1048576]=rand(i)' '[1048576]' --bytes '8*g0*g1*g2' --name seven_points
// expect: 1: i<16384 || i>=1032192 || i%128==0 || i%128==127 || i%16384<128 || i%16384>=16256 ? a0[i] : a0[i]+0.1*(a0[i-1]+a0[i+1]+a0[i-128]+a0[i+128]+a0[i-16384]+a0[i+16384]-6*a0[i]) ~ 1e-6
// run: -k waves -g 1024,1024 '[1048576]=rand(i)' '[1048576]=rand(i+9)' --bytes '12*g0*g1' --name around_the_edges
// expect: 1/17: 2*a0[i]-rand(i+9)+0.2*(a0[i-i%1024+(i+1023)%1024]+a0[i-i%1024+(i+1)%1024]+a0[(i+1047552)%1048576]+a0[(i+1024)%1048576]-4*a0[i]) ~ 1e-5
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
/* On a torus: the neighbours of the first and the last are on the other side. */
kernel void waves(global const float *now, global float *old) {
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  int left = x == 0 ? w - 1 : x - 1, right = x == w - 1 ? 0 : x + 1;
  int up = y == 0 ? h - 1 : y - 1, down = y == h - 1 ? 0 : y + 1;
  float c = now[y * w + x], sum = now[y * w + left] + now[y * w + right] + now[up * w + x] + now[down * w + x];
  old[y * w + x] = 2 * c - old[y * w + x] + 0.2f * (sum - 4 * c);
}
