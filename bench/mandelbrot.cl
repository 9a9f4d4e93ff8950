// Mandelbrot set, 512 x 256, at most 256 steps: a loop that leaves early, with another count in every lane. At the edge
// of the set rounding decides, so that a few pixels may differ.
// run: -k mandelbrot -g 512,256 '[131072]' 256 --items 'g0*g1' --name scalar
// expect: 0/1009: loop(256, x=0:c==k ? float(x*x-y*y+float(-2+float(i%512)*0.005859375)) : x, y=0:c==k ? float(2*x*y+float(-1+((i-i%512)/512)*0.0078125)) : y, c=0:c==k && x*x+y*y<=4 ? c+1 : c, k=0:k+1, c) ~ 1,2%
// run: -b -cl-fast-relaxed-math -k mandelbrot -g 512,256 '[131072]' 256 --items 'g0*g1' --name scalar_relaxed
// expect: 0/1009: loop(256, x=0:c==k ? float(x*x-y*y+float(-2+float(i%512)*0.005859375)) : x, y=0:c==k ? float(2*x*y+float(-1+((i-i%512)/512)*0.0078125)) : y, c=0:c==k && x*x+y*y<=4 ? c+1 : c, k=0:k+1, c) ~ 1,2%
// run: -k mandelbrot4 -g 128,256 '[131072]' 256 --items '4*g0*g1' --name float4
// expect: 0/1009: loop(256, x=0:c==k ? float(x*x-y*y+float(-2+float(i%512)*0.005859375)) : x, y=0:c==k ? float(2*x*y+float(-1+((i-i%512)/512)*0.0078125)) : y, c=0:c==k && x*x+y*y<=4 ? c+1 : c, k=0:k+1, c) ~ 1,2%
kernel void mandelbrot(global int *out, int most) {
  int px = get_global_id(0), py = get_global_id(1);
  float cx = -2 + px * 0.005859375f, cy = -1 + py * 0.0078125f, x = 0, y = 0;
  int steps = 0;
  while (steps < most && x * x + y * y <= 4) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    steps++;
  }
  out[py * get_global_size(0) + px] = steps;
}
kernel void mandelbrot4(global int4 *out, int most) {
  int px = get_global_id(0), py = get_global_id(1);
  float4 cx = -2 + (4 * px + (float4)(0, 1, 2, 3)) * 0.005859375f, cy = -1 + py * 0.0078125f, x = 0, y = 0;
  int4 steps = 0;
  for (int k = 0; k < most; k++) {
    int4 inside = x * x + y * y <= 4;
    if (!any(inside)) break;
    float4 next = x * x - y * y + cx;
    y = select(y, 2 * x * y + cy, inside);
    x = select(x, next, inside);
    steps -= inside;
  }
  out[py * get_global_size(0) + px] = steps;
}
